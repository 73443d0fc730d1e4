"""Spark's DDL imported: each row of its types, constraints and clauses, and unreadable statements."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.authoring.imports.schemas.spark_types import TYPES, WITHOUT
from tests.unit.contracts.authoring.imports.importing import codes, documents, notes, properties, refused

FORM = "spark-ddl"


@pytest.mark.parametrize("kind", TYPES)
def test_type_makes_a_property(kind: str) -> None:
    assert properties(FORM, f"x {kind.upper()}") == [{"name": "x", **TYPES[kind]}]
    assert refused(FORM, f"x {kind}") == notes(FORM, f"x {kind}") == []


@pytest.mark.parametrize("kind", WITHOUT)
def test_type_without_equivalent_is_named(kind: str) -> None:
    assert notes(FORM, f"x {kind}, y int") == [f"The type `{kind}` has no equivalent."]


INTEGER = {"logicalType": "integer"}
STRING = {"logicalType": "string"}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "text with a length": ("varchar(5)", {**STRING, "logicalTypeOptions": {"maxLength": 5}}),
    "decimal": ("DECIMAL(10, 2)", {"logicalType": "number", "physicalType": "decimal(10,2)"}),
    "decimal without scale": ("numeric(5)", {"logicalType": "number", "physicalType": "decimal(5,0)"}),
    "decimal alone": ("decimal", {"logicalType": "number", "physicalType": "decimal(10,0)"}),
    "not null": ("bigint NOT NULL", {**INTEGER, "required": True}),
    "comment": ("bigint COMMENT 'It''s \\'one\\'' NOT NULL",
                {**INTEGER, "description": "It's 'one'", "required": True}),
    "list": ("array<array<bigint>>", {"logicalType": "array", "items": {"logicalType": "array", "items": INTEGER}}),
    "map": ("map<string,bigint>", {"logicalType": "map", "map": {"key": STRING, "value": INTEGER}}),
    "struct": ("struct<a: bigint NOT NULL COMMENT 'c', `b c`: string>",
               {"logicalType": "object", "properties": [
                   {"name": "a", **INTEGER, "required": True, "description": "c"}, {"name": "b c", **STRING}]}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_column_makes_a_property(case: str) -> None:
    text, expected = CASES[case]
    assert properties(FORM, f"`x` {text}") == [{"name": "x", **expected}]
    assert notes(FORM, f"x {text}") == []


TABLE = """\
-- the shop's
CREATE OR REPLACE TABLE IF NOT EXISTS shop.`orders` (
  id BIGINT NOT NULL, /* a number */
  day DATE DEFAULT current_date() COMMENT 'of sale',
  country STRING,
  CONSTRAINT pk PRIMARY KEY (day, ID) NOT ENFORCED,
  CONSTRAINT fk FOREIGN KEY (country) REFERENCES c(id)
) USING delta
PARTITIONED BY (country)
COMMENT 'All orders'
TBLPROPERTIES ('a' = 'b; c');
CREATE TABLE b (y INT);
"""


def test_tables_make_a_contract_each() -> None:
    first, second = documents(FORM, TABLE)
    assert (first["id"], second["id"]) == ("shop.orders", "b")
    assert first["schema"] == [
        {
            "name": "orders",
            "description": "All orders",
            "properties": [
                {"name": "id", **INTEGER, "required": True, "primaryKey": True, "primaryKeyPosition": 2},
                {
                    "name": "day",
                    "logicalType": "date",
                    "description": "of sale",
                    "primaryKey": True,
                    "primaryKeyPosition": 1,
                },
                {
                    "name": "country",
                    **STRING,
                    "partitioned": True,
                    "relationships": [{"to": "c.v1.yaml#/schema/c/properties/id"}],
                },
            ],
        }
    ]


def test_foreign_keys_become_relationships() -> None:
    text = (
        "CREATE TABLE shop.lines (a INT REFERENCES shop.goods (id) NOT NULL, b INT, C INT REFERENCES goods,\n"
        "FOREIGN KEY (b, c) REFERENCES shop.orders (day, no), FOREIGN KEY (b) REFERENCES x (`a b`))"
    )
    (one,) = documents(FORM, text)
    properties = one["schema"][0]["properties"]
    assert properties[0]["relationships"] == [{"to": "shop.goods.v1.yaml#/schema/goods/properties/id"}]
    assert properties[0]["required"] is True
    to = "shop.orders.v1.yaml#/schema/orders/properties/"
    assert one["schema"][0]["relationships"] == [{"from": ["lines.b", "lines.C"], "to": [f"{to}day", f"{to}no"]}]
    assert notes(FORM, text) == [
        "`REFERENCES goods` of `C` has no equivalent.",
        "The constraint `FOREIGN KEY ( b ) REFERENCES x ( `a b` )` has no equivalent.",
    ]


def test_columns_alone_refer_to_others_too() -> None:
    to = "goods.v1.yaml#/schema/goods/properties/id"
    assert properties(FORM, "a bigint references goods(id)") == [
        {"name": "a", **INTEGER, "relationships": [{"to": to}]}
    ]


def test_what_has_no_equivalent_is_named() -> None:
    assert notes(FORM, TABLE) == [
        "`DEFAULT current_date ( )` of `day` has no equivalent.",
        "`USING delta` has no equivalent; it says how the table is stored.",
        "`TBLPROPERTIES ( 'a' = 'b; c' )` has no equivalent; it says how the table is stored.",
    ]


def test_struct_may_stand_alone() -> None:
    assert properties(FORM, "struct<a:bigint,b:string>") == [{"name": "a", **INTEGER}, {"name": "b", **STRING}]


BAD = {
    "type misspelt": ("a int,\nb strnig", ("ddl-syntax", 2)),
    "no type": ("a int,\nb ,", ("ddl-syntax", 2)),
    "bracket open": ("CREATE TABLE a (\nb int", ("ddl-syntax", 2)),
    "a view": ("CREATE VIEW v AS SELECT 1", ("ddl-syntax", 1)),
    "a clause unknown": ("CREATE TABLE a (b int)\nFOO bar", ("ddl-syntax", 2)),
    "key of no column": ("CREATE TABLE a (b int,\nPRIMARY KEY (c))", ("ddl-syntax", 2)),
    "length of a word": ("a varchar(x)", ("ddl-syntax", 1)),
    "a text for a comment": ("a int COMMENT b", ("ddl-syntax", 1)),
    "types without end": ("a " + "array<" * 500, ("ddl-syntax", 1)),
    "no text": ("", ("wrong-format", 1)),
    "JSON": ('{"type": "struct"}', ("wrong-format", 1)),
}


@pytest.mark.parametrize("case", BAD)
def test_text_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, expected = BAD[case]
    assert codes(FORM, text) == [expected]


def test_statements_without_columns_are_passed_over() -> None:
    text = """
    use shop;
    drop table if exists a;
    create database if not exists d;
    create external table a (b int) stored as orc;
    create table c stored as orc as select b from a where b in (1, 2);
    insert into a values (1), (2)
    """
    assert [document["id"] for document in documents(FORM, text)] == ["a"]
    assert [note for note in notes(FORM, text) if note.endswith("is passed over.")] == [
        "The statement `use shop` is passed over.",
        "The statement `drop table if exists a` is passed over.",
        "The statement `create database if not exists d` is passed over.",
        "The statement `create table c stored as orc as select b from a where b in (` is passed over.",
        "The statement `insert into a values ( 1 ) , ( 2 )` is passed over.",
    ]


def test_comment_without_an_end_is_read_once() -> None:
    assert codes(FORM, "create table a (b int) " + "/* " * 100_000) == []
