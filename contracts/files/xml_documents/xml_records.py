"""XML transcribed to JSON Lines: a plan and a document in pieces in, a line for each record, or a problem, out. Pure.

An element becomes the value that the contract has at its place: a single value, an object of its attributes, elements
and text, or one element of an array. Elements that the contract does not know are written as they come, so that they
are judged like unknown keys of JSON; if the contract ignores them, they are left out. A record in which an element has
both text and other elements becomes a flawed line, an array of the flaw and the record, which is no record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO
from xml.parsers import expat

from contracts.files.xml_documents import xml_bytes, xml_faults, xml_shape
from contracts.files.xml_documents.xml_cells import SPACES, quoted
from contracts.files.xml_documents.xml_elements import Element, Writer
from contracts.files.xml_documents.xml_names import NIL, Names, split
from contracts.files.xml_documents.xml_plain import Plain
from contracts.files.xml_documents.xml_shape import Shape
from contracts.plan import Plan, Xml
from contracts.problem import Problem

PIECE = 1 << 20
"""Bytes that are read at once."""
MOST_DEPTH = 100
MOST_BYTES = 16 << 20
"""Bytes of a record, in characters of its texts and names."""
MOST_NAMES = 100_000
"""Different names of elements and attributes, all of which the parser keeps."""
MOST_SEEN = 100
"""Names of elements beside the path to records that are kept to find the nearest."""


class _Refused(Exception):
    """A document that is refused, with its problem: it leaves the parser."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


@dataclass(slots=True)
class Records:
    """A document that is being read: the lines of its records, and what the parser has seen.

    `fed` is the number of bytes that the parser has seen, `skipped` that of lines of text that it has not. `begins` and
    `ends` are its bytes at which the last record and its end tag begin, `keys` the keys of the elements of that in
    their order. `namespaces` counts the beginnings and ends of namespaces so far.
    """

    xml: Xml
    names: Names
    shape: Shape
    writer: Writer
    parser: Any
    lines: list[bytes] = field(default_factory=list)
    count: int = 0
    fed: int = 0
    skipped: int = 0
    begins: int = 0
    ends: int = 0
    keys: list[str] = field(default_factory=list)
    namespaces: int = 0
    _path: list[str] = field(default_factory=list)
    """The names of the open elements outside of records."""
    _matched: int = 0
    """The number of open elements that are on the path to records."""
    _reached: int = 0
    """The most of them at once."""
    _seen: dict[int, dict[str, None]] = field(default_factory=dict)
    """Names of elements beside the path, by their depth."""
    _elements: list[Element] = field(default_factory=list)
    """The open elements of a record."""
    _ignored: int = 0
    """The number of open elements that are left out."""
    _weight: int = 0
    _flaw: str | None = None

    def start(self) -> None:
        """Make the parser ready."""
        parser = self.parser
        parser.buffer_text = parser.ordered_attributes = True
        parser.StartDoctypeDeclHandler = self._on_doctype
        parser.StartNamespaceDeclHandler = parser.EndNamespaceDeclHandler = self._on_namespace
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = self._on_text

    def feed(self, piece: bytes, *, final: bool = False) -> Problem | None:
        """Let the parser read on; return the problem of a document that is refused."""
        try:
            self.parser.Parse(piece, final)
        except _Refused as refused:
            return refused.problem
        except expat.ExpatError as error:
            return xml_faults.broken(error, self.skipped, self._inside(), self.count)
        self.fed += len(piece)
        if self.fed - self.parser.CurrentByteIndex > MOST_BYTES:  # the parser begins it again with each piece
            return xml_faults.endless(MOST_BYTES)
        return xml_faults.too_many_names(MOST_NAMES) if len(self.parser.intern) > MOST_NAMES else None

    def missing(self) -> Problem | None:
        """Return the problem of a document without records in which the path to them is not there."""
        if self.count:
            return None
        return xml_faults.no_record(self.xml, self.names, self._reached, list(self._seen.get(self._reached, ())))

    def beside(self) -> list[str]:
        """Return the names of elements beside the last step of the path to records."""
        return [split(name)[1] for name in self._seen.get(len(self.names.steps) - 1, ())]

    def _inside(self) -> str:
        """Return the name of the innermost open element."""
        if self._elements:
            return self._elements[-1].key or split(self.names.steps[-1])[1]
        return split(self._path[-1])[1] if self._path else ""

    def _on_doctype(self, name: str, *_: object) -> None:
        raise _Refused(xml_faults.doctype(name))

    def _on_namespace(self, *_: object) -> None:
        self.namespaces += 1

    def _on_start(self, name: str, attributes: list[str]) -> None:
        if self._ignored:
            self._ignored += 1
        elif self._elements:
            self._within(name, attributes)
        else:
            depth = len(self._path)
            if depth == self._matched:
                self._step(name, depth)
            if self._matched == len(self.names.steps) and depth + 1 == self._matched:
                self.begins = self.parser.CurrentByteIndex
                self._flaw, self._weight, self.keys = None, 0, []
                self._elements.append(self._element("", self.shape, attributes))
            else:
                self._path.append(name)
        if len(self._path) + len(self._elements) + self._ignored > MOST_DEPTH:
            raise _Refused(xml_faults.too_deep(MOST_DEPTH))

    def _step(self, name: str, depth: int) -> None:
        """Take note of an element on the path to records, or beside it."""
        step, seen = self.names.steps[depth], self._seen.setdefault(depth, {})
        if name == step:
            self._matched += 1
            self._reached = max(self._reached, self._matched)
        elif depth == 0:
            raise _Refused(xml_faults.other_root(self.xml, step, name))
        elif split(name)[1] == split(step)[1]:
            raise _Refused(xml_faults.other_namespace(self.xml, depth, name, step))
        elif len(seen) < MOST_SEEN:
            seen[name] = None

    def _within(self, name: str, attributes: list[str]) -> None:
        outer, key = self._elements[-1], self.names.key(name)
        if len(self._elements) == 1:
            self.keys.append(key)
        shape = outer.shape.within(key) if outer.shape else None
        if shape is None and self.writer.ignores and outer.shape and outer.shape.kind == "object":
            self._ignored = 1
            return
        if shape and shape.kind == "array":
            shape = shape.each
        self._weigh(len(key) + 8)
        self._elements.append(self._element(key, shape, attributes))

    def _element(self, key: str, shape: Shape | None, attributes: list[str]) -> Element:
        element = Element(key, shape, {})
        for name, text in zip(attributes[::2], attributes[1::2], strict=True):
            self._weigh(len(name) + len(text))
            if name == NIL:
                element.is_nil = text.strip(SPACES) in ("true", "1")
            elif (own := self.names.of_attribute(name)) is not None:
                element.attributes[own] = text
        return element

    def _weigh(self, weight: int) -> None:
        self._weight += weight
        if self._weight > MOST_BYTES:
            raise _Refused(xml_faults.too_large(MOST_BYTES, self.count + 1))

    def _on_text(self, text: str) -> None:
        if self._elements and not self._ignored:
            self._weigh(len(text))
            self._elements[-1].texts.append(text)

    def _on_end(self, _name: str) -> None:
        if self._ignored:
            self._ignored -= 1
        elif not self._elements:
            self._path.pop()
            self._matched = min(self._matched, len(self._path))
        else:
            element = self._elements.pop()
            if self._flaw is None and (flaw := self.writer.flaw(element)):
                keys = [*(outer.key for outer in self._elements[1:]), element.key]
                self._flaw = f"`{'/'.join(keys)}` {flaw}" if element.key else f"it {flaw}"
            if self._elements:
                outer = self._elements[-1]
                outer.elements.setdefault(element.key, []).append(self.writer.value(element, outer))
                return
            line = self.writer.object(element)
            self.ends = self.parser.CurrentByteIndex
            self._matched = len(self._path)
            self.count += 1
            self.lines.append((line if self._flaw is None else f"[{quoted(self._flaw)},{line}]").encode() + b"\n")


