"""The profile of sample files: counted columns in, the type and the figures of each column out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from contracts.authoring.draft.column import OTHERS, WORDS, Column
from contracts.authoring.draft.kinds import FORMATS
from contracts.errors import DropgateError
from contracts.plan import Compression, Csv, FileFormat, LogicalType

SURE = frozenset(("\\N", "#N/A", "NULL"))
"""Words that mean nothing even among texts."""


class SampleRefused(DropgateError):
    """No contract can be made of the samples; one sentence says of which and why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample file: its name, how many records it has, and how many of its lines are none."""

    name: str
    records: int
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A column: its type and how its values are written, and what was counted.

    `values` are all texts and how often each stands, where they are few; `least` and `most` the ends of numbers,
    `first` and `last` of texts; `others` ways to read its dates that fit as well. `path` leads to one that lies within
    others; `records` are the places then that it may be at. `scarcest` are the nulls and the records of the sample with
    the largest share of nulls, as each file is judged by itself.
    """

    name: str
    type: LogicalType
    values: tuple[tuple[str, int], ...] | None
    records: int
    nulls: int
    unique: bool
    format: str | None = None
    offset: bool | None = None
    exact: tuple[int, int] | None = None
    least: str = ""
    most: str = ""
    first: str = ""
    last: str = ""
    shortest: int = 0
    longest: int = 0
    others: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    scarcest: tuple[int, int] | None = None

    @property
    def filled(self) -> int:
        """Return the number of records that have a value."""
        return self.records - self.nulls


@dataclass(frozen=True, slots=True)
class Profile:
    """All that was seen of some files; `left` are columns that no type takes, each with the reason."""

    samples: tuple[Sample, ...]
    format: FileFormat
    columns: tuple[Found, ...]
    csv: Csv | None = None
    compression: Compression = "none"
    order: Literal["any", "exact"] = "any"
    left: tuple[tuple[str, str], ...] = ()

    @property
    def records(self) -> int:
        """Return the number of records in all samples."""
        return sum(sample.records for sample in self.samples)

    @property
    def broken(self) -> int:
        """Return the number of lines that are not records."""
        return sum(sample.broken for sample in self.samples)


def scarcest(counts: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    """The nulls and the records of the sample with the largest share of nulls; None where no sample has records."""
    return max(((nulls, of) for nulls, of in counts if of), key=lambda one: Fraction(*one), default=None)


def filled_of(column: Column, nulls: frozenset[str]) -> int:
    """Return the number of cells of a column that hold a value."""
    return sum(count for text, count in column.counts.items() if text not in nulls)


def null_words(columns: Mapping[str, Column]) -> tuple[str, ...]:
    """The words for nothing that stand where all else is a number, a date or of a format, or that are sure."""
    found: set[str] = set()
    for column in columns.values():
        there = WORDS & column.counts.keys()
        found |= there if column.kinds.any and _type(column)[0] != "string" else there & SURE
        found |= there if column.kinds.any and column.kinds.formats else set()
        found |= there if not column.kinds.any and len(there) == 1 else set()
    return ("", *sorted(found))


def settle(name: str, column: Column, records: int, nulls: frozenset[str], given: LogicalType | None = None) -> Found:
    """A column as it is, of so many records; `given` is the type that the file itself says."""
    values = {text: count for text, count in column.counts.items() if text not in nulls and text != OTHERS}
    kinds = column.kinds
    kinds.fold([text for text in values if text in column.words])  # words that stand for themselves
    kind, written, offset, others = _type(column) if given is None else _given(column, given)
    filled = sum(values.values()) + column.counts[OTHERS]
    number = kind in ("integer", "number")
    return Found(
        name,
        kind,
        None if column.is_many else tuple(sorted(values.items())),
        records,
        records - filled,
        column.is_unique and all(count == 1 for count in values.values()) and "-0" not in values,
        written,
        offset,
        kinds.exact if kind == "number" and kinds.numbers and not given else None,
        *((kinds.least, kinds.most) if number and kinds.numbers else ("", "")),
        *((kinds.first, kinds.last) if not number else ("", "")),
        kinds.shortest,
        kinds.longest,
        others,
    )


def _given(column: Column, kind: LogicalType) -> tuple[LogicalType, str | None, bool | None, tuple[str, ...]]:
    formats = [name for name in FORMATS if name in column.kinds.formats and column.kinds.any]
    return kind, formats[0] if formats and kind == "string" else None, None, ()


def _type(column: Column) -> tuple[LogicalType, str | None, bool | None, tuple[str, ...]]:
    """The type that all values have; JSON says of numbers and booleans that they are some, and of texts that not."""
    kinds, forms = column.kinds, column.forms
    if not kinds.any:
        return "string", None, None, ()
    if kinds.booleans and forms <= {"boolean"}:
        return "boolean", None, None, ()
    if kinds.writings and forms <= {"text"}:
        best, *rest = kinds.writings
        others = tuple(w.pattern for w in rest if w.pattern and w.type == best.type and best.pattern)
        return best.type, best.pattern, best.offset, others
    if forms <= {"number"} and kinds.is_integer:
        return "integer", None, None, ()
    if forms <= {"number"} and (kinds.is_number or (forms and kinds.is_double)):
        return "number", None, None, ()
    return "string", next(iter(kinds.formats), None), None, ()
