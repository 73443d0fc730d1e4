"""Missing files: those that did not arrive by the end of their window."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api.asked import Here
from functions.api.models.missing import MissingFiles, MissingList
from functions.api.parameters import MONTH


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.get("/missing", summary="List files that did not arrive in time", operation_id="list_missing")(list_missing)


def list_missing(
    here: Here,
    contract: Annotated[str | None, Query(description="Only files of this contract", max_length=100)] = None,
    month: Annotated[str | None, Query(description="Month of the windows (default: this one)", pattern=MONTH)] = None,
) -> MissingList:
    """Return the missing files of the contracts in force that the caller reaches, the newest window first."""
    reach = here.reach("list_missing")
    when = month or here.ports.clock.now().strftime("%Y-%m")
    absences = [
        absence
        for entry in here.entries()
        if entry.arrival and contract in (None, entry.contract) and reach.covers(entry.producer)
        for absence in here.ports.ledger.absences(entry.contract, when)
    ]
    absences.sort(key=lambda absence: (absence.due_at, absence.contract), reverse=True)
    return MissingList(missing=[MissingFiles.of(absence) for absence in absences])
