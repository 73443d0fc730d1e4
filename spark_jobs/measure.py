"""Step 5, measure: a judged batch in; the evidence, the rows for consumers and the results of its drops out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pyspark.sql import DataFrame, SparkSession

from contracts.files.mojibake import Letters, is_watched
from contracts.job import Count, DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import OURS
from spark_jobs.counting import bitmask
from spark_jobs.counting.drop_result import DropEvidence, MeasuredDrop, drop_result
from spark_jobs.counting.lines import owner
from spark_jobs.counting.results import Answer
from spark_jobs.counting.tally import Tally
from spark_jobs.outputs import evidence, mojibake, samples, valid_rows
from spark_jobs.scan import line_numbers, members
from spark_jobs.scan.line_numbers import SureGroup
from spark_jobs.scan.records import single_records
from spark_jobs.scan.scanning import ScannedBatch
from spark_jobs.scan.second_pass import JudgedBatch
from spark_jobs.set_checks import great_expectations, keys, statements
from spark_jobs.spark import storage

if TYPE_CHECKING:
    from spark_jobs.outputs.sure_outputs import SureOutputs

MANY = 50_000
"""Lines from which on compiling a query over all of them pays."""
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}

Files = tuple[Future[None], ...]
"""Files for producers that the pool still writes."""
Shown = TypeVar("Shown", Answer, Count)
"""A result that shows records."""


@dataclass(frozen=True, slots=True)
class MeasuredBatch:
    """The result of each drop, by id, and the files that are still being written."""

    results: dict[str, DropResult]
    files: Files


@dataclass(frozen=True, slots=True)
class Evidence:
    """The failing rows of a batch: the rows as written, if there are any; by drop their samples and rejected files."""

    rows: DataFrame | None = None
    by_drop: Mapping[str, DropEvidence] = field(default_factory=dict)
    rejected_files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetChecks:
    """The results of checks over many records, by drop, by check id."""

    keys: keys.KeyFindings
    answers: statements.Answers
    expectations: great_expectations.Counts


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that was measured of a batch.

    By drop: `promotable` is the number of rows written for consumers, `letters` the records in other encodings.
    """

    batch: ScannedBatch
    tallies: Mapping[str, Tally]
    evidence: Evidence
    set_checks: SetChecks
    promotable: Mapping[str, int]
    letters: Mapping[str, Letters]


def measure(spark: SparkSession, request: JobRequest, judged: JudgedBatch, pool: Executor) -> MeasuredBatch:
    """Write the evidence and the rows for consumers, make the set checks, and count; the pool may still write files."""
    batch, plan = judged.scanned, request.plan
    drops = [d for d in request.drops if d.id not in batch.failed]
    if not drops:
        storage.delete(spark, request.evidence_rows)
        return MeasuredBatch(batch.failed, ())
    owners = {owner(plan, split.file): split.drop.id for group in batch.groups for split in group.splits}
    tallies = {owners[file]: tally for file, tally in judged.counts.items() if file in owners}
    written, files = _evidence(spark, request, judged, tallies, pool)
    malformed = any(tally.total != tally.sound for tally in tallies.values())
    with _compiled(spark, sum(lines.all for lines in batch.lines.values())):
        shared = keys.find(spark, plan, batch, tallies, malformed=malformed)
        answers = statements.answers(spark, plan, batch.groups, malformed=malformed)
        promotable: dict[str, int] = {}
        if plan.promote == "rows":
            promotable = valid_rows.write_files(spark, request, batch.groups, written.rows, tallies)
        if plan.promote == "table":
            promotable = valid_rows.write_tables(spark, request, batch.groups, written.rows, malformed=malformed)
        expectations = great_expectations.counts(spark, plan, batch.groups, malformed=malformed)
        set_checks = _with_lines(spark, batch, plan, SetChecks(shared, answers, expectations))
        letters: dict[str, Letters] = {}
        if is_watched(plan.csv):
            sums = {drop: tally.sums for drop, tally in tallies.items()}
            counted = {drop: Letters(s.utf8, s.ansi, own=s.own) for drop, s in sums.items() if s.utf8 or s.ansi}
            letters = mojibake.with_examples(spark, batch, plan, counted)
    findings = Findings(batch, tallies, written, set_checks, promotable, letters)
    return MeasuredBatch(batch.failed | {d.id: result(request, d, findings) for d in drops}, files)


