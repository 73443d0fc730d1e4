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
from functions.ports.notices import Line, Notice, Trouble

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
    for _ in range(TRIES):
        try:
            return _tried(ports, event, text, of, new, wish)
        except StaleWrite:
            continue
    raise ServiceUnavailable("others write the same line again and again")


def _tried(
    ports: NoticePorts, event: DropEvent, text: str, of: tuple[Occasion, ...], new: Line, wish: Wish
) -> str | None:
    topic, upload = occasions.topic(event), occasions.upload(event)
    line = ports.book.line(new.id) or new
    before = ports.book.newest(line.id, event.subject)
    if before is not None and before >= event.sequence:
        return line.id
    if upload and of[0] in occasions.ENDS and wish.on & occasions.TROUBLES:
        ports.book.note_good(line.id, topic, upload)  # before the look at troubles: an older one comes before or never
    troubled = ports.book.in_trouble(line.id, topic)
    always = event.data.state == "arrived"
    occasion = occasions.heard(of, wish.on, in_trouble=troubled is not None, always=always)
    if occasion is None:
        if occasions.passes_by(event, wish.on):
            ports.book.pass_by(line, event.subject, event.sequence)
        return None
    trouble = occasions.trouble(occasion)
    if _is_outdated(ports, line, topic, upload, trouble, troubled):
        return None
    if trouble == "begins" and troubled is not None and troubled > upload:
        trouble = None  # that of a newer upload goes on
    change = (trouble == "begins" and troubled is None) - (trouble == "ends" and troubled is not None)
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
    ports.book.put(after, notice, trouble, upload)
    return line.id


def _is_outdated(
    ports: NoticePorts, line: Line, topic: str, upload: str, trouble: Trouble | None, troubled: str | None
) -> bool:
    """Return True if a newer upload of the key decides otherwise: two of one second are equally new."""
    if not upload:
        return False
    if trouble == "begins":
        return ports.book.newest_good(line.id, topic) > upload
    return trouble == "ends" and troubled is not None and troubled > upload
