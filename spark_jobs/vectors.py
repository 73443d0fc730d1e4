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

COUNTS = (
    ("n", pa.int64()),
    ("first", pa.int64()),
    ("blank", pa.int64()),
    ("odd", pa.int64()),
    ("head", pa.int64()),
    ("nulls", pa.list_(pa.int64())),
    ("keys", pa.list_(pa.list_(pa.string()))),
)
SCHEMA = pa.schema([("file", pa.string()), ("block", pa.int64()), ("id", pa.int64()), ("line", pa.string()), *COUNTS])
"""What comes out: a line as it came, or what is counted of a stretch of lines.

That is how many pass, the first id, how many are empty and how many come out as they came; the id of a header, whose
text is then the line; the nulls of those that pass; and of all of them the first and the last value of each key, where
its values ascend and every line is a record.
"""
LONG = 20_000
"""Bytes from which on a line may have more delimiters within quotes than Spark takes (`reader.bounded`)."""
ENDS = ("", "\n", "\r\n", "\r")
"""What a line may have behind it."""
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
    None for one that the file lacks, `keys` the checks by number whose column's values are held against each other; all
    such columns are `tested`.
    """

    pattern: str
    delimiter: str
    quote: str
    width: int
    nulls: tuple[str, ...]
    aside: tuple[str, ...]
    tested: tuple[Tested, ...]
    counted: tuple[int | None, ...]
    keys: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of one part of a file: whose they are, and which of a batch."""

    file: str
    block: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lines:
    """A batch of lines: texts, with what ends them if `ended`; ids, null where empty; the parts of files, in order."""

    texts: pa.StringArray
    ids: pa.Int64Array
    stretches: Sequence[Stretch]
    ended: bool = False


def sift(batches: Iterable[pa.RecordBatch], proof: Proof) -> Iterator[pa.RecordBatch]:
    """Batches of lines from Spark (file, block, id, line; those that are empty have no id) as `SCHEMA`."""
    return sifted(map(_of_spark, batches), proof)


def _of_spark(batch: pa.RecordBatch) -> Lines:
    ends = {end for name in ("file", "block") for end in pc.run_end_encode(batch.column(name)).run_ends.to_pylist()}
    stretches = [
        Stretch(batch.column("file")[start].as_py(), batch.column("block")[start].as_py(), start, end)
        for start, end in pairwise([0, *sorted(ends)])
    ]
    return Lines(batch.column("line"), batch.column("id"), stretches)


def sifted(batches: Iterable[Lines], proof: Proof) -> Iterator[pa.RecordBatch]:
    """The lines of one partition as `SCHEMA`."""
    begun: tuple[str, int] | None = None
    for lines in batches:
        shaped, passes, cells = _proven(lines, proof)
        there = lines.ids.is_valid()
        firsts, heads = [], {}
        for stretch in lines.stretches:
            first = pc.index(there[stretch.start : stretch.end], True).as_py()
            firsts.append(first + stretch.start if first >= 0 else None)
            if first >= 0 and begun != (begun := (stretch.file, stretch.block)) and stretch.block == 0:
                text = _text(lines, first + stretch.start)
                if text in proof.aside:
                    heads[first + stretch.start] = text
        odd = pc.and_not(there, passes)
        if heads:
            odd = pc.and_(odd, pa.array([at not in heads for at in range(len(odd))]))
        if odd.true_count:
            yield _as_they_came(lines, pc.indices_nonzero(odd))
        counts, before = [], 0
        for stretch, first in zip(lines.stretches, firsts, strict=True):
            own = slice(stretch.start, stretch.end)
            like, n, left = shaped[own].true_count, passes[own].true_count, odd[own].true_count
            alike = like == there[own].true_count - (first in heads)
            counts.append(
                {
                    "file": stretch.file,
                    "block": stretch.block,
                    "line": heads.get(first),
                    "n": n,
                    "first": None if first is None else lines.ids[first].as_py(),
                    "blank": there[own].false_count,
                    "odd": left,
                    "head": lines.ids[first].as_py() if first in heads else None,
                    "nulls": _nulls(cells.slice(before, like), passes[own].filter(shaped[own]), proof),
                    "keys": _spans(cells.slice(before, like), proof) if like and alike else [None] * len(proof.keys),
                }
            )
            before += like
        yield pa.RecordBatch.from_pylist(counts, SCHEMA)


def _text(lines: Lines, at: int) -> str | None:
    """A line without what ends it; None where it is no text."""
    try:
        return str(lines.texts[at].as_py()).rstrip("\r\n")
    except UnicodeDecodeError:
        return None


