"""The table of results in the template: its columns are the fields of a line, its folders those that are written."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

import pytest
import sqlglot

from contracts.decision import HeldAgainst
from functions import keys
from functions.records.result_line import ResultLine
from infra.local.template.template import of_type
from infra.packaging.bundles import ROOT
from tests.unit.infra.test_template import TEMPLATE

(TABLE,) = of_type(TEMPLATE, "AWS::Glue::Table").values()
INPUT = TABLE["Properties"]["TableInput"]
VIEW = (ROOT / "docs" / "reference" / "dq_summary.sql").read_text(encoding="utf-8")
TYPES: dict[Any, str] = {str: "string", int: "bigint", bool: "boolean"}


def hive_type(hint: Any) -> str:
    """Return the type of a field in Hive's words."""
    (inner, *others) = [part for part in typing.get_args(hint) or (hint,) if part is not type(None)]
    if inner is HeldAgainst:
        fields = typing.get_type_hints(HeldAgainst)
        return f"struct<{','.join(f'{name}:{hive_type(of)}' for name, of in fields.items())}>"
    if typing.get_origin(hint) is tuple:
        return f"array<{TYPES[inner]}>"
    return "string" if others or isinstance(inner, str) or typing.get_args(inner) else TYPES[inner]


def test_columns_are_the_fields_of_a_line() -> None:
    hints = typing.get_type_hints(ResultLine)
    columns = {column["Name"]: column["Type"] for column in INPUT["StorageDescriptor"]["Columns"]}

    assert columns == {field.name: hive_type(hints[field.name]) for field in dataclasses.fields(ResultLine)}


def test_months_are_the_folders_that_are_written() -> None:
    (template,) = INPUT["Parameters"]["storage.location.template"].values()
    folder = template.partition("}/")[2].replace("${!month}", "2026-01")
    line = keys.attempt_results_uri("results/", "orders.v1", "2026-01-31T12:00:00Z", "d", 1)

    assert line == f"{folder}contract=orders.v1/d.1.jsonl.gz"
    assert [each["Name"] for each in INPUT["PartitionKeys"]] == ["month"]


def test_there_is_a_table_only_with_a_database() -> None:
    assert TEMPLATE["Parameters"]["ResultsDatabase"]["Default"] == ""
    assert {
        each["Condition"] for kind in ("Table", "Database") for each in of_type(TEMPLATE, f"AWS::Glue::{kind}").values()
    } == {TABLE["Condition"]}


@pytest.mark.parametrize("dialect", ["trino", "spark", "duckdb"])
def test_view_is_sql_of_every_engine(dialect: str) -> None:
    (view,) = sqlglot.parse(VIEW, dialect=dialect)
    columns = {column.name for column in view.find_all(sqlglot.exp.Column)} if view else set()

    assert columns
    assert columns <= {field.name for field in dataclasses.fields(ResultLine)} | {"month"}
