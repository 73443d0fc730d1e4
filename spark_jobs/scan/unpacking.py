"""Step 0, unpack: the drops of a request in, the same drops as plain files in scratch out.

A file that Spark cannot unpack as it reads, or could not read in parts, is unpacked once. All later steps read what is
in scratch, so that they are the same for every form of packed file.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from contracts.files import zip_archive
from contracts.job import DropResult, JobDrop, JobMember, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import OURS
from spark_jobs.formats import text_lines
from spark_jobs.spark import packing, storage

AT_ONCE = 8
"""Files that are unpacked side by side, by the driver."""
MOST = 2 << 30
"""Bytes that an admitted file unpacks to at most."""


def unpacked(spark: SparkSession, request: JobRequest) -> tuple[JobRequest, dict[str, DropResult]]:
    """Return the request with plain files, and the results of drops that cannot be unpacked.

    Admission has unpacked each of them before. If all of several drops fail, the files are hardly the cause: the run
    fails, and may be tried again.
    """
    if not request.plan.unpacked_first:
        return request, {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        parts = list(pool.map(partial(_unpacked, spark, request), range(len(request.drops))))
    failed = {drop.id: part for drop, part in zip(request.drops, parts, strict=True) if isinstance(part, DropResult)}
    if len(failed) == len(parts) > 1:
        raise OSError(next(f"{result.failure}" for result in failed.values()))
    return replace(request, drops=tuple(part for part in parts if isinstance(part, JobDrop))), failed


def _unpacked(spark: SparkSession, request: JobRequest, number: int) -> JobDrop | DropResult:
    drop = request.drops[number]
    try:
        members, size = _members(spark, request.plan, drop.uri, f"{request.scratch}unpacked/{number}/")
    except (Py4JJavaError, OSError) as error:
        return _failed(drop, f"The file could not be unpacked: {text_lines.first_line(error)}")
    if size != drop.unpacked:
        return _failed(drop, f"The file holds other than the {drop.unpacked:,} bytes that were admitted.")
    return replace(drop, uri=members[0].uri, size=size, members=members if request.plan.archive else ())


def _failed(drop: JobDrop, text: str) -> DropResult:
    return DropResult(drop.id, drop.attempt, failure=Problem("unreadable", text, OURS))


def plain(spark: SparkSession, plan: Plan, uri: str, folder: str) -> tuple[JobMember, ...]:
    """Return the text of a promoted file: that file, or those that it is unpacked to if its plan asks for that."""
    return _members(spark, plan, uri, folder)[0] if plan.unpacked_first else (JobMember("", uri),)


def _members(spark: SparkSession, plan: Plan, uri: str, folder: str) -> tuple[tuple[JobMember, ...], int]:
    """Unpack a file into a folder; return its files there, and the bytes of their content.

    Raise OSError for an archive that is not as it was at admission.
    """
    if plan.archive is None:
        alone = JobMember("", f"{folder}0.{plan.file_format}")
        return (alone,), packing.unpack(spark, plan.packing, uri, alone.uri, MOST)
    listed = zip_archive.members(plan.archive, partial(storage.read_range, spark, uri), storage.size(spark, uri))
    if isinstance(listed, Problem):
        raise OSError(listed.message)
    size, parts = 0, []
    for n, member in enumerate(listed):
        to, headless = f"{folder}{n}.{plan.file_format}", n > 0 and plan.file_format == "csv" and plan.csv.header
        skipped, written = packing.unpack_member(spark, uri, member, to, headless=headless)
        if skipped + written != member.size:
            raise OSError(zip_archive.lies(member.name).message)
        parts.append(JobMember(member.name, to, headless and written > 0))
        size += member.size
    return tuple(parts), size
