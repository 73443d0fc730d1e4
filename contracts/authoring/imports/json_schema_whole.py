"""A JSON Schema with its references put in: a schema and its document in; all keywords that hold of a value out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import lost
from contracts.authoring.imports.json_schema_shape import SHAPE

LONGEST_CHAIN = 100
"""References that lead from one to the next."""
DESCRIBING = ("title", "description", "$id", "id", "$schema", "$defs", "definitions")
"""Keywords that each schema may say of itself without a word on the values of others."""
Refs = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a schema, where it stands, and the references that led there."""

    value: Any
    path: Path
    refs: Refs


@dataclass(slots=True)
class Schema:
    """The keywords and properties that apply to a value, each with its source position."""

    path: Path
    words: dict[str, Place] = field(default_factory=dict)
    properties: dict[str, Place] = field(default_factory=dict)
    required: dict[str, Path] = field(default_factory=dict)
    nullable: bool = False

    def word(self, key: str) -> Any:
        """The value of a keyword; None where there is none."""
        return self.words[key].value if key in self.words else None

    def at(self, key: str) -> Path:
        """Return the path of a keyword."""
        return self.words[key].path


class Resolver:
    """Puts references and `allOf` in, and takes null out; what is wrong goes to the document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.stopped = False
        self.targets: dict[str, Place | None] = {}

    def whole(self, place: Place) -> Schema:
        """A schema with what it refers to; its own keywords before those of its references."""
        schema, path, refs = place.value, place.path, place.refs
        found = Schema(path)
        if not isinstance(schema, dict):
            if schema is False:
                lost(self.document, path, "The schema `false` allows no value; that has no equivalent.")
            return found
        for key, value in schema.items():
            if key == "properties":
                found.properties |= {name: Place(inner, (*path, key, name), refs) for name, inner in value.items()}
            elif key == "required" and isinstance(value, list):
                found.required |= {name: (*path, key, n) for n, name in enumerate(value)}
            elif key not in {"$ref", "allOf"}:
                found.words[key] = Place(value, (*path, key), refs)
        if "$ref" in schema:
            self._refer(found, schema["$ref"], (*path, "$ref"), refs)
        for n, part in enumerate(schema.get("allOf", ())):
            self._add(found, self.whole(Place(part, (*path, "allOf", n), refs)))
        self._nullable(found)
        return found

    def stop(self, path: Path, code: str, message: str, fix: str) -> None:
        """Say once why the reading ends here."""
        if not self.stopped:
            self.document.error(path, code, message, fix)
        self.stopped = True

    def _refer(self, found: Schema, ref: str, path: Path, refs: Refs) -> None:
        if ref in refs:
            message = f"`{ref}` refers to itself; a contract cannot go on without end."
            fix = "Write out as many levels as there are, or leave the property out."
            self.stop(path, "cyclic-reference", message, fix)
        elif len(refs) > LONGEST_CHAIN:
            message = f"More than {LONGEST_CHAIN} references lead from one to the next."
            self.stop(path, "too-large", message, "Refer to what is meant at the end.")
        elif (target := self._target(ref)) is None:
            message, fix = f"`{ref}` leads to nothing in this file.", "Put what it refers to into the file."
            self.document.error(path, "unknown-reference", message, fix)
        else:
            self._add(found, self.whole(Place(target.value, target.path, (*refs, ref))))

    def _target(self, ref: str) -> Place | None:
        if ref not in self.targets:
            found = self._at(ref) if ref == "#" or ref.startswith("#/") else None
            is_schema = found is not None and shapes.fits(Document("", found.value), SHAPE)
            self.targets[ref] = found if is_schema else None
        return self.targets[ref]

    def _at(self, ref: str) -> Place | None:
        """Return the value that a JSON pointer refers to (RFC 6901)."""
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
        return Place(value, tuple(at), ())

    def _add(self, found: Schema, part: Schema) -> None:
        """Add what a reference or a part of `allOf` says; where both say something else, the first is kept."""
        for key, place in part.words.items():
            if key in found.words and found.word(key) != place.value and key not in DESCRIBING:
                lost(self.document, place.path, f"`{key}` is said twice; `{found.word(key)!s:.60}` is kept.")
            found.words.setdefault(key, place)
        for name, place in part.properties.items():
            if name in found.properties and found.properties[name].value != place.value:
                lost(self.document, place.path, f"The property `{name}` is described twice; the first is kept.")
            found.properties.setdefault(name, place)
        found.required = part.required | found.required
        found.nullable |= part.nullable

    def _nullable(self, found: Schema) -> None:
        """Take null out of alternatives and lists of types."""
        for key in ("anyOf", "oneOf"):
            branches = found.word(key) or []
            others = [n for n, branch in enumerate(branches) if branch != {"type": "null"}]
            if len(others) == 1:
                place = found.words.pop(key)
                found.nullable |= len(branches) > 1
                self._add(found, self.whole(Place(branches[others[0]], (*place.path, others[0]), place.refs)))
        kinds = found.word("type")
        if isinstance(kinds, list):
            rest = [kind for kind in kinds if kind != "null"]
            rest = ["number"] if set(rest) == {"integer", "number"} else rest
            found.nullable |= "null" in kinds
            place = found.words["type"]
            found.words["type"] = Place(rest[0] if len(rest) == 1 else rest, place.path, place.refs)
        found.nullable |= found.word("nullable") is True
