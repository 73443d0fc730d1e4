"""Lines that surely pass or fail, told in vectors: batches of Arrow in; counts, and lines that do not pass, out.

Runs in Spark's Python workers. A line of which nothing is sure takes the way that all lines would take.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

WORDS = pa.list_(pa.int64())
COUNTS = (
    ("n", pa.int64()),
    ("first", pa.int64()),
    ("blank", pa.int64()),
    ("odd", pa.int64()),
    ("head", pa.int64()),
    ("failing", pa.int64()),
    ("nulls", pa.list_(pa.int64())),
    ("keys", pa.list_(pa.list_(pa.string()))),
)
SCHEMA = pa.schema(
    [("file", pa.string()), ("block", pa.int64()), ("id", pa.int64()), ("line", pa.string()), ("words", WORDS), *COUNTS]
)
"""What comes out: a line as it came, or what is counted of a stretch of lines, or of lines that fail the same checks.

A line has the checks that it fails as words of bits (`bits`) or, where that is not sure, none: it is odd. Counted is
how many pass, the first id, how many are empty, odd or surely fail; the id of a header, whose text is then the line;
the nulls of those that pass; and of all of them the first and the last value of each key, where its values ascend and
every line is a record. Behind all lines of a partition come the sets of checks that lines of a file fail: with words,
how many these are and their nulls.
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
Bit = tuple[int, int]
"""Of a row check: the number of its word, and the place within it (`bits`)."""
Kind = Literal["required", "banned", "bound", "length", "among", "outside", "pattern"]
OF_NULLS = ("required", "banned")
"""The kinds that say whether there may be nulls, or nothing else; all others let nulls pass."""
MOST_SETS = 100
"""Sets of failing checks that are told apart in a partition: lines that fail others are odd."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A test of values: within a bound, as values or lengths; among values; matching a pattern (RE2).

    `bit` is that of the row check that a value fails if it is not so; None where that is not sure.
    """

    kind: Kind
    of: Any = None
    bit: Bit | None = None


