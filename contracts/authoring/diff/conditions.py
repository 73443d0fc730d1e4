"""Checks in their normal form: a check and its plan in, the conditions that a file has to meet out.

Contracts write one rule in several ways: `required` and `nullValues` 0, `enum` and `validValues`, a primary key and
`unique` with `required`. These have the same conditions, so that versions are compared by the files that pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from contracts import rules
from contracts.authoring.diff import directions
from contracts.plan import Check, Plan, Scope, Threshold

Core = tuple[Any, ...]
"""The name of a demand: its kind, whom it concerns, its arguments and its filter."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One demand on the records of a file: `core` names it, `limit` is the number of records that may fail it.

    `lacking` are the properties without whose columns it is not made. A limit that no record may fail has no scope.
    """

    core: Core
    limit: Threshold
    scope: Scope | None
    lacking: frozenset[str]

    def is_implied_by(self, other: Condition) -> bool:
        """Return True if each file that meets the other condition meets this one."""
        if self.core != other.core or not other.lacking <= self.lacking:
            return False
        if other.scope is None:
            return self.scope is None or directions.accepts_none(self.limit)
        return (self.limit, self.scope) == (other.limit, other.scope)


def of_check(check: Check, plan: Plan) -> frozenset[Condition]:
    """Return the conditions of a check; none if it refuses no file."""
    if not check.refuses:
        return frozenset()
    limit = directions.limit_of(check, plan)
    strict = directions.is_none_alone(limit)
    nested = any(plan.property_named(name).path for name in check.properties())
    cores = [_as_written(check)] if nested else list(_cores(check, plan))
    if len(cores) > 1 and not strict:  # records that fail either are counted together
        cores = [(tuple(cores),)]
    where = (check.filter.text, check.filter.watermark) if check.filter else None
    lacking = frozenset(name for name in check.needs() if may_lack(plan, name))
    scope = None if strict and not nested else check.scope
    return frozenset(Condition((*core, where), limit, scope, lacking) for core in cores)


def of_plan(plan: Plan) -> Mapping[Core, tuple[Condition, ...]]:
    """Return the conditions of all checks of a plan, by their cores."""
    by_core: dict[Core, tuple[Condition, ...]] = {}
    for condition in (each for check in plan.checks for each in of_check(check, plan)):
        by_core[condition.core] = (*by_core.get(condition.core, ()), condition)
    return by_core


def are_implied(conditions: Iterable[Condition], stated: Mapping[Core, tuple[Condition, ...]]) -> bool:
    """Return True if each file that meets the stated conditions meets these."""
    return all(any(one.is_implied_by(other) for other in stated.get(one.core, ())) for one in conditions)


def may_lack(plan: Plan, name: str) -> bool:
    """Return True if a file may be accepted without the column of a property."""
    if plan.read_as in ("jsonl", "fixed") or plan.columns.missing == "reject":
        return False
    if plan.read_as == "csv" and not plan.csv.header:
        return False
    root = name if not (path := plan.property_named(name).path) else path[0]
    return not plan.property_named(root).required


def _cores(check: Check, plan: Plan) -> Iterator[Core]:  # noqa: C901 (a case for each kind)
    """Yield the demands of a check, by what they are and whom they concern."""
    name, rule = check.property or "", check.rule
    prop = plan.property_named(name) if check.property else None
    match rule:
        case rules.Required() | rules.NullValues():
            yield "null", name
        case rules.MissingValues(null=True) if prop and set(rule.values) <= _null_texts(plan, name):
            yield "null", name
        case rules.Unique():
            yield "repeated", frozenset({name})
        case rules.DuplicateValues():
            yield "repeated", frozenset(rule.properties or (name,))
        case rules.PrimaryKey():
            parts = rule.properties or (name,)
            yield "repeated", frozenset(parts)
            yield from (("null", part) for part in parts)
        case rules.Enum(values=values) | rules.InvalidValues(values=values, pattern=None) if values is not None:
            yield "values", name, frozenset(directions.place(text, prop) for text in values)
        case rules.InvalidValues(values=values, pattern=pattern):
            if values is not None:
                yield "values", name, frozenset(directions.place(text, prop) for text in values)
            yield "pattern", name, pattern, rule.longest
        case rules.Pattern() | rules.Regex():
            yield "pattern", name, rule.pattern, rule.longest
        case rules.MinLength(0) | rules.MinItems(0) | rules.MinProperties(0):
            return
        case rules.Minimum() | rules.Maximum() | rules.ExclusiveMinimum() | rules.ExclusiveMaximum() if prop:
            yield *directions.end_of(rule, prop), name
        case _:
            yield _as_written(check)


def _as_written(check: Check) -> Core:
    return check.kind, check.property, repr(check.rule)


def _null_texts(plan: Plan, name: str) -> set[str]:
    """Return the cells of a property that are null before any check reads them."""
    return set(plan.csv.nulls_of(plan.property_named(name))) if plan.has_cells else set()
