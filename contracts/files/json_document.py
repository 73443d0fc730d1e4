"""JSON documents as lines: the bytes of a document in, the texts of its records out, each in one line. Pure.

Only brackets and quotes are followed. A record that is no JSON object, or not even JSON, is a line like any other, and
is judged like a line of JSON Lines; a document is damaged if its records cannot be told apart.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from contracts.place import Place
from contracts.plan import Json, Plan
from contracts.problem import Problem, nearest, quoted, visible

PIECE = 1 << 20
"""Bytes that are read at once."""
WINDOW = 1 << 17
"""Bytes in which flat records are looked for at once."""
LONGEST = 256 << 20
"""Bytes of the longest record, or of the longest other value."""
MOST_KEYS = 20
"""Keys of an object that a message may name."""
BLANKS = re.compile(rb"[ \t\r\n]*")
STRING = rb'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"'
SIGN = re.compile(STRING + rb'|["\[\]{},]')
"""A whole string, or a sign; a quote alone begins a string that is not closed."""
ALONE = re.compile(STRING + rb'|[^ \t\r\n"\[\]{},]++|"')
"""A value at the top of a document that is neither an object nor an array."""
BETWEEN = {b",": re.compile(rb"\}[ \t\r\n]*,[ \t\r\n]*\{"), b"": re.compile(rb"\}[ \t\r\n]*\{")}
"""The texts between two objects, by the separator of records, with their brackets."""
APART = {b",": re.compile(rb"[ \t\r\n]*,[ \t\r\n]*"), b"": re.compile(rb"[ \t\r\n]*")}
"""The same without brackets."""
INDENT = re.compile(rb"\{([\r\n]+[ \t]+)")
"""The texts before a value where each has a line of its own."""
NO_MARKS = bytes(set(range(256)) - set(b'"{}'))
NO_QUOTES = bytes(set(range(256)) - set(b'"\r\n'))
FEW = 4
"""Brackets at the end of a window that may be within its last record."""
BRACKET = re.compile(rb"[\[\]{}]")
NO_BRACKETS = bytes.maketrans(b"[]{}", b"____")
AS_TABS = bytes.maketrans(b"\r\n", b"\t\t")
APART_BY_BREAK = re.compile(rb"\n(?<![{\[,:]\n)(?![}\]])")
"""A line break that alone separates two parts of a record, so that a blank must stay there."""
CUT = "json-cut-short"
"""The code of the problem of a document that ends too early."""
KINDS = {b"{": "an object", b"[": "an array", b'"': "a text", b"t": "true", b"f": "false", b"n": "null"}
KINDS |= dict.fromkeys((b"%d" % n for n in range(10)), "a number") | {b"-": "a number"}
"""The kinds of values, by their first character."""
WHOLE = "Write the document with a tool for JSON, and send it whole."


class Damaged(Exception):
    """A document whose records cannot be told apart, with its problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def transcribe(plan: Plan, source: BinaryIO, target: BinaryIO) -> Problem | None:
    """Write the records of a document as lines; return the problem of one that is damaged."""
    records = Records(plan.json or Json(), source.read)
    try:
        target.writelines(b"\n".join(batch) + b"\n" for batch in records.batches())
    except Damaged as damaged:
        return damaged.problem
    return None


def one_line(record: bytes) -> bytes:
    """Return a record without line breaks; within a string, where none may be, each becomes a tab, as wrong there."""
    if not _is_broken(record):
        return record
    if _is_broken(b"".join(_pieces(record)[1::2])):
        return record.translate(AS_TABS)
    lines = b"\n".join([line.strip(b" \t") for line in record.splitlines()])
    return lines.replace(b"\n", b"\t" if APART_BY_BREAK.search(lines) else b"")


def _is_broken(text: bytes) -> bool:
    return b"\n" in text or b"\r" in text


