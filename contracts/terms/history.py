"""Checks against history: the figures of earlier files and a figure in; how far it is from them out. Pure, and exact.

A figure is held against the mean or the median of the last accepted files: its difference in percent of that, or in
standard deviations of them. Without enough of them there is no difference, and nothing is judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf
from statistics import median
from typing import Literal, get_args

from contracts import codec
from contracts.values.zones import zone_named

Middle = Literal["mean", "median"]
MIDDLES: tuple[Middle, ...] = get_args(Middle)
By = Literal["percent", "deviations"]
WAYS: tuple[By, ...] = get_args(By)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DIGITS = 15
"""Digits of the square root of a variance in words; no comparison uses it."""


@dataclass(frozen=True, slots=True)
class Relative:
    """The earlier files of a threshold: the `last` ones, at least `least` of them, and what is made `of` them.

    With `weekday` only files that came on the same day of the week, in a zone, count.
    """

    of: Middle
    last: int
    least: int
    by: By = field(default="percent", metadata=codec.SPARSE)
    weekday: bool = field(default=False, metadata=codec.SPARSE)
    zone: str = field(default="UTC", metadata=codec.SPARSE)

    def day(self, moment: datetime) -> date:
        """Return the local day of an upload."""
        return moment.astimezone(zone_named(self.zone)).date()

    def day_of(self, moment: datetime) -> int | None:
        """Return the day of the week of an upload, from Monday (0); None if all days count."""
        return self.day(moment).weekday() if self.weekday else None

    @property
    def words(self) -> str:
        """Return what a figure is held against, in few words."""
        return f"the {self.of} of the last {self.last} {'files of the same weekday' if self.weekday else 'files'}"

    @property
    def unit(self) -> str:
        """Return the unit of a difference, in words."""
        return "%" if self.by == "percent" else "standard deviations"


@dataclass(frozen=True, slots=True)
class Figure:
    """The figure of a check in one file: a value, or a number of records as a share `of` others."""

    value: Decimal
    of: int | None = field(default=None, metadata=codec.SPARSE)

    @property
    def exact(self) -> Fraction:
        """The figure; a share in percent."""
        return Fraction(self.value) if self.of is None else Fraction(self.value) * 100 / (self.of or 1)


@dataclass(frozen=True, slots=True)
class Past:
    """The figures that one file is held against, the newest first, and the day of the week that they are of."""

    of: Relative
    figures: tuple[Figure, ...] = ()
    day: int | None = field(default=None, metadata=codec.SPARSE)

    @property
    def is_enough(self) -> bool:
        """Return True if there are enough figures for a difference."""
        return len(self.figures) >= self.of.least

    @property
    def middle(self) -> Fraction:
        """The mean or the median of the figures, of which there is one at least."""
        each = self._exact
        return sum(each, Fraction(0)) / len(each) if self.of.of == "mean" else Fraction(median(each))

    def difference(self, figure: Figure) -> Difference:
        """Return how far a figure is from the middle of enough others."""
        return Difference(figure.exact - self.middle, self.middle if self.of.by == "percent" else None, self._variance)

    def ends(self, limits: Sequence[Decimal]) -> tuple[Fraction, ...]:
        """Return the figures at limits of a difference; of deviations rounded, for people."""
        if self.of.by == "percent":
            return tuple(self.middle + abs(self.middle) * Fraction(limit) / 100 for limit in limits)
        spread = Decimal(self._variance.numerator) / Decimal(self._variance.denominator)
        return tuple(self.middle + Fraction(spread.sqrt() * limit) for limit in limits)

    @property
    def words(self) -> str:
        """Return what the middle is of, in words: `the median of the last 8 Mondays`."""
        count = len(self.figures)
        what = "file" if self.day is None else WEEKDAYS[self.day]
        return f"the {self.of.of} of the last {count} {what}s" if count > 1 else f"the last {what}"

    @property
    def missing(self) -> str:
        """Return in words how many figures there are of those that are needed."""
        files = "accepted files" if self.day is None else f"files accepted on a {WEEKDAYS[self.day]}"
        return f"{len(self.figures)} of {self.of.least} {files} so far"

    @property
    def _exact(self) -> list[Fraction]:
        return [figure.exact for figure in self.figures]

    @property
    def _variance(self) -> Fraction:
        """The variance of the figures as a sample of all, as that of `stdev`; 0 of a single one."""
        each = self._exact
        mean = sum(each, Fraction(0)) / len(each)
        return sum(((one - mean) ** 2 for one in each), Fraction(0)) / max(1, len(each) - 1)


@dataclass(frozen=True, slots=True)
class Difference:
    """The distance of a figure from the middle of others, to be compared with limits in percent or in deviations.

    In percent it is divided by the middle, else by the root of the variance. A root is not a fraction, so squares are
    compared. Of a middle of 0, or without any variance, every distance is without end.
    """

    distance: Fraction
    middle: Fraction | None
    variance: Fraction

    def compared(self, limit: Decimal) -> int:
        """Return -1, 0 or 1: the difference is below a limit, at it, or above it."""
        if self.middle is not None:
            seen = 100 * self.distance / abs(self.middle) if self.middle else _endless(self.distance)
            return _sign(seen, Fraction(limit))
        if not self.variance:
            return _sign(_endless(self.distance), Fraction(limit))
        wanted = Fraction(limit)
        return _sign(self.distance * abs(self.distance), wanted * abs(wanted) * self.variance)


def _endless(distance: Fraction) -> Fraction | float:
    return inf if distance > 0 else -inf if distance < 0 else Fraction(0)


def _sign(one: Fraction | float, other: Fraction) -> int:
    return (one > other) - (one < other)


NO_HISTORY: Mapping[str, Past] = {}
"""The history of a file that is judged without any."""
