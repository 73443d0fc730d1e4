"""YAML text in, plain values with the place of each out; whatever is wrong with the text comes out as findings.

Read event by event rather than with `safe_load`, which hides duplicate keys, positions and the text of numbers. Plain
scalars follow YAML 1.2 (numbers stay exact as int and Decimal, dates stay text), but for yes, no, on and off: other ODCS tools read them as
booleans, so do we, and say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import yaml

from contracts.authoring.finding import Finding, Level, Mark, Path

MOST_BYTES = 1 << 20
MOST_DEPTH = 50
MOST_VALUES = 50_000
"""Limits against files that are no contracts: aliases that multiply, brackets without end."""

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
WORDS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,2})?")
TEXT_TAG = "tag:yaml.org,2002:str"


@dataclass(slots=True)
class Node:
    """A value as it stands in the file; `value` is a scalar, a list of nodes or a list of pairs of nodes."""

    kind: str
    value: Any
    mark: Mark


@dataclass(slots=True)
class Document:
    """A contract's values and where each of them, and each key, stands."""

    file: str
    data: Any = None
    marks: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def error(self, path: Path, code: str, message: str, fix: str, on_key: bool = False) -> None:
        """Add a finding that keeps the contract from being published."""
        self.findings.append(self.finding("error", path, code, message, fix, on_key))

    def text(self, path: Path) -> str | None:
        """The scalar at a path as the file writes it."""
        mark = self.marks.get(path)
        return mark.text if mark else None

    def word(self, path: Path) -> str | None:
        """The unquoted yes, no, on or off that stands at a path; None if something else does."""
        mark = self.marks.get(path)
        found = mark.text if mark and mark.plain else None
        return found if found and found.casefold() in WORDS and found.casefold() not in ("true", "false") else None

    def place(self, path: Path, on_key: bool = False) -> Mark:
        """Where a path stands, or the nearest of its parents that stands somewhere."""
        for end in range(len(path), -1, -1):
            if on_key and (mark := self.keys.get(path[:end])):
                return mark
            if mark := self.marks.get(path[:end]):
                return mark
        return Mark(1, 1)

    def finding(self, level: Level, path: Path, code: str, message: str, fix: str, on_key: bool = False) -> Finding:
        """A finding about the value, or the key, at a path."""
        mark = self.place(path, on_key)
        return Finding(self.file, mark.line, mark.column, level, code, message, fix)


