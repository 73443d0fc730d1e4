"""A contract as an Avro schema (`.avsc`, specification 1.12): names, types, nullability and descriptions.

Avro has types, nullability, and lists of values that are names; `doc` lists the other checks.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from contracts import rules
from contracts.authoring.exports import json_text, moments
from contracts.authoring.exports.exported import (
    Account,
    Contract,
    Exported,
    ExportedColumn,
    only_hard,
)
from contracts.authoring.imports.imported import given
from contracts.plan import CONTAINERS, Check
from contracts.values.text_formats import INTEGERS

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""A valid name in Avro (specification, "Names")."""
MICROS = {
    "date": {"type": "int", "logicalType": "date"},
    "timestamp": {"type": "long", "logicalType": "timestamp-micros"},
    "local": {"type": "long", "logicalType": "local-timestamp-micros"},
    "time": {"type": "long", "logicalType": "time-micros"},
}
TYPES: dict[tuple[str, str | None], Any] = {
    ("string", None): "string",
    ("string", "uuid"): {"type": "string", "logicalType": "uuid"},
    ("integer", None): "long",
    ("integer", "i8"): "int",
    ("integer", "i16"): "int",
    ("integer", "i32"): "int",
    ("integer", "u8"): "int",
    ("integer", "u16"): "int",
    ("number", None): "double",
    ("number", "f32"): "float",
    ("boolean", None): "boolean",
    ("date", None): MICROS["date"],
    ("timestamp", None): MICROS["timestamp"],
    ("time", None): MICROS["time"],
}
"""The Avro type by logical type and rejecting format; None stands for all other formats."""
WHOLE = ("f32", "i32", "i64", "f64", "uuid")
"""Formats that are exactly a type of Avro."""
TOO_SMALL = "Avro has no type so narrow"
ONLY_TYPES = "Avro has only types, nulls and lists of names"


def write(contract: Contract) -> Exported:
    """Return the record type of a contract."""
    account = Account(contract)
    taken = {column.name for column in contract.columns()}
    name = _name(account, contract.object["name"], set())
    fields = [_field(account, column, taken, name) for column in contract.columns()]
    account.keys({"description"}, {"description"}, {"description"})

    def why(check: Check) -> str:
        is_narrow = isinstance(check.rule, rules.Format) and check.rule.format in INTEGERS
        return TOO_SMALL if is_narrow else ONLY_TYPES

    account.checks(only_hard(why))
    account.lose_notation()
    record = {"type": "record", "name": name, "doc": account.notes(), "fields": fields}
    return account.done(json_text.text(record) + "\n")


def _field(account: Account, column: ExportedColumn, taken: set[str], owner: str) -> dict[str, Any]:
    name = _name(account, column.key, taken)
    inner = f"{owner}_{name}" if column.prop.path else name
    kind = _nullable(account, column, inner)
    head = given({"name": name, "doc": column.source.get("description")})
    return {**head, "type": kind} if column.never_null else {**head, "type": kind, "default": None}


def _nullable(account: Account, column: ExportedColumn, name: str) -> Any:
    """Return the type of a property, with null if it may be null; `name` is for types that need one."""
    inner: list[ExportedColumn] = []
    if column.prop.type in CONTAINERS:
        inner = account.contract.inner(column)
        account.undefined_content(column)
        account.carry(column, rules.LogicalType)
    match column.prop.type:
        case "object":
            taken = {field.key for field in inner}
            kind: Any = {
                "type": "record",
                "name": _type_name(account, f"{name}_record"),
                "fields": [_field(account, field, taken, name) for field in inner],
            }
        case "array":
            kind = {"type": "array", "items": _nullable(account, inner[0], f"{name}_item") if inner else "string"}
        case "map":
            key, value = inner
            around = rules.LogicalType | rules.Required
            account.carried |= {c.id for c in key.checks if isinstance(c.rule, around)}
            kind = {"type": "map", "values": _nullable(account, value, f"{name}_value")}
        case _:
            kind = _type(account, column, name)
    account.carried |= column.null_checks()
    return kind if column.never_null else ["null", kind]


def _type(account: Account, column: ExportedColumn, name: str) -> Any:
    """Return the type of a column's values; count the checks that the type implies as carried."""
    prop, rule = column.prop, column.rule(rules.Format)
    if not column.typed:
        account.lose(f"Values of `{column.name}` that are of another type: the contract only warns of them.")
    account.carry(column, rules.LogicalType)
    form = rule.format if rule else None
    if form in WHOLE and not prop.exact:
        account.carry(column, rules.Format)
    if prop.exact:
        return {"type": "bytes", "logicalType": "decimal", "precision": prop.exact[0], "scale": prop.exact[1]}
    if prop.type == "timestamp" and moments.is_local(prop):
        return MICROS["local"]
    enum = column.rule(rules.Enum)
    if enum and prop.type == "string" and all(NAME.fullmatch(v) for v in enum.values):
        account.carry(column, rules.Enum)
        if symbols := list(dict.fromkeys(enum.values)):
            return {"type": "enum", "name": _type_name(account, f"{name}_values"), "symbols": symbols}
    return TYPES.get((prop.type, form), TYPES[prop.type, None])


def _type_name(account: Account, name: str) -> str:
    """Return a name that no other type has."""
    made = _free(name, account.named)
    account.named.add(made)
    return made


def _name(account: Account, name: str, taken: set[str]) -> str:
    """Return a valid and free Avro name; add a loss if it is not the contract's name."""
    if NAME.fullmatch(name):
        return name
    plain = re.sub("[^A-Za-z0-9_]", "_", name)
    plain = f"_{plain}" if plain[:1].isdigit() else plain
    made = _free(plain, taken)
    taken.add(made)
    account.lose(f"The name `{name}`; here it is `{made}`.")
    return made


def _free(name: str, taken: set[str]) -> str:
    """Return a name, with a number if it is taken."""
    numbered = (name if n == 1 else f"{name}_{n}" for n in itertools.count(1))
    return next(candidate for candidate in numbered if candidate not in taken)
