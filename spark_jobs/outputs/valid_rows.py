"""The valid rows of files, for consumers once a verdict lets them have them: scanned groups and evidence in, files out.

A file of rows is what its producer wrote without the records that were rejected: lines of text as they came, in their
order, behind the header line, without a trailer. One without either is not written: it is promoted as it is. For a
table rows are typed, as Parquet, with a list of the files of each drop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts import table
from contracts.files.header import valid_file
from contracts.job import DataFile, DataFiles, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.table import DROP, TableColumn, columns
from spark_jobs.formats import registry
from spark_jobs.scan.batch import Group
from spark_jobs.scan.tally import Tally
from spark_jobs.set_checks import uniqueness
from spark_jobs.spark import small_frames, sql_text, storage

NUMBER, RECORD, OWNER = "_dropgate_number", "_dropgate_record", "_dropgate_drop"
"""Names beside a file's own columns."""


def write_files(
    spark: SparkSession,
    request: JobRequest,
    groups: Sequence[Group],
    evidence: DataFrame | None,
    tallies: Mapping[str, Tally],
) -> dict[str, int]:
    """Write the valid rows of every drop that does not go as it came; how many records lie there then, by drop."""
    bad = _rejected(evidence)
    counted: dict[str, int] = {}
    for number, group in enumerate(groups):
        placed = {place.drop.id for place in group.places}
        drops = [d for d in group.drops if d.valid and d.id in placed and not _goes_whole(request.plan, tallies, d)]
        if drops:
            rows = _valid(spark, group, drops, bad, request.plan)
            counted |= _delivered(spark, request.plan, group, drops, rows, f"{request.scratch}valid{number}/")
    return counted


def write_tables(
    spark: SparkSession, request: JobRequest, groups: Sequence[Group], evidence: DataFrame | None, *, malformed: bool
) -> dict[str, int]:
    """Write the valid rows of every drop as the columns of its table; how many lie there then, by drop."""
    bad = _rejected(evidence)
    counted: dict[str, int] = {}
    for number, group in enumerate(groups):
        drops = [d for d in group.drops if d.valid]
        if drops:  # also where nothing is in their files: consumers are to have no rows of them then
            folder = f"{request.scratch}table{number}/"
            typed = _typed(spark, group, drops, bad, request.plan, malformed=malformed)
            typed.write.mode("overwrite").partitionBy(NUMBER).parquet(storage.plain(folder))
            counted |= _listed(spark, drops, folder)
    return counted


def _rejected(evidence: DataFrame | None) -> DataFrame | None:
    """The records that are left out; None where there are none."""
    if evidence is None:
        return None
    return evidence.where("outcome = 'rejected'").selectExpr(f"drop as {OWNER}", f"record as {RECORD}")


def _goes_whole(plan: Plan, tallies: Mapping[str, Tally], drop: JobDrop) -> bool:
    tally = tallies.get(drop.id)
    return plan.goes_whole(tally.total - tally.valid if tally else 0)


def _typed(
    spark: SparkSession, group: Group, drops: Sequence[JobDrop], bad: DataFrame | None, plan: Plan, *, malformed: bool
) -> DataFrame:
    """The records that are not rejected as the columns of a table, with the number of their drop."""
    here = [p.name for p in plan.roots if p.name in group.header]
    records = registry.of(plan).records(group.source, plan, group.header, here, group.aside, malformed)
    known = small_frames.small(spark, [(n, d.id) for n, d in enumerate(drops)], f"{NUMBER} int, {OWNER} string")
    numbered = uniqueness.numbered(spark, records, group.places, [d.id for d in drops])
    told = numbered.withColumnsRenamed({"drop": NUMBER, "record": RECORD}).join(sf.broadcast(known), NUMBER)
    good = told if bad is None else told.join(bad, [OWNER, RECORD], "left_anti")
    values = [_value(plan, one, here) for one in columns(plan)[:-2]]
    own = [f"{OWNER} as {DROP}", f"{RECORD} as {table.RECORD}"]
    return good.selectExpr(NUMBER, *values, *own)


def _value(plan: Plan, column: TableColumn, here: Sequence[str]) -> str:
    """The value of a column, in SQL; a time is a text, as Delta has none."""
    value = f"v{here.index(column.name)}" if column.name in here else "null"
    if column.name in here and plan.property_named(column.name).type == "time":
        value = f"date_format({value}, 'HH:mm:ss.SSSSSS')"
    return f"cast({value} as {column.type}) as {sql_text.quoted(column.name)}"


