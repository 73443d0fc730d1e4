"""The facts of one drop in, the counts of its checks out: pure. evaluated = success + failed + null for each check."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from contracts import rules
from contracts.decision import EXCUSED
from contracts.job import Count, Sample
from contracts.plan import Check, Plan, Property, share
from spark_jobs.counting import aggregates
from spark_jobs.counting.masking import MASK
from spark_jobs.counting.tally import Tally

ALLOWED_MISSING, NO_ROWS, FOR_PEOPLE, OTHER_ENGINE, *_ = EXCUSED
HIDDEN_ERROR = "Spark could not run it; the error is hidden, as it may quote a classified value"
KeyOrRowRule = rules.Key | rules.KnownKeys | rules.ValueRule | rules.Expression | rules.ForeignKey
"""The rules whose failing records are counted among sound ones."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query for one drop: its figure and that for people, or why there is none, or the error."""

    figure: Decimal | None = None
    text: str | None = None
    samples: tuple[Sample, ...] = ()
    reason: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ReferenceNotes:
    """The references of a plan, by check id: problems of those that cannot be used, and versions of all."""

    problems: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that was measured of one drop, from which the counts of its checks are made.

    By check id: `failed`: failing records of each row check; `shared`: records that share a key with another;
    `samples` and `worst` from the evidence; `answers` of queries; `expectations` of Great Expectations. By property:
    `nulls`: null cells; `voids`: records without a value of the type.
    """

    tally: Tally
    failed: Mapping[str, int]
    nulls: Mapping[str, int]
    voids: Mapping[str, int]
    shared: Mapping[str, int]
    samples: Mapping[str, tuple[Sample, ...]]
    worst: Mapping[str, str]
    answers: Mapping[str, Answer]
    expectations: Mapping[str, Count]
    references: ReferenceNotes

    @classmethod
    def of(
        cls,
        plan: Plan,
        tally: Tally,
        *,
        shared: Mapping[str, int],
        samples: Mapping[str, tuple[Sample, ...]],
        worst: Mapping[str, str],
        answers: Mapping[str, Answer],
        expectations: Mapping[str, Count],
        references: ReferenceNotes,
    ) -> Facts:
        """Add to what was measured the counts by check and by property that its tally holds."""
        failed, nulls = _failed_by_check(plan, tally), nulls_by_property(plan, tally)
        misfits = {c.property: failed[c.id] for c in plan.checks if isinstance(c.rule, rules.LogicalType)}
        voids = {name: count + misfits.get(name, 0) for name, count in nulls.items()}
        voids |= {plan.properties[n].name: count for n, count in tally.sums.void.items()}
        return cls(
            tally=tally,
            failed=failed,
            nulls=nulls,
            voids=voids,
            shared=shared,
            samples=samples,
            worst=worst,
            answers=answers,
            expectations=expectations,
            references=references,
        )


def _failed_by_check(plan: Plan, tally: Tally) -> dict[str, int]:
    """Return the number of records that fail each row check."""
    return {c.id: n for c, n in zip(plan.row_checks(), tally.failed, strict=True)}


def nulls_by_property(plan: Plan, tally: Tally) -> dict[str, int]:
    """Return the number of null cells of each property."""
    failed = _failed_by_check(plan, tally)
    strict = {p.name: check.id for p in plan.properties if (check := plan.forbidding_null(p.name))}
    return {
        p.name: failed[strict[p.name]] if p.name in strict else tally.sums.null.get(n, 0)
        for n, p in enumerate(plan.properties)
    }


def count(plan: Plan, number: int, present: Container[str], facts: Facts) -> Count:
    """Return the counts of a plan's check, by its number, in a file with some columns."""
    check = plan.checks[number]
    if missing := [name for name in check.needs() if name not in present]:
        required = plan.columns.missing == "reject" or any(_outermost(plan, n, present).required for n in missing)
        return Count(state="not_evaluated", reason="missing-column" if required else ALLOWED_MISSING)
    if problem := facts.references.problems.get(check.id):
        return Count(state="error", reason=problem)
    evaluated = facts.tally.sums.within.get(number, 0) if check.filter else facts.tally.sound
    match check.rule:
        case rules.ForPeople():
            return Count(state="not_evaluated", reason=FOR_PEOPLE)
        case rules.OtherEngine():
            return Count(state="not_evaluated", reason=OTHER_ENGINE)
        case rules.Expectation():
            return facts.expectations[check.id]
        case rules.RowCount():
            rows = evaluated if check.filter else facts.tally.total
            return Count(rows, rows, observed=str(rows))
        case rules.Mean() | rules.Stdev() | rules.Min() | rules.Max() | rules.Sum() as rule:
            return _aggregate(plan, number, rule, facts, evaluated)
        case rules.Sql() | rules.Statement() | rules.Quantile() as rule:
            return _answer(plan, number, rule, facts, evaluated)
        case rule if isinstance(rule, rules.RecordRule):
            return _with_samples(plan, check, facts, facts.tally.total, facts.failed[check.id], 0)
        case rule:
            return _with_samples(plan, check, facts, evaluated, *_failed_and_null(plan, number, rule, facts))


