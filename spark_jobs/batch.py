"""The drops of a request in, grouped and scanned into scratch; a drop that is not what admission saw, or not readable, fails alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from contracts.job import DropResult, JobDrop, JobRequest
from contracts.problem import Problem
from spark_jobs import metrics, reader, storage

OURS = "Nothing is wrong with the file as far as we know; we look into it and judge it again."


@dataclass(slots=True)
class Group:
    """Drops with one header, read together; `places` and `heads` (ids of header lines) come from the scan."""

    header: tuple[str, ...]
    drops: list[JobDrop]
    text: DataFrame
    places: list[metrics.Place] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)


def count_lines(spark: SparkSession, drops: Sequence[JobDrop]) -> tuple[dict[str, reader.Bare], dict[str, DropResult]]:
    """Count the lines of every file; a file that cannot be read is found by halving and fails alone."""
    try:
        counted = reader.bare(reader.load(spark, [d.uri for d in drops]))
    except (PySparkException, Py4JJavaError) as error:
        if len(drops) == 1:
            return {}, {drops[0].id: _unreadable(drops[0], error)}
        half = len(drops) // 2
        (left, broken), (right, more) = count_lines(spark, drops[:half]), count_lines(spark, drops[half:])
        return left | right, broken | more
    return {d.id: counted.get(storage.plain(d.uri), reader.Bare()) for d in drops}, {}


def grouped(spark: SparkSession, drops: Sequence[JobDrop]) -> list[Group]:
    """Drops by header: Spark binds columns by position, so that only files with the same header are one read."""
    by_header: dict[tuple[str, ...], list[JobDrop]] = {}
    for drop in drops:
        by_header.setdefault(drop.header, []).append(drop)
    return [Group(header, own, reader.load(spark, [d.uri for d in own])) for header, own in by_header.items()]


def scan(spark: SparkSession, request: JobRequest, groups: Sequence[Group]) -> dict[str, DropResult]:
    """Evaluate all lines into scratch and find each file's records; fails drops whose first line is not their header."""
    if not groups:
        return {}
    parts = [metrics.scan(g.text, request.plan, g.header, _header_texts(g.drops)) for g in groups]
    reduce(DataFrame.unionByName, parts).write.mode("overwrite").parquet(scratch(request))
    texts = _header_texts(d for g in groups for d in g.drops)
    by_file: dict[str, list[Row]] = {}
    for row in metrics.heads(spark.read.parquet(scratch(request)), texts).orderBy("file", "block").collect():
        by_file.setdefault(storage.plain(row["file"]), []).append(row)
    failed = {}
    for group in groups:
        for drop in group.drops:
            if not _placed(group, drop, by_file.get(storage.plain(drop.uri), [])):
                failed[drop.id] = _header_changed(drop)
    return failed


def scratch(request: JobRequest) -> str:
    """Where the grouped lines lie."""
    return storage.plain(request.scratch) + "lines"


def _placed(group: Group, drop: JobDrop, splits: Sequence[Row]) -> bool:
    """Note where the records of a drop lie; false if its first line is not its header."""
    if not splits or splits[0]["block"] != 0:
        return False
    start: Any = splits[0]["head"]
    if start is None or start["at"] != splits[0]["first"] or start["raw"] not in reader.header_texts(drop.header_line):
        return False
    group.heads.append(start["at"])
    offset = 0
    for split in splits:
        group.places.append(metrics.Place(split["file"], split["block"], drop.id, offset - split["first"]))
        offset += split["n"]
    return True


def _header_texts(drops: Iterable[JobDrop]) -> list[str]:
    return sorted({text for d in drops for text in reader.header_texts(d.header_line)})


def _unreadable(drop: JobDrop, error: Exception) -> DropResult:
    why = str(error).strip().split("\n", 1)[0]
    return DropResult(drop.id, drop.attempt, failure=Problem("unreadable", f"The file could not be read: {why:.300}", OURS))


def _header_changed(drop: JobDrop) -> DropResult:
    text = "The first line of the file is not the header that was admitted: the file changed, or was not read whole."
    return DropResult(drop.id, drop.attempt, failure=Problem("header-changed", text, OURS))
