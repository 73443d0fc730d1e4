"""Trailers: their totals are read from cells and compared with the file; the verdict names both figures."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from contracts import codec
from contracts.decision import Decision
from contracts.job import DropResult, JobDrop
from contracts.place import Place
from contracts.plan import Csv, Plan, Property
from contracts.terms.file_sets import Totals
from contracts.terms.trailer import Trailer, TrailerReading, Unread, reading_of, totals_of
from contracts.terms.value_form import ValueForm
from contracts.verdict import decide
from tests.builders import a_plan, all_good

RULE = Trailer("T", 2, {"n": 4})
PLAN = a_plan(properties=(Property("id", "string"), Property("n", "number")), csv=Csv(trailer=RULE))
SECRET = replace(PLAN, properties=(PLAN.properties[0], Property("n", "number", classification="internal")))
DROP = JobDrop("d" * 32, 1, "s3://internal/stage/d/1.csv", "orders/1.csv", 12, ("id", "n"), "id,n")


def decided(ending: TrailerReading | None, plan: Plan = PLAN, **changes: Any) -> Decision:
    """Return the decision on three good records."""
    facts = replace(all_good(plan, DROP), ending=ending, **{"sums": {"n": Decimal("1.50")}, **changes})
    return decide(plan, facts, tuple(c.id for c in plan.checks))


def test_trailer_that_agrees_says_nothing() -> None:
    decision = decided(TrailerReading(("T", "003", "any", "+1.5")))

    assert (decision.verdict, decision.problems) == ("accepted", ())


@pytest.mark.parametrize(
    ("cells", "code", "message"),
    [
        (("T", "1200", "", "1.5"), "rows-differ", "The file has 3 records; its trailer says 1,200."),
        (("T", "3", "", "1.51"), "sum-differs", "The sum of `n` is 1.50; its trailer says 1.51."),
        (("T", "3"), "bad-trailer", "The trailer has no cell 4, which says the sum of `n`."),
        (("T",), "bad-trailer", "The trailer has no cell 2, which says the number of records."),
        (
            ("T", "-3", "", "1.5"),
            "bad-trailer",
            "Cell 2 of the trailer, the number of records, is `-3`, which is none.",
        ),
        (("T", "3", "", "1e1"), "bad-trailer", "Cell 4 of the trailer, the sum of `n`, is `1e1`, which is none."),
        (("T", "3", "", "1" * 61), "bad-trailer", None),
        (None, "trailer-missing", "The file does not end with its trailer, a record whose first cell is `T`."),
    ],
)
def test_trailer_that_differs_rejects(cells: tuple[str, ...] | None, code: str, message: str | None) -> None:
    decision = decided(TrailerReading(cells))

    assert (decision.verdict, decision.problems[0].code) == ("rejected", code)
    assert message in (None, decision.problems[0].message)
    assert "ask for the file" in decision.problems[0].fix or code not in ("rows-differ", "sum-differs")


def test_result_without_a_word_of_the_trailer_rejects() -> None:
    assert [p.code for p in decided(None).problems] == ["trailer-missing"]


@pytest.mark.parametrize("rule", [RULE, Trailer("T")])
@pytest.mark.parametrize(
    ("why", "word"), [("long", "longer than 100,000 characters"), ("bytes", "not text"), ("quotes", "never closed")]
)
def test_trailer_that_is_not_read_says_why(rule: Trailer, why: Unread, word: str) -> None:
    """Also a trailer without agreed figures, whose content is unknown."""
    (fault,) = decided(reading_of(rule, why), replace(PLAN, csv=Csv(trailer=rule))).problems

    assert (fault.code, word in fault.message, "digits" in fault.fix) == (
        "bad-trailer",
        True,
        False,
    )


def test_file_with_its_trailer_before_the_end_was_not_cut_short() -> None:
    early, missing = decided(TrailerReading(None, early=2)).problems

    assert (early.code, missing.code) == ("trailer-early", "trailer-missing")
    assert missing.message == "The file does not end with its trailer: its last record begins otherwise."
    assert "cut short" not in missing.fix


def test_long_beginning_of_a_trailer_is_cut_in_messages() -> None:
    rule = Trailer("T" * 100)
    plan = replace(PLAN, csv=Csv(trailer=rule))
    problems = [*decided(TrailerReading(), plan).problems, *decided(TrailerReading(None, early=2), plan).problems]

    assert [p.code for p in problems] == ["trailer-missing", "trailer-early", "trailer-missing"]
    assert not any("T" * 40 in p.message for p in problems)


def test_another_record_like_the_trailer_rejects() -> None:
    decision = decided(TrailerReading(("T", "3", "", "1.5"), early=2))

    assert (decision.verdict, [(p.code, p.place) for p in decision.problems]) == (
        "rejected",
        [("trailer-early", Place(2))],
    )


def test_classified_figures_are_not_shown() -> None:
    differs = decided(TrailerReading(("T", "3", "", "8")), SECRET).problems
    unreadable = decided(TrailerReading(("T", "3", "", "8,5")), SECRET).problems

    assert differs[0].message == "The sum of `n` is another than its trailer says; the property is classified."
    assert unreadable[0].message == "Cell 4 of the trailer, the sum of `n`, is no number."


def test_manifest_and_trailer_are_both_compared() -> None:
    decision = decided(TrailerReading(("T", "4", "", "1.5")), totals=Totals(5))

    assert [p.message for p in decision.problems] == [
        "The file has 3 records; its manifest says 5.",
        "The file has 3 records; its trailer says 4.",
    ]


def test_sum_of_a_trailer_that_nobody_added_up_is_ours() -> None:
    decision = decided(TrailerReading(("T", "3", "", "1.5")), sums={})

    assert (decision.verdict, decision.failure and decision.failure.code) == (None, "sum-missing")


def test_trailer_may_say_nothing_but_that_it_is_there() -> None:
    assert totals_of(Trailer("T"), TrailerReading(("T",))) == Totals()


def test_no_more_of_a_trailer_is_kept_than_is_compared() -> None:
    assert reading_of(RULE, ("T", "9" * 99, "x", "1", "2")) == TrailerReading(("T", "9" * 61, "x", "1"))
    assert reading_of(Trailer("T"), ("T", "secret"), 7) == TrailerReading(("T",), 7)
    assert reading_of(RULE, None, 7) == TrailerReading(None, 7)
    assert reading_of(RULE, "quotes") == TrailerReading((), None, "quotes")


def test_facts_bring_the_trailer_along() -> None:
    for ending in (TrailerReading(("T", "3"), 7), TrailerReading((), None, "long")):
        facts = DropResult("d", 1, ending=ending)
        assert codec.loads(DropResult, codec.canonical(facts), "facts") == facts
    assert codec.loads(Plan, codec.canonical(PLAN), "plan") == PLAN


@pytest.mark.parametrize(
    ("promote", "trailer", "rejected", "whole"),
    [
        ("object", RULE, 1, True),
        ("rows", None, 0, True),
        ("rows", None, 1, False),
        ("rows", RULE, 0, False),
        ("table", None, 0, False),
    ],
)
def test_file_goes_as_it_came_or_without_its_trailer(
    promote: str, trailer: Trailer | None, rejected: int, whole: bool
) -> None:
    plan = a_plan(promote=promote, csv=Csv(trailer=trailer))

    assert plan.goes_whole(rejected) == whole


FORMED = replace(
    PLAN,
    properties=(
        PLAN.properties[0],
        Property("n", "number", form=ValueForm(trim=True, decimal=",", group=".", negatives=("trailing",))),
    ),
)


@pytest.mark.parametrize("cell", ["1234,5", "1.234,50", " 1.234,5 ", "+1234,5"])
def test_sum_is_written_as_its_property_is(cell: str) -> None:
    decision = decided(TrailerReading(("T", "3", "", cell)), FORMED, sums={"n": Decimal("1234.50")})
    assert (decision.verdict, decision.problems) == ("accepted", ())


@pytest.mark.parametrize(("cell", "total"), [("5,5-", "-5.5"), ("-1.000", "-1000")])
def test_sum_may_be_negative_as_its_property_may(cell: str, total: str) -> None:
    decision = decided(TrailerReading(("T", "3", "", cell)), FORMED, sums={"n": Decimal(total)})
    assert (decision.verdict, decision.problems) == ("accepted", ())


@pytest.mark.parametrize("cell", ["1234.5", "1.23", "1e3", "", "-", "1 234,5"])
def test_sum_in_another_form_is_none(cell: str) -> None:
    (problem,) = decided(TrailerReading(("T", "3", "", cell)), FORMED).problems
    form = "“,” before fractions; “.” may stand between groups of three digits; negative also as “5-”"
    assert problem.code == "bad-trailer"
    assert problem.fix == f"Write the trailer as it is agreed, and the sum of `n` so: {form}."


def test_sum_of_percents_and_of_implied_decimals_is_read_alike() -> None:
    for form, cell in ((ValueForm(percent="divide"), "150 %"), (ValueForm(decimals=2), "150")):
        plan = replace(PLAN, properties=(PLAN.properties[0], Property("n", "number", form=form)))
        assert decided(TrailerReading(("T", "3", "", cell)), plan).problems == ()
