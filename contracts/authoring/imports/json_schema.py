"""JSON Schema in, an ODCS document of its outermost object out.

Read are the keywords that drafts 4 to 2020-12 share; `$ref` within the document, `allOf`, and `anyOf` or `oneOf` of one
schema and null. Where keywords and ODCS differ: a required key that may be null is not `required`, which forbids nulls.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, lost, stem
from contracts.authoring.imports.json_schema_shape import (
    COUNTS,
    FORMATS,
    KEYWORDS,
    NUMBERS,
    OPTIONS,
    SHAPE,
    STRUCTURE,
)
from contracts.authoring.imports.json_schema_whole import Place, Resolver, Schema

MOST = 10_000
"""Properties that references may unfold into."""
DEEPEST = 40


def known(data: Any) -> bool:
    """Return True if values are a JSON Schema of an object, or a list of them, judged by their keys."""
    signs = ("$schema", "properties", "$ref", "allOf", "anyOf", "oneOf", "items", "$defs", "definitions")
    return isinstance(data, dict) and "apiVersion" not in data and any(key in data for key in signs)


def read(document: Document) -> list[Imported]:
    """The document that a schema makes; none, and findings, where it says too little or goes in circles."""
    if not shapes.fits(document, SHAPE):
        return []
    reading = _Reading(document)
    root = reading.resolver.whole(Place(document.data, (), ("#",)))
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
    known_words = {"title", "description", "$id", "id", *STRUCTURE}
    reading.others(root, known_words, "the schema")
    one = given({"name": name, "description": root.word("description")}) | {"properties": properties}
    url = root.word("$id") or root.word("id")
    links = [{"url": url, "type": "canonicalUrl"}] if isinstance(url, str) and url else None
    closed = root.word("additionalProperties") is False
    data = contract(name, one, name=root.word("title"), authoritativeDefinitions=links)
    return [Imported(data, {} if closed else {"columns": {"extra": "ignore"}})]


class _Reading:
    """The reading of one schema: what is wrong or lost goes to the document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.resolver = Resolver(document)
        self.count = 0

    def properties(self, owner: Schema, depth: int) -> list[dict[str, Any]]:
        """The properties of an object, those required marked so."""
        made: list[dict[str, Any]] = []
        for name, place in owner.properties.items():
            prop = self.property(place, depth)
            if self.resolver.stopped:
                return made
            if name in owner.required and prop.pop("nullable", False):
                lost(
                    self.document,
                    owner.required[name],
                    f"`{name}` must be there and may be null; ODCS has `required` for what is not null alone.",
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

    def property(self, place: Place, depth: int) -> dict[str, Any]:
        """A property without its name; `nullable` tells that it may be null."""
        self.count += 1
        if self.count > MOST or depth > DEEPEST:
            message = f"The schema unfolds into more than {MOST:,} properties, or {DEEPEST} levels."
            self.resolver.stop(place.path, "too-large", message, "Write a schema of its own for what is in it.")
            return {}
        found = self.resolver.whole(place)
        if self.resolver.stopped:
            return {}
        prop: dict[str, Any] = {"nullable": found.nullable}
        if found.word("required") is True:  # as draft 3 and older tools write it
            prop["required"] = True
        self._type(found, prop)
        self._values(found, prop)
        self._nested(found, prop, depth)
        self._bounds_of_draft_4(found)
        name = f"`{place.path[-1]}`" if place.path else "the schema"
        self.others(found, STRUCTURE, name, prop)
        return prop

    def _type(self, found: Schema, prop: dict[str, Any]) -> None:
        kind, form = found.word("type"), found.word("format")
        if isinstance(kind, list):
            names = ", ".join(kind)
            lost(self.document, found.at("type"), f"Several types ({names or 'none'}) have no equivalent.")
            kind = None
        elif kind is None:
            kind = _guessed(found)
        if kind == "null":
            lost(self.document, found.at("type"), "A value that is always null has no equivalent.")
            kind = None
        if form in FORMATS and kind in {None, "string", *NUMBERS} and _is_kind(FORMATS[form][0], kind):
            kind, options = FORMATS[form]
            prop |= {OPTIONS: dict(options)} if options else {}
        elif form is not None:
            lost(self.document, found.at("format"), f"`format: {form!s:.60}` has no equivalent.")
        if kind:
            prop["logicalType"] = kind

    def _values(self, found: Schema, prop: dict[str, Any]) -> None:
        """The values that are allowed; null among them allows nulls."""
        values = [found.word("const")] if "const" in found.words else found.word("enum")
        if values is None:
            return
        at = found.at("const" if "const" in found.words else "enum")
        prop["nullable"] = prop["nullable"] or None in values
        plain = [v for v in values if isinstance(v, (str, int, Decimal))]
        if len(plain) < len([v for v in values if v is not None]):
            lost(self.document, at, "Lists and mappings among the allowed values have no equivalent.")
        elif plain:
            prop["enum"] = [{"value": v} for n, v in enumerate(plain) if v not in plain[:n]]

    def _nested(self, found: Schema, prop: dict[str, Any], depth: int) -> None:
        """Read the contents of an object or a list into `prop`; report keywords that have no equivalent as lost."""
        kind, items, more = prop.get("logicalType"), found.word("items"), found.word("additionalProperties")
        if kind == "object" and found.properties:
            prop["properties"] = self.properties(found, depth + 1)
        elif kind == "object" and isinstance(more, dict):
            value = self._inside(found.words.pop("additionalProperties"), depth)
            prop |= {"logicalType": "map", "map": {"key": {"logicalType": "string"}, "value": value}}
        elif found.properties:
            lost(self.document, found.path, f"`properties` say nothing of a value of type {kind or 'unknown'}.")
        if kind == "array" and isinstance(items, dict):
            prop["items"] = self._inside(found.words["items"], depth)
        elif kind == "array" and isinstance(items, list):
            lost(self.document, found.at("items"), "Items that differ by their place have no equivalent.")
        elif items is not None and items is not True:
            lost(self.document, found.at("items"), f"`items` has no equivalent for type {kind or 'unknown'}.")
        if "additionalProperties" in found.words and more is not True:
            at = found.at("additionalProperties")
            lost(self.document, at, "What further keys of a nested object may be has no equivalent.")

    def _inside(self, place: Place, depth: int) -> dict[str, Any]:
        """Return the property for each value of a list or map, with `required` if it cannot be null."""
        found = self.property(place, depth + 1)
        nullable = found.pop("nullable", True)
        return found if nullable or "logicalType" not in found else found | {"required": True}

    def _bounds_of_draft_4(self, found: Schema) -> None:
        """Draft 4 says by true that the bound beside it is excluded."""
        for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            value = found.word(exclusive)
            if isinstance(value, bool):
                del found.words[exclusive]
                if value and bound in found.words:
                    found.words[exclusive] = found.words.pop(bound)

    def others(self, found: Schema, known: set[str], name: str, prop: dict[str, Any] | None = None) -> None:
        """Keep the keywords that ODCS has, and name the rest."""
        kind = prop.get("logicalType") if prop is not None else None
        for key, place in found.words.items():
            row, value, at = KEYWORDS.get(key), place.value, place.path
            if key in known or value in (None, "", [], {}):
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


def _is_kind(logical: str, kind: str | None) -> bool:
    return kind is None or (kind in NUMBERS and logical in NUMBERS) or (kind == "string" and logical not in NUMBERS)


def _guessed(found: Schema) -> str | None:
    """The type of a schema that has none, where its keywords leave one."""
    if found.properties:
        return "object"
    if "items" in found.words:
        return "array"
    values = [found.word("const")] if "const" in found.words else found.word("enum") or []
    kinds = {type(v) for v in values if v is not None}
    if len(kinds) == 1:
        return {str: "string", bool: "boolean", int: "integer", Decimal: "number"}.get(kinds.pop())
    of = {KEYWORDS[key].of for key in found.words if key in KEYWORDS and KEYWORDS[key].of}
    if len(of) == 1:
        kind = of.pop()
        return "number" if kind == NUMBERS else kind[0]
    return None
