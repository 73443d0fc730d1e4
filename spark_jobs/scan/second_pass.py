"""The close look at the records that the scan could not judge: raw texts in, the failing checks of each out, exactly.

Which row checks a record fails stands in words of bits, in the order of `Plan.row_checks`. A malformed record is judged
by its record checks alone.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from contracts.files import mojibake
from contracts.files.header import positions
from contracts.plan import Plan
from spark_jobs.formats import registry
from spark_jobs.rules import bitmask, row_checks
from spark_jobs.scan import references
from spark_jobs.scan.tally import PLACED


def judge(singles: DataFrame, plan: Plan, header: tuple[str, ...], known: references.Known) -> DataFrame:
    """Judge single records, as placed: the same with n, words and sums."""
    at = positions(header)
    values, records = registry.of(plan).opened(singles.select(*PLACED), plan, header)
    values = row_checks.with_tests(references.joined(values, plan, at, known), plan, at)
    values = values.withColumn("line", sf.col("raw")) if mojibake.is_watched(plan.csv) else values
    checks = plan.row_checks()
    rows = row_checks.failing_of(plan, checks, at)
    failing = [records.get(check.kind, row) for check, row in zip(checks, rows, strict=True)]
    masks = [sf.expr(bitmask.word(failing, n)).alias(word) for n, word in enumerate(bitmask.words(plan))]
    judged = row_checks.with_decimals(values, plan, at).select("*", *bitmask.flags(failing)).select("*", *masks)
    strict = bitmask.record_checks(plan)
    malformed, kept = bitmask.fails_any(strict), bitmask.of(strict)
    words = [
        sf.when(malformed, sf.col(w).bitwiseAND(kept.get(w, 0))).otherwise(sf.col(w)).alias(w)
        for w in bitmask.words(plan)
    ]
    tests = row_checks.summed(plan, at)
    once = [sf.when(~malformed & test, 1).otherwise(0).cast("long").alias(name) for name, test in tests.items()]
    adds = [sf.when(~malformed, sf.expr(sql)).alias(name) for name, sql in row_checks.figured(plan, at).items()]
    return judged.select(*PLACED, sf.lit(1).cast("long").alias("n"), *words, *once, *adds)
