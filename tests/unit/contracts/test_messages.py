"""Every sentence that a check says to a producer, in singular and plural."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from contracts import rules
from contracts.decision import CheckResult, Result
from contracts.job import Sample
from contracts.messages import explain, limit_in_words, noted, reason, some
from contracts.place import Place
from contracts.plan import (
    HOLDS_TRUE,
    RECORD_CHECKS,
    Check,
    Csv,
    Limit,
    LogicalType,
    Plan,
    Property,
    Threshold,
)
from contracts.problem import Problem


def a_problem(
    check: Check,
    failed: int,
    read: int = 1000,
    prop: Property | None = None,
    result: Result = "failed",
    observed: str | None = None,
    tolerance: Limit | None = None,
    nulls: tuple[str, ...] = ("",),
    evaluated: int | None = None,
    spoilt: bool = False,
) -> Problem:
    props = (prop or Property("wind", "number"),)
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), props, (check,), Csv(null_values=nulls), tolerance=tolerance)
    head = (check.id, check.kind, check.property, check.dimension, check.severity, result)
    seen = read if evaluated is None else evaluated
    figures = (seen, seen - failed, failed, 0)
    outcome = CheckResult(*head, *figures, observed, check.expected, samples=(Sample(Place(17)),))
    problem = explain(plan, check, outcome, read, spoilt)
    assert problem
    return problem


def rule(rule: rules.Rule, expected: str = "", severity: Any = "error", scope: Any = "row", **more: Any) -> Check:
    return Check(f"wind.{rule.kind}", rule, scope, severity, "conformity", expected, "wind", **more)


MAXIMUM = rule(rules.Maximum(value="100"), "<= 100")
ENUM = rule(rules.Enum(values=("EWR", "JFK")), "one of EWR, JFK")
DIGITS = "Write digits with a decimal point, not a comma, without blanks, thousands separators or units."
UNDER_TEN_PERCENT = Threshold("mustBeLessThan", (Decimal(10),), "percent")
AT_MOST_2 = Threshold("mustBeLessOrEqualTo", (Decimal(2),))
AT_LEAST_2000 = Threshold("mustBeGreaterOrEqualTo", (Decimal(2000),))
ALLOWED = "the contract allows that in"
SENTENCES: list[tuple[Check, int, str, str]] = [
    (
        RECORD_CHECKS[0],
        1,
        "1 of 1,000 records (0.1 %) has more or fewer cells than the header.",
        "Look for cells with a `,` or a line break in them and no quotes around them, and for rows that were cut.",
    ),
    (
        RECORD_CHECKS[1],
        2,
        "2 of 1,000 records (0.2 %) have a quote that is not closed in its line, or not around a whole cell.",
        'Take line breaks out of cells, close every quote, quote whole cells, and write a quote inside one as `""`.',
    ),
    (
        RECORD_CHECKS[2],
        1000,
        "All 1,000 records have NUL characters, or bytes that are not text in UTF-8.",
        "Write the whole file in UTF-8, without NUL characters.",
    ),
    (
        rule(rules.LogicalType(), "a number"),
        60,
        "`wind` is not a number in 60 of 1,000 records (6.0 %).",
        f"{DIGITS} Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.Required(), "not null"),
        1,
        "`wind` has no value in 1 of 1,000 records (0.1 %).",
        "Fill in `wind`, or leave this row out.",
    ),
    (
        MAXIMUM,
        12,
        "`wind` is above the maximum of `100` in 12 of 1,000 records (1.2 %).",
        "Correct `wind` in these rows, or leave them out.",
    ),
    (
        rule(rules.ExclusiveMinimum(value="0"), "> 0"),
        12,
        "`wind` is not above `0` in 12 of 1,000 records (1.2 %).",
        "Correct `wind` in these rows, or leave them out.",
    ),
    (
        rule(rules.ExclusiveMaximum(value="360"), "< 360"),
        12,
        "`wind` is not below `360` in 12 of 1,000 records (1.2 %).",
        "Correct `wind` in these rows, or leave them out.",
    ),
    (
        ENUM,
        12,
        "`wind` is not one of the agreed values in 12 of 1,000 records (1.2 %).",
        "Write one of `EWR`, `JFK`, exactly so. Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.InvalidValues(pattern=r"\A[A-Z]+\z"), "matching ^[A-Z]+$"),
        12,
        "`wind` is not one of the valid values in 12 of 1,000 records (1.2 %).",
        "Write a value that matches `^[A-Z]+$`. Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.InvalidValues(pattern="^(ab)+", longest=500), "matching ^(ab)+$"),
        12,
        "`wind` is not one of the valid values, or is longer than 500 characters, in 12 of 1,000 records (1.2 %).",
        ("Write a value that matches `^(ab)+$`, in at most 500 characters."
        " Leave the cell empty where the value is unknown."),
    ),
    (
        rule(rules.MultipleOf(value="0.01"), "a multiple of 0.01"),
        12,
        "`wind` is not a multiple of `0.01` in 12 of 1,000 records (1.2 %).",
        "Correct `wind` in these rows, or leave them out.",
    ),
    (
        rule(rules.Format(format="ipv4"), "an IPv4 address"),
        12,
        "`wind` is not an IPv4 address in 12 of 1,000 records (1.2 %).",
        "Write it in full and without blanks, like `192.0.2.1`. Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.Format(format="u8"), "a whole number from 0 to 255"),
        1,
        "`wind` is not a whole number from 0 to 255 in 1 of 1,000 records (0.1 %).",
        "Write it as agreed (a whole number from 0 to 255). Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.MinLength(value=3), "at least 3 characters"),
        12,
        "`wind` is shorter than 3 characters in 12 of 1,000 records (1.2 %).",
        "Write `wind` in full; look for cells that were cut. Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.MaxLength(value=1), "at most 1 characters"),
        12,
        "`wind` is longer than 1 character in 12 of 1,000 records (1.2 %).",
        "Shorten `wind`; look for cells that ran together.",
    ),
    (
        rule(rules.Unique(), "no value twice", scope="set"),
        2,
        "2 of 1,000 records (0.2 %) have a value of `wind` that another record also has.",
        "Send each `wind` once: remove the repeated rows, or correct `wind` in them.",
    ),
    (
        rule(rules.PrimaryKey(), "not null, no value twice", scope="set"),
        1,
        "1 of 1,000 records (0.1 %) has no `wind`, or one that another record also has; it is the key.",
        "Give every record its own `wind`, and remove repeated rows.",
    ),
    (
        Check("primaryKey", rules.PrimaryKey(properties=("wind", "gust")), "set", "error", "uniqueness", ""),
        2,
        "2 of 1,000 records (0.2 %) have no whole key (`wind`, `gust`), or one that another record also has.",
        "Fill in `wind`, `gust` in every record, give each record a combination of its own, and remove repeated rows.",
    ),
    (
        rule(rules.DuplicateValues(), "", scope="set", threshold=AT_MOST_2),
        9,
        f"9 of 1,000 records (0.9 %) have the same `wind` as another record; {ALLOWED} at most 2 records.",
        "Send each `wind` once: remove the repeated rows, or correct them.",
    ),
    (
        Check(
            "duplicateValues",
            rules.DuplicateValues(("a", "b")),
            "set",
            "error",
            "uniqueness",
            "",
            threshold=AT_MOST_2,
        ),
        4,
        f"4 of 1,000 records (0.4 %) have the same `a`, `b` as another record; {ALLOWED} at most 2 records.",
        "Send each combination of `a`, `b` once: remove the repeated rows, or correct them.",
    ),
    (
        rule(rules.Expectation("expect_x", {}, "values"), "expect_x (min_value 2)", scope="set", threshold=HOLDS_TRUE),
        2,
        "The expectation `expect_x (min_value 2)` is not met in 2 of 1,000 records (0.2 %).",
        "Correct `wind` in these rows, or leave such rows out.",
    ),
    (
        rule(rules.Expectation("expect_x", {}, "values"), "expect_x", scope="set", threshold=HOLDS_TRUE),
        0,
        "The expectation `expect_x` is not met.",
        "Compare `wind` with earlier files: look for what has changed, lost or repeated rows, and outliers.",
    ),
    (
        rule(rules.NullValues(), "nulls < 10 %", scope="set", threshold=UNDER_TEN_PERCENT),
        191,
        "`wind` has no value in 191 of 1,000 records (19.1 %); the contract allows that in less than 10 %.",
        "Find out why records lack `wind`, and fill it in where you can.",
    ),
    (
        rule(rules.MissingValues(values=("", "N/A", "-"), null=True)),
        12,
        "`wind` is missing (no value or `N/A`, `-`) in 12 of 1,000 records (1.2 %).",
        "Fill in `wind`, or leave these rows out.",
    ),
    (
        rule(rules.MissingValues(values=("N/A",), null=False), scope="set", threshold=UNDER_TEN_PERCENT),
        191,
        "`wind` is missing in 191 of 1,000 records (19.1 %); the contract allows that in less than 10 %.",
        "Find out why records lack `wind`, and fill it in where you can.",
    ),
    (
        rule(rules.NotBlank(pattern="[^ ]"), "not blank"),
        12,
        "`wind` is blank in 12 of 1,000 records (1.2 %).",
        "Fill in `wind` with more than blanks. Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.Regex(pattern="^a"), "matching ^a"),
        12,
        "`wind` does not match the agreed pattern in 12 of 1,000 records (1.2 %).",
        "Write a value that matches `^a`. Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.AllowedPrefixes(("AB", "C")), "beginning with one of AB, C"),
        12,
        "`wind` begins with none of the agreed prefixes in 12 of 1,000 records (1.2 %).",
        "Write it as agreed (beginning with one of AB, C). Leave the cell empty where the value is unknown.",
    ),
    (
        rule(rules.ForeignKey(to="lands", columns=("code",), text="lands.code"), "found in lands.code"),
        12,
        "12 of 1,000 records (1.2 %) have a value of `wind` that is not in `lands.code`.",
        "Correct `wind` in these rows, or have the missing values added to `lands.code` and send the file again.",
    ),
    (
        Check("rowCount", rules.RowCount(), "set", "error", "coverage", "", threshold=AT_LEAST_2000),
        0,
        "The file has 1,000 records; the contract asks for at least 2,000.",
        "Check that the export is whole, and neither cut nor written twice.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("check", "failed", "message", "fix"), SENTENCES, ids=lambda v: getattr(v, "id", None))
def test_each_kind_says_what_and_how(check: Check, failed: int, message: str, fix: str) -> None:
    problem = a_problem(check, failed)

    assert (problem.message, problem.fix) == (message, fix)


def test_fix_of_one_row_speaks_of_one() -> None:
    assert a_problem(MAXIMUM, 1).fix == "Correct `wind` in this row, or leave it out."


def test_problem_names_record_property_and_check() -> None:
    problem = a_problem(MAXIMUM, 1)

    assert (problem.code, problem.place, problem.property, problem.check) == (
        "check-maximum",
        Place(17),
        "wind",
        "wind.maximum",
    )


def test_worst_value_is_told_if_public() -> None:
    secret = Property("wind", "number", classification="confidential")

    assert a_problem(MAXIMUM, 1, observed="1048.36").message.endswith("; the worst is `1048.36`.")
    assert "1048" not in a_problem(MAXIMUM, 1, observed="1048.36", prop=secret).message


def test_tolerance_stands_beside_the_figure() -> None:
    problem = a_problem(MAXIMUM, 12, result="warning", tolerance=Limit(Decimal("1.5"), "percent"))

    assert problem.level == "warning"
    assert problem.message.endswith("records (1.2 %); the contract tolerates 1.5 %.")


def test_severity_warning_does_not_borrow_tolerance() -> None:
    check = rule(rules.Maximum(value="100"), "<= 100", severity="warning")

    assert "tolerates" not in a_problem(check, 12, result="warning", tolerance=Limit(Decimal(1), "rows")).message


def test_unknown_values_follow_the_dialect() -> None:
    kinds: list[tuple[Property, tuple[str, ...], str]] = [
        (Property("wind", "number"), ("NA",), "Write `NA` where the value is unknown."),
        (Property("wind", "number"), ("NA", ""), "Leave the cell empty where the value is unknown."),
        (Property("wind", "number", required=True), ("",), "Leave the row out where the value is unknown."),
        (Property("wind", "number"), (), "Write one of `EWR`, `JFK`, exactly so."),
    ]

    for prop, nulls, end in kinds:
        assert a_problem(ENUM, 1, prop=prop, nulls=nulls).fix.endswith(end)


MEAN = rule(rules.Mean(limits=("2.0",)), "mean < 7", scope="set", threshold=AT_MOST_2)


def test_figure_is_told_with_its_limit_as_written() -> None:
    problem = a_problem(MEAN, 0, observed="2.5")

    assert problem.message == "The mean of `wind` is `2.5`; the contract asks for at most `2.0`."
    assert problem.fix.startswith("Compare `wind` with earlier files")


def test_figure_of_classified_values_is_not_told() -> None:
    secret = Property("wind", "number", classification="confidential")

    assert "2.5" not in a_problem(MEAN, 0, observed="2.5", prop=secret).message


@pytest.mark.parametrize(
    ("reason", "words"),
    [("no-values", "no record has a value"), ("too-few-values", "it needs two values, and there is one")],
)
def test_figure_that_could_not_be_taken_says_why(reason: str, words: str) -> None:
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (), ())
    none = (None, None, None, None, None)
    problem = explain(
        plan, MEAN, CheckResult("a", "mean", "wind", "accuracy", "error", "not_evaluated", *none, "", reason), 5
    )

    assert problem
    assert problem.message == f"The check `a` could not be made: {words}."
    assert problem.fix.startswith("Fill in `wind` where you can")


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("string", "Write it as plain text."),
        ("integer", "Write digits only"),
        ("number", "Write digits with a decimal point"),
        ("boolean", "Write `true` or `false`"),
        ("date", "Write every date in that form"),
        ("timestamp", "Write every timestamp in that form"),
        ("time", "Write every time in that form"),
    ],
)
def test_each_type_says_how_to_write(kind: LogicalType, start: str) -> None:
    assert a_problem(rule(rules.LogicalType(), "as agreed"), 1, prop=Property("wind", kind)).fix.startswith(start)


def test_exact_numbers_say_how_to_write() -> None:
    exact = Property("wind", "number", exact=(5, 2))
    assert a_problem(rule(rules.LogicalType(), "as agreed"), 1, prop=exact).fix.startswith(
        "Write digits with a decimal point, not a comma, no"
    )


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [
        (1, 1, "the only record"),
        (0, 1, "0 of 1 record"),
        (24, 24, "all 24 records"),
        (1, 26115, "1 of 26,115 records"),
        (27, 26115, "27 of 26,115 records (0.1 %)"),
        (1999, 2000, "1,999 of 2,000 records (99.9 %)"),
    ],
)
def test_share_never_rounds_up(count: int, of: int, text: str) -> None:
    assert some(count, of) == text


@pytest.mark.parametrize(
    ("count", "of", "bound", "text"),
    [
        (2, 99, "2", "2 of 99 records (2.02 %)"),
        (2, 100, "2", "2 of 100 records (2.0 %)"),
        (20_000_001, 1_000_000_000, "2", "20,000,001 of 1,000,000,000 records (2.0000001 %)"),
        (6, 10_000, "0.05", "6 of 10,000 records (0.06 %)"),
        (1, 100_000_000, "0.0000005", "1 of 100,000,000 records (0.0000010 %)"),
        (51, 1000, "5", "51 of 1,000 records (5.1 %)"),
    ],
)
def test_share_beside_a_limit_is_told_from_it(count: int, of: int, bound: str, text: str) -> None:
    assert some(count, of, (Decimal(bound),)) == text


def test_percent_is_of_what_the_check_counts() -> None:
    ten = Limit(Decimal(10), "percent")

    assert (
        "in 10 of 90 readable records (11.1 %); the" in a_problem(MAXIMUM, 10, 110, tolerance=ten, evaluated=90).message
    )
    assert "in 10 of 110 records (9.0 %)." in a_problem(MAXIMUM, 10, 110, evaluated=90).message


def test_row_of_a_file_with_too_many_is_to_be_mended() -> None:
    file = Limit(Decimal(2), "percent")
    warns = rule(rules.Maximum(value="100"), "<= 100", severity="warning")

    problem = a_problem(MAXIMUM, 12, result="warning", tolerance=file, spoilt=True)

    assert (problem.level, problem.message[-8:]) == ("error", "(1.2 %).")
    assert a_problem(warns, 12, result="warning", tolerance=file, spoilt=True).level == "warning"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (MAXIMUM, "wind.maximum (at most 100)"),
        (ENUM, "wind.enum (one of EWR, JFK)"),
        (rule(rules.Required(), "not null"), "wind.required (a value in every record)"),
        (RECORD_CHECKS[0], "record.fields (as many cells as the header)"),
        (
            rule(rules.Pattern("^{1,3}\n$"), "matching ^{1,3}\n$", severity="warning"),
            "wind.pattern (matching ^{1,3}\\n$; only a warning)",
        ),
    ],
)
def test_reason_beside_a_row_says_what_is_wanted(check: Check, words: str) -> None:
    assert reason(check) == words


def test_words_of_the_contract_stand_with_the_fix() -> None:
    described = rule(rules.Maximum(value="100"), "<= 100", description="Sensors jam\n  above `100`.")

    assert a_problem(described, 1).fix.endswith("or leave it out. The contract says: Sensors jam above `100`.")


@pytest.mark.parametrize(
    ("kind", "value", "note"),
    [
        ("integer", "3", "in quotes"),
        ("integer", "3.5", None),
        ("integer", "9" * 19, None),
        ("number", "-0.5", "in quotes"),
        ("number", "0,5", None),
        ("boolean", "true", "in quotes"),
        ("boolean", "yes", None),
        ("date", "2026-01-31", None),
    ],
)
def test_json_value_that_only_quotes_make_wrong_says_so(kind: LogicalType, value: str, note: str | None) -> None:
    check = rule(rules.LogicalType(), "as agreed")
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (Property("wind", kind),), (check,), file_format="jsonl")

    assert noted(plan, check, (Sample(Place(1), value),)) == (Sample(Place(1), value, note),)
    assert noted(replace(plan, file_format="csv"), check, (Sample(Place(1), value),)) == (Sample(Place(1), value),)


def test_unknown_keys_are_told_the_known_ones() -> None:
    check = Check("record.knownKeys", rules.KnownKeys(), "row", "error", "conformity", "")

    assert "as the contract names them (`wind`)" in a_problem(check, 1).fix


@pytest.mark.parametrize(
    ("operator", "values", "words"),
    [
        ("mustBe", (5,), "exactly 5"),
        ("mustNotBe", (0,), "any number but 0"),
        ("mustBeGreaterThan", (1000,), "more than 1,000"),
        ("mustBeGreaterOrEqualTo", (24,), "at least 24"),
        ("mustBeLessThan", (24,), "less than 24"),
        ("mustBeLessOrEqualTo", (24,), "at most 24"),
        ("mustBeBetween", (1, 25), "more than 1 and less than 25"),
        ("mustNotBeBetween", (1, 25), "at most 1, or at least 25"),
    ],
)
def test_each_operator_has_its_words(operator: Any, values: tuple[int, ...], words: str) -> None:
    assert limit_in_words(Threshold(operator, tuple(Decimal(v) for v in values))) == words


def test_percent_follows_every_figure() -> None:
    assert (
        limit_in_words(Threshold("mustBeBetween", (Decimal(1), Decimal("2.50")), "percent"))
        == "more than 1 % and less than 2.50 %"
    )


def test_check_not_made_blocks_by_severity() -> None:
    nothing = (None, None, None, None, None)
    stopped = CheckResult("a", "maximum", "wind", "conformity", "warning", "not_evaluated", *nothing, "", "?")
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (), ())

    problem = explain(plan, MAXIMUM, stopped, 5)

    assert problem
    assert (problem.code, problem.level) == ("not-evaluated", "warning")


def test_what_an_expectation_found_is_told_unless_it_is_classified() -> None:
    check = rule(rules.Expectation("expect_x", {}, "values"), "expect_x", scope="set", threshold=HOLDS_TRUE)
    secret = Property("wind", "number", classification="secret")

    assert (
        a_problem(check, 0, observed="4.5").message
        == "The expectation `expect_x` is not met: Great Expectations found `4.5`."
    )
    assert a_problem(check, 0, observed="4.5", prop=secret).message == "The expectation `expect_x` is not met."


@pytest.mark.parametrize(
    ("notes", "read", "is_lacking"),
    [
        (["3 cells", "3 cells"], 2, True),
        (["3 cells", "4 cells"], 2, False),
        (["3 cells", "3 cells"], 3, False),  # some records fit
        (["1 cell", "1 cell"], 2, False),
        (["3 cells"], 1, False),
        ([None, None], 2, False),
    ],
)
def test_more_cells_in_all_records_may_lack_names(notes: list[str | None], read: int, is_lacking: bool) -> None:
    check, count = RECORD_CHECKS[0], len(notes)
    plan = Plan("w.v1", "w", "1.0.0", "w", "p", ("*",), (Property("id", "string"),) * 2, (check,))
    failed: Result = "failed"
    head = (check.id, check.kind, check.property, check.dimension, check.severity, failed)
    samples = tuple(Sample(Place(n, n + 1), None, note) for n, note in enumerate(notes, 1))
    outcome = CheckResult(*head, read, read - count, count, 0, None, check.expected, samples=samples)
    problem = explain(plan, check, outcome, read)

    assert problem
    assert ("ask for `csv.headerLacks` in the contract" in problem.fix) == is_lacking
