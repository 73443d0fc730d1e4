"""The totals of a manifest, compared with the file: the verdict names both figures."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from contracts import rules
from contracts.decision import Decision
from contracts.job import Count, JobDrop
from contracts.plan import RECORD_CHECKS, Check, Limit, Plan, Property
from contracts.terms.file_sets import Totals
from contracts.verdict import decide
from tests.builders import a_plan, all_good

PLAN = a_plan(properties=(Property("id", "string"), Property("n", "number"), Property("pay", "number")))
SECRET = replace(PLAN, properties=(*PLAN.properties[:2], Property("pay", "number", classification="internal")))
DROP = JobDrop("d" * 32, 1, "s3://internal/stage/d/1.csv", "orders/1.csv", 12, ("id", "n", "pay"), "id,n,pay")
SUMS = {"n": Decimal("1.50"), "pay": Decimal(7)}


def decided(
    totals: Totals | None, sums: dict[str, Decimal] | None = SUMS, plan: Plan = PLAN, **changes: Any
) -> Decision:
    """The decision on three good records, but for what is changed."""
    decision = replace(all_good(plan, DROP), totals=totals, sums=sums, **changes)
    return decide(plan, decision, tuple(c.id for c in plan.checks))


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
    decision = decided(totals)

    assert (decision.verdict, [p.message for p in decision.problems]) == ("rejected", [message])


def test_sum_of_a_classified_property_is_not_shown() -> None:
    (problem,) = decided(Totals(sums={"pay": Decimal(8)}), plan=SECRET).problems

    assert problem.message == "The sum of `pay` is another than its manifest says; the property is classified."


@pytest.mark.parametrize(
    ("rough", "total", "verdict"),
    [
        (("n",), "1000000000000", "accepted"),
        (("n",), "1000000000001.9", "rejected"),
        (("n",), "999999999999.5", "accepted"),
        (("pay",), "1000000000000", "rejected"),
        ((), "1000000000000", "rejected"),
    ],
)
def test_sum_of_doubles_may_be_another_in_its_last_digits(rough: tuple[str, ...], total: str, verdict: str) -> None:
    decision = decided(Totals(sums={"n": Decimal(total)}), {"n": Decimal("1000000000000.5")}, rough=rough)

    assert decision.verdict == verdict


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (PLAN, "The sum of `pay` is too large to be added up; its manifest says 7."),
        (SECRET, "The sum of `pay` is too large to be added up."),
    ],
)
def test_sum_that_is_too_large_is_of_the_data(plan: Plan, text: str) -> None:
    decision = decided(Totals(sums={"pay": Decimal(7)}), {"n": Decimal(1)}, plan, endless=("pay",))

    assert (decision.verdict, [(p.code, p.message) for p in decision.problems]) == ("rejected", [("sum-differs", text)])


def test_sum_too_large_that_nobody_says_is_not_compared() -> None:
    assert decided(Totals(3), {"n": Decimal(1)}, endless=("pay",)).verdict == "accepted"


def test_long_sums_are_shown_in_short() -> None:
    (problem,) = decided(Totals(sums={"n": Decimal(1)}), {"n": Decimal("-1.23456789012345678e300")}).problems

    assert problem.message == "The sum of `n` is -1.23456789012346E+300; its manifest says 1."


@pytest.mark.parametrize(
    ("failing", "note"),
    [
        ({"record.fields": 2}, " Malformed records were not added."),
        ({"n.logicalType": 1}, " Values that are no numbers were not added."),
        ({"record.text": 1, "n.logicalType": 1}, " Malformed records and values that are no numbers were not added."),
        ({"pay.logicalType": 1}, ""),
    ],
)
def test_sum_that_differs_says_what_was_not_added(failing: dict[str, int], note: str) -> None:
    types = [
        Check(f"{name}.logicalType", rules.LogicalType(), "row", "error", "conformity", "number", name)
        for name in ("n", "pay")
    ]
    checks = (*RECORD_CHECKS, *types)
    plan = replace(PLAN, checks=checks, tolerance=Limit(Decimal(3), "rows"))
    rows = sum(failing.values())
    counts = tuple(Count(3, failing.get(c.id, 0)) for c in checks)
    ids = [c.id for c in plan.row_checks()]
    masks = tuple((f"{1 << ids.index(name):x}", n) for name, n in failing.items())
    decision = decided(
        Totals(sums={"n": Decimal(8)}), plan=plan, counts=counts, masks=masks, valid=3 - rows, rejected=rows
    )

    assert [p.message for p in decision.problems if p.code == "sum-differs"] == [
        f"The sum of `n` is 1.50; its manifest says 8.{note}"
    ]


@pytest.mark.parametrize("sums", [None, {"n": Decimal("1.5")}])
def test_sum_that_nobody_added_up_is_ours(sums: dict[str, Decimal] | None) -> None:
    decision = decided(Totals(sums={"pay": Decimal(7)}), sums)

    assert (decision.verdict, decision.failure and decision.failure.code) == (None, "sum-missing")
