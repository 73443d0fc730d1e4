"""The columns that Spark judges of odd lines: lines and the shapes of cells in; columns that are not sure, nulls, out.

An odd line seldom has more than a few odd cells. A column all of whose cells in odd lines surely pass needs no Spark:
only its nulls are counted. A line that is surely no record has no values to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.prefilter import cell_tests
from spark_jobs.prefilter.other_encodings import VALID_UTF_8

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import PassCondition


MOST_DELIMITERS = 20_000
"""Delimiters, those within quotes too, up to which Spark surely reads a line (`text_lines.parsed`)."""


@dataclass(frozen=True, slots=True)
class CellShapes:
    """The shapes of lines and their cells.

    `line` is the pattern of a line whose cells are the texts between its delimiters, quoted or not, whatever they hold.
    `cells` are the places of the contract's columns, with the pattern of cells that are surely null or of their type;
    empty for any text. A line without `signs` has no cells within which a delimiter could be.
    """

    line: str
    cells: tuple[tuple[int, str], ...]
    signs: str


@dataclass(frozen=True, slots=True)
class OpenColumns:
    """The places of columns that are not sure, None for all; the nulls in each counted column that is sure."""

    places: list[int] | None
    nulls: list[int]


NONE, EVERY = OpenColumns([], []), OpenColumns(None, [])


def of_lines(texts: pa.StringArray, condition: PassCondition, *, ended: bool) -> OpenColumns:
    """Return the columns that are not sure in odd lines, given as decoded texts, with their line ends if `ended`."""
    shapes = condition.shapes
    if shapes is None:
        return EVERY
    whole = texts.filter(pc.invert(_broken(texts, condition, shapes)))
    is_split = pc.and_(pc.match_substring_regex(whole, shapes.line), _has_width(whole, condition))
    is_split = pc.and_(is_split, pc.less(pc.count_substring(whole, condition.delimiter), MOST_DELIMITERS))
    if is_split.false_count:
        return EVERY
    try:
        unsure = {*_unlike(whole, condition, shapes, ended=ended)}
        tested = tuple(column for column in condition.tested if column.at not in unsure)
        table = cell_tests.cells(whole, replace(condition, tested=tested), ended=ended)
    except pa.ArrowException:  # a value that Arrow does not know
        return EVERY
    unsure |= {c.at for c in tested if not cell_tests.all_pass(table.column(str(c.at)), c)}
    nulls = (0 if at is None or at in unsure else table.column(str(at)).null_count for at in condition.counted)
    return OpenColumns(sorted(unsure), list(nulls))


def _broken(texts: pa.StringArray, condition: PassCondition, shapes: CellShapes) -> pa.BooleanArray:
    """Return which lines are surely no record: with a wrong number of cells, or bytes that are no text."""
    no_text = pc.invert(pc.match_substring_regex(texts.view(pa.binary()), VALID_UTF_8))
    no_text = pc.or_(no_text, pc.match_substring(texts, "\0"))
    bare = pc.invert(pc.match_substring_regex(texts, shapes.signs)) if shapes.signs else pc.is_valid(texts)
    uneven = pc.not_equal(pc.count_substring(texts, condition.delimiter), condition.width - 1)
    return pc.or_(no_text, pc.and_(bare, uneven))


def _has_width(texts: pa.StringArray, condition: PassCondition) -> pa.BooleanArray:
    """Return which lines have as many cells as wanted; delimiters between quotes separate none."""
    if condition.quote:
        quote = re.escape(condition.quote)
        texts = pc.replace_substring_regex(texts, f"{quote}[^{quote}]*{quote}", "")
    return pc.equal(pc.count_substring(texts, condition.delimiter), condition.width - 1)


def _unlike(texts: pa.StringArray, condition: PassCondition, shapes: CellShapes, *, ended: bool) -> Iterator[int]:
    """Yield the places of columns with a cell of another shape; those with the same shape are tested at once."""
    table = cell_tests.texts(texts, [at for at, shape in shapes.cells if shape], condition, ended=ended)
    by_shape: dict[str, list[int]] = {}
    for at, shape in shapes.cells:
        by_shape.setdefault(shape, []).append(at)
    for shape, places in by_shape.items():
        if shape and len(texts):
            yield from _of_shape(table, places, shape)


def _of_shape(table: pa.Table, places: Sequence[int], shape: str) -> Iterator[int]:
    cells = pa.concat_arrays([chunk for at in places for chunk in table.column(str(at)).chunks])
    fits = pc.match_substring_regex(cells, rf"\A(?:{shape})\z")
    for n, at in enumerate(places):
        if fits[n * table.num_rows : (n + 1) * table.num_rows].false_count:
            yield at
