"""Plain records of XML, which need no parser: bytes between two records in, their lines out; all others are parsed.

Most records of most files are flat and look like the ones before: the same elements, each once and without attributes,
with plain texts in them. One pattern, which is made of records that the parser has read, matches a whole such record
with all its values, which is many times faster. It is tried only where the parser stands between two records, so that
nothing that it matches could be a part of a comment or of a text; the parser never sees what it matches. A record that
does not match is parsed, and gives the same line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

from contracts.files.xml_documents.xml_cells import quoted
from contracts.files.xml_documents.xml_shape import Shape
from contracts.plan import LogicalType, Xml
from contracts.problem import Problem

if TYPE_CHECKING:
    from contracts.files.xml_documents.xml_records import Records

MOST_WAITING = 16 << 20
"""Bytes without the end of a record that wait for it before they are parsed."""
MOST_PATTERNS = 100
"""Patterns that are made for one document: one that needs more has no typical record."""
ANY = rb'[^<>&"\\\x00-\x1f]*+'
WORD = rb'[^<>&"\\\x00-\x20]++'
KINDS: dict[LogicalType, bytes] = {
    "string": ANY,
    "integer": rb"-?(?:0|[1-9][0-9]{0,17}+)",
    "number": rb"-?(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,20}+)?+",
    "boolean": rb"true|false",
    "date": WORD,
    "timestamp": WORD,
    "time": WORD,
}
"""Patterns of texts that are JSON as they are, but for the quotes around texts."""
TEXTS = ("string", "date", "timestamp", "time")
NO_CHARACTERS = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")
"""The two characters of UTF-8 that XML does not have."""
LEAF = re.compile(rb"\s*<([^\s<>/!?]+)(?:\s*/>|>[^<>]*</\1\s*>)")
NULL = b"null"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of whole records, and the line that is made of its groups."""

    match: re.Pattern[bytes]
    line: bytes
    order: Callable[[list[bytes]], tuple[bytes, ...]]
    texts: tuple[int, ...]

    def written(self, record: re.Match[bytes]) -> bytes:
        """Return the line of a record."""
        values = list(record.groups(NULL))
        for n in self.texts:
            if values[n] is not NULL:
                values[n] = b'"%b"' % values[n]
        return self.line % self.order(values)

    @classmethod
    def of(cls, shape: Shape, xml: Xml, close: bytes, tags: dict[str, bytes]) -> Pattern:
        """Return the pattern of records with these elements, of which each may be missing."""
        pieces, captured = [], []
        nulls = [re.escape(text.encode()) for text in xml.null_values]
        not_null = rb"(?!(?:%b)<)" % b"|".join(nulls) if nulls else b""
        for key, name in tags.items():
            own, tag = shape.within(key), re.escape(name)
            if own is None:
                pieces.append(rb"(?:<%b>%b</%b>\s*+)?+" % (tag, ANY, tag))
                continue
            captured.append(key)
            value = rb"<%b>%b(%b)</%b>" % (tag, not_null, KINDS[own.kind], tag)
            empty = rb"|<%b\s?/>|<%b></%b>" % (tag, tag, tag) if "" in xml.null_values else b""
            pieces.append(rb"(?:(?:%b%b)\s*+)?+" % (value, empty))
        begin = rb"\s*+<%b\s*+" % re.escape(close[2:])
        line = ",".join(
            f"{quoted(own.name).replace('%', '%%')}:{'%b' if key in captured else 'null'}"
            for key, own in shape.members.items()
        )
        order = [captured.index(key) for key in shape.members if key in captured]
        return cls(
            re.compile(begin + b"".join(pieces) + re.escape(close)),
            f"{{{line}}}\n".encode(),
            tuple if order == sorted(order) else itemgetter(*order),
            tuple(n for n, key in enumerate(captured) if (own := shape.within(key)) and own.kind in TEXTS),
        )


