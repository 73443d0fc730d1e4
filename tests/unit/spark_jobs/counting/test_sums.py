"""Totals of columns as fields: each total comes back under the property or the check that it counts."""

from __future__ import annotations

from contracts.plan import Csv
from spark_jobs.counting import sums
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

PLAN = a_plan(
    [a_property("id", "integer"), a_property("name"), a_property("wind", "number")],
    [
        a_check("required", "id"),
        a_check("maxLength", "name", value=2),
        a_check("primaryKey", scope="set", properties=["id", "name"]),
        a_check("sum", "wind", scope="set", limits=["at least 0"]),
        a_check("nullValues", "wind", scope="set"),
    ],
    Csv(encoding="iso-8859-1", mojibake="warn"),
)


def test_totals_come_back_under_what_they_count() -> None:
    columns = sums.columns(PLAN)
    totals = sums.of_totals(columns, range(100, 100 + len(columns)))
    by_name = {column.name: 100 + at for at, column in enumerate(columns)}
    key = next(k for k, check in enumerate(PLAN.checks) if check.kind == "primaryKey")

    assert totals.null == {1: by_name["null1"], 2: by_name["null2"]}
    assert (totals.keyless, totals.unkeyed) == ({key: by_name[f"keyless{key}"]}, {key: by_name[f"unkeyed{key}"]})
    assert (totals.utf8, totals.ansi) == (by_name["utf8"], by_name["ansi"])
    assert totals.aggregates == {"sum2": by_name["sum2"], "rest2": by_name["rest2"]}


def test_total_of_nothing_is_zero() -> None:
    columns = sums.columns(PLAN)
    totals = sums.of_totals(columns, [None] * len(columns))

    assert (totals.null, totals.utf8, totals.ansi) == ({1: 0, 2: 0}, 0, 0)


def test_only_plans_of_plain_row_checks_have_null_counts_alone() -> None:
    plain = a_plan([a_property("id", "integer"), a_property("name")], [a_check("maxLength", "name", value=2)])

    assert sums.properties_with_null_counts(plain) == ["id", "name"]
    assert sums.properties_with_null_counts(PLAN) is None
