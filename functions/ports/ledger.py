"""The ledger: transitions of drops and the items that change with them in, one transaction out; and its open items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.drop import Drop, Transition
from functions.ports.batches import Batch, Batches, Pauses, VersionCheck, Window, Windows
from functions.ports.drops import Drops, DropSearch
from functions.ports.expected_files import Absence, Absences, FileSet, FileSets, RollCall
from functions.ports.lineages import Lineage, Lineages, Uploads, Watermarks
from functions.ports.promises import Enrolment, PromisePeriod, Promises, PromiseStep, Standing
from functions.ports.store import ListingCursor

Promised = Standing | Enrolment | PromiseStep | PromisePeriod
"""An item about promises over time."""
TransactionItem = Lineage | Batch | VersionCheck | Window | Watermarks | RollCall | Absence | FileSet | Promised
"""An item that is written, or checked, in one transaction with drops."""


@dataclass(frozen=True, slots=True)
class InFlight:
    """The items open since before a moment, the oldest first; from an index, so read each again before you act.

    If there are very many: the oldest, the newest and some of those between, other ones in each run.
    """

    drops: tuple[Drop, ...] = ()
    """Drops that go on by themselves."""
    batches: tuple[Batch, ...] = ()
    windows: tuple[Window, ...] = ()
    waiting: tuple[Drop, ...] = ()
    """Drops that wait for a batch: enough to know whose windows are missing."""
    unreadable: tuple[str, ...] = ()
    """Keys of items that this version can read as no drop, batch, window or set."""
    sets: tuple[FileSet, ...] = ()
    """Sets of files that are due for a check."""


class Transactions(Protocol):
    """Writes, called by every use case. Every write is fenced: StaleWrite if somebody else wrote since the read."""

    def open(self, drop: Drop) -> Drop:
        """Record a new drop with its first history item, in one transaction; a known drop is returned as it is."""
        ...

    def write(self, moves: Sequence[Transition], *beside: TransactionItem) -> None:
        """Write drops, their history items and their places in line for a batch in one transaction (25 drops).

        The items `beside` them have the version that was read (0 for a new one); a window is one that opens, and
        steps and periods of promises have none. HeldUp if a batch is new, not a half of another, and its contract or
        its producer is paused.
        """
        ...


class OpenItems(Protocol):
    """Open items and the schedule's own progress: called by the schedule, read by the doctor."""

    def in_flight(self, before: str, most: int = 1000) -> InFlight:
        """Return the items that are open and unchanged since `before`: of each kind the `most` oldest and newest ones.

        As many of the items between are returned, further back with each call of the same process, and then from the
        start again. So the cost of a call has a bound, and no item can hide another for good.
        """
        ...

    def sweep(self) -> ListingCursor | None:
        """Return where the next search of landing for unannounced objects begins; None: at the beginning."""
        ...

    def put_sweep(self, after: ListingCursor | None) -> None:
        """Record where the next search begins."""
        ...

    def newest_pointer(self) -> str:
        """Return when the newest pointer of the catalog ever seen was published; empty if there was none."""
        ...

    def note_pointer(self, published_at: str) -> None:
        """Record the time of a pointer, unless a newer one was seen."""
        ...


class Ledger(
    Transactions,
    Drops,
    DropSearch,
    Windows,
    Batches,
    Pauses,
    Lineages,
    Uploads,
    FileSets,
    Absences,
    Promises,
    OpenItems,
    Protocol,
):
    """The record of every drop, for all of these roles."""
