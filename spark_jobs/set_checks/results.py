"""Sums made into the counts of checks, for one drop: pure. evaluated = success + failed + null, for every check."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from contracts.decision import EXCUSED
from contracts.job import Count, Sample
from contracts.plan import (
    EXPECTATION,
    FIGURES,
    FORBID_NULL,
    FOREIGN_KEY,
    OF_CELLS,
    QUERIES,
    UNCHECKED,
    Check,
    Plan,
    Property,
    Threshold,
    share,
)
from spark_jobs.rules import aggregates

ALLOWED_MISSING, NO_ROWS, FOR_PEOPLE, OTHER_ENGINE = EXCUSED
WHY_UNCHECKED = {"forPeople": FOR_PEOPLE, "otherEngine": OTHER_ENGINE}
MASK = "***"
UNTOLD = "Spark could not run it; why is not told, as it may quote a classified value"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query for one drop: its figure and that for people, or why there is none, or the error."""

    figure: Decimal | None = None
    text: str | None = None
    samples: tuple[Sample, ...] = ()
    reason: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one drop: sums, failing rows by check id, keys that records share or lack, samples, worst.

    `within` and `empty` are of checks with a filter: the records that it lets through, and those without a value.
    `lost` are the records that have no place for a nested property, by its name; `expected` are the counts of Great
    Expectations; `broken` says why checks could not run, `versions` what was held against.
    """

    total: int
    sound: int
    failed: Mapping[str, int]
    nulls: Mapping[str, int]
    voids: Mapping[str, int]
    invalid: Mapping[str, int]
    within: Mapping[str, int] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unsure: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, Any] = field(default_factory=dict)
    sharing: Mapping[str, int] = field(default_factory=dict)
    samples: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
    worst: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Count] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


def count(plan: Plan, check: Check, present: Container[str], facts: Facts) -> Count:
    """Return the counts of one check in a file with some columns."""
    if missing := [name for name in check.needs() if name not in present]:
        return Count(state="not_evaluated", reason=_why_missing(plan, missing, present))
    if check.kind in UNCHECKED:
        return Count(state="not_evaluated", reason=WHY_UNCHECKED[check.kind])
    if check.kind == EXPECTATION:
        return facts.expected[check.id]
    if check.id in facts.broken:
        return Count(state="error", reason=facts.broken[check.id])
    evaluated = facts.within[check.id] if check.filter else facts.sound
    if check.kind == "rowCount" and check.filter:
        return Count(evaluated, evaluated, observed=str(evaluated))
    if check.kind == "rowCount":
        return Count(facts.total, facts.total, observed=str(facts.total))
    if check.scope == "record":
        return _with_samples(plan, check, facts, facts.total, facts.failed[check.id], 0)
    if check.kind in FIGURES:
        return _figure(plan, check, facts, evaluated)
    if check.kind in QUERIES:
        return _answer(plan, check, facts, evaluated)
    return _with_samples(plan, check, facts, evaluated, *_figures(check, facts))


def _figures(check: Check, facts: Facts) -> tuple[int, int]:
    name = check.property
    if check.kind == FOREIGN_KEY:  # a key that is not whole is none
        return facts.failed[check.id], _lacking(check, facts)[1]
    if check.kind == "expression":
        return (facts.failed if check.scope == "row" else facts.invalid)[check.id], facts.unsure[check.id]
    if check.scope == "row" and name is None:  # a check of whole records
        return facts.failed[check.id], 0
    name = name or ""
    if check.scope == "row":
        return facts.failed[check.id], _null(check, name, facts)
    match check.kind:
        case "unique" | "duplicateValues":
            return facts.sharing[check.id], _lacking(check, facts)[1]
        case "primaryKey":  # a null key fails; a cell that is not of its type is null here
            keyless, unkeyed = _lacking(check, facts)
            return facts.sharing[check.id] + keyless, unkeyed - keyless
        case "nullValues" if name not in facts.lost:
            return _empty(check, facts), 0
        case "nullValues" | "missingValues" | "invalidValues" | "notBlank" | "regex":
            return facts.invalid[check.id], _null(check, name, facts)
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def _null(check: Check, name: str, facts: Facts) -> int:
    """The records without anything to judge: where a null fails, those without a place for the property."""
    if _forbids_null(check) and name not in facts.lost:
        return 0
    return facts.lost[name] if _forbids_null(check) and not check.filter else _empty(check, facts)


def _empty(check: Check, facts: Facts) -> int:
    """Return the number of a check's records that have no value to judge."""
    if check.filter:
        return facts.empty[check.id]
    return (facts.nulls if check.kind in OF_CELLS else facts.voids)[check.property or ""]


