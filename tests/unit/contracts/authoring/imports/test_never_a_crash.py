"""Randomly changed sources of all formats: the result is valid ODCS or findings, never a crash."""

from __future__ import annotations

import copy
import importlib.resources
import json
import re
from itertools import cycle
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.validators import Draft201909Validator

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.formats import FORMATS
from contracts.authoring.imports.importing import Files, import_source
from contracts.authoring.imports.schemas import spark_ddl, spark_types
from tests.unit.contracts.authoring.imports.schemas import test_spark_ddl
from tests.unit.contracts.authoring.imports.specifications import (
    test_astrafy,
    test_data_contract,
    test_mesh,
    test_odcs_2,
)
from tests.unit.contracts.authoring.imports.suites import test_clouddq, test_dbt, test_great_expectations
from tests.unit.contracts.authoring.imports.tables import test_tables

SCHEMA = {
    "$id": "https://example.org/o", "title": "Orders", "required": ["id"], "description": "All.",
    "properties": {
        "id": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2, "deprecated": True},
        "mail": {"anyOf": [{"type": "string", "format": "email", "maxLength": 5}, {"type": "null"}]},
        "kind": {"enum": ["a", None], "pattern": "^a$"}, "one": {"const": 1}, "all": {"allOf": [{"$ref": "#/$defs/a"}]},
        "list": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": ["string", "null"]}},
        "map": {"type": "object", "additionalProperties": {"type": "number"}, "minProperties": 1},
    },
    "$defs": {"a": {"properties": {"b": {"type": "boolean", "default": True}}, "required": ["b", "c"]}},
}  # fmt: skip
RECORD = {
    "type": "record", "name": "Order", "namespace": "com.shop", "doc": "An order.", "aliases": ["O"],
    "fields": [
        {"name": "id", "type": "long", "doc": "An id.", "default": 1},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}},
        {"name": "kind", "type": ["null", {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}]},
        {"name": "again", "type": "Kind"}, {"name": "two", "type": ["string", "int"]},
        {"name": "list", "type": {"type": "array", "items": {"type": "fixed", "name": "F", "size": 3}}},
        {"name": "map", "type": {"type": "map", "values": {"type": "int", "logicalType": "date"}}},
        {"name": "in", "type": {"type": "record", "name": "In", "fields": [{"name": "x", "type": "F"}]}},
    ],
}  # fmt: skip
RULE = {"templateName": "NullCheck", "code": "c", "severity": "error", "dimension": "accuracy", "type": "t"}
PAYPAL = {
    "quantumName": "q", "datasetDomain": "d", "version": "1.1.0", "uuid": "u", "tags": ["a"], "tenant": "t",
    "description": {"purpose": "p"}, "productDl": "a", "productSlackChannel": "b", "productFeedbackUrl": "c",
    "dataset": [{
        "table": "t", "physicalName": "p", "dataGranularity": "g", "description": "d", "tags": ["b"],
        "columns": [{
            "column": "x", "isPrimary": True, "logicalType": "string", "physicalType": "varchar", "isNullable": False,
            "classification": 3, "sampleValues": ["a"], "transformSourceTables": ["s"], "clusterStatus": True,
            "authoritativeDefinitions": [{"url": "u", "type": "t"}], "partitionStatus": True, "quality": [RULE],
        }],
        "quality": [{"templateName": "DistinctCheck", "columns": ["x"], "customProperties": [{"property": "a"}]}],
    }],
    "price": {"priceAmount": 1.5, "priceCurrency": "USD", "priceUnit": "megabyte"},
    "stakeholders": [{"username": "a", "role": "r", "dateIn": "2022-08-02"}],
    "roles": [{"role": "r", "access": "read"}], "slaDefaultColumn": "t.x",
    "slaProperties": [{"property": "latency", "value": 4, "unit": "d", "column": "t.x", "driver": "analytics"}],
    "customProperties": [{"property": "a", "value": [1]}],
}  # fmt: skip
SAMPLES: dict[str, Any] = {
    "json-schema": SCHEMA,
    "avro": RECORD,
    "parquet": [{"name": "a", "type": "int"}, {"name": "b", "type": "decimal(3,2)"}],
    "data-contract-0.1.3": yaml.safe_load(test_data_contract.INMET),
    "mesh": test_mesh.SALES,
    "clouddq": test_clouddq.CONFIG,
    "astrafy": yaml.safe_load(test_astrafy.SCHEMA),
    "paypal-2.1": PAYPAL,
}
SAMPLES |= test_tables.VALUES
SAMPLES["dbt"] = yaml.safe_load(test_dbt.ORDERS)
SAMPLES["dbt-manifest"] = test_dbt.manifest()
SAMPLES["great-expectations"] = json.loads(test_great_expectations.SUITE)
SAMPLES["odcs-2.2"] = yaml.safe_load(test_odcs_2.ORDERS.replace("2026-01-31", '"2026-01-31"'))
SAMPLES["data-contract-specification"] = yaml.safe_load(test_tables.SPECIFICATION)
DDL = {"spark-ddl": test_spark_ddl.TABLE} | {
    form: test_tables.TEXTS[form] for form in ("postgres-ddl", "sqlserver-ddl", "snowflake-ddl", "bigquery-ddl")
}
"""Formats that are read as text."""
WORDS = [
    "",
    "no",
    "a",
    "x",
    "1.0.0",
    "string",
    "null",
    "record",
    "object",
    "decimal",
    "é\n",
    "#",
    "#/properties/id",
    "1>0",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=4,
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Yield every container with each of its keys or positions."""
    if isinstance(value, dict):
        return [(value, k) for k in value] + [p for v in value.values() for p in _places(v)]
    if isinstance(value, list):
        return [(value, n) for n in range(len(value))] + [p for v in value for p in _places(v)]
    return []


STANDARD = Draft201909Validator(
    json.loads(importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8"))
)
"""The standard's own JSON Schema, read by the library as it is."""


def _is_typed(prop: dict[str, Any]) -> bool:
    """Return True if a property and all nested ones have types; the standard's schema refuses one without."""
    inside = [*prop.get("properties", ()), *prop.get("map", {}).values(), *([prop["items"]] if "items" in prop else [])]
    return "logicalType" in prop and all(_is_typed(inner) for inner in inside)


def is_answered(form: str, raw: bytes) -> bool:
    """Return True if a source is imported; check that contracts are ODCS, and that every finding has a fix."""
    result = import_source(form, raw, "x.src")
    assert all(f.message and f.fix for f in result.findings)
    for contract in result.contracts:
        document = yaml.safe_load(contract.text)
        findings = compile_text(contract.text.encode(), f"{contract.name}.yaml").findings
        assert [f for f in findings if f.level == "error"] == []
        if all(_is_typed(prop) for prop in document["schema"][0].get("properties", ())):
            assert list(STANDARD.iter_errors(document)) == []
    return bool(result.contracts) != result.failed


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) | DDL.keys() == set(FORMATS)
    assert all(import_source(form, json.dumps(sample).encode(), "x").contracts for form, sample in SAMPLES.items())