def lines(plan: Plan, pieces: Iterable[bytes], *, whole: bool = True) -> Iterator[bytes | Problem]:
    """Yield the records of a document as lines of JSON, several at a time; a problem, at last, if it is refused.

    Of a document that is not `whole` only what is there is judged.
    """
    records = _records(plan)
    plain = Plain(records)
    for piece in xml_bytes.in_utf8(pieces, whole=whole):
        problem = piece if isinstance(piece, Problem) else plain.feed(piece)
        yield from _taken(records)
        if problem:
            yield problem
            return
    if whole:
        problem = plain.done() or records.missing()
        yield from _taken(records)
        if problem:
            yield problem


def beside(plan: Plan, document: bytes) -> list[str]:
    """Return the names of elements that stand where the records of a whole document would be."""
    records = _records(plan)
    for piece in xml_bytes.in_utf8([document], whole=True):
        if isinstance(piece, bytes):
            records.feed(piece)
    return records.beside()


def _records(plan: Plan) -> Records:
    assert plan.xml is not None
    shape, parser = xml_shape.of_plan(plan), expat.ParserCreate("utf-8", "}")
    writer = Writer(plan.xml, shape, plan.columns.extra == "ignore")
    records = Records(plan.xml, Names(plan.xml), shape, writer, parser)
    records.start()
    return records


def _taken(records: Records) -> Iterator[bytes]:
    if records.lines:
        yield b"".join(records.lines)
        records.lines.clear()


def transcribe(plan: Plan, source: BinaryIO, target: BinaryIO) -> Problem | None:
    """Write the records of a document as lines; return the problem of one that is refused."""
    for part in lines(plan, iter(partial(source.read, PIECE), b"")):
        if isinstance(part, Problem):
            return part
        target.write(part)
    return None
