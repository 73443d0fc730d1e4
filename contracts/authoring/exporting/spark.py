"""A contract as Spark reads columns: the JSON of a StructType, or DDL that makes a table.

Of the checks Spark's types carry types, nulls and, in DDL, the greatest length of texts; comments say the others.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.exporting import json_text
from contracts.authoring.exporting.exported import Account, Column, Contract, Exported, described, heading, only_hard
from contracts.authoring.exporting.spark_types import IN_JSON, Typed, literal, quoted_name, typed, written
from contracts.problem import visible

NOT_A_TYPE = "Spark's columns have types and nulls alone"


def write_json(contract: Contract) -> Exported:
    """The JSON of a StructType; what a column cannot say of itself stands in its metadata."""
    account = Account(contract)
    fields = [_field(column, typed(account, column)) for column in contract.columns()]
    _rest(account)
    for field, column in zip(fields, contract.columns(), strict=True):
        ids = {c.id for c in column.checks}
        if others := [line for line in account.lost if any(f"`{i}`" in line for i in ids)]:
            field["metadata"]["notSaid"] = others
    return account.done(json_text.text({"type": "struct", "fields": fields}) + "\n")


def write_ddl(contract: Contract) -> Exported:
    """A CREATE TABLE statement; what it cannot say stands in comments above it."""
    account = Account(contract)
    lines = ["  " + _column(account, column, typed(account, column)) for column in contract.columns()]
    _rest(account)
    about = described(contract)
    comment = f"\nCOMMENT {literal(about)}" if about else ""
    head = [heading(contract), *(["Not said here:"] if account.lost else []), *(f"  {line}" for line in account.lost)]
    comments = "".join(f"-- {visible(line, 400)}\n" for line in head)
    table = quoted_name(contract.object["name"])
    return account.done(f"{comments}CREATE TABLE {table} (\n" + ",\n".join(lines) + f"\n){comment};\n")


def _rest(account: Account) -> None:
    account.keys({"description"}, {"description"}, {"description"})
    account.checks(only_hard(lambda _: NOT_A_TYPE))
    written(account)


def _field(column: Column, kind: Typed) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if description := column.source.get("description"):
        metadata["comment"] = description
    name = IN_JSON.get(kind.name, kind.name)
    return {"name": column.name, "type": name, "nullable": not column.never_null, "metadata": metadata}


def _column(account: Account, column: Column, kind: Typed) -> str:
    name = kind.name.upper()
    if kind.length and (check := column.check("maxLength")):
        account.carried.add(check.id)
        name = f"VARCHAR({kind.length})"
    parts = [quoted_name(column.name), name]
    if column.never_null:
        parts.append("NOT NULL")
    if description := column.source.get("description"):
        parts.append(f"COMMENT {literal(description)}")
    return " ".join(parts)
