"""Lengths of time, and periods of the calendar: a moment and a zone in; the moment so long before, or its period, out.

Pure. Days, weeks, months and years of periods are local; those of minutes and hours are counted from 1970 in UTC. As a
length, a day has 24 hours, and a month ends on the same day of the next one, or on its last.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Literal, get_args

from contracts.terms.arrival import END
from contracts.values.zones import zone_named

Unit = Literal["s", "min", "h", "d", "w", "mo", "y"]
UNITS: tuple[Unit, ...] = get_args(Unit)
SECONDS: dict[Unit, int] = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}
"""The length of each unit that has one."""
ABOUT: dict[Unit, int] = {**SECONDS, "mo": 2629746, "y": 31556952}
"""The mean length of each unit, in seconds."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def zone_of(name: str) -> tzinfo:
    """Return a zone by its name, or by its offset as `-08:00`."""
    if name[0] not in "+-":
        return zone_named(name)
    offset = timedelta(hours=int(name[1:3]), minutes=int(name[4:6]))
    return timezone(-offset if name[0] == "-" else offset)


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time; a number of months or years is whole."""

    count: Decimal
    unit: Unit

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"{self.count.normalize():f} {self.unit}"

    @property
    def about(self) -> Decimal:
        """Return its mean length in seconds."""
        return self.count * ABOUT[self.unit]

    def before(self, moment: datetime, zone: tzinfo) -> datetime:
        """Return the moment that is so much earlier, in UTC."""
        return self._from(moment, zone, -1)

    def after(self, moment: datetime, zone: tzinfo) -> datetime:
        """Return the moment that is so much later, in UTC."""
        return self._from(moment, zone, 1)

    def _from(self, moment: datetime, zone: tzinfo, sign: int) -> datetime:
        if self.unit in SECONDS:
            return moment + sign * timedelta(microseconds=int(self.count * SECONDS[self.unit] * 1_000_000))
        local = moment.astimezone(zone)
        months = sign * int(self.count) * (12 if self.unit == "y" else 1)
        year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
        day = min(local.day, monthrange(year, month + 1)[1])
        return local.replace(year=year, month=month + 1, day=day).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Period:
    """A part of time, from a moment on and up to another, both in UTC."""

    begin: datetime
    end: datetime

    @classmethod
    def of(cls, moment: datetime, span: Span, zone: tzinfo) -> Period:
        """Return the period of a moment among the periods of that length, which is a whole number of units."""
        count = int(span.count)
        if span.unit in ("s", "min", "h"):
            length = timedelta(seconds=count * SECONDS[span.unit])
            begin = EPOCH + (moment - EPOCH) // length * length
            return cls(begin, begin + length)
        day = moment.astimezone(zone).date()
        if span.unit in ("d", "w"):
            length = timedelta(days=count * (7 if span.unit == "w" else 1))
            first = MONDAY + (day - MONDAY) // length * length
            return cls(_midnight(first, zone), _midnight(first + length, zone))
        months = count * (12 if span.unit == "y" else 1)
        number = (day.year * 12 + day.month - 1) // months * months
        return cls(_midnight(_first_of(number), zone), _midnight(_first_of(number + months), zone))

    def holds(self, moment: datetime) -> bool:
        """Return True if a moment is in the period."""
        return self.begin <= moment < self.end

    def with_days_before(self, days: int, zone: tzinfo) -> Period:
        """Return a period of local days together with so many days before it."""
        first = self.begin.astimezone(zone).date() - timedelta(days=days)
        return Period(_midnight(first, zone), self.end)

    @property
    def last_fifth(self) -> datetime:
        """Return when four fifths of it are over."""
        return self.end - (self.end - self.begin) / 5


MONDAY = date(1970, 1, 5)
"""The day from which periods of days and weeks are counted."""


def days_in(period: Period, zone: tzinfo) -> Iterator[date]:
    """Yield the local days that begin in a period."""
    day = period.begin.astimezone(zone).date()
    while (begin := _midnight(day, zone)) < period.end:
        if begin >= period.begin:
            yield day
        day += timedelta(days=1)


def moment_of(day: date, at: str, zone: tzinfo) -> datetime:
    """Return a time of a local day in UTC: the later one if it comes twice, as if clocks had not skipped it."""
    if at == END:
        return _midnight(day + timedelta(days=1), zone)
    local = datetime.combine(day, time.fromisoformat(at), zone)
    return max(local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))


def _first_of(number: int) -> date:
    """Return the first day of a month, by its number since the year 0."""
    return date(number // 12, number % 12 + 1, 1)


def _midnight(day: date, zone: tzinfo) -> datetime:
    """Return when a local day begins, in UTC; if the clocks skip midnight, with the time that they go on with."""
    return datetime.combine(day, time(), zone).astimezone(UTC)
