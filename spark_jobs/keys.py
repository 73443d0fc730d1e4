"""Values that more than one record has: `unique` and `primaryKey`, exactly, one query for each property.

Lines in, by drop out: how many records share their value with another, and the first such values. Values are compared
as their type (7 = 007). Only when there are any are the records themselves looked up, in a second pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan, Property
from spark_jobs import frames, reader, rules
from spark_jobs.metrics import Place
from spark_jobs.schema import typed

MOST = 5


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that several records have: its text in the first, the first two record numbers, how many records."""

    text: str
    record: int
    also: int
    count: int


def values(
    text: DataFrame, plan: Plan, prop: Property, header: tuple[str, ...], heads: Sequence[int], malformed: bool
) -> DataFrame:
    """The values of one property that are not null: file, block, id, text, value.

    `heads` are the ids of the header lines; `malformed` says whether there are malformed records to leave out.
    """
    split = reader.lines(text, plan.csv).where(~sf.col("id").isin(*heads))
    line, place = sf.col("line"), header.index(prop.name)
    parsed = reader.parsed(line, plan.csv, len(header))
    if malformed:
        tests = rules.record_rules(line, reader.fits(parsed), reader.swallows(line, plan.csv, len(header)), plan.csv)
        split = split.where(~(tests["fields"] | tests["quotes"] | tests["text"]))
    up_to = sf.substring_index(line, plan.csv.delimiter, place + 1)
    alone = sf.substring_index(up_to, plan.csv.delimiter, -1)
    # A line without quotes falls apart at its delimiters: three times faster than parsing all its cells.
    cell = sf.when(reader.has_quote(line, plan.csv), parsed[f"c{place}"]).otherwise(alone)
    texts = split.select("file", "block", "id", cell.alias("text"))
    cells = texts.select("file", "block", "id", reader.cell(sf.col("text"), plan.csv).alias("text"))
    return cells.select("*", typed(sf.col("text"), prop).alias("value")).where(sf.col("value").isNotNull())


def repeated(found: DataFrame) -> DataFrame:
    """The values that occur more than once in a file, and how often."""
    return found.groupBy("file", "value").agg(sf.count(sf.lit(1)).alias("n")).where(sf.col("n") > 1)


def sharing(repeats: DataFrame) -> dict[str, int]:
    """How many records of each file share their value with another."""
    return {row["file"]: row["n"] for row in repeats.groupBy("file").agg(sf.sum("n").alias("n")).collect()}


def first(
    spark: SparkSession, found: DataFrame, repeats: DataFrame, places: Sequence[Place]
) -> dict[str, list[Shared]]:
    """The first values of each drop that more than one record has, by record number."""
    schema = "file string, block long, drop string, shift long"
    known = frames.small(spark, [(p.file, p.block, p.drop, p.shift) for p in places], schema)
    numbered = found.join(repeats, ["file", "value"], "leftsemi").join(sf.broadcast(known), ["file", "block"])
    records = numbered.select("drop", "value", "text", (sf.col("id") + sf.col("shift")).alias("record"))
    nth = sf.expr("row_number() over (partition by drop, value order by record)")
    pair = (
        records.select("*", nth.alias("nth"))
        .groupBy("drop", "value")
        .agg(
            _at("text", 1),
            _at("record", 1).alias("record"),
            _at("record", 2).alias("also"),
            sf.count(sf.lit(1)).alias("n"),
        )
    )
    order = sf.expr("row_number() over (partition by drop order by record)")
    top = pair.select("*", order.alias("place")).where(sf.col("place") <= MOST).orderBy("drop", "place")
    shared: dict[str, list[Shared]] = {}
    for row in top.collect():
        shared.setdefault(row["drop"], []).append(Shared(row["text"], row["record"], row["also"], row["n"]))
    return shared


def _at(column: str, nth: int) -> Column:
    return sf.max(sf.when(sf.col("nth") == nth, sf.col(column))).alias(column)
