"""A contract as Spark reads columns: the JSON of a StructType, or DDL that makes a table.

Of the checks Spark's types carry types, nulls and, in DDL, the greatest length of texts; comments say the others.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.exports import json_text
from contracts.authoring.exports.exported import Account, Column, Contract, Exported, described, heading, only_hard
from contracts.authoring.exports.spark_types import (
    IN_JSON,
    SUBSTITUTED,
    UNSUBSTITUTED,
    literal,
    quoted_name,
    sayable,
    typed,
    written,
)
from contracts.problem import visible

ANYTHING = "string"
"""The type of elements of which the contract says nothing: as JSON, they are text."""
NOT_A_TYPE = "Spark's columns have only types and nullability"


def write_json(contract: Contract) -> Exported:
    """The JSON of a StructType; what a column cannot say of itself stands in its metadata."""
    account = Account(contract)
    fields = [_field(account, column) for column in contract.columns()]
    _rest(account)
    for field, column in zip(fields, contract.columns(), strict=True):
        start = column.prop.route
        ids = {c.id for one in contract.every if one.prop.route[: len(start)] == start for c in one.checks}
        if others := [line for line in account.lost if any(f"`{i}`" in line for i in ids)]:
            field["metadata"]["notSaid"] = others
    return account.done(json_text.text({"type": "struct", "fields": fields}) + "\n")


def write_ddl(contract: Contract) -> Exported:
    """A CREATE TABLE statement; what it cannot say stands in comments above it."""
    account = Account(contract)
    table = quoted_name(sayable(account, contract.object["name"]))
    lines = ["  " + _column(account, column) for column in contract.columns()]
    _rest(account)
    about = described(contract)
    comment = f"\nCOMMENT {literal(about)}" if about else ""
    head = [heading(contract), *(["Not said here:"] if account.lost else []), *(f"  {line}" for line in account.lost)]
    comments = "".join(f"-- {visible(line, 400)}\n" for line in head).replace(SUBSTITUTED, UNSUBSTITUTED)
    return account.done(f"{comments}CREATE TABLE {table} (\n" + ",\n".join(lines) + f"\n){comment};\n")


def _rest(account: Account) -> None:
    account.keys({"description"}, {"description"}, {"description"})
    account.checks(only_hard(lambda _: NOT_A_TYPE))
    written(account)


def _field(account: Account, column: Column) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    kind = _in_json(account, column)
    if description := column.source.get("description"):
        metadata["comment"] = description
    return {"name": column.key, "type": kind, "nullable": not column.never_null, "metadata": metadata}


def _in_json(account: Account, column: Column) -> Any:
    """The type of a column in the JSON of a StructType."""
    kind, inner = typed(account, column), account.contract.inner(column)
    match column.prop.type:
        case "object":
            return {"type": "struct", "fields": [_field(account, one) for one in inner]}
        case "array":
            element = _in_json(account, inner[0]) if inner else ANYTHING
            return {"type": "array", "elementType": element, "containsNull": not (inner and inner[0].never_null)}
        case "map":
            key, value = (_in_json(account, one) for one in inner)
            return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": not inner[1].never_null}
    return IN_JSON.get(kind.name, kind.name)


def _column(account: Account, column: Column, sign: str = " ") -> str:
    parts = [f"{quoted_name(sayable(account, column.key))}{sign}{_in_ddl(account, column)}"]
    if column.never_null:
        parts.append("NOT NULL")
    if description := column.source.get("description"):
        parts.append(f"COMMENT {literal(description)}")
    return " ".join(parts)


def _in_ddl(account: Account, column: Column) -> str:
    """The type of a column as DDL has it; elements and values of maps may be null there."""
    kind, inner = typed(account, column), account.contract.inner(column)
    match column.prop.type:
        case "object":
            return f"STRUCT<{', '.join(_column(account, one, ': ') for one in inner)}>"
        case "array" | "map":
            types = [_in_ddl(account, one) for one in inner] or [ANYTHING.upper()]
            account.carried -= {i for one in inner for i in one.null_checks()}
            return f"{column.prop.type.upper()}<{', '.join(types)}>"
    if kind.length and (check := column.check("maxLength")):
        account.carried.add(check.id)
        return f"VARCHAR({kind.length})"
    return kind.name.upper()
