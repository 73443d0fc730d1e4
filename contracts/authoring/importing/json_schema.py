"""JSON Schema in, an ODCS document of its outermost object out.

Read are the keywords that drafts 4 to 2020-12 share; `$ref` within the document, `allOf`, and `anyOf` or `oneOf` of one
schema and null. Where keywords and ODCS differ: a required key that may be null is not `required`, which forbids nulls.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.authoring.importing import shapes
from contracts.authoring.importing.imported import Imported, contract, given, lost, stem

MOST = 10_000
"""Properties that references may unfold into."""
DEEPEST = 40
LONGEST_CHAIN = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """Where in ODCS the value of a keyword goes, unchanged; `of` names the logical types that have it, if not all."""

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
    "date-time": ("timestamp", {"timezone": True}),  # RFC 3339: an offset always stands in it
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
"""What a `format` makes of a property: its logical type and options; all others are notes."""
TYPES = ("string", "integer", "number", "boolean", "object", "array")
STRUCTURE = {
    "$schema", "$defs", "definitions", "type", "properties", "required", "items", "enum", "const", "format",
    "additionalProperties", "nullable",
}  # fmt: skip
"""Keywords that are read in a way of their own."""
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
Place = tuple[Any, Path]


@dataclass(slots=True)
class Schema:
    """A schema with its references and `allOf` put in: each keyword and property with the place it comes from."""

    path: Path
    words: dict[str, Place] = field(default_factory=dict)
    properties: dict[str, Place] = field(default_factory=dict)
    required: dict[str, Path] = field(default_factory=dict)
    refs: tuple[str, ...] = ()
    nullable: bool = False

    def word(self, key: str) -> Any:
        """The value of a keyword; None where there is none."""
        return self.words[key][0] if key in self.words else None


def known(data: Any) -> bool:
    """Whether values are a JSON Schema of an object or a list of them, as far as their keys tell."""
    signs = ("$schema", "properties", "$ref", "allOf", "anyOf", "oneOf", "items", "$defs", "definitions")
    return isinstance(data, dict) and "apiVersion" not in data and any(key in data for key in signs)


def read(document: Document) -> list[Imported]:
    """The document that a schema makes; none, and findings, where it says too little or goes in circles."""
    if not shapes.fits(document, SHAPE):
        return []
    reading = _Reading(document)
    root = reading.whole(document.data, (), ("#",))
    if root.word("type") == "array" and isinstance(root.word("items"), dict):
        message = "The schema is a list of objects; what it says of the list itself is left out."
        lost(document, (), message, "Send the objects as lines of JSON Lines.")
        root = reading.whole(*root.words["items"], root.refs)
    if not root.properties:
        fix = "Look whether it is the right file; the outermost schema must have `properties`."
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
        self.count = 0
        self.stopped = False
        self.targets: dict[str, Place | None] = {}

    def whole(self, schema: Any, path: Path, refs: tuple[str, ...]) -> Schema:
        """A schema with what it refers to; its own keywords before those of its references."""
        found = Schema(path, refs=refs)
        if not isinstance(schema, dict):
            if schema is False:
                lost(self.document, path, "The schema `false` allows no value; that has no equivalent.")
            return found
        for key, value in schema.items():
            if key == "properties":
                found.properties |= {name: (inner, (*path, key, name)) for name, inner in value.items()}
            elif key == "required" and isinstance(value, list):
                found.required |= {name: (*path, key, n) for n, name in enumerate(value)}
            elif key not in {"$ref", "allOf"}:
                found.words[key] = value, (*path, key)
        if "$ref" in schema:
            self._refer(found, schema["$ref"], (*path, "$ref"))
        for n, part in enumerate(schema.get("allOf", ())):
            self._add(found, self.whole(part, (*path, "allOf", n), refs))
        self._nullable(found, refs)
        return found

    def _refer(self, found: Schema, ref: str, path: Path) -> None:
        if ref in found.refs:
            message = f"`{ref}` refers to itself; a contract cannot go on without end."
            fix = "Write out as many levels as there are, or leave the property out."
            self._stop(path, "cyclic-reference", message, fix)
            return
        if len(found.refs) > LONGEST_CHAIN:
            message = f"More than {LONGEST_CHAIN} references lead from one to the next."
            self._stop(path, "too-large", message, "Refer to what is meant at the end.")
            return
        if ref not in self.targets:
            self.targets[ref] = self._target(ref)
        target = self.targets[ref]
        if target is None:
            message, fix = f"`{ref}` leads to nothing in this file.", "Put what it refers to into the file."
            self.document.error(path, "unknown-reference", message, fix)
            return
        found.refs = (*found.refs, ref)
        self._add(found, self.whole(*target, found.refs))

    def _target(self, ref: str) -> Place | None:
        if ref != "#" and not ref.startswith("#/"):
            return None
        at: list[str | int] = []
        value = self.document.data
        for part in ref.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~").replace("%25", "%")
            if isinstance(value, dict) and name in value:
                value = value[name]
                at.append(name)
            elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
                at.append(int(name))
            else:
                return None
        return (value, tuple(at)) if isinstance(value, (dict, bool)) and is_schema(value) else None

    def _add(self, found: Schema, part: Schema) -> None:
        """Add what a reference or a part of `allOf` says; where both say something else, the first is kept."""
        for key, (value, at) in part.words.items():
            if key not in found.words:
                found.words[key] = value, at
            elif found.word(key) != value and key not in {"title", "description", "$id", "$schema"}:
                lost(self.document, at, f"`{key}` is said twice; `{found.word(key)!s:.60}` is kept.")
        for name, place in part.properties.items():
            if name in found.properties and found.properties[name][0] != place[0]:
                lost(self.document, place[1], f"The property `{name}` is described twice; the first is kept.")
            found.properties.setdefault(name, place)
        found.required = part.required | found.required
        found.refs = tuple(dict.fromkeys((*found.refs, *part.refs)))
        found.nullable |= part.nullable

    def _nullable(self, found: Schema, refs: tuple[str, ...]) -> None:
        """Take null out of alternatives and lists of types."""
        for key in ("anyOf", "oneOf"):
            branches = found.word(key) or []
            others = [n for n, branch in enumerate(branches) if branch != {"type": "null"}]
            if len(others) == 1:
                _, at = found.words.pop(key)
                found.nullable |= len(branches) > 1
                self._add(found, self.whole(branches[others[0]], (*at, others[0]), refs))
        kinds = found.word("type")
        if isinstance(kinds, list):
            rest = [kind for kind in kinds if kind != "null"]
            rest = ["number"] if set(rest) == {"integer", "number"} else rest
            found.nullable |= "null" in kinds
            found.words["type"] = (rest[0] if len(rest) == 1 else rest), found.words["type"][1]
        found.nullable |= found.word("nullable") is True

    def properties(self, owner: Schema, depth: int) -> list[dict[str, Any]]:
        """The properties of an object, those required marked so."""
        made: list[dict[str, Any]] = []
        for name, (schema, path) in owner.properties.items():
            prop = self.property(schema, path, owner.refs, depth)
            if self.stopped:
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

    def property(self, schema: Any, path: Path, refs: tuple[str, ...], depth: int) -> dict[str, Any]:
        """A property without its name; `nullable` tells that it may be null."""
        self.count += 1
        if self.count > MOST or depth > DEEPEST:
            message = f"The schema unfolds into more than {MOST:,} properties, or {DEEPEST} levels."
            self._stop(path, "too-large", message, "Write a schema of its own for what is in it.")
            return {}
        found = self.whole(schema, path, refs)
        if self.stopped:
            return {}
        prop: dict[str, Any] = {"nullable": found.nullable}
        if found.word("required") is True:  # as draft 3 and older tools write it
            prop["required"] = True
        self._type(found, prop)
        self._values(found, prop)
        self._nested(found, prop, depth)
        self._bounds_of_draft_4(found)
        name = f"`{path[-1]}`" if path else "the schema"
        self.others(found, STRUCTURE, name, prop)
        return prop

    def _type(self, found: Schema, prop: dict[str, Any]) -> None:
        kind, form = found.word("type"), found.word("format")
        if isinstance(kind, list):
            names = ", ".join(kind)
            lost(self.document, found.words["type"][1], f"Several types ({names or 'none'}) have no equivalent.")
            kind = None
        elif kind is None:
            kind = _guessed(found)
        if kind == "null":
            lost(self.document, found.words["type"][1], "A value that is always null has no equivalent.")
            kind = None
        if form in FORMATS and kind in {None, "string", *NUMBERS} and _is_kind(FORMATS[form][0], kind):
            kind, options = FORMATS[form]
            prop |= {OPTIONS: dict(options)} if options else {}
        elif form is not None:
            lost(self.document, found.words["format"][1], f"`format: {form!s:.60}` has no equivalent.")
        if kind:
            prop["logicalType"] = kind

    def _values(self, found: Schema, prop: dict[str, Any]) -> None:
        """The values that are allowed; null among them allows nulls."""
        values = [found.word("const")] if "const" in found.words else found.word("enum")
        if values is None:
            return
        at = found.words["const" if "const" in found.words else "enum"][1]
        prop["nullable"] = prop["nullable"] or None in values
        plain = [v for v in values if isinstance(v, (str, int, Decimal))]
        if len(plain) < len([v for v in values if v is not None]):
            lost(self.document, at, "Lists and mappings among the allowed values have no equivalent.")
        elif plain:
            prop["enum"] = [{"value": v} for n, v in enumerate(plain) if v not in plain[:n]]

    def _nested(self, found: Schema, prop: dict[str, Any], depth: int) -> None:
        """What is in an object or a list; of another type it says nothing."""
        kind, items, more = prop.get("logicalType"), found.word("items"), found.word("additionalProperties")
        if kind == "object" and found.properties:
            prop["properties"] = self.properties(found, depth + 1)
        elif kind == "object" and isinstance(more, dict):
            value = self._inside(more, found.words.pop("additionalProperties")[1], found, depth)
            prop |= {"logicalType": "map", "map": {"key": {"logicalType": "string"}, "value": value}}
        elif found.properties:
            lost(self.document, found.path, f"`properties` say nothing of a value of type {kind or 'unknown'}.")
        if kind == "array" and isinstance(items, dict):
            prop["items"] = self._inside(items, found.words["items"][1], found, depth)
        elif kind == "array" and isinstance(items, list):
            lost(self.document, found.words["items"][1], "Items that differ by their place have no equivalent.")
        elif items is not None and items is not True:
            lost(self.document, found.words["items"][1], f"`items` has no equivalent for type {kind or 'unknown'}.")
        if "additionalProperties" in found.words and more is not True:
            at = found.words["additionalProperties"][1]
            lost(self.document, at, "What further keys of a nested object may be has no equivalent.")

    def _inside(self, schema: Any, path: Path, owner: Schema, depth: int) -> dict[str, Any]:
        """What each value of a list or map is; that it may be null goes without saying."""
        found = self.property(schema, path, owner.refs, depth + 1)
        found.pop("nullable", None)
        return found

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
        for key, (value, at) in found.words.items():
            row = KEYWORDS.get(key)
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

    def _stop(self, path: Path, code: str, message: str, fix: str) -> None:
        if not self.stopped:
            self.document.error(path, code, message, fix)
        self.stopped = True


def is_schema(value: Any) -> bool:
    """Whether a value that is referred to is a schema as far as it is read here."""
    return shapes.fits(Document("", value), SHAPE)


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
