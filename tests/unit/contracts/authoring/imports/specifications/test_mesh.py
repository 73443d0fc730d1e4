"""Descriptors of data products imported: ports, tables, columns by the aliases of their types, tests and levels."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.document import physical_types
from tests.unit.contracts.authoring.imports.importing import codes, documents, imported, notes, refused

FORM = "mesh"
SALES: dict[str, Any] = {
    "name": "sales",
    "domain": "commerce",
    "interfaceComponents": {
        "inputPorts": [
            {
                "entityType": "inputPort",
                "name": "snowflake",
                "version": "1.0.0",
                "promises": [
                    {
                        "platform": "snowflakeaccount",
                        "servicesType": "sqlTable",
                        "api": {
                            "schema": {
                                "databaseName": "SALES_DB",
                                "databaseSchemaName": "PUBLIC",
                                "tables": [
                                    {
                                        "name": "INVOICES",
                                        "displayName": "Invoices",
                                        "columns": [
                                            {"name": "ORDER_NUMBER", "dataType": "NUMBER"},
                                            {"name": "QUANTITY ", "dataType": "NUMBER(10,2)"},
                                        ],
                                    }
                                ],
                            }
                        },
                    }
                ],
            }
        ],
        "outputPorts": [
            {
                "entityType": "outputPort",
                "name": "snowflake",
                "version": "2.1.0",
                "promises": [
                    {
                        "platform": "SnowflakeAccountIdentifier",
                        "servicesType": "sqlTable",
                        "api": {
                            "services": [],
                            "schema": {
                                "databaseName": "SALES_DATABASE",
                                "databaseSchemaName": "PUBLIC",
                                "tables": [
                                    {
                                        "name": "SALESORDERS",
                                        "displayName": "Sales Orders",
                                        "tableType": "VIEW",
                                        "columns": [{"name": "id", "dataType": "varchar(5)", "description": "An id."}],
                                        "x-tests": [{"test-category": "ML", "test-type": "RowCountByDay"}],
                                    }
                                ],
                            },
                        },
                        "deprecationPolicy": {"description": "None yet."},
                        "slo": [{"type": "loadDate", "max": 47, "unit": "hours"}],
                    }
                ],
            }
        ],
    },
}
TEXT = json.dumps(SALES)
NAMES = "Names of columns are compared in any case there, and exactly here."


PORT = ("interfaceComponents", "outputPorts", 0)
SCHEMA = (*PORT, "promises", 0, "api", "schema")


def changed(*path: Any, to: Any) -> str:
    data = copy.deepcopy(SALES)
    owner: Any = data
    for part in path[:-1]:
        owner = owner[part]
    owner[path[-1]] = to
    return json.dumps(data)


def column(kind: str) -> str:
    table = {"name": "t", "columns": [{"name": "x", "dataType": kind}]}
    promise = {"api": {"schema": {"tables": [table]}}}
    return json.dumps({"outputPorts": [{"name": "p", "promises": [promise]}]})


def test_each_table_of_each_port_is_a_contract() -> None:
    output, input_ = documents(FORM, TEXT)
    assert (output["id"], output["version"]) == ("sales-snowflake-SALESORDERS", "2.1.0")
    assert (input_["id"], input_["version"]) == ("sales-input-snowflake-INVOICES", "1.0.0")
    assert input_["domain"] == output["domain"] == "commerce"
    assert input_["schema"] == [
        {
            "name": "INVOICES",
            "businessName": "Invoices",
            "properties": [
                {"name": "ORDER_NUMBER", "logicalType": "number"},
                {"name": "QUANTITY ", "logicalType": "number", "physicalType": "decimal(10,2)"},
            ],
        }
    ]
    assert input_["servers"] == [
        {
            "server": "snowflake", "type": "snowflake", "account": "snowflakeaccount", "database": "SALES_DB",
            "schema": "PUBLIC",
        }
    ]  # fmt: skip


def test_levels_tests_and_policies_are_kept() -> None:
    output, _ = documents(FORM, TEXT)
    assert output["slaProperties"] == [{"property": "loadDate", "value": 47, "unit": "hours"}]
    kept = {entry["property"]: entry["value"] for entry in output["customProperties"]}
    assert kept == {"servicesType": "sqlTable", "deprecationPolicy": {"description": "None yet."}}
    assert output["schema"][0]["customProperties"][0]["value"] == [
        {"test-category": "ML", "test-type": "RowCountByDay"}
    ]
    assert [note.partition(",")[0] for note in notes(FORM, TEXT)] == [
        "Names of columns are compared in any case there",
        "`RowCountByDay` counts rows of a day",
    ]


TESTS = {
    "a warning": ({"test-type": "RowCountByDay", "test-severity": "Warning", "date-field": "d"}, ["warning"]),
    "no severity": ({"test-type": "RowCountByDay"}, ["warning"]),
    "an error": ({"test-type": "RowCountByDay", "test-severity": "Error"}, ["error"]),
    "another test": ({"test-type": "NullsByDay"}, []),
    "a text": ("RowCountByDay", []),
}


@pytest.mark.parametrize("case", TESTS)
def test_rows_of_a_day_are_held_against_the_same_weekday(case: str) -> None:
    test, severities = TESTS[case]
    text = changed(*SCHEMA, "tables", 0, "x-tests", to=[test])
    output, _ = documents(FORM, text)
    quality = output["schema"][0].get("quality", [])
    assert [entry.get("severity", "error") for entry in quality] == severities
    assert all(entry["arguments"]["relativeTo"]["period"] == "weekday" for entry in quality)
    assert refused(FORM, text) == []
    if not severities:
        assert any("has no equivalent; it is kept as a custom property" in note for note in notes(FORM, text))


def test_several_tests_of_rows_have_ids_of_their_own() -> None:
    text = changed(*SCHEMA, "tables", 0, "x-tests", to=[{"test-type": "RowCountByDay"}] * 2)
    output, _ = documents(FORM, text)
    assert [entry["id"] for entry in output["schema"][0]["quality"]] == ["rows-1", "rows-2"]
    assert refused(FORM, text) == []


SLO = [
    {"type": "loadDate", "max": 47, "unit": "hours"},
    {"type": "factDate", "max": 47, "unit": "hours"},
    {"type": "completenessPercent", "max": 100, "unit": "percent"},
    {"type": "uptimePercent", "max": 100, "unit": "percent"},
]
PROMISE = ("interfaceComponents", "outputPorts", 0, "promises", 0)
TABLE = (*PROMISE, "api", "schema", "tables", 0)


def with_levels(levels: list[dict[str, Any]], *columns: tuple[str, str], tests: tuple[str, ...] = ()) -> str:
    data = json.loads(changed(*PROMISE, "slo", to=levels))
    table = data["interfaceComponents"]["outputPorts"][0]["promises"][0]["api"]["schema"]["tables"][0]
    table["columns"] = [{"name": name, "dataType": kind} for name, kind in (("id", "varchar(5)"), *columns)]
    table["x-tests"] = [{"test-type": "RowCountByDay", "date-field": name} for name in tests]
    return json.dumps(data)


def held(text: str) -> list[str]:
    """The promises of the output port's contract, as it is published."""
    contract = next(c for c in imported(FORM, text).contracts if "input" not in c.name)
    document = json.loads(json.dumps(yaml.safe_load(contract.text)))
    block = {"files": "shop/*.csv", "producer": "shop", "format": "csv", "slo": "enforce"}
    document["customProperties"] = [{"property": "drop", "vendor": "dropgate", "value": block}]
    plan = compile_text(json.dumps(document | {"status": "active"}).encode(), f"{document['id']}.v2.yaml").draft
    assert plan
    return [f"{p.name} {p.element}".strip() for p in plan.promises]


