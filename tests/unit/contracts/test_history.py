"""The verdict of checks against history: which figure each kind has, and what a producer reads of it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from contracts import rules
from contracts.decision import Decision
from contracts.job import Count, DropResult
from contracts.plan import Check, Plan, Property, Threshold, Unit
from contracts.terms.history import Figure, Past, Relative
from contracts.verdict import decide

OF = Relative("median", 3, 3)
MEAN, QUERY = rules.Mean(("-50", "50")), rules.Sql("1", "select 1", (), ("-50", "50"))


def judged(rule: rules.Rule, count: Count, earlier: tuple[Figure, ...] | None, unit: Unit = "rows") -> Decision:
    threshold = Threshold("mustBeBetween", (Decimal(-50), Decimal(50)), unit, OF)
    prop = None if isinstance(rule, rules.RowCount | rules.Sql) else "x"
    check = Check("c", rule, "set", "error", "accuracy", "as before", prop, threshold)
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (Property("x", "number"),), (check,))
    facts = DropResult("d", 1, read=100, valid=100, counts=(count,))
    return decide(plan, facts, ("c",), {} if earlier is None else {"c": Past(OF, earlier)})


def three(*values: int, of: int | None = None) -> tuple[Figure, ...]:
    return tuple(Figure(Decimal(value), of) for value in values)


FIGURES: dict[str, tuple[rules.Rule, Count, Unit, Figure, tuple[Figure, ...], str]] = {
    "records": (
        rules.RowCount(),
        Count(100),
        "rows",
        Figure(Decimal(100)),
        three(1000, 1200, 1100),
        (
            "The file has 100 records; the contract asks for more than 550 and less than 1,650, as the "
            "median of the last 3 files is 1,100."
        ),
    ),
    "a mean": (
        MEAN,
        Count(100, figure=Decimal("2.5"), observed="2.5"),
        "rows",
        Figure(Decimal("2.5")),
        three(10, 11, 12),
        (
            "The mean of `x` is `2.5`; the contract asks for more than 5.5 and less than 16.5, as the "
            "median of the last 3 files is 11."
        ),
    ),
    "a query": (
        QUERY,
        Count(100, figure=Decimal(40), observed="40"),
        "rows",
        Figure(Decimal(40)),
        three(10, 11, 12),
        (
            "The query `select 1` gives `40`; the contract asks for more than 5.5 and less than 16.5, "
            "as the median of the last 3 files is 11."
        ),
    ),
    "nulls": (
        rules.NullValues(),
        Count(100, failed=20),
        "rows",
        Figure(Decimal(20)),
        three(1, 2, 3),
        (
            "`x` has no value in 20 of 100 records (20.0 %); the contract allows that in more than 1 "
            "and less than 3 records, as the median of the last 3 files is 2."
        ),
    ),
    "a share of nulls": (
        rules.NullValues(),
        Count(100, failed=20),
        "percent",
        Figure(Decimal(20), 100),
        three(10, 10, 10, of=300),
        (
            "`x` has no value in 20 of 100 records (20.0 %); the contract allows that in more than "
            "1.66667 % and less than 5 %, as the median of the last 3 files is 3.33333 %."
        ),
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_held_against_its_own(name: str) -> None:
    rule, count, unit, figure, earlier, message = FIGURES[name]
    decision = judged(rule, count, earlier, unit)

    assert decision.figures == {"c": figure}
    assert (decision.verdict, [p.message for p in decision.problems]) == ("rejected", [message])
    assert judged(rule, count, (figure,) * 3, unit).verdict == "accepted"


@pytest.mark.parametrize("name", FIGURES)
def test_no_file_is_held_against_too_few(name: str) -> None:
    rule, count, unit, figure, earlier, _ = FIGURES[name]
    for history, lacks in ((None, "0 of 3"), (earlier[:2], "2 of 3")):
        decision = judged(rule, count, history, unit)
        (check,) = decision.checks
        assert (decision.verdict, check.result, decision.problems) == ("accepted", "not_evaluated", ())
        assert (check.reason, check.lacks) == ("too-little-history", f"{lacks} accepted files so far")
        assert decision.figures == {"c": figure}


def test_figure_that_is_missing_is_no_lack_of_history() -> None:
    decision = judged(MEAN, Count(state="not_evaluated", reason="no-values"), three(1, 2, 3))

    assert (decision.verdict, decision.checks[0].reason, decision.figures) == ("rejected", "no-values", {})


def test_warning_only_tells() -> None:
    threshold = Threshold("mustBeBetween", (Decimal(-50), Decimal(50)), relative=OF)
    check = Check("c", rules.RowCount(), "set", "warning", "coverage", "as before", threshold=threshold)
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (Property("x", "number"),), (check,))
    facts = DropResult("d", 1, read=1, valid=1, counts=(Count(1),))
    past = Past(OF, three(10, 11, 12))

    assert decide(plan, facts, ("c",), {"c": past}).verdict == "accepted_with_warnings"
    assert decide(replace(plan, mode="observe"), facts, ("c",), {"c": past}).verdict == "accepted_with_warnings"
