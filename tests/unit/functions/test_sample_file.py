"""Samples of files: the door admits them, values meet the rules that they are made for, and the others are named."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contracts.authoring.compiler.compile import compile_each
from contracts.catalog import example
from contracts.plan import Plan
from functions.operations.sample_file import NoSample, SampleFile, sample_file
from functions.operations.upload import AnnouncedUpload, check_upload
from tests.builders import ZONES
from tests.unit.contracts.authoring.documents import a_document, compiled

ROOT = Path(__file__).parents[3]
PUBLISHED = [*ROOT.glob("contracts/**/*.v*.yaml"), *ROOT.glob("tests/e2e/contracts/**/*.yaml")]
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
PROPERTIES = """\
- name: id
  logicalType: integer
  required: true
  unique: true
- name: country
  logicalType: string
  logicalTypeOptions: {minLength: 2, maxLength: 2}
- name: color
  logicalType: string
  quality: [{type: library, metric: invalidValues, arguments: {validValues: [red, blue]}, mustBe: 0}]
- name: amount
  logicalType: number
  logicalTypeOptions: {minimum: 5, maximum: 6}
- name: "on"
  logicalType: date
  logicalTypeOptions: {format: "dd.MM.yyyy"}
- name: mail
  logicalType: string
  logicalTypeOptions: {format: email}
- name: code
  logicalType: string
  logicalTypeOptions: {pattern: "[A-Z]{3}"}
"""


def plan_of(text: str) -> Plan:
    plan = compiled(text).plan
    assert plan
    return plan


def sample_of(plan: Plan) -> SampleFile:
    made = sample_file(plan)
    assert isinstance(made, SampleFile)
    return made


def plans() -> list[Any]:
    each = [part.plan for path in PUBLISHED for part in compile_each(path.read_bytes(), path.name, alone=True)]
    return [pytest.param(plan, id=plan.contract) for plan in each if plan]


@pytest.mark.parametrize("plan", plans())
def test_door_admits_the_sample_of_each_published_contract(plan: Plan) -> None:
    made = sample_file(plan)
    if isinstance(made, NoSample):
        assert made.reason
        return
    key = example(plan.files[0])
    verdict = check_upload(ZONES, plan, AnnouncedUpload(key, len(made.body), made.body), NOW)
    assert [problem.message for problem in verdict.problems if problem.level == "error"] == []
    assert key.endswith(made.name)


def test_values_meet_the_rules_that_they_are_made_for() -> None:
    made = sample_of(plan_of(a_document(PROPERTIES)))
    header, *rows = csv.reader(io.StringIO(made.body.decode()))

    assert header == ["id", "country", "color", "amount", "on", "mail", "code"]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert all(len(row[1]) == 2 for row in rows)
    assert [row[3] for row in rows] == ["5", "6", "6"]
    assert rows[0][4:6] == ["30.01.2026", "name@example.org"]
    assert any(check.startswith("code.") for check in made.unmet)


def test_json_has_values_with_types() -> None:
    drop = "files: orders/*.jsonl\nproducer: shop\nformat: jsonl\n"
    records = [json.loads(line) for line in sample_of(plan_of(a_document(PROPERTIES, drop=drop))).body.splitlines()]
    assert [record["id"] for record in records] == [1, 2, 3]
    assert records[0]["amount"] == 5


@pytest.mark.parametrize(
    "drop",
    [
        "files: orders/*.parquet\nproducer: shop\nformat: parquet\n",
        "files: o/*.csv.gz\nproducer: shop\nformat: csv\ncompression: gzip\n",
    ],
)
def test_contract_without_a_sample_says_why(drop: str) -> None:
    assert isinstance(sample_file(plan_of(a_document(drop=drop))), NoSample)
