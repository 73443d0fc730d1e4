"""A contract as an Avro schema (`.avsc`, specification 1.12): names, types, what may be null, what the columns mean.

Of the checks Avro carries types, what must not be null, and lists of values that are names; `doc` says the others.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from contracts.authoring.exports import json_text
from contracts.authoring.exports.exported import Account, Column, Contract, Exported, described, heading, only_hard
from contracts.authoring.imports.imported import given
from contracts.plan import CONTAINERS, Check, Property
from contracts.values.text_formats import INTEGERS

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""What Avro takes for a name (specification, "Names")."""
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
"""By logical type and the format that the contract insists on; None for all other formats."""
WHOLE = ("f32", "i32", "i64", "f64", "uuid")
"""Formats that a type of Avro says in full."""
TOO_SMALL = "Avro has no type so narrow"
ONLY_TYPES = "Avro knows types, nulls and lists of names"


def write(contract: Contract) -> Exported:
    """The record that a contract's records are."""
    account = Account(contract)
    taken = {column.name for column in contract.columns()}
    name = _name(account, contract.object["name"], set())
    fields = [_field(account, column, taken, name) for column in contract.columns()]
    account.keys({"description"}, {"description"}, {"description"})
    account.checks(only_hard(lambda check: TOO_SMALL if _is_narrow(check) else ONLY_TYPES))
    _written(account)
    doc = "\n".join([*filter(None, [described(contract)]), heading(contract), "Not said here:", *account.lost])
    record = {"type": "record", "name": name, "doc": doc, "fields": fields}
    return account.done(json_text.text(record) + "\n")


def _field(account: Account, column: Column, taken: set[str], owner: str) -> dict[str, Any]:
    name = _name(account, column.key, taken)
    inner = f"{owner}_{name}" if column.prop.path else name
    kind = _nullable(account, column, inner)
    head = given({"name": name, "doc": column.source.get("description")})
    return {**head, "type": kind} if column.never_null else {**head, "type": kind, "default": None}


def _nullable(account: Account, column: Column, name: str) -> Any:
    """The type of a property, with null where it may be; `name` is for what needs one."""
    kind = _nested(account, column, name) if column.prop.type in CONTAINERS else _type(account, column, name)
    account.carried |= column.null_checks()
    return kind if column.never_null else ["null", kind]


def _nested(account: Account, column: Column, name: str) -> Any:
    """The type of what holds others."""
    inner = account.contract.inner(column)
    account.unsaid(column)
    kinds = column.check("logicalType")
    account.carried |= {kinds.id} if kinds else set()
    match column.prop.type:
        case "object":
            taken = {one.key for one in inner}
            return {
                "type": "record",
                "name": _type_name(account, f"{name}_record"),
                "fields": [_field(account, one, taken, name) for one in inner],
            }
        case "array":
            return {"type": "array", "items": _nullable(account, inner[0], f"{name}_item") if inner else "string"}
    key, value = inner
    account.carried |= {c.id for c in key.checks if c.kind in ("logicalType", "required")}
    return {"type": "map", "values": _nullable(account, value, f"{name}_value")}


def _type(account: Account, column: Column, name: str) -> Any:
    """The type of a column's values; what it says of them is carried."""
    prop, check = column.prop, column.check("format")
    if not column.typed:
        account.lose(f"That values of `{column.name}` may be of another type: it is only a warning.")
    kinds = column.check("logicalType")
    account.carried |= {kinds.id} if kinds else set()
    form = check.arguments["format"] if check else None
    if check and form in WHOLE and not prop.exact:
        account.carried.add(check.id)
    if prop.exact:
        return {"type": "bytes", "logicalType": "decimal", "precision": prop.exact[0], "scale": prop.exact[1]}
    if prop.type == "timestamp" and is_local(prop):
        return MICROS["local"]
    symbols = _symbols(account, column)
    if symbols:
        return {"type": "enum", "name": _type_name(account, f"{name}_values"), "symbols": symbols}
    return TYPES.get((prop.type, form), TYPES[prop.type, None])


def is_local(prop: Property) -> bool:
    """Return True if timestamps have no offset and the contract names no time zone."""
    return prop.offset is False and prop.zone is None


def _is_narrow(check: Check) -> bool:
    return check.kind == "format" and check.arguments["format"] in INTEGERS


def _symbols(account: Account, column: Column) -> list[str]:
    """The list of values, where all of them can be symbols."""
    check = column.check("enum")
    values: list[str] = check.arguments["values"] if check else []
    if check is None or column.prop.type != "string" or not all(NAME.fullmatch(v) for v in values):
        return []
    account.carried.add(check.id)
    return list(dict.fromkeys(values))


def _type_name(account: Account, name: str) -> str:
    """A name that no other type has."""
    made = next(one for n in itertools.count(1) if (one := name if n == 1 else f"{name}_{n}") not in account.named)
    account.named.add(made)
    return made


def _name(account: Account, name: str, taken: set[str]) -> str:
    """A name that Avro takes and that nothing else has; one that is not the contract's is told."""
    if NAME.fullmatch(name):
        return name
    plain = re.sub("[^A-Za-z0-9_]", "_", name)
    plain = f"_{plain}" if plain[:1].isdigit() else plain
    made = next(one for n in itertools.count(1) if (one := plain if n == 1 else f"{plain}_{n}") not in taken)
    taken.add(made)
    account.lose(f"The name `{name}`; here it is `{made}`.")
    return made


def _written(account: Account) -> None:
    """Name what is about text alone: Avro's values have a form of their own."""
    for prop in account.contract.plan.properties:
        if prop.format:
            account.lose(f"The way in which `{prop.name}` is written (`{prop.format}`).")
        if prop.zone:
            account.lose(f"The zone of `{prop.name}` ({prop.zone}).")
