"""Sums made into the counts of checks, for one drop: pure. evaluated = success + failed + null, for every check."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from contracts.decision import EXCUSED
from contracts.job import Count, Sample
from contracts.plan import (
    EXPECTATION,
    FIGURES,
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
from spark_jobs.rules import aggregates, row_checks
from spark_jobs.rules.masking import MASK
from spark_jobs.rules.sums import Sums
from spark_jobs.scan.tally import Tally

ALLOWED_MISSING, NO_ROWS, FOR_PEOPLE, OTHER_ENGINE = EXCUSED
WHY_UNCHECKED = {"forPeople": FOR_PEOPLE, "otherEngine": OTHER_ENGINE}
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
    """Everything that was measured of one drop, from which the counts of its checks are made.

    By check id: `failed`: failing records of each row check; `shared`: records that share a key with another;
    `samples` and `worst` from the evidence; `answers` of queries; `expectations` of Great Expectations; `problems` of
    references that could not be used, and `versions` of all. By property: `nulls`: null cells; `voids`: records without
    a value of the type.
    """

    total: int
    sound: int
    sums: Sums
    failed: Mapping[str, int]
    nulls: Mapping[str, int]
    voids: Mapping[str, int]
    shared: Mapping[str, int]
    samples: Mapping[str, tuple[Sample, ...]]
    worst: Mapping[str, str]
    answers: Mapping[str, Answer]
    expectations: Mapping[str, Count]
    problems: Mapping[str, str]
    versions: Mapping[str, str]


def failed_by_check(plan: Plan, tally: Tally) -> dict[str, int]:
    """Return the number of records that fail each row check."""
    return {c.id: n for c, n in zip(plan.row_checks(), tally.failed, strict=True)}


def nulls_by_property(plan: Plan, tally: Tally) -> dict[str, int]:
    """Return the number of null cells of each property."""
    failed = failed_by_check(plan, tally)
    strict = {p.name: check.id for p in plan.properties if (check := plan.forbidding_null(p.name))}
    return {
        p.name: failed[strict[p.name]] if p.name in strict else tally.sums.null.get(n, 0)
        for n, p in enumerate(plan.properties)
    }


def voids_by_property(plan: Plan, tally: Tally) -> dict[str, int]:
    """Return the number of records without a value of the type of each property."""
    failed = failed_by_check(plan, tally)
    misfits = {c.property: failed[c.id] for c in plan.checks if c.kind == "logicalType"}
    flat = {name: nulls + misfits.get(name, 0) for name, nulls in nulls_by_property(plan, tally).items()}
    return flat | {plan.properties[n].name: count for n, count in tally.sums.void.items()}


def count(plan: Plan, number: int, present: Container[str], facts: Facts) -> Count:
    """Return the counts of a plan's check, by its number, in a file with some columns."""
    check = plan.checks[number]
    if missing := [name for name in check.needs() if name not in present]:
        return Count(state="not_evaluated", reason=_why_missing(plan, missing, present))
    if check.kind in UNCHECKED:
        return Count(state="not_evaluated", reason=WHY_UNCHECKED[check.kind])
    if check.kind == EXPECTATION:
        return facts.expectations[check.id]
    if check.id in facts.problems:
        return Count(state="error", reason=facts.problems[check.id])
    evaluated = facts.sums.within.get(number, 0) if check.filter else facts.sound
    if check.kind == "rowCount" and check.filter:
        return Count(evaluated, evaluated, observed=str(evaluated))
    if check.kind == "rowCount":
        return Count(facts.total, facts.total, observed=str(facts.total))
    if check.scope == "record":
        return _with_samples(plan, check, facts, facts.total, facts.failed[check.id], 0)
    if check.kind in FIGURES:
        return _aggregate(plan, number, facts, evaluated)
    if check.kind in QUERIES:
        return _answer(plan, number, facts, evaluated)
    return _with_samples(plan, check, facts, evaluated, *_failed_and_null(plan, number, facts))


