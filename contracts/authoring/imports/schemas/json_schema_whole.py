"""Resolution of JSON Schema references: a schema and its document in, all keywords that apply to a value out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import lost
from contracts.authoring.imports.schemas.json_schema_shape import SHAPE

LONGEST_CHAIN = 100
"""References in one chain."""
DESCRIBING = ("title", "description", "$id", "id", "$schema", "$defs", "definitions")
"""Keywords that describe a schema itself and do not constrain values."""
Refs = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """A value of a schema, its path, and the references that led to it."""

    value: Any
    path: Path
    refs: Refs


@dataclass(slots=True)
class Schema:
    """The keywords and properties that apply to a value, each with its source position."""

    path: Path
    words: dict[str, SchemaNode] = field(default_factory=dict)
    properties: dict[str, SchemaNode] = field(default_factory=dict)
    required: dict[str, Path] = field(default_factory=dict)
    nullable: bool = False

    def word(self, key: str) -> Any:
        """Return the value of a keyword; None if there is none."""
        return self.words[key].value if key in self.words else None

    def at(self, key: str) -> Path:
        """Return the path of a keyword."""
        return self.words[key].path


class Resolver:
    """Resolves references and `allOf`, and removes null; faults go to the document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.stopped = False
        self.targets: dict[str, SchemaNode | None] = {}

    def whole(self, place: SchemaNode) -> Schema:
        """Return a schema with everything that it refers to; its own keywords precede those of references."""
        schema, path, refs = place.value, place.path, place.refs
        whole = Schema(path)
        if not isinstance(schema, dict):
            if schema is False:
                lost(self.document, path, "The schema `false` allows no value; that has no equivalent.")
            return whole
        for key, value in schema.items():
            if key == "properties":
                whole.properties |= {name: SchemaNode(inner, (*path, key, name), refs) for name, inner in value.items()}
            elif key == "required" and isinstance(value, list):
                whole.required |= {name: (*path, key, n) for n, name in enumerate(value)}
            elif key not in {"$ref", "allOf"}:
                whole.words[key] = SchemaNode(value, (*path, key), refs)
        if "$ref" in schema:
            self._refer(whole, schema["$ref"], (*path, "$ref"), refs)
        for n, part in enumerate(schema.get("allOf", ())):
            self._add(whole, self.whole(SchemaNode(part, (*path, "allOf", n), refs)))
        self._nullable(whole)
        return whole

    def stop(self, path: Path, code: str, message: str, fix: str) -> None:
        """Report once why the reading ends here."""
        if not self.stopped:
            self.document.error(path, code, message, fix)
        self.stopped = True

    def _refer(self, merged: Schema, ref: str, path: Path, refs: Refs) -> None:
        if ref in refs:
            message = f"`{ref}` refers to itself; a contract cannot go on without end."
            fix = "Write out as many levels as there are, or leave the property out."
            self.stop(path, "cyclic-reference", message, fix)
        elif len(refs) > LONGEST_CHAIN:
            message = f"More than {LONGEST_CHAIN} references lead from one to the next."
            self.stop(path, "too-large", message, "Refer directly to the last schema.")
        elif (target := self._target(ref)) is None:
            message, fix = f"`{ref}` leads to nothing in this file.", "Add the schema that it refers to."
            self.document.error(path, "unknown-reference", message, fix)
        else:
            self._add(merged, self.whole(SchemaNode(target.value, target.path, (*refs, ref))))

    def _target(self, ref: str) -> SchemaNode | None:
        """Return the schema that a JSON pointer refers to (RFC 6901); None if it refers to nothing, or to no schema."""
        if ref in self.targets:
            return self.targets[ref]
        self.targets[ref] = None
        if ref != "#" and not ref.startswith("#/"):
            return None
        at: list[str | int] = []
        value = self.document.data
        for part in ref.split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                at.append(name)
            elif isinstance(value, list) and re.fullmatch("[0-9]{1,6}", name) and int(name) < len(value):
                at.append(int(name))
            else:
                return None
            value = value[at[-1]]
        if shapes.fits(Document("", value), SHAPE):
            self.targets[ref] = SchemaNode(value, tuple(at), ())
        return self.targets[ref]

    def _add(self, merged: Schema, part: Schema) -> None:
        """Add the keywords of a reference or a part of `allOf`; the first value of a keyword is kept."""
        for key, place in part.words.items():
            if key in merged.words and merged.word(key) != place.value and key not in DESCRIBING:
                lost(self.document, place.path, f"`{key}` is said twice; `{merged.word(key)!s:.60}` is kept.")
            merged.words.setdefault(key, place)
        for name, place in part.properties.items():
            if name in merged.properties and merged.properties[name].value != place.value:
                lost(self.document, place.path, f"The property `{name}` is described twice; the first is kept.")
            merged.properties.setdefault(name, place)
        merged.required = part.required | merged.required
        merged.nullable |= part.nullable

    def _nullable(self, merged: Schema) -> None:
        """Remove null from alternatives and lists of types."""
        for key in ("anyOf", "oneOf"):
            branches = merged.word(key) or []
            others = [n for n, branch in enumerate(branches) if branch != {"type": "null"}]
            if len(others) == 1:
                place = merged.words.pop(key)
                merged.nullable |= len(branches) > 1
                self._add(merged, self.whole(SchemaNode(branches[others[0]], (*place.path, others[0]), place.refs)))
        kinds = merged.word("type")
        if isinstance(kinds, list):
            rest = [kind for kind in kinds if kind != "null"]
            rest = ["number"] if set(rest) == {"integer", "number"} else rest
            merged.nullable |= "null" in kinds
            place = merged.words["type"]
            merged.words["type"] = SchemaNode(rest[0] if len(rest) == 1 else rest, place.path, place.refs)
        merged.nullable |= merged.word("nullable") is True
