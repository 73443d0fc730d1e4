"""Sums made into the counts of checks, for one drop: pure. evaluated = success + failed + null, for every check."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from contracts.job import Count, Sample
from contracts.plan import EXPECTATION, FIGURES, Check, Plan, Threshold, share
from contracts.wording import EXCUSED
from spark_jobs import figures

ALLOWED_MISSING, NO_ROWS = EXCUSED
MASK = "***"
FORBID_NULL = {"required", "nullValues"}
OF_CELLS = FORBID_NULL | {"logicalType", "missingValues"}
"""Kinds that judge the cell as it stands; to all others a cell that is not of its type is null."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one drop: sums, failing rows by check id, keys that records share or lack, samples, worst.

    `expected` are the counts of Great Expectations.
    """

    total: int
    sound: int
    failed: Mapping[str, int]
    nulls: Mapping[str, int]
    voids: Mapping[str, int]
    invalid: Mapping[str, int]
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unsure: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, Any] = field(default_factory=dict)
    sharing: Mapping[str, int] = field(default_factory=dict)
    samples: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
    worst: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Count] = field(default_factory=dict)


def count(plan: Plan, check: Check, present: Container[str], facts: Facts) -> Count:
    """What one check counted in a file with some columns."""
    if missing := [name for name in check.properties() if name not in present]:
        return Count(state="not_evaluated", reason=_why_missing(plan, missing))
    if check.kind == EXPECTATION:
        return facts.expected[check.id]
    if check.kind == "rowCount":
        return Count(facts.total, facts.total, observed=str(facts.total))
    if check.scope == "record":
        return _with_samples(plan, check, facts, facts.total, facts.failed[check.id], 0)
    if check.kind in FIGURES:
        return _figure(plan, check, facts)
    return _with_samples(plan, check, facts, facts.sound, *_figures(check, facts))


def _figures(check: Check, facts: Facts) -> tuple[int, int]:
    name = check.property
    if check.kind == "expression":
        return (facts.failed if check.scope == "row" else facts.invalid)[check.id], facts.unsure[check.id]
    if check.scope == "row" and name is None:  # a check of whole records
        return facts.failed[check.id], 0
    name = name or ""
    if check.scope == "row":
        null = 0 if _forbids_null(check) else facts.nulls[name] if check.kind in OF_CELLS else facts.voids[name]
        return facts.failed[check.id], null
    match check.kind:
        case "unique" | "duplicateValues":
            return facts.sharing[check.id], _lacking(check, facts)[1]
        case "primaryKey":  # a null key fails; a cell that is not of its type is null here
            keyless, unkeyed = _lacking(check, facts)
            return facts.sharing[check.id] + keyless, unkeyed - keyless
        case "nullValues":
            return facts.nulls[name], 0
        case "missingValues":
            return facts.invalid[check.id], 0 if _forbids_null(check) else facts.nulls[name]
        case "invalidValues" | "notBlank" | "regex":
            return facts.invalid[check.id], facts.voids[name]
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def _forbids_null(check: Check) -> bool:
    return check.kind in FORBID_NULL or check.arguments.get("null", False)


def _figure(plan: Plan, check: Check, facts: Facts) -> Count:
    """The figure of all values of a property; without one, the check was not made, unless there was no record."""
    name = check.property or ""
    prop, voids = plan.property_named(name), facts.voids[name]
    number = plan.properties.index(prop)
    found = figures.figure(check.kind, prop, number, facts.sound - voids, facts.sums)
    if isinstance(found, str):
        return Count(state="not_evaluated", reason=found if facts.sound else NO_ROWS)
    shown = MASK if prop.masked else figures.text_of(found, check.kind, prop)
    return Count(facts.sound, 0, voids, observed=shown, figure=found)


def _lacking(check: Check, facts: Facts) -> tuple[int, int]:
    """How many records have a null in a check's key, and how many no value of its type."""
    if check.property is None:
        return facts.parts[check.id]
    return facts.nulls[check.property], facts.voids[check.property]


def _with_samples(plan: Plan, check: Check, facts: Facts, evaluated: int, failed: int, null: int) -> Count:
    samples = facts.samples.get(check.id, ())
    first = next((s.value for s in samples if s.value is not None), None)
    worst = facts.worst.get(check.id, first)
    if (samples or worst) and plan.masks(check):
        samples = tuple(Sample(s.record, s.value and MASK, s.note) for s in samples)
        worst = worst and MASK
    observed = _metric(check.threshold, failed, evaluated) if check.threshold else worst
    return Count(evaluated, failed, null, observed=observed, samples=samples)


def _metric(threshold: Threshold, failed: int, evaluated: int) -> str:
    return _percentage(failed, evaluated) if threshold.unit == "percent" else str(failed)


@lru_cache
def _percentage(failed: int, evaluated: int) -> str:
    """A share as people read it; most of a thousand drops have the same few."""
    exact = share(failed, evaluated)
    return f"{Decimal(exact.numerator) / Decimal(exact.denominator):.4g} %"


def _why_missing(plan: Plan, names: list[str]) -> str:
    allowed = plan.columns.missing != "reject" and not any(plan.property_named(name).required for name in names)
    return ALLOWED_MISSING if allowed else "missing-column"
