"""Counts by a narrowed plan are counts by the whole plan, check by check and column by column."""

from __future__ import annotations

from contracts.plan import Plan
from spark_jobs.counting import bitmask, sums
from spark_jobs.counting.narrowing import Narrowing
from spark_jobs.counting.tally import add_up
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

NAMES = [f"c{n}" for n in range(90)]
PLAN = a_plan(
    [a_property(name, "integer") for name in NAMES],
    [*(a_check("minimum", name, value="0") for name in NAMES), a_check("unique", "c3", "set")],
)


def narrowed(*names: str) -> Narrowing:
    return Narrowing.of(PLAN, names)


def bit(plan: Plan, check: str) -> int:
    return [c.id for c in plan.row_checks()].index(check)


def test_plan_keeps_the_checks_of_records_and_of_its_columns() -> None:
    of_two = narrowed("c3", "c80")

    assert [prop.name for prop in of_two.plan.properties] == ["c3", "c80"]
    kept = ["c3.logicalType", "c80.logicalType", "c3.minimum", "c80.minimum", "c3.unique"]
    assert [check.id for check in of_two.plan.checks] == ["record.fields", "record.quotes", "record.text", *kept]
    assert not of_two.is_whole
    assert not narrowed().plan.properties


def test_plan_of_all_columns_is_the_whole_plan() -> None:
    for every in (Narrowing.of(PLAN, None), narrowed(*NAMES)):
        assert every.plan is PLAN
        assert every.row(["f", 1, 2]) == ["f", 1, 2]
        assert every.mask("m1") == "m1"


def test_counts_become_those_of_the_whole_plan() -> None:
    of_two = narrowed("c3", "c80")
    fails = 1 << bit(of_two.plan, "record.fields") | 1 << bit(of_two.plan, "c80.minimum")
    row = ["f", *bitmask.split(fails, len(bitmask.mask_columns(of_two.plan))), 7, 2, 5]
    counts, unjudged = add_up(PLAN, [], [of_two.row(row), of_two.row(["g", None, 3, None, None])])

    failed = {check.id: n for check, n in zip(PLAN.row_checks(), counts["f"].failed, strict=True) if n}
    assert failed == {"record.fields": 7, "c80.minimum": 7}
    assert {n: null for n, null in counts["f"].sums.null.items() if null} == {3: 2, 80: 5}
    assert unjudged == {"g": 3}


def test_masks_become_those_of_the_whole_plan() -> None:
    of_two = narrowed("c3", "c80")
    own, whole = bit(of_two.plan, "c80.minimum"), bit(PLAN, "c80.minimum")
    column, place = divmod(whole, bitmask.WIDTH)

    assert f"if((m0 & {1 << own}L) != 0, {1 << place}L, 0L)" in of_two.mask(f"m{column}")
    assert narrowed("c3").mask("m2") == "0L"
    assert len(sums.columns(of_two.plan)) == 2
