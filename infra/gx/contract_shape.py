"""A contract's fields compared with a table's: missing fields and other types out, in sentences.

Properties of an ODCS document in. Further fields of a table are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

ITEM = "[]"


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a table's field: its name in the table's engine, and the logical types that it can be.

    `kinds` is None if no row has a value. `fields` of an object are None if any field is allowed; `item` is the
    shape of a list's items.
    """

    name: str
    kinds: frozenset[str] | None = None
    fields: Mapping[str, Shape] | None = field(default=None, hash=False)
    item: Shape | None = None


def mismatches(properties: Any, fields: Mapping[str, Shape], within: str = "") -> Iterator[str]:
    """Yield a sentence for each property, also nested, that the fields lack or have with another type."""
    for prop in (p for p in properties or () if isinstance(p, dict) and "name" in p):
        path = f"{within}{prop['name']}"
        shape = fields.get(prop["name"]) or fields.get(str(prop.get("physicalName")))
        if shape is None:
            yield f"`{path}` is missing{_wanted(prop)}."
        else:
            yield from _of_type(prop, shape, path)


def _wanted(prop: Mapping[str, Any]) -> str:
    kind = prop.get("logicalType")
    return f"; the contract has it as `{kind}`" if kind else ""


def _of_type(prop: Mapping[str, Any], shape: Shape, path: str) -> Iterator[str]:
    kind = prop.get("logicalType")
    if kind is None or shape.kinds is None:
        return
    if kind not in shape.kinds:
        yield f"`{path}` is `{shape.name}`{_wanted(prop)}."
    elif kind == "object" and shape.fields is not None:
        yield from mismatches(prop.get("properties"), shape.fields, f"{path}.")
    elif kind == "array" and shape.item is not None and isinstance(prop.get("items"), dict):
        yield from _of_type(prop["items"], shape.item, f"{path}{ITEM}")


def fields_of(properties: Any) -> int:
    """Return the number of fields in a contract, including nested ones."""
    return sum(1 + _below(p) for p in properties or () if isinstance(p, dict))


def _below(prop: Mapping[str, Any]) -> int:
    items = prop.get("items")
    return fields_of(prop.get("properties")) + (_below(items) if isinstance(items, dict) else 0)
