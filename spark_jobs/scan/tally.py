"""Lines of scratch and judged records in; counts of splits, record numbers, and counts by file out.

Spark reduces the records to a few rows: for each file, one row for each set of checks that its records fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.terms.trailer import LONGEST_LINE
from spark_jobs.counting import bitmask
from spark_jobs.counting.lines import NO_ID, FileSplit, Line, MaskCount, SplitCounts
from spark_jobs.counting.narrowing import Narrowing
from spark_jobs.counting.tally import Tally, add_up
from spark_jobs.rules import summing
from spark_jobs.spark import small_frames

LONGEST_RAW = 3 * LONGEST_LINE
"""Characters of a trailer's raw text, which may have its cells and its line as JSON; longer texts are cut."""
PLACED = ("file", "drop", "attempt", "name", "record", "raw")
"""The columns that `placed` makes of a line."""


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
    records: DataFrame | None, narrowing: Narrowing, mask_counts: Iterable[MaskCount] = ()
) -> tuple[dict[str, Tally], dict[str, int]]:
    """Count the records of each file by their checks, and the lines that have no mask yet."""
    plan = narrowing.plan
    if records is None:
        return add_up(narrowing.whole, mask_counts)
    if plan.archive:
        records = records.withColumn("file", sf.regexp_replace("file", "/[^/]*$", ""))
    grouped = records.groupBy("file", *bitmask.mask_columns(plan)).agg(sf.sum("n").alias("n"), *summing.merged(plan))
    rows = map(narrowing.row, grouped.toLocalIterator(prefetchPartitions=True))
    return add_up(narrowing.whole, mask_counts, rows)
