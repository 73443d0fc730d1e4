"""Counts and sums of records as Spark columns: a plan in, the columns of `spark_jobs.counting.sums` out."""

from __future__ import annotations

from collections.abc import Container, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts import rules
from contracts.plan import Check, Plan
from spark_jobs.counting import aggregates
from spark_jobs.counting.sums import (
    KEY_PARTS,
    Counted,
    composite_keys,
    expressions,
    letters_tests,
    merge_functions,
    metrics,
    nested_counts,
    uncounted,
)
from spark_jobs.rules import nesting
from spark_jobs.rules.row_checks import failing_of, has_columns


def one_record(plan: Plan, present: Container[str]) -> dict[str, Column]:
    """Map each column that counts records to the test of the records that it counts."""
    return {name: sf.expr(test) for name, test in _null_tests(plan, present).items()} | _bad_tests(plan, present)


def sums(plan: Plan, present: Container[str]) -> list[Column]:
    """Return the columns as sums over the rows of a group."""
    counts = [sf.expr(f"count(if({test}, 1, null))").alias(name) for name, test in _null_tests(plan, present).items()]
    counts += [sf.count(sf.when(test, 1)).alias(name) for name, test in _bad_tests(plan, present).items()]
    addends, parts = addends_of_one(plan, present), aggregates.parts(plan)
    return counts + [sf.expr(f"{aggregates.merged(parts[n][1])}({sql})").alias(n) for n, sql in addends.items()]


def sums_of_each(plan: Plan, present: Container[str]) -> list[Column]:
    """Return the columns as counts of one row each, for a plan of which only nulls and letters are counted."""
    return [sf.expr(f"if({test}, 1L, 0L)").alias(name) for name, test in _null_tests(plan, present).items()]


def with_decimals(rows: DataFrame, plan: Plan, present: Container[str]) -> DataFrame:
    """Add the decimals x<n> that aggregates add up, if there are any."""
    decimals = [
        sf.expr(sql).alias(f"x{n}")
        for n, sql in aggregates.decimals(plan).items()
        if plan.properties[n].name in present
    ]
    return rows.select("*", *decimals) if decimals else rows


def addends_of_one(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return what one record adds to the parts of aggregates, by column, in SQL."""
    addends: dict[str, str] = {}
    for name, (n, part, check) in aggregates.parts(plan).items():
        only, prop = None, plan.properties[n]
        if check and check.filter:
            only = check.filter.sql if has_columns(check, present) else "false"
        addends[name] = aggregates.added(part, n, prop, present=prop.name in present, only=only)
    return addends


def merged(plan: Plan) -> list[Column]:
    """Return the columns that merge sums of several groups into one, in their order."""
    return [sf.expr(f"{function}({name})") for name, function in merge_functions(plan).items()]


def _null_tests(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return those tests, by column, that need only nulls and expressions, in SQL."""
    here = {n: p.name in present for n, p in enumerate(plan.properties)}
    cells = {f"null{n}": nesting.without(plan, n, "c") if here[n] else "false" for n in uncounted(plan)}
    unsure = {
        f"unsure{k}": _where(check, f"{rule.sql} is null", present) for k, (check, rule) in expressions(plan).items()
    }
    nested = {}
    for counted, n in nested_counts(plan):
        missing = nesting.nowhere(plan, n) if counted == "lost" else nesting.without(plan, n, "v")
        nested[f"{counted}{n}"] = missing if here[n] else "false"
    at = {p.name: n for n, p in enumerate(plan.properties)}
    keys: dict[tuple[Counted, int], str] = {}  # a part of a key is lacking: its cell is null, or without a typed value
    for k, check in composite_keys(plan).items():
        parts = [at[name] for name in check.properties() if name in present]
        for part, letter in KEY_PARTS.items():
            lacks = " or ".join(f"{letter}{n} is null" for n in parts) or "false"
            keys[part, k] = _where(check, lacks, present) if check.filter else lacks
    whole = cells | nested | _named(keys)
    return whole | unsure | _named(_filter_tests(plan, present)) | letters_tests(plan)


def _named(tests: Mapping[tuple[Counted, int], str]) -> dict[str, str]:
    return {f"{counted}{n}": test for (counted, n), test in tests.items()}


def _bad_tests(plan: Plan, present: Container[str]) -> dict[str, Column]:
    counted = metrics(plan)
    tests = failing_of(plan, counted.values(), present)
    return {f"bad{k}": sf.lit(False) if test is None else test for k, test in zip(counted, tests, strict=True)}


def _where(check: Check, test: str, present: Container[str]) -> str:
    """Limit a test to the records that a check selects, in SQL."""
    if not has_columns(check, present):
        return "false"
    return f"{check.filter.sql} and ({test})" if check.filter else test


def _filter_tests(plan: Plan, present: Container[str]) -> dict[tuple[Counted, int], str]:
    """Return the tests for records that filters select, and for those of them without a value to judge, in SQL."""
    at = {p.name: n for n, p in enumerate(plan.properties)}
    tests: dict[tuple[Counted, int], str] = {}
    for k, check in enumerate(plan.checks):
        if not check.filter:
            continue
        tests["within", k] = _where(check, "true", present)
        if check.property and not isinstance(check.rule, rules.Key | rules.ForeignKey):
            n = at[check.property]
            if rules.forbids_null(check.rule) and plan.properties[n].path:
                missing = nesting.nowhere(plan, n)
            else:
                missing = nesting.without(plan, n, "c" if isinstance(check.rule, rules.OfCells) else "v")
            tests["bare", k] = _where(check, missing, present)
    return tests