@dataclass(frozen=True, slots=True)
class Tested:
    """A column that is looked at: its place, its type in Arrow, and what its values must be."""

    at: int
    type: pa.DataType
    trials: tuple[Trial, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """The condition for a line to pass: `pattern` (RE2) proves a record of `width` cells, null or of their types.

    `aside` are lines that are no records though they look like it; `counted` are the columns whose nulls are counted,
    None for one that the file lacks, `keys` the checks by number whose column's values are held against each other; all
    such columns are `tested`. `words` are how many hold the bits of all row checks.
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
    words: int = 1


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
    sets: Sets = {}
    failing: dict[tuple[str, int], list[int]] = {}
    for lines in batches:
        told = _told(lines, proof, sets)
        there = lines.ids.is_valid()
        firsts, heads = [], {}
        for stretch in lines.stretches:
            first = pc.index(there[stretch.start : stretch.end], True).as_py()
            firsts.append(first + stretch.start if first >= 0 else None)
            if first >= 0 and begun != (begun := (stretch.file, stretch.block)) and stretch.block == 0:
                text = _text(lines, first + stretch.start)
                if text in proof.aside:
                    heads[first + stretch.start] = text
        others = pc.and_not(there, told.passes)
        if heads:
            others = pc.and_(others, pa.array([at not in heads for at in range(len(others))]))
        if others.true_count:
            yield _as_they_came(lines, told, sets, pc.indices_nonzero(others))
        counts, before = [], 0
        for stretch, first in zip(lines.stretches, firsts, strict=True):
            own = slice(stretch.start, stretch.end)
            like = told.shaped[own].true_count
            alike = like == there[own].true_count - (first in heads)
            cells, fails = told.cells.slice(before, like), told.fails[own]
            known = len(fails) - fails.null_count
            if known:
                _add(failing, stretch.file, _sums(cells, fails.filter(told.shaped[own]), proof))
            counts.append(
                {
                    "file": stretch.file,
                    "block": stretch.block,
                    "line": heads.get(first),
                    "n": told.passes[own].true_count,
                    "first": None if first is None else lines.ids[first].as_py(),
                    "blank": there[own].false_count,
                    "odd": others[own].true_count - known,
                    "failing": known,
                    "head": lines.ids[first].as_py() if first in heads else None,
                    "nulls": _nulls(cells, told.passes[own].filter(told.shaped[own]), proof),
                    "keys": _spans(cells, proof) if like and alike else [None] * len(proof.keys),
                }
            )
            before += like
        yield pa.RecordBatch.from_pylist(counts, SCHEMA)
    if failing:
        words = list(sets.values())
        rows = [{"file": f, "words": words[k], "n": n, "nulls": nulls} for (f, k), (n, *nulls) in failing.items()]
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _add(sums: dict[tuple[str, int], list[int]], file: str, more: dict[int, list[int]]) -> None:
    """Add what was counted by set of checks to what is known of a file."""
    for number, counts in more.items():
        known = sums.setdefault((file, number), [0] * len(counts))
        known[:] = map(operator.add, known, counts)


def _text(lines: Lines, at: int) -> str | None:
    """A line without what ends it; None where it is no text."""
    try:
        return str(lines.texts[at].as_py()).rstrip("\r\n")
    except UnicodeDecodeError:
        return None


def _nulls(cells: pa.Table, passes: pa.BooleanArray, proof: Proof) -> list[int]:
    """Return the number of nulls in each counted column of the passing lines; nearly all lines pass."""
    if not passes.true_count:
        return [0] * len(proof.counted)
    names = [str(at) for at in proof.counted if at is not None]
    found = {name: cells.column(name).null_count for name in names}
    if passes.false_count:
        others = cells.select(names).filter(pc.invert(passes))
        found = {name: found[name] - others.column(name).null_count for name in names}
    return [found.get(str(at), 0) for at in proof.counted]


def _sums(cells: pa.Table, fails: pa.Array, proof: Proof) -> dict[int, list[int]]:
    """By set of checks how many lines fail it, of those whose cells these are, and their nulls."""
    columns = [None if at is None else cells.column(str(at)).is_null().combine_chunks() for at in proof.counted]
    nulls = [{} if null is None else _counted(fails.filter(null)) for null in columns]
    return {number: [n, *(one.get(number, 0) for one in nulls)] for number, n in _counted(fails).items()}


def _counted(numbers: pa.Array) -> dict[int, int]:
    """Return how often each number occurs."""
    return {one["values"]: one["counts"] for one in pc.value_counts(numbers.drop_null()).to_pylist()}


def _spans(cells: pa.Table, proof: Proof) -> list[list[str] | None]:
    """The first and the last value of each key, where all that stand together ascend."""
    return [span(cells.column(str(at)).combine_chunks()) for _, at in proof.keys]


def span(values: pa.Array) -> list[str] | None:
    """The first and the last of values that ascend, so that each is there once."""
    if values.null_count or pc.any(pc.greater_equal(values[:-1], values[1:])).as_py():
        return None
    return [str(values[at].as_py()) for at in (0, -1)]


def sure(lines: Sequence[str], proof: Proof) -> tuple[int, int]:
    """Return how many of some lines surely pass, and how many surely fail."""
    told = _told(Lines(pa.array(lines, pa.string()), pa.array(range(len(lines)), pa.int64()), ()), proof, {})
    return told.passes.true_count or 0, len(told.fails) - told.fails.null_count


Sets = dict[str, tuple[int, ...]]
"""Sets of failing checks: the words of their bits, by the text of these."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The proven facts of lines: which have the passing shape, with their cells; which of those pass all checks.

    `fails` says by number which set of checks others fail, null where it is not sure.
    """

    shaped: pa.BooleanArray
    passes: pa.BooleanArray
    cells: pa.Table
    fails: pa.Int32Array


def _told(lines: Lines, proof: Proof, sets: Sets) -> Outcome:
    """Return the proven facts of lines; `sets` are the numbered sets, which grow."""
    texts = lines.texts
    unsure = pa.nulls(len(texts), pa.int32())
    shaped = pc.and_(pc.match_substring_regex(texts, proof.pattern), lines.ids.is_valid())
    if proof.quote:
        shaped = pc.and_(shaped, pc.less(pc.binary_length(texts), LONG))
    if proof.aside:
        shaped = pc.and_(shaped, pc.invert(pc.is_in(texts, pa.array([a + end for a in proof.aside for end in ENDS]))))
    try:
        cells = _cells(_kept(texts, shaped), proof, ended=lines.ended)
        found = [one for column in proof.tested for one in masks(cells.column(str(column.at)), column)]
        if not found:
            return Outcome(shaped, shaped, cells, unsure)
        fine = reduce(pc.and_, (mask for _, mask in found)).combine_chunks()
        failing = _numbered([(t.bit, mask.filter(pc.invert(fine)).combine_chunks()) for t, mask in found], proof, sets)
    except (pa.ArrowException, OverflowError):  # a value, or a bound, that Arrow does not know
        none = pa.array([False] * len(texts), pa.bool_())
        return Outcome(none, none, pa.table({}), unsure)
    passes = pc.replace_with_mask(shaped, shaped, fine)
    return Outcome(shaped, passes, cells, pc.replace_with_mask(unsure, pc.and_not(shaped, passes), failing))


def _numbered(found: Sequence[tuple[Bit | None, pa.BooleanArray]], proof: Proof, sets: Sets) -> pa.Int32Array:
    """The number of the set of checks that each line fails, by what passes which test: null where it is not sure."""
    n = len(found[0][1])
    sure, words = pa.array([True] * n, pa.bool_()), [pa.array([0] * n, pa.int64()) for _ in range(proof.words)]
    for bit, mask in found:
        if bit is None:
            sure = pc.and_(sure, mask)
        else:
            word, place = bit
            words[word] = pc.bit_wise_or(words[word], pc.if_else(mask, 0, 1 << place))
    each = pc.binary_join_element_wise(*(word.cast(pa.string()) for word in words), ",")
    each = pc.if_else(sure, each, pa.scalar(None, pa.string()))
    often = sorted(pc.value_counts(each.drop_null()).to_pylist(), key=lambda one: -one["counts"])
    new = [one["values"] for one in often if one["values"] not in sets][: MOST_SETS - len(sets)]
    sets.update((text, tuple(map(int, text.split(",")))) for text in new)
    return pc.index_in(each, pa.array(list(sets), pa.string()))


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


def masks(values: pa.ChunkedArray, column: Tested) -> Iterator[tuple[Trial, Any]]:
    """The tests that not all values pass, and which do."""
    for test in column.trials:
        match test.kind:
            case "required" if values.null_count:
                yield test, values.is_valid()
            case "banned" if values.null_count < len(values):
                yield test, values.is_null()
            case "among":
                yield test, pc.or_(pc.is_in(values, pa.array(test.of, values.type)), values.is_null())
            case "outside":
                yield test, pc.invert(pc.is_in(values, pa.array(test.of, values.type)))
            case "pattern":
                yield test, pc.fill_null(pc.match_substring_regex(values, test.of), True)
    if values.null_count < len(values):
        yield from _within(values, [test for test in column.trials if test.kind == "bound"])
        if lengths := [test for test in column.trials if test.kind == "length"]:
            yield from _within(pc.utf8_length(values), lengths)


def _within(values: pa.ChunkedArray, tests: Sequence[Trial]) -> Iterator[tuple[Trial, Any]]:
    """The same for bounds: where the least and the greatest value keep them all do."""
    if not tests:
        return
    span = pc.min_max(values)
    least, greatest = span["min"].as_py(), span["max"].as_py()
    for test in tests:
        name, bound = test.of
        keeps = LEAST_FIRST[name](least, bound) if name in LEAST_FIRST else GREATEST_FIRST[name](greatest, bound)
        if not keeps:
            yield test, pc.fill_null(pc.call_function(name, [values, pa.scalar(bound, values.type)]), True)


def _as_they_came(lines: Lines, told: Outcome, sets: Sets, which: pa.UInt64Array) -> pa.RecordBatch:
    """Some of the lines, without what ends them, and the checks that they fail."""
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
        pa.array(list(sets.values()), WORDS).take(told.fails.take(which)),
        *(pa.nulls(len(which), kind) for _, kind in COUNTS),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
