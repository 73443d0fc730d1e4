"""What a manifest says of a file, held against what was read: the verdict names both figures."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from contracts.job import JobDrop
from contracts.plan import Plan, Property
from contracts.sets import Totals
from contracts.verdict import Decision, decide
from tests.builders import a_plan, all_good

PLAN = a_plan(properties=(Property("id", "string"), Property("n", "number"), Property("pay", "number")))
SECRET = replace(PLAN, properties=(*PLAN.properties[:2], Property("pay", "number", classification="internal")))
DROP = JobDrop("d" * 32, 1, "s3://internal/stage/d/1.csv", "orders/1.csv", 12, ("id", "n", "pay"), "id,n,pay")
SUMS = {"n": Decimal("1.50"), "pay": Decimal(7)}


def decided(totals: Totals | None, sums: dict[str, Decimal] | None = SUMS, plan: Plan = PLAN) -> Decision:
    """The decision on three good records."""
    found = replace(all_good(plan, DROP), totals=totals, sums=sums)
    return decide(plan, found, tuple(c.id for c in plan.checks))


@pytest.mark.parametrize(
    "totals", [None, Totals(), Totals(3), Totals(3, {"n": Decimal("1.5"), "pay": Decimal("7.00")}), Totals(sums=SUMS)]
)
def test_totals_that_agree_say_nothing(totals: Totals | None) -> None:
    assert decided(totals).verdict == "accepted"
    assert decided(totals).problems == ()


@pytest.mark.parametrize(
    ("totals", "message"),
    [
        (Totals(0), "The file has 3 records; its manifest says 0."),
        (Totals(1200), "The file has 3 records; its manifest says 1,200."),
        (Totals(3, {"n": Decimal("1.51")}), "The sum of `n` is 1.50; its manifest says 1.51."),
    ],
)
def test_totals_that_differ_reject_with_both_figures(totals: Totals, message: str) -> None:
    found = decided(totals)

    assert (found.verdict, [p.message for p in found.problems]) == ("rejected", [message])


def test_sum_of_a_classified_property_is_not_shown() -> None:
    (problem,) = decided(Totals(sums={"pay": Decimal(8)}), plan=SECRET).problems

    assert problem.message == "The sum of `pay` is another than its manifest says; the property is classified."


@pytest.mark.parametrize("sums", [None, {"n": Decimal("1.5")}])
def test_sum_that_nobody_added_up_is_ours(sums: dict[str, Decimal] | None) -> None:
    found = decided(Totals(sums={"pay": Decimal(7)}), sums)

    assert (found.verdict, found.failure and found.failure.code) == (None, "sum-missing")
