"""Pauses: the contracts and producers of which no new batch is made."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api.asked import Here
from functions.api.models.pauses import PauseItem, PauseList


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.get("/pauses", summary="List what is paused", operation_id="list_pauses")(list_pauses)


def list_pauses(here: Here) -> PauseList:
    """Return all pauses, the oldest first."""
    here.reach("list_pauses")
    pauses = sorted(here.ports.ledger.pauses(), key=lambda pause: pause.at)
    return PauseList(pauses=[PauseItem.of(pause) for pause in pauses])
