"""Lines of scratch and judged records in; record numbers, counts by drop and the histogram of failing checks out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs import bits, frames, rules

HISTOGRAM = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """A split of a file: whose it is, and what turns an id within it into a record number (the header is record 0)."""

    file: str
    block: int
    drop: str
    shift: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted in one drop: records, sound ones, valid ones; failing rows by bit, sums by name."""

    total: int = 0
    sound: int = 0
    valid: int = 0
    failing: int = 0
    failed: tuple[int, ...] = ()
    sums: dict[str, int] = field(default_factory=dict)


def heads(scratch: DataFrame, header_texts: Sequence[str]) -> DataFrame:
    """For each split: its lines, the open ones, its first id, and its first line that reads like a header."""
    head = sf.when(sf.col("raw").isin(*header_texts), sf.struct("at", "raw"))
    unsure = sf.count_if(is_open()).alias("open")
    return scratch.groupBy("file", "block").agg(
        sf.sum("n").alias("n"), unsure, sf.min("first").alias("first"), sf.min(head).alias("head")
    )


def placed(spark: SparkSession, scratch: DataFrame, places: Sequence[Place]) -> DataFrame:
    """Scratch with drop and record number (null for groups), without header lines."""
    schema = "file string, block long, drop string, shift long"
    known = frames.small(spark, [(p.file, p.block, p.drop, p.shift) for p in places], schema)
    record = (sf.col("at") + sf.col("shift")).alias("record")
    numbered = scratch.join(sf.broadcast(known), ["file", "block"]).select("*", record)
    return numbered.where(sf.col("record").isNull() | (sf.col("record") > 0))


def is_open() -> Column:
    """Whether a line of scratch is still to be judged."""
    return sf.col("m0").isNull()


def tally(records: DataFrame, plan: Plan) -> dict[str, Tally]:
    """Count every row check and every sum, by drop.

    The many records are first made few, by what they fail; each of these then counts for all that is said of it.
    """
    sums = ["n", *rules.summed_names(plan)]
    few = records.groupBy("drop", *bits.words(plan)).agg(*(sf.sum(name).alias(name) for name in sums))
    checks = list(enumerate(plan.row_checks()))
    said = {str(k): bits.fails_any([(k, c)]) for k, c in checks} | {
        "total": sf.lit(True),
        "sound": ~bits.is_malformed(plan),
        "valid": ~bits.is_rejected(plan),
        "failing": bits.fails_any(checks),
    }
    each = few.select("drop", *sums, sf.explode(bits.named(said)).alias("what"))
    counted: dict[str, dict[str, Row]] = {}
    for row in each.groupBy("drop", "what").agg(*(sf.sum(name).alias(name) for name in sums)).collect():
        counted.setdefault(row["drop"], {})[row["what"]] = row
    return {drop: _tally(rows, len(checks), sums[1:]) for drop, rows in counted.items()}


def histogram(records: DataFrame, plan: Plan) -> dict[str, tuple[tuple[tuple[str, int], ...], bool]]:
    """The most frequent masks of failing checks by drop, and whether rarer ones are left out."""
    names = bits.words(plan)
    failing = records.where(bits.fails_any(list(enumerate(plan.row_checks()))))
    grouped = failing.groupBy("drop", *names).agg(sf.sum("n").alias("n"))
    place = sf.expr(f"row_number() over (partition by drop order by n desc, {', '.join(names)})")
    top = grouped.select("*", place.alias("place")).where(sf.col("place") <= HISTOGRAM + 1).orderBy("drop", "place")
    found: dict[str, list[tuple[str, int]]] = {}
    for row in top.collect():
        mask = sum(row[word] << n * bits.WORD for n, word in enumerate(names))
        found.setdefault(row["drop"], []).append((f"{mask:x}", row["n"]))
    return {drop: (tuple(masks[:HISTOGRAM]), len(masks) > HISTOGRAM) for drop, masks in found.items()}


def _tally(rows: Mapping[str, Row], checks: int, sums: Sequence[str]) -> Tally:
    n = {what: row["n"] for what, row in rows.items()}
    total, sound, valid, failing = (n.get(what, 0) for what in ("total", "sound", "valid", "failing"))
    failed = tuple(n.get(str(k), 0) for k in range(checks))
    return Tally(total, sound, valid, failing, failed, {name: rows["total"][name] for name in sums})
