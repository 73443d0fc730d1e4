"""The plan: a contract compiled to the values that machines need at run time.

It is made by `contracts.authoring` from an ODCS document, is immutable and named by the hash of its text, and is all
that admission, the job and the verdict know of a contract.
"""

from __future__ import annotations

import builtins
import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal, Self, get_args

from contracts import codec, rules
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.fixed_width import Fixed
from contracts.terms.history import Figure, Past, Relative
from contracts.terms.leader import Leader
from contracts.terms.promises import Promise
from contracts.terms.trailer import Ending, Footer, Trailer
from contracts.terms.value_form import ValueForm, written

Severity = Literal["error", "warning"]
Unit = Literal["rows", "percent"]
Policy = Literal["reject", "warn", "ignore"]
LogicalType = Literal["string", "integer", "number", "boolean", "date", "timestamp", "time", "object", "array", "map"]
CONTAINERS = ("object", "array", "map")
"""The types whose values hold others."""
RECODED = ("utf-16", "utf-16le", "utf-16be")
"""The encodings whose text admission and the job turn into UTF-8 before they read it; `utf-16` begins with its mark."""
Scope = Literal["record", "row", "set"]
FileFormat = Literal["csv", "jsonl", "parquet", "json", "xml", "fixed", "xlsx", "xls", "ods"]
RecordFormat = Literal["csv", "jsonl", "parquet", "fixed"]
READ_AS: dict[FileFormat, RecordFormat] = {
    "csv": "csv",
    "jsonl": "jsonl",
    "parquet": "parquet",
    "json": "jsonl",
    "xml": "jsonl",
    "fixed": "fixed",
    "xlsx": "csv",
    "xls": "csv",
    "ods": "csv",
}
"""The format in which records are read: that of the lines that a file of another format is transcribed to."""
OF_JSON: tuple[FileFormat, ...] = ("jsonl", "json")
"""The formats of JSON, whose values have types; texts are read as other values only if so agreed."""
BETWEEN_KEYS = re.compile(r"(?<!\\)\.")
"""A point that no backslash precedes."""
SHEETS: tuple[FileFormat, ...] = ("xlsx", "xls", "ods")
"""The formats of workbooks."""
ROW_END = "\x1e"
"""The end of a record in CSV of a sheet: no cell has it, and any cell may have line breaks."""
Compression = Literal["none", "gzip", "bzip2", "zstd"]
SUFFIXES: dict[Compression, str] = {"none": "", "gzip": ".gz", "bzip2": ".bz2", "zstd": ".zst"}
Match = Literal["exact", "trimmed", "anyCase", "byPosition"]
"""The way in which columns of a file are found: by the text of its header, or by their place."""
Promoted = Literal["object", "rows", "table"]
"""What consumers get: the file as it came, its valid rows as a file, or these rows in the contract's table."""
Operator = Literal[
    "mustBe",
    "mustNotBe",
    "mustBeGreaterThan",
    "mustBeGreaterOrEqualTo",
    "mustBeLessThan",
    "mustBeLessOrEqualTo",
    "mustBeBetween",
    "mustNotBeBetween",
]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
HOLDS: dict[Operator, Callable[[Any, Any, Any], bool]] = {
    "mustBe": lambda seen, low, _: seen == low,
    "mustNotBe": lambda seen, low, _: seen != low,
    "mustBeGreaterThan": lambda seen, low, _: seen > low,
    "mustBeGreaterOrEqualTo": lambda seen, low, _: seen >= low,
    "mustBeLessThan": lambda seen, low, _: seen < low,
    "mustBeLessOrEqualTo": lambda seen, low, _: seen <= low,
    "mustBeBetween": lambda seen, low, high: low < seen < high,
    "mustNotBeBetween": lambda seen, low, high: not low < seen < high,
}
ROWS, DROPS = "dropgate_rows", "dropgate_drops"
"""The tables of queries: the records of all drops (drop, record, v<n> of property n), and the drops (drop)."""


def share(count: int, of: int) -> Fraction:
    """`count` as an exact percentage of `of`; of nothing, 0."""
    return Fraction(100 * count, of) if of else Fraction(0)


