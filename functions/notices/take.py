"""An event of the bus onto the lines of the channels that hear of it: the event in, the ids of their lines out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from contracts import codec
from contracts.catalog import owner
from contracts.errors import ServiceUnavailable, StaleWrite
from contracts.terms.notices import Audience, Channel, Occasion, Route
from functions.events.drop_event import DropEvent
from functions.notices import lines, occasions
from functions.ports import NoticePorts
from functions.ports.notices import Line, Notice

TRIES = 8
"""The tries of a write that others are in the way of; then the message comes again."""
UPLOADS_OF = "uploads of "
"""The beginning of what a line of unmatched keys is of."""


@dataclass
class Wish:
    """What one channel wants to hear, over all its routes."""

    on: set[Occasion] = field(default_factory=set)
    audiences: dict[Audience, None] = field(default_factory=dict)


def take(ports: NoticePorts, detail: dict[str, Any]) -> tuple[str, ...]:
    """Put an event on each line that hears of it; the ids of these lines. A repeated event changes nothing."""
    event = codec.decode(DropEvent, detail, "event")
    of = occasions.occasions(event)
    if not of:
        return ()
    scope, routes = _routes(ports, event)
    text = json.dumps(detail, separators=(",", ":"))
    wishes = wishes_of(routes).items()
    taken = [_put(ports, event, text, of, lines.new(scope, channel), wish) for channel, wish in wishes]
    return tuple(line for line in taken if line)


def wishes_of(routes: Iterator[Route]) -> dict[Channel, Wish]:
    """Return what each channel wants to hear: a channel of two routes hears once."""
    wishes: dict[Channel, Wish] = {}
    for route in routes:
        wish = wishes.setdefault(route.channel, Wish())
        wish.on |= set(route.on)
        wish.audiences[route.audience] = None
    for channel, wish in wishes.items():
        if channel.service == "pagerduty":
            wish.on.add("recovered")  # else its incidents would never be resolved
    return wishes


def _routes(ports: NoticePorts, event: DropEvent) -> tuple[str, Iterator[Route]]:
    """Return what the lines of an event are of, and the routes that may hear of it."""
    routes, contract = ports.catalog.routes(), event.data.contract
    if contract is None:
        producer = event.data.producer
        if producer is None and (index := ports.catalog.index_if_any()):  # events of earlier versions do not name it
            producer = owner(index, event.data.key or "")
        scope = f"{UPLOADS_OF}{producer}" if producer else "uploads outside of any contract"
        return scope, iter(routes.hearing_of_unmatched(producer))
    own = routes.of_contract(contract.name)
    return contract.name, iter((*(own.routes if own else ()), *routes.operators))


def producer_of(scope: str) -> str:
    """Return the producer whose unmatched keys a line is of; a name that nobody has for other lines."""
    return scope.removeprefix(UPLOADS_OF) if scope.startswith(UPLOADS_OF) else ""


def _put(
    ports: NoticePorts, event: DropEvent, text: str, of: tuple[Occasion, ...], new: Line, wish: Wish
) -> str | None:
    """Put an event on a line, unless it is there or a later one of its drop; the line's id if it hears of the event."""
    topic = occasions.topic(event)
    for _ in range(TRIES):
        line = ports.book.line(new.id) or new
        before = ports.book.newest(line.id, event.subject)
        if before is not None and before >= event.sequence:
            return line.id
        in_trouble = ports.book.in_trouble(line.id, topic)
        always = event.data.state == "arrived"
        occasion = occasions.heard(of, wish.on, in_trouble=in_trouble, always=always)
        if occasion is None and not occasions.passes_by(event, wish.on):
            return None
        if occasion is None:
            try:
                ports.book.pass_by(line, event.subject, event.sequence)
            except StaleWrite:
                continue
            return None
        trouble = occasions.trouble(occasion)
        change = (trouble == "begins" and not in_trouble) - (trouble == "ends" and in_trouble)
        after = replace(lines.joined(line, ports.clock.now()), troubles=line.troubles + change)
        notice = Notice(
            line=line.id,
            number=after.last,
            subject=event.subject,
            sequence=event.sequence,
            occasion=occasion,
            topic=topic,
            at=ports.at(),
            event=text,
            audiences=tuple(wish.audiences),
        )
        try:
            ports.book.put(after, notice, trouble)
        except StaleWrite:
            continue
        return line.id
    raise ServiceUnavailable("others write the same line again and again")
