"""The rules of a plan's checks: a class for each kind, whose fields are what the kind needs to be judged.

A table over rules is a `match` that ends in `assert_never`, so that mypy names each table that lacks a new kind.
`contracts.codec` writes a rule as `kind` and `arguments`: the kind is the name of the class, its first letter small.
Numbers are decimal text; dates and times are text in the property's format; patterns are Java's, ready to run. SQL is
Spark's: v0, v1, ... stand for the values of the properties in the order of the plan. `text` is what the author wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from contracts import codec


class _Kind:
    """Something of which plans, results and messages name the kind."""

    __slots__ = ()
    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.kind = codec.tag(cls)


# ---- what a line must be before it is a record


@dataclass(frozen=True, slots=True)
class Fields(_Kind):
    """A line of CSV has as many cells as the header."""


@dataclass(frozen=True, slots=True)
class Quotes(_Kind):
    """Every quote of a line of CSV is closed in it."""


@dataclass(frozen=True, slots=True)
class RecordType(_Kind):
    """The first cell of a line of CSV, which says what it is, is that of a record."""

    begins: str


@dataclass(frozen=True, slots=True)
class LineLength(_Kind):
    """A line of fixed width has the agreed length."""


@dataclass(frozen=True, slots=True)
class WholeCharacters(_Kind):
    """No character of a line lies across the end of a field that is counted in bytes."""


@dataclass(frozen=True, slots=True)
class Text(_Kind):
    """The bytes of a line are text in the agreed encoding, without NUL."""


@dataclass(frozen=True, slots=True)
class Object(_Kind):
    """A line of JSON Lines is one object."""


@dataclass(frozen=True, slots=True)
class Keys(_Kind):
    """An object has every key once."""


# ---- rows


@dataclass(frozen=True, slots=True)
class KnownKeys(_Kind):
    """A record has no key that the contract lacks."""


@dataclass(frozen=True, slots=True)
class LogicalType(_Kind):
    """A value has its type; `format` is the pattern of dates and times where the contract has one."""

    format: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Required(_Kind):
    """A value is not null (ODCS `required`)."""


@dataclass(frozen=True, slots=True)
class NullValues(_Kind):
    """A value is not null (the library metric)."""


@dataclass(frozen=True, slots=True)
class MissingValues(_Kind):
    """A cell is none of the texts for missing values; with `null` it is not null either."""

    values: tuple[str, ...]
    null: bool


@dataclass(frozen=True, slots=True)
class InvalidValues(_Kind):
    """A value is one of `values`, and matches `pattern`, in which no more than `longest` characters match."""

    values: tuple[str, ...] | None = field(default=None, metadata=codec.SPARSE)
    pattern: str | None = field(default=None, metadata=codec.SPARSE)
    longest: int | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class NotBlank(_Kind):
    """A text has more than blanks: it matches `pattern`."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Regex(_Kind):
    """A text matches (the metric); one of more than `longest` characters fails."""

    pattern: str
    longest: int | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Pattern(_Kind):
    """A text matches (`logicalTypeOptions`); one of more than `longest` characters fails."""

    pattern: str
    longest: int | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class AllowedPrefixes(_Kind):
    """A text begins with one of `prefixes`."""

    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Format(_Kind):
    """A value is in a format by its name, as `contracts.values.text_formats` lists them."""

    format: str


