"""Parquet imported: each type of column in a footer, and the facts that a footer lacks."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from contracts.authoring.imports.importing import ImportResult, import_document
from contracts.authoring.imports.schemas import parquet

TYPES: dict[str, dict[str, Any]] = {
    "boolean": {"logicalType": "boolean"},
    "int": {"logicalType": "integer"},
    "bigint": {"logicalType": "integer"},
    "float": {"logicalType": "number"},
    "double": {"logicalType": "number"},
    "decimal(10,2)": {"logicalType": "number", "physicalType": "decimal(10,2)"},
    "decimal(20,0)": {"logicalType": "number", "physicalType": "decimal(20,0)"},
    "string": {"logicalType": "string"},
    "date": {"logicalType": "date"},
    "timestamp": {"logicalType": "timestamp"},
    "timestamp_ntz": {"logicalType": "timestamp", "logicalTypeOptions": {"timezone": False}},
    "timestamp_ns": {"logicalType": "timestamp"},
    "timestamp_ntz_ns": {"logicalType": "timestamp", "logicalTypeOptions": {"timezone": False}},
    "time_ms": {"logicalType": "time"},
    "time_us": {"logicalType": "time"},
    "time_ns": {"logicalType": "time"},
    "null": {"physicalType": "null"},
    "binary": {"physicalType": "binary"},
    "nested": {"physicalType": "nested"},
    "unknown": {"physicalType": "unknown"},
}
NULLS = "Whether a column may be null is not read from the footer; no property is `required`."


def imported(*columns: tuple[str, str]) -> ImportResult:
    return import_document("parquet", parquet.document("things.parquet", columns), b"PAR1")


@pytest.mark.parametrize("kind", TYPES)
def test_type_of_column_makes_a_property(kind: str) -> None:
    result = imported(("x", kind), ("y", "string"))
    document = yaml.safe_load(result.contracts[0].text)
    assert document["schema"][0] == {
        "name": "things",
        "properties": [{"name": "x", **TYPES[kind]}, {"name": "y", "logicalType": "string"}],
    }
    notes = [f.message for f in result.findings if f.level == "note"]
    assert notes == sorted([NULLS, *([parquet.LOST[kind].format("x")] if kind in parquet.LOST else [])])


def test_file_without_columns_is_a_finding() -> None:
    assert [f.code for f in imported().findings] == ["nothing-there"]
