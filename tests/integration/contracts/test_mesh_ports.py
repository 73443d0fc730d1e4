"""The published checks of a data mesh: one descriptor, its input and output ports, and the results for their tables.

There a service asks a database which columns a table has, and says of an output port whether their number is right
(ColumnCount), of both whether each is there (ColumnExists) and of its type (DataType). Here the tables come as files of
Parquet, whose columns stand in their footers, and the same is read from what admission says of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import Files, import_source
from contracts.plan import Plan
from functions.admission.admit import admit

Result = tuple[str, str, str, str]
"""Kind of test, column, result, message."""
INVOICES = {"ORDER_NUMBER": "NUMBER", "PRODUCT_ID": "NUMBER", "QUANTITY": "NUMBER", "AMOUNT": "NUMBER"}
ORDERS = {"ID": "VARCHAR", "CUSTOMER": "TEXT", "AMOUNT": "NUMBER", "CREATED": "TIMESTAMP_NTZ", "PAID": "BOOLEAN"}


def a_port(table: str, columns: dict[str, str]) -> dict[str, Any]:
    listed = [{"name": name, "dataType": kind} for name, kind in columns.items()]
    schema = {
        "databaseName": "SALES_DB",
        "databaseSchemaName": "PUBLIC",
        "tables": [{"name": table, "columns": listed}],
    }
    return {"name": "snowflake", "version": "1.0.0", "promises": [{"platform": "acme", "api": {"schema": schema}}]}


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    ports = {"inputPorts": [a_port("INVOICES", INVOICES)], "outputPorts": [a_port("SALESORDERS", ORDERS)]}
    descriptor = json.dumps({"name": "sales", "interfaceComponents": ports}).encode()
    made = import_source(
        "mesh", descriptor, "sales.json", Files(("sales/*.parquet",), "sales", "parquet"), "active"
    ).contracts
    plans = {contract.name: compile_text(contract.text.encode(), contract.name).plan for contract in made}
    return {name.rpartition("-")[2].split(".")[0].upper(): plan for name, plan in plans.items() if plan}


REST = {"CREATED": "timestamp_ntz", "PAID": "boolean"}
TABLES: dict[str, dict[str, str]] = {
    "as it was": {"ID": "string", "CUSTOMER": "string", "AMOUNT": "decimal(10,2)", **REST},
    "renamed": {"ID": "string", "CLIENT": "string", "AMOUNT": "bigint", **REST},
    "one less": {"ID": "string", "AMOUNT": "double", **REST},
    "one more": {"ID": "string", "CUSTOMER": "string", "AMOUNT": "int", **REST, "NOTE": "string"},
    "other types": {"ID": "bigint", "CUSTOMER": "string", "AMOUNT": "string", "CREATED": "date", "PAID": "boolean"},
}  # fmt: skip
OUTPUT: dict[str, list[tuple[str, str]]] = {
    "as it was": [],
    "renamed": [("ColumnExists", "CUSTOMER")],
    "one less": [("ColumnCount", ""), ("ColumnExists", "CUSTOMER")],
    "one more": [("ColumnCount", "")],
    "other types": [("DataType", "ID"), ("DataType", "AMOUNT"), ("DataType", "CREATED")],
}
"""The failing tests of each table; all others pass."""
RUNS = {"as it was": 11, "renamed": 10, "one less": 10, "one more": 11, "other types": 11}
"""The number of tests: one of the table, and two of each existing column."""


def a_table(spark: SparkSession, path: Path, columns: dict[str, str]) -> Path:
    """Write one file of Parquet with a record of values: a column with only nulls fits any type."""
    values = ", ".join(f"CAST({_text(kind)} AS {kind}) AS {name}" for name, kind in columns.items())
    spark.sql(f"SELECT {values}").coalesce(1).write.parquet(path.as_uri())
    (file,) = path.glob("part-*.parquet")
    return file


def _text(kind: str) -> str:
    """Return a text, in SQL, that can be cast to a type."""
    return "'2024-01-01'" if kind in ("date", "timestamp_ntz") else "'1'"


def results(plan: Plan, file: Path, agreed: dict[str, str], *, count: bool) -> list[Result]:
    """Return the service's results for a table, from dropgate's problems in the file."""
    with file.open("rb") as opened:

        def read(start: int, length: int) -> bytes:
            opened.seek(start)
            return opened.read(length)

        problems = admit(plan, "sales/a.parquet", file.stat().st_size, read).problems
    codes = [p.code for p in problems]
    assert set(codes) <= {"missing-column", "extra-column", "wrong-type"}
    missing = {p.property for p in problems if p.code == "missing-column"}
    wrong = {p.property: p.message for p in problems if p.code == "wrong-type"}
    tests = [("ColumnCount", "", codes.count("missing-column") != codes.count("extra-column"), "")] if count else []
    for name in agreed:
        tests.append(("ColumnExists", name, name in missing, ""))
        if name not in missing:
            tests.append(("DataType", name, name in wrong, wrong.get(name, "")))
    return [(kind, name, "Failed" if failed else "Passed", message) for kind, name, failed, message in tests]


@pytest.mark.parametrize("case", TABLES)
def test_output_port_is_held_to_number_names_and_types(
    case: str, plans: dict[str, Plan], spark: SparkSession, tmp_path: Path
) -> None:
    reported = results(plans["SALESORDERS"], a_table(spark, tmp_path / "t", TABLES[case]), ORDERS, count=True)

    assert len(reported) == RUNS[case]
    assert [(kind, name) for kind, name, result, _ in reported if result == "Failed"] == OUTPUT[case]
    messages = {name: message for kind, name, _, message in reported if message}
    assert messages.keys() == {name for kind, name in OUTPUT[case] if kind == "DataType"}
    if messages:
        assert messages["ID"] == "The column `ID` is of the type bigint; the contract requires string."


def test_input_port_lets_more_columns_through(plans: dict[str, Plan], spark: SparkSession, tmp_path: Path) -> None:
    more = {**dict.fromkeys(INVOICES, "decimal(10,0)"), "DISCOUNT": "double"}
    less = {"ORDER_NUMBER": "bigint", "PRODUCT_ID": "string", "AMOUNT": "double"}
    held = [
        results(plans["INVOICES"], a_table(spark, tmp_path / name, columns), INVOICES, count=False)
        for name, columns in (("more", more), ("less", less))
    ]

    assert [len(answers) for answers in held] == [8, 7]
    assert {result for _, _, result, _ in held[0]} == {"Passed"}
    assert [(kind, name) for kind, name, result, _ in held[1] if result == "Failed"] == [
        ("DataType", "PRODUCT_ID"),
        ("ColumnExists", "QUANTITY"),
    ]
