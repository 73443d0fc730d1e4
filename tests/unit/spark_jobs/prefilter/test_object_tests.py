"""The prefilter of JSON Lines against the oracle: its counts and masks are right, and plain lines are certain."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.plan import Plan, Property
from contracts.terms.value_form import ValueForm
from spark_jobs.prefilter import plan_tests
from tests.integration.spark_jobs.world import a_check, a_plan, a_property
from tests.oracle import provable_objects
from tests.oracle.provable import Made
from tests.unit.spark_jobs.prefilter.test_arrow_tests import Counted, Line, hold, of, prefiltered


@st.composite
def cases(draw: st.DrawFn) -> tuple[Made, list[Line]]:
    """Draw a contract, and lines in several stretches of files."""
    made = draw(provable_objects.contracts())
    texts = draw(st.lists(provable_objects.lines(made), min_size=1, max_size=12))
    places = draw(st.lists(st.sampled_from([("a", 0), ("a", 64), ("b", 0)]), min_size=len(texts), max_size=len(texts)))
    placed = zip(sorted(places), texts, strict=True)
    return made, [Line(place, n * 3 + 1 if text else None, text) for n, (place, text) in enumerate(placed)]


@given(cases())
@settings(derandomize=True, max_examples=60)
def test_counts_and_masks_of_objects_are_those_of_the_oracle(case: tuple[Made, list[Line]]) -> None:
    hold(*case)


@given(cases())
@settings(derandomize=True, max_examples=1_000)
def test_counts_and_masks_of_many_objects_are_those_of_the_oracle(case: tuple[Made, list[Line]]) -> None:
    hold(*case)


PROPS = (
    a_property("id", "integer"),
    a_property("price", "number", exact=(5, 2)),
    a_property("wind", "number"),
    a_property("day", "date"),
    a_property("open", "boolean"),
    a_property("note"),
)
CHECKS = (
    a_check("required", "id"),
    a_check("minimum", "id", value="0"),
    a_check("maximum", "price", value="99.50"),
    a_check("maximum", "wind", value="1e3"),
    a_check("minimum", "day", value="2024-01-01"),
    a_check("maxLength", "note", value=2),
)
PLAN = a_plan(PROPS, CHECKS, file_format="jsonl")
GOOD = {"id": 1, "price": 1.5, "wind": 0.5, "day": "2024-01-31", "open": True, "note": "é"}


def a_line(**members: object) -> str:
    """Write an object with some other members."""
    return json.dumps({**GOOD, **members}, ensure_ascii=False)


def judged(plan: Plan, *lines: str) -> tuple[dict[Line, int | None], list[Counted]]:
    """Evaluate lines of a plan."""
    condition = plan_tests.pass_condition(plan, tuple(p.name for p in plan.properties), ())
    assert condition
    return prefiltered(of(*lines), condition)


def test_plain_objects_pass_with_keys_left_out_and_with_any_usual_number() -> None:
    lines = [a_line(), a_line(price=99.5, wind=1e-5), a_line(note=None, open=None), '{"id":7}', '{"id":-0}']

    assert judged(PLAN, *lines) == ({}, [Counted(("a", 0), 5, 1, (2, 2, 2, 3, 3))])


@pytest.mark.parametrize(
    ("rule", "members"),
    [
        (0, {"id": None}),
        (1, {"id": -1}),
        (2, {"price": 99.51}),
        (3, {"wind": 1e4}),
        (4, {"day": "2023-12-31"}),
        (5, {"note": "abc"}),
    ],
)
def test_objects_that_fail_a_check_are_sure(rule: int, members: dict[str, object]) -> None:
    checks = [check.id for check in PLAN.row_checks()]
    others, (counted,) = judged(PLAN, a_line(**members))

    assert list(others.values()) == [1 << checks.index(CHECKS[rule].id)]
    assert (counted.n, counted.failing) == (0, 1)


@pytest.mark.parametrize(
    "line",
    [
        a_line(id=1.5),
        a_line(id=10**18),
        a_line(price=1.234),
        a_line(price=1000),
        a_line(open="true"),
        a_line(day="2024-02-30"),
        a_line(more=1),
        a_line(note="a\nb"),
        a_line(id=[1]),
        a_line() + " ",
        a_line()[:-1],
        a_line()[:-1] + ",}",
        a_line().replace(", ", " ", 1),
        a_line() + a_line(),
        '{"price":1,"id":1}',
        '{"id":1,"id":1}',
        '{"id":01}',
        "{}",
        "[]",
        a_line(note="x" * 20_000),
    ],
)
def test_any_other_line_is_left_to_spark_and_its_neighbours_are_not(line: str) -> None:
    others, (counted,) = judged(PLAN, a_line(), line, a_line())

    assert others == {Line(("a", 0), 2, line): None}
    assert (counted.n, counted.odd) == (2, 1)


@pytest.mark.parametrize(
    "other",
    [
        a_property("x", "number", form=ValueForm(decimal=",")),
        a_property("x", "object"),
        a_property("x", "array"),
        a_property("x", "integer", exact=(2, 2)),
        a_property('x"y'),
    ],
)
def test_plans_that_no_pattern_tells_have_no_condition(other: Property) -> None:
    plan = replace(PLAN, properties=(*PROPS, other))

    assert plan_tests.pass_condition(plan, tuple(p.name for p in plan.properties), ()) is None
