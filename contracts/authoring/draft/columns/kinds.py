"""Possible types of a column: distinct texts in, chunk by chunk; the types that fit all of them out.

Texts are reduced to shapes, with 9 for each digit; many texts have few shapes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from contracts.authoring.draft.columns import dates
from contracts.authoring.draft.columns.forms import Written, is_grouped_alone
from contracts.authoring.properties import datetimes
from contracts.values import date_formats
from contracts.values.date_formats import DateFormats
from contracts.values.text_formats import TEXT

NINES = {ord(digit): "9" for digit in "012345678"}
NUMBER = re.compile(r"[+-]?(9+)(?:\.(9+))?([eE][+-]?9{1,3})?")
LEADING_ZERO = re.compile(r"^[+-]?0[0-9]", re.MULTILINE)
BOOLEANS = {"true", "false"}
LARGEST = Decimal(2) ** 1023
"""The largest number of a column of numbers, about half of the range of a double."""
MOST_DIGITS = 38
EXACTLY = 15
"""Characters up to which different numbers are different doubles."""

ISO = "9999-99-99[T ]99:99:99(?:\\.9{1,6})?"
Dated = Literal["date", "time", "timestamp"]


@dataclass(frozen=True, slots=True)
class Notation:
    """A notation of dates or times: type, pattern (None: ISO), shape, presence of an offset, characters of the day."""

    type: Dated
    pattern: str | None
    shape: str
    offset: bool | None = None
    day: int = 10


def _written(kind: Dated, pattern: str) -> Notation:
    plain = pattern.replace("'", "")
    return Notation(kind, pattern, re.escape(re.sub("[yMdHms]", "9", plain)), day=8 if "yyyyMMdd" in pattern else 10)


CALENDAR = (
    "yyyy-MM-dd",
    "yyyy/MM/dd",
    "yyyy.MM.dd",
    "dd/MM/yyyy",
    "MM/dd/yyyy",
    "dd.MM.yyyy",
    "dd-MM-yyyy",
    "yyyyMMdd",
)
CLOCK = ("HH:mm:ss", "HH:mm")
NOTATIONS: tuple[Notation, ...] = (
    Notation("timestamp", None, ISO, offset=False),
    Notation("timestamp", None, ISO + "(?:Z|[+-]99:99)", offset=True),
    Notation("timestamp", None, ISO + "(?:Z|[+-]99:99)?"),
    *(_written("date", day) for day in CALENDAR),
    *(_written("time", clock) for clock in CLOCK),
    Notation("time", None, r"99:99(?::99(?:\.9{1,6})?)?"),
    *(_written("timestamp", f"{day} {clock}") for day in CALENDAR for clock in CLOCK),
    *(_written("timestamp", f"{day}'T'{clock}") for day in CALENDAR for clock in CLOCK),
    _written("timestamp", "yyyyMMddHHmmss"),
)
"""The notations in order of preference; day before month if a column could be either."""
NARROW = re.compile("([dMH])\\1")
"""Two letters for a number, of which a notation of files has one."""
DIGITS_ALONE = re.compile("(?:19|20)[0-9]*")
"""Numbers count as dates only in the years from 1900 to 2099."""

FORMATS = {
    name: re.compile(TEXT[name].pattern.replace(r"\z", r"\Z")) for name in ("uuid", "email", "ipv4", "ipv6", "uri")
}
NEEDED = {"uri": "://", "ipv6": ":"}
"""Text that a format needs in addition: by RFC 3986 `a:b` is also a URI."""


@lru_cache(maxsize=1 << 17)
def _is_moment(text: str, kind: Dated, pattern: str | None, offset: bool | None) -> bool:
    return datetimes.parse(text, kind, pattern, None, offset) is not None


@dataclass(slots=True)
class Kinds:
    """The types that still fit all texts; `least` and `most` are the extreme numbers, `first` and `last` texts."""

    any: bool = False
    numbers: bool = True
    booleans: bool = True
    notations: tuple[Notation, ...] = NOTATIONS
    of_files: tuple[DateFormats, ...] = dates.CANDIDATES
    formats: tuple[str, ...] = tuple(FORMATS)
    shapes: set[tuple[int, int, bool]] = field(default_factory=set)
    written: Written = field(default_factory=Written)
    has_plus: bool = False
    least: str = ""
    most: str = ""
    first: str = ""
    last: str = ""
    shortest: int = 0
    longest: int = 0

    def fold(self, texts: Collection[str]) -> None:
        """Drop the types that do not fit more texts."""
        if not texts:
            return
        lengths = [len(text) for text in texts]
        low, high = min(texts), max(texts)
        self.shortest = min(lengths) if not self.any else min(self.shortest, *lengths)
        self.longest = max(self.longest, *lengths)
        self.first, self.last = (min(self.first, low), max(self.last, high)) if self.any else (low, high)
        if self.booleans:
            self.booleans = all(text.lower() in BOOLEANS for text in texts)
        if self.numbers or self.notations or self.written.shapes is not None:
            joined = "\n".join(texts)
            if joined.count("\n") != len(texts) - 1:
                self.numbers, self.notations, self.written.shapes = False, (), None
        if self.numbers or self.notations or self.written.shapes is not None:
            each = joined.translate(NINES).split("\n")
            shapes = set(each)
            matches = [NUMBER.fullmatch(shape) for shape in shapes] if self.numbers else []
            self.numbers = self.numbers and all(matches) and not LEADING_ZERO.search(joined)
            if self.numbers:
                self.has_plus |= any(shape.startswith("+") for shape in shapes)
                self.shapes |= {(len(m[1]), len(m[2] or ""), m[3] is not None) for m in matches if m}
                key = float if max(map(len, shapes)) <= EXACTLY else Decimal
                least, most = min(texts, key=key), max(texts, key=key)
                self.least = min(self.least, least, key=Decimal) if self.any else least
                self.most = max(self.most, most, key=Decimal) if self.any else most
            if self.written.shapes is not None:
                # Plain numbers are the same in all forms, but for points that may stand between groups.
                alike = self.numbers and not is_grouped_alone(shapes)
                some = [*dict(zip(each, texts, strict=True)).values(), self.least, self.most] if alike else texts
                self.written.fold(some, [text.translate(NINES) for text in some] if alike else each)
            self.notations = tuple(w for w in self.notations if is_written(w, shapes, texts))
        self._fold_dates(texts)
        self.formats = tuple(name for name in self.formats if _are_of(name, texts))
        self.any = True

    def _fold_dates(self, texts: Collection[str]) -> None:
        """Drop the notations of files that do not fit; those with the digits of a fitting one of contracts do."""
        if self.of_files:
            shapes = {text.translate(NINES) for text in texts}
            wide = {NARROW.sub(r"\1", w.pattern) for w in self.notations if w.pattern}
            ways = dates.of_words(self.of_files, shapes)
            sure = tuple(way for way in ways if way.formats[0] in wide)
            others = tuple(way for way in ways if way not in sure)
            fitting = {*sure, *dates.fitting(others, shapes, texts)}
            self.of_files = tuple(way for way in ways if way in fitting)

    def merge(self, other: Kinds) -> None:
        """Keep the types that also fit other texts."""
        if not other.any:
            return
        self.numbers &= other.numbers
        self.booleans &= other.booleans
        self.notations = tuple(w for w in self.notations if w in other.notations)
        self.of_files = tuple(way for way in self.of_files if way in other.of_files)
        self.formats = tuple(name for name in self.formats if name in other.formats)
        self.has_plus |= other.has_plus
        self.shapes |= other.shapes
        self.written.merge(other.written)
        self.shortest = min(self.shortest, other.shortest) if self.any else other.shortest
        self.longest = max(self.longest, other.longest)
        self.first = min(self.first, other.first) if self.any else other.first
        self.last = max(self.last, other.last)
        if self.numbers:
            self.least = min(self.least or other.least, other.least, key=Decimal)
            self.most = max(self.most or other.most, other.most, key=Decimal)
        self.any = True

    @property
    def is_dated(self) -> bool:
        """Return True if all texts are days, or moments of days."""
        of_files = any(date_formats.kinds(way.formats[0])[0] != "time" for way in self.of_files)
        return self.any and (of_files or any(way.type != "time" for way in self.notations))

    @property
    def is_plus_alone(self) -> bool:
        """Return True if all texts are whole numbers above zero and some begin with a plus, as phone numbers do."""
        return self.numbers and self.has_plus and self.is_whole and Decimal(self.least) > 0

    @property
    def is_whole(self) -> bool:
        """Return True if no number has a fraction or an exponent."""
        return all(scale == 0 and not power for _, scale, power in self.shapes)

    @property
    def is_integer(self) -> bool:
        """Return True if all texts are 64-bit integers."""
        whole = self.numbers and self.is_whole and not self.is_plus_alone
        return whole and int(self.least) >= -(2**63) and int(self.most) < 2**63

    @property
    def is_number(self) -> bool:
        """Return True if all texts are numbers in the range of a double, and not all are integers."""
        return not self.is_whole and self.is_double

    @property
    def is_double(self) -> bool:
        """Return True if all texts are numbers in the range of a double."""
        return self.numbers and max(abs(Decimal(self.least)), abs(Decimal(self.most))) < LARGEST

    @property
    def exact(self) -> tuple[int, int] | None:
        """The most digits before the point, and the digits after it if all texts have the same number of them."""
        scales = {(scale, power) for _, scale, power in self.shapes}
        whole = max((digits for digits, _, _ in self.shapes), default=0)
        ((scale, power),) = scales if len(scales) == 1 else ((0, True),)
        return (whole, scale) if scale and not power and whole + scale <= MOST_DIGITS else None


def is_written(notation: Notation, shapes: set[str], texts: Collection[str]) -> bool:
    """Return True if all texts are moments in a notation.

    Of timestamps, it reads an example with each day, hour, minute, second and offset, which are few.
    """
    shape = re.compile(notation.shape)
    if not all(shape.fullmatch(text) for text in shapes):
        return False
    if notation.shape.isdigit() and not all(DIGITS_ALONE.fullmatch(text) for text in texts):
        return False
    moments = texts
    if notation.type == "timestamp":
        ends = {"" if notation.pattern else text[19:].lstrip(".0123456789") for text in texts}
        example = datetimes.example(notation.pattern or "yyyy-MM-dd'T'HH:mm:ss")
        whole = example + min(ends)
        moments = {example + end for end in ends} | {text[: notation.day] + whole[notation.day :] for text in texts}
        for pair in re.finditer("[0-9]{2}", example[notation.day :]):
            at = notation.day + pair.start()
            moments |= {whole[:at] + digits + whole[at + 2 :] for digits in {text[at : at + 2] for text in texts}}
    return all(_is_moment(text, notation.type, notation.pattern, notation.offset) for text in moments)


def _are_of(name: str, texts: Collection[str]) -> bool:
    pattern, needed = FORMATS[name], NEEDED.get(name, "")
    return all(needed in text and pattern.match(text) for text in texts)
