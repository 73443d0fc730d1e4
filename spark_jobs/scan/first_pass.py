"""The one look at every record: records in, scratch out, in which those that pass collapse and all others stay.

What a format cannot judge at first sight is kept with its raw text and no words, for `judging` to look at closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.files.header import positions
from contracts.plan import Plan
from spark_jobs.formats import csv_lines, registry
from spark_jobs.rules import bitmask, row_checks
from spark_jobs.scan import references


def scan(
    source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], known: references.Known
) -> DataFrame:
    """Group the records of files with one header: file, block, `at` and `raw` of single ones, words, n, first id, sums.

    The words of a record that needs a closer look are null. Empty lines are a group without `at`, words and sense.
    """
    at = positions(header)
    single, group = _told(registry.of(plan).looked(source, plan, header, header_texts), plan, header, known)
    counted = (sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"))
    return row_checks.with_decimals(single, plan, at).groupBy(*group).agg(*counted, *row_checks.sums(plan, at))


def scan_odd(
    lines: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], known: references.Known
) -> DataFrame:
    """The same of the lines that were sifted out, none of them empty: they are so few that each is its own group."""
    single, group = _told(csv_lines.looked(lines, plan, header, header_texts), plan, header, known)
    counted = (sf.lit(1).cast("long").alias("n"), sf.col("id").alias("first"))
    return single.select(*group, *counted, *row_checks.sums_of_each(plan, positions(header)))


def _told(
    found: tuple[DataFrame, Column], plan: Plan, header: tuple[str, ...], known: references.Known
) -> tuple[DataFrame, list[Column]]:
    """Records with what checks say of them, and what they are grouped by."""
    (looked, raw), at, words = found, positions(header), bitmask.words(plan)
    looked = row_checks.with_tests(references.joined(looked, plan, at, known), plan, at)
    failing = row_checks.failing_of(plan, plan.row_checks(), at)
    flagged = looked.select("*", *bitmask.flags(failing))
    judged = "if(odd or id is null, null, {})"
    worded = flagged.select(
        "*", *(sf.expr(judged.format(bitmask.word(failing, k))).alias(w) for k, w in enumerate(words))
    )
    fails = [sf.col(word) != 0 for word in words]
    single = worded.select(
        "*", (reduce(Column.__or__, fails, sf.col("odd")) & sf.col("id").isNotNull()).alias("single")
    )
    alone = [sf.when(sf.col("single"), of).alias(name) for name, of in (("at", sf.col("id")), ("raw", raw))]
    return single, [*map(sf.col, ("file", "block")), *alone, *map(sf.col, words)]
