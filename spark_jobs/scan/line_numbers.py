"""The physical line of its file in which a record begins, from 1: records in, their places out.

A record's number nearly always gives its line. Only files with empty lines, or with records over several lines, are
read again. Parquet and documents have no lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.place import Place
from contracts.plan import Plan
from spark_jobs.counting import top_lines
from spark_jobs.formats import registry
from spark_jobs.prefilter.sure_lines import SureLines
from spark_jobs.scan import members, tally
from spark_jobs.scan.scanning import ScannedBatch, ScannedGroup
from spark_jobs.spark import small_frames


@dataclass(frozen=True, slots=True)
class SureGroup:
    """A group whose surely failing lines are on the driver: each begins in the line of its number and those `above`.

    `above` is the number of lines above the records of each drop.
    """

    group: ScannedGroup
    sure: SureLines
    above: Mapping[str, int]


def sure_groups(batch: ScannedBatch, plan: Plan) -> list[SureGroup]:
    """Return the groups of a batch whose surely failing lines are on the driver, if their lines need not be counted."""
    above, uneven = _by_drop(batch, plan), _uneven(batch, plan)
    return [
        SureGroup(group, group.prefiltered.sure, above)
        for group in batch.groups
        if group.prefiltered and group.prefiltered.sure and uneven.isdisjoint(group.placed_drops)
    ]


def with_lines(spark: SparkSession, batch: ScannedBatch, plan: Plan, rows: DataFrame) -> DataFrame:
    """Add `line`, in archives `member`, and where places have one `element`, to rows with `drop` and `record`."""
    if plan.archive:
        rows = _with_members(spark, batch, rows)
    if plan.elements:
        rows = rows.withColumn("element", _element(plan, *plan.elements))
    rows = _with_line(spark, batch, plan, rows).drop("before")
    if plan.sheet:  # the place of a record is as in `Sheet.row`
        within, line = plan.sheet.cell(0, None).removesuffix("0:0"), sf.col("line").cast("string")
        rows = rows.withColumn("element", sf.concat(sf.lit(within), line, sf.lit(":"), line))
    return rows


def _element(plan: Plan, path: str, first: int) -> Column:
    """Return the place of a record in its document, as in `Plan.element`."""
    number = sf.col("record") - (sf.col("before") if plan.archive else 0) - 1 + first
    return sf.concat(sf.lit(f"{path}["), number.cast("string"), sf.lit("]"))


def _with_line(spark: SparkSession, batch: ScannedBatch, plan: Plan, rows: DataFrame) -> DataFrame:
    if not plan.has_lines:
        return rows.withColumn("line", sf.lit(None).cast("long"))
    straight, uneven = sf.col("record") + _above(batch, plan), _uneven(batch, plan)
    lines = _lines(spark, batch, plan, uneven)
    if lines is None:
        return rows.withColumn("line", straight)
    joined = rows.join(lines, ["drop", "record"], "left")
    return joined.withColumn("line", sf.coalesce("line", sf.when(~sf.col("drop").isin(*uneven), straight)))


def _with_members(spark: SparkSession, batch: ScannedBatch, rows: DataFrame) -> DataFrame:
    """Add `member`, and the number of records `before` it."""
    schema = "of string, first long, last long, member string"
    spans = sf.broadcast(small_frames.small(spark, members.spans(batch.groups), schema))
    within = (sf.col("drop") == sf.col("of")) & sf.col("record").between(sf.col("first"), sf.col("last"))
    joined = rows.join(spans, within, "left").withColumn("before", sf.col("first") - 1)
    return joined.drop("of", "first", "last")


def places(
    spark: SparkSession, batch: ScannedBatch, plan: Plan, wanted: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Place]:
    """Return the places of some records, by drop and record number."""
    records = set(wanted)
    by_record = _in_lines(spark, batch, plan, records) if plan.has_lines else {pair: Place(pair[1]) for pair in records}
    if plan.archive is None and plan.element(1) is None:
        return by_record
    begins = {drop.id: members.starts(drop, batch.groups) for group in batch.groups for drop in group.drops}
    return {(drop, record): members.placed(place, plan, begins[drop]) for (drop, record), place in by_record.items()}


def _in_lines(
    spark: SparkSession, batch: ScannedBatch, plan: Plan, records: set[tuple[str, int]]
) -> dict[tuple[str, int], Place]:
    """Return the places of records with the lines in which they begin."""
    uneven = _uneven(batch, plan) & {drop for drop, _ in records}
    above = _by_drop(batch, plan)
    by_record = {
        (drop, record): Place(record, None if drop in uneven else record + above[drop]) for drop, record in records
    }
    lines = _lines(spark, batch, plan, uneven)
    if lines is not None:
        asked = small_frames.small(spark, [pair for pair in records if pair[0] in uneven], "drop string, record long")
        rows = lines.join(sf.broadcast(asked), ["drop", "record"]).collect()
        by_record |= {(row["drop"], row["record"]): Place(row["record"], row["line"]) for row in rows}
    if plan.sheet:
        return {key: replace(place, element=plan.sheet.row(place.line)) for key, place in by_record.items()}
    return by_record


def _above(batch: ScannedBatch, plan: Plan) -> Column:
    """Return the number of lines above the records of a drop, without empty lines."""
    above = _by_drop(batch, plan)
    if len(counts := set(above.values())) == 1:
        return sf.lit(counts.pop())
    return sf.element_at(sf.create_map(*(sf.lit(part) for pair in above.items() for part in pair)), sf.col("drop"))


def _by_drop(batch: ScannedBatch, plan: Plan) -> dict[str, int]:
    return {drop.id: len(top_lines.above(plan, drop)) for group in batch.groups for drop in group.drops}


def _uneven(batch: ScannedBatch, plan: Plan) -> set[str]:
    """Return the drops whose records need not begin in lines of their own number."""
    uneven = plan.csv.multi_line or plan.archive is not None
    return {drop for drop, lines in batch.lines.items() if lines.blank or uneven}


def _lines(spark: SparkSession, batch: ScannedBatch, plan: Plan, drops: set[str]) -> DataFrame | None:
    """Return the lines of all records of some drops: drop, record, line; None without drops."""
    form = registry.of(plan)
    parts = [
        tally.placed(
            spark,
            form.record_lines(group.source, plan).withColumn("raw", sf.lit(None).cast("string")),
            [split for split in group.splits if split.drop.id in drops],
        ).select("drop", "record", "line")
        for group in batch.groups
        if any(split.drop.id in drops for split in group.splits)
    ]
    return reduce(DataFrame.unionByName, parts) if parts else None
