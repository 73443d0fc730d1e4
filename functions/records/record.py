"""One event of one drop into the ledger: the drop and the event in, the drop as the ledger has it out."""

from __future__ import annotations

from typing import Any

from contracts.errors import StaleWrite
from functions.drop import Drop, Event, NoChange, advance
from functions.ports import Ports


def record(ports: Ports, drop: Drop, event: Event, **changes: Any) -> Drop:
    """Write the result of an event for a drop.

    If somebody else was faster, or the event means nothing to the drop, the drop comes back as it is: its state shows
    the caller whether there is anything left to do.
    """
    answer = advance(drop, event, ports.at(), **changes)
    if isinstance(answer, NoChange):
        return drop
    try:
        ports.ledger.write((answer,))
    except StaleWrite:
        return reread(ports, drop)
    return answer.drop


def reread(ports: Ports, drop: Drop) -> Drop:
    """Return the drop as it is now."""
    return ports.ledger.drop(drop.id) or drop