def _evidence(
    spark: SparkSession, request: JobRequest, judged: JudgedBatch, tallies: Mapping[str, Tally], pool: Executor
) -> tuple[Evidence, Files]:
    """Write the rows that fail, and take all counts and samples of them from the written rows."""
    how_many = sum(tally.failing for tally in tallies.values())
    if not how_many:
        storage.delete(spark, request.evidence_rows)  # of an earlier try
        return Evidence(), ()
    plan, files = request.plan, list[Future[None]]()
    failing = [(n, c) for n, c in enumerate(plan.row_checks()) if any(t.failed[n] for t in tallies.values())]
    sure = _sure_outputs(request, line_numbers.sure_groups(judged.scanned, plan), failing, how_many)
    others, records = how_many - (len(sure) if sure else 0), None
    if others:
        aside = [own.group.group for own in sure.rows] if sure else []
        records = single_records(spark, judged, plan, failing, aside)
        records = line_numbers.with_lines(spark, judged.scanned, plan, records)
    rows = evidence.write_rows(spark, records, request, failing, others, sure)
    rejected = {drop: tally.total - tally.valid for drop, tally in tallies.items()}
    targets = evidence.rejected_files(request, rejected)
    # Each leaves a part of the executors idle; the longest begins first.
    if targets:
        files.append(pool.submit(_writing_rejected(spark, rows, request, failing, rejected, targets, sure)))
    by_drop = sure.by_drop if sure else None
    return Evidence(rows, by_drop or samples.of_evidence(spark, rows, plan, failing), targets), tuple(files)


def _sure_outputs(
    request: JobRequest, groups: Sequence[SureGroup], failing: bitmask.Numbered, how_many: int
) -> SureOutputs | None:
    if not groups:
        return None
    from spark_jobs.outputs import sure_outputs  # noqa: PLC0415 (needs Arrow)

    return sure_outputs.made(request, groups, failing, how_many)


def _writing_rejected(
    spark: SparkSession,
    rows: DataFrame,
    request: JobRequest,
    failing: bitmask.Numbered,
    rejected: Mapping[str, int],
    targets: Mapping[str, str],
    sure: SureOutputs | None,
) -> Callable[[], None]:
    """Return what writes the files of rejected rows: those that the driver has, or a query of the rows."""
    if sure and sure.rejected is not None:
        from spark_jobs.outputs import sure_rejected  # noqa: PLC0415 (needs Arrow)

        return partial(sure_rejected.write, spark, sure.rejected, request, targets)
    lines = evidence.rejected_lines(spark, rows, request, failing, rejected, targets)
    return partial(evidence.write_rejected, spark, lines, request, targets)


@contextmanager
def _compiled(spark: SparkSession, lines: int) -> Iterator[None]:
    """Compile the queries over all lines if there are many; the queries over failing rows have their own choice."""
    before = {name: str(spark.conf.get(name)) for name in COMPILED}
    for name, value in (COMPILED if lines > MANY else {}).items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def _with_lines(spark: SparkSession, batch: ScannedBatch, plan: Plan, set_checks: SetChecks) -> SetChecks:
    """Add the physical lines of the records that queries and expectations show."""
    every: list[tuple[str, Mapping[str, Answer | Count]]]
    every = [*set_checks.answers.items(), *set_checks.expectations.items()]
    shown = {(drop, s.place.record) for drop, own in every for result in own.values() for s in result.samples}
    if not shown:
        return set_checks
    places = line_numbers.places(spark, batch, plan, shown)

    def placed(by_drop: dict[str, dict[str, Shown]]) -> dict[str, dict[str, Shown]]:
        return {drop: {check: in_lines(drop, result) for check, result in own.items()} for drop, own in by_drop.items()}

    def in_lines(drop: str, result: Shown) -> Shown:
        return replace(result, samples=tuple(replace(s, place=places[drop, s.place.record]) for s in result.samples))

    return replace(set_checks, answers=placed(set_checks.answers), expectations=placed(set_checks.expectations))


def result(request: JobRequest, drop: JobDrop, findings: Findings) -> DropResult:
    """Return the result of one drop of which everything was measured."""
    plan = request.plan
    tally = findings.tallies.get(drop.id) or Tally(failed=(0,) * len(plan.row_checks()))
    promotable = findings.promotable.get(drop.id, tally.valid)
    if promotable != tally.valid:
        text = f"{promotable:,} records were written for consumers, but {tally.valid:,} are valid."
        return DropResult(drop.id, drop.attempt, failure=Problem("rows-do-not-add-up", text, OURS))
    set_checks = findings.set_checks
    measured = MeasuredDrop(
        lines=findings.batch.lines[drop.id],
        tally=tally,
        evidence=findings.evidence.by_drop.get(drop.id, DropEvidence()),
        shared=set_checks.keys.shared.get(drop.id, {}),
        key_samples=set_checks.keys.samples.get(drop.id, {}),
        answers=set_checks.answers.get(drop.id, {}),
        expectations=set_checks.expectations.get(drop.id, {}),
        references=findings.batch.references.notes,
        rejected_file=findings.evidence.rejected_files.get(drop.id),
        letters=findings.letters.get(drop.id),
    )
    whole = drop_result(request, drop, measured)
    return replace(whole, counts=_with_places(plan, drop, whole.counts, findings.batch))


def _with_places(plan: Plan, drop: JobDrop, counts: tuple[Count, ...], batch: ScannedBatch) -> tuple[Count, ...]:
    """Add the members and elements, or cells of sheets, to the places of samples."""
    if drop.members or plan.element(1):
        starts = members.starts(drop, batch.groups)
        counts = tuple(members.with_places(count, plan, starts) for count in counts)
    if plan.sheet:
        pairs = zip(counts, plan.checks, strict=True)
        counts = tuple(members.in_cells(count, check, plan, drop.header) for count, check in pairs)
    return counts
