"""The fast lane: a request of small files that all surely pass in, the job's result out; no Spark runs.

What the prefilter is sure of needs no second look. Where it is not sure of a line, a check or a file, there is no
result, and the job judges the request: both give the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any
from urllib.parse import unquote, urlsplit

from contracts.files.header import MOST_COLUMNS
from contracts.files.mojibake import is_watched
from contracts.job import DropResult, JobDrop, JobHeader, JobRequest, JobResult
from contracts.lane import is_for
from contracts.plan import Plan
from contracts.watermarks import marked
from spark_jobs.counting import key_checks, placement
from spark_jobs.counting.drop_result import MeasuredDrop, drop_result
from spark_jobs.counting.tally import Tally, add_up
from spark_jobs.counting.top_lines import header_texts
from spark_jobs.prefilter import local_lines, plan_tests
from spark_jobs.prefilter.arrow_tests import PassCondition, evaluate_lines
from spark_jobs.prefilter.stretch_counts import StretchCounts, key_parsers

MOST = 256 * 2**20
"""Bytes of a request up to which one processor tests its lines in about the time in which Spark starts."""
AT_ONCE = 16 * 2**20
"""Bytes of a file up to which all of it is tested at once, so that its keys may come in any order."""


def judge(
    request: JobRequest, most: int = MOST, at_once: int = AT_ONCE, block: int = local_lines.BLOCK
) -> JobResult | None:
    """Return the result of a request for local files of up to so many bytes; None if the job has to judge it.

    A file of more than `at_once` bytes is tested by blocks of about so many bytes, and its keys must come in runs.
    """
    started = _now()
    request = replace(request, plan=marked(request.plan, request.marks))
    plan = request.plan
    if not is_for(plan) or sum(drop.size for drop in request.drops) > most:
        return None
    results = []
    for drop in request.drops:
        if (result := _result(request, drop, 2 * drop.size if drop.size <= at_once else block)) is None:
            return None
        results.append(result)
    checks = tuple(check.id for check in plan.checks)
    header = JobHeader(request.batch, request.try_, plan.sha, checks, started, _now())
    return JobResult(header, tuple(results))


def _result(request: JobRequest, drop: JobDrop, block: int) -> DropResult | None:
    """Return the result of a file whose lines surely pass all checks; None for another."""
    plan = request.plan
    condition = plan_tests.pass_condition(plan, drop.header, header_texts(plan, [drop]), MOST_COLUMNS)
    keys = {n for n, _ in key_checks.checks(plan, drop.header)}
    passing = None if condition is None else _passing(plan, drop, condition, keys, block)
    if passing is None:
        return None
    splits = sorted(passing.splits().values(), key=attrgetter("block"))
    lines = placement.line_counts(plan, drop, splits)
    tops = {(split.file, split.block, split.head.at): split.head.raw for split in splits if split.head}
    placed = placement.place(plan, drop, splits, lines, tops)
    if placed is None:
        return None
    if lines.records and not keys <= passing.distinct()[drop.uri]:
        return None
    tallies, _ = add_up(plan, passing.mask_counts())
    own = tallies.get(drop.uri) or Tally(failed=(0,) * len(plan.row_checks()))
    if is_watched(plan.csv) and (own.sums.utf8 or own.sums.ansi):
        return None
    return drop_result(request, drop, MeasuredDrop(lines, own))


def _passing(plan: Plan, drop: JobDrop, condition: PassCondition, keys: set[int], block: int) -> StretchCounts | None:
    """Return the counts of a file; None as soon as a line does not surely pass, or a key may be of the block before."""
    parsers = key_parsers(plan, condition)
    piece = local_lines.Piece(unquote(urlsplit(drop.uri).path), drop.uri, 0, drop.size)
    lines = local_lines.lines(0, [piece], block, condition.comment)
    counts: list[Mapping[str, Any]] = []
    for batch in evaluate_lines(lines, replace(condition, sorts=True)):
        if batch.column("n").null_count:  # lines, which may be no text
            return None
        rows = batch.to_pylist()
        if any(row["mask"] is not None or row["odd"] or row["failing"] for row in rows):
            return None
        if not all(keys <= those for those in StretchCounts([*counts[-1:], *rows], (), parsers).distinct().values()):
            return None
        counts += rows
    return StretchCounts(counts, (), parsers)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