class Unreadable(Exception):
    """The text cannot be read as one document; carries the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def read(raw: bytes, file: str) -> tuple[Document | None, list[Finding]]:
    """The document in `raw` and what is wrong with its text; None if there is no document to speak of."""
    findings: list[Finding] = []
    try:
        text = _decode(raw, file)
        root = _Composer(text, file, findings).document()
        document = Document(file)
        document.data = _place(root, (), document, findings)
    except Unreadable as stop:
        return None, [*findings, stop.finding]
    return document, findings


def _stop(file: str, line: int, column: int, code: str, message: str, fix: str) -> Unreadable:
    return Unreadable(Finding(file, line, column, "error", code, message, fix))


def _decode(raw: bytes, file: str) -> str:
    if len(raw) > MOST_BYTES:
        raise _stop(file, 1, 1, "too-large", f"The file has {len(raw):,} bytes; a contract has at most {MOST_BYTES:,}.", "Look whether it is the right file.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        column = error.start - before.rfind(b"\n")
        raise _stop(file, before.count(b"\n") + 1, column, "not-utf-8", "The file is not UTF-8 text.", "Save it as UTF-8.") from None


class _Composer:
    """Builds nodes from parser events; it goes no deeper than MOST_DEPTH, whatever the file holds."""

    def __init__(self, text: str, file: str, findings: list[Finding]) -> None:
        self.file = file
        self.findings = findings
        self.events = self._parse(text)
        self.anchors: dict[str, Node] = {}

    def _parse(self, text: str) -> Iterator[Any]:
        try:
            yield from yaml.parse(text, Loader=LOADER)
        except yaml.reader.ReaderError as error:
            before = text[: error.position]
            place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
            raise _stop(self.file, *place, "yaml-syntax", f"A character stands here that YAML does not allow (U+{ord(str(error.character)[:1]):04X}).", "Delete it.") from None
        except yaml.MarkedYAMLError as error:
            raise self._syntax(error, text) from None

    def _syntax(self, error: yaml.MarkedYAMLError, text: str) -> Unreadable:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        lines = text.split("\n")
        at = lines[line] if line < len(lines) else ""
        if "\t" in at[: column + 1]:
            return _stop(self.file, line + 1, at.index("\t") + 1, "yaml-syntax", "The line is indented with a tab, which YAML does not allow.", "Indent with blanks.")
        message = ", ".join(p for p in (error.context, error.problem) if p)
        fix = "Look at this line and the one before: indentation, a missing colon, a quote that is not closed, text with `: ` or ` #` that needs quotes."
        return _stop(self.file, line + 1, column + 1, "yaml-syntax", f"This is not YAML: {message}.", fix)

    def document(self) -> Node:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise self._at(event, "two-documents", "A second document begins here.", "Keep one contract per file.")
                root = self._node(next(self.events), 0)
        if root is None:
            raise _stop(self.file, 1, 1, "empty-file", "The file holds no document.", "Write an ODCS contract, beginning with `apiVersion: v3.2.0`.")
        return root

    def _at(self, event: Any, code: str, message: str, fix: str) -> Unreadable:
        return _stop(self.file, event.start_mark.line + 1, event.start_mark.column + 1, code, message, fix)

    def _node(self, event: Any, depth: int) -> Node:
        if depth > MOST_DEPTH:
            raise self._at(event, "too-deep", f"Values are nested more than {MOST_DEPTH} deep.", "Look whether it is the right file.")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = Node("list", self._items(depth), _mark(event))
        else:
            node = Node("map", self._pairs(depth), _mark(event))
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _alias(self, event: Any) -> Node:
        if event.anchor not in self.anchors:
            raise self._at(event, "unknown-alias", f"`*{event.anchor}` names nothing that was read before it.", "Write the value out.")
        return self.anchors[event.anchor]

    def _items(self, depth: int) -> list[Node]:
        found = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found.append(self._node(event, depth + 1))
        return found

    def _pairs(self, depth: int) -> list[tuple[Node, Node]]:
        found = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if key.kind != "scalar":
                raise self._at(event, "complex-key", "A list or a mapping stands where a key is expected.", "Write a name, then a colon.")
            found.append((key, self._node(next(self.events), depth + 1)))
        return found

    def _scalar(self, event: Any) -> Node:
        if event.tag and event.tag != TEXT_TAG and event.tag != "!":
            self.findings.append(
                self._at(event, "yaml-tag", f"The tag `{event.tag}` is not read.", "Leave the tag out; write the value itself.").finding
            )
        plain = event.implicit[0] and not event.style
        value = _plain(event.value) if plain and not event.tag else event.value
        return Node("scalar", value, Mark(event.start_mark.line + 1, event.start_mark.column + 1, event.value, plain))


def _mark(event: Any) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


def _plain(text: str) -> Any:
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.casefold() in WORDS:
        return WORDS[text.casefold()]
    if len(text) > 100:
        return text
    if INTEGER.fullmatch(text):
        return int(text)
    return Decimal(text) if NUMBER.fullmatch(text) and not re.match(r"[-+]?0[0-9]", text) else text


def _place(node: Node, path: Path, document: Document, findings: list[Finding]) -> Any:
    document.marks[path] = node.mark
    if len(document.marks) > MOST_VALUES:
        raise _stop(document.file, node.mark.line, node.mark.column, "too-large", f"The document has more than {MOST_VALUES:,} values.", "Write aliases out, or look whether it is the right file.")
    if node.kind == "scalar":
        return node.value
    if node.kind == "list":
        return [_place(item, (*path, n), document, findings) for n, item in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = str(key.mark.text)
        inner = (*path, name)
        if name in found:
            findings.append(_duplicate(document, key, document.keys[inner]))
            continue
        document.keys[inner] = key.mark
        found[name] = _place(value, inner, document, findings)
    return found


def _duplicate(document: Document, key: Node, first: Mark) -> Finding:
    message = f"The key `{key.mark.text}` stands twice in one mapping; it stood in line {first.line} first."
    return Finding(document.file, key.mark.line, key.mark.column, "error", "duplicate-key", message, "Keep one of them.")
