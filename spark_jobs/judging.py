"""The close look at the lines that the scan could not judge: raw lines in, the failing checks of each out, exactly.

Which row checks a record fails stands in words of bits, in the order of `Plan.row_checks`. A malformed record is judged
by its record checks alone.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.plan import Plan
from spark_jobs import bits, reader, rules
from spark_jobs.schema import typed


def judge(singles: DataFrame, plan: Plan, header: tuple[str, ...]) -> DataFrame:
    """Judge single lines (drop, record, raw): the same with n, words and sums."""
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    lines = singles.select("*", reader.parsed(sf.col("raw"), plan.csv, len(header)).alias("parsed"))
    split = lines.select(
        *("drop", "record", "raw"),
        "parsed",
        *(reader.cell(sf.col("parsed")[f"c{at[p.name]}"], plan.csv).alias(f"c{n}") for n, p in here),
    )
    values = split.select("*", *(typed(sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here))
    failing = _failing(plan, at, len(header))
    masks = [sf.expr(bits.word(failing, n)).alias(word) for n, word in enumerate(bits.words(plan))]
    judged = rules.with_decimals(values, plan, at).select("*", *bits.flags(failing)).select("*", *masks)
    records = bits.record_checks(plan)
    malformed, strict = bits.fails_any(records), bits.of(records)
    kept = [
        sf.when(malformed, sf.col(w).bitwiseAND(strict.get(w, 0))).otherwise(sf.col(w)).alias(w)
        for w in bits.words(plan)
    ]
    tests = rules.summed(plan, at)
    once = [sf.when(~malformed & test, 1).otherwise(0).cast("long").alias(name) for name, test in tests.items()]
    adds = [sf.when(~malformed, sf.expr(sql)).alias(name) for name, sql in rules.figured(plan, at).items()]
    return judged.select("drop", "record", "raw", sf.lit(1).cast("long").alias("n"), *kept, *once, *adds)


def _failing(plan: Plan, at: dict[str, int], width: int) -> list[Column | None]:
    """One column for each row check; None where its property is missing from the file."""
    line, fits = sf.col("raw"), reader.fits(sf.col("parsed"))
    record = rules.record_rules(line, fits, reader.swallows(line, plan.csv, width), plan.csv)
    checks = plan.row_checks()
    rows = rules.failing_of(plan, checks, at)
    return [record[c.kind] if c.scope == "record" else row for c, row in zip(checks, rows, strict=True)]
