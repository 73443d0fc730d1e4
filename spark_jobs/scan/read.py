"""Step 1, read: the drops of a request in, groups of files that Spark reads together out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from contracts.job import DropResult, JobDrop
from contracts.plan import Plan
from spark_jobs.formats import registry, text_lines
from spark_jobs.scan.references import References


@dataclass(frozen=True, slots=True)
class ReadGroup:
    """Drops with the same header and types, as one DataFrame of their format."""

    header: tuple[str, ...]
    drops: tuple[JobDrop, ...]
    source: DataFrame


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """The groups of a request, the results of drops that their format refuses, and the references of the plan."""

    groups: tuple[ReadGroup, ...]
    failed: dict[str, DropResult]
    references: References


def read(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop], references: References) -> ReadBatch:
    """Group the drops that Spark can read; a file that its format refuses as a whole fails by itself."""
    form = registry.of(plan)
    refusals = form.refusals(spark, plan, drops)
    readable = [d for d in drops if d.id not in refusals]
    groups = tuple(
        ReadGroup(header, tuple(group), form.load(spark, plan, group))
        for header, group in text_lines.by_header(readable)
    )
    refused = {d.id: DropResult.refused(d, refusals[d.id]) for d in drops if d.id in refusals}
    return ReadBatch(groups, refused, references)
