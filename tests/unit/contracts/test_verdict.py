"""Verdicts: each case is a line of docs/reference/semantics.md, and each line that names this module is a case."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest

from contracts import rules
from contracts.decision import Decision, File
from contracts.job import Count, DropResult
from contracts.plan import HOLDS_TRUE, RECORD_CHECKS, Check, Limit, Plan, Property, Threshold
from contracts.problem import Problem
from contracts.verdict import decide, document, fail, refuse
from infra.packaging.bundles import ROOT

ROW = Check("wind.maximum", rules.Maximum(value="100"), "row", "error", "conformity", "<= 100", "wind")
OTHER = Check("gust.minimum", rules.Minimum(value="0"), "row", "error", "conformity", ">= 0", "gust")
SOFT = replace(ROW, id="wind.maximum.warning", severity="warning")
UNIQUE = Check("id.unique", rules.Unique(), "set", "error", "uniqueness", "no value twice", "id")
NULLS = Check("gust.nullValues", rules.NullValues(), "set", "error", "completeness", "nulls < 10 %", "gust")
MEAN = Check("wind.mean", rules.Mean(limits=("10",)), "set", "error", "accuracy", "mean < 10", "wind")
COUNT = Check("rowCount", rules.RowCount(), "set", "error", "coverage", "as agreed")
OK = Count(100)


def tolerate(value: str, unit: Any = "percent") -> Limit:
    return Limit(Decimal(value), unit)


def must(operator: Any, *values: str, unit: Any = "rows") -> Threshold:
    return Threshold(operator, tuple(Decimal(v) for v in values), unit)


@dataclass(frozen=True, slots=True)
class Case:
    """Checks with their counts, the plan and the facts around them; verdict, results and problems that must follow."""

    checks: tuple[tuple[Check, Count], ...]
    verdict: str | None
    results: str = ""
    problems: str = ""
    plan: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


def judge(case: Case) -> Decision:
    """Facts that add up, with each failing row failing one check alone, unless the case says otherwise."""
    properties = (Property("id", "integer"), Property("wind", "number"), Property("gust", "number"))
    checks = tuple(check for check, _ in case.checks)
    plan = replace(Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), properties, checks), **case.plan)
    rows = [(n, count.failed) for n, (check, count) in enumerate(case.checks) if check.scope != "set"]
    hard = sum(failed for n, failed in rows if checks[n].severity == "error")
    facts: dict[str, Any] = {
        "read": 100,
        "rejected": hard,
        "counts": tuple(count for _, count in case.checks),
        "masks": tuple((f"{1 << n:x}", failed) for n, failed in rows if failed),
    } | case.facts
    facts.setdefault("valid", facts["read"] - facts["rejected"])
    named = facts.pop("checks", tuple(c.id for c in checks))
    return decide(plan, DropResult("d", 1, **facts), named)


def failing(failed: int, of: int = 100, null: int = 0) -> Count:
    return Count(of, failed, null)


def one(check: Check, count: Count, verdict: str | None, results: str = "", problems: str = "", **plan: Any) -> Case:
    return Case(((check, count),), verdict, results, problems, plan)


def own(limit: Limit, check: Check = ROW, quiet: Limit | None = None) -> Check:
    return replace(check, tolerance=limit, quiet=quiet)


def held(check: Check, threshold: Threshold) -> Check:
    return replace(check, threshold=threshold)


TEN_PERCENT = must("mustBeLessThan", "10", unit="percent")
STOPPED = Count(state="not_evaluated", reason="the column is not there")
ABSENT = Count(state="not_evaluated", reason="allowed-missing")
CRASHED = Count(state="error", reason="the reference cannot be read")
NOTHING = {"read": 0}
WARNING = Problem("extra-column", "The contract has no column `x`.", "Leave it out.", "warning")
OURS = Problem("unreadable", "The file could not be read.", "You need do nothing.")

TOLERANCE = {
    "no failing row passes": one(ROW, OK, "accepted", "passed"),
    "one failing row fails": one(ROW, failing(1), "rejected", "failed", "check-maximum"),
    "nulls fail no bound": one(ROW, failing(0, null=100), "accepted", "passed"),
    "own rows: the limit is within": one(own(tolerate("5", "rows")), failing(5), "accepted_with_warnings", "warning"),
    "own rows: one more is outside": one(own(tolerate("5", "rows")), failing(6), "rejected", "failed"),
    "own percent: the limit is within": one(own(tolerate("5")), failing(5), "accepted_with_warnings", "warning"),
    "within the tolerance for warnings": one(
        own(tolerate("5"), quiet=tolerate("2")), failing(2), "accepted_with_warnings", "passed"
    ),
    "beyond the tolerance for warnings": one(
        own(tolerate("5"), quiet=tolerate("2")), failing(3), "accepted_with_warnings", "warning"
    ),
    "beyond both tolerances": one(own(tolerate("5"), quiet=tolerate("2")), failing(6), "rejected", "failed"),
    "own percent: one more is outside": one(own(tolerate("5")), failing(6), "rejected", "failed"),
    "percent is of evaluated rows": one(own(tolerate("10")), failing(5, of=50), "accepted_with_warnings", "warning"),
    "percent is of evaluated, not of read": one(own(tolerate("10")), failing(6, of=50), "rejected", "failed"),
    "nulls count as evaluated": one(own(tolerate("5")), failing(5, null=90), "accepted_with_warnings", "warning"),
    "percent is exact where floats are not": one(own(tolerate("29")), failing(29), "accepted_with_warnings", "warning"),
    "a third is more than 33.3 %": one(own(tolerate("33.3")), failing(1, of=3), "rejected", "failed"),
    "a third is less than 33.4 %": one(own(tolerate("33.4")), failing(1, of=3), "accepted_with_warnings", "warning"),
    "zero tolerates nothing": one(own(tolerate("0")), failing(1), "rejected", "failed"),
    "the file's tolerance is taken": one(ROW, failing(2), "accepted_with_warnings", "warning", tolerance=tolerate("2")),
    "own tolerance replaces the file's": one(
        own(tolerate("1", "rows")), failing(2), "rejected", "failed", "check-maximum", tolerance=tolerate("2")
    ),
    "own tolerance does not raise the file's": one(
        own(tolerate("9")),
        failing(3),
        "rejected",
        "warning",
        "too-many-rejected check-maximum",
        tolerance=tolerate("2"),
    ),
    "rows of several checks add up": Case(
        ((ROW, failing(2)), (OTHER, failing(1))),
        "rejected",
        "warning warning",
        "too-many-rejected check-maximum check-minimum",
        {"tolerance": tolerate("2")},
    ),
    "a row that fails twice is one row": Case(
        ((ROW, failing(2)), (OTHER, failing(1))),
        "accepted_with_warnings",
        "warning warning",
        "check-maximum check-minimum",
        {"tolerance": tolerate("2")},
        {"rejected": 2, "masks": (("3", 1), ("1", 1))},
    ),
    "without the file's tolerance there is no common limit": Case(
        ((own(tolerate("2")), failing(2)), (own(tolerate("2"), OTHER), failing(2))),
        "accepted_with_warnings",
        "warning warning",
    ),
    "the file's tolerance may count rows": one(ROW, failing(3), "rejected", "failed", tolerance=tolerate("2", "rows")),
    "a malformed record is a failing row": one(RECORD_CHECKS[0], failing(1), "rejected", "failed", "check-fields"),
    "a malformed record takes the file's tolerance": one(
        RECORD_CHECKS[0], failing(1), "accepted_with_warnings", "warning", tolerance=tolerate("1")
    ),
}
SEVERITY = {
    "warning: a failing row warns": one(SOFT, failing(1), "accepted_with_warnings", "warning", "check-maximum"),
    "warning: no failing row passes": one(SOFT, OK, "accepted", "passed"),
    "warning: the file's tolerance is not taken": one(
        SOFT, failing(1), "accepted_with_warnings", "warning", tolerance=tolerate("50")
    ),
    "warning: within its own passes": one(own(tolerate("5"), SOFT), failing(5), "accepted", "passed"),
    "warning: beyond its own warns": one(own(tolerate("5"), SOFT), failing(6), "accepted_with_warnings", "warning"),
    "warning: even all rows never fail": one(SOFT, failing(100), "accepted_with_warnings", "warning"),
    "warning: a set check warns": one(
        replace(UNIQUE, severity="warning"), failing(2), "accepted_with_warnings", "warning", "check-unique"
    ),
    "warning: a metric warns": one(
        replace(held(NULLS, TEN_PERCENT), severity="warning"), failing(10), "accepted_with_warnings", "warning"
    ),
}
SETS = {
    "a repeated value fails the file": one(UNIQUE, failing(2), "rejected", "failed", "check-unique"),
    "a set check rejects no row": one(UNIQUE, failing(2), "rejected", "failed"),
    "a set check does not take the file's tolerance": one(
        UNIQUE, failing(2), "rejected", "failed", tolerance=tolerate("50")
    ),
    "a set check has its own tolerance": one(
        own(tolerate("2", "rows"), UNIQUE), failing(2), "accepted_with_warnings", "warning"
    ),
    "9 of 100 nulls are less than 10 %": one(held(NULLS, TEN_PERCENT), failing(9), "accepted", "passed"),
    "10 of 100 nulls are not less than 10 %": one(
        held(NULLS, TEN_PERCENT), failing(10), "rejected", "failed", "check-nullValues"
    ),
    "a metric's percent is of evaluated rows": one(held(NULLS, TEN_PERCENT), failing(5, of=50), "rejected", "failed"),
    "a metric's percent is exact": Case(
        ((held(NULLS, must("mustBe", "33.3", unit="percent")), failing(333, of=1000)),),
        "accepted",
        "passed",
        facts={"read": 1000},
    ),
    "a metric does not take the file's tolerance": one(
        held(NULLS, TEN_PERCENT), failing(10), "rejected", "failed", tolerance=tolerate("50")
    ),
}
TEN = must("mustBeLessThan", "10")


def figure(value: str | None, **more: Any) -> Count:
    return Count(100, figure=None if value is None else Decimal(value), **more)


FIGURES = {
    "a figure that holds passes": one(held(MEAN, TEN), figure("9.99"), "accepted", "passed"),
    "a figure that does not hold fails": one(held(MEAN, TEN), figure("10"), "rejected", "failed", "check-mean"),
    "a figure does not count records": one(held(MEAN, TEN), figure("-200.5"), "accepted", "passed"),
    "a figure of 0 is a figure": one(held(MEAN, must("mustNotBe", "0")), figure("0"), "rejected", "failed"),
    "warning: a figure warns": one(
        replace(held(MEAN, TEN), severity="warning"), figure("11"), "accepted_with_warnings", "warning", "check-mean"
    ),
    "without values a figure blocks": one(
        held(MEAN, TEN),
        Count(state="not_evaluated", reason="no-values"),
        "rejected",
        "not_evaluated",
        "not-evaluated",
    ),
    "a missing figure is ours": one(held(MEAN, TEN), figure(None), None, "error"),
}
EXPECTED = Check(
    "wind.mean",
    rules.Expectation("expect_x", {}, "values"),
    "set",
    "error",
    "accuracy",
    "",
    "wind",
    threshold=HOLDS_TRUE,
)
EXPECTATIONS = {
    "an expectation that is met passes": one(EXPECTED, figure("1"), "accepted", "passed"),
    "an expectation that is not met fails": one(EXPECTED, figure("0"), "rejected", "failed", "check-expectation"),
    "an expectation may have unexpected records": one(EXPECTED, replace(figure("1"), failed=9), "accepted", "passed"),
    "warning: an expectation warns": one(
        replace(EXPECTED, severity="warning"), figure("0"), "accepted_with_warnings", "warning", "check-expectation"
    ),
    "an expectation without an answer is ours": one(EXPECTED, figure(None), None, "error"),
    "an expectation about the file is judged without a record": Case(
        ((EXPECTED, Count(figure=Decimal(0))),),
        "rejected",
        "failed",
        "check-expectation",
        {"empty": "accept"},
        NOTHING,
    ),
}
OPERATORS = {
    f"rowCount {operator} {' '.join(values)}: {read}": Case(
        ((held(COUNT, must(operator, *values)), Count()),),
        "accepted" if within else "rejected",
        "passed" if within else "failed",
        "" if within else "check-rowCount",
        facts={"read": read},
    )
    for operator, values, reads in (
        ("mustBe", ("24",), {23: False, 24: True, 25: False}),
        ("mustNotBe", ("24",), {23: True, 24: False}),
        ("mustBeGreaterThan", ("24",), {24: False, 25: True}),
        ("mustBeGreaterOrEqualTo", ("24",), {23: False, 24: True}),
        ("mustBeLessThan", ("24",), {23: True, 24: False}),
        ("mustBeLessOrEqualTo", ("24",), {24: True, 25: False}),
        ("mustBeBetween", ("10", "20"), {10: False, 11: True, 19: True, 20: False}),
        ("mustNotBeBetween", ("10", "20"), {10: True, 11: False, 19: False, 20: True}),
    )
    for read, within in reads.items()
}
EMPTY = {
    "empty reject": Case(((ROW, Count()),), "rejected", "not_evaluated", "no-records", facts=NOTHING),
    "empty warn": Case(
        ((ROW, Count()),), "accepted_with_warnings", "not_evaluated", "no-records", {"empty": "warn"}, NOTHING
    ),
    "empty accept": Case(((ROW, Count()),), "accepted", "not_evaluated", "", {"empty": "accept"}, NOTHING),
    "no row: a set check is not evaluated": Case(
        ((UNIQUE, Count()),), "accepted", "not_evaluated", "", {"empty": "accept"}, NOTHING
    ),
    "no row: rowCount counts 0": Case(
        ((held(COUNT, must("mustBeGreaterThan", "0")), Count()),),
        "rejected",
        "failed",
        "check-rowCount",
        {"empty": "accept"},
        NOTHING,
    ),
    "no row within a tolerance": Case(
        ((ROW, Count()),), "accepted", "not_evaluated", "", {"empty": "accept", "tolerance": tolerate("1")}, NOTHING
    ),
    "every record malformed: the others are not evaluated": Case(
        ((RECORD_CHECKS[0], failing(100)), (ROW, Count())), "rejected", "failed not_evaluated", "check-fields"
    ),
}
NOT_EVALUATED = {
    "a column that may be missing": one(ROW, ABSENT, "accepted", "not_evaluated"),
    "any other reason blocks": one(ROW, STOPPED, "rejected", "not_evaluated", "not-evaluated"),
    "any other reason of a warning warns": one(
        SOFT, STOPPED, "accepted_with_warnings", "not_evaluated", "not-evaluated"
    ),
    "a crashed check is ours": one(ROW, CRASHED, None, "error"),
    "a crashed warning is also ours": one(SOFT, CRASHED, None, "error"),
    "a crash outweighs a failing check": Case(((ROW, failing(9)), (OTHER, CRASHED)), None, "failed error"),
}
FACTS = {
    "a note of admission warns": Case(
        ((ROW, OK),), "accepted_with_warnings", "passed", "extra-column", facts={"notes": (WARNING,)}
    ),
    "an error among the notes rejects": Case(
        ((ROW, OK),), "rejected", "passed", "extra-column", facts={"notes": (replace(WARNING, level="error"),)}
    ),
    "an unreadable file is ours": Case(((ROW, OK),), None, facts={"failure": OURS}),
    "read is valid plus rejected": Case(((ROW, OK),), None, "passed", facts={"read": 101, "valid": 100}),
    "evidence has no surplus row": Case(
        ((ROW, failing(2)),), None, "failed", facts={"rejected": 3, "masks": (("1", 2),)}
    ),
    "evidence lacks no row": Case(((ROW, failing(2)),), None, "failed", facts={"rejected": 1, "masks": (("1", 2),)}),
    "rare masks may be left out": Case(
        ((ROW, failing(3)),), "rejected", "failed", facts={"rejected": 3, "masks": (("1", 2),), "overflow": True}
    ),
    "left-out masks explain no surplus": Case(
        ((ROW, failing(2)),), None, "failed", facts={"rejected": 1, "masks": (("1", 2),), "overflow": True}
    ),
    "flagged rows are not rejected": Case(
        ((SOFT, failing(2)),), "accepted_with_warnings", "warning", facts={"rejected": 0, "masks": (("1", 2),)}
    ),
    "figures of a check stay within read": Case(((UNIQUE, Count(101)),), None, "passed"),
    "failed and null are evaluated": Case(((UNIQUE, Count(100, 60, 60)),), None, "failed"),
    "every check has its count": Case(((ROW, OK), (UNIQUE, OK)), None, facts={"counts": (OK,)}),
    "no check is unknown": Case(((ROW, OK),), None, facts={"checks": ("other",)}),
    "no check is counted twice": Case(((ROW, OK),), None, facts={"checks": (ROW.id, ROW.id), "counts": (OK, OK)}),
}
CASES = TOLERANCE | SEVERITY | SETS | FIGURES | EXPECTATIONS | EMPTY | NOT_EVALUATED | FACTS


def test_rows_of_a_file_with_too_many_are_errors() -> None:
    case = Case(
        ((ROW, failing(1)), (OTHER, failing(1)), (SOFT, failing(1))), "rejected", plan={"tolerance": tolerate("1")}
    )

    problems = judge(
        replace(case, facts={"read": 101, "counts": tuple(failing(1, of=101) for _ in case.checks)})
    ).problems

    assert problems[0].message == "2 of 101 records (1.9 %) are rejected; the contract tolerates 1 %."
    assert [(p.code, p.level) for p in problems[1:]] == [
        ("check-maximum", "error"),
        ("check-minimum", "error"),
        ("check-maximum", "warning"),
    ]
    assert "tolerates" not in "".join(p.message for p in problems[1:])


def test_warning_is_not_told_beside_the_same_error() -> None:
    stricter = replace(NULLS, id="gust.nullValues.warning", severity="warning")
    five = held(stricter, must("mustBeLessThan", "5", unit="percent"))
    pair = ((five, failing(10)), (held(NULLS, TEN_PERCENT), failing(10)))

    decision = judge(Case(pair, "rejected"))

    assert [c.result for c in decision.checks] == ["warning", "failed"]
    assert [(p.level, p.check) for p in decision.problems] == [("error", "gust.nullValues")]
    assert [p.level for p in judge(Case(((five, failing(6)), (pair[1][0], failing(6))), "")).problems] == ["warning"]


@pytest.mark.parametrize("case", (CASES | OPERATORS).values(), ids=CASES | OPERATORS)
def test_verdict_is_what_semantics_say(case: Case) -> None:
    decision = judge(case)

    assert decision.verdict == case.verdict
    assert " ".join(c.result for c in decision.checks) == case.results
    if case.problems or case.verdict in (None, "accepted"):
        assert " ".join(p.code for p in decision.problems) == case.problems
    assert (decision.failure is None) == (case.verdict is not None)


def test_semantics_and_cases_are_the_same_lines() -> None:
    text = (ROOT / "docs" / "reference" / "semantics.md").read_text(encoding="utf-8")

    lines = set(re.findall(r"\| verdict: ([^|]+?) \|$", text, re.MULTILINE))

    assert lines == set(CASES)


def test_failed_decision_has_no_row_figures() -> None:
    decision = judge(FACTS["read is valid plus rejected"])

    assert (decision.rows.read, decision.rows.valid, decision.rows.rejected) == (None, None, None)


def test_figures_add_up_in_every_check() -> None:
    (outcome,) = judge(one(ROW, Count(100, 3, 7), "rejected")).checks

    assert (outcome.evaluated, outcome.success, outcome.failed, outcome.null) == (100, 90, 3, 7)


def test_check_not_counted_has_no_figures() -> None:
    outcomes = [
        judge(NOT_EVALUATED[name]).checks[0] for name in ("a column that may be missing", "a crashed check is ours")
    ]

    assert {(o.evaluated, o.success, o.failed, o.null) for o in outcomes} == {(None, None, None, None)}


def test_row_count_shows_what_was_read() -> None:
    (outcome,) = judge(EMPTY["no row: rowCount counts 0"]).checks

    assert (outcome.evaluated, outcome.failed, outcome.observed) == (0, 0, "0")


def test_problems_stand_worst_first() -> None:
    checks = ((SOFT, failing(50)), (ROW, failing(2)), (OTHER, failing(3)), (held(COUNT, must("mustBe", "1")), Count()))
    case = Case(checks, "rejected", facts={"notes": (WARNING,)})

    codes = [p.check or p.code for p in judge(case).problems]

    assert codes == ["rowCount", "gust.minimum", "wind.maximum", "extra-column", "wind.maximum.warning"]


def test_too_many_rejected_says_the_figures() -> None:
    problem = judge(TOLERANCE["own tolerance does not raise the file's"]).problems[0]

    assert problem.message == "3 of 100 records (3.0 %) are rejected; the contract tolerates 2 %."


def test_same_facts_give_the_same_verdict() -> None:
    case = TOLERANCE["rows of several checks add up"]

    assert judge(case) == judge(case)


def test_refusal_counts_nothing() -> None:
    decision = refuse((WARNING, replace(WARNING, code="missing-column", level="error")))

    assert decision.verdict == "rejected"
    assert decision.rows.read is None
    assert [p.code for p in decision.problems] == ["missing-column", "extra-column"]


def test_document_of_a_failure_has_null_verdict() -> None:
    body = document(fail(OURS), None, File("weather.csv", 5))

    assert list(body) == ["verdict", "contract", "file", "rows", "checks", "problems", "failure"]
    assert body["verdict"] is None
    assert body["failure"]["code"] == "unreadable"
    assert body["file"] == {"name": "weather.csv", "size": 5, "sha256": None}


def test_document_names_contract_and_rules() -> None:
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (), ())

    body = document(refuse((WARNING,)), plan, File("weather.csv", 5))

    assert body["contract"] == {"id": "w", "version": "1.0.0", "plan": f"sha256:{plan.sha}"}
