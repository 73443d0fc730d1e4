"""The first record of a file in another encoding: counts of such records in, its place and a word of it out.

Only files that have such records are read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.files.mojibake import ActualEncoding, Letters, example
from contracts.plan import Plan
from spark_jobs.counting import sums
from spark_jobs.formats import registry, text_lines
from spark_jobs.scan import line_numbers, tally
from spark_jobs.scan.scanning import ScannedBatch, ScannedGroup

LONGEST_RECORD = 100_000
"""Characters of a record that are searched for a word."""


def with_examples(
    spark: SparkSession, batch: ScannedBatch, plan: Plan, counted: Mapping[str, Letters]
) -> dict[str, Letters]:
    """Add the place and an example to the counts of each drop that is in another encoding."""
    with_place: dict[str, Letters] = {}
    for group in batch.groups:
        asked = {drop for drop in group.placed_drops if drop in counted and not counted[drop].own}
        kinds: dict[str, ActualEncoding] = {drop: "utf8" if counted[drop].utf8 else "ansi" for drop in asked}
        if not kinds:
            continue
        firsts = _firsts(spark, group, plan, kinds).collect()
        places = line_numbers.places(spark, batch, plan, [(row["drop"], row["record"]) for row in firsts])
        for row in firsts:
            drop = row["drop"]
            read_as, meant = example(plan, group.header, row["line"], kinds[drop]) or (None, None)
            with_place[drop] = replace(counted[drop], first=places[drop, row["record"]], read=read_as, meant=meant)
    return {**counted, **with_place}


def _firsts(spark: SparkSession, group: ScannedGroup, plan: Plan, kinds: Mapping[str, ActualEncoding]) -> DataFrame:
    """Return the first record of each drop in the encoding that is asked for: drop, record, line."""
    whole = registry.of(plan).as_written(group.source, plan, group.header)
    text = text_lines.decoded(sf.col("value"), plan.csv).alias("raw")
    lines = whole.select("file", "block", sf.col("id").alias("at"), text)
    splits = [split for split in group.splits if split.drop.id in kinds]
    placed = tally.placed(spark, lines, splits).withColumnRenamed("raw", "line")
    tests = sums.letters_tests(plan)
    utf8 = [drop for drop, kind in kinds.items() if kind == "utf8"]
    ansi = sf.expr(tests.get("ansi", "false"))
    wanted = sf.when(sf.col("drop").isin(utf8), sf.expr(tests["utf8"])).otherwise(ansi)
    line = sf.left("line", sf.lit(LONGEST_RECORD))
    first = sf.min("record").alias("record"), sf.min_by(line, "record").alias("line")
    return placed.where(wanted).groupBy("drop").agg(*first)
