"""Lines that pass beyond doubt, told in vectors: batches of Arrow in; what passes as counts, all else as it came, out.

Runs in Spark's Python workers. A line that is not proven is not wrong: it takes the way that all lines would take.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

SCHEMA = pa.schema(
    [
        ("file", pa.string()),
        ("block", pa.int64()),
        ("id", pa.int64()),
        ("line", pa.string()),
        ("n", pa.int64()),
        ("first", pa.int64()),
        ("nulls", pa.list_(pa.int64())),
    ]
)
"""What comes out: a line as it came (n is 1), or how many lines of a split pass, the first id and the nulls of them."""
LONG = 20_000
"""Bytes from which on a line may have more delimiters within quotes than Spark takes (`reader.bounded`)."""
LEAST_FIRST = {"greater_equal": operator.ge, "greater": operator.gt}
"""Bounds that all values keep if the least does, by Arrow's names; of others it is the greatest."""
GREATEST_FIRST = {"less_equal": operator.le, "less": operator.lt}

Bound = tuple[str, Any]
"""One of these names, and what a value must be on the right side of."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A column that is looked at: its place, its type in Arrow, what passes of it; nulls do, unless `required`.

    `lengths` are bounds of its characters, `among` and `outside` texts or numbers that it must and must not be,
    `patterns` (RE2) what must be found in it; `banned` allows nulls alone.
    """

    at: int
    type: pa.DataType
    required: bool = False
    banned: bool = False
    bounds: tuple[Bound, ...] = ()
    lengths: tuple[Bound, ...] = ()
    among: tuple[tuple[Any, ...], ...] = ()
    outside: tuple[tuple[Any, ...], ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """When a line passes: `pattern` (RE2) says that it is a record of `width` cells, null or of their types.

    `aside` are lines that are no records though they look like it; `counted` are the columns whose nulls are counted,
    all of them `tested`, None for one that the file lacks.
    """

    pattern: str
    delimiter: str
    quote: str
    width: int
    nulls: tuple[str, ...]
    aside: tuple[str, ...]
    tested: tuple[Tested, ...]
    counted: tuple[int | None, ...]


def sift(batches: Iterable[pa.RecordBatch], proof: Proof) -> Iterator[pa.RecordBatch]:
    """Batches of lines (file, block, id, line; those that are empty have no id) as `SCHEMA`."""
    for batch in batches:
        passes, cells = _proven(batch, proof)
        if passes.true_count < batch.num_rows:
            yield _as_they_came(batch.filter(pc.invert(passes)))
        if passes.true_count:
            yield _counted(_kept(batch, passes), cells, proof)


def passing(lines: Sequence[str], proof: Proof) -> int:
    """How many of some lines pass."""
    places = {"file": pa.nulls(len(lines), pa.string()), "block": pa.nulls(len(lines)), "id": range(len(lines))}
    passes, _ = _proven(pa.RecordBatch.from_pydict({**places, "line": pa.array(lines, pa.string())}), proof)
    return passes.true_count or 0


def _proven(batch: pa.RecordBatch, proof: Proof) -> tuple[pa.BooleanArray, pa.Table]:
    """Which lines pass, and the cells of those."""
    lines = batch.column("line")
    shaped = pc.and_(pc.match_substring_regex(lines, proof.pattern), batch.column("id").is_valid())
    if proof.quote:
        shaped = pc.and_(shaped, pc.less(pc.binary_length(lines), LONG))
    if proof.aside:
        shaped = pc.and_(shaped, pc.invert(pc.is_in(lines, pa.array(proof.aside))))
    fine = None
    try:
        cells = _cells(_kept(lines, shaped), proof)
        for column in proof.tested:
            for mask in _masks(cells.column(str(column.at)), column):
                fine = mask if fine is None else pc.and_(fine, mask)
    except (pa.ArrowException, OverflowError):  # a value, or a bound, that Arrow does not know
        return pa.array([False] * len(lines)), pa.table({})
    if fine is None:
        return shaped, cells
    fine = fine.combine_chunks()
    return pc.replace_with_mask(shaped, shaped, fine), cells.filter(fine)


def _kept(rows: Any, mask: pa.BooleanArray) -> Any:
    return rows if mask.true_count == len(mask) else rows.filter(mask)


def _cells(lines: pa.StringArray, proof: Proof) -> pa.Table:
    """The columns that are looked at, named by their places."""
    wanted = {str(column.at): column.type for column in proof.tested}
    if not wanted or not len(lines):
        return pa.table({name: pa.array([], kind) for name, kind in wanted.items()})
    text = pa.concat_arrays([pc.binary_join_element_wise(lines, "", "\n")]).buffers()[2]
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        pyarrow.csv.ReadOptions(
            use_threads=False, block_size=text.size + 1, column_names=[str(n) for n in range(proof.width)]
        ),
        pyarrow.csv.ParseOptions(
            delimiter=proof.delimiter,
            quote_char=proof.quote or False,
            double_quote=False,
            escape_char=False,
            ignore_empty_lines=False,
        ),
        pyarrow.csv.ConvertOptions(
            check_utf8=False,  # the pattern did
            column_types=wanted,
            include_columns=list(wanted),
            null_values=list(proof.nulls),
            strings_can_be_null=True,
        ),
    )