@dataclass(slots=True)
class Plain:
    """The reading of a document, in pieces, by patterns where they match, and by the parser elsewhere."""

    records: Records
    rest: bytes = b""
    is_between: bool = False
    """True if all before `rest` ends with a record."""
    close: bytes = b""
    """The end tag of records."""
    tags: dict[str, bytes] = field(default_factory=dict)
    """The names of the elements of records as they are written, by key, in their order."""
    namespaces: int = -1
    made: int = 0
    pattern: Pattern | None = None

    def feed(self, piece: bytes) -> Problem | None:
        """Read on; return the problem of a document that is refused."""
        data, at = self.rest + piece, 0
        is_plain = not any(sign in data for sign in NO_CHARACTERS)
        while self.close:
            if is_plain and self.is_between and self.pattern:
                at = self._matched(data, at)
            end = data.find(self.close, at) + len(self.close)
            if end < len(self.close):
                break
            if problem := self._parsed(data[at:end]):
                return problem
            at = end
            if not self.is_between:  # it was a part of something else: the parser must not see that in many pieces
                break
        self.rest = data[at:]
        if not self.is_between or len(self.rest) > MOST_WAITING:
            waiting, self.rest = self.rest, b""
            return self._parsed(waiting)
        return None

    def done(self) -> Problem | None:
        """Read what is left at the end of the document."""
        waiting, self.rest = self.rest, b""
        return self._parsed(waiting) or self.records.feed(b"", final=True)

    def _matched(self, data: bytes, at: int) -> int:
        """Take the records that match one behind another; return where they end."""
        assert self.pattern is not None
        begin, match, written, lines = at, self.pattern.match.match, self.pattern.written, self.records.lines
        count = len(lines)
        while record := match(data, at):
            lines.append(written(record))
            at = record.end()
        self.records.count += len(lines) - count
        self.records.skipped += data.count(b"\n", begin, at)
        return at

    def _parsed(self, piece: bytes) -> Problem | None:
        """Let the parser read a piece; learn from the last record in it."""
        records, base, count = self.records, self.records.fed, self.records.count
        problem = records.feed(piece)
        self.is_between = bool(self.close) and records.count > count and records.ends + len(self.close) == records.fed
        if problem or records.count == count or records.begins < base:
            return problem
        if not self.close:
            tag = piece[records.ends - base :].partition(b">")[0]
            self.close = tag + b">" if tag.startswith(b"</") else b""
        elif self.namespaces != records.namespaces:
            self.pattern, self.namespaces, self.tags = None, records.namespaces, {}
        if self.is_between and not self.tags.keys() >= set(records.keys):
            self._learn(piece[records.begins - base :])
        return None

    def _learn(self, record: bytes) -> None:
        """Make the pattern of records like this one, and all before."""
        keys, open_tag = self.records.keys, b"<" + self.close[2:]
        if self.made >= MOST_PATTERNS or self.records.xml.trim or not record.startswith(open_tag):
            return
        tags, at = [], len(open_tag)
        while leaf := LEAF.match(record, at):
            tags.append(leaf[1])
            at = leaf.end()
        flat = record[at:].strip() == self.close and len(tags) == len(keys) == len(set(keys))
        shapes = {key: self.records.shape.within(key) for key in keys}
        ignores = self.records.writer.ignores
        plain = {key for key, shape in shapes.items() if (shape.kind in KINDS and not shape.form if shape else ignores)}
        if not flat or not set(keys) <= plain:
            return
        self.tags = _merged(self.tags, dict(zip(keys, tags, strict=True)))
        self.pattern = Pattern.of(self.records.shape, self.records.xml, self.close, self.tags)
        self.made += 1


def _merged(before: dict[str, bytes], now: dict[str, bytes]) -> dict[str, bytes]:
    """Return the elements of both in one order: each new one behind the one that it follows."""
    order = list(before)
    at = 0
    for key in now:
        if key in before:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1
    return {key: (before | now)[key] for key in order}