def _pieces(text: bytes) -> list[bytes]:
    """Return the pieces of a text that begins outside strings: outside, within the first string, outside, and so on.

    Escapes are replaced by as many other characters.
    """
    if b"\\" in text:
        text = text.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    return text.split(b'"')


def _flat(region: bytes, between: re.Pattern[bytes]) -> tuple[list[bytes], int] | None:
    """Return records without brackets in them, and their length with what is between them; None if any has some.

    All brackets are then those of records, and no string is open at the end of one.
    """
    last = _last(region, between)
    if not (last and region.startswith(b"{")) or (b"\\" in region and b'\\"' in region):
        return None
    text = _unindented(region[: last.start() + 1])
    if text is None or b"[" in text or b"]" in text:
        return None
    bodies = between.split(text[1:-1])
    if text.translate(None, NO_MARKS).replace(b'""', b"") != b"{}" * len(bodies):
        return None
    records = [b"{%b}" % body.rstrip(b" \t\r\n") for body in bodies]
    if _is_broken(text) and _is_broken(b"".join(records)):
        records = [one_line(record) for record in records]
    return records, last.end() - 1


def _last(region: bytes, between: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """Return what stands between the last two records of a region, of which the last may be cut."""
    end = len(region)
    for _ in range(FEW):
        end = region.rfind(b"}", 0, end)
        if end < 0 or (sign := between.match(region, end)):
            return sign if end >= 0 else None
    return None


def _unindented(text: bytes) -> bytes | None:
    """Return records with a line for each value without those line breaks; None if a string may have one."""
    if not _is_broken(text):
        return text
    indent = INDENT.match(text)
    if indent is None or b'"' in text.translate(None, NO_QUOTES).replace(b'""', b""):
        return None
    return text.replace(b"," + indent[1], b",").replace(b"{" + indent[1], b"{")


def _nested(region: bytes, apart: re.Pattern[bytes]) -> tuple[list[bytes], int]:
    """Return the same of any objects and arrays."""
    pieces = _pieces(region)
    pieces[1::2] = [piece.translate(NO_BRACKETS) for piece in pieces[1::2]]
    outer, records = b'"'.join(pieces), list[bytes]()
    depth, begin, end = 0, 0, 0
    for bracket in BRACKET.finditer(outer):
        place = bracket.start()
        if bracket[0] in (b"{", b"["):
            if depth == 0 and place:
                if not (end and apart.fullmatch(outer, end, place)):
                    break
                records.append(region[begin:end])
                begin = place
            depth += 1
        elif depth == 0:
            break
        else:
            depth -= 1
            end = place + 1
    return records, begin


class Records:
    """The records of a document, read piece by piece; `read` returns up to so many of its next bytes, in the end none.

    No record may have more than `longest` bytes. `count` is the number of records so far.
    """

    def __init__(self, form: Json, read: Callable[[int], bytes], longest: int = LONGEST) -> None:
        self.count = 0
        self._form, self._read, self._longest = form, read, longest
        self._buffer, self._at = b"", 0
        self._slow = 0
        """Bytes in which records are taken one by one, as they are no objects."""

    def batches(self) -> Iterator[list[bytes]]:
        """Yield the records, some at once; raise Damaged where they cannot be told apart."""
        self._fill()
        self._at = len(codecs.BOM_UTF8) if self._buffer.startswith(codecs.BOM_UTF8) else 0
        for depth, key in enumerate(self._form.keys):
            if self._sign() != b"{":
                raise self._otherwise(depth)
            self._at += 1
            others: dict[str, str] = {}  # the keys before it, with what they hold
            while (other := self._key(is_first=not others)) != key:
                if other is None:
                    raise self._without(depth, others)
                if len(others) < MOST_KEYS:
                    others[other] = KINDS.get(self._sign(), "no JSON")
                self._at = self._end(keep=False)
        sign = self._sign()
        if sign != b"[" and (self._form.keys or sign not in (b"{", b"")):
            raise self._otherwise(len(self._form.keys))
        for batch in self._in_array() if sign == b"[" else self._in_turn():
            self.count += len(batch)
            yield batch

    def _in_turn(self) -> Iterator[list[bytes]]:
        """Yield records that follow each other."""
        while sign := self._sign():
            if several := self._several(b""):
                yield several
            elif sign in b"]},":
                raise self._damaged(f"`{sign.decode()}` stands outside any record")
            else:
                yield [one_line(self._taken(self._end_of_alone() if sign not in b"[{" else self._end(closing=True)))]

    def _in_array(self) -> Iterator[list[bytes]]:
        """Yield the records of an array, and read the document to its end."""
        self._at += 1
        ended = self._sign() == b"]"
        self._at += ended
        while not ended:
            if several := self._several(b","):
                yield several
                continue
            record = self._taken(self._end())
            if not record:
                raise self._damaged("a comma has no record beside it")
            yield [one_line(record)]
            sign = self._buffer[self._at : self._at + 1]
            self._at += 1
            if sign == b"}":
                raise self._damaged("`}` stands where `]` should")
            if sign == b",":
                self._sign()
            ended = sign == b"]"
        # The rest of the document
        for depth in reversed(range(len(self._form.keys))):
            while (other := self._key()) is not None:
                if other == self._form.keys[depth]:
                    path = visible(".".join(self._form.keys[: depth + 1]))
                    text = f"The document has the key `{path}` twice, so that nobody can say which one is meant."
                    raise Damaged(Problem("json-key-twice", text, "Write each key once."))
                self._at = self._end(keep=False)
        if self._sign():
            raise self._damaged("text follows its end")

    def _several(self, separator: bytes) -> list[bytes]:
        """Return the next records of a window that are objects or arrays; none if the first is anything else.

        The last record of a window stays, as what follows it is not seen.
        """
        if self._slow > 0:
            return []
        region = self._buffer[self._at : self._at + WINDOW]
        flat = _flat(region, BETWEEN[separator])
        records, length = flat or _nested(region, APART[separator])
        self._at += length
        self._slow = 0 if records else len(region)
        return records if flat else [one_line(record) for record in records]

    def _taken(self, end: int) -> bytes:
        """Return the text up to an end, without blanks around it, and step there."""
        text = self._buffer[self._at : end].strip(b" \t\r\n")
        self._slow -= end - self._at
        self._at = end
        return text

    def _end_of_alone(self) -> int:
        """Return the end of a value at the top of a document that is neither an object nor an array."""
        while True:
            value = ALONE.match(self._buffer, self._at)
            if value and value.end() < len(self._buffer) and value[0] != b'"':
                return value.end()
            if not self._more():
                if value and value[0] != b'"':
                    return value.end()
                raise self._cut()

    def _end(self, *, closing: bool = False, keep: bool = True) -> int:
        """Return the place of the comma or bracket that ends the value at hand; or the end of its own last bracket.

        A value that is not to be kept may be of any length.
        """
        depth, place = 0, self._at
        while True:
            for sign in SIGN.finditer(self._buffer, place):
                place = sign.start()
                if (text := sign[0]) == b'"':
                    break
                if text in (b"[", b"{"):
                    depth += 1
                elif len(text) == 1:
                    if depth == 0:
                        return place
                    depth -= text != b","
                    if closing and depth == 0:
                        return sign.end()
                place = sign.end()
            else:
                place = len(self._buffer)
            self._at = self._at if keep else place
            seen = place - self._at
            if not self._more():
                raise self._cut()
            place = self._at + seen

    def _sign(self) -> bytes:
        """Step over blanks; return the next byte, empty at the end of the document."""
        while True:
            blanks = BLANKS.match(self._buffer, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._buffer) or not self._more():
                return self._buffer[self._at : self._at + 1]

    def _more(self) -> bool:
        """Read on; return True if there was more. Raise Damaged for a value that is too long."""
        if len(self._buffer) - self._at > self._longest:
            raise self._damaged(f"a record has more than {self._longest:,} bytes, or a quote is never closed")
        return self._fill()

    def _fill(self) -> bool:
        rest = self._buffer[self._at :]
        piece = self._read(max(PIECE, len(rest)))
        self._buffer, self._at = rest + piece, 0
        return bool(piece)

    def _key(self, *, is_first: bool = False) -> str | None:
        """Return the next key of the object at hand, and go to its value; None at the end of the object."""
        sign = self._sign()
        if sign == b"}":
            self._at += 1
            return None
        if not is_first:
            if sign != b",":
                raise self._damaged("a comma is missing between two keys") if sign else self._cut()
            self._at += 1
            sign = self._sign()
        if sign != b'"':
            raise self._damaged("a key is not within quotes") if sign else self._cut()
        try:
            key = str(json.loads(self._taken(self._end_of_alone()), strict=False))
        except ValueError:
            raise self._damaged("a key is not text") from None
        if (sign := self._sign()) != b":":
            raise self._damaged("a colon is missing behind a key") if sign else self._cut()
        self._at += 1
        self._sign()
        return key

    def _damaged(self, why: str) -> Damaged:
        place = self._place()
        behind = f" behind {place}" if place else ""
        return Damaged(Problem("json-damaged", f"The document is damaged{behind}: {why}.", WHOLE, place=place))

    def _cut(self) -> Damaged:
        place = self._place()
        text = "The document ends too early" + (f", behind {place}" if place else "")
        why = "it was cut short, or a bracket or a quote is not closed"
        return Damaged(Problem(CUT, f"{text}: {why}.", WHOLE, place=place))

    def _place(self) -> Place | None:
        """Return the place of the last record."""
        at = self._form.property
        return Place(self.count, element=f"{at}[{self.count - 1}]" if at else None) if self.count else None

    def _otherwise(self, depth: int) -> Damaged:
        """Return the problem of a value of another kind than the path of keys leads to."""
        sign = self._sign()
        if not sign:
            return self._cut()
        kind = KINDS.get(sign, "no JSON")
        agreed = wanted(self._form)
        if depth == 0:
            kind = kind if sign in b"{[" else "no JSON document"
            text = f"The file is {kind}; the contract requires {agreed}."
            asked = "; or ask for `json` without `property` in the contract" if sign == b"[" else ""
            return Damaged(Problem("not-json-document", text, f"Send {agreed}{asked}."))
        path = visible(".".join(self._form.keys[:depth]))
        other = "an array of records" if depth == len(self._form.keys) else "an object"
        text = f"In the document `{path}` is {kind}; the contract requires {other} there."
        return Damaged(Problem("json-no-array", text, f"Send {agreed}; without records the array is `[]`."))

    def _without(self, depth: int, others: dict[str, str]) -> Damaged:
        """Return the problem of an object that lacks the key of the path."""
        keys = self._form.keys
        path, agreed = visible(".".join(keys[: depth + 1])), wanted(self._form)
        if depth == 0 and self._sign() == b"{":
            text = f"The file is JSON objects one after another, as in JSON Lines; the contract requires {agreed}."
            fix = f"Send {agreed}; or ask for `format: jsonl` in the contract."
            return Damaged(Problem("not-json-document", text, fix))
        close = nearest(keys[depth], others) or next((key for key, kind in others.items() if kind == "an array"), None)
        has = f"; it has {quoted(map(visible, others))}" if others else "; it is empty"
        fix = f"Send {agreed}" + (f", or ask whether `{visible(close)}` was meant." if close else ".")
        return Damaged(Problem("json-no-array", f"The document has no `{path}`{has}.", fix))


def wanted(form: Json) -> str:
    """Return the agreed form of a document, in words."""
    if form.property:
        return f"one JSON object with the array of records under `{visible(form.property)}`"
    return "a JSON array of records, or JSON objects one after another"
