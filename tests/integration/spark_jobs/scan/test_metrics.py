"""Groups of records that fail the same checks, added up."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_jobs.counting import sums as rule_sums
from spark_jobs.counting.narrowing import Narrowing
from spark_jobs.counting.tally import HISTOGRAM
from spark_jobs.scan import tally
from tests.integration.spark_jobs.world import a_check, a_plan, a_property


def test_most_frequent_masks_are_kept_and_all_are_counted(spark: SparkSession) -> None:
    texts = [a_property(f"t{n}", "string") for n in range(10)]
    plan = a_plan(texts, [a_check("maxLength", p.name, value=1) for p in texts])
    assert len(plan.row_checks()) == 13, "three of the record, ten of the texts"
    often, masks = {8: 70, 1 << 12: 60}, range(8 << 10)
    n = sf.coalesce(*(sf.when(sf.col("m0") == mask, times) for mask, times in often.items()), sf.lit(1))
    groups = spark.range(len(masks)).select(sf.lit("f").alias("file"), sf.col("id").alias("m0"))
    sums = [sf.lit(2).cast("long").alias(name) for name in rule_sums.names(plan)]
    records = groups.select("file", n.cast("long").alias("n"), "m0", *sums)

    counts = tally.count_by_file(records, Narrowing.of(plan, None))[0]["f"]

    total = len(masks) + 69 + 59
    assert (counts.total, counts.failing) == (total, total - 1)
    assert counts.sound == len(masks) // 8 + 69 + 59
    assert counts.failed[3] == len(masks) // 2 + 69
    assert set(counts.sums.null.values()) == {2 * len(masks)}
    assert (len(counts.masks), counts.overflow) == (HISTOGRAM, True)
    assert counts.masks[:3] == (("8", 70), ("1000", 60), ("1", 1))
