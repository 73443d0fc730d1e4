"""Properties and manifests of dbt imported: models, tests in both forms, packages, constraints, tests that stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from contracts.authoring.imports.importing import format_of, import_source
from tests.unit.contracts.authoring.imports.importing import documents, imported, notes

FORM = "dbt"
ORDERS = """\
version: 2
models:
  - name: orders
    description: All orders
    config: {contract: {enforced: true}, materialized: table, meta: {owner: sales}}
    columns:
      - name: id
        data_type: integer
        constraints: [{type: not_null}, {type: check, expression: "id > 0"}]
        tests: [unique, not_null]
      - name: status
        data_type: varchar(8)
        data_tests:
          - not_null
          - accepted_values: {arguments: {values: [new, paid]}}
      - name: amount
        data_type: numeric(9,2)
        tests: [{dbt_utils.accepted_range: {min_value: 0}}]
      - {name: day, data_type: date}
"""
VERSION = "https://schemas.getdbt.com/dbt/manifest/v12.json"


def manifest() -> dict[str, Any]:
    """The same model as a manifest has it: tests are nodes of their own."""
    (model,) = yaml.safe_load(ORDERS)["models"]
    uid = "model.shop.orders"
    nodes: dict[str, Any] = {uid: {**model, "resource_type": "model", "package_name": "shop", "alias": "orders"}}
    nodes[uid]["columns"] = {column["name"]: column for column in model["columns"]}
    tests: list[tuple[str, str, dict[str, Any], str | None]] = [
             ("unique", "id", {}, None), ("not_null", "id", {}, None), ("not_null", "status", {}, None),
             ("accepted_values", "status", {"values": ["new", "paid"]}, None),
             ("accepted_range", "amount", {"min_value": 0}, "dbt_utils")]  # fmt: skip
    for n, (name, column, own, package) in enumerate(tests):
        kwargs = {**own, "column_name": column, "model": "{{ get_where_subquery(ref('orders')) }}"}
        nodes[f"test.shop.{n}"] = {
            "name": f"{name}_{column}", "resource_type": "test", "package_name": "shop", "column_name": column,
            "attached_node": uid if n else None, "depends_on": {"nodes": [uid]},
            "config": {"severity": "ERROR", "error_if": "!= 0", "warn_if": "!= 0", "where": None},
            "test_metadata": {"name": name, "kwargs": kwargs, "namespace": package},
        }  # fmt: skip
    return {"metadata": {"dbt_schema_version": VERSION, "project_name": "shop"}, "nodes": nodes, "sources": {}}


def column(*tests: Any, kind: str | None = "integer", **more: Any) -> dict[str, Any]:
    """Return the property of a column with tests."""
    own = {"name": "x", **({"data_type": kind} if kind else {}), "data_tests": list(tests), **more}
    (document,) = documents(FORM, json.dumps({"models": [{"name": "t", "columns": [own]}]}))
    (prop,) = document["schema"][0]["properties"]
    return {key: value for key, value in prop.items() if key not in ("name", "logicalType")}


def test_manifest_says_the_same_as_the_properties() -> None:
    (of_yaml,) = documents(FORM, ORDERS)
    (of_manifest,) = documents("dbt-manifest", json.dumps(manifest()))
    assert of_manifest["schema"][0]["properties"] == of_yaml["schema"][0]["properties"]
    assert of_manifest["id"] == "orders"


def test_both_documents_are_known() -> None:
    assert format_of(ORDERS.encode(), "schema.yml") == FORM
    assert format_of(json.dumps(manifest()).encode(), "manifest.json") == "dbt-manifest"
    catalog = {"metadata": {"dbt_schema_version": VERSION.replace("manifest", "catalog")}, "nodes": {}, "sources": {}}
    assert format_of(json.dumps(catalog).encode(), "catalog.json") is None


def test_manifest_may_be_larger_than_a_contract() -> None:
    raw = json.dumps({**manifest(), "macros": {str(n): {"sql": "x" * 1000} for n in range(2000)}}).encode()
    assert len(raw) > 1 << 20
    assert len(import_source("dbt-manifest", raw, "manifest.json").contracts) == 1


@pytest.mark.parametrize("raw", [b'{"dbt_schema_version": ', b'{"dbt_schema_version":' + b"[" * 60 + b"]" * 60 + b"}"])
def test_manifest_that_cannot_be_read_is_an_error(raw: bytes) -> None:
    assert import_source("dbt-manifest", raw, "manifest.json").failed


ONE: dict[str, Any] = {"mustBe": 0}
EQUAL: dict[str, tuple[Any, dict[str, Any]]] = {
    "not_null": ("not_null", {"required": True}),
    "unique": ("unique", {"unique": True}),
    "values": ({"accepted_values": {"values": ["1", 2]}}, {"enum": [{"value": 1}, {"value": 2}]}),
    "a range": (
        {"dbt_utils.accepted_range": {"min_value": 1, "max_value": 9, "inclusive": False}},
        {"logicalTypeOptions": {"exclusiveMinimum": 1, "exclusiveMaximum": 9}},
    ),
    "an expectation": (
        {"dbt_expectations.expect_column_values_to_be_between": {"max_value": 9}},
        {"logicalTypeOptions": {"maximum": 9}},
    ),
    "a warning": (
        {"not_null": {"config": {"severity": "warn"}}},
        {"quality": [{"metric": "nullValues", "mustBe": 0, "severity": "warning"}]},
    ),
    "a limit": (
        {"not_null": {"error_if": ">10"}},
        {"quality": [{"metric": "nullValues", "mustBeLessOrEqualTo": 10}]},
    ),
    "a filter": (
        {"unique": {"config": {"where": "x > 3"}}},
        {"quality": [{"metric": "duplicateValues", "arguments": {"filter": "x > 3"}, "mustBe": 0}]},
    ),
    "a share": (
        {"dbt_utils.not_null_proportion": {"at_least": 0.95}},
        {"quality": [{"metric": "nullValues", "mustBeLessOrEqualTo": 5, "unit": "percent"}]},
    ),
}


@pytest.mark.parametrize("case", EQUAL)
def test_test_becomes_the_equal_check(case: str) -> None:
    test, expected = EQUAL[case]
    assert column(test) == expected


def test_test_with_a_name_is_read_in_its_other_form() -> None:
    named = {"name": "mine", "test_name": "accepted_values", "values": [1], "config": {"severity": "error"}}
    assert column(named) == {"enum": [{"value": 1}]}


STAYING = [
    {"dbt_utils.not_constant": {}},
    {"unique": {"config": {"error_if": ">10"}}},
    {"not_null": {"config": {"where": "{{ var('x') }}"}}},
    {"accepted_values": {"values": ["a"]}},
    {"relationships": {"to": "ref('elsewhere')", "field": "id"}},
]


@pytest.mark.parametrize("test", STAYING)
def test_test_without_an_equal_check_stays_one_of_dbt(test: dict[str, Any]) -> None:
    ((name, _),) = test.items()
    (entry,) = column(test)["quality"]
    assert (entry["engine"], entry["implementation"]["test"]) == ("dbt", name)


def test_tests_of_a_model_are_checks_of_the_table() -> None:
    model = {"name": "t", "columns": [{"name": "a", "data_type": "int"}, {"name": "b", "data_type": "date"}]}
    tests = [{"dbt_utils.unique_combination_of_columns": {"combination_of_columns": ["a", "b"]}},
             {"dbt_utils.expression_is_true": {"expression": "b >= '2026-01-01' or a > 1"}}]  # fmt: skip
    (document,) = documents(FORM, json.dumps({"models": [{**model, "tests": tests}]}))
    first, second = document["schema"][0]["quality"]
    assert (first["metric"], first["arguments"]) == ("duplicateValues", {"properties": ["a", "b"]})
    assert second["implementation"]["expression"] == "b >= CAST('2026-01-01' AS DATE) OR a > 1"


def test_reference_within_the_source_is_a_relationship_of_its_type() -> None:
    customers = {"name": "customers", "columns": [{"name": "id", "data_type": "bigint"}]}
    test = {"relationships": {"to": "ref('customers')", "field": "id"}}
    orders = {"name": "orders", "columns": [{"name": "customer", "tests": [test]}]}
    made, _ = documents(FORM, json.dumps({"models": [orders, customers]}))
    assert made["schema"][0]["properties"] == [
        {"name": "customer", "logicalType": "integer",
         "relationships": [{"to": "customers.v1.yaml#/schema/customers/properties/id"}]}
    ]  # fmt: skip


def test_tables_of_one_name_in_two_sources_are_told_apart() -> None:
    def source(name: str, kind: str) -> dict[str, Any]:
        return {"name": name, "tables": [{"name": "customers", "columns": [{"name": "id", "data_type": kind}]}]}

    test = {"relationships": {"to": "source('shop', 'customers')", "field": "id"}}
    orders = {"name": "orders", "columns": [{"name": "customer", "tests": [test]}]}
    text = json.dumps({"models": [orders], "sources": [source("shop", "bigint"), source("crm", "varchar(9)")]})
    made, *_ = documents(FORM, text)
    assert made["schema"][0]["properties"] == [
        {"name": "customer", "logicalType": "integer",
         "relationships": [{"to": "shop-customers.v1.yaml#/schema/customers/properties/id"}]}
    ]  # fmt: skip


def test_constraints_and_types_of_any_database_are_read() -> None:
    prop = column(kind="STRUCT<a INT64, b ARRAY<STRING>>")
    assert [inner["name"] for inner in prop["properties"]] == ["a", "b"]
    keyed = column(constraints=[{"type": "primary_key"}, {"type": "check", "expression": "x < 5"}])
    assert keyed == {"primaryKey": True, "logicalTypeOptions": {"exclusiveMaximum": 5}}


def test_table_of_a_source_has_its_freshness_as_latency() -> None:
    table = {"name": "raw", "identifier": "RAW_1", "columns": [{"name": "x", "data_type": "int"}],
             "freshness": {"error_after": {"count": 30, "period": "minute"}}}  # fmt: skip
    (document,) = documents(FORM, json.dumps({"sources": [{"name": "shop", "tables": [table]}]}))
    assert (document["id"], document["schema"][0]["physicalName"]) == ("shop-raw", "RAW_1")
    assert document["slaProperties"] == [{"property": "latency", "value": 30, "unit": "min"}]


def test_everything_without_equivalent_is_noted() -> None:
    text = (
        ORDERS
        + "      - {name: note, description: '{{ doc(\"x\") }}', tests: [dbt_utils.not_constant]}\nexposures: []\n"
    )
    assert notes(FORM, text) == [
        "Without `data_type` in `orders`: `note`. They are text, or what a test says of them.",
        "The `config` of `orders` says how dbt builds it (materialized).",
        "The description is filled in by dbt; it is not carried over.",
        "The test `dbt_utils.not_constant` of `orders.note` stays one of dbt: no file is held against it.",
    ]


TWO = json.dumps({"models": [{"name": n, "columns": [{"name": "x"}]} for n in ("orders", "customers")]})


def test_one_table_of_several_is_chosen_with_its_notes_alone() -> None:
    result = import_source(FORM, TWO.encode(), "schema.yml", tables=["orders"])
    assert [contract.name for contract in result.contracts] == ["orders.v1"]
    assert all("`orders`" in finding.message for finding in result.findings)


def test_notes_of_other_models_are_not_in_the_text() -> None:
    texts = [contract.text for contract in imported(FORM, TWO).contracts]
    assert ["Without `data_type` in `customers`" in text for text in texts] == [False, True]


def test_table_that_is_not_there_is_an_error_with_the_nearest() -> None:
    (finding,) = (
        f for f in import_source(FORM, TWO.encode(), "a.yml", tables=["order"]).findings if f.level == "error"
    )
    assert (finding.code, finding.fix) == ("no-such-table", "Write `--table orders`.")
