"""Expectations of Great Expectations in a contract: what they become in the plan, in exports, and by changes."""

from __future__ import annotations

import json

import pytest

from contracts.authoring.comparing import compare
from contracts.authoring.exporting.formats import FORMATS
from contracts.authoring.exporting.reading import read
from contracts.plan import EXPECTATION, HOLDS_TRUE, Check
from tests.unit.authoring.documents import FILE, a_document, a_plan, a_property, compiled

ENTRY = "- type: custom\n  engine: greatExpectations\n  implementation:"
BETWEEN = "expect_column_values_to_be_between"
KWARGS = "{column: id, min_value: 0.5, mostly: 0.9, row_condition: id > 2}"
MAPPING = f"{ENTRY} {{type: {BETWEEN}, severity: critical, kwargs: {KWARGS}}}\n"
TEXTS = {
    "YAML": f"{ENTRY} |\n    type: {BETWEEN}\n    kwargs: {KWARGS}\n",
    "folded YAML": f"{ENTRY} >\n    {{type: {BETWEEN},\n    kwargs: {KWARGS}}}\n",
    "JSON": f'{ENTRY} \'{{"type": "{BETWEEN}", "kwargs": '
    '{"column": "id", "min_value": 0.5, "mostly": 0.9, "row_condition": "id > 2"}}\'\n',
    "another spelling": f"{ENTRY.replace('greatE', 'great-e')} {{type: {BETWEEN}, kwargs: "
    "{column: id, minValue: 0.5, mostly: 0.9, rowCondition: id > 2}}\n",
}


def the_check(text: str) -> Check:
    (found,) = (c for c in a_plan(text).checks if c.kind == EXPECTATION)
    return found


def test_expectation_is_a_check_of_the_file() -> None:
    kwargs = {"column": "id", "min_value": 0.5, "mostly": 0.9, "row_condition": "id > 2", "condition_parser": "spark"}
    assert the_check(a_document(quality=MAPPING)) == Check(
        id=f"id.{BETWEEN}",
        kind=EXPECTATION,
        scope="set",
        severity="error",
        dimension="conformity",
        expected=f'{BETWEEN} (column "id", min_value 0.5, mostly 0.9, row_condition "id > 2")',
        property="id",
        arguments={"type": BETWEEN, "kwargs": kwargs, "subject": "values"},
        threshold=HOLDS_TRUE,
    )


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_way_to_write_it_is_the_same_rule(text: str) -> None:
    assert a_plan(a_document(quality=text)).checks == a_plan(a_document(quality=MAPPING)).checks


def test_column_is_the_property_that_it_stands_under() -> None:
    body = "quality:\n" + ENTRY + " {type: expect_column_values_to_be_null, severity: info}"
    check = the_check(a_property(body))

    assert (check.id, check.severity) == ("x.expect_column_values_to_be_null.warning", "warning")
    assert check.arguments["kwargs"] == {"column": "x"}


def test_expectations_of_columns_do_not_ask_for_them() -> None:
    """A file that lacks a column is what they are about; all others wait for the column."""
    entry = f"{ENTRY} {{type: expect_column_to_exist, kwargs: {{column: id}}}}\n"
    pair = f"{ENTRY} {{type: expect_column_pair_values_to_be_equal, kwargs: {{column_A: id, column_B: id}}}}\n"

    assert the_check(a_document(quality=entry)).properties() == ()
    assert the_check(a_document(quality=pair)).properties() == ("id",)


def test_other_arguments_are_another_rule() -> None:
    before, after = (compiled(a_document(quality=MAPPING.replace("0.9", share))) for share in ("0.9", "0.8"))
    (change,) = [c for c in compare(before, after).changes if c.kind == "rule"]

    assert change.direction == "both"


@pytest.mark.parametrize("form", FORMATS)
def test_every_export_says_it_or_that_it_does_not(form: str) -> None:
    found = read(a_document(quality=MAPPING).encode(), FILE)
    assert found.contract
    exported = FORMATS[form].write(found.contract)

    assert BETWEEN in exported.text + " ".join(exported.losses)


def test_suite_has_the_expectation_as_it_is() -> None:
    found = read(a_document(quality=MAPPING).encode(), FILE)
    assert found.contract
    suite = json.loads(FORMATS["great-expectations"].write(found.contract).text)
    (expectation,) = (one for one in suite["expectations"] if one["type"] == BETWEEN)

    assert expectation["kwargs"] == the_check(a_document(quality=MAPPING)).arguments["kwargs"]
    assert expectation["severity"] == "critical"


def test_filter_is_the_condition_of_its_own() -> None:
    entry = f"{ENTRY} {{type: expect_column_values_to_be_null, kwargs: {{column: id}}, filter: id > 2}}\n"
    (finding,) = [f for f in compiled(a_document(quality=entry)).findings if f.level == "error"]

    assert (finding.code, finding.fix) == ("wrong-place", "Write `row_condition` among its `kwargs`.")


@pytest.mark.parametrize(
    ("kwargs", "of"),
    [
        ("{column: id, regex: '^(a+)+$'}", "match_regex"),
        ("{column: id, regex: '^(ab)+$'}", "not_match_regex"),
        ("{column: id, regex_list: ['^a', '^.*-.*-.*!$']}", "match_regex_list"),
        ("{column: id, regex_list: ['^.*-.*$']}", "not_match_regex_list"),
    ],
)
def test_regular_expression_of_unbounded_time_is_refused(kwargs: str, of: str) -> None:
    entry = f"{ENTRY} {{type: expect_column_values_to_{of}, kwargs: {kwargs}}}\n"
    (finding,) = [f for f in compiled(a_document(quality=entry)).findings if f.level == "error"]
    assert finding.code == "bad-pattern"


def test_cheap_regular_expression_is_accepted() -> None:
    entry = f"{ENTRY} {{type: expect_column_values_to_match_regex, kwargs: {{column: id, regex: '^[A-Z]+$'}}}}\n"
    assert compiled(a_document(quality=entry)).plan
