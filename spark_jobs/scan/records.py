"""The records of a scanned group read again: some of their properties, with drop and record number."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs.formats import registry
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.spark import small_frames


def numbered_records(
    spark: SparkSession, plan: Plan, group: ScannedGroup, names: Sequence[str], drops: Sequence[str], *, malformed: bool
) -> DataFrame:
    """Read drop (its place in `drops`), record number, and text t<n> and value v<n> of the n-th of some properties.

    `malformed` means that there are malformed records to leave out.
    """
    records = registry.of(plan).records(group.source, plan, group.header, names, group.aside, malformed)
    schema = "file string, block long, drop int, shift long"
    rows = [(split.file, split.block, drops.index(split.drop.id), split.shift) for split in group.splits]
    by_split = small_frames.small(spark, rows, schema)
    record = (sf.col("id") + sf.col("shift")).alias("record")
    columns = [name for name in records.columns if name not in ("file", "block", "id")]
    return records.join(sf.broadcast(by_split), ["file", "block"]).select("drop", record, *columns)
