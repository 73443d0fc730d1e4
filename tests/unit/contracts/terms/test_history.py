"""Figures against earlier ones: exact in percent, and in standard deviations without any root."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from statistics import mean, median, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.plan import HOLDS, OPERATORS, Operator, Threshold
from contracts.terms.history import MIDDLES, WAYS, By, Figure, Middle, Past, Relative

FIGURES = st.lists(st.integers(-1000, 1000), min_size=3, max_size=9)
NEAR = 1e-6


def past(of: Middle, by: By, figures: list[int]) -> Past:
    return Past(Relative(of, len(figures), 3, by), tuple(Figure(Decimal(figure)) for figure in figures))


@given(FIGURES, st.integers(-2000, 2000), st.sampled_from(OPERATORS), st.sampled_from(MIDDLES), st.sampled_from(WAYS))
def test_threshold_is_that_of_the_difference(
    figures: list[int], seen: int, operator: Operator, of: Middle, by: By
) -> None:
    limits = (Decimal(-2), Decimal("1.5")) if "Between" in operator else (Decimal("-0.5"),)
    middle = median(figures) if of == "median" else mean(figures)
    spread = abs(middle) / 100 if by == "percent" else stdev(figures)
    difference = (seen - middle) / spread if spread else (seen > middle) * 1e9 - (seen < middle) * 1e9
    if any(abs(difference - float(limit)) < NEAR for limit in limits):
        return
    expected = HOLDS[operator](difference, float(limits[0]), float(limits[-1]))

    assert Threshold(operator, limits, relative=past(of, by, figures).of).holds_against(
        past(of, by, figures), Figure(Decimal(seen))
    ) is bool(expected)


@pytest.mark.parametrize(
    ("seen", "holds"), [("6000", False), ("6000.001", True), ("18000", False), ("17999.999", True)]
)
def test_limits_are_exact_in_percent(seen: str, holds: bool) -> None:
    threshold = Threshold("mustBeBetween", (Decimal(-50), Decimal(50)))
    assert threshold.holds_against(past("median", "percent", [9, 12000, 90000]), Figure(Decimal(seen))) is holds


def test_limits_are_exact_in_deviations() -> None:
    threshold = Threshold("mustBeLessOrEqualTo", (Decimal(3),))
    earlier = past("mean", "deviations", [8, 10, 12])  # a deviation of 2
    assert [threshold.holds_against(earlier, Figure(Decimal(seen))) for seen in ("16", "16.0000001")] == [True, False]
    assert earlier.ends([Decimal(-3), Decimal(3)]) == (Fraction(4), Fraction(16))


def test_share_is_compared_exactly() -> None:
    earlier = Past(Relative("mean", 2, 2), (Figure(Decimal(1), of=3), Figure(Decimal(1), of=3)))
    same = Threshold("mustBe", (Decimal(0),))
    assert earlier.middle == Fraction(100, 3)
    assert same.holds_against(earlier, Figure(Decimal(2), of=6))
    assert not same.holds_against(earlier, Figure(Decimal(33333333), of=100000000))


@pytest.mark.parametrize("by", WAYS)
def test_every_difference_from_nothing_is_endless(by: By) -> None:
    earlier = past("mean", by, [0, 0, 0])
    near = Threshold("mustBeBetween", (Decimal(-1000), Decimal(1000)))
    assert [near.holds_against(earlier, Figure(Decimal(seen))) for seen in (0, 1)] == [True, False]


def test_weekday_is_that_of_the_zone() -> None:
    sunday_in_utc = datetime(2026, 2, 1, 23, 30, tzinfo=UTC)
    days = [Relative("mean", 1, 1, weekday=True, zone=zone).day_of(sunday_in_utc) for zone in ("UTC", "Europe/Berlin")]
    assert days == [6, 0]
    assert Relative("mean", 1, 1).day_of(sunday_in_utc) is None


def test_history_is_told_in_words() -> None:
    assert past("median", "percent", [1, 2, 3]).words == "the median of the last 3 files"
    monday = Past(Relative("mean", 8, 4, weekday=True), (Figure(Decimal(1)),), 0)
    assert (monday.words, monday.missing) == ("the last Monday", "1 of 4 files accepted on a Monday so far")