def _masks(values: pa.ChunkedArray, column: Tested) -> Iterator[Any]:
    """What passes, for each test that not all values pass."""
    if column.required and values.null_count:
        yield values.is_valid()
    if column.banned and values.null_count < len(values):
        yield values.is_null()
    yield from _within(values, column.bounds)
    if column.lengths:
        yield from _within(pc.utf8_length(values), column.lengths)
    for texts in column.among:
        yield pc.or_(pc.is_in(values, pa.array(texts, values.type)), values.is_null())
    for texts in column.outside:
        yield pc.invert(pc.is_in(values, pa.array(texts, values.type)))
    for pattern in column.patterns:
        yield pc.fill_null(pc.match_substring_regex(values, pattern), True)


def _within(values: pa.ChunkedArray, bounds: Iterable[Bound]) -> Iterator[Any]:
    """The same for bounds: where the least and the greatest value keep them all do."""
    if not bounds or values.null_count == len(values):
        return
    span = pc.min_max(values)
    least, greatest = span["min"].as_py(), span["max"].as_py()
    for name, bound in bounds:
        keeps = LEAST_FIRST[name](least, bound) if name in LEAST_FIRST else GREATEST_FIRST[name](greatest, bound)
        if not keeps:
            yield pc.fill_null(pc.call_function(name, [values, pa.scalar(bound, values.type)]), True)


def _as_they_came(lines: pa.RecordBatch) -> pa.RecordBatch:
    n = lines.num_rows
    columns = [*lines.columns, pa.repeat(1, n), *(pa.nulls(n, SCHEMA.field(name).type) for name in ("first", "nulls"))]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _counted(lines: pa.RecordBatch, cells: pa.Table, proof: Proof) -> pa.RecordBatch:
    """Lines that pass as one row for each stretch of them in one split."""
    ends = {end for name in ("file", "block") for end in pc.run_end_encode(lines.column(name)).run_ends.to_pylist()}
    stretches = list(pairwise([0, *sorted(ends)]))
    starts = [start for start, _ in stretches]
    nulls = [_nulls(cells.slice(start, end - start), proof) for start, end in stretches]
    columns = [
        *(lines.column(name).take(pa.array(starts)) for name in ("file", "block")),
        *(pa.nulls(len(starts), SCHEMA.field(name).type) for name in ("id", "line")),
        pa.array([end - start for start, end in stretches]),
        lines.column("id").take(pa.array(starts)),
        pa.array(nulls, SCHEMA.field("nulls").type),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _nulls(cells: pa.Table, proof: Proof) -> list[int]:
    return [0 if at is None else cells.column(str(at)).null_count for at in proof.counted]
