"""YAML text in, a document of plain values with their positions out; faults of the text become findings.

Read event by event rather than with `safe_load`, which hides duplicate keys, positions and the text of numbers. Plain
scalars follow YAML 1.2 (numbers stay exact as int and Decimal, dates stay text), but for yes, no, on and off: other
ODCS tools read them as booleans; dropgate does the same and reports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import yaml

from contracts.authoring.document.document import WORDS, Document
from contracts.authoring.document.finding import Finding, Path, Position

MOST_BYTES = 1 << 20
MOST_DEPTH = 50
MOST_VALUES = 50_000
"""Limits against files that are not contracts: aliases that multiply, brackets without end."""
MOST_DIGITS = 100

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NULLS = ("", "~", "null", "Null", "NULL")
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
BEGINS = frozenset("+-.0123456789")
"""The characters that numbers begin with."""
NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,2})?")
TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""The line breaks of YAML 1.1 (section 4.2, "Line Break Characters")."""
LOOK = (
    "Look at this line and the one before: indentation, a colon that is missing, a quote that is not closed, "
    "text with `: ` or ` #` that needs quotes."
)


@dataclass(slots=True)
class Node:
    """A value of the file: a scalar, a list of nodes or a list of pairs of nodes."""

    kind: str
    value: Any
    position: Position