def _forbids_null(check: Check) -> bool:
    return check.kind in FORBID_NULL or check.arguments.get("null", False)


def _figure(plan: Plan, check: Check, facts: Facts, evaluated: int) -> Count:
    """The figure of all values of a property; without one, the check was not made, unless there was no record."""
    name = check.property or ""
    prop, voids = plan.property_named(name), _empty(check, facts)
    at = aggregates.place(plan.properties.index(prop), plan.checks.index(check) if check.filter else None)
    values = int(facts.sums.get(f"{aggregates.VALUES}{at}") or 0) if prop.repeats else evaluated - voids
    found = aggregates.figure(check.kind, prop, at, values, facts.sums)
    if isinstance(found, str):
        return Count(state="not_evaluated", reason=found if evaluated else NO_ROWS)
    shown = MASK if prop.masked else aggregates.text_of(found, check.kind, prop)
    return Count(evaluated, 0, voids, observed=shown, figure=found)


def _answer(plan: Plan, check: Check, facts: Facts, evaluated: int) -> Count:
    """Return the counts of a query in a file; none if no record was left to query."""
    found = facts.answers.get(check.id)
    if not evaluated:
        return Count()
    if found is None or found.error:
        why = (UNTOLD if plan.masks(check) else found.error) if found else "the query gave nothing"
        return Count(state="error", reason=why)
    if found.figure is None:
        return Count(state="not_evaluated", reason=found.reason)
    masked, null = plan.masks(check), _empty(check, facts) if check.kind == "quantile" else 0
    prop = plan.property_named(check.property) if check.kind == "quantile" and check.property else None
    text = aggregates.text_of(found.figure, "min", prop) if prop else found.text
    samples = tuple(Sample(s.place, s.value and MASK) for s in found.samples) if masked else found.samples
    return Count(evaluated, 0, null, observed=MASK if masked else text, samples=samples, figure=found.figure)


def _lacking(check: Check, facts: Facts) -> tuple[int, int]:
    """Return how many records have a null in a check's key, and how many no value of its type."""
    if check.property is None or check.filter:
        return facts.parts[check.id]
    return facts.nulls[check.property], facts.voids[check.property]


def _with_samples(plan: Plan, check: Check, facts: Facts, evaluated: int, failed: int, null: int) -> Count:
    samples = facts.samples.get(check.id, ())
    first = next((s.value for s in samples if s.value is not None), None)
    worst = facts.worst.get(check.id, first)
    if (samples or worst) and plan.masks(check):
        samples = tuple(Sample(s.place, s.value and MASK, s.note) for s in samples)
        worst = worst and MASK
    observed = _metric(check.threshold, failed, evaluated) if check.threshold else worst
    return Count(evaluated, failed, null, observed=observed, samples=samples, against=facts.versions.get(check.id))


def _metric(threshold: Threshold, failed: int, evaluated: int) -> str:
    return _percentage(failed, evaluated) if threshold.unit == "percent" else str(failed)


@lru_cache
def _percentage(failed: int, evaluated: int) -> str:
    """A share as people read it; most of a thousand drops have the same few."""
    exact = share(failed, evaluated)
    return f"{Decimal(exact.numerator) / Decimal(exact.denominator):.4g} %"


def _why_missing(plan: Plan, names: list[str], present: Container[str]) -> str:
    allowed = plan.columns.missing != "reject" and not any(_outermost(plan, name, present).required for name in names)
    return ALLOWED_MISSING if allowed else "missing-column"


def _outermost(plan: Plan, name: str, present: Container[str]) -> Property:
    """The outermost of a missing property and all that it lies in that is missing, too."""
    prop = plan.property_named(name)
    while prop.path and plan.parent(prop).name not in present:
        prop = plan.parent(prop)
    return prop
