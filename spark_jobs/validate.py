"""The job: the URI of a JobRequest in, evidence, rejected rows and a JobResult out. It measures; it decides nothing.

    python -m spark_jobs.validate --request URI

Drops with the same header are read together. A file that cannot be read fails by itself; any other error is raised, and
leaves no result.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from contracts.job import SIFTED_FROM, JobHeader, JobRequest, JobResult
from contracts.watermarks import marked
from spark_jobs import measure
from spark_jobs.scan import batch, second_pass
from spark_jobs.spark import sql_guard, storage
from spark_jobs.spark.jvm import java_class, remember
from spark_jobs.transcribing import in_lines

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.legacy.codingErrorAction": "true",  # a character outside the file's encoding becomes `?`, not a crash
    "spark.sql.legacy.javaCharsets": "true",  # else Spark decodes only UTF-8, UTF-16, UTF-32, ISO-8859-1 and ASCII
    "spark.sql.csv.parser.columnPruning.enabled": "false",  # pruning loses the mark of malformed records
    "spark.sql.json.enablePartialResults": "false",  # half an object must never look like a whole one
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # INT96 is no type of Delta's
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # Spark has no type for nanoseconds
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",  # days before 1582 as they were written
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",  # half a file must never look like a whole one
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.openCostInBytes": str(512 * 2**10),  # 250 small files to a task; by default 32
    # Otherwise the code for a cell that may be null is generated again for each of its uses.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PushFoldableIntoBranches",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "20000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 * 2**20),  # lines may be long
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    "spark.sql.adaptive.enabled": "false",  # there is a partition for each core; planning again finds nothing better
}
"""Settings that correctness needs of any Spark session; the last four are for speed and memory."""
OF_WORKERS = {"MALLOC_MMAP_THRESHOLD_": str(32 * 2**20), "MALLOC_TRIM_THRESHOLD_": str(64 * 2**20)}
"""glibc's settings of Python workers (mallopt(3)): the memory of a block of lines is kept for the next.

Otherwise Linux clears it anew for each block, which took a twentieth of the prefilter's CPU.
"""
FEW = 50_000
"""Failing and open lines up to which code for queries over them costs more to compile than it saves."""
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
IN_PIECES = {"spark.sql.codegen.hugeMethodLimit": "4000"}
"""Queries over failing rows end before the JVM has compiled a large method; it compiles small ones at once."""
DEBUGGING = "spark.python.sql.dataFrameDebugging.enabled"
"""Switched off: it records the line of every column expression, with three calls into the JVM instead of one."""
LISTING = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
"""The number of tasks in which Spark lists more than 32 files; by default one for each."""
JIT = "-XX:-DontCompileHugeMethods"
"""Without it the code that Spark generates for many checks is never compiled, without any warning."""

log = logging.getLogger(__name__)


def main() -> None:
    """Run as a program: EMR Serverless starts this with the URI of the request."""
    parser = argparse.ArgumentParser(description="Validate the drops of one request.")
    parser.add_argument("--request", required=True, metavar="URI", help="the URI of the JobRequest")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    spark = SparkSession.builder.appName("dropgate").config(DEBUGGING, "false").getOrCreate()
    run(spark, arguments.request)
    spark.stop()


def run(spark: SparkSession, request_uri: str, prefilter_from: int | None = SIFTED_FROM) -> None:
    """Judge every drop of a request and write the result, last and whole; raise if the run as such fails.

    Files of `prefilter_from` bytes or more, and broad ones, are prefiltered, with None no file; the results are the
    same for any value of it.
    """
    started = _now()
    session = configured(spark)
    original = JobRequest.loads(storage.read_text(session, request_uri))
    request = replace(original, plan=marked(original.plan, original.marks))
    with ThreadPoolExecutor() as pool:
        measured = judge(session, request, pool, prefilter_from)
        drops = [measured.results[drop.id] for drop in request.drops]
        header = JobHeader(
            request.batch, request.try_, request.plan.sha, tuple(c.id for c in request.plan.checks), started, _now()
        )
        result = JobResult(header, tuple(drops)).dumps()
        for file in measured.files:
            file.result()
    storage.write_text(session, request.result, result)
    storage.delete(session, request.scratch)


def judge(
    spark: SparkSession, request: JobRequest, pool: Executor, prefilter_from: int | None = SIFTED_FROM
) -> measure.MeasuredBatch:
    """Take a request through the steps of the job: in lines, scan, second pass, measure."""
    sql_guard.check_plan(spark, request.plan)
    request, without_lines = in_lines.in_lines(spark, request)
    with ExitStack() as cached:
        scanned = batch.scan(spark, request, cached, prefilter_from)
        _set(spark, INTERPRETED if scanned.single <= FEW else IN_PIECES)
        judged = second_pass.judge(spark, request, scanned)
        measured = measure.measure(spark, request, judged, pool)
    return replace(measured, results=measured.results | without_lines)


def configured(spark: SparkSession) -> SparkSession:
    """Make a session of its own with the settings that correctness needs; the caller's session keeps its settings."""
    session = spark.newSession()
    remember(session)
    session.sparkContext.environment.update(OF_WORKERS)
    cores = str(session.sparkContext.defaultParallelism)
    # A fixed number of partitions splits files the same way in every query, so that ids mean the same lines.
    in_parts = dict.fromkeys(("spark.sql.files.minPartitionNum", "spark.sql.shuffle.partitions", LISTING), cores)
    _set(session, SETTINGS | in_parts)
    sql_guard.close(session)
    # Spark splits methods that the JVM does not compile: slower than compiled ones, much faster than interpreted ones.
    session.conf.set("spark.sql.codegen.hugeMethodLimit", "16000" if compiles_huge_methods(session) else "8000")
    if not compiles_huge_methods(session):
        log.warning("The JVM runs without %s: large contracts will be about three times slower.", JIT)
    return session


def _set(session: SparkSession, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        session.conf.set(name, value)


def compiles_huge_methods(spark: SparkSession) -> bool:
    """Return True if this JVM compiles the large methods that many checks make."""
    management = java_class(spark, "java.lang.management.ManagementFactory")
    return bool(management.getRuntimeMXBean().getInputArguments().contains(JIT))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    main()
