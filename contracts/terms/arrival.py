"""Arrival windows: a contract's window and a moment in; the local day, and whether it is early or late, out.

Pure. A time of day that the clocks skip counts as if they had not been changed. If a time of day comes twice, a window
begins with the first and ends with the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, get_args

from contracts.values.zones import zone_named

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
Outside = Literal["early", "late", "other-day"]
MIDNIGHT, END = "00:00", "24:00"


@dataclass(frozen=True, slots=True)
class Arrival:
    """The days, start and end (local times of `zone`, `HH:MM`) of a window, and the number of files expected in it.

    `outside` decides about a file that comes at another time. An upload in the very second of `by` is in time.
    """

    by: str
    since: str = MIDNIGHT
    days: tuple[Weekday, ...] = WEEKDAYS
    zone: str = "UTC"
    files: int = 1
    outside: Literal["warn", "reject"] = "warn"

    def local(self, moment: datetime) -> datetime:
        """Return a moment in local time."""
        return moment.astimezone(zone_named(self.zone))

    def moment(self, local: datetime) -> datetime:
        """Return the moment in UTC of a local time without a zone; the first one if the time comes twice."""
        return local.replace(tzinfo=zone_named(self.zone)).astimezone(UTC)

    def day(self, moment: datetime) -> date:
        """Return the local day of a moment."""
        return self.local(moment).date()

    def expects(self, day: date) -> bool:
        """Return True if files are expected on that day."""
        return WEEKDAYS[day.weekday()] in self.days

    def opens(self, day: date) -> datetime:
        """Return when the window of a day opens, in UTC."""
        return self._moment(day, self.since)

    def closes(self, day: date) -> datetime:
        """Return when the window of a day closes, in UTC."""
        return max(self._moment(day, self.by), self._moment(day, self.by, second=True))

    def begins(self, day: date) -> datetime:
        """Return when a day begins, in UTC."""
        return self._moment(day, MIDNIGHT)

    def outside_of(self, moment: datetime) -> Outside | None:
        """Return how an upload at that moment misses the window; None if it is within."""
        second, day = moment.replace(microsecond=0), self.day(moment)
        if not self.expects(day):
            return "other-day"
        return "early" if second < self.opens(day) else "late" if second > self.closes(day) else None

    def deadlines(self, after: datetime, until: datetime) -> Iterator[tuple[date, datetime]]:
        """Yield the days whose windows end after a moment and up to another, each with its end; oldest first."""
        day = self.day(after) - timedelta(days=1)
        while self.begins(day) <= until:
            if self.expects(day) and after < (end := self.closes(day)) <= until:
                yield day, end
            day += timedelta(days=1)

    def _moment(self, day: date, at: str, *, second: bool = False) -> datetime:
        """Return a local time in UTC; a time that the clocks skip counts as if they had not been changed yet."""
        days, at = (1, MIDNIGHT) if at == END else (0, at)
        local = datetime.combine(day + timedelta(days=days), time.fromisoformat(at), zone_named(self.zone))
        return local.replace(fold=int(second)).astimezone(UTC)
