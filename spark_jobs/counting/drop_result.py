"""All that was measured of a drop in, its result out: pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from contracts.files.mojibake import Letters
from contracts.job import Count, DropResult, JobDrop, JobRequest, Sample
from contracts.plan import Plan
from contracts.watermarks import HighMark
from spark_jobs.counting import aggregates, results
from spark_jobs.counting.placement import LineCounts
from spark_jobs.counting.results import Answer, Facts, ReferenceNotes
from spark_jobs.counting.tally import Tally


@dataclass(frozen=True, slots=True)
class DropEvidence:
    """The evidence of one drop: rows by outcome; by check id the text of the worst cell, and the first records."""

    rejected: int = 0
    flagged: int = 0
    worst: dict[str, str] = field(default_factory=dict)
    first: dict[str, tuple[Sample, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredDrop:
    """Everything that was measured of a drop.

    By check id: `shared`: records that share a key with another, `key_samples` the first of them; `answers` of queries;
    `expectations` of Great Expectations. `rejected_file` is the URI of its rejected rows, `letters` the records in
    other encodings.
    """

    lines: LineCounts
    tally: Tally
    evidence: DropEvidence = field(default_factory=DropEvidence)
    shared: Mapping[str, int] = field(default_factory=dict)
    key_samples: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    expectations: Mapping[str, Count] = field(default_factory=dict)
    references: ReferenceNotes = field(default_factory=ReferenceNotes)
    rejected_file: str | None = None
    letters: Letters | None = None


def drop_result(request: JobRequest, drop: JobDrop, measured: MeasuredDrop) -> DropResult:
    """Return the result of a drop of which everything was measured."""
    plan, lines, tally, own = request.plan, measured.lines, measured.tally, measured.evidence
    facts, present = _facts(plan, measured), set(drop.header)
    highs = ((p, aggregates.high_mark(n, tally.sums.aggregates)) for n, p in enumerate(plan.properties))
    return DropResult(
        drop.id,
        drop.attempt,
        read=lines.records,
        valid=tally.valid,
        rejected=own.rejected,
        flagged=own.flagged,
        blank=lines.blank,
        counts=tuple(results.count(plan, n, present, facts) for n in range(len(plan.checks))),
        masks=tally.masks,
        overflow=tally.overflow,
        outputs={
            **({"rejected_rows": measured.rejected_file} if measured.rejected_file else {}),
            "evidence_rows": request.evidence_rows,
        },
        notes=drop.notes,
        marks=tuple(HighMark(p.name, p.type, Decimal(high)) for p, high in highs if high is not None),
        totals=drop.totals,
        ending=lines.ending,
        letters=measured.letters,
        **_sums(plan, tally),
    )


def _sums(plan: Plan, tally: Tally) -> dict[str, Any]:
    """Return the sums that a manifest or trailer may state, as fields of a result."""
    if not plan.summed:
        return {}
    sums = tally.sums.aggregates
    summed = {p.name: (p, aggregates.place(n, None)) for n, p in enumerate(plan.properties) if p.name in plan.summed}
    totals = {name: aggregates.figure(aggregates.TOTAL, prop, at, 1, sums) for name, (prop, at) in summed.items()}
    return {
        "sums": {name: total for name, total in totals.items() if isinstance(total, Decimal)},
        "rough": tuple(name for name, (prop, at) in summed.items() if aggregates.is_rough(prop, at, sums)),
        "endless": tuple(name for name, total in totals.items() if total == aggregates.TOO_LARGE),
    }


def _facts(plan: Plan, measured: MeasuredDrop) -> Facts:
    """Return what the counts of its checks are made from."""
    return Facts.of(
        plan,
        measured.tally,
        shared=measured.shared,
        samples={**measured.evidence.first, **measured.key_samples},
        worst=measured.evidence.worst,
        answers=measured.answers,
        expectations=measured.expectations,
        references=measured.references,
    )
