"""Lines of scratch and judged records in; counts of splits, record numbers, and counts by file out.

Spark reduces the records to a few rows: for each file, one row for each set of checks that its records fail. The
driver adds these rows up one after the other, so that a drop takes little more memory than its result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import localcontext
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from contracts.terms.trailer import LONGEST_LINE
from spark_jobs.rules import aggregates, bitmask, sums
from spark_jobs.rules.lines import NO_ID, FileSplit, Line, MaskCount, SplitCounts, owner
from spark_jobs.rules.sums import Sums
from spark_jobs.spark import small_frames

HISTOGRAM = 1_000
"""Masks that are kept of a file."""
LONGEST_RAW = 3 * LONGEST_LINE
"""Characters of a trailer's raw text, which may have its cells and its line as JSON; longer texts are cut."""
DIGITS = 100
"""More than any sum of decimals has."""
PLACED = ("file", "drop", "attempt", "name", "record", "raw")
"""The columns that `placed` makes of a line."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one file. `sound` records pass the record checks, `valid` ones pass all checks of severity error.

    `failed` are the failing records of each row check, in the order of `Plan.row_checks`. `masks` is the histogram of
    failing checks, as bitmasks in hexadecimal, the most frequent first; `overflow` means that rarer ones are left out.
    """

    total: int = 0
    sound: int = 0
    valid: int = 0
    failing: int = 0
    failed: tuple[int, ...] = ()
    sums: Sums = field(default_factory=Sums)
    masks: tuple[tuple[str, int], ...] = ()
    overflow: bool = False


def split_counts(scratch: DataFrame, header_texts: Sequence[str], is_trailer: Column | None) -> list[SplitCounts]:
    """Count the lines of each split; `is_trailer` is true if a raw text begins like a trailer, if files have any."""
    head = sf.when(sf.col("raw").isin(*header_texts), sf.struct("at", "raw"))
    blank = sf.sum(sf.when(is_blank(), sf.col("n")).otherwise(0)).alias("blank")
    counts = [sf.sum("n").alias("n"), blank, sf.min("first").alias("first"), sf.min(head).alias("head")]
    if is_trailer is not None:
        line = sf.struct("at", sf.left("raw", sf.lit(LONGEST_RAW)).cast("binary").alias("raw"))
        last = sf.when(is_trailer & ~sf.col("raw").isin(*header_texts), line)
        counts += [sf.min(last["at"]).alias("early"), sf.max(last).alias("last")]
    splits = []
    for row in scratch.groupBy("file", "block").agg(*counts).collect():
        values = row.asDict()
        lines = {name: values[name] and Line(*values[name]) for name in ("head", "last") if name in values}
        first = NO_ID if values["first"] is None else values["first"]
        splits.append(SplitCounts(**values | lines | {"first": first}))
    return splits


def placed(spark: SparkSession, scratch: DataFrame, splits: Sequence[FileSplit]) -> DataFrame:
    """Add drop and record number to single lines of scratch, without header lines and trailers."""
    schema = "file string, block long, drop string, attempt int, name string, shift long, last long"
    rows = [(s.file, s.block, s.drop.id, s.drop.attempt, s.drop.name, s.shift, s.last) for s in splits]
    by_split = small_frames.small(spark, rows, schema)
    record = (sf.col("at") + sf.col("shift")).alias("record")
    numbered = scratch.join(sf.broadcast(by_split), ["file", "block"]).select("*", record)
    return numbered.where("record between 1 and last")


def is_open() -> Column:
    """Return a column that is true if a line of scratch is still to be judged."""
    return sf.col("m0").isNull() & sf.col("at").isNotNull()


def is_blank() -> Column:
    """Return a column that is true if a group of scratch is that of empty lines, which have no id."""
    return sf.col("m0").isNull() & sf.col("at").isNull()


