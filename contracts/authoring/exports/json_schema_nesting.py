"""Objects, arrays and maps as JSON Schema: a column and the schemas of what lies in it in, keywords about it out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contracts.authoring.exports.exported import Account, Column, rejects
from contracts.authoring.imports.imported import given

Keywords = dict[str, Any]
EXACTLY_EQUAL = ("string", "boolean", "date", "timestamp", "time", "integer")
"""Types whose values are the same in JSON Schema if, and only if, they are here."""
WHY = {
    "uniqueItems": "JSON Schema takes 1 and 1e0 for the same",
    "minProperties": "JSON Schema also counts keys with a null",
    "maxProperties": "JSON Schema also counts keys with a null",
}


def rules(
    account: Account,
    column: Column,
    schema: Callable[[Column], Keywords],
    never_null: Callable[[Column], bool],
    closed: bool,
) -> list[Keywords]:
    """Return the keywords of a column besides its objects or arrays; `closed` refuses unknown keys."""
    inner = {c.prop.path[-1]: (c, schema(c)) for c in account.contract.inner(column)}
    found: list[Keywords] = []
    match column.prop.type:
        case "object" if inner:
            required = [c.prop.path[-1][1:] for c, _ in inner.values() if never_null(c)]
            known = {step[1:]: keywords for step, (_, keywords) in inner.items()}
            extra = {"additionalProperties": False} if closed else {}
            found.append({"properties": known, **given({"required": required}), **extra})
        case "array" if inner:
            found.append({"items": inner["[]"][1]})
        case "map" if inner:
            found.append({"propertyNames": inner["~"][1], "additionalProperties": inner["*"][1]})
    return found + [kept for check in column.checks if rejects(check) and (kept := _limit(account, column, check.kind))]


def _limit(account: Account, column: Column, kind: str) -> Keywords:
    """A check of how much an array holds; what it says is carried."""
    check = column.check(kind)
    if check is None or kind not in ("minItems", "maxItems", "uniqueItems"):
        return {}
    inner = account.contract.inner(column)
    if kind == "uniqueItems" and not (inner and inner[0].prop.type in EXACTLY_EQUAL):
        return {}
    account.carried.add(check.id)
    return {kind: check.arguments.get("value", True)}
