"""Counts of checks from the facts of one drop: for every rule evaluated = success + failed + null."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from contracts.job import Count, Sample
from contracts.place import Place
from contracts.plan import Columns, Threshold
from spark_jobs.counting import results
from spark_jobs.counting.results import Answer, Facts, ReferenceNotes
from spark_jobs.counting.sums import Sums
from spark_jobs.counting.tally import Tally
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

AT_MOST = Threshold("mustBeLessThan", (Decimal(60),), "percent")
PLAN = a_plan(
    [a_property("id", "integer", required=True), a_property("wind", "number"), a_property("note")],
    [
        a_check("required", "id"),
        a_check("minimum", "wind", value="0"),
        a_check("primaryKey", "id", scope="set"),
        a_check("unique", "wind", scope="set"),
        replace(a_check("nullValues", "note", scope="set"), threshold=AT_MOST),
        a_check("rowCount", scope="set"),
        a_check("max", "wind", scope="set", limits=[]),
        a_check("sql", scope="set", sql="", text="", properties=["id"], limits=[]),
        a_check("forPeople", scope="set"),
    ],
    columns=Columns(missing="ignore"),
)
ROW = [check.id for check in PLAN.row_checks()]
TALLY = Tally(
    total=10,
    sound=9,
    failed=tuple(
        {"record.fields": 1, "id.required": 2, "wind.logicalType": 1, "wind.minimum": 3}.get(c, 0) for c in ROW
    ),
    sums=Sums(null={1: 4, 2: 5}, aggregates={"greatest1": 7.5}),
)
SAMPLE = Sample(Place(3), "-1")


FACTS = Facts.of(
    PLAN,
    TALLY,
    shared={"id.primaryKey": 2, "wind.unique": 2},
    samples={"wind.minimum": (SAMPLE,)},
    worst={"wind.minimum": "-7"},
    answers={"sql": Answer(Decimal(5), "5")},
    expectations={},
    references=ReferenceNotes(),
)


def counted(check_id: str, present: tuple[str, ...] = ("id", "wind", "note")) -> Count:
    """Count one check of the plan."""
    number = [check.id for check in PLAN.checks].index(check_id)
    return results.count(PLAN, number, present, FACTS)


@pytest.mark.parametrize(
    ("check", "evaluated", "failed", "null"),
    [
        ("record.fields", 10, 1, 0),
        ("id.required", 9, 2, 0),
        ("wind.logicalType", 9, 1, 4),
        ("wind.minimum", 9, 3, 5),
        ("id.primaryKey", 9, 4, 0),
        ("wind.unique", 9, 2, 5),
        ("note.nullValues", 9, 5, 0),
        ("rowCount", 10, 10, 0),  # the number that its threshold limits
        ("wind.max", 9, 0, 5),
        ("sql", 9, 0, 0),
    ],
)
def test_records_are_evaluated_failed_or_null(check: str, evaluated: int, failed: int, null: int) -> None:
    count = counted(check)
    assert (count.state, count.evaluated, count.failed, count.null) == ("counted", evaluated, failed, null)


def test_worst_value_share_or_figure_is_observed() -> None:
    assert (counted("wind.minimum").observed, counted("wind.minimum").samples) == ("-7", (SAMPLE,))
    assert counted("note.nullValues").observed == "55.56 %"
    assert (counted("wind.max").observed, counted("wind.max").figure) == ("7.5", Decimal("7.5"))
    assert (counted("sql").observed, counted("sql").figure) == ("5", Decimal(5))


def test_checks_that_cannot_be_made_have_a_reason() -> None:
    assert counted("forPeople").reason == results.FOR_PEOPLE
    assert counted("wind.minimum", ("id", "note")).reason == results.ALLOWED_MISSING
    assert counted("id.required", ("wind",)).reason == "missing-column"
