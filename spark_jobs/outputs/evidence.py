"""Evidence of a job: records in; failing rows as Parquet, and files of rejected rows for producers, out.

Evidence is written once and read back: rows that are counted as rejected, shown as samples or sent to a producer are
the written rows. Rows that the driver makes itself (`sure_evidence`) are those that it writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TYPE_CHECKING
from urllib.parse import quote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.files import header as files_header
from contracts.job import JobDrop, JobRequest
from contracts.plan import Plan
from spark_jobs.counting import bitmask
from spark_jobs.counting.masking import MASK
from spark_jobs.formats import registry, text_lines
from spark_jobs.outputs import rejected_rows
from spark_jobs.rules import mask_tests
from spark_jobs.scan.members import LAST
from spark_jobs.spark import recoding, small_frames, storage
from spark_jobs.spark.jvm import java_class

if TYPE_CHECKING:
    from spark_jobs.outputs.sure_outputs import SureOutputs

ROWS = (
    "drop string, contract string, plan string, attempt int, `try` int, batch string, file string, record long, "
    "line long, outcome string, cells map<string,string>, raw string, checks array<string>"
)
"""The schema of the evidence of rows; that of archives has their member as well, that of documents the element."""
AS_PARQUET = {"compression": "zstd", "parquet.enable.dictionary#cells.key_value.value": "false"}
"""Half the bytes of Spark's default in the same time. Looking for cells in a dictionary was a sixth of the time."""
ROWS_IN_A_FILE = 20_000
MOST_REJECTED = 100_000