@pytest.mark.parametrize("form", FORMATS)
def test_contracts_fit_the_schema_of_the_standard(form: str) -> None:
    text = json.dumps(SAMPLES[form]) if form in SAMPLES else DDL[form]
    text = text.replace('{"name": "two", "type": ["string", "int"]}, ', "")  # without a type it would be refused
    for contract in import_source(form, text.encode(), "x").contracts:
        assert list(STANDARD.iter_errors(yaml.safe_load(contract.text))) == []


@pytest.mark.parametrize("form", SAMPLES)
@pytest.mark.parametrize("files", [None, Files(("shop/*.csv",), "shop", "csv")], ids=["bare", "with files"])
def test_every_line_that_lint_refuses_is_told(form: str, files: Files | None) -> None:
    result = import_source(form, json.dumps(SAMPLES[form]).encode(), "x.src", files)
    warned = {(f.file, f.line, f.code) for f in result.findings if f.level == "warning" and f.file != "x.src"}
    entry = "\n  - {property: drop, value: {files: x/*, producer: x, format: jsonl}}"
    refused = set()
    for contract in result.contracts:
        first, below, rest = contract.text.partition("\ncustomProperties:")
        bare = first.rstrip("\n") + "\ncustomProperties:" + entry + (rest if below else "")
        text = contract.text if files else bare
        name = f"{contract.name}.yaml"
        findings = compile_text(text.encode(), name).findings
        refused |= {(name, f.line, f.code) for f in findings if f.level == "error"}
    assert refused == warned