def _failed_and_null(plan: Plan, number: int, rule: KeyOrRowRule, facts: Facts) -> tuple[int, int]:
    """Return the records that fail a check, and those that have nothing for it to judge."""
    check = plan.checks[number]
    failed = facts.failed[check.id] if check.scope == "row" else facts.tally.sums.bad.get(number, 0)
    match rule:
        case rules.ForeignKey():  # an incomplete key is no key
            return failed, _lacking(check, number, facts)[1]
        case rules.Expression():
            return failed, facts.tally.sums.unsure.get(number, 0)
        case rules.KnownKeys():  # of whole records
            return failed, 0
        case rules.Unique() | rules.DuplicateValues():
            return facts.shared.get(check.id, 0), _lacking(check, number, facts)[1]
        case rules.PrimaryKey():  # a null key fails; a cell that is not of its type is null here
            keyless, unkeyed = _lacking(check, number, facts)
            return facts.shared.get(check.id, 0) + keyless, unkeyed - keyless
        case rules.NullValues() if check.scope == "set" and _lost(plan, check, facts) is None:
            return _empty(check, number, facts), 0
        case _ if not rules.forbids_null(rule):
            return failed, _empty(check, number, facts)
        case _:  # a null fails: only a record without a place for the property has nothing to judge
            lost = _lost(plan, check, facts)
            if lost is not None and check.filter:
                return failed, _empty(check, number, facts)
            return failed, lost or 0


def _lost(plan: Plan, check: Check, facts: Facts) -> int | None:
    """Return the records that lack the container of a check's nested property; None if these are not counted."""
    prop = plan.property_named(check.property) if check.property else None
    return facts.tally.sums.lost.get(plan.properties.index(prop)) if prop and prop.path else None


def _empty(check: Check, number: int, facts: Facts) -> int:
    """Return the number of a check's records that have no value to judge."""
    if check.filter:
        return facts.tally.sums.bare.get(number, 0)
    return (facts.nulls if isinstance(check.rule, rules.OfCells) else facts.voids)[check.property or ""]


def _aggregate(plan: Plan, number: int, rule: rules.Aggregate, facts: Facts, evaluated: int) -> Count:
    """Return the aggregate of all values of a property; without a value it is not made, unless there is no record."""
    check = plan.checks[number]
    prop, voids = plan.property_named(check.property or ""), _empty(check, number, facts)
    at = aggregates.place(plan.properties.index(prop), number if check.filter else None)
    sums = facts.tally.sums.aggregates
    values = aggregates.value_count(at, sums) if prop.repeats else evaluated - voids
    figure = aggregates.figure(rule, prop, at, values, sums)
    if isinstance(figure, str):
        return Count(state="not_evaluated", reason=figure if evaluated else NO_ROWS)
    shown = (
        MASK if prop.masked else aggregates.text_of(figure, prop, whole=not isinstance(rule, rules.Mean | rules.Stdev))
    )
    return Count(evaluated, 0, voids, observed=shown, figure=figure)


def _answer(plan: Plan, number: int, rule: rules.Query, facts: Facts, evaluated: int) -> Count:
    """Return the counts of a query in a file; none if no record was left to query."""
    check = plan.checks[number]
    answer = facts.answers.get(check.id)
    if not evaluated:
        return Count()
    if answer is None or answer.error:
        why = (HIDDEN_ERROR if plan.masks(check) else answer.error) if answer else "the query gave nothing"
        return Count(state="error", reason=why)
    if answer.figure is None:
        return Count(state="not_evaluated", reason=answer.reason)
    masked, is_quantile = plan.masks(check), isinstance(rule, rules.Quantile)
    null = _empty(check, number, facts) if is_quantile else 0
    prop = plan.property_named(check.property) if is_quantile and check.property else None
    text = aggregates.text_of(answer.figure, prop, whole=True) if prop else answer.text
    samples = tuple(Sample(s.place, s.value and MASK) for s in answer.samples) if masked else answer.samples
    return Count(evaluated, 0, null, observed=MASK if masked else text, samples=samples, figure=answer.figure)


def _lacking(check: Check, number: int, facts: Facts) -> tuple[int, int]:
    """Return how many records have a null in a check's key, and how many have no value of its type."""
    if check.property is None or check.filter:
        return facts.tally.sums.keyless.get(number, 0), facts.tally.sums.unkeyed.get(number, 0)
    return facts.nulls[check.property], facts.voids[check.property]


def _with_samples(plan: Plan, check: Check, facts: Facts, evaluated: int, failed: int, null: int) -> Count:
    samples, observed = facts.samples.get(check.id, ()), facts.worst.get(check.id)
    if samples or observed:
        first = next((s.value for s in samples if s.value is not None), None)
        observed = facts.worst.get(check.id, first)
        if plan.masks(check):
            samples = tuple(Sample(s.place, s.value and MASK, s.note) for s in samples)
            observed = observed and MASK
    if check.threshold:
        observed = _percentage(failed, evaluated) if check.threshold.unit == "percent" else str(failed)
    against = facts.references.versions.get(check.id)
    if not samples:
        return _without_samples(evaluated, failed, null, observed, against)
    return Count(evaluated, failed, null, observed=observed, samples=samples, against=against)


@lru_cache(maxsize=10_000)
def _without_samples(evaluated: int, failed: int, null: int, observed: str | None, against: str | None) -> Count:
    """Return the counts of a check that shows no record: most checks of most drops share a few such values."""
    return Count(evaluated, failed, null, observed=observed, against=against)


@lru_cache
def _percentage(failed: int, evaluated: int) -> str:
    """Return a share for people; most of a thousand drops have the same few."""
    exact = share(failed, evaluated)
    return f"{Decimal(exact.numerator) / Decimal(exact.denominator):.4g} %"


def _outermost(plan: Plan, name: str, present: Container[str]) -> Property:
    """Return the outermost missing property among a missing property and those that contain it."""
    prop = plan.property_named(name)
    while prop.path and plan.parent(prop).name not in present:
        prop = plan.parent(prop)
    return prop
