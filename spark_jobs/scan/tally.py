"""Lines of scratch and judged records in; record numbers, counts by drop and the histogram of failing checks out.

Records are made few by Spark: by file, one for each set of checks that records of it fail. What these add up to is
worked out here, one after the other, so that a drop takes little more memory than what is said of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import localcontext
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from contracts.terms.trailer import LONGEST_LINE
from spark_jobs.rules import aggregates, bitmask, row_checks
from spark_jobs.rules.lines import NONE, Line, Place, Split, Told
from spark_jobs.spark import small_frames

HISTOGRAM = 1_000
LONGEST_RAW = 3 * LONGEST_LINE
"""Characters of a trailer's raw text, which may have its cells and its line as JSON; it is cut where it has more."""
DIGITS = 100
"""More than any sum of decimals has."""
Masks = tuple[tuple[tuple[str, int], ...], bool]
"""How many rows fail exactly which checks, as bits in hex, the most frequent first; whether rarer ones are left out."""
PLACED = ("file", "drop", "attempt", "name", "record", "raw")
"""What `placed` says of a line."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one drop: records, sound ones, valid ones; failing rows by bit, sums by name."""

    total: int = 0
    sound: int = 0
    valid: int = 0
    failing: int = 0
    failed: tuple[int, ...] = ()
    sums: dict[str, Any] = field(default_factory=dict)


def splits(scratch: DataFrame, header_texts: Sequence[str], ends: Column | None) -> list[Split]:
    """Return the facts of each split; `ends` is true if a raw text begins like a trailer, if files have any."""
    head = sf.when(sf.col("raw").isin(*header_texts), sf.struct("at", "raw"))
    blank = sf.sum(sf.when(is_blank(), sf.col("n")).otherwise(0)).alias("blank")
    found = [sf.sum("n").alias("n"), blank, sf.min("first").alias("first"), sf.min(head).alias("head")]
    if ends is not None:
        line = sf.struct("at", sf.left("raw", sf.lit(LONGEST_RAW)).cast("binary").alias("raw"))
        last = sf.when(ends & ~sf.col("raw").isin(*header_texts), line)
        found += [sf.min(last["at"]).alias("early"), sf.max(last).alias("last")]
    return [_split(row.asDict()) for row in scratch.groupBy("file", "block").agg(*found).collect()]


def _split(found: dict[str, Any]) -> Split:
    lines = {name: found[name] and Line(*found[name]) for name in ("head", "last") if name in found}
    return Split(**found | lines | {"first": NONE if found["first"] is None else found["first"]})


def placed(spark: SparkSession, scratch: DataFrame, places: Sequence[Place]) -> DataFrame:
    """Single lines of scratch with drop and record number, without header lines and trailers."""
    schema = "file string, block long, drop string, attempt int, name string, shift long, last long"
    rows = [(p.file, p.block, p.drop.id, p.drop.attempt, p.drop.name, p.shift, p.last) for p in places]
    known = small_frames.small(spark, rows, schema)
    record = (sf.col("at") + sf.col("shift")).alias("record")
    numbered = scratch.join(sf.broadcast(known), ["file", "block"]).select("*", record)
    return numbered.where("record between 1 and last")


def is_open() -> Column:
    """Return a column that is true if a line of scratch is still to be judged."""
    return sf.col("m0").isNull() & sf.col("at").isNotNull()


def is_blank() -> Column:
    """Return a column that is true if a group of scratch is that of empty lines, which have no id."""
    return sf.col("m0").isNull() & sf.col("at").isNull()


def told(records: DataFrame | None, plan: Plan, known: Iterable[Told] = ()) -> tuple[dict[str, Teller], dict[str, int]]:
    """By file the counts of every row check and every sum, and how many records have no words yet.

    Both `known` and records may tell of what fails the same checks: a `Teller` is told of it once.
    """
    apart: dict[tuple[str, int], list[int]] = {}
    for file, mask, n, sums in known:
        apart[file, mask] = _added(apart.get((file, mask)), [n, *sums])
    tellers: dict[str, Teller] = defaultdict(lambda: Teller(plan))
    opened: dict[str, int] = {}
    words = bitmask.words(plan)
    with localcontext(prec=DIGITS):
        for file, *rest in _few(records, plan):
            if rest[0] is None:
                opened[file] = rest[len(words)]
                continue
            mask = bitmask.mask(rest[: len(words)])
            n, *sums = _added(apart.pop((file, mask), None), rest[len(words) :])
            tellers[file].add(mask, n, sums)
    for (file, mask), (n, *sums) in apart.items():
        tellers[file].add(mask, n, sums)
    return dict(tellers), opened


def _few(records: DataFrame | None, plan: Plan) -> Iterable[Sequence[Any]]:
    """By file how many records fail the same checks, and their sums."""
    if records is None:
        return ()
    few = records.groupBy("file", *bitmask.words(plan)).agg(sf.sum("n").alias("n"), *row_checks.merged(plan))
    return few.toLocalIterator(prefetchPartitions=True)


def _added(counts: list[int] | None, more: list[Any]) -> list[Any]:
    """Counts with others added, where there are any: then all are plain counts."""
    return more if counts is None else [one + other for one, other in zip(counts, more, strict=True)]


def tally(
    tellers: Mapping[str, Teller], owners: Mapping[str, str], plan: Plan
) -> tuple[dict[str, Tally], dict[str, Masks]]:
    """The same by drop, and the most frequent masks of failing checks; `owners` are the drops by file."""
    sums = row_checks.summed_names(plan)
    own = {owners[file]: teller for file, teller in tellers.items() if file in owners}
    tallies = {drop: teller.tally(sums) for drop, teller in own.items()}
    return tallies, {drop: teller.masks() for drop, teller in own.items() if teller.failing}


class Teller:
    """Counts of one file: of all its records, and of those that fail each check."""

    def __init__(self, plan: Plan) -> None:
        checks = list(enumerate(plan.row_checks()))
        self._record = sum(1 << n for n, _ in bitmask.record_checks(plan))
        self._strict = sum(1 << n for n, c in checks if c.severity == "error")
        self._how = row_checks.merging(plan)
        self._of_valid = row_checks.of_valid(plan)
        self._frequent: list[tuple[int, int]] = []
        self._overflow = False
        self._failed = [0] * len(checks)
        self._sums: list[Any] = [None] * len(self._how)
        self._total = self._malformed = self._rejected = self.failing = 0

    def add(self, mask: int, n: int, sums: Sequence[Any]) -> None:
        """Count n records that fail the checks of a mask."""
        self._total += n
        self._malformed += n if mask & self._record else 0
        if mask & self._strict:
            self._rejected += n
            sums = [None if at in self._of_valid else one for at, one in enumerate(sums)] if self._of_valid else sums
        self._sums = [_both(*three) for three in zip(self._how, self._sums, sums, strict=True)]
        if not mask:
            return
        self.failing += n
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

    def tally(self, names: Sequence[str]) -> Tally:
        """Return the counts."""
        sound, valid = self._total - self._malformed, self._total - self._rejected
        sums = dict(zip(names, self._sums, strict=True))
        return Tally(self._total, sound, valid, self.failing, tuple(self._failed), sums)

    def masks(self) -> Masks:
        """The most frequent masks."""
        self._cut()
        return tuple((f"{mask:x}", -minus) for minus, mask in self._frequent), self._overflow


def _both(how: aggregates.Merge, one: Any, other: Any) -> Any:
    """Two sums as one; None is nothing."""
    return other if one is None else one if other is None else how(one, other)
