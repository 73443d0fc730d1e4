"""Import of JSON Schema: the table of its keywords and formats, and the shape that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kept:
    """The place in ODCS for the unchanged value of a keyword; `of` names the logical types that have it, if not all."""

    place: tuple[str, ...]
    of: tuple[str, ...] = ()


OPTIONS = "logicalTypeOptions"
NUMBERS = ("integer", "number")
KEYWORDS = {
    "title": Kept(("businessName",)),
    "description": Kept(("description",)),
    "examples": Kept(("examples",)),
    "deprecated": Kept(("deprecated",)),
    "minLength": Kept((OPTIONS, "minLength"), ("string",)),
    "maxLength": Kept((OPTIONS, "maxLength"), ("string",)),
    "pattern": Kept((OPTIONS, "pattern"), ("string",)),
    "minimum": Kept((OPTIONS, "minimum"), NUMBERS),
    "maximum": Kept((OPTIONS, "maximum"), NUMBERS),
    "exclusiveMinimum": Kept((OPTIONS, "exclusiveMinimum"), NUMBERS),
    "exclusiveMaximum": Kept((OPTIONS, "exclusiveMaximum"), NUMBERS),
    "multipleOf": Kept((OPTIONS, "multipleOf"), NUMBERS),
    "minItems": Kept((OPTIONS, "minItems"), ("array",)),
    "maxItems": Kept((OPTIONS, "maxItems"), ("array",)),
    "uniqueItems": Kept((OPTIONS, "uniqueItems"), ("array",)),
    "minProperties": Kept((OPTIONS, "minProperties"), ("object", "map")),
    "maxProperties": Kept((OPTIONS, "maxProperties"), ("object", "map")),
}
FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "date": ("date", {}),
    "date-time": ("timestamp", {"timezone": True}),  # RFC 3339: it always has an offset
    "email": ("string", {"format": "email"}),
    "uri": ("string", {"format": "uri"}),
    "uuid": ("string", {"format": "uuid"}),
    "ipv4": ("string", {"format": "ipv4"}),
    "ipv6": ("string", {"format": "ipv6"}),
    "hostname": ("string", {"format": "hostname"}),
    "byte": ("string", {"format": "byte"}),  # of OpenAPI, as the next three
    "binary": ("string", {"format": "binary"}),
    "password": ("string", {"format": "password"}),
    "int32": ("integer", {"format": "i32"}),
    "int64": ("integer", {"format": "i64"}),
    "float": ("number", {"format": "f32"}),
    "double": ("number", {"format": "f64"}),
}
"""The logical type and options for each `format`; other formats become notes."""
TYPES = ("string", "integer", "number", "boolean", "object", "array")
STRUCTURE = {
    "$schema", "$defs", "definitions", "type", "properties", "required", "items", "enum", "const", "format",
    "additionalProperties", "nullable",
}  # fmt: skip
"""Keywords that are read by code of their own."""
TEXT = {"type": "string"}
WHOLE = {"type": "number", "minimum": 0, "multipleOf": 1, "description": "a whole number, 0 or more"}
SCHEMAS = {"type": "array", "items": {"$ref": "#/$defs/schema"}}
SHAPE: dict[str, Any] = {
    "$ref": "#/$defs/schema",
    "$defs": {
        "schema": {
            "type": ["object", "boolean"],
            "properties": {
                "$ref": TEXT, "$id": TEXT, "id": {}, "title": TEXT, "description": TEXT, "format": TEXT,
                "pattern": TEXT, "deprecated": {"type": "boolean"}, "examples": {"type": "array"},
                "type": {
                    "anyOf": [{"enum": [*TYPES, "null"]}, {"type": "array", "items": {"enum": [*TYPES, "null"]}}],
                    "description": f"one of {', '.join(TYPES)} and null, or a list of them",
                },
                "properties": {"type": "object", "additionalProperties": {"$ref": "#/$defs/schema"}},
                "required": {"type": ["array", "boolean"], "items": TEXT},
                "additionalProperties": {"$ref": "#/$defs/schema"},
                "items": {"anyOf": [{"$ref": "#/$defs/schema"}, SCHEMAS], "description": "a schema"},
                "allOf": SCHEMAS, "anyOf": SCHEMAS, "oneOf": SCHEMAS,
                "enum": {"type": "array"},
                "minLength": WHOLE, "maxLength": WHOLE, "minItems": WHOLE, "maxItems": WHOLE,
                "minProperties": WHOLE, "maxProperties": WHOLE, "uniqueItems": {"type": "boolean"},
                "minimum": {"type": "number"}, "maximum": {"type": "number"},
                "exclusiveMinimum": {"type": ["number", "boolean"]},
                "exclusiveMaximum": {"type": ["number", "boolean"]},
                "multipleOf": {"type": "number", "exclusiveMinimum": 0, "description": "a number above 0"},
            },
        }
    },
}  # fmt: skip
COUNTS = {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
