"""A contract as columns of Spark: the JSON of a StructType, or DDL of a table.

Spark's types have types, nullability and, in DDL, the greatest length of texts; comments list the other checks.
"""

from __future__ import annotations

from typing import Any

from contracts import rules
from contracts.authoring.exports import json_text
from contracts.authoring.exports.exported import (
    Account,
    Contract,
    Exported,
    ExportedColumn,
    described,
    only_hard,
)
from contracts.authoring.exports.spark_types import (
    IN_JSON,
    SUBSTITUTED,
    UNSUBSTITUTED,
    literal,
    spark_type,
    valid_name,
)
from contracts.problem import visible
from contracts.values.sql_text import quoted_name

ANYTHING = "string"
"""The type of elements that the contract does not define: as JSON, they are text."""
NOT_A_TYPE = "Spark's columns have only types and nullability"


def write_json(contract: Contract) -> Exported:
    """Return the JSON of a StructType; the metadata of a column has its losses."""
    account = Account(contract)
    fields = [_field(account, column) for column in contract.columns()]
    _rest(account)
    for field, column in zip(fields, contract.columns(), strict=True):
        start = column.prop.route
        ids = {c.id for part in contract.every if part.prop.route[: len(start)] == start for c in part.checks}
        if others := [line for line in account.lost if any(f"`{i}`" in line for i in ids)]:
            field["metadata"]["notSaid"] = others
    return account.done(json_text.text({"type": "struct", "fields": fields}) + "\n")


def write_ddl(contract: Contract) -> Exported:
    """Return a CREATE TABLE statement, with its losses in comments above it."""
    account = Account(contract)
    table = quoted_name(valid_name(account, contract.object["name"]))
    lines = ["  " + _column(account, column) for column in contract.columns()]
    _rest(account)
    about = described(contract)
    comment = f"\nCOMMENT {literal(about)}" if about else ""
    comments = "".join(f"-- {visible(line, 400)}\n" for line in account.comment()).replace(SUBSTITUTED, UNSUBSTITUTED)
    return account.done(f"{comments}CREATE TABLE {table} (\n" + ",\n".join(lines) + f"\n){comment};\n")


def _rest(account: Account) -> None:
    account.keys({"description"}, {"description"}, {"description"})
    account.checks(only_hard(lambda _: NOT_A_TYPE))
    account.lose_notation()


def _field(account: Account, column: ExportedColumn) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    kind = _in_json(account, column)
    if description := column.source.get("description"):
        metadata["comment"] = description
    return {"name": column.key, "type": kind, "nullable": not column.never_null, "metadata": metadata}


def _in_json(account: Account, column: ExportedColumn) -> Any:
    """Return the type of a column in the JSON of a StructType."""
    kind, inner = spark_type(account, column), account.contract.inner(column)
    match column.prop.type:
        case "object":
            return {"type": "struct", "fields": [_field(account, part) for part in inner]}
        case "array":
            element = _in_json(account, inner[0]) if inner else ANYTHING
            return {"type": "array", "elementType": element, "containsNull": not (inner and inner[0].never_null)}
        case "map":
            key, value = (_in_json(account, part) for part in inner)
            return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": not inner[1].never_null}
    return IN_JSON.get(kind.name, kind.name)


def _column(account: Account, column: ExportedColumn, sign: str = " ") -> str:
    parts = [f"{quoted_name(valid_name(account, column.key))}{sign}{_in_ddl(account, column)}"]
    if column.never_null:
        parts.append("NOT NULL")
    if description := column.source.get("description"):
        parts.append(f"COMMENT {literal(description)}")
    return " ".join(parts)


def _in_ddl(account: Account, column: ExportedColumn) -> str:
    """Return the type of a column in DDL, where elements and values of maps may always be null."""
    kind, inner = spark_type(account, column), account.contract.inner(column)
    match column.prop.type:
        case "object":
            return f"STRUCT<{', '.join(_column(account, part, ': ') for part in inner)}>"
        case "array" | "map":
            types = [_in_ddl(account, part) for part in inner] or [ANYTHING.upper()]
            account.carried -= {i for part in inner for i in part.null_checks()}
            return f"{column.prop.type.upper()}<{', '.join(types)}>"
    if kind.length:
        account.carry(column, rules.MaxLength)
        return f"VARCHAR({kind.length})"
    return kind.name.upper()
