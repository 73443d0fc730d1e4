"""Exports for their targets: ODCS that is valid to the letter, and the parts that a target cannot run, named."""

from __future__ import annotations

import importlib.resources
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema.validators import Draft201909Validator

from contracts.authoring.exports.dbt import BEFORE_ARGUMENTS
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read_each
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document
from tests.unit.contracts.authoring.exports.test_formats import export

SCHEMA = json.loads(importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8"))
STRICT = Draft201909Validator(SCHEMA, format_checker=Draft201909Validator.FORMAT_CHECKER)
OLD, LAST = (HEAD.replace("v3.2.0", version) for version in ("v3.0.2", "v3.1.0"))
LANDS = DROP + "references: {lands: {file: lands.csv}}"
ENTRIES = """\
- name: id
  logicalType: integer
  relationships: [{to: lands.id}]
  quality:
    - {type: custom, engine: dropgate, implementation: {metric: mean, mustBeBetween: [1, 9]}}
    - {metric: nullValues, mustBeLessThan: 5, unit: percent}
"""
DOCUMENTS = {
    "as it is": a_document(),
    "without files": a_document()[: a_document().index("customProperties")],
    "entries": a_document(ENTRIES, drop=LANDS),
    "a waiver": a_document(more_drop="waivers: [{change: a, version: 1.0.0, because: b}]"),
    "bounds of 3.0": a_document(
        "- {name: x, logicalType: integer, logicalTypeOptions: {maximum: 9, exclusiveMaximum: true}}", head=OLD
    ),
    "a rule of 3.0": a_document("- {name: x, logicalType: integer, quality: [{mustBe: 0, rule: nullCheck}]}", head=OLD),
    "a rule of a tool": a_document("- {name: x, logicalType: string, quality: [{rule: between}]}", head=OLD),
    "a team of 3.0": a_document(head=OLD + "team: [{username: ana, role: owner}]\n"),
    "no type": a_document("- {name: x, physicalType: BIGINT, required: true}\n- {name: y}"),
    "null is valid": a_document(
        "- {name: x, logicalType: string, "
        "quality: [{mustBe: 0, metric: invalidValues, arguments: {validValues: [a, null]}}]}"
    ),
    "a date unquoted": a_document("- {name: x, logicalType: date, examples: [2026-01-31]}"),
    "anchors": a_document("- &a\n  name: a\n  logicalType: integer\n- {<<: *a, name: b}"),
    "a word as status": a_document(head=HEAD.replace("active", "Active")),
    "a free id": a_document(head=HEAD.replace("id: orders", "id: 'urn:a:b'"), drop=DROP + "alias: orders"),
    "keys of its own": a_document(
        head=LAST + "team: {members: [{username: ana, desk: 1}]}\nroles: [{role: x, more: y}]\n"
        "slaProperties: [{property: latency, value: 4, unit: h, extra: 1}]\n"
        "servers: [{server: a, type: s3, location: 's3://b/x', account: x, zone: 2}]\n"
    ),
}


def faults(text: str) -> list[str]:
    """Return the faults of exported documents by the schema of ODCS 3.2, without any leniency."""
    exported = (FORMATS["odcs"].write(one.contract).text for one in read_each(text.encode(), "x.yaml") if one.contract)
    data: list[Any] = [json.loads(json.dumps(yaml.safe_load(each), default=str)) for each in exported]
    assert data
    return [error.message for each in data for error in STRICT.iter_errors(each)]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_exported_document_is_valid_by_the_standard(name: str) -> None:
    assert faults(DOCUMENTS[name]) == []


def test_own_contracts_are_valid_by_the_standard() -> None:
    paths = sorted(Path("contracts").glob("*/*.v*.yaml"))
    assert len(paths) > 2
    assert {path.name: faults(path.read_text(encoding="utf-8")) for path in paths} == {path.name: [] for path in paths}


def test_key_that_the_standard_lacks_is_a_custom_property() -> None:
    exported = export("odcs", DOCUMENTS["keys of its own"])
    data = yaml.safe_load(exported.text)

    assert data["roles"] == [{"role": "x", "customProperties": [{"property": "more", "value": "y"}]}]
    assert [p["property"] for p in data["servers"][0]["customProperties"]] == ["account", "zone"]
    line = "`more` of `roles[0]`, which the standard does not have there: a custom property here."
    assert line in exported.losses
    assert f"#   {line}" in exported.text


NESTED = "- {name: to, logicalType: object, properties: [{name: city, logicalType: string, required: true}]}\n"
PATTERN = "- {name: code, logicalType: string, logicalTypeOptions: {pattern: '^a$'}}\n"
MULTIPLE = "- {name: id, logicalType: integer, logicalTypeOptions: {multipleOf: 5}}\n"


@pytest.mark.parametrize(
    ("form", "properties", "line"),
    [
        ("great-expectations", MULTIPLE, "On pandas: the queries of `id.multipleOf`, which are for Spark and SQL."),
        ("great-expectations", PATTERN, "On pandas: the patterns of `code.pattern`, which are Java's."),
        ("great-expectations", NESTED, "On pandas: columns within others, which a data frame of pandas does not have."),
        (
            "dbt",
            "- {name: x, logicalType: string, enum: [{value: a}]}\n",
            BEFORE_ARGUMENTS,
        ),
    ],
)
def test_part_that_a_target_cannot_run_is_named(form: str, properties: str, line: str) -> None:
    exported = export(form, a_document(properties, drop=DROP.replace("csv", "jsonl")))

    assert line in exported.losses
    assert line in exported.text


@pytest.mark.parametrize("form", ["great-expectations", "dbt"])
def test_target_that_runs_everything_has_no_such_line(form: str) -> None:
    exported = export(form, a_document("- {name: x, logicalType: string, required: true}\n"))

    assert not [line for line in exported.losses if "pandas" in line or "1.10" in line]
