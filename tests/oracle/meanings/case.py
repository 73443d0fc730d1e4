"""A meaning as data: properties, cells of theirs as each format writes them, and what must come of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Cells = tuple[str | None, ...]
Rows = list[tuple[Cells, str]]
"""Records: the cells of each, None for null, and the row checks that it fails, in words between blanks."""


def good(*cells: Any) -> Rows:
    """Records that fail nothing; one cell for each, or a tuple of them."""
    return bad("", *cells)


def bad(fails: str, *cells: Any) -> Rows:
    """Records that fail these checks: a kind of the first property's, `w.minimum` of another's, `record.text`."""
    return [(cell if isinstance(cell, tuple) else (cell,), fails) for cell in cells]


@dataclass(frozen=True, slots=True)
class Case:
    """The case that holds a line of docs/reference/semantics.md: job and oracle judge a file of it in each format.

    `every` are records of all formats, with cells as a contract writes values. `csv`, `jsonl` and `xml` are such of one
    format alone, with cells as they stand in the file: quotes and all, JSON tokens (None: no such key), the inside of
    elements; `parquet` are values.
    `quality` stands beside the properties; `@v` in it is the name of property `v`, `@id` an id. `says` has what checks
    say of the file in all formats: `1 of 4, 2 null: failed` (failing and evaluated records), `0.5: passed` (a figure),
    `no-values: not_evaluated`. `csv_block` is the dialect, and `values_block` the form of values.
    """

    properties: Mapping[str, Mapping[str, Any]]
    every: Rows | None = None
    csv: Rows = field(default_factory=list)
    jsonl: Rows = field(default_factory=list)
    xml: Rows = field(default_factory=list)
    parquet: Rows = field(default_factory=list)
    says: Mapping[str, str] = field(default_factory=dict)
    quality: Sequence[Mapping[str, Any]] = ()
    csv_block: Mapping[str, Any] = field(default_factory=dict)
    values_block: Mapping[str, Any] = field(default_factory=dict)

    def rows(self, form: str) -> Rows | None:
        """The records of its file in a format; None if it has none."""
        own: Rows = getattr(self, form)
        return [*(self.every or ()), *own] if own or self.every is not None else None


@dataclass(frozen=True, slots=True)
class Refused:
    """The case of a line that no file can show: lint refuses the property, with a finding of this code."""

    property: Mapping[str, Any]
    code: str


Meaning = Case | Refused


def one(logical_type: str, **more: Any) -> dict[str, Any]:
    """A single property, `v`: options of its type as they are called, all else of a property under its own name."""
    own = {key: more.pop(key) for key in OWN if key in more}
    options = {"logicalTypeOptions": more} if more else {}
    return {"v": {"logicalType": logical_type, **own, **options}}


OWN = ("required", "unique", "primaryKey", "primaryKeyPosition", "physicalType", "enum", "quality")


def values(*allowed: Any) -> list[dict[str, Any]]:
    """An `enum` of values."""
    return [{"value": value} for value in allowed]


def figure(metric: str, **threshold: Any) -> dict[str, Any]:
    """An entry of a metric of ours, with its threshold; `id` is the metric."""
    return {"type": "custom", "engine": "dropgate", "implementation": {"metric": metric, **threshold}}
