"""The close look at the records that the scan could not judge: raw texts in, the failing checks of each out, exactly.

Which row checks a record fails stands in words of bits, in the order of `Plan.row_checks`. A malformed record is judged
by its record checks alone.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from contracts import letters
from contracts.columns import positions
from contracts.plan import Plan
from spark_jobs import bits, formats, references, rules
from spark_jobs.metrics import PLACED


def judge(singles: DataFrame, plan: Plan, header: tuple[str, ...], known: references.Known) -> DataFrame:
    """Judge single records, as placed: the same with n, words and sums."""
    at = positions(header)
    values, records = formats.of(plan).opened(singles.select(*PLACED), plan, header)
    values = rules.with_tests(references.joined(values, plan, at, known), plan, at)
    values = values.withColumn("line", sf.col("raw")) if letters.is_watched(plan.csv) else values
    checks = plan.row_checks()
    rows = rules.failing_of(plan, checks, at)
    failing = [records.get(check.kind, row) for check, row in zip(checks, rows, strict=True)]
    masks = [sf.expr(bits.word(failing, n)).alias(word) for n, word in enumerate(bits.words(plan))]
    judged = rules.with_decimals(values, plan, at).select("*", *bits.flags(failing)).select("*", *masks)
    strict = bits.record_checks(plan)
    malformed, kept = bits.fails_any(strict), bits.of(strict)
    words = [
        sf.when(malformed, sf.col(w).bitwiseAND(kept.get(w, 0))).otherwise(sf.col(w)).alias(w) for w in bits.words(plan)
    ]
    tests = rules.summed(plan, at)
    once = [sf.when(~malformed & test, 1).otherwise(0).cast("long").alias(name) for name, test in tests.items()]
    adds = [sf.when(~malformed, sf.expr(sql)).alias(name) for name, sql in rules.figured(plan, at).items()]
    return judged.select(*PLACED, sf.lit(1).cast("long").alias("n"), *words, *once, *adds)
