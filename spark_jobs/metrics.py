"""Lines of scratch and judged records in; record numbers, counts by drop and the histogram of failing checks out.

Records are made few by Spark: by file, one for each set of checks that records of it fail. What these add up to is
worked out here, one after the other, so that no drop takes memory for more than what is said of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import localcontext
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.job import JobDrop
from contracts.plan import Plan
from spark_jobs import bits, figures, frames, rules

HISTOGRAM = 1_000
DIGITS = 100
"""More than any sum of decimals has."""
Masks = tuple[tuple[tuple[str, int], ...], bool]
"""How many rows fail exactly which checks, as bits in hex, the most frequent first; whether rarer ones are left out."""


PLACED = ("file", "drop", "attempt", "name", "record", "raw")
"""What `placed` says of a line."""


@dataclass(slots=True)
class Split:
    """A split of a file as it was scanned: all its lines, the empty ones, those that stand alone, those to be judged.

    `first` is the first id, `head` the id and text of the first line like a header.
    """

    block: int
    lines: int = 0
    blank: int = 0
    single: int = 0
    open: int = 0
    first: int | None = None
    head: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A split of a file: whose it is, and what turns an id within it into a record number (the header is record 0)."""

    file: str
    block: int
    drop: JobDrop
    shift: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted in one drop: records, sound ones, valid ones; failing rows by bit, sums by name."""

    total: int = 0
    sound: int = 0
    valid: int = 0
    failing: int = 0
    failed: tuple[int, ...] = ()
    sums: dict[str, Any] = field(default_factory=dict)


def counted(scratch: DataFrame, header_texts: Sequence[str], plan: Plan) -> tuple[dict[str, list[Split]], Counts]:
    """The splits of each file, in their order, and the records that are judged, from one look at scratch.

    Lines without words are empty, or still to be judged, which stand alone: a header line is one of them.
    """
    words = bits.words(plan)
    head = sf.when(sf.col("raw").isin(*header_texts), sf.struct("at", "raw"))
    known = sf.count("at").alias("single"), sf.min("first").alias("first"), sf.min(head).alias("head")
    groups = scratch.groupBy("file", "block", *words).agg(sf.sum("n").alias("n"), *known, *rules.merged(plan))
    found: dict[str, dict[int, Split]] = {}
    counts = Counts(plan)
    for file, block, *rest in groups.toLocalIterator(prefetchPartitions=True):
        mask, (n, single, first, title, *sums) = rest[: len(words)], rest[len(words) :]
        split = found.setdefault(file, {}).setdefault(block, Split(block))
        split.lines += n
        split.single += single
        split.first = _both(min, split.first, first)
        split.head = _both(min, split.head, title and tuple(title))
        if mask[0] is None:
            split.open += single
            split.blank += n - single
        else:
            counts.add(file, mask, n, sums)
    return {file: [own[block] for block in sorted(own)] for file, own in found.items()}, counts


def placed(spark: SparkSession, scratch: DataFrame, places: Sequence[Place]) -> DataFrame:
    """Single lines of scratch with drop and record number, without header lines."""
    schema = "file string, block long, drop string, attempt int, name string, shift long"
    rows = [(p.file, p.block, p.drop.id, p.drop.attempt, p.drop.name, p.shift) for p in places]
    known = frames.small(spark, rows, schema)
    record = (sf.col("at") + sf.col("shift")).alias("record")
    numbered = scratch.join(sf.broadcast(known), ["file", "block"]).select("*", record)
    return numbered.where(sf.col("record") > 0)


def is_open() -> Column:
    """Whether a line of scratch is still to be judged."""
    return sf.col("m0").isNull() & sf.col("at").isNotNull()


class Counts:
    """Every row check and every sum of the records of some files, group by group."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._tellers: dict[str, _Teller] = {}

    def add(self, file: str, words: Sequence[int], n: int, sums: Sequence[Any]) -> None:
        """Count n records of a file that fail the same checks."""
        teller = self._tellers.get(file) or self._tellers.setdefault(file, _Teller(self._plan))
        teller.add(sum(word << at * bits.WORD for at, word in enumerate(words)), n, sums)

    def add_all(self, records: DataFrame) -> None:
        """Count records: file, words, n, sums."""
        words = bits.words(self._plan)
        few = records.groupBy("file", *words).agg(sf.sum("n").alias("n"), *rules.merged(self._plan))
        for file, *rest in few.toLocalIterator(prefetchPartitions=True):
            self.add(file, rest[: len(words)], rest[len(words)], rest[len(words) + 1 :])

    def tallies(self, owners: Mapping[str, str]) -> tuple[dict[str, Tally], dict[str, Masks]]:
        """What was counted, by drop, and the most frequent masks of failing checks; other files are nobody's."""
        names = rules.summed_names(self._plan)
        own = {owners[file]: teller for file, teller in self._tellers.items() if file in owners}
        tallies = {drop: teller.tally(names) for drop, teller in own.items()}
        return tallies, {drop: teller.masks() for drop, teller in own.items() if teller.failing}


class _Teller:
    """Counts of one file: of all its records, and of those that fail each check."""

    def __init__(self, plan: Plan) -> None:
        checks = list(enumerate(plan.row_checks()))
        self._record = sum(1 << n for n, _ in bits.record_checks(plan))
        self._strict = sum(1 << n for n, c in checks if c.severity == "error")
        self._how = rules.merging(plan)
        self._frequent: list[tuple[int, int]] = []
        self._overflow = False
        self._failed = [0] * len(checks)
        self._sums: list[Any] = [None] * len(self._how)
        self._total = self._malformed = self._rejected = self.failing = 0

    def add(self, mask: int, n: int, sums: Sequence[Any]) -> None:
        """Count n records that fail the checks of a mask."""
        self._total += n
        self._malformed += n if mask & self._record else 0
        self._rejected += n if mask & self._strict else 0
        with localcontext(prec=DIGITS):
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
        """What was counted."""
        sound, valid = self._total - self._malformed, self._total - self._rejected
        sums = dict(zip(names, self._sums, strict=True))
        return Tally(self._total, sound, valid, self.failing, tuple(self._failed), sums)

    def masks(self) -> Masks:
        """The most frequent masks."""
        self._cut()
        return tuple((f"{mask:x}", -minus) for minus, mask in self._frequent), self._overflow


def _both(how: figures.Merge, one: Any, other: Any) -> Any:
    """Two sums as one; None is nothing."""
    return other if one is None else one if other is None else how(one, other)