@lru_cache
def _exact(number: Decimal) -> Fraction:
    return Fraction(number)


@dataclass(frozen=True, slots=True)
class Limit:
    """The rows that may fail: a count, or a percentage of the rows evaluated, compared exactly."""

    value: Decimal
    unit: Unit

    def allows(self, count: int, of: int) -> bool:
        """Return True if `count` failing rows out of `of` are within the limit (the limit itself is within)."""
        return (share(count, of) if self.unit == "percent" else count) <= _exact(self.value)

    def __str__(self) -> str:
        return f"{self.value} %" if self.unit == "percent" else f"{self.value} rows"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold of a metric: one operator, one number or two, rows or percent.

    Dates are numbers of days since 1970, timestamps of microseconds. If it is `relative`, the numbers are for the
    difference from earlier files, in the unit of that.
    """

    operator: Operator
    values: tuple[Decimal, ...]
    unit: Unit = "rows"
    relative: Relative | None = field(default=None, metadata=codec.SPARSE)

    def holds(self, count: int | Decimal, of: int) -> bool:
        """Return True if the metric's `count` (of `of` evaluated rows), or its figure, meets the threshold.

        Between is exclusive at both ends: ODCS defines it by mustBeGreaterThan and mustBeLessThan (data-quality.md).
        """
        if self.unit == "percent":
            return HOLDS[self.operator](share(int(count), of), _exact(self.values[0]), _exact(self.values[-1]))
        return HOLDS[self.operator](count, self.values[0], self.values[-1])

    def holds_against(self, past: Past, figure: Figure) -> bool:
        """Return True if the difference of a figure from enough earlier ones meets a relative threshold."""
        difference = past.difference(figure)
        low, high = difference.compared(self.values[0]), difference.compared(self.values[-1])
        # With two limits, at -1 and 1, their sum is the place of the difference among them
        place, ends = (low, (0, 0)) if len(self.values) == 1 else (low + high, (-1, 1))
        return HOLDS[self.operator](place, *ends)


HOLDS_TRUE = Threshold("mustBe", (Decimal(1),))
"""The threshold for the figure of an expectation."""


@dataclass(frozen=True, slots=True)
class Filter:
    """The records that a check reads: those for which `sql` is true, and whose `watermark` is above its high mark.

    `sql`, `text` and `properties` are as in `contracts.rules.Expression`; see `contracts.watermarks`.
    """

    sql: str
    text: str
    properties: tuple[str, ...]
    watermark: str | None = field(default=None, metadata=codec.SPARSE)

    @builtins.property
    def words(self) -> str:
        """The condition for people."""
        parts = [f"`{self.text}`"] if self.text else []
        parts += [f"`{self.watermark}` is above all that was accepted before"] if self.watermark else []
        return " and ".join(parts)


@dataclass(frozen=True, slots=True)
class Check:
    """One rule applied to a drop.

    `scope` is record (is the line a record at all? Only these checks judge a malformed line), row (which rows fail?) or
    set (does the file fail?). A row check without a property is about the record as a whole.

    A check skips records outside its `filter`. `quiet` is the number of rows that may fail without a warning,
    `reference` names the properties that are shown of a failing record, `about` holds the author's texts for people and
    tools, which results repeat.
    """

    id: str
    rule: rules.Rule = field(metadata=codec.TAGGED)
    scope: Scope
    severity: Severity
    dimension: str
    expected: str
    property: str | None = None
    threshold: Threshold | None = None
    tolerance: Limit | None = None
    description: str | None = None
    filter: Filter | None = field(default=None, metadata=codec.ARGUMENT)
    quiet: Limit | None = field(default=None, metadata=codec.ARGUMENT)
    reference: tuple[str, ...] = field(default=(), metadata=codec.ARGUMENT)
    about: Mapping[str, Any] | None = field(default=None, metadata=codec.ARGUMENT)

    @builtins.property
    def kind(self) -> str:
        """The kind of its rule, as plans, results and messages name it."""
        return self.rule.kind

    def properties(self) -> tuple[str, ...]:
        """The names of the properties that the check judges; empty if it judges whole records."""
        several = self.rule.properties if isinstance(self.rule, rules.OfSeveral) else ()
        return several or ((self.property,) if self.property else ())

    def needs(self) -> tuple[str, ...]:
        """The names of the properties without which it cannot be made: also those of its filter."""
        if not self.filter:
            return self.properties()
        marked = (self.filter.watermark,) if self.filter.watermark else ()
        return (*self.properties(), *self.filter.properties, *marked)

    @builtins.property
    def watermark(self) -> str | None:
        """The property whose values must be above its high mark; None if the check judges records of any age."""
        return self.filter.watermark if self.filter else None

    @builtins.property
    def where(self) -> str:
        """The filter for people, to be put behind a sentence; empty if the check judges all records."""
        return f" where {self.filter.words}" if self.filter else ""

    @builtins.property
    def refuses(self) -> bool:
        """Return True if the check may reject a file."""
        return self.severity == "error" and not isinstance(self.rule, rules.Unchecked)


REPEATING = ("[]", "*", "~")
"""Steps of a path to all elements of an array, to all values and to all keys of a map."""


@dataclass(frozen=True, slots=True)
class Property:
    """A column: its ODCS logical type, the pattern (java.time) of its dates or times, whether values may be shown.

    `exact` has the digits of a number or an integer that is a decimal: in all, and after the point. `zone` is the IANA
    name of the zone of timestamps without an offset (UTC if None); `offset` is True or False if timestamps without a
    format must or must not have one. `path` leads to a property that is within another one (see
    `contracts.values.nested`); a property of the record itself has none. `form` is the form of its cells, if a file
    does not write values as the contract does. `header_names` are the texts of a header that the contract states for
    it, or the one key that JSON or XML has; without any its name is the text.
    """

    name: str
    type: LogicalType
    format: str | None = None
    required: bool = False
    classification: str | None = None
    exact: tuple[int, int] | None = None
    zone: str | None = None
    offset: bool | None = None
    path: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    form: ValueForm | None = field(default=None, metadata=codec.SPARSE)
    header_names: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def headings(self) -> tuple[str, ...]:
        """The texts of a header that name it; the first of them is the usual one."""
        return self.header_names or (self.name,)

    @property
    def key(self) -> str:
        """The name that it has in its record, or in the object that holds it, where files name each value."""
        own = self.path[-1].removeprefix(".") if self.path else self.name
        return self.header_names[0] if self.header_names else own

    @property
    def route(self) -> tuple[str, ...]:
        """The steps that lead to it from the record."""
        return self.path or (self.name,)

    @property
    def repeats(self) -> bool:
        """Return True if a record may have several values of the property: it is within an array or a map."""
        return any(step in REPEATING for step in self.path[1:])

    def as_cell(self, text: str) -> str:
        """A value as the contract writes it, as a cell of a file."""
        return written(self.form, text, self.type, self.format, self.zone) if self.form else text

    @property
    def published(self) -> Property:
        """The same property of texts that `contracts.terms.value_form.published` returns, which need no form."""
        if self.form and self.form.dates:
            return replace(self, form=None, format=None, offset=None)
        return replace(self, form=None)

    @property
    def masked(self) -> bool:
        """Return True if receipts and results must hide values (any classification but `public`)."""
        return self.classification not in (None, "public")


@dataclass(frozen=True, slots=True)
class Csv:
    """The dialect of a CSV file; cells equal to one of `null_values` are null, quoted or not.

    Without a `quote` every delimiter separates two cells. Without a `header` the columns are the contract's, in its
    order. With a `trailer` the last record is not data: it states the file's totals. `mojibake` decides about a file in
    UTF-8 or windows-1252 whose agreed encoding takes any bytes (`contracts.files.mojibake`). With a
    `trailing_delimiter` the header and each record may have one empty cell too many at the end. With a
    `record_delimiter` records end at that alone, else at each LF, CR and CRLF. An `unquoted_escape` escapes in cells
    without quotes.

    Above the records may be rows that are none (`contracts.files.csv_top`): a `separator_line` for spreadsheets, then
    `skip_rows` rows, or all up to the first that matches `skip_until` (a pattern for Java), a `leader`, then the rows
    with the numbers `header_rows`, which name the columns together, and `comment_rows`. A row that begins with
    `comment_char`, outside quotes, is like an empty line. Below the records may be a `footer`. Where
    a first cell says what a row is, `record` is that of records; the first `skip_columns` cells are no columns.

    `lacks_first` and `lacks_last` are the texts that a header lacks in front and at its end: records have cells there.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    quote: str = '"'
    escape: str = '"'
    null_values: tuple[str, ...] = ("",)
    header: bool = True
    multi_line: bool = False
    trailer: Trailer | None = field(default=None, metadata=codec.SPARSE)
    mojibake: Policy = field(default="reject", metadata=codec.SPARSE)
    trailing_delimiter: bool = field(default=False, metadata=codec.SPARSE)
    record_delimiter: str = field(default="", metadata=codec.SPARSE)
    unquoted_escape: str = field(default="", metadata=codec.SPARSE)
    skip_rows: int = field(default=0, metadata=codec.SPARSE)
    skip_until: str | None = field(default=None, metadata=codec.SPARSE)
    header_rows: tuple[int, ...] = field(default=(1,), metadata=codec.SPARSE)
    comment_rows: tuple[int, ...] = field(default=(), metadata=codec.SPARSE)
    separator_line: bool = field(default=False, metadata=codec.SPARSE)
    comment_char: str = field(default="", metadata=codec.SPARSE)
    footer: Footer | None = field(default=None, metadata=codec.SPARSE)
    leader: Leader | None = field(default=None, metadata=codec.SPARSE)
    record: str = field(default="", metadata=codec.SPARSE)
    skip_columns: int = field(default=0, metadata=codec.SPARSE)
    lacks_first: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    lacks_last: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def lacking(self) -> frozenset[str]:
        """The texts that a header lacks by agreement."""
        return frozenset((*self.lacks_first, *self.lacks_last))

    @property
    def ending(self) -> Ending | None:
        """Return the rule of the lines below the records; None if there are none."""
        return self.trailer or self.footer

    @property
    def has_rows_above(self) -> bool:
        """Return True if rows above the records are agreed, besides the one of the column names."""
        skips = bool(self.skip_rows) or self.skip_until is not None or self.separator_line
        return skips or self.header_rows != (1,) or bool(self.comment_rows) or self.leader is not None

    @property
    def has_top(self) -> bool:
        """Return True if the header may be below other rows, agreed ones or comments, or behind other cells."""
        return self.has_rows_above or bool(self.comment_char) or bool(self.skip_columns)

    @property
    def is_alone(self) -> bool:
        """Return True if an archive may hold one such file only: its rows around records, ends or mark are its own."""
        of_its_own = self.has_top or self.ending is not None or self.encoding in RECODED
        return of_its_own or bool(self.record) or bool(self.record_delimiter)

    def nulls_of(self, prop: Property) -> tuple[str, ...]:
        """The cells of a property that are null: its own ones, or those of the dialect."""
        return self.null_values if prop.form is None or prop.form.nulls is None else prop.form.nulls

    @property
    def for_python(self) -> dict[str, Any]:
        """The dialect as arguments of Python's csv module."""
        doubled = self.escape == self.quote or not self.quote
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote or None,
            "quoting": csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            "doublequote": doubled,
            "escapechar": None if doubled else self.escape,
        }


