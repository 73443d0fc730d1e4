"""The published check of a table's schema, nested and repeated: admission gives the same results for files.

There a contract's fields are held against those of a table in BigQuery, one inside the other. Here the contract is
brought in, and the tables are files of Parquet, whose footers have their columns.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import Files, import_source
from contracts.plan import Columns, Plan
from functions.admission.admit import admit

CONTRACT = """\
fields:
  - {name: id, type: int64}
  - {name: tags, type: STRING, repeated: "yes"}
  - name: customer
    type:
      fields:
        - {name: name, type: STRING}
        - name: address
          type:
            fields:
              - {name: city, type: string}
  - name: lines
    repeated: "yes"
    type:
      fields:
        - {name: sku, type: STRING, repeated: "no"}
        - {name: price, type: FLOAT64}
        - {name: notes, type: STRING, repeated: "yes"}
"""
FIELDS = {
    "id": "bigint",
    "tags": "array<string>",
    "customer": "struct<name: string, address: struct<city: string>>",
    "lines": "array<struct<sku: string, price: double, notes: array<string>>>",
}
Faults = set[tuple[str, str]]
"""Codes with the paths that they are about."""
TABLES: dict[str, tuple[dict[str, str], Faults]] = {
    "as agreed": ({}, set()),
    "another order": (dict(reversed(FIELDS.items())), set()),
    "more columns": ({"more": "binary"}, set()),
    "more within a field": ({"customer": "struct<name: string, more: int, address: struct<city: string>>"}, set()),
    "more within a repeated field": (
        {"lines": "array<struct<sku: string, price: double, notes: array<string>, more: int>>"},
        set(),
    ),
    "a field less": ({"tags": ""}, {("missing-column", "tags")}),
    "a field of fields less": (
        {"customer": ""},
        {("missing-column", "customer")},
    ),
    "a field less two levels down": (
        {"customer": "struct<name: string, address: struct<town: string>>"},
        {("missing-column", "customer.address.city")},
    ),
    "a field less within a repeated one": (
        {"lines": "array<struct<sku: string, notes: array<string>>>"},
        {("missing-column", "lines[].price")},
    ),
    "another type": ({"id": "string"}, {("wrong-type", "id")}),
    "another type two levels down": (
        {"customer": "struct<name: string, address: struct<city: int>>"},
        {("wrong-type", "customer.address.city")},
    ),
    "another type within a repeated field": (
        {"lines": "array<struct<sku: string, price: string, notes: array<string>>>"},
        {("wrong-type", "lines[].price")},
    ),
    "not repeated": ({"tags": "string"}, {("wrong-type", "tags")}),
    "fields that are not repeated": (
        {"lines": "struct<sku: string, price: double, notes: array<string>>"},
        {("wrong-type", "lines")},
    ),
    "not repeated within a repeated one": (
        {"lines": "array<struct<sku: string, price: double, notes: string>>"},
        {("wrong-type", "lines[].notes")},
    ),
    "no fields within": ({"customer": "string"}, {("wrong-type", "customer")}),
    "repeated where it is not to be": ({"id": "array<bigint>"}, {("wrong-type", "id")}),
}
"""Tables as they differ from the agreed one, an empty type for a column that is not there; what the door finds."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    made = import_source(
        "astrafy",
        CONTRACT.encode(),
        "contracts/1.0.0/shop/orders.yaml",
        Files(("shop/*.parquet",), "shop", "parquet"),
        "active",
    )
    (contract,) = made.contracts
    compiled = compile_text(contract.text.encode(), contract.name).plan
    assert compiled, made.findings
    return compiled


def admission_of(spark: SparkSession, folder: Path, plan: Plan, table: dict[str, str]) -> tuple[Faults, bool]:
    """Return the problems of a file with such columns, and True if admission refuses it."""
    columns = {name: kind for name, kind in (FIELDS | table).items() if kind}
    # A column of nulls alone fits any type; a column within another keeps its own.
    values = {name: "null" if "<" in kind else "'1'" for name, kind in columns.items()}
    selected = ", ".join(f"cast({values[name]} as {kind}) as {name}" for name, kind in columns.items())
    spark.sql(f"select {selected}").coalesce(1).write.parquet(f"{folder}/t")
    (file,) = (folder / "t").glob("part-*.parquet")
    body = file.read_bytes()
    admission = admit(plan, "shop/a.parquet", len(body), lambda start, length: body[start : start + length])
    return {(p.code, p.property or "") for p in admission.problems}, admission.refused


@pytest.mark.parametrize("case", TABLES)
def test_table_is_held_to_every_field(spark: SparkSession, tmp_path: Path, plan: Plan, case: str) -> None:
    table, expected = TABLES[case]
    assert admission_of(spark, tmp_path, plan, table) == (expected, bool(expected))


@pytest.mark.parametrize("case", ["a field less", "a field less two levels down", "a field less within a repeated one"])
def test_missing_field_need_not_be_critical(spark: SparkSession, tmp_path: Path, plan: Plan, case: str) -> None:
    table, expected = TABLES[case]
    milder = replace(plan, columns=Columns(extra="ignore", missing="warn"))
    assert admission_of(spark, tmp_path, milder, table) == (expected, False)
