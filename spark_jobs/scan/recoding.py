"""Step 0, recode: the drops of a request in, the same drops as files in UTF-8 in scratch out.

Files in UTF-16 are recoded once. All later steps read what is in scratch, so that they are the same as for UTF-8.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from contracts.job import DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import OURS
from spark_jobs.formats import text_lines
from spark_jobs.spark import recoding

AT_ONCE = 8
"""Files that are recoded side by side, by the driver."""


def recoded(spark: SparkSession, request: JobRequest) -> tuple[JobRequest, dict[str, DropResult]]:
    """Return the request with files in UTF-8, and the results of drops that cannot be read.

    If all of several drops fail, the files are hardly the cause: the run fails, and may be tried again.
    """
    if not request.plan.is_recoded:
        return request, {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        parts = list(pool.map(partial(_recoded, spark, request), range(len(request.drops))))
    failed = {part.drop: part for part in parts if isinstance(part, DropResult)}
    if len(failed) == len(parts) > 1:
        raise OSError(next(f"{result.failure}" for result in failed.values()))
    return replace(request, drops=tuple(part for part in parts if isinstance(part, JobDrop))), failed


def _recoded(spark: SparkSession, request: JobRequest, number: int) -> JobDrop | DropResult:
    drop = request.drops[number]
    try:
        uri = in_utf8(spark, request.plan, drop.uri, f"{request.scratch}recoded/{number}")
    except (Py4JJavaError, OSError) as error:
        text = f"The file could not be read: {text_lines.first_line(error)}"
        return DropResult(drop.id, drop.attempt, failure=Problem("unreadable", text, OURS))
    return replace(drop, uri=uri)


def in_utf8(spark: SparkSession, plan: Plan, uri: str, to: str) -> str:
    """Return the URI of a text file in an encoding that Spark can read: the file itself, or a copy of it."""
    if not plan.is_recoded:
        return uri
    target = f"{to}.{plan.file_format}"
    recoding.to_utf8(spark, plan.csv, uri, target, packed=plan.compression == "gzip")
    return target
