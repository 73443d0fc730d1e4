"""`python process.py ENDPOINT RUN`: Spark and the job as on EMR; they run what the standard input asks for.

RUN is JSON of the settings of a session and of `brief`, whether the JVM compiles quickly.

The job's code comes from the job's archive and Arrow from the archive of Arrow, by PYTHONPATH. A line of JSON in is a
`scan` or a `job`; a line out has its seconds, and those of the processors for this process and all below it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from infra.setup.spark.session import local_session

MEMORY = "4g"
TICKS = os.sysconf("SC_CLK_TCK")
ABSENT = ("numpy", "pandas", "pyarrow.dataset")
"""Modules that the archives for EMR lack."""


def main(endpoint: str, settings: dict[str, str], *, brief: bool) -> None:
    """Start Spark with settings of a session, and answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    spark = local_session("dropgate bench", endpoint, MEMORY, brief=brief)
    for name, value in settings.items():
        spark.conf.set(name, value)
    here, there = origins(), spark.sparkContext.parallelize([0], 1).map(lambda _: origins()).collect()[0]
    print(json.dumps([here, there]), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_measured(_work(spark, json.loads(line)))), file=answers, flush=True)
    spark.stop()


def origins() -> dict[str, str | None]:
    """Return the files of the job's code and of Arrow, and of modules that should be absent."""
    files: dict[str, str | None] = {}
    for name in ("contracts", "spark_jobs", "pyarrow", *ABSENT):
        try:
            files[name] = import_module(name).__file__
        except ImportError:
            files[name] = None
    return files


def _work(spark: SparkSession, asked: dict[str, Any]) -> Callable[[], None]:
    if asked["work"] == "scan":
        return lambda: scan(spark, asked["uri"], asked["format"], asked["schema"])
    validate = import_module("spark_jobs.validate")
    return lambda: validate.run(spark, asked["request"])


def scan(spark: SparkSession, uri: str, file_format: str, schema: str) -> None:
    """Let Spark read typed columns and throw them away."""
    reader = spark.read.format({"jsonl": "json"}.get(file_format, file_format)).schema(schema)
    rows = (reader.option("header", True) if file_format == "csv" else reader).load(uri)
    rows.write.format("noop").mode("overwrite").save()


def _measured(run: Callable[[], None]) -> tuple[float, float]:
    began, before = time.perf_counter(), processor_seconds()
    run()
    return time.perf_counter() - began, processor_seconds() - before


def processor_seconds() -> float:
    """Return the seconds of the processors that this process and all below it have used (proc(5), `stat`)."""
    parents, used = dict[int, int](), dict[int, float]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(path.parent.name)] = int(fields[1])
        used[int(path.parent.name)] = sum(map(int, fields[11:15])) / TICKS  # its own, and of children that have ended
    return sum(seconds for process, seconds in used.items() if _is_below(process, os.getpid(), parents))


def _is_below(process: int, above: int, parents: dict[int, int]) -> bool:
    while process != above and process in parents:
        process = parents[process]
    return process == above


if __name__ == "__main__":
    main(sys.argv[1], **json.loads(sys.argv[2]))
