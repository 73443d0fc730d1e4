"""Objects, arrays and maps as JSON Schema: a column and the schemas of its parts in, its keywords out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contracts import rules
from contracts.authoring.exports.exported import Account, ExportedColumn, rejects
from contracts.authoring.imports.imported import given

Keywords = dict[str, Any]
EXACTLY_EQUAL = ("string", "boolean", "date", "timestamp", "time", "integer")
"""Types whose values are equal in JSON Schema exactly if they are equal for dropgate."""


def keywords(
    account: Account,
    column: ExportedColumn,
    schema: Callable[[ExportedColumn], Keywords],
    never_null: Callable[[ExportedColumn], bool],
    closed: bool,
) -> list[Keywords]:
    """Return the keywords of a column for its parts; `closed` refuses unknown keys."""
    inner = {c.prop.path[-1]: (c, schema(c)) for c in account.contract.inner(column)}
    parts: list[Keywords] = []
    match column.prop.type:
        case "object" if inner:
            required = [c.prop.path[-1][1:] for c, _ in inner.values() if never_null(c)]
            properties = {step[1:]: own for step, (_, own) in inner.items()}
            extra = {"additionalProperties": False} if closed else {}
            parts.append({"properties": properties, **given({"required": required}), **extra})
        case "array" if inner:
            parts.append({"items": inner["[]"][1]})
        case "map" if inner:
            parts.append({"propertyNames": inner["~"][1], "additionalProperties": inner["*"][1]})
    for check in (c for c in column.checks if rejects(c)):
        match check.rule:
            case rules.MinItems(count) | rules.MaxItems(count):
                parts.append({check.kind: count})
            case rules.UniqueItems() if inner and inner["[]"][0].prop.type in EXACTLY_EQUAL:
                parts.append({check.kind: True})
            case _:
                continue
        account.carried.add(check.id)
    return parts