@pytest.mark.parametrize("form", SAMPLES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_changed_values_make_contracts_or_findings(form: str, data: st.DataObject) -> None:
    changed = copy.deepcopy(SAMPLES[form])
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(changed)
        owner, key = places[data.draw(st.integers(0, len(places) - 1))]
        if isinstance(owner, dict) and data.draw(st.booleans()):
            owner[data.draw(st.sampled_from(WORDS))] = owner.pop(key)
        elif data.draw(st.booleans()):
            others = _places(SAMPLES[form])
            there, at = others[data.draw(st.integers(0, len(others) - 1))]
            owner[key] = copy.deepcopy(there[at])
        else:
            owner[key] = data.draw(VALUES)
    assert is_answered(form, json.dumps(changed).encode())


HUGE = ("1e999999999", "-1e-999999999", "1e999999999%", "9" * 400, ">1e999999999")
"""Numbers that nothing can compute with; written out, the first has a billion digits."""


@pytest.mark.parametrize("form", [form for form in FORMATS if re.search("[0-9]", DDL.get(form, "1"))])
def test_numbers_that_nothing_can_compute_with_hold_nothing_up(form: str) -> None:
    turn, sources = cycle(HUGE), []
    if form in DDL:
        spans = [match.span() for match in re.finditer(r"[0-9]+", DDL[form])]
        sources = [f"{DDL[form][:begin]}{number}{DDL[form][end:]}" for begin, end in spans for number in HUGE[::3]]
    for n, (owner, key) in enumerate(_places(SAMPLES.get(form))):
        if isinstance(owner[key], (dict, list)):
            continue
        changed, number = copy.deepcopy(SAMPLES[form]), next(turn)
        there, at = _places(changed)[n]
        there[at] = number
        quoted = json.dumps(changed)
        sources += [quoted, quoted.replace(f'"{number}"', number)] if number in HUGE[:2] else [quoted]
    assert sources
    for source in sources:
        assert is_answered(form, source.encode())


@pytest.mark.parametrize("form", FORMATS)
@given(value=VALUES)
@settings(max_examples=10, deadline=None)
def test_any_value_makes_contracts_or_findings(form: str, value: Any) -> None:
    assert is_answered(form, json.dumps(value).encode())


PIECES = [
    *spark_types.TYPES, *spark_types.WITHOUT, *spark_ddl.CLAUSES, *spark_ddl.OF_COLUMNS, *"<>(),:;.'`", "struct<",
    "array<", "map<", "varchar(", "decimal(", "5", "x", "CREATE TABLE", "key", "by", "--", "/*", "\n", "'a'", "\0", "é",
]  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from(PIECES)), min_size=1, max_size=4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_changed_statements_make_contracts_or_findings(changes: list[tuple[int, str]], over: bool) -> None:
    text = test_spark_ddl.TABLE
    for at, piece in changes:
        text = f"{text[:at]} {piece} {text[at + (9 if over else 0) :]}"
    assert is_answered("spark-ddl", text.encode())


@given(st.lists(st.sampled_from(PIECES), max_size=12))
@settings(max_examples=60, deadline=None)
def test_any_words_make_contracts_or_findings(words: list[str]) -> None:
    assert is_answered("spark-ddl", f"a int, {' '.join(words)}".encode())
