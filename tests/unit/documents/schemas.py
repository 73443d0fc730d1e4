"""JSON Schema of our documents: a dataclass as `contracts.codec` encodes it in, a schema of draft 2020-12 out."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, Union

from contracts import codec

SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    Decimal: {"type": "string", "description": "A decimal number as text."},
    types.NoneType: {"type": "null"},
}


def document(title: str, root: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of its own, with the dataclasses that it refers to."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **root,
        **({"$defs": dict(sorted(parts.items()))} if parts else {}),
    }


def schema(hint: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; dataclasses are added to `parts` and referred to."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if hint in SCALARS:
        return dict(SCALARS[hint])
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema(arg, parts) for arg in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": schema(args[0], parts)}
    if origin is tuple:
        return {"type": "array", "prefixItems": [schema(arg, parts) for arg in args], "items": False}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema(args[1], parts)}
    if hint.__name__ not in parts:
        parts[hint.__name__] = {}  # a type may be part of itself
        parts[hint.__name__] = of_fields(hint, parts)
    return {"$ref": f"#/$defs/{hint.__name__}"}


def of_fields(cls: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a dataclass: a sparse field may be absent, a flat one is its own fields."""
    hints, properties, required = typing.get_type_hints(cls), {}, []
    tagged = next((f.name for f in dataclasses.fields(cls) if "tagged" in f.metadata), None)
    for field in dataclasses.fields(cls):
        if not field.init or {"tagged", "argument"} & field.metadata.keys():
            continue
        if "flat" in field.metadata:
            inner, optional = _bare(hints[field.name])
            flat = of_fields(inner, parts)
            for name, each in flat["properties"].items():
                properties[name] = {"anyOf": [each, {"type": "null"}]} if optional else each
            required += flat["required"]
            continue
        properties[field.name] = schema(hints[field.name], parts)
        if "sparse" not in field.metadata:
            required.append(field.name)
    if tagged is None:
        return {"type": "object", "properties": properties, "required": required}
    settings = {f.name: schema(hints[f.name], parts) for f in dataclasses.fields(cls) if "argument" in f.metadata}
    parts["Settings"] = {"type": "object", "properties": settings}
    each = [of_tag(part, parts) for part in typing.get_args(hints[tagged])]
    return {"type": "object", "properties": properties, "required": [*required, "kind", "arguments"], "oneOf": each}


def of_tag(cls: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one class of a tagged field: its kind, and its arguments beside the settings of all."""
    arguments = {"allOf": [schema(cls, parts), {"$ref": "#/$defs/Settings"}], "unevaluatedProperties": False}
    return {"properties": {"kind": {"const": codec.tag(cls)}, "arguments": arguments}}


def _bare(hint: Any) -> tuple[Any, bool]:
    """Return the dataclass of a flat field, and whether it may be absent."""
    inner = [arg for arg in typing.get_args(hint) if arg is not types.NoneType]
    return (inner[0], True) if inner else (hint, False)
