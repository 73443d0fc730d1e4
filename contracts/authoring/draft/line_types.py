"""Lines of fixed width that are no records: the lines of a sample in; its leader, trailer and signs of records out.

A line is none of the records if it has another length, or letters where all of them have digits; or if they all begin
with a sign, and the first and the last line of the file with others. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from contracts.authoring.draft import headings
from contracts.files import encodings
from contracts.terms.fixed_width import Field, Fixed, Measure, Slice

SIGN = re.compile("[A-Z]{1,5}|[0-9]")
"""The sign by which a line names its type: letters, or one digit."""
WORD = re.compile(r"[^\W\d_]{3,}")
"""A word that a leader or a trailer begins with where records have no sign."""
FEW, SURE = 3, 10
"""Records that show what a line is not by its length or its sign, and by its letters alone."""
LONGEST = 100
"""Characters of a beginning that a contract may state."""
COUNTED = 10
"""The least number of records that is recognised as the first of several figures."""


@dataclass(frozen=True, slots=True)
class LineTypes:
    """The texts that leader, records and trailer of a file begin with; empty if there is none, or nothing shows it.

    A leader that names the columns is their `header`.
    """

    leader: str = ""
    record: str = ""
    trailer: str = ""
    header: str = ""

    def records(self, lines: Sequence[str], *, from_begin: bool) -> list[str]:
        """Return the records among lines of a file; its first line is the first of them if they are `from_begin`."""
        below = lines[1:] if self.leader and from_begin else lines
        return [line for line in below if not (self.trailer and line.startswith(self.trailer))]


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of lines of fixed width, and their types; all texts in units, a character for each position."""

    fixed: Fixed
    types: LineTypes

    def text(self, units: str, encoding: str) -> str:
        """Return units as text again; raise UnicodeDecodeError if a character is cut."""
        if self.fixed.unit == "characters" or units.isascii():
            return units
        return units.encode(encodings.LATIN).decode(encodings.read_as(encoding))


def in_units(text: str, unit: Measure, encoding: str) -> str:
    """Return a text with a character for each of the units that positions count."""
    if unit == "characters" or text.isascii():
        return text
    return text.encode(encodings.read_as(encoding)).decode(encodings.LATIN)


def seen(lines: Sequence[str], last: str, *, whole: bool) -> LineTypes:
    """Return the types of lines of a file by its first ones, which may be `whole`, and its last."""
    inner = lines[1:-1] if whole else lines[1:]
    if len(inner) < FEW or len({*map(len, inner)}) > 1:
        return LineTypes()
    record = _common_sign(inner)
    if len(inner) >= SURE and (types := _signs(lines[0], record, last)):
        return types
    leader, trailer = ("" if _is_like(line, inner, record) else line for line in (lines[0], last))
    if (leader or trailer) and (types := _signs(leader, record, trailer)):
        return types
    words = LineTypes(_words(leader, inner), "", _words(trailer, inner))
    names_columns = words.leader and not any(sign.isdigit() for sign in leader)
    return LineTypes(words.leader, "", words.trailer, leader) if names_columns else words


def _signs(leader: str, record: str, trailer: str) -> LineTypes | None:
    """Return the types of a file whose lines say what they are, each by as many letters, or by a digit."""
    lines = [line for line in (leader, trailer) if line]
    signs = [sign[0] for line in lines if (sign := SIGN.match(line))]
    if not record or len(signs) < len(lines) or len({sign.isdigit() for sign in (*signs, record)}) > 1:
        return None
    size = min(map(len, (*signs, record)))
    if len({record[:size], *(sign[:size] for sign in signs)}) <= len(signs):
        return None
    return LineTypes(leader[:size], record[:size], trailer[:size])


def _common_sign(lines: Iterable[str]) -> str:
    signs = {sign[0] if (sign := SIGN.match(line)) else "" for line in lines}
    return signs.pop() if len(signs) == 1 else ""


def _is_like(line: str, records: Sequence[str], sign: str) -> bool:
    """Return True if nothing shows that a line is none of the records, which may begin with a sign."""
    if sign and line.startswith(sign):
        return True
    if len(line) != len(records[0]):
        return not line
    letters = (n for n, character in enumerate(line) if character.isalpha())
    return not ((sign or len(records) >= SURE) and any(all(r[n].isdigit() for r in records) for n in letters))


def _words(line: str, records: Iterable[str]) -> str:
    """Return how a line begins that no record begins with: all of it if it has no digits, else its first word."""
    text = line.rstrip()[:LONGEST].rstrip()
    if any(sign.isdigit() for sign in line):
        text = word[0] if (word := WORD.match(line)) else ""
    return text if text and not any(record.startswith(text) for record in records) else ""


def named(fields: Sequence[Field], header: str) -> tuple[str, ...]:
    """Return names for fields by the line that names the columns; those of the fields where it does not fit them."""
    cuts = (field.start - 1 for field in fields[1:])
    is_cut = any(header[cut - 1 : cut].strip() and header[cut : cut + 1].strip() for cut in cuts)
    texts = [header[field.start - 1 : field.slice.end].strip() for field in fields]
    texts[-1] = header[fields[-1].start - 1 :].strip()
    if is_cut or not all(texts) or len({*texts}) < len(texts):
        return tuple(field.name for field in fields)
    return headings.of(texts).names


def count_in(trailers: Sequence[str], begins: str, counts: Sequence[int]) -> Slice | None:
    """Return the stretch of trailers that says the number of records of each file."""
    for place in _figures(trailers[0], len(begins), counts[0]):
        texts = [line[place.start - 1 : place.end] for line in trailers]
        if all(text.isdecimal() and int(text) == count for text, count in zip(texts, counts, strict=True)):
            return place
    return None


def _figures(line: str, start: int, count: int) -> Iterator[Slice]:
    """Yield the stretches of digits that say a number: whole ones, and begins of longer ones that zeros fill up."""
    for run in re.compile("[0-9]+").finditer(line, start):
        if int(run[0]) == count:
            yield Slice(run.start() + 1, len(run[0]))
        elif count >= COUNTED and (begin := re.match(f"0+{count}", run[0])):
            yield Slice(run.start() + 1, begin.end())
