"""Counts and sums in addition to the row checks: a plan in, columns that add them up out; their totals in, fields out.

The scan, the second pass and the prefilter add up the same columns, in the order of `columns`. Only
this module makes and reads their names; a total is a field of `Sums`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts import rules
from contracts.files import encodings, mojibake
from contracts.plan import Check, Plan
from contracts.values import sql_text
from spark_jobs.rules import aggregates, nesting
from spark_jobs.rules.row_checks import failing_of, has_columns

KEY_PARTS: dict[Literal["keyless", "unkeyed"], str] = {"keyless": "c", "unkeyed": "v"}
"""The counts of records that lack a part of their key, and the letter of the columns that are null then."""
Counted = Literal["null", "void", "lost", "bad", "keyless", "unkeyed", "unsure", "within", "bare"]


@dataclass(frozen=True, slots=True)
class Sums:
    """Totals of one drop in addition to its row checks. Records are counted by property number or by check number.

    By property: `null`: null cells that no row check counts; `void`: no value of the type among several of a nested
    property; `lost`: no object, array or map that contains the nested property.

    By check: `bad`: records that fail a metric; `keyless` and `unkeyed`: records with a null, or without a typed value,
    in a part of the key; `unsure`: the expression is neither true nor false; `within` and `bare`: the filter selects
    the record, and such records without a value to judge.

    `utf8`, `ansi` and `own` are those of `contracts.files.mojibake.Letters`. `aggregates` are the parts of aggregates
    (`spark_jobs.rules.aggregates`).
    """

    null: Mapping[int, int] = field(default_factory=dict)
    void: Mapping[int, int] = field(default_factory=dict)
    lost: Mapping[int, int] = field(default_factory=dict)
    bad: Mapping[int, int] = field(default_factory=dict)
    keyless: Mapping[int, int] = field(default_factory=dict)
    unkeyed: Mapping[int, int] = field(default_factory=dict)
    unsure: Mapping[int, int] = field(default_factory=dict)
    within: Mapping[int, int] = field(default_factory=dict)
    bare: Mapping[int, int] = field(default_factory=dict)
    utf8: int = 0
    ansi: int = 0
    own: int = 0
    aggregates: Mapping[str, Any] = field(default_factory=dict)


class SumColumn(NamedTuple):
    """A column that is added up: what it counts, the number of the property or check, and the column's name."""

    counted: Counted | Literal["letters", "aggregate"]
    number: int
    name: str


def columns(plan: Plan) -> list[SumColumn]:
    """List the columns that are added up in addition to the row checks, in their order."""
    counts: list[tuple[Counted, int]] = [
        *(("null", n) for n in _uncounted(plan)),
        *(("bad", k) for k in _metrics(plan)),
        *((part, k) for k in _composite_keys(plan) for part in KEY_PARTS),
        *_nested_counts(plan),
        *(("unsure", k) for k in _expressions(plan)),
        *_filter_tests(plan, ()),
    ]
    return [
        *(SumColumn(counted, n, f"{counted}{n}") for counted, n in counts),
        *(SumColumn("letters", 0, name) for name in letters_tests(plan)),
        *(SumColumn("aggregate", 0, name) for name in aggregates.parts(plan)),
    ]


def names(plan: Plan) -> list[str]:
    """List the names of these columns."""
    return [column.name for column in columns(plan)]


def properties_with_null_counts(plan: Plan) -> list[str] | None:
    """List the properties whose null cells are added up, in the order of `columns`; None if more than letters is."""
    summed = columns(plan)
    if any(column.counted not in ("null", "letters") for column in summed):
        return None
    return [plan.properties[column.number].name for column in summed if column.counted == "null"]


def of_totals(summed: Sequence[SumColumn], totals: Sequence[Any]) -> Sums:
    """Make fields of the totals of these columns; a total is None if nothing was added to it."""
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    others: dict[str, Any] = {}
    for column, total in zip(summed, totals, strict=True):
        if column.counted in ("letters", "aggregate"):
            others[column.name] = total
        else:
            counts[column.counted][column.number] = total or 0
    utf8, ansi, own = (others.pop(name, None) or 0 for name in ("utf8", "ansi", "own"))
    return Sums(
        null=counts["null"],
        void=counts["void"],
        lost=counts["lost"],
        bad=counts["bad"],
        keyless=counts["keyless"],
        unkeyed=counts["unkeyed"],
        unsure=counts["unsure"],
        within=counts["within"],
        bare=counts["bare"],
        utf8=utf8,
        ansi=ansi,
        own=own,
        aggregates=others,
    )


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
    return [sf.expr(f"{function}({name})") for name, function in _merge_functions(plan).items()]


def merges(plan: Plan) -> list[aggregates.Merge]:
    """Return the Python functions that merge two sums, in the order of the columns."""
    return [aggregates.MERGES[function] for function in _merge_functions(plan).values()]


def of_valid(plan: Plan) -> set[int]:
    """Return the places of the columns that add up valid records only."""
    parts = aggregates.parts(plan)
    return {at for at, name in enumerate(names(plan)) if name in parts and parts[name][1] == aggregates.HIGH}


