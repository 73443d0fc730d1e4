"""Step 4, the second pass: open lines in, the exact failing checks of each and the counts of all records out.

The failing row checks of a record are a bitmask, in the order of `Plan.row_checks`. A malformed record is held against
its record checks only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.files import mojibake
from contracts.files.columns import positions
from contracts.job import JobRequest
from contracts.plan import Plan
from spark_jobs.counting import bitmask, sums
from spark_jobs.counting.tally import Tally
from spark_jobs.formats import registry
from spark_jobs.rules import mask_tests, row_checks, summing
from spark_jobs.scan import references, tally
from spark_jobs.scan.scanning import ScannedBatch, counted_columns, judged_and_open, written
from spark_jobs.scan.tally import PLACED


@dataclass(frozen=True, slots=True)
class JudgedBatch:
    """A scanned batch, its open lines judged (None if there were none), and the counts of all records by file."""

    scanned: ScannedBatch
    opened: DataFrame | None
    counts: dict[str, Tally]


def judge(spark: SparkSession, request: JobRequest, scanned: ScannedBatch) -> JudgedBatch:
    """Judge the open lines, once, into scratch: as `placed`, with n, mask columns and sums."""
    plan = scanned.narrowing.plan
    columns = [*PLACED, "n", *bitmask.mask_columns(plan), *sums.names(plan)]
    groups = [group for group in scanned.groups if group.unjudged > 0]
    if scanned.scratch is None or not groups:
        return JudgedBatch(scanned, None, scanned.counts)
    is_open = scanned.scratch.where(tally.is_open())
    parts = [
        judge_lines(tally.placed(spark, is_open, group.splits), plan, group.header, scanned.references)
        for group in groups
    ]
    rows = reduce(DataFrame.unionByName, (part.select(*columns) for part in parts))
    opened = written(spark, rows, request, "judged")
    # Open lines may fail the same checks as others: all are counted together.
    records = judged_and_open(scanned.scratch, plan).unionByName(opened.select(*counted_columns(plan)))
    return JudgedBatch(scanned, opened, tally.count_by_file(records, scanned.narrowing, scanned.mask_counts())[0])


def judge_lines(singles: DataFrame, plan: Plan, header: tuple[str, ...], keys: references.References) -> DataFrame:
    """Judge single records, as placed: add n, mask columns and sums."""
    at = positions(header)
    values, record_tests = registry.of(plan).second_pass(singles.select(*PLACED), plan, header)
    values = row_checks.with_tests(references.joined(values, plan, at, keys), plan, at)
    values = values.withColumn("line", sf.col("raw")) if mojibake.is_watched(plan.csv) else values
    checks = plan.row_checks()
    rows = row_checks.failing_of(plan, checks, at)
    failing = [
        row if (test := record_tests.get(type(c.rule))) is None else test for c, row in zip(checks, rows, strict=True)
    ]
    columns = bitmask.mask_columns(plan)
    all_masks = [sf.expr(mask_tests.mask(failing, n)).alias(column) for n, column in enumerate(columns)]
    judged = summing.with_decimals(values, plan, at).select("*", *mask_tests.flags(failing)).select("*", *all_masks)
    strict = bitmask.record_checks(plan)
    malformed, kept = mask_tests.fails_any(strict), bitmask.by_column(strict)
    masks = [
        sf.when(malformed, sf.col(column).bitwiseAND(kept.get(column, 0))).otherwise(sf.col(column)).alias(column)
        for column in columns
    ]
    tests, addends = summing.one_record(plan, at), summing.addends_of_one(plan, at)
    counts = [sf.when(~malformed & test, 1).otherwise(0).cast("long").alias(name) for name, test in tests.items()]
    figures = [sf.when(~malformed, sf.expr(sql)).alias(name) for name, sql in addends.items()]
    return judged.select(*PLACED, sf.lit(1).cast("long").alias("n"), *masks, *counts, *figures)
