"""Contract checks of ports: the published descriptor's ports, held to promoted files and tables of every kind."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import Files, import_source
from contracts.plan import Plan
from contracts.table import TableColumn
from functions.drop import Promotion
from tests.builders import ZONES, World, a_drop, a_plan, a_world
from tests.unit.functions.api.asking import Answer, Asking

INVOICES = {"ORDER_NUMBER": "NUMBER", "PRODUCT_ID": "NUMBER", "QUANTITY": "NUMBER", "AMOUNT": "NUMBER"}
"""The published input port."""
ORDERS = {"ID": "VARCHAR", "CUSTOMER": "TEXT", "AMOUNT": "NUMBER", "CREATED": "TIMESTAMP_NTZ", "PAID": "BOOLEAN"}
TYPES: dict[str, Any] = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "moment": pa.timestamp("us"),
    "bool": pa.bool_(),
}
REST = {"CREATED": "moment", "PAID": "bool"}
TABLES = {
    "as it was": {"ID": "string", "CUSTOMER": "string", "AMOUNT": "double", **REST},
    "renamed": {"ID": "string", "CLIENT": "string", "AMOUNT": "bigint", **REST},
    "one less": {"ID": "string", "AMOUNT": "double", **REST},
    "one more": {"ID": "string", "CUSTOMER": "string", "AMOUNT": "int", **REST, "NOTE": "string"},
    "other types": {"ID": "bigint", "CUSTOMER": "string", "AMOUNT": "string", **REST},
}
FAILED: dict[str, list[tuple[str, str | None]]] = {
    "as it was": [],
    "renamed": [("ColumnExists", "CUSTOMER")],
    "one less": [("ColumnCount", None), ("ColumnExists", "CUSTOMER")],
    "one more": [("ColumnCount", None)],
    "other types": [("DataType", "ID"), ("DataType", "AMOUNT")],
}
"""The failing tests of each table; all others pass."""


def a_port(table: str, columns: dict[str, str]) -> dict[str, Any]:
    listed = [{"name": name, "dataType": kind} for name, kind in columns.items()]
    schema = {
        "databaseName": "SALES_DB",
        "databaseSchemaName": "PUBLIC",
        "tables": [{"name": table, "columns": listed}],
    }
    return {"name": "snowflake", "version": "1.0.0", "promises": [{"platform": "acme", "api": {"schema": schema}}]}


def plans() -> list[Plan]:
    ports = {"inputPorts": [a_port("INVOICES", INVOICES)], "outputPorts": [a_port("SALESORDERS", ORDERS)]}
    descriptor = json.dumps({"name": "sales", "interfaceComponents": ports}).encode()
    files = Files(("sales/*.parquet",), "sales", "parquet")
    made = import_source("mesh", descriptor, "sales.json", files, "active").contracts
    compiled = (compile_text(contract.text.encode(), contract.name).plan for contract in made)
    return [plan for plan in compiled if plan]


@pytest.fixture
def world() -> World:
    return a_world(contracts=[*plans(), a_plan("orders.v1")])


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def promoted(world: World, contract: str, name: str, body: bytes) -> None:
    """Give consumers a file of a contract."""
    key = f"{contract}/{name}"
    drop = a_drop(id=contract[:1] * 32, state="accepted", contract=contract, producer="sales")
    world.ledger.open(replace(drop, key=f"landing/{name}", received_at=world.ports.at(), promoted=Promotion(key, 1)))
    world.store.put(f"{ZONES.promoted}{key}", body, "application/octet-stream")


def a_file(columns: dict[str, str]) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({name: pa.array([None, None], TYPES[kind]) for name, kind in columns.items()}), written)
    return written.getvalue()


def checked(asking: Asking, path: str) -> Answer:
    return asking.ask(f"{path}/contract_check", asking.token("consumer"), "POST")


def contract_of(world: World, table: str) -> str:
    index = world.ports.catalog.index_if_any()
    assert index
    return next(entry.contract for entry in index.entries if table.lower() in entry.contract.lower())


@pytest.mark.parametrize("case", TABLES)
def test_output_port_is_held_to_number_names_and_types(asking: Asking, world: World, case: str) -> None:
    promoted(world, contract_of(world, "SALESORDERS"), "sales/1.parquet", a_file(TABLES[case]))

    answer = checked(asking, "/sales/output-ports/snowflake")

    assert answer.status == 200
    tests = [(each["test_type"], each["column_name"], each["result"]) for each in answer.body]
    assert [(kind, name) for kind, name, result in tests if result == "Failed"] == FAILED[case]
    there = sum(name in TABLES[case] for name in ORDERS)
    assert len(tests) == 1 + len(ORDERS) + there


def test_input_port_lets_more_columns_through(asking: Asking, world: World) -> None:
    body = a_file({**dict.fromkeys(INVOICES, "bigint"), "DISCOUNT": "double"})
    promoted(world, contract_of(world, "INVOICES"), "sales/1.parquet", body)

    body = checked(asking, "/sales/input-ports/snowflake").body

    assert len(body) == 8
    assert {each["result"] for each in body} == {"Passed"}
    assert body[1] == {
        "data_product": "sales",
        "database": "promoted",
        "table_name": "INVOICES",
        "column_name": "ORDER_NUMBER",
        "test_type": "DataType",
        "result": "Passed",
        "severity": "Critical",
        "message": "Expected: number Actual: bigint",
    }


def test_promoted_csv_is_held_to_its_header(asking: Asking, world: World) -> None:
    promoted(world, "orders.v1", "orders/1.csv", b"id,note\n1,a\n")

    results = checked(asking, "/orders/output-ports/orders.v1").body

    assert [each["test_type"] for each in results[:3]] == ["ColumnCount", "ColumnExists", "DataType"]
    assert {each["result"] for each in results} == {"Passed"}


def test_promoted_table_is_held_to_its_log(asking: Asking, world: World) -> None:
    promoted(world, "orders.v1", "", b"")
    world.tables.columns[f"{ZONES.promoted}orders.v1/"] = (
        TableColumn("id", "string"),
        TableColumn("_drop", "string"),
        TableColumn("_record", "long"),
    )

    failed = [
        (each["test_type"], each["column_name"], each["message"])
        for each in checked(asking, "/orders/output-ports/orders").body
        if each["result"] == "Failed"
    ]

    assert failed[0] == ("ColumnCount", None, "Expected: 2 Actual: 1")
    assert ("ColumnExists", "note", "") in failed


def test_file_that_cannot_be_read_is_no_result(asking: Asking, world: World) -> None:
    promoted(world, contract_of(world, "SALESORDERS"), "sales/1.parquet", b"PAR1 and no more")

    assert checked(asking, "/sales/output-ports/snowflake").status == 409
    assert checked(asking, "/sales/input-ports/snowflake").status == 409  # nothing is promoted


@pytest.mark.parametrize("path", ["/sales/output-ports/kafka", "/bank/output-ports/snowflake", "/%00/input-ports/a"])
def test_port_that_no_contract_is_answers_404(asking: Asking, path: str) -> None:
    assert checked(asking, path).status == 404