def _merge_functions(plan: Plan) -> dict[str, str]:
    functions = {name: aggregates.merged(part) for name, (_, part, _) in aggregates.parts(plan).items()}
    return {name: functions.get(name, "sum") for name in names(plan)}


def _null_tests(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return those tests, by column, that need only nulls and expressions, in SQL."""
    here = {n: p.name in present for n, p in enumerate(plan.properties)}
    cells = {f"null{n}": nesting.without(plan, n, "c") if here[n] else "false" for n in _uncounted(plan)}
    unsure = {
        f"unsure{k}": _where(check, f"{rule.sql} is null", present) for k, (check, rule) in _expressions(plan).items()
    }
    nested = {}
    for counted, n in _nested_counts(plan):
        missing = nesting.nowhere(plan, n) if counted == "lost" else nesting.without(plan, n, "v")
        nested[f"{counted}{n}"] = missing if here[n] else "false"
    at = {p.name: n for n, p in enumerate(plan.properties)}
    keys: dict[tuple[Counted, int], str] = {}  # a part of a key is lacking: its cell is null, or without a typed value
    for k, check in _composite_keys(plan).items():
        parts = [at[name] for name in check.properties() if name in present]
        for part, letter in KEY_PARTS.items():
            lacks = " or ".join(f"{letter}{n} is null" for n in parts) or "false"
            keys[part, k] = _where(check, lacks, present) if check.filter else lacks
    whole = cells | nested | _named(keys)
    return whole | unsure | _named(_filter_tests(plan, present)) | letters_tests(plan)


def _named(tests: Mapping[tuple[Counted, int], str]) -> dict[str, str]:
    return {f"{counted}{n}": test for (counted, n), test in tests.items()}


def _nested_counts(plan: Plan) -> list[tuple[Counted, int]]:
    """List what is counted of nested properties, with the number of the property."""
    checked = {c.property for c in plan.checks}
    strict = {c.property for c in plan.checks if rules.forbids_null(c.rule)}
    inner = [(n, p) for n, p in enumerate(plan.properties) if p.path and p.name in checked]
    return [*(("void", n) for n, p in inner if p.repeats), *(("lost", n) for n, p in inner if p.name in strict)]


def _bad_tests(plan: Plan, present: Container[str]) -> dict[str, Column]:
    metrics = _metrics(plan)
    tests = failing_of(plan, metrics.values(), present)
    return {f"bad{k}": sf.lit(False) if test is None else test for k, test in zip(metrics, tests, strict=True)}


def _uncounted(plan: Plan) -> list[int]:
    """List the properties with checks whose null cells no row check counts, by number."""
    checked = {c.property for c in plan.checks}
    return [n for n, p in enumerate(plan.properties) if p.name in checked and not plan.forbidding_null(p.name)]


def _metrics(plan: Plan) -> dict[int, Check]:
    """Return the row rules with a threshold of their own, by number; nulls of a column are counted for all checks."""
    nested = {p.name for p in plan.properties if p.path}  # of which a record may have none or several
    return {
        k: c
        for k, c in enumerate(plan.checks)
        if c.scope == "set"
        and isinstance(c.rule, rules.RowRule)
        and (c.property in nested or not isinstance(c.rule, rules.NullValues))
    }


def _composite_keys(plan: Plan) -> dict[int, Check]:
    """Return the checks of keys of several properties, or of selected records, by number."""
    keys = {k: c for k, c in enumerate(plan.checks) if isinstance(c.rule, rules.Key | rules.ForeignKey)}
    return {k: c for k, c in keys.items() if c.filter or (isinstance(c.rule, rules.OfSeveral) and c.rule.properties)}


def _expressions(plan: Plan) -> dict[int, tuple[Check, rules.Expression]]:
    """Return the checks that are an expression over columns, by number."""
    return {k: (c, c.rule) for k, c in enumerate(plan.checks) if isinstance(c.rule, rules.Expression)}


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


def letters_tests(plan: Plan) -> dict[str, str]:
    """Return the tests for records in another encoding than the agreed one, in SQL, by field of `mojibake.Letters`.

    `line` is the text of the record. Most lines are ASCII: they have as many bytes as characters.
    """
    if not mojibake.is_watched(plan.csv):
        return {}
    beyond = "octet_length(line) > char_length(line)"
    utf8 = f"is_valid_utf8(cast(encode(line, '{encodings.java(plan.csv.encoding)}') as string))"
    if not mojibake.is_clear(plan.csv):
        gap = "contains(line, '\ufffd')"  # a byte without a character, of which UTF-8 may have some
        return {"utf8": f"{beyond} and {utf8}", "own": f"{beyond} and not {utf8} and not {gap}"}
    sequence, control = (sql_text.literal(pattern) for pattern in (mojibake.SEQUENCE, mojibake.CONTROL))
    return {
        "utf8": f"{beyond} and line rlike {sequence} and {utf8}",
        "ansi": f"{beyond} and line rlike {control} and not {utf8}",
    }