@pytest.mark.parametrize(
    ("columns", "tests", "element"),
    [
        ((("day", "date"),), (), "day"),
        ((("day", "date"), ("at", "timestamp_ntz")), ("at",), "at"),
        ((("day", "date"), ("at", "timestamp_ntz")), (), None),
        ((), ("day",), None),
    ],
)
def test_levels_come_in_as_promises_that_are_held(
    columns: tuple[tuple[str, str], ...], tests: tuple[str, ...], element: str | None
) -> None:
    text = with_levels(SLO, *columns, tests=tests)
    output, input_ = documents(FORM, text)
    levels = {level["property"]: level for level in output["slaProperties"]}

    assert levels["completeness"] == {"property": "completeness", "value": 100, "unit": "percent"}
    assert levels["availability"]["value"] == 100
    assert levels["factDate"].get("element") == element
    assert "slaProperties" not in input_
    assert held(text) == ["loadDate", *([f"factDate {element}"] if element else []), "completeness"]
    assert any("`uptimePercent` is `availability`" in note for note in notes(FORM, text))
    assert any("which column" in note for note in notes(FORM, text)) == (element is None)


@pytest.mark.parametrize(
    ("level", "is_held"),
    [
        ({"type": "loadDate", "max": 47}, True),
        ({"type": "loadDate", "max": None}, False),
        ({"type": "loadDate", "max": "47"}, False),
        ({"type": "loadDate", "max": 47, "unit": "fortnights"}, False),
        ({"type": "completenessPercent", "max": 101, "unit": "percent"}, False),
        ({"type": "uptimePercent", "max": 100, "unit": "percent"}, False),
    ],
)
def test_only_levels_that_can_be_held_are(level: dict[str, Any], is_held: bool) -> None:
    contract = next(c for c in imported(FORM, with_levels([level])).contracts if "input" not in c.name)
    assert ("slo: enforce" in contract.text) == is_held


