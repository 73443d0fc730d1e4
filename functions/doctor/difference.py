"""One thing that is not as another says, with what to do about it; and whether a record is its drop's newest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from contracts.errors import DocumentInvalid, StaleWrite
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.drops import Step

PAGE = 100
"""Objects and drops that are looked at together."""
GRACE = timedelta(minutes=15)
"""How long whoever is at something is left alone."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as another says: its kind, where, what is found, what to do, and what does it."""

    kind: str
    where: str
    finding: str
    do: str
    repair: Callable[[], object] | None = field(default=None, compare=False)


def looked_up(ports: Ports, drop_id: str) -> Drop | Difference | None:
    """The drop of an id; the difference where its item cannot be read."""
    try:
        return ports.ledger.drop(drop_id)
    except DocumentInvalid as error:
        return unreadable(f"drop {drop_id}", str(error))


def unreadable(where: str, why: str = "cannot be read by this version") -> Difference:
    """A record of which nothing was compared, as an item of its own cannot be read."""
    do = "Deploy the version that wrote it, or repair the item. The drop was not compared."
    return Difference("record-unreadable", where, why, do)


def stale(ports: Ports, drop: Drop) -> Difference | None:
    """A record that is not what its history ends with, as a former one put back by hand is; nothing may rest on it.

    None, too, where somebody has brought the drop further since it was read.
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
