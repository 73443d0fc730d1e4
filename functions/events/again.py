"""The events of a drop once more: a drop's id in, the events that its steps had out, with the ids that they had."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.errors import DocumentInvalid
from functions.events.drop_event import DropEvent
from functions.events.shape import Origin, event_of_step
from functions.ports import EventSources


def events_of(sources: EventSources, origin: Origin, drop_id: str) -> Iterator[DropEvent]:
    """Yield the event of each step of a drop, the oldest first; without what this version cannot read."""
    now = sources.ledger.drop(drop_id)
    for step, facts in sources.ledger.facts(drop_id):
        try:
            plan = sources.catalog.plan(facts.plan) if facts.plan else None
        except DocumentInvalid:
            plan = None
        yield event_of_step(origin, step, facts, plan, now)
