"""The footers of files: lines in; the lines of each footer that has no more of them than agreed, out.

Only the first line of a footer shows what it is. The others have to be found before a scan counts them as records.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs.formats import text_lines


def texts(source: DataFrame, plan: Plan, above: Sequence[str]) -> list[str]:
    """List the texts of lines that may be behind the first line of a footer; `above` are those above the records."""
    if plan.csv.footer is None or plan.csv.footer.lines == 1:
        return []
    return sorted({row["line"] for row in lines(source, plan, above)})


def lines(source: DataFrame, plan: Plan, above: Sequence[str]) -> list[Row]:
    """Return the lines of footers: file, id, line."""
    if plan.csv.footer is None:
        return []
    every = text_lines.as_lines(source, plan.csv)
    filled = every.where(sf.col("id").isNotNull()).select("file", sf.struct("block", "id").alias("at"), "line")
    begins = text_lines.is_trailer(sf.col("line"), plan) & ~sf.col("line").isin(*above)
    starts = filled.where(begins).groupBy("file").agg(sf.min("at").alias("start"))
    behind = filled.join(sf.broadcast(starts), "file").where("at >= start")
    short = behind.groupBy("file").count().where(sf.col("count") <= plan.csv.footer.lines)
    files = [row["file"] for row in short.collect()]
    return behind.where(sf.col("file").isin(*files)).select("file", "at.id", "line").collect() if files else []
