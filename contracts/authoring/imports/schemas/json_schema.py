"""JSON Schema in, an ODCS document of its outermost object out.

It reads the keywords that drafts 4 to 2020-12 share, `$ref` within the document, `allOf`, and `anyOf` or `oneOf` of one
schema and null. A required key that may be null is not `required` in ODCS, which forbids nulls.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, lost, stem
from contracts.authoring.imports.schemas.json_schema_shape import (
    COUNTS,
    FORMATS,
    KEYWORDS,
    NUMBERS,
    OPTIONS,
    SHAPE,
    STRUCTURE,
)
from contracts.authoring.imports.schemas.json_schema_whole import Resolver, Schema, SchemaNode

MOST = 10_000
"""Properties after all references are resolved."""
DEEPEST = 40


def recognizes(data: Any) -> bool:
    """Return True if values are a JSON Schema of an object, or a list of them, judged by their keys."""
    signs = ("$schema", "properties", "$ref", "allOf", "anyOf", "oneOf", "items", "$defs", "definitions")
    return isinstance(data, dict) and "apiVersion" not in data and any(key in data for key in signs)


def read(document: Document) -> list[Imported]:
    """Return the document of a schema; none, and findings, if it defines too little or is cyclic."""
    if not shapes.fits(document, SHAPE):
        return []
    reading = _Reading(document)
    root = reading.resolver.whole(SchemaNode(document.data, (), ("#",)))
    if root.word("type") == "array" and isinstance(root.word("items"), dict):
        message = "The schema is a list of objects; what it says of the list itself is left out."
        lost(document, (), message, "Send the objects as lines of JSON Lines.")
        root = reading.resolver.whole(root.words["items"])
    if not root.properties:
        fix = "Check that it is the right file; the outermost schema must have `properties`."
        document.error(root.path, "nothing-there", "The schema names no properties.", fix)
        return []
    properties = reading.properties(root, 0)
    name = root.word("title") or stem(document.file)
    reading.others(root, {"title", "description", "$id", "id", *STRUCTURE}, "the schema")
    schema_object = given({"name": name, "description": root.word("description")}) | {"properties": properties}
    url = root.word("$id") or root.word("id")
    links = [{"url": url, "type": "canonicalUrl"}] if isinstance(url, str) and url else None
    closed = root.word("additionalProperties") is False
    data = contract(name, schema_object, name=root.word("title"), authoritativeDefinitions=links)
    return [Imported(data, {} if closed else {"columns": {"extra": "ignore"}})]


class _Reading:
    """The reading of one schema; faults and losses go to the document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.resolver = Resolver(document)
        self.count = 0

    def properties(self, owner: Schema, depth: int) -> list[dict[str, Any]]:
        """Return the properties of an object, with `required` where it holds."""
        made: list[dict[str, Any]] = []
        for name, place in owner.properties.items():
            prop = self.property(place, depth)
            if self.resolver.stopped:
                return made
            if name in owner.required and prop.pop("nullable", False):
                lost(
                    self.document,
                    owner.required[name],
                    f"`{name}` must be there and may be null; in ODCS `required` also forbids null.",
                    on_key=False,
                )
            elif name in owner.required:
                prop["required"] = True
            prop.pop("nullable", None)
            made.append({"name": name, **prop})
        for name, path in owner.required.items():
            if name not in owner.properties:
                lost(self.document, path, f"`{name}` is required, but described nowhere.", on_key=False)
        return made

    def property(self, place: SchemaNode, depth: int) -> dict[str, Any]:
        """Return a property without its name; `nullable` is True if it may be null."""
        self.count += 1
        if self.count > MOST or depth > DEEPEST:
            message = f"The schema unfolds into more than {MOST:,} properties, or {DEEPEST} levels."
            self.resolver.stop(place.path, "too-large", message, "Write a schema of its own for what is in it.")
            return {}
        schema = self.resolver.whole(place)
        if self.resolver.stopped:
            return {}
        prop: dict[str, Any] = {"nullable": schema.nullable}
        if schema.word("required") is True:  # as draft 3 and older tools write it
            prop["required"] = True
        self._type(schema, prop)
        values = [schema.word("const")] if "const" in schema.words else schema.word("enum")
        if values is not None:
            prop["nullable"] = prop["nullable"] or None in values
            plain = [v for v in values if isinstance(v, (str, int, Decimal))]
            if len(plain) < len([v for v in values if v is not None]):
                at = schema.at("const" if "const" in schema.words else "enum")
                lost(self.document, at, "Lists and mappings among the allowed values have no equivalent.")
            elif plain:
                prop["enum"] = [{"value": v} for n, v in enumerate(plain) if v not in plain[:n]]
        self._nested(schema, prop, depth)
        for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            value = schema.word(exclusive)
            if isinstance(value, bool):  # as draft 4 writes it: true excludes the bound next to it
                del schema.words[exclusive]
                if value and bound in schema.words:
                    schema.words[exclusive] = schema.words.pop(bound)
        name = f"`{place.path[-1]}`" if place.path else "the schema"
        self.others(schema, STRUCTURE, name, prop)
        return prop

    def _type(self, schema: Schema, prop: dict[str, Any]) -> None:
        kind, form = schema.word("type"), schema.word("format")
        if isinstance(kind, list):
            names = ", ".join(kind)
            lost(self.document, schema.at("type"), f"Several types ({names or 'none'}) have no equivalent.")
            kind = None
        elif kind is None:
            kind = _implied_type(schema)
        if kind == "null":
            lost(self.document, schema.at("type"), "A value that is always null has no equivalent.")
            kind = None
        logical, options = FORMATS.get(form, (None, {}))
        is_alike = kind is None or (kind in {"string", *NUMBERS} and (kind in NUMBERS) == (logical in NUMBERS))
        if logical and is_alike:
            kind = logical
            prop |= {OPTIONS: dict(options)} if options else {}
        elif form is not None:
            lost(self.document, schema.at("format"), f"`format: {form!s:.60}` has no equivalent.")
        if kind:
            prop["logicalType"] = kind

    def _nested(self, schema: Schema, prop: dict[str, Any], depth: int) -> None:
        """Read the contents of an object or a list into `prop`; report keywords that have no equivalent as lost."""
        kind, items, more = prop.get("logicalType"), schema.word("items"), schema.word("additionalProperties")
        if kind == "object" and schema.properties:
            prop["properties"] = self.properties(schema, depth + 1)
        elif kind == "object" and isinstance(more, dict):
            value = self._inside(schema.words.pop("additionalProperties"), depth)
            prop |= {"logicalType": "map", "map": {"key": {"logicalType": "string"}, "value": value}}
        elif schema.properties:
            lost(self.document, schema.path, f"`properties` say nothing of a value of type {kind or 'unknown'}.")
        if kind == "array" and isinstance(items, dict):
            prop["items"] = self._inside(schema.words["items"], depth)
        elif kind == "array" and isinstance(items, list):
            lost(self.document, schema.at("items"), "Items that differ by their place have no equivalent.")
        elif items is not None and items is not True:
            lost(self.document, schema.at("items"), f"`items` has no equivalent for type {kind or 'unknown'}.")
        if "additionalProperties" in schema.words and more is not True:
            at = schema.at("additionalProperties")
            lost(self.document, at, "What further keys of a nested object may be has no equivalent.")

    def _inside(self, place: SchemaNode, depth: int) -> dict[str, Any]:
        """Return the property for each value of a list or map, with `required` if it cannot be null."""
        prop = self.property(place, depth + 1)
        nullable = prop.pop("nullable", True)
        return prop if nullable or "logicalType" not in prop else prop | {"required": True}

    def others(self, schema: Schema, handled: set[str], name: str, prop: dict[str, Any] | None = None) -> None:
        """Copy the keywords that ODCS has; report the others as lost."""
        kind = prop.get("logicalType") if prop is not None else None
        for key, place in schema.words.items():
            row, value, at = KEYWORDS.get(key), place.value, place.path
            if key in handled or value in (None, "", [], {}):
                continue
            if row is None or prop is None:
                lost(self.document, at, f"`{key}` of {name} has no equivalent.")
            elif row.of and kind not in row.of:
                lost(self.document, at, f"`{key}` of {name} says nothing of a value of type {kind or 'unknown'}.")
            else:
                into = prop
                for part in row.place[:-1]:
                    into = into.setdefault(part, {})
                into[row.place[-1]] = int(value) if key in COUNTS else value


def _implied_type(schema: Schema) -> str | None:
    """Return the type that the keywords of an untyped schema imply; None if there are several."""
    if schema.properties:
        return "object"
    if "items" in schema.words:
        return "array"
    values = [schema.word("const")] if "const" in schema.words else schema.word("enum") or []
    kinds = {type(v) for v in values if v is not None}
    if len(kinds) == 1:
        return {str: "string", bool: "boolean", int: "integer", Decimal: "number"}.get(kinds.pop())
    of = {KEYWORDS[key].of for key in schema.words if key in KEYWORDS and KEYWORDS[key].of}
    if len(of) == 1:
        kind = of.pop()
        return "number" if kind == NUMBERS else kind[0]
    return None