def _nulls(cells: pa.Table, passes: pa.BooleanArray, proof: Proof) -> list[int]:
    """How many nulls there are in those of some lines that pass; nearly all do."""
    if not passes.true_count:
        return [0] * len(proof.counted)
    names = [str(at) for at in proof.counted if at is not None]
    found = {name: cells.column(name).null_count for name in names}
    if passes.false_count:
        others = cells.select(names).filter(pc.invert(passes))
        found = {name: found[name] - others.column(name).null_count for name in names}
    return [found.get(str(at), 0) for at in proof.counted]


def _spans(cells: pa.Table, proof: Proof) -> list[list[str] | None]:
    """The first and the last value of each key, where all that stand together ascend."""
    return [span(cells.column(str(at)).combine_chunks()) for _, at in proof.keys]


def span(values: pa.Array) -> list[str] | None:
    """The first and the last of values that ascend, so that each is there once."""
    if values.null_count or pc.any(pc.greater_equal(values[:-1], values[1:])).as_py():
        return None
    return [str(values[at].as_py()) for at in (0, -1)]


def passing(lines: Sequence[str], proof: Proof) -> int:
    """How many of some lines pass."""
    texts = pa.array(lines, pa.string())
    _, passes, _ = _proven(Lines(texts, pa.array(range(len(lines)), pa.int64()), ()), proof)
    return passes.true_count or 0


def _proven(lines: Lines, proof: Proof) -> tuple[pa.BooleanArray, pa.BooleanArray, pa.Table]:
    """Which lines have the shape that passes, which of them pass, and the cells of the former."""
    texts = lines.texts
    shaped = pc.and_(pc.match_substring_regex(texts, proof.pattern), lines.ids.is_valid())
    if proof.quote:
        shaped = pc.and_(shaped, pc.less(pc.binary_length(texts), LONG))
    if proof.aside:
        shaped = pc.and_(shaped, pc.invert(pc.is_in(texts, pa.array([a + end for a in proof.aside for end in ENDS]))))
    fine = None
    try:
        cells = _cells(_kept(texts, shaped), proof, ended=lines.ended)
        for column in proof.tested:
            for mask in masks(cells.column(str(column.at)), column):
                fine = mask if fine is None else pc.and_(fine, mask)
    except (pa.ArrowException, OverflowError):  # a value, or a bound, that Arrow does not know
        none = pa.array([False] * len(texts))
        return none, none, pa.table({})
    if fine is None:
        return shaped, shaped, cells
    return shaped, pc.replace_with_mask(shaped, shaped, fine.combine_chunks()), cells


def _kept(rows: Any, mask: pa.BooleanArray) -> Any:
    return rows if mask.true_count == len(mask) else rows.filter(mask)


def _cells(texts: pa.StringArray, proof: Proof, *, ended: bool) -> pa.Table:
    """The columns that are looked at, named by their places."""
    wanted = {str(column.at): column.type for column in proof.tested}
    if not wanted or not len(texts):
        return pa.table({name: pa.array([], kind) for name, kind in wanted.items()})
    text = _joined(texts if ended else pc.binary_join_element_wise(texts, "", "\n"))
    found = pyarrow.csv.read_csv(
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
    if found.num_rows != len(texts):
        raise pa.ArrowInvalid("as many rows as lines")
    return found


def _joined(texts: pa.StringArray) -> pa.Buffer:
    """All texts as one."""
    _, offsets, text = texts.buffers()
    bounds = memoryview(offsets).cast("i")
    start, end = bounds[texts.offset], bounds[texts.offset + len(texts)]
    return text.slice(start, end - start)


def masks(values: pa.ChunkedArray, column: Tested) -> Iterator[Any]:
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


def _as_they_came(lines: Lines, which: pa.UInt64Array) -> pa.RecordBatch:
    """Some of the lines, without what ends them."""
    ends = pa.array([stretch.end for stretch in lines.stretches], pa.int32())
    places = (
        pa.array([stretch.file for stretch in lines.stretches]),
        pa.array([stretch.block for stretch in lines.stretches]),
    )
    texts = lines.texts.take(which)
    columns = [
        *(pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(ends, of)).take(which) for of in places),
        lines.ids.take(which),
        pc.ascii_rtrim(texts, "\r\n") if lines.ended else texts,
        *(pa.nulls(len(which), kind) for _, kind in COUNTS),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