def test_columns_of_output_ports_alone_are_counted() -> None:
    output, input_ = (contract.text for contract in imported(FORM, TEXT).contracts)
    assert "extra: ignore" in input_
    assert "extra: ignore" not in output


@pytest.mark.parametrize("kind", physical_types.TYPES)
def test_type_makes_a_property_by_its_alias(kind: str) -> None:
    (document,) = documents(FORM, column(kind.upper()))
    assert document["schema"][0]["properties"] == [{"name": "x", **physical_types.TYPES[kind]}]
    assert refused(FORM, column(kind)) == []


@pytest.mark.parametrize("kind", [*physical_types.WITHOUT, "number(", "colour"])
def test_type_without_equivalent_is_named(kind: str) -> None:
    (document,) = documents(FORM, column(kind))
    assert document["schema"][0]["properties"] == [{"name": "x", "physicalType": kind}]
    assert notes(FORM, column(kind)) == [NAMES, f"The type `{kind}` of `x` has no equivalent."]


def test_length_of_a_text_is_kept() -> None:
    output, _ = documents(FORM, TEXT)
    assert output["schema"][0]["properties"] == [
        {
            "name": "id",
            "description": "An id.",
            "logicalType": "string",
            "logicalTypeOptions": {"maxLength": 5},
        }
    ]


BAD = {
    "no promises": (changed(*PORT, to={"name": "a"}), "missing-key"),
    "tables that are none": (changed(*SCHEMA, "tables", to={}), "wrong-type"),
    "a column without type": (changed(*SCHEMA, "tables", 0, "columns", to=[{"name": "x"}]), "missing-key"),
    "a type that is a number": (
        changed(*SCHEMA, "tables", 0, "columns", to=[{"name": "x", "dataType": 3}]), "wrong-type"
    ),
    "no ports": ('{"interfaceComponents": {}}', "nothing-there"),
    "objects without commas": (TEXT.replace("}, {", "} {"), "yaml-syntax"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_descriptor_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, code = BAD[case]
    assert [reported for reported, _ in codes(FORM, text)] == [code]


def test_table_without_columns_is_told() -> None:
    text = changed(*SCHEMA, "tables", 0, "columns", to=[])
    assert "`SALESORDERS` names no columns." in notes(FORM, text)
    assert refused(FORM, text) == ["The contract names no properties."]
