"""The drops of a request in, a scanned batch out: read, prefiltered, scanned. Each unreadable drop fails by itself."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import urlsplit

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from contracts.job import SIFTED_FROM, DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem, visible
from contracts.verdict import OURS
from spark_jobs.formats import registry, text_lines
from spark_jobs.scan import prefiltering, references, scanning
from spark_jobs.scan.prefiltering import Conditions
from spark_jobs.scan.read import read
from spark_jobs.scan.references import References
from spark_jobs.scan.scanning import ScannedBatch
from spark_jobs.spark import presigning

ONE_BY_ONE = "Records are judged one by one, as they could not be prefiltered: %s"
BY_SPARK = "Spark reads the files from S3, as prefiltering them by presigned ranges failed: %s"

log = logging.getLogger(__name__)


def scan(
    spark: SparkSession, request: JobRequest, cached: ExitStack, prefilter_from: int | None = SIFTED_FROM
) -> ScannedBatch:
    """Scan all lines of a request into scratch; if that fails, find the files that it fails for and scan the others.

    Files with one header that have `prefilter_from` bytes or more are prefiltered if that pays; from 0 bytes on,
    whenever it is possible; with None never. `cached` gives back what executors keep.

    If the scan fails for each of several files, or for one whose lines can be counted, the files are hardly the cause:
    the run fails, and may be tried again. If the prefilter fails where workers read objects of S3 themselves, Spark
    reads them for it; if it still fails, the request is scanned without it.
    """
    keys = references.read(spark, request)
    conditions = {} if prefilter_from is None else prefiltering.conditions(spark, request, keys, prefilter_from)
    for ranges in (True, False) if has_objects(request) else (False,):
        if not conditions:
            break
        try:
            return _scan(spark, request, request.drops, keys, cached, conditions, ranges=ranges)
        except (PySparkException, Py4JError) as error:
            cached.close()
            log.warning(BY_SPARK if ranges else ONE_BY_ONE, visible(_reason(request.plan, error), 400))
    try:
        return _scan(spark, request, request.drops, keys, cached)
    except (PySparkException, Py4JJavaError) as error:
        failed = _unreadable(spark, request, request.drops, error, keys)
        ours = [d for d in request.drops if d.id in failed and not failed[d.id].refusal]
        if len(ours) == len(request.drops) and (len(ours) > 1 or _is_readable(spark, request)):
            raise
        others = _scan(spark, request, [d for d in request.drops if d.id not in failed], keys, cached)
        return replace(others, failed=others.failed | failed)


def has_objects(request: JobRequest) -> bool:
    """Return True if a request has files that are objects of S3."""
    return any(urlsplit(uri).scheme in presigning.SCHEMES for drop in request.drops for uri in drop.uris)


def _scan(
    spark: SparkSession,
    request: JobRequest,
    drops: Sequence[JobDrop],
    keys: References,
    cached: ExitStack,
    conditions: Conditions = MappingProxyType({}),
    *,
    ranges: bool = False,
) -> ScannedBatch:
    read_batch = read(spark, request.plan, drops, keys)
    prefiltered = prefiltering.prefilter_groups(spark, request.plan, read_batch, conditions, cached, ranges=ranges)
    return scanning.scan(spark, request, prefiltered, cached)


def _unreadable(
    spark: SparkSession, request: JobRequest, drops: Sequence[JobDrop], error: Exception, keys: References
) -> dict[str, DropResult]:
    """Find, by halving, the drops that cannot be scanned, among drops whose scan failed; each fails by itself.

    It is refused if its bytes are not of its format, else failed.
    """
    if len(drops) == 1:
        (drop,) = drops
        if fault := registry.of(request.plan).fault(spark, request.plan, drop):
            return {drop.id: DropResult.refused(drop, fault)}
        problem = Problem("unreadable", f"The file could not be read: {_reason(request.plan, error)}", OURS)
        return {drop.id: DropResult(drop.id, drop.attempt, failure=problem)}
    results: dict[str, DropResult] = {}
    half = len(drops) // 2
    for part in (drops[:half], drops[half:]):
        with ExitStack() as cached:
            try:
                _scan(spark, request, part, keys, cached)
            except (PySparkException, Py4JJavaError) as cause:
                results |= _unreadable(spark, request, part, cause, keys)
    return results


def _reason(plan: Plan, error: Exception) -> str:
    """Return the first line of an error; for plans with classified values only its type: the text may quote them."""
    if not plan.classified:
        return text_lines.first_line(error)
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    return f"{condition or type(error).__name__}; the rest is hidden, as it may quote a classified value"


def _is_readable(spark: SparkSession, request: JobRequest) -> bool:
    """Return True if the records of the request's drops can be counted."""
    try:
        registry.of(request.plan).load(spark, request.plan, request.drops).count()
    except (PySparkException, Py4JJavaError):
        return False
    return True
