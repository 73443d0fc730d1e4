"""Checks that Great Expectations makes: files as they were read in; a count for each drop and such check out.

It looks at the sound records of one drop alone, in columns of the contract's types and names, in the file's order. It
takes scans of its own for that, over a copy of these columns that is kept meanwhile. It is imported only when a plan
has such checks, as that takes seconds. What goes wrong in it is an error of that check, never a pass.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from string import Formatter
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.decision import EXCUSED
from contracts.job import Count, Sample
from contracts.place import Place
from contracts.plan import CONTAINERS, EXPECTATION, Check, Plan, Property
from spark_jobs.formats import registry
from spark_jobs.scan.batch import Group
from spark_jobs.set_checks import uniqueness
from spark_jobs.set_checks.results import MASK
from spark_jobs.spark import sql_guard

MOST = 5
LENGTH = 200
"""Characters of a value, or of a reason, that are shown."""
RECORD = "_record"
"""Names the record in what Great Expectations tells of unexpected ones; no property can have that name."""
ASKED = {"result_format": "SUMMARY", "partial_unexpected_count": MOST}
FIRST = "0001-01-01"
"""The first day that there is in Python."""
OF_RECORDS = ("values", "column", "pairs", "columns", "table")
OF_FILES = ("table", "header")
"""What expectations can be about in a file without a record."""
ABSENT = "Great Expectations is not there; `make build GX=1` brings it, and then `make deploy` to a deployed stack"
UNTOLD = "Great Expectations crashed on it; the error is hidden, as it may quote a classified value"
NO_ROWS = EXCUSED[1]
OF_JSON, NOT_JSON = "expect_column_values_to_match_json_schema", "JSONDecodeError"
"""The expectation that stops at a text that is not JSON, and the fault by which this is seen: it is not met."""
NOT_JSON_TOLD = "a text that is not JSON"
VIEW = "tmp_view"
"""What Great Expectations calls the file in queries."""
LEADING = ("$PARAMETER", "$ref", "$dynamicRef", "$recursiveRef", "$id")
"""Keys by which it, or the library for JSON schemas, reads what lies elsewhere."""

Found = dict[str, dict[str, Count]]
"""Counts by drop, by check id."""


def judged(spark: SparkSession, plan: Plan, groups: Sequence[Group], *, malformed: bool) -> Found:
    """The counts of all such checks; `malformed` says whether there are malformed records to leave out.

    A check of a property that a file lacks has none.
    """
    if not plan.needs_expectations:
        return {}
    try:
        great_expectations = importlib.import_module("great_expectations")
    except ImportError:
        absent = Count(state="error", reason=ABSENT)
        return {d.id: {c.id: absent for c in _made(plan, g)} for g in groups for d in g.drops}
    expecting = _Expecting(great_expectations, spark, plan)
    found: Found = {}
    for group in groups:
        if checks := _made(plan, group):
            found |= expecting.of_group(group, checks, malformed=malformed)
    return found


def _made(plan: Plan, group: Group) -> list[Check]:
    return [c for c in plan.checks if c.kind == EXPECTATION and set(c.properties()) <= set(group.header)]


def _frame(spark: SparkSession, plan: Plan, group: Group, *, malformed: bool) -> DataFrame:
    """The sound records of a group: drop (its place in the group), record, a column for each property of one value."""
    named = {p.name: p for p in plan.roots if p.type not in CONTAINERS}
    wanted = [name for name in group.header if name in named]
    records = registry.of(plan).records(group.source, plan, group.header, wanted, group.aside, malformed)
    numbered = uniqueness.numbered(spark, records, group.places, [d.id for d in group.drops])
    columns = [_column(n, named[name]) for n, name in enumerate(wanted)]
    return numbered.select("drop", sf.col("record").alias(RECORD), *columns)


def _column(number: int, prop: Property) -> Column:
    """The values of a property; times of day, for which Spark has no type, as they are written.

    Moments before the year 1 are null, as Python has none: the library collects what it tells of, and would fall over.
    """
    value = sf.col(f"v{number}")
    if prop.type in ("date", "timestamp"):
        value = sf.when(value >= sf.lit(FIRST).cast(prop.type), value)
    if prop.type == "time":
        value = sf.when(value.isNotNull(), sf.col(f"t{number}"))
    return value.alias(prop.name)


@dataclass(frozen=True, slots=True)
class _Expecting:
    """Great Expectations, for one plan."""

    library: Any
    spark: SparkSession
    plan: Plan

    def of_group(self, group: Group, checks: Sequence[Check], *, malformed: bool) -> Found:
        """The counts of the drops that were read together."""
        whole = _frame(self.spark, self.plan, group, malformed=malformed).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            filled = self._filled(whole)
            found: Found = {}
            for at, drop in enumerate(group.drops):
                own = whole.where(sf.col("drop") == at).drop("drop")
                found[drop.id] = dict(self._of_drop(own, checks, filled.get(at, {})))
            return found
        finally:
            whole.unpersist()

    def _filled(self, whole: DataFrame) -> dict[int, dict[str, int]]:
        """Return the number of values of each drop in each column."""
        _, *names = whole.columns
        plain = [f"c{n}" for n in range(len(names))]
        rows = whole.toDF("drop", *plain).groupBy("drop").agg(*(sf.count(c).alias(c) for c in plain)).collect()
        return {row["drop"]: dict(zip(names, row[1:], strict=True)) for row in rows}

    def _of_drop(
        self, own: DataFrame, checks: Sequence[Check], filled: Mapping[str, int]
    ) -> Iterator[tuple[str, Count]]:
        records = filled.get(RECORD, 0)
        made = [c for c in checks if records or c.arguments["subject"] in OF_FILES]
        yield from ((c.id, Count(state="not_evaluated", reason=NO_ROWS)) for c in checks if c not in made)
        # Expectations about the columns must not see ours, all others tell by it which records they mean.
        for about, frame, asked in (
            (("header",), own.drop(RECORD), ASKED),
            (("query",), own, {**ASKED, "result_format": "COMPLETE"}),  # of its rows it gives 200 at most
            (OF_RECORDS, own, {**ASKED, "unexpected_index_column_names": [RECORD]}),
        ):
            if several := [c for c in made if c.arguments["subject"] in about]:
                results = self._results(frame, several, asked)
                yield from ((c.id, self._count(c, results.get(c.id), filled)) for c in several)

    def _results(self, frame: DataFrame, checks: Sequence[Check], asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the results of Great Expectations, by check id; a text if it crashed."""
        found: dict[str, Any] = {}
        each = []
        for check in checks:
            if why := self._refusal(check):
                found[check.id] = why
                continue
            try:
                each.append(self._expectation(check))
            except Exception as error:  # noqa: BLE001 (the edge between it and the job: arguments that it refuses)
                found[check.id] = _said(error)
        try:
            # All at once: of two that are added one by one and differ in `mostly` alone, the second replaces the first.
            suite = self.library.ExpectationSuite(name=self.plan.contract, expectations=each)
            answers = self._batch(frame).validate(suite, result_format=dict(asked)) if each else None
        except Exception as error:  # noqa: BLE001 (the same edge: whatever it raises is no verdict)
            return dict.fromkeys((c.id for c in checks), _said(error)) | found
        return found | {one.expectation_config.meta["check"]: one for one in (answers.results if answers else ())}

    @staticmethod
    def _expectation(check: Check) -> Any:
        module = importlib.import_module("great_expectations.expectations.expectation_configuration")
        kwargs = {**check.arguments["kwargs"], **check.arguments.get("given", {})}
        made = module.ExpectationConfiguration(type=check.arguments["type"], kwargs=kwargs, meta={"check": check.id})
        return made.to_domain_obj()

    def _refusal(self, check: Check) -> str | None:
        """Return why Great Expectations must not run a check: plans of older releases hold unchecked texts."""
        kwargs = {**check.arguments["kwargs"], **check.arguments.get("given", {})}
        if leading := next(_leading(kwargs), None):
            return f"`{leading}` leads to what is not in the contract; {sql_guard.AGAIN}"
        condition, query = kwargs.get("row_condition"), kwargs.get("unexpected_rows_query")
        if isinstance(condition, dict):
            return f"its `row_condition` is no text; {sql_guard.AGAIN}"
        if isinstance(condition, str) and (why := sql_guard.refusal_of_expression(self.spark, condition)):
            return f"Spark must not run its `row_condition`: {why}"
        if isinstance(query, str) and (why := self._refusal_of_query(query)):
            return f"Spark must not run its query: {why}"
        return None

    def _refusal_of_query(self, query: str) -> str | None:
        try:
            places = {place for _, place, *_ in Formatter().parse(query) if place is not None}
        except ValueError:
            places = set()
        if places != {"batch"}:
            return f"it has other braces than `{{batch}}`; {sql_guard.AGAIN}"
        return sql_guard.refusal(self.spark, query.format(batch=VIEW), [VIEW])

    def _batch(self, frame: DataFrame) -> Any:
        """A drop as Great Expectations knows it; what it needs more than once is kept already."""
        context = self.library.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False}
        asset = context.data_sources.add_spark("dropgate", persist=False).add_dataframe_asset("drop")
        batch = asset.add_batch_definition_whole_dataframe("whole").get_batch({"dataframe": frame})
        batch.data.execution_engine.spark = self.spark  # it takes whichever session came first, for queries alone
        return batch

    def _count(self, check: Check, result: Any, filled: Mapping[str, int]) -> Count:
        records, nothing = filled.get(RECORD, 0), bool(check.property) and not filled.get(check.property or "")
        if result is None or isinstance(result, str):
            return self._error(check, result or "Great Expectations gave no result")
        found: dict[str, Any] = result.result or {}
        why = _raised(result.exception_info)
        if nothing and (why or (not result.success and found.get("observed_value") is None)):
            return Count(state="not_evaluated", reason="no-values" if records else NO_ROWS)
        if why and check.arguments["type"] == OF_JSON and NOT_JSON in why:
            return Count(evaluated=records, observed=NOT_JSON_TOLD, figure=Decimal(0))
        if why:
            return self._error(check, why)
        if found.get("element_count") == 0:
            return Count(state="not_evaluated", reason=NO_ROWS)
        by_row = "element_count" in found
        shown = _observed(found)
        return Count(
            evaluated=found["element_count"] if by_row else records,
            failed=int(found.get("unexpected_count") or 0) if by_row else 0,
            null=int(found.get("missing_count") or 0) if by_row else 0,
            observed=MASK if shown and not by_row and self.plan.masks(check) else shown,
            samples=self._samples(check, found),
            figure=Decimal(int(result.success)),
        )

    def _error(self, check: Check, why: str) -> Count:
        """A check that could not run, and why, unless that may quote values that nobody must see."""
        text = UNTOLD if self.plan.masks(check) else why.split("\n", 1)[0]
        return Count(state="error", reason=text[:LENGTH].rstrip("."))

    def _samples(self, check: Check, found: Mapping[str, Any]) -> tuple[Sample, ...]:
        """The unexpected records that it tells of, in their order."""
        rows = found.get("partial_unexpected_index_list") or (found.get("details") or {}).get("unexpected_rows") or []
        known = [row if isinstance(row, dict) else row.asDict() for row in rows[:MOST]]
        there = [row for row in known if row.get(RECORD) is not None]
        masked, of = self.plan.masks(check), check.properties()
        told = {row[RECORD]: MASK if masked else _values(row, of) for row in there}
        return tuple(Sample(Place(int(record)), told[record]) for record in sorted(told))


