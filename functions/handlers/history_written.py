"""Lambda function: a pipe's history items, new in the ledger, in; their events for the bus out, one for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from contracts import codec
from contracts.errors import DocumentInvalid
from functions.aws import items
from functions.events.shape import Origin, detail_type, event_of_absence, event_of_promise, event_of_step
from functions.handlers import runtime
from functions.handlers.runtime import STACK, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from contracts.plan import Plan
    from functions.aws.items import Item
    from functions.events.drop_event import DropEvent
    from functions.ports import EventSources

T = TypeVar("T")


def event_of(sources: EventSources, item: Item) -> DropEvent:
    """Return the event of a history item; DocumentInvalid if this version cannot read it."""
    origin = Origin(f"/dropgate/{STACK}", sources.zones.promoted)
    if items.kind(item) == "PROMISES":
        promise = items.promise_step_of(item)
        return event_of_promise(origin, promise, _plan_of(sources, promise.contract))
    if items.kind(item) != "D":
        absence = items.absence_step_of(item)
        return event_of_absence(origin, absence, _plan_of(sources, absence.contract))
    step, facts = items.step_of(item), items.facts_of(item)
    now = _read(sources.ledger.drop, step.drop if facts.codes else None)
    return event_of_step(origin, step, facts, _read(sources.catalog.plan, facts.plan), now)


def _plan_of(sources: EventSources, contract: str) -> Plan | None:
    """Return the plan of a contract in force; None if there is none, or none that this version can read."""
    index = sources.catalog.index_if_any()
    plans = (entry.plan for entry in index.entries if entry.contract == contract) if index else iter(())
    return _read(sources.catalog.plan, next(plans, None))


def _read(read: Callable[[str], T | None], name: str | None) -> T | None:
    """Return a document; None if it is not asked for, or is one that this version cannot read."""
    try:
        return read(name) if name else None
    except DocumentInvalid as error:
        logger.warning("left out of an event", reason=str(error))
        return None


def events(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what the pipe puts on the bus."""
    for record in records:
        item = items.loads(record["dynamodb"]["NewImage"])
        runtime.about(drop=item["pk"].removeprefix("D#"))
        event = event_of(runtime.event_sources(), item)
        yield {"detail-type": detail_type(event), "detail": codec.encode(event)}


@logger.inject_lambda_context(clear_state=True)
def handler(event: list[dict[str, Any]], context: LambdaContext) -> list[dict[str, Any]]:  # noqa: ARG001
    """Return the events of new history items; the pipe tries again if a service fails, or an item is unreadable."""
    return list(events(event))
