"""Lines of scratch and judged records in; record numbers, counts by drop and the histogram of failing checks out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs import bits, frames, rules

HISTOGRAM = 1_000
TOTAL, OF_IT = "total", "of_it_"
Masks = tuple[tuple[tuple[str, int], ...], bool]
"""How many rows fail exactly which checks, as bits in hex, the most frequent first; whether rarer ones are left out."""


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
    sums: dict[str, Any] = field(default_factory=dict)


def heads(scratch: DataFrame, header_texts: Sequence[str]) -> DataFrame:
    """For each split: its lines, single and open ones among them, its first id, its first line like a header."""
    head = sf.when(sf.col("raw").isin(*header_texts), sf.struct("at", "raw"))
    single, unsure = sf.count("at").alias("single"), sf.count_if(is_open()).alias("open")
    return scratch.groupBy("file", "block").agg(
        *(sf.sum("n").alias("n"), single, unsure), sf.min("first").alias("first"), sf.min(head).alias("head")
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


def tally(spark: SparkSession, records: DataFrame, plan: Plan) -> tuple[dict[str, Tally], dict[str, Masks]]:
    """Count every row check and every sum, by drop, and the most frequent masks of failing checks.

    The many records are first made few, by what they fail; each of these then counts for all that is said of it. What
    may be said is a small frame, not code: an expression for each check took longer to plan than to run.
    """
    words, sums = bits.words(plan), ["n", *rules.summed_names(plan)]
    merged = [sf.sum("n"), *rules.merged(plan)]
    few = records.groupBy("drop", *words).agg(*merged).toDF("drop", *words, *sums)
    of_it = " or ".join([*(f"({word} & {OF_IT}{word}) != 0" for word in words), f"what = '{TOTAL}'"])
    matched = few.join(sf.broadcast(_said(spark, plan, words)), sf.expr(of_it))
    counts = matched.groupBy("drop", "what").agg(*merged).toDF("drop", "what", *sums)
    frequent = sf.expr(f"row_number() over (partition by drop order by n desc, {', '.join(words)})")
    failing = reduce(Column.__or__, (sf.col(word) != 0 for word in words))
    masks = few.where(failing).select("*", frequent.alias("place")).where(sf.col("place") <= HISTOGRAM + 1)
    counted: dict[str, dict[str, Row]] = {}
    masked: dict[str, list[tuple[int, int]]] = {}
    for row in counts.unionByName(masks.select("drop", *words, "n"), allowMissingColumns=True).collect():
        if row["what"] is None:
            mask = sum(row[word] << n * bits.WORD for n, word in enumerate(words))
            masked.setdefault(row["drop"], []).append((-row["n"], mask))
        else:
            counted.setdefault(row["drop"], {})[row["what"]] = row
    tallies = {drop: _tally(rows, len(plan.row_checks()), sums[1:]) for drop, rows in counted.items()}
    return tallies, {drop: _masks(sorted(found)) for drop, found in masked.items()}


def _said(spark: SparkSession, plan: Plan, words: Sequence[str]) -> DataFrame:
    """What may be said of a record, and the bits of which one says it: what, words named `OF_IT`."""
    checks = list(enumerate(plan.row_checks()))
    strict = [(n, c) for n, c in checks if c.severity == "error"]
    groups = {TOTAL: [], "malformed": bits.record_checks(plan), "rejected": strict, "failing": checks}
    groups |= {str(n): [(n, c)] for n, c in checks}
    rows = [(what, *(bits.of(those).get(word, 0) for word in words)) for what, those in groups.items()]
    return frames.small(spark, rows, f"what string, {', '.join(f'{OF_IT}{word} long' for word in words)}")


def _tally(rows: Mapping[str, Row], checks: int, sums: Sequence[str]) -> Tally:
    n = {what: row["n"] for what, row in rows.items()}
    total, malformed, rejected, failing = (n.get(what, 0) for what in (TOTAL, "malformed", "rejected", "failing"))
    failed = tuple(n.get(str(k), 0) for k in range(checks))
    return Tally(
        total, total - malformed, total - rejected, failing, failed, {name: rows[TOTAL][name] for name in sums}
    )


def _masks(found: Sequence[tuple[int, int]]) -> Masks:
    return tuple((f"{mask:x}", -minus) for minus, mask in found[:HISTOGRAM]), len(found) > HISTOGRAM
