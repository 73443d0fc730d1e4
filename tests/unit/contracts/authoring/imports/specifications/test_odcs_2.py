"""ODCS 2.2 imported under its own name: keys, positions, rules of tools, and what an older draft of it wrote."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import format_of
from tests.unit.contracts.authoring.imports.importing import documents, imported, notes

FORM = "odcs-2.2"
ORDERS = """\
kind: DataContract
apiVersion: v2.2.2
uuid: 0e2f6a3c-0000-4000-8000-000000000001
type: tables
status: current
version: 2.0.0
quantumName: shop
datasetName: sales
username: "${env.username}"
dataset:
  - table: orders
    priorTableName: old_orders
    columns:
      - {column: id, isPrimaryKey: true, primaryKeyPosition: 1, logicalType: integer, isNullable: false}
      - {column: status, isUnique: false, logicalType: string, physicalType: varchar(8), isNullable: false}
      - column: amount
        logicalType: number
        physicalType: decimal(9,2)
        primaryKeyPosition: -1
        clusterStatus: true
        clusterKeyPosition: 1
        quality:
          - templateName: RangeCheck
            toolName: Elevate
            dimension: validity
            customProperties: [{property: min, value: 0}]
      - {column: day, logicalType: date, physicalType: date, partitionStatus: true, partitionKeyPosition: 1}
    quality:
      - {templateName: UniqueCheck, toolName: Elevate, toolRuleName: DQ.one, columns: "id, day", dimension: trust}
stakeholders: [{username: ann, role: Owner, dateIn: 2026-01-31}]
"""


def document(text: str = ORDERS) -> dict[str, Any]:
    (made,) = documents(FORM, text)
    return made


def properties() -> dict[str, dict[str, Any]]:
    return {prop["name"]: prop for prop in document()["schema"][0]["properties"]}


def test_document_is_known_by_kind_or_version() -> None:
    assert format_of(ORDERS.encode(), "a.yaml") == FORM
    assert format_of(ORDERS.replace("apiVersion: v2.2.2", "").encode(), "a.yaml") == FORM
    assert format_of(b"standardVersion: 2.2.0\nkind: managedDataset\ndataset: {tables: []}", "a.yaml") == FORM


@pytest.mark.parametrize("text", ["templateVersion: 2.1.1\nkind: virtualDataset\ndataset: []", "dataset: []"])
def test_template_keeps_its_name(text: str) -> None:
    assert format_of(text.encode(), "a.yaml") == "paypal-2.1"


def test_keys_with_positions_are_kept() -> None:
    props = properties()
    assert (props["id"]["primaryKey"], props["id"]["primaryKeyPosition"], props["id"]["required"]) == (True, 1, True)
    assert (props["day"]["partitioned"], props["day"]["partitionKeyPosition"]) == (True, 1)
    assert "primaryKeyPosition" not in props["amount"]
    assert [p["property"] for p in props["amount"]["customProperties"]] == ["clusterStatus", "clusterKeyPosition"]


def test_unique_column_stays_unique() -> None:
    text = ORDERS.replace("isUnique: false", "isUnique: true")
    assert document(text)["schema"][0]["properties"][1]["unique"] is True
    assert "unique" not in properties()["status"]


def test_rule_of_a_tool_stays_with_it_and_is_noted() -> None:
    (entry,) = properties()["amount"]["quality"]
    assert (entry["engine"], entry["dimension"]) == ("Elevate", "conformity")
    assert entry["implementation"] == {"templateName": "RangeCheck", "properties": {"min": 0}}
    assert "The rule `RangeCheck` stays one of `Elevate`: no file is held against it." in notes(FORM, ORDERS)


def test_rule_with_a_metric_keeps_its_tool_and_dimension() -> None:
    (entry,) = document()["schema"][0]["quality"]
    assert (entry["metric"], entry["arguments"]) == ("duplicateValues", {"properties": ["id", "day"]})
    assert {p["property"]: p["value"] for p in entry["customProperties"]} == {
        "dimension": "trust",
        "toolName": "Elevate",
        "toolRuleName": "DQ.one",
    }


def test_everything_without_equivalent_is_noted() -> None:
    assert notes(FORM, ORDERS) == [
        "`username` may be a secret, and does not belong into a contract.",
        "Columns of `orders` without `isNullable` may be null here; ODCS 2.2 says they may not.",
        "The rule `RangeCheck` stays one of `Elevate`: no file is held against it.",
    ]


def test_tables_within_the_dataset_are_read() -> None:
    text = "standardVersion: 2.2.0\ndataset:\n  tables:\n  - table: a\n    columns:\n"
    text += "    - {column: x, logicalType: Numeric, physicalType: serial, primary: true, nullable: false}\n"
    (prop,) = document(text)["schema"][0]["properties"]
    assert prop == {
        "name": "x",
        "logicalType": "number",
        "physicalType": "serial",
        "required": True,
        "primaryKey": True,
    }


def test_document_without_tables_makes_no_contract() -> None:
    result = imported(FORM, "kind: DataContract\napiVersion: v2.2.2\ndataset: []\n")
    assert [(f.code, f.level) for f in result.findings] == [("nothing-there", "error")]


def test_lint_names_the_import() -> None:
    findings = compile_text(ORDERS.encode(), "orders.yaml").findings
    assert [f.fix for f in findings if f.code == "import-first"] == [
        "Write `dropgate import orders.yaml`, which makes a contract in v3.2.0 of it."
    ]


def test_uuid_and_places_are_kept_as_custom_properties() -> None:
    kept = {p["property"]: p["value"] for p in document()["customProperties"]}
    assert kept.keys() == {"uuid", "status", "datasetName", "type"}
    assert yaml.safe_load(ORDERS)["uuid"] == kept["uuid"]
