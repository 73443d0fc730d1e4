"""`relativeTo` as it is written: what it may say, and which figures can be held against earlier ones."""

from __future__ import annotations

import pytest

from contracts.authoring.exports.rules_in_words import in_words
from contracts.terms.history import Relative
from tests.unit.contracts.authoring.documents import DROP, a_document, check, compiled

OF = "of: median, last: 8"
NUMBER = "- {name: x, logicalType: number, quality: [%s]}\n"
CUSTOM = "{type: custom, engine: dropgate, implementation: {%s}}"
FIGURES = {
    "rows": (a_document(quality="- {metric: rowCount, %s, arguments: {%s}}\n"), "rowCount"),
    "rows of a filter": (a_document(quality="- {metric: rowCount, %s, arguments: {filter: id > 1, %s}}\n"), "rowCount"),
    "nulls": (a_document(NUMBER % "{metric: nullValues, %s, unit: percent, arguments: {%s}}"), "x.nullValues"),
    "repeats": (a_document(NUMBER % "{metric: duplicateValues, %s, arguments: {%s}}"), "x.duplicateValues"),
    "mean": (a_document(NUMBER % (CUSTOM % "metric: mean, %s, %s")), "x.mean"),
    "sum": (a_document(NUMBER % (CUSTOM % "metric: sum, %s, %s")), "x.sum"),
    "quantile": (a_document(NUMBER % (CUSTOM % "metric: quantile, quantile: 0.5, %s, %s")), "x.quantile"),
    "expression": (
        a_document(quality="- " + CUSTOM % "metric: expression, expression: id > 1, %s, %s" + "\n"),
        "expression",
    ),
    "statement": (
        a_document(
            quality="- " + CUSTOM % "metric: statement, statement: select * from data where id < 1, %s, %s" + "\n"
        ),
        "statement",
    ),
    "query": (
        a_document(
            quality="- {type: sql, query: 'select count(*) from data', %s, customProperties: [{property: relativeTo, "
            "value: {%s}}]}\n"
        ),
        "sql",
    ),
}


def rows(relative: str, more: str = "mustBeBetween: [-50, 50]", block: str = DROP) -> str:
    return a_document(quality=f"- {{metric: rowCount, {more}, arguments: {{relativeTo: {relative}}}}}\n", drop=block)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_can_be_held_against_history(name: str) -> None:
    text, check_id = FIGURES[name]
    relative = f"{{{OF}, period: weekday}}" if name == "query" else f"relativeTo: {{{OF}, period: weekday}}"
    text = text % ("mustBeBetween: [-50, 50]", relative.strip("{}") if name == "query" else relative)
    assert compiled(text).findings == ()
    made = check(text, check_id)
    assert made.threshold is not None
    assert made.threshold.relative == Relative("median", 8, 8, weekday=True)
    assert made.scope == "set"
    assert "from the median of the last 8 files of the same weekday" in made.expected
    assert "the median of the last 8 files of the same weekday" in in_words(made)


def test_no_difference_at_all_is_no_row_check() -> None:
    text = a_document(NUMBER % f"{{metric: nullValues, mustBe: 0, arguments: {{relativeTo: {{{OF}}}}}}}")
    assert check(text, "x.nullValues").scope == "set"


def test_settings_are_compiled() -> None:
    made = check(
        rows("{of: mean, last: 20, least: 5, unit: deviations, period: weekday, zone: Asia/Tokyo}"), "rowCount"
    )
    assert made.threshold is not None
    assert made.threshold.relative == Relative("mean", 20, 5, "deviations", weekday=True, zone="Asia/Tokyo")


def test_weekday_is_that_of_the_arrival_unless_it_says_otherwise() -> None:
    block = DROP + "arrival: {by: '09:00', zone: Europe/Berlin}\n"
    made = check(rows(f"{{{OF}, period: weekday}}", block=block), "rowCount")
    assert made.threshold is not None
    assert made.threshold.relative is not None
    assert made.threshold.relative.zone == "Europe/Berlin"


WRONG = {
    "8": "wrong-type",
    "{last: 8}": "missing-key",
    "{of: median}": "missing-key",
    "{of: medain, last: 8}": "unknown-value",
    "{of: median, last: 0}": "bad-value",
    "{of: median, last: 61}": "bad-value",
    "{of: median, last: 2.5}": "wrong-type",
    "{of: median, last: true}": "wrong-type",
    "{of: median, last: 8, least: 9}": "bad-value",
    "{of: median, last: 8, least: 0}": "bad-value",
    "{of: median, last: 2, unit: deviations}": "cannot-hold",
    "{of: median, last: 8, least: 2, unit: deviations}": "cannot-hold",
    "{of: median, last: 8, unit: rows}": "unknown-value",
    "{of: median, last: 8, period: month}": "unknown-value",
    "{of: median, last: 8, zone: Europe/Berln}": "unknown-timezone",
    "{of: median, last: 8, zone: 1}": "wrong-type",
    "{of: median, last: 8, within: 50}": "unknown-key",
}


@pytest.mark.parametrize("relative", WRONG)
def test_what_means_nothing_is_refused(relative: str) -> None:
    assert [(f.level, f.code) for f in compiled(rows(relative)).findings] == [("error", WRONG[relative])]


OPERATORS = {
    "mustBeBetween: [50, -50]": ["cannot-hold"],
    "mustBeLessThan: -100": ["cannot-hold"],
    "mustBeGreaterOrEqualTo: -100": ["always-holds"],
    "mustBeGreaterThan: -100": [],
    "mustBeLessThan: 300": [],
    "mustBe: 0": [],
    "mustBe: 0, unit: percent": ["unknown-unit"],
}


@pytest.mark.parametrize("more", OPERATORS)
def test_operator_is_for_the_difference(more: str) -> None:
    assert [f.code for f in compiled(rows(f"{{{OF}}}", more)).findings] == OPERATORS[more]


def test_dates_have_no_difference() -> None:
    entry = CUSTOM % f"metric: max, mustBeLessThan: 5, relativeTo: {{{OF}}}"
    text = a_document(f"- {{name: x, logicalType: date, quality: [{entry}]}}\n")
    assert [(f.code, f.message) for f in compiled(text).findings] == [
        ("wrong-type", "A difference from other files is of numbers; `x` is a date.")
    ]


def test_figures_of_classified_values_are_not_kept() -> None:
    entry = CUSTOM % f"metric: max, mustBeLessThan: 5, relativeTo: {{{OF}}}"
    text = a_document(f"- {{name: x, logicalType: number, classification: secret, quality: [{entry}]}}\n")
    assert [f.code for f in compiled(text).findings] == ["classified"]


def test_expression_with_history_needs_an_operator() -> None:
    entry = CUSTOM % f"metric: expression, expression: id > 1, relativeTo: {{{OF}}}"
    assert [f.code for f in compiled(a_document(quality=f"- {entry}\n")).findings] == ["no-operator"]


def test_checks_with_history_have_a_number() -> None:
    entries = "".join(
        f"- {{id: c{n}, metric: rowCount, mustBeLessThan: 50, arguments: {{relativeTo: {{{OF}}}}}}}\n"
        for n in range(13)
    )
    assert [f.code for f in compiled(a_document(quality=entries)).findings] == ["too-many"]
