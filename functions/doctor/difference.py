"""Differences with their repairs, and the test that a record is its drop's newest: a drop in, a difference out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from contracts.errors import DocumentInvalid, StaleWrite
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.drops import Step

PAGE = 100
"""Objects and drops that are compared together."""
GRACE = timedelta(minutes=15)
"""The age up to which an item is ignored: somebody may be at work on it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A contradiction between two stores: its kind, place, finding, what a person does, and the repair."""

    kind: str
    where: str
    finding: str
    do: str
    repair: Callable[[], object] | None = field(default=None, compare=False)


def looked_up(ports: Ports, drop_id: str) -> Drop | Difference | None:
    """Return the drop of an id, or the difference if its item cannot be read."""
    try:
        return ports.ledger.drop(drop_id)
    except DocumentInvalid as error:
        return unreadable(f"drop {drop_id}", str(error))


def unreadable(where: str, why: str = "cannot be read by this version") -> Difference:
    """Return the difference of a record that was not compared, as one of its items cannot be read."""
    do = "Deploy the version that wrote it, or repair the item. The drop was not compared."
    return Difference("record-unreadable", where, why, do)


def stale(ports: Ports, drop: Drop) -> Difference | None:
    """Return the difference of a record that its history contradicts, as an older one that was put back by hand.

    None if somebody has brought the drop further since it was read.
    """
    last = newer(ports, drop)
    now = ports.ledger.drop(drop.id) if last else None
    if last is None or now is None or now.version != drop.version:
        return None
    finding = (
        f"is {drop.state} at attempt {drop.attempt}, but its history ends with {last.state} at attempt {last.attempt}"
    )
    return Difference("stale-record", f"drop {drop.id}", finding, NEWEST)


def newer(ports: Ports, drop: Drop) -> Step | None:
    """Return the last step of a drop's history if it differs from the drop's record."""
    steps = ports.ledger.history(drop.id)
    last = steps[-1] if steps else None
    if last is None or (last.attempt, last.step, last.state) == (drop.attempt, drop.step, drop.state):
        return None
    return last


def unless_changed(ports: Ports, drop: Drop) -> None:
    """StaleWrite if somebody has brought a drop further since it was read, as a replay or a withdrawal does."""
    now = ports.ledger.drop(drop.id)
    if now is None or now.version != drop.version:
        raise StaleWrite(
            f"drop {drop.id[:10]} has changed since it was read: it is {now.state if now else 'unknown'} now"
        )


NEWEST = "Restore its newest record from a backup of the ledger's table. Until then nothing of the drop is repaired."
