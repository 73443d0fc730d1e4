"""The one pass over all records: records in, scratch out, in which those that pass collapse and all others stay.

A record that a format cannot judge at first sight is kept with its raw text and without a mask, for `second_pass`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.files.columns import positions
from contracts.plan import Plan
from spark_jobs.counting import bitmask
from spark_jobs.formats import registry
from spark_jobs.rules import mask_tests, row_checks, summing
from spark_jobs.scan import references


def scan(
    source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], keys: references.References
) -> DataFrame:
    """Group the records of files with one header: file, block, `at` and `raw` of single ones, masks, n, first id, sums.

    The masks of a record that needs a closer look are null. Empty lines are a group without `at` and masks.
    """
    at = _read_at_sight(plan, header)
    records, raw = registry.of(plan).first_pass(source, plan, header, header_texts)
    judged, group = _judged(records, raw, plan, header, keys)
    counts = (sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"))
    return summing.with_decimals(judged, plan, at).groupBy(*group).agg(*counts, *summing.sums(plan, at))


def scan_odd(
    lines: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], keys: references.References
) -> DataFrame:
    """Do the same with the lines that a prefilter leaves, none of them empty: so few that each is its own group."""
    records, raw = registry.of(plan).first_pass(lines, plan, header, header_texts)
    judged, group = _judged(records, raw, plan, header, keys)
    counts = (sf.lit(1).cast("long").alias("n"), sf.col("id").alias("first"))
    return judged.select(*group, *counts, *summing.sums_of_each(plan, _read_at_sight(plan, header)))


def _read_at_sight(plan: Plan, header: tuple[str, ...]) -> dict[str, int]:
    """Return the places of the columns that the first pass reads: of a wide file none, as all its records are open.

    Expressions of thousands of cells that are null anyway took half the time of planning.
    """
    return positions(header) if registry.of(plan).may_be_plain(plan, header) else {}


def _judged(
    records: DataFrame, raw: Column, plan: Plan, header: tuple[str, ...], keys: references.References
) -> tuple[DataFrame, list[Column]]:
    """Hold plain records against the row checks; return them, and the columns that they are grouped by."""
    at, columns = _read_at_sight(plan, header), bitmask.mask_columns(plan)
    tested = row_checks.with_tests(references.joined(records, plan, at, keys), plan, at)
    failing = row_checks.failing_of(plan, plan.row_checks(), at)
    flagged = tested.select("*", *mask_tests.flags(failing))
    if_plain = "if(odd or id is null, null, {})"
    masked = flagged.select(
        "*", *(sf.expr(if_plain.format(mask_tests.mask(failing, k))).alias(column) for k, column in enumerate(columns))
    )
    fails = [sf.col(column) != 0 for column in columns]
    judged = masked.select(
        "*", (reduce(Column.__or__, fails, sf.col("odd")) & sf.col("id").isNotNull()).alias("single")
    )
    own = [sf.when(sf.col("single"), value).alias(name) for name, value in (("at", sf.col("id")), ("raw", raw))]
    return judged, [*map(sf.col, ("file", "block")), *own, *map(sf.col, columns)]
