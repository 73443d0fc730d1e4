"""Pauses: the contracts and producers of which no new batch is made."""

from __future__ import annotations

from typing import Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api import audit
from functions.api.asked import Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.models.acts import PauseAct, PauseRequest
from functions.api.models.pauses import PauseItem, PauseList
from functions.api.problems import RequestRefused
from functions.operations.pause import NotPaused, pause, resume


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    app.get("/pauses", summary="List what is paused", operation_id="list_pauses")(list_pauses)
    app.post("/pauses", summary="Pause a contract or a producer", operation_id="create_pause")(create_pause)
    app.delete("/pauses/<kind>/<name>", summary="Resume a contract or a producer", operation_id="delete_pause")(
        delete_pause
    )


def list_pauses(here: Here) -> PauseList:
    """Return all pauses, the oldest first."""
    here.reach("list_pauses")
    pauses = sorted(here.ports.ledger.pauses(), key=lambda pause: pause.at)
    return PauseList(pauses=[PauseItem.of(pause) for pause in pauses])


def create_pause(here: Here, wish: PauseRequest, idempotency_key: IdempotencyKey = None) -> PauseAct:
    """Pause a contract or a producer, as `dropgate pause` does; files are admitted and wait."""
    here.reach("create_pause")

    def act() -> PauseAct:
        paused = pause(here.acts(), wish.kind, wish.name, here.caller.name, wish.reason, dry_run=wish.dry_run)
        if isinstance(paused, NotPaused):
            raise RequestRefused(404 if paused.unknown else 409, paused.reason)
        if not wish.dry_run:
            audit.note_pause(here.caller, "create_pause", paused)
        return PauseAct(pause=PauseItem.of(paused), paused=not wish.dry_run, dry_run=wish.dry_run)

    return once(here, "create_pause", idempotency_key, ("", wish), act, PauseAct)


def delete_pause(here: Here, kind: Literal["contract", "producer"], name: str) -> PauseAct:
    """Resume a contract or a producer, as `dropgate resume` does."""
    here.reach("delete_pause")
    resumed = resume(here.acts(), kind, name)
    if isinstance(resumed, NotPaused):
        raise RequestRefused(404, resumed.reason)
    audit.note_pause(here.caller, "delete_pause", resumed)
    return PauseAct(pause=PauseItem.of(resumed), paused=False, dry_run=False)