def write_rows(
    spark: SparkSession,
    records: DataFrame | None,
    request: JobRequest,
    failing: bitmask.Numbered,
    how_many: int,
    sure: SureOutputs | None = None,
) -> DataFrame:
    """Write the failing rows, replacing those of an earlier try, and return them as written.

    These are `how_many` of some records (None if no query has to make rows), and the rows that the driver made.

    If the request asks for masked evidence, the returned rows are not masked: they are read from scratch, which is
    deleted with the run. `failing` are the checks that any row fails: expressions of all checks take longer to plan
    than these take to run.
    """
    folder = f"{request.scratch}evidence/" if request.mask else request.evidence_rows
    if records is None:
        storage.delete(spark, folder)
    else:
        evidence = _evidence(records, request, failing)
        cores = spark.sparkContext.defaultParallelism
        count = -(-how_many // ROWS_IN_A_FILE)
        files = evidence.coalesce(count if count < cores else -(-count // cores) * cores)  # no core idle at the end
        files.write.mode("overwrite").options(**AS_PARQUET).parquet(storage.plain(folder))
    if sure:
        sure.write_evidence(spark, folder)
    written = spark.read.schema(", ".join((ROWS, *(f"{name} string" for name in _more(request.plan))))).parquet(
        storage.plain(folder)
    )
    if request.mask:
        own = masked(written, request.plan).write.mode("overwrite").options(**AS_PARQUET)
        own.parquet(storage.plain(request.evidence_rows))
    return written


def masked(evidence: DataFrame, plan: Plan) -> DataFrame:
    """Mask the cells of classified properties and of unknown columns, and the raw text."""
    shown = [p.name for p in plan.roots if not plan.hides(p)]
    cells = sf.transform_values(
        "cells", lambda name, text: sf.when(name.isin(shown) | text.isNull(), text).otherwise(sf.lit(MASK))
    )
    raw = sf.when(sf.col("raw").isNotNull(), sf.lit(MASK))
    return evidence.withColumns({"cells": cells, "raw": raw})


def rejected_files(request: JobRequest, rejected: Mapping[str, int]) -> dict[str, str]:
    """Return the URI for the rejected rows of each drop that has some, and a folder for them."""
    name = files_header.rejected_file(request.plan)
    return {d.id: f"{d.rejected}{name}" for d in request.drops if rejected.get(d.id) and d.rejected}


def rejected_lines(
    spark: SparkSession,
    evidence: DataFrame,
    request: JobRequest,
    failing: bitmask.Numbered,
    rejected: Mapping[str, int],
    targets: Mapping[str, str],
) -> DataFrame:
    """Return the lines of the files of rejected rows, sorted by record (0 is the header): drop and text."""
    strict = [sf.lit(c.id) for _, c in failing if c.scope == "record"]
    broken = sf.arrays_overlap("checks", sf.array(*strict)) if strict else sf.lit(False)
    reasoned = rejected_rows.with_reasons(evidence.select("*", broken.alias("broken")), failing)
    rows = reasoned.where(sf.col("outcome") == "rejected")
    if max(rejected.values()) > MOST_REJECTED:
        nth = sf.expr("row_number() over (partition by drop order by record)")
        rows = rows.select("*", nth.alias("nth")).where(sf.col("nth") <= MOST_REJECTED)
    plan, drops = request.plan, [drop for drop in request.drops if drop.id in targets]
    titles = [(d.id, 0, title) for d in drops if (title := rejected_rows.title(d, plan)) is not None]
    if (last := rejected_rows.ending(plan)) is not None:
        titles += [(d.id, LAST, last) for d in drops]
    headed = small_frames.small(spark, titles, "drop string, record long, line string")
    parts = [rejected_rows.lines(own, header, plan) for own, header in _by_header(rows, drops)]
    lines = reduce(DataFrame.union, parts, headed)
    # One task writes a file in any case; if there is only one file, its lines need not be shuffled.
    together = lines.coalesce(1) if len(drops) == 1 else lines.repartition("drop")
    # Spark sorts by the partitions that it writes, unless rows are sorted by them already: this keeps their order.
    return together.sortWithinPartitions("drop", "record").select("drop", text_lines.encoded("line", plan.of_rejected))


def write_rejected(spark: SparkSession, lines: DataFrame, request: JobRequest, targets: Mapping[str, str]) -> None:
    """Write the files of rejected rows, each to the target of its drop."""
    plan, folder = request.plan, request.scratch + "rejected/"
    written = lines.write.mode("overwrite").options(**rejected_rows.line_ends(plan)).partitionBy("drop")
    written.text(storage.plain(folder))
    paths = java_class(spark, "org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils")

    def deliver(drop: str, target: str) -> None:
        own = f"{folder}{quote(paths.getPartitionPathString('drop', drop))}/"
        part = next(name for name in storage.names(spark, own) if name.startswith("part-"))
        if plan.is_recoded and not plan.fixed:
            recoding.from_utf8(spark, plan.csv, own + part, target, packed=False)
        else:
            storage.move(spark, own + part, target)

    with ThreadPoolExecutor(8) as pool:  # for object stores, where a rename is a copy
        list(pool.map(deliver, targets, targets.values()))


def _evidence(records: DataFrame, request: JobRequest, failing: bitmask.Numbered) -> DataFrame:
    plan = request.plan
    form = registry.of(plan)
    rows = records.where(mask_tests.fails_any(failing))
    malformed = mask_tests.is_malformed(failing)
    parts = [form.with_cells(own, plan, header, malformed) for own, header in _by_header(rows, request.drops)]
    return reduce(DataFrame.unionByName, parts).select(
        "drop",
        sf.lit(plan.contract).alias("contract"),
        sf.lit(plan.sha).alias("plan"),
        "attempt",
        sf.lit(request.try_).cast("int").alias("try"),
        sf.lit(request.batch).alias("batch"),
        sf.col("name").alias("file"),
        "record",
        "line",
        sf.when(mask_tests.is_rejected(failing), "rejected").otherwise("flagged").alias("outcome"),
        "cells",
        "raw",
        mask_tests.failed_ids(failing).alias("checks"),
        *_more(plan),
    )


def _more(plan: Plan) -> list[str]:
    """Return the columns that the evidence of some formats has."""
    return [*(["member"] if plan.archive else []), *(["element"] if plan.elements or plan.sheet else [])]


def _by_header(rows: DataFrame, drops: Iterable[JobDrop]) -> list[tuple[DataFrame, tuple[str, ...]]]:
    """Return the rows of drops with the same header, and that header, for each header."""
    grouped = text_lines.by_header(drops)
    return [(rows.where(sf.col("drop").isin([d.id for d in own])), header) for header, own in grouped]
