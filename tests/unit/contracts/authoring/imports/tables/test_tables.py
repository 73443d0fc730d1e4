"""Tables of other tools: a document as people have it becomes a contract that judges a good and a bad file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml

from contracts import rules
from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.formats import FORMATS
from contracts.authoring.imports.importing import Files, format_of
from contracts.plan import Plan
from tests.oracle.test_drafts import verdict
from tests.unit.contracts.authoring.imports.importing import documents, imported
from tests.unit.contracts.authoring.imports.specifications import test_odcs_2
from tests.unit.contracts.authoring.imports.suites import test_dbt, test_great_expectations

POSTGRES = """\
-- from pg_dump
SET client_encoding = 'UTF8';
CREATE TABLE shop.orders (
    id bigserial PRIMARY KEY,
    status varchar(8) NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'paid')),
    amount numeric(9,2) CHECK (amount >= 0 AND amount < 1000),
    day date,
    CHECK (amount > 1 OR status = 'new')
);
COMMENT ON COLUMN shop.orders.amount IS 'In euro';
CREATE INDEX by_day ON shop.orders (day);
"""
SQLSERVER = """\
SET ANSI_NULLS ON
GO
CREATE TABLE [dbo].[Orders](
    [id] [int] IDENTITY(1,1) NOT NULL,
    [status] [nvarchar](8) NOT NULL,
    [amount] [decimal](9, 2) NULL,
    [day] [date] NULL,
    CONSTRAINT [PK_Orders] PRIMARY KEY CLUSTERED ([id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
) ON [PRIMARY]
GO
ALTER TABLE [dbo].[Orders] WITH CHECK ADD CONSTRAINT [CK_amount] CHECK (([amount]>=(0)))
GO
"""
SNOWFLAKE = """\
create or replace table sales.public.orders (
    id number(38,0) not null autoincrement comment 'The key',
    status varchar(16777216) not null,
    amount number(9,2),
    day date,
    primary key (id),
    check (amount between 0 and 1000)
) cluster by (day) comment = 'All orders';
"""
BIGQUERY = """\
CREATE TABLE `shop.sales.orders` (
    id INT64 NOT NULL OPTIONS(description="The key"),
    status STRING(8) NOT NULL,
    amount NUMERIC(9, 2),
    day DATE,
    PRIMARY KEY (id) NOT ENFORCED
) PARTITION BY day OPTIONS(description="All orders");
"""
SPECIFICATION = """\
dataContractSpecification: 1.2.0
id: urn:datacontract:checkout:orders
info: {title: Orders, version: 2.0.0, owner: Checkout, description: All orders}
terms: {usage: Reports, limitations: None, billing: free}
models:
  orders:
    type: table
    description: One row for each order
    fields:
      id: {$ref: '#/definitions/id', required: true, primaryKey: true}
      status: {type: string, required: true, enum: [new, paid], maxLength: 8}
      amount: {type: decimal, precision: 9, scale: 2, minimum: 0, pii: true}
      day: {type: date}
    quality:
      - {type: sql, query: "SELECT COUNT(*) FROM {model} WHERE amount > 1000", mustBe: 0}
      - {type: custom, engine: soda, implementation: {type: freshness}}
definitions:
  id: {type: integer, description: The key, minimum: 1}
servicelevels:
  retention: {period: P1Y}
  latency: {threshold: 25h}
  support: {time: 9am}
"""
SPARK: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "long", "nullable": False, "metadata": {"comment": "The key"}},
        {"name": "status", "type": "string", "nullable": False, "metadata": {}},
        {"name": "amount", "type": "decimal(9,2)", "nullable": True, "metadata": {}},
        {"name": "day", "type": "date", "nullable": True, "metadata": {}},
    ],
}
GLUE: dict[str, Any] = {
    "Table": {
        "Name": "orders",
        "DatabaseName": "shop",
        "PartitionKeys": [{"Name": "month", "Type": "string"}],
        "StorageDescriptor": {
            "Columns": [
                {"Name": "id", "Type": "bigint", "Comment": "The key"},
                {"Name": "status", "Type": "varchar(8)"},
                {"Name": "amount", "Type": "decimal(9,2)"},
                {"Name": "day", "Type": "date"},
            ],
            "SerdeInfo": {"Parameters": {"field.delim": ",", "skip.header.line.count": "1"}},
        },
        "Parameters": {"classification": "csv"},
    }
}
TABLE: dict[str, Any] = {
    "fields": [
        {"name": "id", "type": "integer", "constraints": {"required": True, "unique": True}},
        {"name": "status", "type": "string", "constraints": {"required": True, "enum": ["new", "paid"]}},
        {"name": "amount", "type": "number", "constraints": {"minimum": 0}},
        {"name": "day", "type": "date", "format": "%Y-%m-%d"},
    ],
    "primaryKey": "id",
    "missingValues": ["", "NA"],
}
PACKAGE: dict[str, Any] = {
    "name": "shop",
    "version": "1.2.0",
    "resources": [
        {"name": "orders", "path": "orders.csv", "schema": TABLE, "dialect": {"delimiter": ","}, "encoding": "utf-8"}
    ],
}
CSVW: dict[str, Any] = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "orders.csv",
    "dialect": {"delimiter": ",", "header": True},
    "tableSchema": {
        "columns": [
            {"name": "id", "titles": "id", "datatype": "positiveInteger", "required": True},
            {"name": "status", "titles": ["status"], "datatype": {"base": "string", "maxLength": 8}, "required": True},
            {"name": "amount", "titles": "amount", "datatype": {"base": "decimal", "minimum": 0}},
            {"name": "day", "titles": "day", "datatype": {"base": "date", "format": "yyyy-MM-dd"}},
        ],
        "primaryKey": "id",
    },
}
VALUES = {"spark-json": SPARK, "glue": GLUE, "table-schema": TABLE, "data-package": PACKAGE, "csvw": CSVW}
TEXTS = {
    "postgres-ddl": POSTGRES,
    "sqlserver-ddl": SQLSERVER,
    "snowflake-ddl": SNOWFLAKE,
    "bigquery-ddl": BIGQUERY,
    "data-contract-specification": SPECIFICATION,
    "odcs-2.2": test_odcs_2.ORDERS,
    "dbt": test_dbt.ORDERS,
    "dbt-manifest": json.dumps(test_dbt.manifest()),
    "great-expectations": test_great_expectations.SUITE,
} | {name: json.dumps(value) for name, value in VALUES.items()}
HEADER = "id,status,amount,day\n"
GOOD = f"{HEADER}1,new,2.50,2026-01-31\n2,paid,7.00,\n"
BAD = {"no number": "1,new,x,2026-01-31\n", "no day": "1,new,2.50,31.01.2026\n"}
WORSE = {"negative": "1,new,-2.50,2026-01-31\n", "no status": "1,,2.50,2026-01-31\n", "no id": ",new,2.50,2026-01-31\n"}
HELD = {
    "negative": TEXTS.keys() - {"bigquery-ddl", "spark-json", "glue", "odcs-2.2"},
    "no status": TEXTS.keys() - {"glue"},
    "no id": TEXTS.keys() - {"glue"},
}
"""The formats in whose documents a fault is one: Glue has no word for null, and four have none for bounds."""
FILES = Files(("shop/orders/*.csv",), "shop", "csv")


def without_queries(plan: Plan) -> Plan:
    """Return a plan without queries, which the oracle reads in a notation of its own, and rules of other engines."""
    left = tuple(check for check in plan.checks if not isinstance(check.rule, rules.Sql | rules.OtherEngine))
    return replace(plan, checks=left)


def contract(form: str) -> str:
    result = imported(form, TEXTS[form], "orders.src", FILES)
    assert not [f for f in result.findings if f.level != "note"], result.findings
    (made,) = result.contracts
    return made.text.replace("status: draft", "status: active")


@pytest.mark.parametrize("form", TEXTS)
def test_document_says_of_which_format_it_is(form: str) -> None:
    assert format_of(TEXTS[form].encode(), "orders.src") == form


@pytest.mark.parametrize("form", TEXTS)
def test_imported_contract_judges_a_good_and_a_bad_file(form: str) -> None:
    compiled = compile_text(contract(form).encode(), "orders.v1.yaml")

    assert compiled.plan
    plan = without_queries(compiled.plan)
    assert {f.level for f in compiled.findings if f.code != "file-name"} <= {"note"}
    assert verdict(plan, GOOD.encode()) == ("accepted", [])
    for line in BAD.values():
        assert verdict(plan, (HEADER + line).encode())[0] == "rejected", line
    for fault, line in WORSE.items():
        expected = "rejected" if form in HELD[fault] else "accepted"
        assert verdict(plan, (HEADER + line).encode())[0] == expected, fault


@pytest.mark.parametrize("form", TEXTS)
def test_loss_has_a_line_of_the_source(form: str) -> None:
    lines = TEXTS[form].count("\n") + 1

    assert all(1 <= f.line <= lines for f in imported(form, TEXTS[form]).findings)


def test_other_statements_are_passed_over_with_a_note() -> None:
    notes = {f.line: f.message for f in imported("postgres-ddl", POSTGRES).findings}

    assert "SET client_encoding" in notes[2]
    assert "CREATE INDEX" in notes[11]


def test_statement_that_cannot_be_read_is_an_error_with_its_line() -> None:
    findings = imported("postgres-ddl", "DROP TABLE a;\nCREATE TABLE c (\n  d int NOT (\n").findings

    assert [(f.level, f.code) for f in findings if f.level != "note"] == [("error", "ddl-syntax")]
    assert max(f.line for f in findings) in (2, 3)


def test_table_that_cannot_be_read_among_others_is_a_warning_with_its_line() -> None:
    text = "CREATE TABLE a (b int);\nCREATE TABLE c (d int EXCLUDE ((;\nCREATE TABLE e (f int);"
    result = imported("postgres-ddl", text)
    assert [contract.name for contract in result.contracts] == ["a.v1", "e.v1"]
    ((level, line, message),) = [(f.level, f.line, f.message) for f in result.findings if f.code == "ddl-syntax"]
    assert (level, line) == ("warning", 2)
    assert "`CREATE TABLE c" in message


def test_table_of_sql_server_may_say_in_any_words_how_it_is_stored() -> None:
    table = "CREATE TABLE [dbo].[a](\n[b] [varbinary](max) NOT NULL\n) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]"
    result = imported("sqlserver-ddl", f"USE [x]\nGO\n{table}\nGO\n")
    assert [contract.name for contract in result.contracts] == ["dbo.a.v1"]
    assert "`ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]` has no equivalent; it says how the table is stored." in {
        f.message for f in result.findings
    }


def test_table_that_no_reader_takes_is_an_error_and_no_note() -> None:
    findings = imported("snowflake-ddl", "CREATE TABLE @scheme.a (b int);").findings
    assert [(f.level, f.code) for f in findings] == [("error", "ddl-syntax")]


def test_numbers_of_a_list_may_be_written_as_cells() -> None:
    listed = {"name": "n", "type": "number", "constraints": {"enum": ["0.95", 1, "4E4", "x", "1E99999999"]}}
    (document,) = documents("table-schema", json.dumps({"fields": [listed]}))
    values = [entry["value"] for entry in document["schema"][0]["properties"][0]["enum"]]
    assert values == [0.95, 1, 40000, "x", "1E99999999"]


def test_condition_of_several_columns_is_an_expression() -> None:
    (made,) = yaml.safe_load(contract("postgres-ddl"))["schema"]

    assert made["quality"][0]["implementation"]["expression"] == "amount > 1 OR status = 'new'"


def test_foreign_key_within_the_text_is_a_relationship() -> None:
    text = "CREATE TABLE a (id int PRIMARY KEY);\nCREATE TABLE b (a int REFERENCES a (id), c int REFERENCES d (e));"
    result = imported("postgres-ddl", text)

    prop = yaml.safe_load(result.contracts[1].text)["schema"][0]["properties"][0]
    assert prop["relationships"] == [{"to": "a.v1.yaml#/schema/a/properties/id"}]
    assert any("`c` is to a table that is not in this text" in f.message for f in result.findings)


def test_free_id_of_a_specification_becomes_readable() -> None:
    made = yaml.safe_load(contract("data-contract-specification"))

    assert made["schema"][0]["quality"][0]["query"] == "SELECT COUNT(*) FROM {model} WHERE amount > 1000"
    assert (made["id"], made["version"]) == ("orders", "2.0.0")
    assert {"property": "retention", "value": 1, "unit": "y"} in made["slaProperties"]
    assert {"property": "latency", "value": 25, "unit": "h"} in made["slaProperties"]


def test_words_for_null_and_titles_go_into_the_block() -> None:
    columns = [{**CSVW["tableSchema"]["columns"][0], "titles": "Order no.", "null": "-"}]
    text = json.dumps({**CSVW, "tableSchema": {"columns": columns}, "dialect": {"delimiter": ";"}})
    (made,) = imported("csvw", text, "orders.src", FILES).contracts

    block = yaml.safe_load(made.text)["customProperties"][0]["value"]
    assert block["csv"] == {"delimiter": ";"}
    assert block["columns"] == {"source": "physicalName"}
    assert block["values"] == {"nullValues": ["", "-"]}


def test_every_text_of_another_tool_is_listed() -> None:
    assert TEXTS.keys() <= FORMATS.keys()
