"""Promises over time: how those of the contracts in force stand."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api.asked import Here
from functions.api.models.promises import ContractPromises, PromiseList
from functions.operations.promises import promises_of


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.get("/slos", summary="List how promises over time stand", operation_id="list_slos")(list_slos)


def list_slos(
    here: Here,
    contract: Annotated[str | None, Query(description="Only promises of this contract", max_length=100)] = None,
) -> PromiseList:
    """Return the promises of the contracts that the caller reaches, as `dropgate slo` prints them."""
    reach, entries, pointer = here.reach("list_slos"), here.entries(), here.ports.catalog.pointer
    published_at = pointer.published_at if pointer else None
    rows = [
        promises_of(here.ports.ledger, entry.contract, published_at, here.ports.clock.now())
        for entry in entries
        if entry.promises and contract in (None, entry.contract) and reach.covers(entry.producer)
    ]
    return PromiseList(contracts=[ContractPromises.model_validate(row) for row in rows if row])
