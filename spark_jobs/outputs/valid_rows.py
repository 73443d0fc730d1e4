"""The valid rows of files, which a verdict may promote: scanned groups and evidence in, files out.

A file of valid rows is the producer's file without the rejected records and the trailer: the header line and lines of
text as they came, in their order. A file without rejected records and trailer is not written: it is promoted as it is.
For a table, rows are typed, as Parquet, with a list of the files of each drop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts import table
from contracts.files import csv_top
from contracts.files.header import valid_file
from contracts.job import DataFile, DataFiles, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.table import DROP, columns
from contracts.values import sql_text
from spark_jobs.counting import top_lines
from spark_jobs.counting.tally import Tally
from spark_jobs.formats import registry, text_lines
from spark_jobs.scan.records import numbered_records
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.spark import packing, recoding, small_frames, storage

NUMBER, RECORD, OWNER = "_dropgate_number", "_dropgate_record", "_dropgate_drop"
"""Names of columns that are added to a file's own."""


def write_files(
    spark: SparkSession,
    request: JobRequest,
    groups: Sequence[ScannedGroup],
    evidence: DataFrame | None,
    tallies: Mapping[str, Tally],
) -> dict[str, int]:
    """Write the valid rows of every drop that is not promoted as it is; return how many records each file has."""
    bad = _rejected(evidence)
    counted: dict[str, int] = {}
    for number, group in enumerate(groups):
        placed = group.placed_drops
        counts = {d.id: tallies.get(d.id, Tally()) for d in group.drops if d.valid and d.id in placed}
        whole = {drop for drop, tally in counts.items() if request.plan.goes_whole(tally.total - tally.valid)}
        drops = [d for d in group.drops if d.id in counts and d.id not in whole]
        if drops:
            rows = _valid(spark, group, drops, bad, request.plan)
            counted |= _delivered(spark, request.plan, group, drops, rows, f"{request.scratch}valid{number}/")
    return counted


def write_tables(
    spark: SparkSession,
    request: JobRequest,
    groups: Sequence[ScannedGroup],
    evidence: DataFrame | None,
    *,
    malformed: bool,
) -> dict[str, int]:
    """Write the valid rows of every drop as columns of its table; return how many rows each drop has."""
    bad = _rejected(evidence)
    counted: dict[str, int] = {}
    for number, group in enumerate(groups):
        drops = [d for d in group.drops if d.valid]
        if drops:  # also if their files are empty: consumers then get no rows of them
            folder = f"{request.scratch}table{number}/"
            typed = _typed(spark, group, drops, bad, request.plan, malformed=malformed)
            typed.write.mode("overwrite").partitionBy(NUMBER).parquet(storage.plain(folder))
            counted |= _listed(spark, drops, folder)
    return counted


def _rejected(evidence: DataFrame | None) -> DataFrame | None:
    """Return the records that are left out; None if there are none."""
    if evidence is None:
        return None
    return evidence.where("outcome = 'rejected'").selectExpr(f"drop as {OWNER}", f"record as {RECORD}")


def _typed(
    spark: SparkSession,
    group: ScannedGroup,
    drops: Sequence[JobDrop],
    bad: DataFrame | None,
    plan: Plan,
    *,
    malformed: bool,
) -> DataFrame:
    """Return the records that are not rejected as columns of a table, with the number of their drop."""
    here = [p.name for p in plan.roots if p.name in group.header]
    numbered = numbered_records(spark, plan, group, here, [d.id for d in drops], malformed=malformed)
    owners = small_frames.small(spark, [(n, d.id) for n, d in enumerate(drops)], f"{NUMBER} int, {OWNER} string")
    owned = numbered.withColumnsRenamed({"drop": NUMBER, "record": RECORD}).join(sf.broadcast(owners), NUMBER)
    good = owned if bad is None else owned.join(bad, [OWNER, RECORD], "left_anti")
    values = []
    for column in columns(plan)[:-2]:
        value = f"v{here.index(column.name)}" if column.name in here else "null"
        if column.name in here and plan.property_named(column.name).type == "time":
            value = f"date_format({value}, 'HH:mm:ss.SSSSSS')"  # as text: Delta has no type for it
        values.append(f"cast({value} as {column.type}) as {sql_text.quoted_name(column.name)}")
    own = [f"{OWNER} as {DROP}", f"{RECORD} as {table.RECORD}"]
    return good.selectExpr(NUMBER, *values, *own)


