"""Sums made into the counts of checks, for one drop: pure. evaluated = success + failed + null, for every check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from contracts.job import Count, Sample
from contracts.plan import Check, Plan, share

ALLOWED_MISSING = "allowed-missing"
MASK = "***"
FORBID_NULL = {"required", "nullValues"}
OF_CELLS = FORBID_NULL | {"logicalType", "missingValues"}
"""Kinds that judge the cell as it stands; to all others a cell that is not of its type is null."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one drop: sums, failing rows by check id, keys that records share, samples, worst values."""

    total: int
    sound: int
    failed: Mapping[str, int]
    nulls: Mapping[str, int]
    voids: Mapping[str, int]
    invalid: Mapping[str, int]
    sharing: Mapping[str, int] = field(default_factory=dict)
    samples: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
    worst: Mapping[str, str] = field(default_factory=dict)


def count(plan: Plan, check: Check, header: tuple[str, ...], facts: Facts) -> Count:
    """What one check counted."""
    if check.property is not None and check.property not in header:
        return Count(state="not_evaluated", reason=_why_missing(plan, check.property))
    if check.kind == "rowCount":
        return Count(facts.total, facts.total, observed=str(facts.total))
    if check.scope == "record":
        return _with_samples(plan, check, facts, facts.total, facts.failed[check.id], 0)
    failed, null = _figures(check, facts)
    if check.threshold:
        return Count(facts.sound, failed, null, observed=_metric(check, failed, facts.sound))
    return _with_samples(plan, check, facts, facts.sound, failed, null)


def _figures(check: Check, facts: Facts) -> tuple[int, int]:
    name = check.property
    if name is None:  # a check of whole records
        return facts.failed[check.id], 0
    null = 0 if _forbids_null(check) else facts.nulls[name] if check.kind in OF_CELLS else facts.voids[name]
    if check.scope == "row":
        return facts.failed[check.id], null
    match check.kind:
        case "unique":
            return facts.sharing[check.id], null
        case "primaryKey":  # a null key fails; a cell that is not of its type is null here
            return facts.sharing[check.id] + facts.nulls[name], facts.voids[name] - facts.nulls[name]
        case "nullValues":
            return facts.nulls[name], null
        case "invalidValues" | "missingValues" | "notBlank" | "regex":
            return facts.invalid[check.id], null
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def _forbids_null(check: Check) -> bool:
    return check.kind in FORBID_NULL or check.arguments.get("null", False)


def _with_samples(plan: Plan, check: Check, facts: Facts, evaluated: int, failed: int, null: int) -> Count:
    samples = facts.samples.get(check.id, ())
    first = next((s.value for s in samples if s.value is not None), None)
    worst = facts.worst.get(check.id, first)
    if check.property and plan.property_named(check.property).masked:
        samples = tuple(Sample(s.record, s.value and MASK, s.note) for s in samples)
        worst = worst and MASK
    return Count(evaluated, failed, null, observed=worst, samples=samples)


def _metric(check: Check, failed: int, evaluated: int) -> str:
    if check.threshold is None or check.threshold.unit == "rows":
        return str(failed)
    exact = share(failed, evaluated)
    return f"{Decimal(exact.numerator) / Decimal(exact.denominator):.4g} %"


def _why_missing(plan: Plan, name: str) -> str:
    allowed = plan.columns.missing != "reject" and not plan.property_named(name).required
    return ALLOWED_MISSING if allowed else "missing-column"