@dataclass(frozen=True, slots=True)
class Enum(_Kind):
    """A value is one of a list."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Minimum(_Kind):
    """A value is at least `value`."""

    value: str


@dataclass(frozen=True, slots=True)
class Maximum(_Kind):
    """A value is at most `value`."""

    value: str


@dataclass(frozen=True, slots=True)
class ExclusiveMinimum(_Kind):
    """A value is above `value`."""

    value: str


@dataclass(frozen=True, slots=True)
class ExclusiveMaximum(_Kind):
    """A value is below `value`."""

    value: str


@dataclass(frozen=True, slots=True)
class MultipleOf(_Kind):
    """A number is a multiple of `value`."""

    value: str


@dataclass(frozen=True, slots=True)
class MinLength(_Kind):
    """A text has at least `value` characters."""

    value: int


@dataclass(frozen=True, slots=True)
class MaxLength(_Kind):
    """A text has at most `value` characters."""

    value: int


@dataclass(frozen=True, slots=True)
class MinItems(_Kind):
    """An array has at least `value` elements."""

    value: int


@dataclass(frozen=True, slots=True)
class MaxItems(_Kind):
    """An array has at most `value` elements."""

    value: int


@dataclass(frozen=True, slots=True)
class UniqueItems(_Kind):
    """An array has no element twice."""


@dataclass(frozen=True, slots=True)
class MinProperties(_Kind):
    """An object has at least `value` keys that are not null."""

    value: int


@dataclass(frozen=True, slots=True)
class MaxProperties(_Kind):
    """An object has at most `value` keys that are not null."""

    value: int


@dataclass(frozen=True, slots=True)
class Deprecated(_Kind):
    """A property has no value, as it is deprecated."""


@dataclass(frozen=True, slots=True)
class Expression(_Kind):
    """A condition over the `properties` of a record is true."""

    sql: str
    text: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeignKey(_Kind):
    """The values of a record are in `columns` of the reference `to`; `properties` where there are several."""

    to: str
    columns: tuple[str, ...]
    text: str
    properties: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)


# ---- files


@dataclass(frozen=True, slots=True)
class Unique(_Kind):
    """No two records have the same value (ODCS `unique`)."""


@dataclass(frozen=True, slots=True)
class PrimaryKey(_Kind):
    """No value is null, and no two records have the same; of a key with parts, the values of `properties`."""

    properties: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class DuplicateValues(_Kind):
    """The records whose value is also in another record (the library metric); for several properties, `properties`."""

    properties: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class RowCount(_Kind):
    """The number of records."""


@dataclass(frozen=True, slots=True)
class Mean(_Kind):
    """The mean of all values; `limits` is the threshold as the contract writes it, for people."""

    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stdev(_Kind):
    """The standard deviation of all values; `limits` as in `Mean`."""

    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Min(_Kind):
    """The least of all values; `limits` as in `Mean`."""

    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Max(_Kind):
    """The greatest of all values; `limits` as in `Mean`."""

    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sum(_Kind):
    """The sum of all values; `limits` as in `Mean`."""

    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quantile(_Kind):
    """The quantile `value` (0.95 is that of 95 %) of all values; `sql` as in `Sql`, `limits` as in `Mean`."""

    limits: tuple[str, ...]
    sql: str
    value: str


@dataclass(frozen=True, slots=True)
class Sql(_Kind):
    """The one number of a query over `contracts.plan.ROWS` and `DROPS`.

    `aggregate` is the one value over the records t0 of a drop, for a query that is no more than that; `limits` as in
    `Mean`.
    """

    sql: str
    text: str
    properties: tuple[str, ...]
    limits: tuple[str, ...]
    aggregate: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Statement(_Kind):
    """The rows that a query finds, with the names of its `columns`; `query` is Great Expectations' own text of it."""

    sql: str
    text: str
    properties: tuple[str, ...]
    columns: tuple[str, ...]
    limits: tuple[str, ...]
    query: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Expectation(_Kind):
    """A core expectation of Great Expectations, with the `kwargs` that the contract gives it.

    `subject` is the kind of thing that it judges (`contracts.authoring.quality.expectations.core_expectations`);
    `given` are arguments that replace those in `kwargs`, written for Spark.
    """

    type: str
    kwargs: Mapping[str, Any]
    subject: str
    properties: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    given: Mapping[str, Any] | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class ForPeople(_Kind):
    """A rule that people check."""


@dataclass(frozen=True, slots=True)
class OtherEngine(_Kind):
    """A rule that another engine checks."""

    engine: str


Bound = Minimum | Maximum | ExclusiveMinimum | ExclusiveMaximum
"""A limit of single values."""
Matching = Pattern | Regex | InvalidValues
"""The rules with a pattern, in which only texts of at most `longest` characters match."""
Count = MinLength | MaxLength | MinItems | MaxItems | MinProperties | MaxProperties
"""A limit of the number of characters, elements or keys of single values."""
ForbidsNull = Required | NullValues
"""The rules that a null cell fails."""
Key = Unique | PrimaryKey | DuplicateValues
"""The rules about values that several records have."""
Aggregate = Mean | Stdev | Min | Max | Sum
"""The rules that hold a figure of all values against a threshold, not a number of records."""
Query = Sql | Statement | Quantile
"""The rules that hold the figure of a query of their own against a threshold."""
Unchecked = ForPeople | OtherEngine
"""The rules that no machine checks, or not this one."""
RecordRule = Fields | Quotes | Text | RecordType | LineLength | WholeCharacters | Object | Keys
"""The rules that a line meets if it is a record."""
ValueRule = (
    LogicalType
    | ForbidsNull
    | MissingValues
    | InvalidValues
    | NotBlank
    | Regex
    | Pattern
    | AllowedPrefixes
    | Format
    | Enum
    | Bound
    | MultipleOf
    | Count
    | UniqueItems
    | Deprecated
)
"""The rules that single values fail."""
RowRule = RecordRule | KnownKeys | ValueRule | Expression | ForeignKey
"""The rules that single rows fail."""
SetRule = Key | RowCount | Aggregate | Query | Expectation | Unchecked
"""The rules that files fail. A row rule with a threshold of its own is judged as one of these."""
Rule = RowRule | SetRule
OfCells = ForbidsNull | LogicalType | MissingValues | Deprecated
"""The rules that judge a cell as it is written; to all others a cell that is not of its type is null."""
OfSeveral = Expression | ForeignKey | PrimaryKey | DuplicateValues | Sql | Statement | Expectation
"""The rules that may be about several properties, `properties`."""
Limited = Aggregate | Query
"""The rules with `limits`, their threshold for people."""


def forbids_null(rule: Rule) -> bool:
    """Return True if a null value fails a rule."""
    return rule.null if isinstance(rule, MissingValues) else isinstance(rule, ForbidsNull)