def _listed(spark: SparkSession, drops: Sequence[JobDrop], folder: str) -> dict[str, int]:
    """Move the files of each drop to its own folder, with their list; return how many rows each drop has."""
    there = set(storage.names(spark, folder))
    written = spark.read.schema(f"{DROP} string").parquet(storage.plain(folder))  # an empty folder has no schema
    files = written.groupBy(sf.input_file_name().alias("file")).count()
    rows = {storage.plain(row["file"]): row["count"] for row in files.collect()}

    def move(n: int) -> tuple[str, int]:
        own, drop, moved = f"{folder}{NUMBER}={n}/", drops[n], list[DataFile]()
        parts = storage.sizes(spark, own) if f"{NUMBER}={n}" in there else {}
        for nth, (name, size) in enumerate(sorted(parts.items())):
            moved.append(DataFile(f"{nth}.parquet", size, rows[storage.plain(own + name)]))
            storage.move(spark, own + name, f"{drop.valid}{nth}.parquet")
        storage.write_text(spark, f"{drop.valid}files.json", DataFiles(drop.id, drop.attempt, tuple(moved)).dumps())
        return drop.id, sum(file.rows for file in moved)

    with ThreadPoolExecutor(8) as pool:
        return dict(pool.map(move, range(len(drops))))


def _valid(
    spark: SparkSession, group: ScannedGroup, drops: Sequence[JobDrop], bad: DataFrame | None, plan: Plan
) -> DataFrame:
    """Return the records that are not rejected, in order, with their drop's number; record 0 is the header line."""
    numbers = {d.id: n for n, d in enumerate(drops)}
    rows = [
        (s.file, s.block, numbers[s.drop.id], s.drop.id, s.shift, s.last) for s in group.splits if s.drop.id in numbers
    ]
    by_split = small_frames.small(
        spark, rows, f"file string, block long, {NUMBER} int, {OWNER} string, shift long, last long"
    )
    lines = registry.of(plan).as_written(group.source, plan, group.header)
    least = "1" if plan.csv.has_top else "0"
    placed = lines.join(sf.broadcast(by_split), ["file", "block"]).where(f"id + shift between {least} and last")
    numbered = placed.selectExpr(NUMBER, OWNER, f"id + shift as {RECORD}", "value")
    if plan.csv.has_top:  # as they came: empty lines among them count
        texts = ((n, drop, csv_top.again(plan.csv, drop.header_line).texts) for n, drop in enumerate(drops))
        above = [(n, drop.id, 0, "\n".join(own)) for n, drop, own in texts if own]
        tops = small_frames.small(spark, above, f"{NUMBER} int, {OWNER} string, {RECORD} long, value string")
        numbered = numbered.unionByName(tops.select(NUMBER, OWNER, RECORD, text_lines.encoded("value", plan.csv)))
    good = (numbered if bad is None else numbered.join(bad, [OWNER, RECORD], "left_anti")).repartition(NUMBER)
    return good.sortWithinPartitions(NUMBER, RECORD).select(NUMBER, "value")


def _delivered(
    spark: SparkSession, plan: Plan, group: ScannedGroup, drops: Sequence[JobDrop], rows: DataFrame, folder: str
) -> dict[str, int]:
    """Write the rows of each drop to one file under its own name, and count the records that can be read from it."""
    _write(rows, plan, folder, NUMBER)
    own = {n: f"{folder}{NUMBER}={n}/" for n in range(len(drops))}
    there = set(storage.names(spark, folder))
    for n, place in own.items():
        if f"{NUMBER}={n}" not in there:  # no row is valid: write an empty file
            _write(rows.drop(NUMBER).limit(0).coalesce(1), plan, place)
    targets = [f"{d.valid}{valid_file(plan)}" for d in drops]

    def deliver(n: int) -> str:
        """Return the URI of a file that Spark can read: the delivered one, or that from which it was recoded."""
        part = own[n] + next(name for name in storage.names(spark, own[n]) if name.startswith("part-"))
        if not (plan.is_recoded or plan.unpacked_first):
            storage.move(spark, part, targets[n])
            return targets[n]
        text = part
        if plan.is_recoded:
            text = f"{folder}recoded/{n}" if plan.unpacked_first else targets[n]
            recoding.from_utf8(spark, plan.csv, part, text, packed=plan.compression == "gzip")
        if plan.unpacked_first:
            first = next(iter(drops[n].members), None)
            packing.pack(spark, plan, text, targets[n], first.name if first else "")
        return part

    with ThreadPoolExecutor(8) as pool:
        readable = list(pool.map(deliver, range(len(drops))))
    form = registry.of(plan)
    laid = [replace(d, uri=uri, members=()) for d, uri in zip(drops, readable, strict=True)]
    by_file = form.as_written(form.load(spark, plan, laid), plan, group.header).groupBy("file").count()
    counts = {storage.plain(row["file"]): row["count"] for row in by_file.collect()}
    return {d.id: counts.get(storage.plain(d.uri), 0) - len(top_lines.above(plan, d)) for d in laid}


def _write(rows: DataFrame, plan: Plan, folder: str, *by: str) -> None:
    """Write rows in the format of a plan's files."""
    if plan.file_format == "parquet":
        columns = rows.select(*by, "value.*")
        columns.write.mode("overwrite").partitionBy(*by).parquet(storage.plain(folder))
    else:
        texts = rows.write.mode("overwrite").options(**text_lines.line_ends(plan)).partitionBy(*by)
        as_text = plan.is_recoded or plan.unpacked_first
        texts.text(storage.plain(folder), compression="none" if as_text else plan.compression)
