"""Lines tested in Arrow vectors: batches of lines in; counts of lines that pass, and all other lines, out.

This runs in Spark's Python workers. A line that neither passes nor fails for sure is odd: Spark judges it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files import encodings
from contracts.files.encodings import UTF_8
from contracts.terms.fixed_width import Fixed
from contracts.values import long_lines
from spark_jobs.prefilter import cell_tests, fixed_slices, open_columns, other_encodings, sure_lines
from spark_jobs.prefilter.plain_objects import PlainObject

MASK = pa.list_(pa.int64())
"""A bitmask of failing checks, by mask column (`bitmask`)."""
COUNTS = (
    ("n", pa.int64()),
    ("first", pa.int64()),
    ("blank", pa.int64()),
    ("odd", pa.int64()),
    ("head", pa.int64()),
    ("failing", pa.int64()),
    ("sums", pa.list_(pa.int64())),
    ("keys", pa.list_(pa.list_(pa.string()))),
    ("open", pa.list_(pa.int64())),
    ("nulls", pa.list_(pa.int64())),
    ("sure", pa.binary()),
)
SCHEMA = pa.schema(
    [("file", pa.string()), ("block", pa.int64()), ("id", pa.int64()), ("line", pa.string()), ("mask", MASK), *COUNTS]
)
"""A row of output: a line, the counts of a stretch of lines or of lines that fail the same checks, or several lines.

