"""Step 0, in lines: the drops of a request in, the same drops as plain lines in UTF-8 in scratch out.

A file that Spark cannot read in parts is turned once into one that it can: unpacked, then recoded, then transcribed,
each only if the plan asks for it. All later steps read what is in scratch, by the plan of these lines.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from contracts.files import zip_archive
from contracts.files.apart import Readers
from contracts.job import DropResult, JobDrop, JobMember, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import OURS
from spark_jobs.formats import text_lines
from spark_jobs.spark import packing, recoding, storage
from spark_jobs.transcribing import documents

AT_ONCE = 8
"""Files that are turned into lines side by side, by the driver."""
MOST = 2 << 30
"""Bytes that an admitted file unpacks to at most."""

Members = tuple[JobMember, ...]


def in_lines(spark: SparkSession, request: JobRequest) -> tuple[JobRequest, dict[str, DropResult]]:
    """Return the request for files of lines, and the results of drops that have none.

    A file is refused if it proves damaged. If all of several drops fail, the files are hardly the cause: the run fails,
    and may be tried again.
    """
    plan = request.plan
    if not (plan.unpacked_first or plan.is_recoded or plan.is_transcribed):
        return request, {}
    with documents.readers(plan) as readers, ThreadPoolExecutor(AT_ONCE) as pool:
        parts = list(pool.map(partial(_in_lines, spark, request, readers), range(len(request.drops))))
    results = {part.drop: part for part in parts if isinstance(part, DropResult)}
    failures = [result.failure for result in results.values() if result.failure]
    if len(failures) == len(parts) > 1:
        raise OSError(failures[0].message)
    drops = tuple(part for part in parts if isinstance(part, JobDrop))
    return replace(request, plan=plan.transcribed, drops=drops), results


def _in_lines(spark: SparkSession, request: JobRequest, readers: Readers, number: int) -> JobDrop | DropResult:
    plan, drop, folder = request.plan, request.drops[number], f"{request.scratch}in-lines/{number}/"
    try:
        members, size = _unpacked(spark, plan, drop.uri, folder)
        _check_size(drop, size)
        lines = _transcribed(spark, plan, readers, _recoded(spark, plan, members, folder), folder)
    except (Py4JJavaError, OSError) as error:
        turned = "unpacked" if plan.unpacked_first else "read"
        text = f"The file could not be {turned}: {text_lines.first_line(error)}"
        return DropResult(drop.id, drop.attempt, failure=Problem("unreadable", text, OURS))
    if isinstance(lines, Problem):
        return DropResult.refused(drop, lines)
    return replace(drop, uri=lines[0].uri, size=size or drop.size, members=lines if plan.archive else ())


def _check_size(drop: JobDrop, size: int | None) -> None:
    """Raise OSError for a file that is unpacked to another number of bytes than at admission."""
    if size is not None and size != drop.unpacked:
        raise OSError(f"it holds other than the {drop.unpacked:,} bytes that were admitted")


def lines_of(spark: SparkSession, plan: Plan, uri: str, folder: str) -> Members | Problem:
    """Return the files of lines that a file is turned into, in a folder: that file itself if its plan asks for nothing.

    Raise OSError for an archive that is not as it was at admission.
    """
    members, _ = _unpacked(spark, plan, uri, folder)
    with documents.readers(plan) as readers:
        return _transcribed(spark, plan, readers, _recoded(spark, plan, members, folder), folder)


def _unpacked(spark: SparkSession, plan: Plan, uri: str, folder: str) -> tuple[Members, int | None]:
    """Unpack a file; return its files, and the bytes of their content; None if there is nothing to unpack."""
    if not plan.unpacked_first:
        return (JobMember("", uri),), None
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


def _recoded(spark: SparkSession, plan: Plan, members: Members, folder: str) -> Members:
    """Copy texts in an encoding that Spark cannot read as UTF-8."""
    if not plan.is_recoded:
        return members
    parts = []
    for n, member in enumerate(members):
        to = f"{folder}{n}.utf-8.{plan.file_format}"
        recoding.to_utf8(spark, plan.csv, member.uri, to, packed=plan.compression == "gzip")
        parts.append(replace(member, uri=to))
    return tuple(parts)


def _transcribed(spark: SparkSession, plan: Plan, readers: Readers, members: Members, folder: str) -> Members | Problem:
    """Write the records of documents as lines; return the problem of the first that is damaged."""
    if not plan.is_transcribed:
        return members
    parts = []
    for n, member in enumerate(members):
        to = f"{folder}{n}.{plan.transcribed.file_format}"
        if problem := documents.transcribe(spark, readers, member.uri, to):
            return replace(problem, message=f"`{member.name}`: {problem.message}") if member.name else problem
        parts.append(replace(member, uri=to))
    return tuple(parts)
