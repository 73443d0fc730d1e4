"""The one look at every record: records in, scratch out, in which those that pass collapse and all others stay.

What a format cannot judge at first sight is kept with its raw text and no words, for `judging` to look at closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.plan import Plan
from spark_jobs import bits, formats, references, rules


def scan(
    source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], known: references.Known
) -> DataFrame:
    """Group the records of files with one header: file, block, `at` and `raw` of single ones, words, n, first id, sums.

    The words of a record that needs a closer look are null. Empty lines are a group without `at`, words and sense.
    """
    at = positions(header)
    words = bits.words(plan)
    looked, raw = formats.of(plan).looked(source, plan, header, header_texts)
    looked = rules.with_tests(references.joined(looked, plan, at, known), plan, at)
    failing = rules.failing_of(plan, plan.row_checks(), at)
    flagged = looked.select("*", *bits.flags(failing))
    unknown = "odd or id is null"
    judged = flagged.select(
        "*", *(sf.expr(f"if({unknown}, null, {bits.word(failing, n)})").alias(word) for n, word in enumerate(words))
    )
    fails = [sf.col(word) != 0 for word in words]
    single = judged.select(
        "*", (reduce(Column.__or__, fails, sf.col("odd")) & sf.col("id").isNotNull()).alias("single")
    )
    return (
        rules.with_decimals(single, plan, at)
        .groupBy(
            *("file", "block"),
            sf.when(sf.col("single"), sf.col("id")).alias("at"),
            sf.when(sf.col("single"), raw).alias("raw"),
            *words,
        )
        .agg(sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"), *rules.sums(plan, at))
    )
