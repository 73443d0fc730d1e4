"""The one look at every record: records in, scratch out, in which those that pass collapse and all others stay.

What a format cannot judge at first sight is kept with its raw text and no words, for `judging` to look at closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.plan import Plan
from spark_jobs import bits, delimited, formats, reader, references, rules, sieve

if TYPE_CHECKING:
    from spark_jobs.vectors import Proof


def scan(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    header_texts: Sequence[str],
    known: references.Known,
    proof: Proof | None = None,
) -> DataFrame:
    """Group the records of files with one header: file, block, `at` and `raw` of single ones, words, n, first id, sums.

    The words of a record that needs a closer look are null. Empty lines are a group without `at`, words and sense.
    Where there is a proof that lines pass, those it holds for are counted before the others are looked at, and groups
    may come in parts.
    """
    at = positions(header)
    words = bits.words(plan)
    if proof is None:
        looked, raw = formats.of(plan).looked(source, plan, header, header_texts)
        judged = "if(odd or id is null, null, {})"
    else:
        lines = sieve.sifted(reader.lines(source, plan.csv), proof)
        looked, raw = delimited.looked_at(lines, plan, header, header_texts)
        judged = "if(nulls is not null, 0L, if(odd or id is null, null, {}))"
    looked = rules.with_tests(references.joined(looked, plan, at, known), plan, at)
    failing = rules.failing_of(plan, plan.row_checks(), at)
    flagged = looked.select("*", *bits.flags(failing))
    worded = flagged.select("*", *(sf.expr(judged.format(bits.word(failing, k))).alias(w) for k, w in enumerate(words)))
    fails = [sf.col(word) != 0 for word in words]
    single = worded.select(
        "*", (reduce(Column.__or__, fails, sf.col("odd")) & sf.col("id").isNotNull()).alias("single")
    )
    alone = [sf.when(sf.col("single"), of).alias(name) for name, of in (("at", sf.col("id")), ("raw", raw))]
    group = [*map(sf.col, ("file", "block")), *alone, *map(sf.col, words)]
    if proof is not None:  # the few lines that are left are not worth a shuffle
        known_first = sf.coalesce("first", "id").alias("first")
        return single.select(*group, "n", known_first, *rules.sums_of_sifted(plan, at))
    counted = (sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"))
    return rules.with_decimals(single, plan, at).groupBy(*group).agg(*counted, *rules.sums(plan, at))