def _failed_and_null(plan: Plan, number: int, facts: Facts) -> tuple[int, int]:
    """Return the records that fail a check, and those that have nothing for it to judge."""
    check = plan.checks[number]
    bad, unsure = facts.sums.bad.get(number, 0), facts.sums.unsure.get(number, 0)
    if check.kind == FOREIGN_KEY:  # an incomplete key is no key
        return facts.failed[check.id], _lacking(check, number, facts)[1]
    if check.kind == "expression":
        return facts.failed[check.id] if check.scope == "row" else bad, unsure
    if check.scope == "row" and check.property is None:  # a check of whole records
        return facts.failed[check.id], 0
    if check.scope == "row":
        return facts.failed[check.id], _null(plan, number, facts)
    match check.kind:
        case "unique" | "duplicateValues":
            return facts.shared.get(check.id, 0), _lacking(check, number, facts)[1]
        case "primaryKey":  # a null key fails; a cell that is not of its type is null here
            keyless, unkeyed = _lacking(check, number, facts)
            return facts.shared.get(check.id, 0) + keyless, unkeyed - keyless
        case "nullValues" if _lost(plan, check, facts) is None:
            return _empty(check, number, facts), 0
        case "nullValues" | "missingValues" | "invalidValues" | "notBlank" | "regex":
            return bad, _null(plan, number, facts)
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def _null(plan: Plan, number: int, facts: Facts) -> int:
    """Return the records without anything to judge: if a null fails, those without a place for the property."""
    check = plan.checks[number]
    if not row_checks.forbids_null(check):
        return _empty(check, number, facts)
    lost = _lost(plan, check, facts)
    if lost is None:
        return 0
    return _empty(check, number, facts) if check.filter else lost


def _lost(plan: Plan, check: Check, facts: Facts) -> int | None:
    """Return the records that lack what contains a check's nested property; None if that is not counted."""
    prop = plan.property_named(check.property) if check.property else None
    return facts.sums.lost.get(plan.properties.index(prop)) if prop and prop.path else None


def _empty(check: Check, number: int, facts: Facts) -> int:
    """Return the number of a check's records that have no value to judge."""
    if check.filter:
        return facts.sums.bare.get(number, 0)
    return (facts.nulls if check.kind in OF_CELLS else facts.voids)[check.property or ""]


def _aggregate(plan: Plan, number: int, facts: Facts, evaluated: int) -> Count:
    """Return the aggregate of all values of a property; without a value it is not made, unless there is no record."""
    check = plan.checks[number]
    prop, voids = plan.property_named(check.property or ""), _empty(check, number, facts)
    at = aggregates.place(plan.properties.index(prop), number if check.filter else None)
    sums = facts.sums.aggregates
    values = aggregates.value_count(at, sums) if prop.repeats else evaluated - voids
    figure = aggregates.figure(check.kind, prop, at, values, sums)
    if isinstance(figure, str):
        return Count(state="not_evaluated", reason=figure if evaluated else NO_ROWS)
    shown = MASK if prop.masked else aggregates.text_of(figure, check.kind, prop)
    return Count(evaluated, 0, voids, observed=shown, figure=figure)


def _answer(plan: Plan, number: int, facts: Facts, evaluated: int) -> Count:
    """Return the counts of a query in a file; none if no record was left to query."""
    check = plan.checks[number]
    answer = facts.answers.get(check.id)
    if not evaluated:
        return Count()
    if answer is None or answer.error:
        why = (UNTOLD if plan.masks(check) else answer.error) if answer else "the query gave nothing"
        return Count(state="error", reason=why)
    if answer.figure is None:
        return Count(state="not_evaluated", reason=answer.reason)
    masked, null = plan.masks(check), _empty(check, number, facts) if check.kind == "quantile" else 0
    prop = plan.property_named(check.property) if check.kind == "quantile" and check.property else None
    text = aggregates.text_of(answer.figure, "min", prop) if prop else answer.text
    samples = tuple(Sample(s.place, s.value and MASK) for s in answer.samples) if masked else answer.samples
    return Count(evaluated, 0, null, observed=MASK if masked else text, samples=samples, figure=answer.figure)


def _lacking(check: Check, number: int, facts: Facts) -> tuple[int, int]:
    """Return how many records have a null in a check's key, and how many have no value of its type."""
    if check.property is None or check.filter:
        return facts.sums.keyless.get(number, 0), facts.sums.unkeyed.get(number, 0)
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
