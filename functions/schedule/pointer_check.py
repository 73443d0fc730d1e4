"""The catalog's pointer and the newest pointer ever seen in, the reason why they differ out.

A publish writes a pointer that is newer than the one before, even if it returns to former contracts. So an older
pointer was restored by somebody: by mistake, from a backup, or to put other rules in force.
"""

from __future__ import annotations

from datetime import datetime

from contracts.catalog import AHEAD, Pointer
from functions.ports import Ports
from functions.ports.clock import stamp


def misdated(pointer: Pointer, newest: str, now: datetime) -> str | None:
    """Return why a pointer cannot be the newest one; raise DocumentInvalid if its time is not a time."""
    if pointer.moment() - now > AHEAD:
        return (
            f"current.json was published at {pointer.published_at}, and that is still to come: its publisher's clock "
            "is wrong. Set it right, and publish again with `dropgate publish`"
        )
    at = stamp(pointer.moment())
    if at >= newest:
        return None
    return (
        f"current.json was published at {at}, and one of {newest} was in force: somebody has put a former one back, by "
        "which files are judged. Put the contracts that are meant in force with `dropgate publish`"
    )


def watch(ports: Ports) -> str | None:
    """Hold the pointer that was read last against the newest one; None where it is that, which is remembered."""
    pointer = ports.catalog.pointer
    if pointer is None:
        return None
    newest = ports.ledger.newest_pointer()
    why = misdated(pointer, newest, ports.clock.now())
    if why is None and (at := stamp(pointer.moment())) != newest:
        ports.ledger.note_pointer(at)
    return why