def _listed(spark: SparkSession, drops: Sequence[JobDrop], folder: str) -> dict[str, int]:
    """Lay the files of each drop in its own folder, with their list; how many rows there are, by drop."""
    there = set(storage.names(spark, folder))
    written = spark.read.schema(f"{DROP} string").parquet(storage.plain(folder))  # where no row is, is no schema either
    files = written.groupBy(sf.input_file_name().alias("file")).count()
    rows = {storage.plain(row["file"]): row["count"] for row in files.collect()}

    def lay(n: int) -> tuple[str, int]:
        place, drop, found = f"{folder}{NUMBER}={n}/", drops[n], list[DataFile]()
        parts = storage.sizes(spark, place) if f"{NUMBER}={n}" in there else {}
        for nth, (name, size) in enumerate(sorted(parts.items())):
            found.append(DataFile(f"{nth}.parquet", size, rows[storage.plain(place + name)]))
            storage.move(spark, place + name, f"{drop.valid}{nth}.parquet")
        storage.write_text(spark, f"{drop.valid}files.json", DataFiles(drop.id, drop.attempt, tuple(found)).dumps())
        return drop.id, sum(one.rows for one in found)

    with ThreadPoolExecutor(8) as pool:
        return dict(pool.map(lay, range(len(drops))))


def _valid(spark: SparkSession, group: Group, drops: Sequence[JobDrop], bad: DataFrame | None, plan: Plan) -> DataFrame:
    """The records that are not rejected, in order, with the number of their drop; record 0 is the header line."""
    numbers = {d.id: n for n, d in enumerate(drops)}
    rows = [
        (p.file, p.block, numbers[p.drop.id], p.drop.id, p.shift, p.last) for p in group.places if p.drop.id in numbers
    ]
    known = small_frames.small(
        spark, rows, f"file string, block long, {NUMBER} int, {OWNER} string, shift long, last long"
    )
    found = registry.of(plan).whole(group.source, plan, group.header)
    placed = found.join(sf.broadcast(known), ["file", "block"]).where("id + shift <= last")
    told = placed.selectExpr(NUMBER, OWNER, f"id + shift as {RECORD}", "value")
    good = (told if bad is None else told.join(bad, [OWNER, RECORD], "left_anti")).repartition(NUMBER)
    return good.sortWithinPartitions(NUMBER, RECORD).select(NUMBER, "value")


def _delivered(
    spark: SparkSession, plan: Plan, group: Group, drops: Sequence[JobDrop], rows: DataFrame, folder: str
) -> dict[str, int]:
    """Write rows, a file for each drop, give each its name, and count what can be read of it."""
    _write(rows, plan, folder, NUMBER)
    own = {n: f"{folder}{NUMBER}={n}/" for n in range(len(drops))}
    there = set(storage.names(spark, folder))
    for n, place in own.items():
        if f"{NUMBER}={n}" not in there:  # no row is valid: what is written of none is a file, too
            _write(rows.drop(NUMBER).limit(0).coalesce(1), plan, place)
    targets = [f"{d.valid}{valid_file(plan)}" for d in drops]

    def deliver(n: int) -> None:
        part = next(name for name in storage.names(spark, own[n]) if name.startswith("part-"))
        storage.move(spark, own[n] + part, targets[n])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(deliver, range(len(drops))))
    return _counted(spark, plan, group.header, drops, targets)


def _write(rows: DataFrame, plan: Plan, folder: str, *by: str) -> None:
    """Write rows in the format of a plan's files."""
    if plan.file_format == "parquet":
        columns = rows.select(*by, "value.*")
        columns.write.mode("overwrite").partitionBy(*by).parquet(storage.plain(folder))
    else:
        texts = rows.write.mode("overwrite").partitionBy(*by)
        texts.text(storage.plain(folder), compression=plan.compression)


def _counted(
    spark: SparkSession, plan: Plan, header: tuple[str, ...], drops: Sequence[JobDrop], files: Sequence[str]
) -> dict[str, int]:
    """Return the number of records in the files of each drop."""
    form = registry.of(plan)
    laid = [replace(d, uri=uri) for d, uri in zip(drops, files, strict=True)]
    found = form.whole(form.load(spark, plan, laid), plan, header).groupBy("file").count()
    counts = {storage.plain(row["file"]): row["count"] for row in found.collect()}
    headed = form.is_headed(plan)
    return {d.id: counts.get(storage.plain(d.uri), 0) - headed for d in laid}
