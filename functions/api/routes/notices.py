"""Notices: whom a drop, a missing file or a missed promise was told to, and what came of it."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api.asked import Here
from functions.api.contract_texts import entry_of
from functions.api.models.notices import NoticeItem, NoticeList
from functions.api.parameters import MONTH
from functions.api.routes.drops import drop_of
from functions.notices import trail


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    of_drop = "List the notices of a drop"
    app.get("/drops/<drop>/notices", summary=of_drop, operation_id="list_drop_notices")(list_drop_notices)
    of_contract = "List the notices of a contract's missing files and promises"
    app.get("/contracts/<contract>/notices", summary=of_contract, operation_id="list_contract_notices")(
        list_contract_notices
    )


def list_drop_notices(here: Here, drop: str) -> NoticeList:
    """Return the notices of a drop on all channels, as `dropgate notices` lists them."""
    named = drop_of(here, drop, "list_drop_notices")
    traces = trail.of_subject(here.ports.notices, named.id)
    return NoticeList(notices=[NoticeItem.of(named.id, trace) for trace in traces])


def list_contract_notices(
    here: Here,
    contract: str,
    month: Annotated[str | None, Query(description="Month of the occasions (default: this one)", pattern=MONTH)] = None,
) -> NoticeList:
    """Return the notices of missing files and promises, as `dropgate notices --contract` lists them."""
    entry_of(here, contract, "list_contract_notices")
    ledger, when = here.ports.ledger, month or here.ports.clock.now().strftime("%Y-%m")
    standing = ledger.standing(contract)
    days = [absence.day for absence in ledger.absences(contract, when)]
    promises = [each.name for each in standing.promises] if standing else []
    traces = trail.of_contract(here.ports.notices, contract, days, promises, [when])
    return NoticeList(notices=[NoticeItem.of(about, trace) for about, trace in traces])