def _leading(value: Any) -> Iterator[str]:
    """The keys within arguments that lead elsewhere, those of all levels."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        if str(key).startswith(LEADING) and not str(inner).startswith("#"):
            yield str(key)
        yield from _leading(inner)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _values(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the value of one property of a record, or names and values of several."""
    there = [name for name in names if name in row]
    if len(there) == 1:
        return None if row[there[0]] is None else str(row[there[0]])[:LENGTH]
    return ", ".join(f"{name}={'null' if row[name] is None else row[name]}" for name in there)[:LENGTH] or None


def _observed(found: Mapping[str, Any]) -> str | None:
    """Return the observation of an expectation: the number of unexpected records, or the value seen of all together."""
    if "element_count" in found:
        return str(int(found.get("unexpected_count") or 0))
    seen = found.get("observed_value")
    seen = found.get("partial_unexpected_list") if seen is None else seen
    if isinstance(seen, dict) and "values" in seen:  # quantiles
        seen = seen["values"]
    if isinstance(seen, (list, tuple, set)):
        return ", ".join(str(one) for one in seen)[:LENGTH]
    return None if seen is None else str(seen)[:LENGTH]


def _raised(info: Mapping[str, Any] | None) -> str | None:
    """Return why an expectation could not run, in one line; it keeps one fault, or one for each of its figures."""
    faults = [info] if info and "raised_exception" in info else list((info or {}).values())
    first = next((f for f in faults if f.get("raised_exception")), None)
    return None if first is None else str(first.get("exception_message") or "no reason given")
