"""All that the driver itself makes of lines that surely fail: scanned groups in; evidence, samples, rejected rows out.

What Arrow cannot make is left to queries, with a warning: it is never the reason that a run fails.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession

from contracts.job import JobRequest
from contracts.problem import visible
from spark_jobs.counting import bitmask
from spark_jobs.counting.drop_result import DropEvidence
from spark_jobs.outputs import sure_evidence, sure_rejected, sure_samples
from spark_jobs.outputs.sure_evidence import SureRows
from spark_jobs.outputs.sure_rejected import RejectedLines
from spark_jobs.scan.line_numbers import SureGroup
from spark_jobs.spark import storage

NAME = "sure-{}.zstd.parquet"
"""The file of evidence of a group."""
BY_QUERIES = "Queries make the evidence of all failing lines, as the driver could not make its part: %s"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SureOutputs:
    """The rows of some groups and their files of evidence; samples and rejected rows if no other records fail.

    `rejected` is None as well if a query has to make the rejected rows.
    """

    rows: Sequence[SureRows]
    evidence: Sequence[pa.Buffer]
    by_drop: Mapping[str, DropEvidence] | None
    rejected: Sequence[RejectedLines] | None

    def __len__(self) -> int:
        return sum(map(len, self.rows))

    def write_evidence(self, spark: SparkSession, folder: str) -> None:
        """Write the files of evidence into a folder."""
        for number, content in enumerate(self.evidence):
            storage.put_pieces(spark, [content], folder + NAME.format(number))


def made(
    request: JobRequest, groups: Sequence[SureGroup], failing: bitmask.Numbered, how_many: int
) -> SureOutputs | None:
    """Make all that can be made of groups; None if that is nothing.

    `failing` are the checks that any record of the batch fails, `how_many` the records that do.
    """
    try:
        rows = [own for group in groups if (own := sure_evidence.rows(group, failing))]
        if not rows:
            return None
        evidence = [own.parquet(request) for own in rows]
        if sum(map(len, rows)) < how_many:
            return SureOutputs(rows, evidence, None, None)
        by_drop = sure_samples.of_rows(rows, request.plan)
        return SureOutputs(rows, evidence, by_drop, sure_rejected.lines_of(rows, request.plan))
    except (pa.ArrowException, MemoryError, OverflowError) as error:
        log.warning(BY_QUERIES, type(error).__name__ if request.plan.classified else visible(str(error), 400))
        return None
