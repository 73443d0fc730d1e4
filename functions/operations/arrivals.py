"""Arrivals of a contract: its drops, its missing files and its window in; days and files to come out. Pure."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from contracts.terms.arrival import Arrival
from functions.drop import OPEN, PROMOTED, Drop
from functions.ports.clock import moment_if_any, stamp
from functions.ports.expected_files import Absence

DayState = Literal[
    "arrived", "late", "missing", "rejected", "failed", "partly rejected", "under way", "nothing expected", "to come"
]


@dataclass(frozen=True, slots=True)
class ArrivalDay:
    """A day of the window's zone: the files that came, those that consumers have, and how the day stands."""

    day: date
    state: DayState
    files: int
    promoted: int
    rejected: int
    due_at: str | None


@dataclass(frozen=True, slots=True)
class Awaited:
    """Files of a contract that are to come today: `came` of `files` have, and their window ends at `due_at`."""

    contract: str
    day: date
    files: int
    came: int
    due_at: str


def due_today(arrival: Arrival, now: datetime) -> datetime | None:
    """Return the end of today's window; None if no file is expected today, or the window is over."""
    day = arrival.day(now)
    due = arrival.closes(day)
    return due if arrival.expects(day) and now <= due else None


def awaited(contract: str, arrival: Arrival, uploads: Iterable[tuple[str, str]], now: datetime) -> Awaited | None:
    """Return the files of today whose window is not over yet; None if none is to come.

    `uploads` are the keys that came, each with its time. A key counts once, as in the search for missing files.
    """
    day, due = arrival.day(now), due_today(arrival, now)
    if due is None:
        return None
    came = len({key for key, at in uploads if (moment := moment_if_any(at)) and arrival.day(moment) == day})
    return None if came >= arrival.files else Awaited(contract, day, arrival.files, came, stamp(due))


def arrival_days(
    month: str, arrival: Arrival | None, drops: Iterable[Drop], absences: Iterable[Absence], now: datetime
) -> list[ArrivalDay]:
    """Return each day of a month YYYY-MM; without a window nothing is expected, and no file is late."""
    came: dict[date, Counter[str]] = {}
    for drop in drops:
        at = moment_if_any(drop.uploaded_at or drop.received_at)
        if at and drop.state not in ("superseded", "vanished", "noted"):
            came.setdefault(arrival.day(at) if arrival else at.astimezone(UTC).date(), Counter())[_kind(drop)] += 1
    absent = {absence.day: absence for absence in absences}
    today = arrival.day(now) if arrival else now.date()
    year, number = int(month[:4]), int(month[5:])
    days = [date(year, number, day) for day in range(1, monthrange(year, number)[1] + 1)]
    return [_day(day, came.get(day, Counter()), absent.get(day.isoformat()), arrival, today) for day in days]


def _day(day: date, kinds: Counter[str], absence: Absence | None, arrival: Arrival | None, today: date) -> ArrivalDay:
    counts = {"files": kinds.total(), "promoted": kinds["promoted"], "rejected": kinds["rejected"]}
    is_due = arrival is not None and arrival.expects(day)
    return ArrivalDay(
        day, _state(kinds, absence, is_due, day >= today), **counts, due_at=absence.due_at if absence else None
    )


def _state(kinds: Counter[str], absence: Absence | None, is_due: bool, is_open: bool) -> DayState:
    if absence:
        return "missing" if absence.state == "missing" else "late"
    if kinds["rejected"]:
        return "partly rejected" if kinds["promoted"] else "rejected"
    if kinds["open"]:
        return "under way"
    if kinds["failed"]:
        return "failed"
    if kinds["promoted"]:
        return "arrived"
    return "to come" if is_due and is_open else "nothing expected"


def _kind(drop: Drop) -> str:
    if drop.state in PROMOTED:
        return "promoted"
    return "open" if drop.state in OPEN else "failed" if drop.state == "failed" else "rejected"