class _Unreadable(Exception):
    """The text cannot be read as one document; `finding` gives the reason."""

    def __init__(self, file: str, position: Position, code: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.finding = Finding(file, position.line, position.column, "error", code, message, fix)


def read(raw: bytes, file: str) -> Document:
    """Read the document in `raw`; if there is none, its `data` is None and its findings give the reason."""
    document = Document(file, raw=raw)
    try:
        root = _Composer(_decode(raw, file), document).root()
        document.data = _place(root, (), document)
    except _Unreadable as stop:
        document.data = None
        document.findings.append(stop.finding)
    return document


def _decode(raw: bytes, file: str) -> str:
    if len(raw) > MOST_BYTES:
        message = f"The file has {len(raw):,} bytes; a contract has at most {MOST_BYTES:,}."
        raise _Unreadable(file, Position(1, 1), "too-large", message, "Check that it is the right file.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        position = Position(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise _Unreadable(file, position, "not-utf-8", "The file is not UTF-8 text.", "Save it as UTF-8.") from None


class _Composer:
    """Builds nodes from parser events, at most MOST_DEPTH deep."""

    def __init__(self, text: str, document: Document) -> None:
        self.document = document
        self.events = self._parse(text)
        self.anchors: dict[str, Node] = {}

    def root(self) -> Node:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise self._stop(event, "two-documents", "A second document begins here.", "Keep one per file.")
                root = self._node(next(self.events), 0)
        if root is None:
            fix = "Write an ODCS contract, beginning with `apiVersion: v3.2.0`."
            raise _Unreadable(self.document.file, Position(1, 1), "empty-file", "The file holds no document.", fix)
        return root

    def _parse(self, text: str) -> Iterator[Any]:
        try:
            yield from yaml.parse(text, Loader=LOADER)
        except yaml.reader.ReaderError as error:
            before = text[: error.position]
            position = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
            message = "YAML does not allow this character."
            raise _Unreadable(self.document.file, position, "yaml-syntax", message, "Delete it.") from None
        except yaml.MarkedYAMLError as error:
            where = error.problem_mark or error.context_mark
            line, column = (where.line, where.column) if where else (0, 0)
            lines = LINE_END.split(text)
            at = lines[line] if line < len(lines) else ""
            problem = ", ".join(p for p in (error.context, error.problem) if p)
            position, message, fix = Position(line + 1, column + 1), f"This is not YAML: {problem}.", LOOK
            if "\t" in at[: column + 1]:
                position = Position(line + 1, at.index("\t") + 1)
                message, fix = "The line is indented with a tab, which YAML does not allow.", "Indent with blanks."
            raise _Unreadable(self.document.file, position, "yaml-syntax", message, fix) from None

    def _stop(self, event: Any, code: str, message: str, fix: str) -> _Unreadable:
        return _Unreadable(self.document.file, _position(event), code, message, fix)

    def _node(self, event: Any, depth: int) -> Node:
        if depth > MOST_DEPTH:
            message = f"Values are nested more than {MOST_DEPTH} deep."
            raise self._stop(event, "too-deep", message, "Check that it is the right file.")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                message = f"`*{event.anchor}` names nothing that was read before it."
                raise self._stop(event, "unknown-alias", message, "Write the value out.")
            return self.anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            node = Node("scalar", self._value(event), _position(event))
        elif isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := next(self.events), yaml.SequenceEndEvent):
                items.append(self._node(inner, depth + 1))
            node = Node("list", items, _position(event))
        else:
            pairs = []
            while not isinstance(inner := next(self.events), yaml.MappingEndEvent):
                is_name = isinstance(inner, yaml.ScalarEvent) and not inner.anchor and not inner.tag
                key = Node("scalar", None, _position(inner)) if is_name else self._node(inner, depth + 1)
                if key.kind != "scalar":
                    message = "A list or a mapping is here instead of a key."
                    raise self._stop(inner, "complex-key", message, "Write a name, then a colon.")
                pairs.append((key, self._node(next(self.events), depth + 1)))
            node = Node("map", pairs, _position(event))
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _value(self, event: Any) -> Any:
        if event.tag not in TEXT_TAGS:
            stop = self._stop(
                event, "yaml-tag", f"The tag `{event.tag}` is not read.", "Leave it out; write the value."
            )
            self.document.findings.append(stop.finding)
        value = event.value
        if event.style or event.tag or not event.implicit[0]:
            return value
        if value in NULLS:
            return None
        word = value.casefold()
        if word in WORDS:
            return WORDS[word]
        return value if (number := number_of(value)) is None else number


def number_of(text: str) -> int | Decimal | None:
    """Return the number that a text is, of a size that can be computed with; None if it is none."""
    if len(text) > MOST_DIGITS or text[:1] not in BEGINS:
        return None
    return int(text) if INTEGER.fullmatch(text) else Decimal(text) if NUMBER.fullmatch(text) else None


def _position(event: Any) -> Position:
    mark = event.start_mark
    if not isinstance(event, yaml.ScalarEvent):
        return Position(mark.line + 1, mark.column + 1)
    return Position(mark.line + 1, mark.column + 1, event.value, event.implicit[0] and not event.style)


def _place(node: Node, path: Path, document: Document) -> Any:
    """Return the plain value of a node; record the position of each value in it."""
    document.positions[path] = node.position
    if len(document.positions) > MOST_VALUES:
        message = f"The document has more than {MOST_VALUES:,} values."
        fix = "Write aliases out, or look whether it is the right file."
        raise _Unreadable(document.file, node.position, "too-large", message, fix)
    if node.kind == "scalar":
        return node.value
    if node.kind == "list":
        return [_place(item, (*path, n), document) for n, item in enumerate(node.value)]
    mapping: dict[str, Any] = {}
    for key, value in _with_merged(node, document):
        name = str(key.position.text)
        inner = (*path, name)
        if name in mapping:
            at, first = key.position, document.keys[inner].line
            message = f"The key `{name}` occurs twice in one mapping; the first is in line {first}."
            finding = Finding(document.file, at.line, at.column, "error", "duplicate-key", message, "Keep one of them.")
            document.findings.append(finding)
            continue
        document.keys[inner] = key.position
        mapping[name] = _place(value, inner, document)
    return mapping


def _with_merged(node: Node, document: Document) -> list[tuple[Node, Node]]:
    """Return the pairs of a mapping, and after them those that `<<` adds: its own keys win, then the first mapping's.

    The merge key is of YAML 1.1 (yaml.org/type/merge.html), and most tools that read contracts still know it.
    """
    own = [pair for pair in node.value if not _is_merge(pair[0])]
    if len(own) == len(node.value):
        return own
    names = {str(key.position.text) for key, _ in own}
    for _, merged in (pair for pair in node.value if _is_merge(pair[0])):
        for source in merged.value if merged.kind == "list" else [merged]:
            if source.kind != "map":
                message = "`<<` adds the keys of a mapping, and this is none."
                raise _Unreadable(document.file, source.position, "wrong-type", message, "Name an anchor of a mapping.")
            added = [pair for pair in _with_merged(source, document) if str(pair[0].position.text) not in names]
            names |= {str(key.position.text) for key, _ in added}
            own += added
    return own


def _is_merge(key: Node) -> bool:
    return key.position.plain and key.position.text == "<<"
