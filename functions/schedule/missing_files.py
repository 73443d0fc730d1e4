"""Files that have not come by the end of their window: the time in; absences, and their ends, recorded.

    windows that have ended since the last look -> count what came that day -> missing
    missing, and the day is not over            -> count again              -> arrived

One item records how far windows were checked, and is written in one transaction with the absences: only one of two
concurrent runs writes, so each absence has one event. A window that ended before the first check is not missing. If a
day's window was moved after its event, there is no second one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from contracts.catalog import Entry
from contracts.errors import DocumentInvalid, StaleWrite
from contracts.terms.arrival import Arrival
from contracts.terms.key_pattern import captures
from functions.admission.arrival_window import uploaded
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.clock import stamp
from functions.ports.expected_files import Absence, RollCall
from functions.ports.progress import Report, ignore

GROUP = 40
"""Absences written in one transaction, which has room for 100 items: of an absence two, and the roll call."""
MOST_MISSING = 1000
"""Absences that may still end, which one item of the ledger (400 KB) remembers; other windows wait until some have."""
AGE = timedelta(minutes=10)
"""The greatest age of the recorded check: a window that ended before its contract was published has no event."""
LONGEST = timedelta(days=7)
"""A window that ended longer ago, while no run checked it, has no event."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A window that has ended; `place` orders all of them."""

    entry: Entry
    arrival: Arrival
    day: date
    at: datetime

    @property
    def place(self) -> str:
        """Return the end of the window and the id of its contract."""
        return f"{stamp(self.at)} {self.entry.contract}"


def call_roll(ports: Ports, unread: Report = ignore) -> None:
    """Check the windows that have ended and the files that are missing; no call if no contract has a window.

    `unread` receives the key of each item that cannot be read: its drop counts as none until the item is repaired.
    """
    index = ports.catalog.index_if_any()
    entries = [entry for entry in index.entries if entry.arrival] if index else []
    if not entries:
        return
    now = ports.clock.now() - timedelta(seconds=ports.patience_seconds)  # events of uploads take their time, too
    roll = ports.ledger.roll_call()
    try:
        if not roll.version:
            ports.ledger.write((), replace(roll, until=stamp(now)))
            return
        roll = _end(ports, roll, {entry.contract: entry for entry in entries}, now, unread)
        ended = sorted(_ended(entries, roll.until, now), key=lambda deadline: deadline.place)
        for begin in range(0, len(ended), GROUP):
            if len(roll.missing) > MOST_MISSING - GROUP:
                return
            group = ended[begin : begin + GROUP]
            absences = [absence for deadline in group if (absence := _absence(ports, deadline, now, unread))]
            open_ = tuple(replace(absence, version=1) for absence in absences if absence.over_at > stamp(now))
            after = replace(roll, until=group[-1].place, missing=(*roll.missing, *open_))
            roll = _written(ports, after, absences)
        if roll.until < stamp(now - AGE):
            ports.ledger.write((), replace(roll, until=stamp(now)))
    except StaleWrite:
        return  # somebody else looks


def _ended(entries: Sequence[Entry], until: str, now: datetime) -> Iterator[Deadline]:
    since = max(datetime.fromisoformat(until.partition(" ")[0]), now - LONGEST) - timedelta(seconds=1)
    for entry in entries:
        if (arrival := entry.arrival) is None:
            continue
        for day, at in arrival.deadlines(since, now):
            deadline = Deadline(entry, arrival, day, at)
            if deadline.place > until:
                yield deadline


def _absence(ports: Ports, deadline: Deadline, now: datetime, unread: Report) -> Absence | None:
    came = _came(ports, deadline.entry, deadline.arrival, deadline.day, now, unread)
    day = deadline.day.isoformat()
    if came >= deadline.arrival.files:
        return None
    try:
        if any(absence.day == day for absence in ports.ledger.absences(deadline.entry.contract, day[:7])):
            return None  # files were missing under an earlier deadline of the contract
    except DocumentInvalid:  # or may have been: that is told instead
        unread(f"of the absences of {deadline.entry.contract} in {day[:7]}")
        return None
    return Absence(
        contract=deadline.entry.contract,
        day=day,
        files=deadline.arrival.files,
        came=came,
        due_at=stamp(deadline.at),
        over_at=stamp(deadline.arrival.begins(deadline.day + timedelta(days=1))),
        changed_at=ports.at(),
    )


def _end(ports: Ports, roll: RollCall, entries: dict[str, Entry], now: datetime, unread: Report) -> RollCall:
    """Write which absences have ended, and forget those that nothing can end any more."""
    ended: list[Absence] = []
    left: list[Absence] = []
    for absence in roll.missing:
        entry = entries.get(absence.contract)
        if entry and entry.arrival and len(ended) < GROUP:
            arrival, day = replace(entry.arrival, files=absence.files), date.fromisoformat(absence.day)
            came = _came(ports, entry, arrival, day, now, unread)
            if came >= absence.files:
                ended.append(replace(absence, state="arrived", came=came, changed_at=ports.at()))
                continue
        if absence.over_at > stamp(now):
            left.append(absence)
    if len(left) == len(roll.missing):
        return roll
    return _written(ports, replace(roll, missing=tuple(left)), ended)


def _written(ports: Ports, roll: RollCall, absences: Sequence[Absence]) -> RollCall:
    ports.ledger.write((), roll, *absences)
    return replace(roll, version=roll.version + 1)


def _came(ports: Ports, entry: Entry, arrival: Arrival, day: date, now: datetime, unread: Report) -> int:
    """Return how many files came on a local day, with all uploads of a key as one; stop at the expected number.

    Markers and manifests do not count as files.
    """
    most = arrival.files
    since, until = stamp(arrival.begins(day)), stamp(now + timedelta(days=1))
    while True:
        received = ports.ledger.received(entry.contract, since, until, most)
        drops = [(drop, _day(arrival, drop)) for drop in received if isinstance(drop, Drop)]
        names = {drop.name for drop, on in drops if on == day}
        files = [name for name in names if entry.signal is None or captures(entry.signal, name) is None]
        if len(files) >= arrival.files or len(received) < most:
            timeless = (f"of drop {drop.id}" for drop, on in drops if on is None)
            for key in (*(name for name in received if isinstance(name, str)), *timeless):
                unread(key)
            return len(files)
        most *= 2


def _day(arrival: Arrival, drop: Drop) -> date | None:
    """The local day on which a drop came; None where a hand has written what is no time."""
    try:
        return arrival.day(uploaded(drop))
    except (ValueError, OverflowError):
        return None