def count_by_file(
    records: DataFrame | None, plan: Plan, mask_counts: Iterable[MaskCount] = ()
) -> tuple[dict[str, Tally], dict[str, int]]:
    """Count the records of each file by their checks and add up their sums; count the lines that have no mask yet.

    If both `mask_counts` and `records` have some that fail the same checks, these are added once.
    """
    by_mask: dict[tuple[str, int], list[int]] = {}
    for split_file, mask, n, addends in mask_counts:
        file = owner(plan, split_file)
        by_mask[file, mask] = _added(by_mask.get((file, mask)), [n, *addends])
    layout = _Layout.of(plan)
    accumulators: dict[str, CountAccumulator] = defaultdict(lambda: CountAccumulator(layout))
    unjudged: dict[str, int] = {}
    masks = bitmask.mask_columns(plan)
    rows: Iterable[Sequence[Any]] = ()
    if records is not None:
        if plan.archive:
            records = records.withColumn("file", sf.regexp_replace("file", "/[^/]*$", ""))
        grouped = records.groupBy("file", *masks).agg(sf.sum("n").alias("n"), *sums.merged(plan))
        rows = grouped.toLocalIterator(prefetchPartitions=True)
    with localcontext(prec=DIGITS):
        for file, *row in rows:
            if row[0] is None:
                unjudged[file] = row[len(masks)]
                continue
            mask = bitmask.joined(row[: len(masks)])
            n, *addends = _added(by_mask.pop((file, mask), None), row[len(masks) :])
            accumulators[file].add(mask, n, addends)
    for (file, mask), (n, *addends) in by_mask.items():
        accumulators[file].add(mask, n, addends)
    return {file: accumulator.tally() for file, accumulator in accumulators.items()}, unjudged


def _added(counts: list[int] | None, more: list[Any]) -> list[Any]:
    """Add two lists of plain counts; None is nothing."""
    return more if counts is None else [a + b for a, b in zip(counts, more, strict=True)]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The same for all files of a plan: the number of row checks, masks of checks, and the columns of the sums.

    `merges` are the functions that merge two sums of a column, `of_valid` the places of sums of valid records only.
    """

    checks: int
    record_mask: int
    error_mask: int
    columns: Sequence[sums.SumColumn]
    merges: Sequence[aggregates.Merge]
    of_valid: Collection[int]

    @classmethod
    def of(cls, plan: Plan) -> _Layout:
        checks = plan.row_checks()
        return cls(
            len(checks),
            sum(1 << n for n, _ in bitmask.record_checks(plan)),
            sum(1 << n for n, check in enumerate(checks) if check.severity == "error"),
            sums.columns(plan),
            sums.merges(plan),
            sums.of_valid(plan),
        )


class CountAccumulator:
    """Counts of one file while its rows are added up: of all records, and of those that fail each check."""

    def __init__(self, layout: _Layout) -> None:
        self._layout = layout
        self._frequent: list[tuple[int, int]] = []
        self._overflow = False
        self._failed = [0] * layout.checks
        self._sums: list[Any] = [None] * len(layout.columns)
        self._total = self._malformed = self._rejected = self._failing = 0

    def add(self, mask: int, n: int, addends: Sequence[Any]) -> None:
        """Count n records that fail the checks of a mask."""
        self._total += n
        self._malformed += n if mask & self._layout.record_mask else 0
        if mask & self._layout.error_mask:
            self._rejected += n
            if self._layout.of_valid:
                addends = [None if at in self._layout.of_valid else addend for at, addend in enumerate(addends)]
        self._sums = [
            addend if total is None else total if addend is None else merge(total, addend)  # None is nothing
            for merge, total, addend in zip(self._layout.merges, self._sums, addends, strict=True)
        ]
        if not mask:
            return
        self._failing += n
        self._frequent.append((-n, mask))
        if len(self._frequent) > 2 * HISTOGRAM:
            self._cut()
        while mask:
            lowest = mask & -mask
            self._failed[lowest.bit_length() - 1] += n
            mask ^= lowest

    def _cut(self) -> None:
        self._overflow |= len(self._frequent) > HISTOGRAM
        self._frequent = sorted(self._frequent)[:HISTOGRAM]

    def tally(self) -> Tally:
        """Return the counts."""
        self._cut()
        return Tally(
            total=self._total,
            sound=self._total - self._malformed,
            valid=self._total - self._rejected,
            failing=self._failing,
            failed=tuple(self._failed),
            sums=sums.of_totals(self._layout.columns, self._sums),
            masks=tuple((f"{mask:x}", -minus) for minus, mask in self._frequent),
            overflow=self._overflow,
        )
