"""Records of a batch with their numbers: those with a row of their own in scratch, and all of a group, read again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs.counting import bitmask
from spark_jobs.formats import registry
from spark_jobs.scan import tally
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.scan.second_pass import JudgedBatch
from spark_jobs.scan.tally import PLACED
from spark_jobs.spark import small_frames


def numbered_records(
    spark: SparkSession, plan: Plan, group: ScannedGroup, names: Sequence[str], drops: Sequence[str], *, malformed: bool
) -> DataFrame:
    """Read drop (its place in `drops`), record number, and text t<n> and value v<n> of the n-th of some properties.

    `malformed` means that there are malformed records to leave out.
    """
    # Ids of records over several lines begin anew in each file, so that their numbers alone set lines aside
    aside = () if plan.csv.multi_line else group.aside
    records = registry.of(plan).records(group.source, plan, group.header, names, aside, malformed)
    schema = "file string, block long, drop int, shift long, last long"
    rows = [(split.file, split.block, drops.index(split.drop.id), split.shift, split.last) for split in group.splits]
    by_split = small_frames.small(spark, rows, schema)
    record = (sf.col("id") + sf.col("shift")).alias("record")
    columns = [name for name in records.columns if name not in ("file", "block", "id")]
    numbered = records.join(sf.broadcast(by_split), ["file", "block"])
    numbered = numbered.where("id + shift between 1 and last") if plan.csv.multi_line else numbered
    return numbered.select("drop", record, *columns)


def single_records(
    spark: SparkSession, judged: JudgedBatch, plan: Plan, failing: bitmask.Numbered, aside: Sequence[ScannedGroup] = ()
) -> DataFrame:
    """Return the records with a row of their own, as placed; all that fail are among them.

    They have the mask columns of the checks that any record fails. Lines of the groups `aside` that surely fail are
    left out.
    """
    scanned, failed = judged.scanned, bitmask.by_column(failing)
    masks = {column: n for n, column in enumerate(bitmask.mask_columns(plan)) if failed.get(column)}
    widened = [sf.expr(scanned.narrowing.mask(column)).alias(column) for column in masks]
    columns = [*PLACED, *masks]
    splits = [split for group in scanned.groups for split in group.splits]
    own = [g.prefiltered for g in scanned.groups if g.prefiltered and not any(g is other for other in aside)]
    parts = [result.failing(masks) for result in own if result.fails]
    if scanned.scratch is not None:
        is_judged = sf.col("m0").isNotNull() & sf.col("at").isNotNull()
        parts.append(scanned.scratch.where(is_judged).select("file", "block", "at", "raw", *widened))
    first = tally.placed(spark, reduce(DataFrame.unionByName, parts), splits).select(*columns)
    return first if judged.opened is None else first.unionByName(judged.opened.select(*PLACED, *widened))
