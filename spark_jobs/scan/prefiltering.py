"""Step 2, prefilter: read groups in; the same with the prefilter's counts and remaining lines out, where it pays."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, cast

from pyspark import StorageLevel
from pyspark.sql import SparkSession

from contracts import rules
from contracts.job import DropResult, JobRequest, is_broad
from contracts.plan import Plan
from spark_jobs.counting.narrowing import Narrowing
from spark_jobs.counting.top_lines import header_texts
from spark_jobs.formats import registry, text_lines
from spark_jobs.prefilter import prefilter, sure_lines
from spark_jobs.scan.read import ReadBatch, ReadGroup
from spark_jobs.scan.references import References
from spark_jobs.spark import storage

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import PassCondition
    from spark_jobs.prefilter.parquet_columns import ColumnConditions

Conditions = Mapping[tuple[tuple[str, ...], tuple[str, ...]], "PassCondition | ColumnConditions"]
"""The conditions for records to pass, by the header and the types of files."""


@dataclass(frozen=True, slots=True)
class PrefilteredGroup:
    """A read group and the prefilter's result; None if Spark judges all its lines."""

    read: ReadGroup
    result: prefilter.Prefiltered | None = None


@dataclass(frozen=True, slots=True)
class PrefilteredBatch:
    """The prefiltered groups, the results of drops that failed before, and the references of the plan."""

    groups: tuple[PrefilteredGroup, ...]
    failed: dict[str, DropResult]
    references: References

    def narrowing(self, plan: Plan) -> Narrowing:
        """Return the part of a plan that Spark judges of the lines that are left."""
        names: set[str] = set()
        for group in self.groups:
            places = None if group.result is None else group.result.open_columns()
            if places is None:
                return Narrowing.of(plan, None)
            names |= {group.read.header[at] for at in places}
        return Narrowing.of(plan, names)


def conditions(spark: SparkSession, request: JobRequest, references: References, least: int) -> Conditions:
    """Return the pass conditions for those drops of at least so many bytes whose prefilter is possible and pays."""
    groups = [g for g in text_lines.by_header(request.drops) if prefilter.is_for(request.plan, g[1], least)]
    plan = _with_lists(request.plan, references) if groups else request.plan
    by_columns: dict[tuple[tuple[str, ...], tuple[str, ...]], PassCondition | ColumnConditions] = {}
    for header, drops in groups:
        types = drops[0].types
        condition: PassCondition | ColumnConditions | None
        if plan.file_format == "parquet":
            pays = not least or prefilter.are_large(drops)
            condition = prefilter.column_conditions(plan, header, types) if pays else None
        else:
            condition = prefilter.pass_condition(plan, header, header_texts(plan, drops), narrows=not least)
            largest = max(drops, key=attrgetter("size"))
            surely = not least or is_broad(plan, len(header))
            if condition and not surely and not prefilter.pays(spark, plan, condition, largest):
                condition = None
        if condition:
            by_columns[header, types] = condition
    return by_columns


def _with_lists(plan: Plan, references: References) -> Plan:
    """Return a plan in which foreign keys with few keys are lists of values, which Arrow can test.

    A record fails both alike: a value that is not null is none of them.
    """
    own = {check.id: keys for check in plan.checks if (keys := references.keys.get(check.id)) and keys.few}
    if not own:
        return plan
    lists = {check_id: rules.Enum(keys.listed()) for check_id, keys in own.items()}
    checks = (replace(check, rule=lists[check.id]) if check.id in lists else check for check in plan.checks)
    return replace(plan, checks=tuple(checks))


def prefilter_groups(
    spark: SparkSession, plan: Plan, read: ReadBatch, conditions: Conditions, cached: ExitStack, *, ranges: bool
) -> PrefilteredBatch:
    """Prefilter each group that has a condition; `cached` gives back what executors keep of its lines.

    With `ranges` workers read objects of S3 themselves; otherwise Spark reads them.

    Parquet files that do not pass as a whole become groups of their own, behind all others.
    """
    groups: list[PrefilteredGroup] = []
    remaining: list[PrefilteredGroup] = []
    for group in read.groups:
        condition = conditions.get((group.header, group.drops[0].types))
        if condition is None:
            groups.append(PrefilteredGroup(group))
        elif plan.file_format == "parquet":
            first, *others = _by_columns(spark, plan, group, cast("ColumnConditions", condition), ranges)
            groups.append(first)
            remaining += others
        else:
            of_lines = cast("PassCondition", condition)
            room = sure_lines.MOST // len(read.groups) if sure_lines.is_for(plan) else 0
            rows = prefilter.prefiltered_lines(group.source, of_lines, room, ranges=ranges)
            cached.callback(rows.persist(StorageLevel.DISK_ONLY).unpersist)
            groups.append(PrefilteredGroup(group, prefilter.counted(rows, plan, of_lines, room)))
    return PrefilteredBatch((*groups, *remaining), read.failed, read.references)


def _by_columns(
    spark: SparkSession, plan: Plan, group: ReadGroup, condition: ColumnConditions, ranges: bool
) -> list[PrefilteredGroup]:
    """Prefilter Parquet files: a group of those that pass as a whole, and one of all others, if there are both."""
    passing_groups = prefilter.passing_row_groups(group.source, condition, ranges=ranges)
    paths = {prefilter.place(path) for path, _, _ in passing_groups}
    passing = tuple(drop for drop in group.drops if storage.plain(drop.uri) in paths)
    others = tuple(drop for drop in group.drops if storage.plain(drop.uri) not in paths)
    if not passing:
        return [PrefilteredGroup(group)]
    if not others:
        return [PrefilteredGroup(group, prefilter.of_whole_files(group.source, plan, condition, passing_groups))]
    form = registry.of(plan)
    rest = replace(group, drops=others, source=form.load(spark, plan, others))
    whole = replace(group, drops=passing, source=form.load(spark, plan, passing))
    result = prefilter.of_whole_files(whole.source, plan, condition, passing_groups)
    return [PrefilteredGroup(whole, result), PrefilteredGroup(rest)]