A line has the mask of the checks that it fails; an odd line has none. A stretch has the number of lines that pass, the
first id, and the number of empty, odd and surely failing lines; the id of a header, whose text is then the line; the
sums of the lines that pass (nulls by column, then `letters`); and for each key the first and the last value of each run
of ascending values (`runs`), if every line is a record. Of its odd lines it has the places of columns that are `open`,
null for all, and the `nulls` in the other counted columns (`open_columns`). Behind all lines of a partition come the
masks of its files: how many lines fail so, and their sums. A row of `sure` lines (`sure_lines`) has nothing else: these
lines of a batch surely fail, and have no rows of their own. Lines are in the encoding of their file, the text of a
header is decoded.
"""
STREAMED = pa.schema([SCHEMA.field(name) for name in sure_lines.COLUMNS])
"""The lines of a stream."""
ENDS = ("", "\n", "\r\n", "\r")
"""The line ends that may follow a text."""
Bound = tuple[str, Any]
"""One of these names, and the bound."""
Bit = tuple[int, int]
"""The bit of a row check: the number of its mask column, and the place within it (`bitmask`)."""
Kind = Literal["required", "banned", "bound", "length", "among", "outside", "pattern"]
OF_NULLS = ("required", "banned")
"""The kinds that test nulls; all others let nulls pass."""
MOST_MASKS = 100
"""Different masks that are counted in a partition; lines that have others are odd."""
MOST_RUNS = 16
"""Runs of ascending values of a key in a batch, up to which their ends are compared with those of other batches."""

LONG_OBJECT = 20_000
"""Bytes from which on an object of JSON is left to Spark, whose parser has limits of its own."""


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """A test of values: within a bound, as values or lengths; among values; matching a pattern (RE2).

    A value that does not pass fails the row check of `bit`; None if that is not sure.
    """

    kind: Kind
    argument: Any = None
    bit: Bit | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The way from the text of a cell to its value: without blanks around it, null words, marks between digits.

    `days` is the notation of days, as `strptime` has it.
    """

    blanks: str = ""
    nulls: tuple[str, ...] = ()
    group: str = ""
    decimal: str = "."
    days: str = ""

    def values(self, texts: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
        """Return cells of the passing shape as values of a type; marks of a text are its own."""
        if self.blanks:
            bare = pc.utf8_trim(texts, characters=self.blanks)
            texts = pc.if_else(pc.is_in(bare, pa.array(self.nulls, pa.string())), pa.scalar(None, pa.string()), bare)
        if kind == pa.string():
            return texts
        if self.days:
            return pc.strptime(texts, format=self.days, unit="s").cast(kind)
        if self.group:
            texts = pc.replace_substring(texts, self.group, "")
        if self.decimal != ".":
            texts = pc.replace_substring(texts, self.decimal, ".")
        return texts.cast(kind)


@dataclass(frozen=True, slots=True)
class TestedColumn:
    """A column that is tested: its place, its type in Arrow, and the tests that its values must pass.

    Arrow's parser makes the values, unless there is a `reading`.
    """

    at: int
    type: pa.DataType
    tests: tuple[ColumnTest, ...] = ()
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class PassCondition:
    """The condition for a line to pass: `pattern` (RE2) matches only records of `width` cells, null or of their types.

    `header_texts` are lines that look like records and are none. `counted` are the columns whose nulls are counted,
    None for one that the file lacks. `keys` are the checks, by number, whose values ascend in few runs; with `sorts` in
    any order within a batch. All such columns are `tested`. `mask_columns` is the number of columns that hold the bits
    of all row checks. Lines are in `encoding`; `letters` are the tests of their bytes that are counted
    (`sums.letters_tests`). `decimal` is the sign before fractions in columns without a reading. `comment` is the
    character that comments begin with, which are like empty lines. Files that may begin with a header have names that
    end in `headed`. Of `fixed` width, records begin with `begins`, and a text of their fields with delimiters between
    them is tested (`fixed_slices.joined`). If records are objects of JSON, `names` are those of their values, by place,
    and most may be `plain`. With `shapes` odd lines are tested cell by cell. Lines without the passing shape may surely
    fail by a `looser` condition, whose pattern lets null values through that fail a check.
    """

    pattern: str
    delimiter: str
    quote: str
    width: int
    nulls: tuple[str, ...]
    header_texts: tuple[str, ...]
    tested: tuple[TestedColumn, ...]
    counted: tuple[int | None, ...]
    keys: tuple[tuple[int, int], ...] = ()
    sorts: bool = False
    mask_columns: int = 1
    encoding: str = UTF_8
    letters: tuple[str, ...] = ()
    decimal: str = "."
    comment: str = ""
    headed: str = ""
    fixed: Fixed | None = None
    begins: str = ""
    refilled: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    plain: PlainObject | None = None
    shapes: open_columns.CellShapes | None = None
    looser: PassCondition | None = None

    def shaped(self, texts: pa.StringArray, ids: pa.Int64Array) -> pa.BooleanArray:
        """Return which texts have the passing shape, and are no header."""
        shaped = pc.and_(pc.match_substring_regex(texts, self.pattern), ids.is_valid())
        sizes = pc.binary_length(texts)
        longest = pc.max(sizes).as_py() or 0
        if self.names:
            shaped = pc.and_(shaped, self.are_short(texts))
        elif self.quote and longest >= open_columns.MOST_DELIMITERS:
            few = pc.less(pc.count_substring(texts, self.delimiter), open_columns.MOST_DELIMITERS)
            shaped = pc.and_(shaped, few)
        if longest > long_lines.LONGEST:
            shaped = pc.and_(shaped, pc.less_equal(sizes, long_lines.LONGEST))
        if self.header_texts:
            headers = pa.array([text + end for text in self.header_texts for end in ENDS])
            shaped = pc.and_(shaped, pc.invert(pc.is_in(texts, headers)))
        return shaped

    def are_short(self, objects: pa.StringArray) -> pa.BooleanArray:
        """Return which objects of JSON are not left to Spark because of their length."""
        return pc.less(pc.binary_length(objects), LONG_OBJECT)

    def are_null(self, cells: pa.Table) -> list[pa.BooleanArray | None]:
        """Return for each counted column which of its cells are null; None for one that the file lacks."""
        return [None if at is None else cells.column(str(at)).is_null().combine_chunks() for at in self.counted]

    def sums(self, cells: pa.Table, letters: Sequence[pa.BooleanArray], passes: pa.BooleanArray) -> list[int]:
        """Return the nulls in each counted column of the passing lines, and their letters; nearly all lines pass."""
        if not passes.true_count:
            return [0] * (len(self.counted) + len(self.letters))
        names = [str(at) for at in self.counted if at is not None]
        counts = {name: cells.column(name).null_count for name in names}
        if passes.false_count:
            others = cells.select(names).filter(pc.invert(passes))
            counts = {name: counts[name] - others.column(name).null_count for name in names}
        nulls = [counts.get(str(at), 0) for at in self.counted]
        return [*nulls, *(pc.and_(test, passes).true_count for test in letters)]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of lines in a batch that are of one split of a file."""

    file: str
    block: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LineBatch:
    """A batch of lines: `raw` as in the file, with line ends if `ended`; ids, null if empty; the splits, in order."""

    raw: pa.StringArray
    ids: pa.Int64Array
    stretches: Sequence[Stretch]
    ended: bool = False

    @classmethod
    def of_spark(cls, batch: pa.RecordBatch) -> LineBatch:
        """Return a batch of lines from Spark."""
        ends = {end for name in ("file", "block") for end in pc.run_end_encode(batch.column(name)).run_ends.to_pylist()}
        stretches = [
            Stretch(batch.column("file")[start].as_py(), batch.column("block")[start].as_py(), start, end)
            for start, end in pairwise([0, *sorted(ends)])
        ]
        return cls(batch.column("line"), batch.column("id"), stretches)

    def text(self, at: int, encoding: str) -> str | None:
        """Return a line without its line end; None if it is not text."""
        try:
            return str(self.raw.view(pa.binary())[at].as_py(), encoding).rstrip("\r\n")
        except UnicodeDecodeError:
            return None

    def open_columns(self, own: slice, odd: pa.BooleanArray, condition: PassCondition) -> open_columns.OpenColumns:
        """Return the columns that are not sure in the odd ones among some of the lines."""
        if not odd.true_count:
            return open_columns.NONE
        text = other_encodings.decoded(self.raw[own].filter(odd), condition.encoding, ended=self.ended)
        return open_columns.EVERY if text is None else open_columns.of_lines(text[0], condition, ended=text[1])

    def as_they_came(self, results: LineResults, masks: Masks, which: pa.UInt64Array, most: int) -> pa.RecordBatch:
        """Return some of the lines, without their line ends, and the masks of the checks that they fail.

        Of lines of more than `most` bytes only so many are returned.
        """
        ends = pa.array([stretch.end for stretch in self.stretches], pa.int32())
        places = (
            pa.array([stretch.file for stretch in self.stretches]),
            pa.array([stretch.block for stretch in self.stretches]),
        )
        raw = self.raw.take(which)
        raw = pc.ascii_rtrim(raw, "\r\n") if self.ended else raw
        if (pc.max(pc.binary_length(raw)).as_py() or 0) > most:
            raw = pc.binary_slice(raw.view(pa.binary()), 0, most).view(pa.string())
        columns = [
            *(pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(ends, of)).take(which) for of in places),
            self.ids.take(which),
            raw,
            pa.array(list(masks.values()), MASK).take(results.fails.take(which)),
            *(pa.nulls(len(which), kind) for _, kind in COUNTS),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def evaluate_batches(
    batches: Iterable[pa.RecordBatch], condition: PassCondition, room: int = 0
) -> Iterator[pa.RecordBatch]:
    """Test batches of lines from Spark (file, block, id, line; empty ones have no id); return rows of `SCHEMA`."""
    return evaluate_lines(map(LineBatch.of_spark, batches), condition, room)


def evaluate_lines(batches: Iterable[LineBatch], condition: PassCondition, room: int = 0) -> Iterator[pa.RecordBatch]:
    """Test the lines of one partition; return rows of `SCHEMA`, with `sure` lines of up to `room` bytes."""
    begun: tuple[str, int] | None = None
    masks: Masks = {}
    failing: dict[tuple[str, int], list[int]] = {}
    most = encodings.enough(condition.encoding, long_lines.KEPT)
    for lines in batches:
        results = _test_lines(lines, condition, masks)
        there = lines.ids.is_valid()
        firsts, heads = [], {}
        for stretch in lines.stretches:
            first = pc.index(there[stretch.start : stretch.end], True).as_py()
            firsts.append(first + stretch.start if first >= 0 else None)
            may_head = stretch.block == 0 and stretch.file.endswith(condition.headed)
            if first >= 0 and begun != (begun := (stretch.file, stretch.block)) and may_head:
                text = lines.text(first + stretch.start, condition.encoding)
                if text in condition.header_texts:
                    heads[first + stretch.start] = text
        others = pc.and_not(there, results.passes)
        if heads:
            others = pc.and_(others, pa.array([at not in heads for at in range(len(others))]))
        if others.true_count:
            left, room = _with_stream(lines.as_they_came(results, masks, pc.indices_nonzero(others), most), room)
            yield from left
        counts, before = [], 0
        for stretch, first in zip(lines.stretches, firsts, strict=True):
            own = slice(stretch.start, stretch.end)
            like = results.shaped[own].true_count
            alike = like == there[own].true_count - (first in heads)
            cells, fails = results.cells.slice(before, like), results.fails[own]
            letters = [test[before : before + like] for test in results.letters]
            sure = len(fails) - fails.null_count
            odd = others[own] if not sure else pc.and_(others[own], fails.is_null())
            columns = lines.open_columns(own, odd, condition)
            if sure:
                addends = [*condition.are_null(cells), *letters]
                _add(failing, stretch.file, addends, fails.filter(results.shaped[own]))
            counts.append(
                {
                    "file": stretch.file,
                    "block": stretch.block,
                    "line": heads.get(first),
                    "n": results.passes[own].true_count,
                    "first": None if first is None else lines.ids[first].as_py(),
                    "blank": there[own].false_count,
                    "odd": others[own].true_count - sure,
                    "failing": sure,
                    "head": lines.ids[first].as_py() if first in heads else None,
                    "sums": condition.sums(cells, letters, results.passes[own].filter(results.shaped[own])),
                    "keys": [
                        runs(cells.column(str(at)).combine_chunks(), sorts=condition.sorts) if like and alike else None
                        for _, at in condition.keys
                    ],
                    "open": columns.places,
                    "nulls": columns.nulls,
                }
            )
            before += like
        yield pa.RecordBatch.from_pylist(counts, SCHEMA)
    if failing:
        numbered = list(masks.values())
        rows = [{"file": f, "mask": numbered[k], "n": n, "sums": sums} for (f, k), (n, *sums) in failing.items()]
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _with_stream(lines: pa.RecordBatch, room: int) -> tuple[list[pa.RecordBatch], int]:
    """Return lines, those that surely fail as a stream if there is room for them; and the room that is left."""
    if room <= 0 or lines.column("mask").null_count == len(lines):
        return [lines], room
    sure = lines.filter(lines.column("mask").is_valid())
    room -= sure.nbytes
    if room < 0:
        return [lines], room
    row = pa.RecordBatch.from_pylist([{"sure": sure_lines.to_stream(sure)}], SCHEMA)
    return [row, lines.filter(lines.column("mask").is_null())], room


def _add(
    sums: dict[tuple[str, int], list[int]], file: str, addends: Sequence[pa.BooleanArray | None], fails: pa.Array
) -> None:
    """Add to a file, by the number of a mask, how many lines have it, and how many of these are true in each addend."""
    own = [{} if addend is None else _counted(fails.filter(addend)) for addend in addends]
    for number, n in _counted(fails).items():
        totals = sums.setdefault((file, number), [0] * (1 + len(own)))
        totals[:] = map(operator.add, totals, [n, *(counts.get(number, 0) for counts in own)])


def _counted(numbers: pa.Array) -> dict[int, int]:
    """Return how often each number occurs."""
    return {pair["values"]: pair["counts"] for pair in pc.value_counts(numbers.drop_null()).to_pylist()}


def runs(values: pa.Array, *, sorts: bool = False) -> list[str] | None:
    """Return the first and the last value of each run of ascending values, in one list; None if there are too many.

    Values within a run differ. With `sorts` values in any order are sorted first, so that those that differ are one
    run.
    """
    if values.null_count:
        return None
    breaks = pc.indices_nonzero(pc.greater_equal(values[:-1], values[1:]))
    if sorts and len(breaks):
        return runs(values.take(pc.sort_indices(values)))
    if len(breaks) >= MOST_RUNS:
        return None
    ends = [*breaks.to_pylist(), len(values) - 1]
    return [str(values[at].as_py()) for run in zip([0, *(at + 1 for at in ends[:-1])], ends, strict=True) for at in run]


def sure(lines: Sequence[bytes], condition: PassCondition) -> tuple[int, int]:
    """Return how many of some lines, as a file has them, surely pass, and how many surely fail."""
    raw = pa.array(lines, pa.binary()).view(pa.string())
    batch = LineBatch(raw, pa.array(range(len(lines)), pa.int64()), ())
    results = _test_lines(batch, replace(condition, letters=()), {})
    return results.passes.true_count or 0, len(results.fails) - results.fails.null_count


Masks = dict[str, tuple[int, ...]]
"""Masks of failing checks by their text; their order numbers them."""


@dataclass(frozen=True, slots=True)
class LineResults:
    """The results of lines: which have the passing shape, with their cells; which of those pass all checks.

    `fails` are the numbers of the masks of the others; null if it is not sure which checks they fail. `letters` are
    the results of those tests, for lines of that shape.
    """

    shaped: pa.BooleanArray
    passes: pa.BooleanArray
    cells: pa.Table
    fails: pa.Int32Array
    letters: Sequence[pa.BooleanArray] = ()

    def joined(self, others: LineResults, which: pa.UInt64Array) -> LineResults:
        """Return the same with the surely failing ones of other results, of some lines without that shape."""
        fails = others.fails.is_valid()
        if not fails.true_count:
            return self
        own, more = pc.indices_nonzero(self.shaped), which.filter(fails)
        order = pc.sort_indices(pa.concat_arrays([own, more]))
        here, kept = pc.is_in(pa.array(range(len(self.shaped)), pa.uint64()), more), fails.filter(others.shaped)
        cells = others.cells.filter(kept)
        if len(own):
            cells = pa.concat_tables([self.cells, cells.select(self.cells.column_names)])
        letters = [
            pa.concat_arrays([mine, theirs.filter(kept)]).take(order)
            for mine, theirs in zip(self.letters, others.letters, strict=True)
        ]
        numbers = pc.replace_with_mask(self.fails, here, others.fails.drop_null())
        return LineResults(pc.or_(self.shaped, here), self.passes, cells.take(order), numbers, letters)


def _test_lines(lines: LineBatch, condition: PassCondition, masks: Masks) -> LineResults:
    """Test lines; masks that are new are added to `masks`."""
    results = _tested(lines, condition, masks)
    if condition.looser is None or results.shaped.true_count == len(lines.raw):
        return results
    which = pc.indices_nonzero(pc.and_not(lines.ids.is_valid(), results.shaped))
    others = LineBatch(lines.raw.take(which), lines.ids.take(which), (), lines.ended)
    looser = replace(condition.looser, letters=condition.letters)
    return results.joined(_tested(others, looser, masks), which)


def _tested(lines: LineBatch, condition: PassCondition, masks: Masks) -> LineResults:
    """Test lines by one condition."""
    unsure = pa.nulls(len(lines.raw), pa.int32())
    none = pa.array([False] * len(lines.raw), pa.bool_())
    raw, ended = lines.raw, lines.ended
    if condition.fixed:
        raw, ended = fixed_slices.joined(raw, condition), True
    text = other_encodings.decoded(raw, condition.encoding, ended=ended)
    if text is None:
        return LineResults(none, none, pa.table({}), unsure)
    texts, ended = text
    try:
        shaped, cells = cell_tests.shaped_cells(texts, lines.ids, condition, ended=ended)
        whole = shaped.true_count == len(shaped)
        letters = other_encodings.letters(lines.raw if whole else lines.raw.filter(shaped), condition.letters)
        failed = [
            pair
            for column in condition.tested
            for pair in cell_tests.failed_tests(cells.column(str(column.at)), column)
        ]
        if not failed:
            return LineResults(shaped, shaped, cells, unsure, letters)
        fine = reduce(pc.and_, (passes for _, passes in failed)).combine_chunks()
        others = [(test.bit, passes.filter(pc.invert(fine)).combine_chunks()) for test, passes in failed]
        failing = _mask_numbers(others, condition, masks)
    except (pa.ArrowException, OverflowError):  # a value, or a bound, that Arrow does not know
        return LineResults(none, none, pa.table({}), unsure)
    passes = pc.replace_with_mask(shaped, shaped, fine)
    fails = pc.replace_with_mask(unsure, pc.and_not(shaped, passes), failing)
    return LineResults(shaped, passes, cells, fails, letters)


def _mask_numbers(
    tests: Sequence[tuple[Bit | None, pa.BooleanArray]], condition: PassCondition, masks: Masks
) -> pa.Int32Array:
    """Return the number of the mask of each line, from the lines that pass each test; null if a mask is not sure."""
    n = len(tests[0][1])
    sure = pa.array([True] * n, pa.bool_())
    columns = [pa.array([0] * n, pa.int64()) for _ in range(condition.mask_columns)]
    for bit, passes in tests:
        if bit is None:
            sure = pc.and_(sure, passes)
        else:
            column, place = bit
            columns[column] = pc.bit_wise_or(columns[column], pc.if_else(passes, 0, 1 << place))
    each = pc.binary_join_element_wise(*(column.cast(pa.string()) for column in columns), ",")
    each = pc.if_else(sure, each, pa.scalar(None, pa.string()))
    often = sorted(pc.value_counts(each.drop_null()).to_pylist(), key=lambda pair: -pair["counts"])
    new = [pair["values"] for pair in often if pair["values"] not in masks][: MOST_MASKS - len(masks)]
    masks.update((text, tuple(map(int, text.split(",")))) for text in new)
    return pc.index_in(each, pa.array(list(masks), pa.string()))