@dataclass(frozen=True, slots=True)
class Xml:
    """The dialect of XML: `record` is the path of the elements that are records, from the root, with prefixes.

    `namespaces` has the URI of each prefix of that path and of the names of properties; the empty prefix is that of
    elements without one. Texts equal to one of `null_values` are null; with `trim` blanks around a text are no part of
    it.
    """

    record: str
    namespaces: Mapping[str, str] = field(default_factory=dict)
    null_values: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    trim: bool = field(default=False, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sheet of a workbook that has the records, by its `name`; None is the only one that is not hidden.

    Its records are within columns (from 0) and rows (from 1), to the last ones or as far as there are any. Below
    `skip_rows` rows, or all up to the first that matches `skip_until` (a pattern for Java), are the rows with the
    numbers `header_rows`, which name the columns together, and `comment_rows`; below the records may be a `footer`.
    """

    name: str | None = None
    first_column: int = 0
    last_column: int | None = None
    first_row: int = 1
    last_row: int | None = None
    skip_rows: int = 0
    skip_until: str | None = None
    header_rows: tuple[int, ...] = (1,)
    comment_rows: tuple[int, ...] = ()
    footer: Footer | None = None

    @builtins.property
    def range(self) -> str:
        """Its range as contracts write it: `B4:H`."""
        begin = f"{column_letters(self.first_column)}{self.first_row}"
        end = "" if self.last_column is None else column_letters(self.last_column)
        end += "" if self.last_row is None else str(self.last_row)
        return f"{begin}:{end}" if end else begin

    def row(self, number: int | None) -> str | None:
        """Return a row as spreadsheets write it: `Sheet1!7:7`; None if it is not known."""
        return None if number is None else self.cell(number, None)

    def cell(self, row: int, column: int | None) -> str:
        """Return a cell as spreadsheets write it, by its column within the range: `Sheet1!C7`; without one the row."""
        name = self.name or ""
        plain = name.isalnum() and name.isascii() and not name[:1].isdecimal()
        sheet = name if plain else "'" + name.replace("'", "''") + "'"
        place = f"{row}:{row}" if column is None else f"{column_letters(self.first_column + column)}{row}"
        return f"{sheet}!{place}" if name else place


def column_letters(number: int) -> str:
    """The letters of a column of a sheet, which is counted from 0."""
    before, letter = divmod(number, 26)
    return (column_letters(before - 1) if before else "") + chr(65 + letter)


@dataclass(frozen=True, slots=True)
class Columns:
    """The reactions to a header that differs from the contract: extra columns, missing columns, another order.

    `match` is the way in which its texts are compared with those of the contract (`contracts.files.columns`).
    """

    extra: Policy = "reject"
    missing: Policy = "reject"
    order: Literal["any", "exact"] = "any"
    match: Match = field(default="exact", metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Json:
    """The form of a JSON document: the keys, with points between them, that lead to its array of records.

    A backslash precedes a point within a key. Without any the document is that array, or its records one after another.
    """

    property: str = ""

    @classmethod
    def under(cls, keys: Sequence[str]) -> Self:
        """Return the form of a document with its records under some keys, from the outside in."""
        return cls(".".join(key.replace(".", "\\.") for key in keys))

    @builtins.property
    def keys(self) -> tuple[str, ...]:
        """The keys, from the outside in."""
        parts = BETWEEN_KEYS.split(self.property) if self.property else ()
        return tuple(part.replace("\\.", ".") for part in parts)


@dataclass(frozen=True, slots=True)
class Reference:
    """The values that records are compared with, by name in checks: promoted data of a `contract`, or a file.

    `path` leads to the file from the contract's folder; `sha256`, in hexadecimal, names its bytes once it is published.
    `forms` are the forms of values by column of a file that does not write them as the contract does.
    """

    name: str
    contract: str | None = None
    path: str | None = None
    sha256: str | None = None
    file_format: FileFormat = "csv"
    csv: Csv = field(default_factory=Csv)
    forms: Mapping[str, ValueForm] | None = field(default=None, metadata=codec.SPARSE)
    json: Json | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Archive:
    """The files within one uploaded file: those that `members`, a pattern of names, fits are one drop.

    `others` is the reaction to members with other names.
    """

    format: Literal["zip"]
    members: str
    others: Literal["reject", "ignore"] = "reject"


Mode = Literal["enforce", "observe"]
"""The effect of a verdict: with `observe` a file is judged, recorded, and promoted in any case."""
LaneName = Literal["auto", "spark"]
"""The engine of small files: with `auto` a function judges those that surely pass, if the stack has the fast lane."""


@dataclass(frozen=True)
class Plan:
    """Everything that machines know of one contract; `sha` names it. Derived values are computed once.

    `unmarked` is the name of the plan from which a plan with high marks in its filters was made.
    """

    contract: str
    id: str
    version: str
    object: str
    producer: str
    files: tuple[str, ...]
    properties: tuple[Property, ...]
    checks: tuple[Check, ...]
    csv: Csv = field(default_factory=Csv)
    columns: Columns = field(default_factory=Columns)
    empty: Literal["reject", "warn", "accept"] = "reject"
    tolerance: Limit | None = None
    promote: Promoted = "object"
    mode: Mode = field(default="enforce", metadata=codec.SPARSE)
    lane: LaneName = field(default="auto", metadata=codec.SPARSE)
    same_key: Literal["supersede", "reject", "version"] = "supersede"
    same_content: Literal["allow", "warn", "reject"] = "allow"
    deprecated: bool = False
    file_format: FileFormat = "csv"
    compression: Compression = "none"
    unmarked: str | None = field(default=None, metadata=codec.SPARSE)
    references: tuple[Reference, ...] = field(default=(), metadata=codec.SPARSE)
    arrival: Arrival | None = field(default=None, metadata=codec.SPARSE)
    set: SetRule | None = field(default=None, metadata=codec.SPARSE)
    archive: Archive | None = field(default=None, metadata=codec.SPARSE)
    json: Json | None = field(default=None, metadata=codec.SPARSE)
    xml: Xml | None = field(default=None, metadata=codec.SPARSE)
    fixed: Fixed | None = field(default=None, metadata=codec.SPARSE)
    sheet: Sheet | None = field(default=None, metadata=codec.SPARSE)
    consumers: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    promises: tuple[Promise, ...] = field(default=(), metadata=codec.SPARSE)
    format: Literal[1] = 1

    @property
    def suffix(self) -> str:
        """The extension of the name of a file in this format."""
        extension = "txt" if self.fixed else self.file_format
        return f".{extension}" + (f".{self.archive.format}" if self.archive else SUFFIXES[self.compression])

    @property
    def packing(self) -> str:
        """The form in which its files are packed: that of an archive, or the compression."""
        return self.archive.format if self.archive else self.compression

    @property
    def unpacked_first(self) -> bool:
        """Return True if the job unpacks its files before it reads them; Spark unpacks gzip as it reads lines."""
        return self.packing not in ("none", "gzip") or (self.packing == "gzip" and self.is_transcribed)

    @property
    def is_recoded(self) -> bool:
        """Return True if the job turns the text of files into UTF-8 before it reads them."""
        return self.has_cells and not self.is_transcribed and self.csv.encoding in RECODED

    @property
    def has_cells(self) -> bool:
        """Return True if values are written as texts in cells, so that `csv` has their encoding and null values."""
        return self.read_as in ("csv", "fixed")

    @property
    def of_rejected(self) -> Csv:
        """The dialect of files of rejected rows, if these are CSV."""
        return Csv() if self.fixed else replace(self.csv, record_delimiter="") if self.sheet else self.csv

    @property
    def is_transcribed(self) -> bool:
        """Return True if the job makes lines of its files before it reads them."""
        return self.read_as != self.file_format

    @property
    def read_as(self) -> RecordFormat:
        """The format in which its records are read."""
        return READ_AS[self.file_format]

    @cached_property
    def transcribed(self) -> Plan:
        """The plan of the lines that its files become, under the same name; files that are lines have their own."""
        if not self.is_transcribed:
            return self
        lines = replace(self, file_format=self.read_as, compression="none", unmarked=self.sha)
        if not self.xml:
            return lines
        return replace(lines, properties=tuple(replace(p.published, header_names=()) for p in self.properties))

    @property
    def has_lines(self) -> bool:
        """Return True if a record of its files begins in a line that people can look up."""
        return self.file_format != "parquet" and not self.is_transcribed and not (self.json or self.xml)

    @property
    def wrapped_by(self) -> tuple[str, ...]:
        """The keys of a document that lead to its array of records."""
        return self.json.keys if self.json else ()

    def element(self, record: int) -> str | None:
        """Return the place of a record of a document, counted from 1, as its format writes it; None if it has none."""
        if self.elements is None:
            return None
        path, first = self.elements
        return f"{path}[{first + record - 1}]"

    @property
    def elements(self) -> tuple[str, int] | None:
        """The path of its records in a document, and the number of the first; None if places have no elements."""
        if self.xml:
            return self.xml.record, 1
        return (self.json.property, 0) if self.json and self.json.property else None

    @cached_property
    def sha(self) -> str:
        """SHA-256 of the plan's canonical text, in hexadecimal."""
        return self.unmarked or codec.sha256(self)

    def property_named(self, name: str) -> Property:
        """The property of that name; KeyError if the contract has none."""
        return self._named[name]

    @cached_property
    def roots(self) -> tuple[Property, ...]:
        """The properties of the record itself, in their order: its columns."""
        return tuple(p for p in self.properties if not p.path)

    @cached_property
    def nested(self) -> bool:
        """Return True if any property contains others."""
        return any(p.type in CONTAINERS for p in self.properties)

    def parent(self, prop: Property) -> Property:
        """The property that contains a nested one."""
        return self._routes[prop.route[:-1]]

    def masks(self, check: Check) -> bool:
        """Return True if receipts and results must hide the values of a check: one of its properties is classified."""
        return any(self.hides(self._named[name]) for name in check.properties())

    @property
    def classified(self) -> bool:
        """Return True if any property is classified."""
        return any(p.masked for p in self.properties)

    def hides_keys(self, prop: Property) -> bool:
        """Return True if the place of a value must be hidden: keys of a map on its path are classified."""
        route = prop.route
        keys = (self._routes.get((*route[:n], "~")) for n, step in enumerate(route) if step in ("*", "~"))
        return any(key is not None and key.masked for key in keys)

    def hides(self, prop: Property) -> bool:
        """Return True if the text of a property must be hidden: it is classified, or one within it is."""
        if prop.type not in CONTAINERS:
            return prop.masked
        start = prop.route
        return any(p.masked for p in self.properties if p.route[: len(start)] == start)

    @cached_property
    def watermarks(self) -> tuple[str, ...]:
        """The properties whose high marks its checks ask for, in their order."""
        wanted = {c.watermark for c in self.checks}
        return tuple(p.name for p in self.properties if p.name in wanted)

    @cached_property
    def relative(self) -> Mapping[str, Relative]:
        """The earlier files that checks are held against, by the id of the check."""
        return {c.id: c.threshold.relative for c in self.checks if c.threshold and c.threshold.relative}

    def measures(self, check: str, figure: Figure) -> bool:
        """Return True if a figure is in the unit of a check: a share, or a value or number."""
        shares = {c.id for c in self.checks if c.threshold and c.threshold.unit == "percent"}
        return (figure.of is not None) == (check in shares)

    @cached_property
    def marked(self) -> tuple[str, ...]:
        """The properties whose greatest values the job looks for: its watermarks, and what its promises are about."""
        wanted = {*self.watermarks, *(promise.element for promise in self.promises)}
        return tuple(p.name for p in self.properties if p.name in wanted)

    @cached_property
    def summed(self) -> tuple[str, ...]:
        """The properties whose sums a manifest or a trailer may say, in their order."""
        names = {*(self.set.sums if self.set else ()), *(self.csv.trailer.sums if self.csv.trailer else ())}
        return tuple(p.name for p in self.properties if p.name in names)

    def goes_whole(self, rejected: int) -> bool:
        """Return True if consumers get a file unchanged that has this many rejected records."""
        return self.promote == "object" or (self.promote == "rows" and not rejected and not self.csv.ending)

    @property
    def needs_expectations(self) -> bool:
        """Return True if Great Expectations runs some of its checks."""
        return any(isinstance(c.rule, rules.Expectation) for c in self.checks)

    def reference(self, rule: rules.ForeignKey) -> Reference:
        """Return the reference of a foreign key."""
        return next(reference for reference in self.references if reference.name == rule.to)

    def row_checks(self) -> tuple[Check, ...]:
        """The checks that say which rows fail, in the order of the bits of a failing row's mask."""
        return self._row_checks

    def forbidding_null(self, name: str) -> Check | None:
        """The first row check that a null cell of the property fails; it counts them, if each record has one."""
        return self._forbidding.get(name)

    @cached_property
    def _forbidding(self) -> dict[str | None, Check]:
        inner = {p.name for p in self.properties if p.path}
        strict = (c for c in reversed(self._row_checks) if isinstance(c.rule, rules.ForbidsNull) and not c.filter)
        return {c.property: c for c in strict if c.property not in inner}

    @cached_property
    def _named(self) -> dict[str, Property]:
        return {one.name: one for one in reversed(self.properties)}

    @cached_property
    def _routes(self) -> dict[tuple[str, ...], Property]:
        return {p.route: p for p in self.properties}

    @cached_property
    def _row_checks(self) -> tuple[Check, ...]:
        return tuple(c for c in self.checks if c.scope != "set")


RECORD_CHECKS: tuple[Check, ...] = (
    Check("record.fields", rules.Fields(), "record", "error", "conformity", "as many cells as the header"),
    Check("record.quotes", rules.Quotes(), "record", "error", "conformity", "every quote closed in its line"),
    Check("record.text", rules.Text(), "record", "error", "conformity", "text in the agreed encoding, without NUL"),
)
"""The checks that a line passes if it is a record; every CSV plan begins with these."""

OBJECT_CHECKS: tuple[Check, ...] = (
    Check(
        "record.object",
        rules.Object(),
        "record",
        "error",
        "conformity",
        "one JSON object, and nothing else in its line",
    ),
    Check("record.keys", rules.Keys(), "record", "error", "conformity", "every key once"),
    Check("record.text", rules.Text(), "record", "error", "conformity", "text in UTF-8, without NUL"),
)
"""The same for JSON Lines."""

ELEMENT_CHECKS: tuple[Check, ...] = (
    Check(
        "record.object",
        rules.Object(),
        "record",
        "error",
        "conformity",
        "text or other elements in each element, and not both",
    ),
)
"""The same for XML, which other flaws make no document at all."""


DOCUMENT_CHECKS = (replace(OBJECT_CHECKS[0], expected="one JSON object"), *OBJECT_CHECKS[1:])
"""The same for JSON documents."""


SHEET_CHECKS: tuple[Check, ...] = (
    Check("record.fields", rules.Fields(), "record", "error", "conformity", "no cell beside the columns of the header"),
    Check("record.cells", rules.Text(), "record", "error", "conformity", "no error, and each formula with its result"),
)
"""The same for a row of a sheet: in place of a value that is none, its text has NUL."""


def record_checks(
    file_format: FileFormat, extra: Policy, begins: str = "", fixed: Fixed | None = None
) -> tuple[Check, ...]:
    """The checks at the head of all plans of a format, on the form of a record and on keys that the contract lacks.

    `begins` is the first cell of records of CSV, if it says what a row is; `fixed` is the layout of fixed width.
    """
    if fixed:
        return _of_lines(fixed, begins)
    if file_format in SHEETS:
        return SHEET_CHECKS
    if READ_AS[file_format] == "csv" and begins:
        rule, expected = rules.RecordType(begins), f"records whose first cell is `{begins}`"
        return (*RECORD_CHECKS, Check("record.type", rule, "record", "error", "conformity", expected))
    if READ_AS[file_format] == "csv":
        return RECORD_CHECKS
    if file_format == "parquet":
        return ()
    severity: Severity = "error" if extra == "reject" else "warning"
    first = {"json": DOCUMENT_CHECKS, "xml": ELEMENT_CHECKS}.get(file_format, OBJECT_CHECKS)
    what = "element or attribute" if file_format == "xml" else "key"
    expected = f"no {what} that the contract lacks"
    unknown = Check("record.knownKeys", rules.KnownKeys(), "row", severity, "conformity", expected)
    return (*first, unknown) if extra != "ignore" else first


def _of_lines(fixed: Fixed, begins: str) -> tuple[Check, ...]:
    """The checks of lines of fixed width."""
    expected: dict[str, tuple[rules.RecordRule, str]] = {
        "length": (rules.LineLength(), fixed.wanted),
        "text": (rules.Text(), RECORD_CHECKS[-1].expected),
    }
    if fixed.unit == "bytes":
        expected["characters"] = (rules.WholeCharacters(), "no character across the end of a field")
    if begins:
        expected["type"] = (rules.RecordType(begins), f"lines that begin with `{begins}`")
    return tuple(
        Check(f"record.{name}", rule, "record", "error", "conformity", words)
        for name, (rule, words) in expected.items()
    )
