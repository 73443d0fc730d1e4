"""Acts of operators on drops: a drop and a reason in, the drop on its way out. The schedule does what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api import audit
from functions.api.asked import Asked, Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.identity.access import Operation
from functions.api.models.acts import DecisionRequest, DropAct, ReplayRequest
from functions.api.models.drops import summary
from functions.api.problems import RequestRefused
from functions.api.routes.drops import drop_of
from functions.drop import Drop, NoChange

if TYPE_CHECKING:
    from functions.operations.override import NotOverruled, Overruled


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    app.post("/drops/<drop>/replay", summary="Judge a drop again", operation_id="replay_drop")(replay_drop)
    app.post("/drops/<drop>/accept", summary="Accept a rejected drop", operation_id="accept_drop")(accept_drop)
    app.post("/drops/<drop>/reject", summary="Reject a promoted or failed drop", operation_id="reject_drop")(
        reject_drop
    )


def replay_drop(here: Here, drop: str, wish: ReplayRequest, idempotency_key: IdempotencyKey = None) -> DropAct:
    """Judge a settled drop again under the contract in force, as `dropgate replay` does."""
    from functions.operations.replay import Replayed, again, replay

    named = drop_of(here, drop, "replay_drop")

    def act() -> DropAct:
        if wish.dry_run:
            would = again(here.acts(), named, retract=wish.retract)
            return _would(named, would.reason if isinstance(would, NoChange) else None)
        answer = replay(here.acts(), named.id, retract=wish.retract, only_record=True)
        if not isinstance(answer, Replayed):
            raise _impossible(named, answer.reason)
        return _acted(here, "replay_drop", answer.drop)

    return once(here, "replay_drop", idempotency_key, (named.id, wish), act, DropAct)


def accept_drop(here: Here, drop: str, wish: DecisionRequest, idempotency_key: IdempotencyKey = None) -> DropAct:
    """Promote a rejected drop unchanged by a person's decision, as `dropgate accept` does."""
    from functions.operations.override import accept, beyond, would_accept

    named = drop_of(here, drop, "accept_drop")

    def act() -> DropAct:
        world = here.acts()
        if wish.dry_run:
            would = would_accept(world, named)
            reason = would.reason if isinstance(would, NoChange) else None
            return _would(named, reason, None if reason else beyond(world, named))
        answer = accept(world, named, here.caller.name, _reason(wish), only_record=True)
        return _decided(here, "accept_drop", answer, lambda: beyond(world, named))

    return once(here, "accept_drop", idempotency_key, (named.id, wish), act, DropAct)


def reject_drop(here: Here, drop: str, wish: DecisionRequest, idempotency_key: IdempotencyKey = None) -> DropAct:
    """Withdraw a promoted or failed drop by a person's decision, as `dropgate reject` does."""
    from functions.operations.override import reject, rejectable

    named = drop_of(here, drop, "reject_drop")

    def act() -> DropAct:
        if wish.dry_run:
            would = rejectable(named)
            return _would(named, would.reason if isinstance(would, NoChange) else None)
        answer = reject(here.acts(), named, here.caller.name, _reason(wish), only_record=True)
        return _decided(here, "reject_drop", answer)

    return once(here, "reject_drop", idempotency_key, (named.id, wish), act, DropAct)


def _reason(wish: DecisionRequest) -> str:
    from functions.operations.override import clean_reason

    reason = clean_reason(wish.reason)
    if reason is None:
        raise RequestRefused(422, "The reason has more than 300 bytes.", [{"place": "body.reason", "kind": "too_long"}])
    return reason


def _decided(
    here: Asked, operation: Operation, answer: Overruled | NotOverruled, note: Callable[[], str | None] = lambda: None
) -> DropAct:
    from functions.operations.override import NotOverruled

    if isinstance(answer, NotOverruled):
        raise _impossible(answer.drop, answer.reason)
    return _acted(here, operation, answer.drop, note())


def _acted(here: Asked, operation: Operation, drop: Drop, note: str | None = None) -> DropAct:
    audit.note(here.caller, operation, drop)
    return DropAct(drop=summary(drop), dry_run=False, note=note)


def _would(drop: Drop, why_not: str | None, note: str | None = None) -> DropAct:
    if why_not:
        raise _impossible(drop, why_not)
    return DropAct(drop=summary(drop), dry_run=True, note=note)


def _impossible(drop: Drop, reason: str) -> RequestRefused:
    return RequestRefused(409, f"The drop {drop.id} stays {drop.state}: {reason}.")
