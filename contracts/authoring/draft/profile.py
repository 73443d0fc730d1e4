"""The profile of sample files: counted columns in, the type and the statistics of each column out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from contracts.authoring.draft.columns import dates
from contracts.authoring.draft.columns.column import OTHERS, WORDS, ColumnCounts
from contracts.authoring.draft.columns.forms import NO_FORMS, Forms
from contracts.authoring.draft.columns.kinds import FORMATS, Kinds
from contracts.authoring.draft.columns.nearly import Nearly, nearly
from contracts.authoring.draft.columns.spread import LEAST
from contracts.authoring.draft.headings import NO_HEADINGS, Headings
from contracts.errors import DropgateError
from contracts.plan import Archive, Compression, Csv, FileFormat, Json, LogicalType, Sheet, Xml
from contracts.terms.fixed_width import Fixed
from contracts.terms.value_form import PLAIN
from contracts.values import date_formats
from contracts.values.date_formats import DateFormats

SURE = frozenset(("\\N", "#N/A", "NULL"))
"""Words that stand for null even among texts."""


class SampleRefused(DropgateError):
    """No contract can be made of the samples; one sentence names the file and the reason."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample file: its name, the number of its records, and of its lines that are not records.

    A sample that is not `whole` is a large one of which only the first records were read.
    """

    name: str
    records: int
    broken: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """A column: its type and notation, and its counts.

    `values` are all texts with their counts, if they are few; `least` and `most` are the extreme numbers, `first` and
    `last` the extreme texts; `others` are other date patterns that fit as well. `path` is the path of a nested column,
    whose `records` then count its possible occurrences. `scarcest` are the nulls and the records of the sample with the
    largest share of nulls, because each file is judged by itself. `unsure` is why its numbers could mean others,
    `dates` the notation of its dates or times that the standard's formats lack, `nearly` what most of its texts are,
    `languages` the other ones in which the names of its months and days are names as well. With `is_plus_alone` it is
    text, because its numbers have a plus and may be names. `middle` are the quartiles of its numbers. It
    `is_growing` if one of several samples has a value that no other has.
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
    unsure: str = ""
    dates: DateFormats | None = None
    nearly: Nearly | None = None
    is_plus_alone: bool = False
    languages: tuple[str, ...] = ()
    middle: tuple[str, str] | None = None
    is_growing: bool = False

    @property
    def filled(self) -> int:
        """Return the number of records that have a value."""
        return self.records - self.nulls


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts of some files; `left` are columns without a supported type, each with the reason.

    `forms` are the forms of values that are not written as contracts write them, `headings` the columns of a header.
    `remarks` are what no contract can say of them or a person must decide, `padded` the columns with blanks around
    their values, `words` some with other letters than those of ASCII if the bytes do not say their encoding,
    which was then chosen by the letters of a `language`.
    """

    samples: tuple[Sample, ...]
    format: FileFormat
    columns: tuple[ColumnProfile, ...]
    csv: Csv | None = None
    compression: Compression = "none"
    order: Literal["any", "exact"] = "any"
    left: tuple[tuple[str, str], ...] = ()
    forms: Forms = NO_FORMS
    headings: Headings = NO_HEADINGS
    archive: Archive | None = None
    json: Json | None = None
    sheet: Sheet | None = None
    remarks: tuple[str, ...] = ()
    padded: frozenset[str] = frozenset()
    xml: Xml | None = None
    fixed: Fixed | None = None
    words: tuple[str, ...] = ()
    language: str = ""

    @property
    def records(self) -> int:
        """Return the number of records in all samples."""
        return sum(sample.records for sample in self.samples)

    @property
    def broken(self) -> int:
        """Return the number of lines that are not records."""
        return sum(sample.broken for sample in self.samples)

    @property
    def is_whole(self) -> bool:
        """Return True if all records of the samples were read, so that rules may state what is in none of them."""
        return all(sample.whole for sample in self.samples)


def scarcest(counts: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    """Return nulls and records of the sample with the largest share of nulls; None if no sample has records."""
    return max(((nulls, of) for nulls, of in counts if of), key=lambda pair: Fraction(*pair), default=None)


def is_growing(samples: Iterable[ColumnCounts]) -> bool:
    """Return True if one of several samples has a text that no other has."""
    each = [{*column.texts} for column in samples]
    return len(each) > 1 and 1 in Counter(text for texts in each for text in texts).values()


def filled_of(column: ColumnCounts, nulls: frozenset[str]) -> int:
    """Return the number of cells of a column that hold a value."""
    return sum(count for text, count in column.counts.items() if text not in nulls)


def null_words(columns: Mapping[str, ColumnCounts]) -> tuple[str, ...]:
    """Return the words for null: those next to numbers, dates or formatted texts only, and the sure ones."""
    words: set[str] = set()
    for column in columns.values():
        there = WORDS & column.counts.keys()
        words |= there if is_typed(column) else there & SURE
        words |= there if column.kinds.any and column.kinds.formats else set()
        words |= there if not column.kinds.any and len(there) == 1 else set()
    return ("", *sorted(words))


def is_typed(column: ColumnCounts) -> bool:
    """Return True if the values of a column are of another type than text."""
    return column.kinds.any and _type(column)[0] != "string"


def settle(
    name: str, column: ColumnCounts, records: int, nulls: frozenset[str], given: LogicalType | None = None
) -> ColumnProfile:
    """Return the profile of a column with a number of records; `given` is the type that the file itself states."""
    values = {text: count for text, count in column.counts.items() if text not in nulls and text != OTHERS}
    column.kinds.fold([text for text in values if text in column.words])  # words that stand for themselves
    kinds = column.read
    if given is None:
        kind, written, offset, others = _type(column)
    else:
        formats = [name for name in FORMATS if name in kinds.formats and kinds.any]
        kind, written, offset, others = given, formats[0] if formats and given == "string" else None, None, ()
    own_dates = dates.ways(kinds.of_files) if _is_dated(column, kinds) and given is None else None
    if own_dates:
        others = own_dates[1]
    filled = sum(values.values()) + column.counts[OTHERS]
    number = kind in ("integer", "number")
    return ColumnProfile(
        name,
        kind,
        None if column.is_many else tuple(sorted(values.items())),
        records,
        records - filled,
        column.is_unique
        and not column.form.group  # with which a number has two texts
        and all(count == 1 for count in values.values())
        and not ("-0" in values or kinds.has_plus),  # and two texts with a plus
        written,
        offset,
        kinds.exact if kind == "number" and kinds.numbers and not given and filled >= LEAST else None,
        *((kinds.least, kinds.most) if number and kinds.numbers else ("", "")),
        *((kinds.first, kinds.last) if not number else ("", "")),
        kinds.shortest,
        kinds.longest,
        others,
        dates=own_dates[0] if own_dates else None,
        is_plus_alone=kind == "string" and kinds.is_plus_alone and not given and column.forms <= {"number"},
        languages=dates.languages(kinds.of_files) if own_dates else (),
        middle=column.quartiles(nulls) if number and kinds.numbers else None,
        nearly=nearly(values) if kind == "string" and not (written or column.is_many or given) else None,
    )


def _is_dated(column: ColumnCounts, kinds: Kinds) -> bool:
    """Return True if all texts are dates or times in a notation of files alone."""
    is_text = column.forms <= {"text"}
    return kinds.any and bool(kinds.of_files) and is_text and not (kinds.notations or kinds.booleans)


def _type(column: ColumnCounts) -> tuple[LogicalType, str | None, bool | None, tuple[str, ...]]:
    """Return the type of all values; JSON marks numbers and booleans, so that its texts are such only in a form."""
    kinds, forms = column.read, column.forms if column.form == PLAIN else set[str]()
    if not kinds.any:
        return "string", None, None, ()
    if kinds.booleans and forms <= {"boolean"}:
        return "boolean", None, None, ()
    if kinds.notations and forms <= {"text"}:
        best, *rest = kinds.notations
        others = tuple(w.pattern for w in rest if w.pattern and w.type == best.type and best.pattern)
        return best.type, best.pattern, best.offset, others
    if _is_dated(column, kinds):
        return date_formats.kinds(kinds.of_files[0].formats[0])[0], None, None, ()
    if forms <= {"number"} and kinds.is_integer:
        return "integer", None, None, ()
    if forms <= {"number"} and (kinds.is_number or (forms and kinds.is_double)):
        return "number", None, None, ()
    return "string", next(iter(kinds.formats), None), None, ()
