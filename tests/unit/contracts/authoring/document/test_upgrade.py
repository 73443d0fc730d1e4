"""Documents of ODCS 3.0 and 3.1: read as the same document in the keys of 3.2."""

from __future__ import annotations

import pytest

from contracts.authoring.compiler.compile import Compiled
from tests.builders import arguments_of
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document, compiled


def older(version: str, properties: str, quality: str = "") -> Compiled:
    return compiled(a_document(properties, quality, head=HEAD.replace("v3.2.0", version)))


@pytest.mark.parametrize("version", ["v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0"])
def test_older_document_is_read_and_noted(version: str) -> None:
    result = older(version, "- {name: x, logicalType: string}")
    assert result.plan
    assert [(f.level, f.code, f.line) for f in result.findings] == [("note", "older-odcs", 1)]


def test_rule_of_3_0_is_the_metric_of_3_2() -> None:
    result = older("v3.0.2", "- {name: x, logicalType: string}", "- {rule: rowCount, mustBeGreaterThan: 5}")
    assert result.plan
    assert result.plan.checks[-1].id == "rowCount"


def test_valid_values_of_3_0_become_arguments() -> None:
    text = "- name: x\n  logicalType: string\n  quality:\n    - {rule: validValues, validValues: [a, b], mustBe: 0}"
    result = older("v3.0.0", text)
    assert result.plan
    assert arguments_of(result.plan.checks[-1]) == {"values": ["a", "b"]}


def test_findings_stand_where_the_old_word_stands() -> None:
    text = "- name: x\n  logicalType: string\n  quality:\n    - mustBe: 0\n      rule: nulls"
    (finding,) = [f for f in older("v3.0.2", text).findings if f.level == "error"]
    assert (finding.line, finding.code) == (13, "unknown-value")


@pytest.mark.parametrize(
    ("form", "kind"), [("yyyy-MM-dd", "date"), ("yyyy-MM-dd HH:mm:ss", "timestamp"), ("HH:mm:ss", "time")]
)
def test_date_with_a_time_was_a_timestamp_or_a_time(form: str, kind: str) -> None:
    text = f'- name: x\n  logicalType: date\n  logicalTypeOptions: {{format: "{form}"}}'
    result = older("v3.0.2", text)
    assert result.plan
    assert result.plan.properties[0].type == kind


def test_older_words_are_read_within_objects_and_arrays() -> None:
    text = (
        "- name: x\n  logicalType: array\n  items:\n    logicalType: object\n    properties:\n      - name: y\n"
        "        logicalType: string\n        quality: [{rule: nullValues, mustBe: 0}]"
    )
    document = a_document(text, head=HEAD.replace("v3.2.0", "v3.0.2"), drop=DROP.replace("csv", "jsonl"))
    assert [f.code for f in compiled(document).findings] == ["older-odcs"]
    plan = compiled(document).plan
    assert plan
    assert plan.checks[-1].id == "x[].y.nullValues"


def test_rule_is_refused_in_todays_documents() -> None:
    result = older("v3.2.0", "- {name: x, logicalType: string}", "- {rule: rowCount, mustBe: 5}")
    assert [f.code for f in result.findings] == ["missing-key"]
