"""Counts and sums in addition to the row checks: a plan in, columns that add them up out; their totals in, fields out.

The scan, the second pass and the prefilter add up the same columns, in the order of `columns`. Only
this module makes and reads their names; a total is a field of `Sums`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from contracts import rules
from contracts.files import encodings, mojibake
from contracts.plan import Check, Plan
from contracts.values import sql_text
from spark_jobs.counting import aggregates

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
    (`spark_jobs.counting.aggregates`).
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
        *(("null", n) for n in uncounted(plan)),
        *(("bad", k) for k in metrics(plan)),
        *((part, k) for k in composite_keys(plan) for part in KEY_PARTS),
        *nested_counts(plan),
        *(("unsure", k) for k in expressions(plan)),
        *filter_counts(plan),
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


def merges(plan: Plan) -> list[aggregates.Merge]:
    """Return the Python functions that merge two sums, in the order of the columns."""
    return [aggregates.MERGES[function] for function in merge_functions(plan).values()]


def of_valid(plan: Plan) -> set[int]:
    """Return the places of the columns that add up valid records only."""
    parts = aggregates.parts(plan)
    return {at for at, name in enumerate(names(plan)) if name in parts and parts[name][1] == aggregates.HIGH}


def merge_functions(plan: Plan) -> dict[str, str]:
    """Return the name of the SQL function that merges two sums, by column."""
    functions = {name: aggregates.merged(part) for name, (_, part, _) in aggregates.parts(plan).items()}
    return {name: functions.get(name, "sum") for name in names(plan)}


def nested_counts(plan: Plan) -> list[tuple[Counted, int]]:
    """List what is counted of nested properties, with the number of the property."""
    checked = {c.property for c in plan.checks}
    strict = {c.property for c in plan.checks if rules.forbids_null(c.rule)}
    inner = [(n, p) for n, p in enumerate(plan.properties) if p.path and p.name in checked]
    return [*(("void", n) for n, p in inner if p.repeats), *(("lost", n) for n, p in inner if p.name in strict)]


def uncounted(plan: Plan) -> list[int]:
    """List the properties with checks whose null cells no row check counts, by number."""
    checked = {c.property for c in plan.checks}
    return [n for n, p in enumerate(plan.properties) if p.name in checked and not plan.forbidding_null(p.name)]


def metrics(plan: Plan) -> dict[int, Check]:
    """Return the row rules with a threshold of their own, by number; nulls of a column are counted for all checks."""
    nested = {p.name for p in plan.properties if p.path}  # of which a record may have none or several
    return {
        k: c
        for k, c in enumerate(plan.checks)
        if c.scope == "set"
        and isinstance(c.rule, rules.RowRule)
        and (c.property in nested or not isinstance(c.rule, rules.NullValues))
    }


def composite_keys(plan: Plan) -> dict[int, Check]:
    """Return the checks of keys of several properties, or of selected records, by number."""
    keys = {k: c for k, c in enumerate(plan.checks) if isinstance(c.rule, rules.Key | rules.ForeignKey)}
    return {k: c for k, c in keys.items() if c.filter or (isinstance(c.rule, rules.OfSeveral) and c.rule.properties)}


def expressions(plan: Plan) -> dict[int, tuple[Check, rules.Expression]]:
    """Return the checks that are an expression over columns, by number."""
    return {k: (c, c.rule) for k, c in enumerate(plan.checks) if isinstance(c.rule, rules.Expression)}


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


def filter_counts(plan: Plan) -> list[tuple[Counted, int]]:
    """List what is counted of the records that filters select, with the number of the check."""
    counts: list[tuple[Counted, int]] = []
    for k, check in enumerate(plan.checks):
        if check.filter:
            counts.append(("within", k))
            if check.property and not isinstance(check.rule, rules.Key | rules.ForeignKey):
                counts.append(("bare", k))
    return counts
