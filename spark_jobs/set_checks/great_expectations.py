"""Checks that Great Expectations makes: scanned groups in; a count for each drop and such check out.

It sees the sound records of one drop at a time, in columns of the contract's types and names, in the file's order. It
scans a cached copy of these columns. It is imported only if a plan has such checks, as the import takes seconds. A
failure in it is an error of that check, never a pass.
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

from contracts import rules
from contracts.job import Count, Sample
from contracts.place import Place
from contracts.plan import CONTAINERS, Check, Plan, Property
from contracts.verdict import NO_ROWS
from spark_jobs.counting.masking import MASK
from spark_jobs.scan.records import numbered_records
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.spark import sql_guard

MOST = 5
LENGTH = 200
"""Characters of a value, or of a reason, that are shown."""
RECORD = "_record"
"""The column by which Great Expectations identifies unexpected records; no property can have that name."""
ASKED = {"result_format": "SUMMARY", "partial_unexpected_count": MOST}
FIRST = "0001-01-01"
"""The first day that Python can represent."""
OF_RECORDS = ("values", "column", "pairs", "columns", "table")
OF_FILES = ("table", "header")
"""Subjects of expectations that a file without a record can meet."""
ABSENT = "Great Expectations is not there; `make build GX=1` brings it, and then `make deploy` to a deployed stack"
HIDDEN_ERROR = "Great Expectations crashed on it; the error is hidden, as it may quote a classified value"
OF_JSON, NOT_JSON = "expect_column_values_to_match_json_schema", "JSONDecodeError"
"""The expectation that crashes at a text that is not JSON, and the error that shows it: the expectation is not met."""
NOT_JSON_OBSERVED = "a text that is not JSON"
VIEW = "tmp_view"
"""The name of the file in queries of Great Expectations."""
LEADING = ("$PARAMETER", "$ref", "$dynamicRef", "$recursiveRef", "$id")
"""Keys by which it, or the library for JSON schemas, reads documents outside the contract."""

Expected = tuple[Check, rules.Expectation]
"""A check that Great Expectations makes, and its rule."""
Counts = dict[str, dict[str, Count]]
"""Counts by drop, by check id."""


def counts(spark: SparkSession, plan: Plan, groups: Sequence[ScannedGroup], *, malformed: bool) -> Counts:
    """Return the counts of all such checks; `malformed` means that there are malformed records to leave out.

    A check of a property that a file lacks has none.
    """
    if not plan.needs_expectations:
        return {}
    try:
        great_expectations = importlib.import_module("great_expectations")
    except ImportError:
        absent = Count(state="error", reason=ABSENT)
        return {d.id: {check.id: absent for check, _ in _checks(plan, g)} for g in groups for d in g.drops}
    expecting = _Expecting(great_expectations, spark, plan)
    by_drop: Counts = {}
    for group in groups:
        if checks := _checks(plan, group):
            by_drop |= expecting.of_group(group, checks, malformed=malformed)
    return by_drop


def _checks(plan: Plan, group: ScannedGroup) -> list[Expected]:
    expected = ((c, c.rule) for c in plan.checks if isinstance(c.rule, rules.Expectation))
    return [(check, rule) for check, rule in expected if set(check.properties()) <= set(group.header)]


def _column(number: int, prop: Property) -> Column:
    """Return the values of a property; times of day, for which Spark has no type, as they are written.

    Moments before the year 1 are null: Python cannot represent them, and the library would crash when it collects them.
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

    def of_group(self, group: ScannedGroup, checks: Sequence[Expected], *, malformed: bool) -> Counts:
        """Return the counts of the drops that were read together."""
        # The sound records: drop (its place in the group), record, a column for each property of one value.
        named = {p.name: p for p in self.plan.roots if p.type not in CONTAINERS}
        wanted, ids = [name for name in group.header if name in named], [d.id for d in group.drops]
        numbered = numbered_records(self.spark, self.plan, group, wanted, ids, malformed=malformed)
        columns = [sf.col("record").alias(RECORD), *(_column(n, named[name]) for n, name in enumerate(wanted))]
        whole = numbered.select("drop", *columns).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            plain = [f"c{n}" for n in range(len(columns))]
            values = whole.toDF("drop", *plain).groupBy("drop").agg(*(sf.count(c).alias(c) for c in plain)).collect()
            _, *names = whole.columns
            filled = {row["drop"]: dict(zip(names, row[1:], strict=True)) for row in values}
            by_drop: Counts = {}
            for at, drop in enumerate(group.drops):
                own = whole.where(sf.col("drop") == at).drop("drop")
                by_drop[drop.id] = dict(self._of_drop(own, checks, filled.get(at, {})))
            return by_drop
        finally:
            whole.unpersist()

    def _of_drop(
        self, own: DataFrame, checks: Sequence[Expected], filled: Mapping[str, int]
    ) -> Iterator[tuple[str, Count]]:
        records = filled.get(RECORD, 0)
        possible = [(c, rule) for c, rule in checks if records or rule.subject in OF_FILES]
        left_out = [pair for pair in checks if pair not in possible]
        yield from ((check.id, Count(state="not_evaluated", reason=NO_ROWS)) for check, _ in left_out)
        # Expectations about the columns must not see ours; all others identify records by it.
        for about, frame, asked in (
            (("header",), own.drop(RECORD), ASKED),
            (("query",), own, {**ASKED, "result_format": "COMPLETE"}),  # of its rows it gives 200 at most
            (OF_RECORDS, own, {**ASKED, "unexpected_index_column_names": [RECORD]}),
        ):
            if several := [(c, rule) for c, rule in possible if rule.subject in about]:
                results = self._results(frame, several, asked)
                yield from ((c.id, self._count(c, rule, results.get(c.id), filled)) for c, rule in several)

    def _results(self, frame: DataFrame, checks: Sequence[Expected], asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the results of Great Expectations, by check id; a text if it crashed."""
        errors: dict[str, Any] = {}
        each = []
        for check, rule in checks:
            if why := self._refusal(rule):
                errors[check.id] = why
                continue
            try:
                module = importlib.import_module("great_expectations.expectations.expectation_configuration")
                meta = {"check": check.id}
                configured = module.ExpectationConfiguration(type=rule.type, kwargs=_kwargs(rule), meta=meta)
                each.append(configured.to_domain_obj())
            except Exception as error:  # noqa: BLE001 (the edge between it and the job: arguments that it refuses)
                errors[check.id] = _error_text(error)
        try:
            # All at once: if two are added one by one and differ only in `mostly`, the second replaces the first.
            suite = self.library.ExpectationSuite(name=self.plan.contract, expectations=each)
            answers = self._batch(frame).validate(suite, result_format=dict(asked)) if each else None
        except Exception as error:  # noqa: BLE001 (the same edge: whatever it raises is no verdict)
            return dict.fromkeys((check.id for check, _ in checks), _error_text(error)) | errors
        results = answers.results if answers else ()
        return errors | {result.expectation_config.meta["check"]: result for result in results}

    def _refusal(self, rule: rules.Expectation) -> str | None:
        """Return why Great Expectations must not run a check: plans of older releases hold unchecked texts."""
        kwargs = _kwargs(rule)
        if leading := next(_leading(kwargs), None):
            return f"`{leading}` leads out of the contract; {sql_guard.AGAIN}"
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
        """Wrap the records of a drop as a batch of Great Expectations; `persist=False`, as they are cached already."""
        context = self.library.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False}
        asset = context.data_sources.add_spark("dropgate", persist=False).add_dataframe_asset("drop")
        batch = asset.add_batch_definition_whole_dataframe("whole").get_batch({"dataframe": frame})
        batch.data.execution_engine.spark = self.spark  # for queries it would take the first session of the process
        return batch

    def _count(self, check: Check, rule: rules.Expectation, result: Any, filled: Mapping[str, int]) -> Count:
        records, nothing = filled.get(RECORD, 0), bool(check.property) and not filled.get(check.property or "")
        if result is None or isinstance(result, str):
            return self._error(check, result or "Great Expectations gave no result")
        answer: dict[str, Any] = result.result or {}
        info = result.exception_info or {}  # one fault, or one for each of its figures
        faults = [info] if "raised_exception" in info else list(info.values())
        fault = next((f for f in faults if f.get("raised_exception")), None)
        why = None if fault is None else str(fault.get("exception_message") or "no reason given")
        if nothing and (why or (not result.success and answer.get("observed_value") is None)):
            return Count(state="not_evaluated", reason="no-values" if records else NO_ROWS)
        if why and rule.type == OF_JSON and NOT_JSON in why:
            return Count(evaluated=records, observed=NOT_JSON_OBSERVED, figure=Decimal(0))
        if why:
            return self._error(check, why)
        if answer.get("element_count") == 0:
            return Count(state="not_evaluated", reason=NO_ROWS)
        by_row = "element_count" in answer
        shown = _observed(answer)
        return Count(
            evaluated=answer["element_count"] if by_row else records,
            failed=int(answer.get("unexpected_count") or 0) if by_row else 0,
            null=int(answer.get("missing_count") or 0) if by_row else 0,
            observed=MASK if shown and not by_row and self.plan.masks(check) else shown,
            samples=self._samples(check, answer),
            figure=Decimal(int(result.success)),
        )

    def _error(self, check: Check, why: str) -> Count:
        """Return the count of a check that could not run, with the reason, unless that may quote a classified value."""
        text = HIDDEN_ERROR if self.plan.masks(check) else why.split("\n", 1)[0]
        return Count(state="error", reason=text[:LENGTH].rstrip("."))

    def _samples(self, check: Check, answer: Mapping[str, Any]) -> tuple[Sample, ...]:
        """Return the unexpected records that a result lists, in their order."""
        rows = answer.get("partial_unexpected_index_list") or (answer.get("details") or {}).get("unexpected_rows") or []
        dicts = [row if isinstance(row, dict) else row.asDict() for row in rows[:MOST]]
        masked, names = self.plan.masks(check), check.properties()
        texts = {row[RECORD]: MASK if masked else _values(row, names) for row in dicts if row.get(RECORD) is not None}
        return tuple(Sample(Place(int(record)), texts[record]) for record in sorted(texts))


def _kwargs(rule: rules.Expectation) -> dict[str, Any]:
    return {**rule.kwargs, **(rule.given or {})}


def _leading(value: Any) -> Iterator[str]:
    """Yield the keys within arguments that lead out of the contract, of all levels."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        if str(key).startswith(LEADING) and not str(inner).startswith("#"):
            yield str(key)
        yield from _leading(inner)


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _values(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the value of one property of a record, or names and values of several."""
    there = [name for name in names if name in row]
    if len(there) == 1:
        return None if row[there[0]] is None else str(row[there[0]])[:LENGTH]
    return ", ".join(f"{name}={'null' if row[name] is None else row[name]}" for name in there)[:LENGTH] or None


def _observed(answer: Mapping[str, Any]) -> str | None:
    """Return the observation of an expectation: the number of unexpected records, or the value seen of all together."""
    if "element_count" in answer:
        return str(int(answer.get("unexpected_count") or 0))
    seen = answer.get("observed_value")
    seen = answer.get("partial_unexpected_list") if seen is None else seen
    if isinstance(seen, dict) and "values" in seen:  # quantiles
        seen = seen["values"]
    if isinstance(seen, (list, tuple, set)):
        return ", ".join(map(str, seen))[:LENGTH]
    return None if seen is None else str(seen)[:LENGTH]
