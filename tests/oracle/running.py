"""The job's answer beside the oracle's: a plan and files in, what the two disagree on out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from contracts.decision import Decision
from contracts.job import SIFTED_FROM, DropResult, JobReference
from contracts.plan import Plan
from contracts.watermarks import HighMark
from functions.admission.admit import Admission, admit
from functions.admission.header_again import header
from tests.integration.spark_jobs.world import Judged, a_request, run_both_ways
from tests.oracle import records, referring
from tests.oracle.judging import Opinion, judge

Rows = dict[int, tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that the oracle says otherwise than the job (or the door) does."""

    file: str
    about: str
    oracle: object
    job: object


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome of some files: the differences of the two, admission's answers, and the verdicts."""

    differences: tuple[Difference, ...]
    admitted: Mapping[str, Admission]
    opinions: Mapping[str, Opinion]


def compare(
    spark: SparkSession,
    folder: Path,
    plan: Plan,
    files: Mapping[str, bytes],
    contents: Mapping[str, records.Content] | None = None,
    marks: tuple[HighMark, ...] = (),
    references: Mapping[str, bytes] | None = None,
    sift_from: int = SIFTED_FROM,
) -> Compared:
    """Let the door, the job and the oracle judge files; the job gets those that the door lets in.

    `contents` are the records of files of Parquet, which the oracle does not read; `references` the plan's, by name.
    """
    admitted = {name: look(plan, body) for name, body in files.items()}
    keys = referring.keys(plan, references or {})
    if not contents:
        contents = {n: records.content(plan, admitted[n].header, files[n]) for n in files if admitted[n].header}
    contents = {name: replace(content, keys=keys) for name, content in contents.items()}
    opinions = {name: judge(plan, content, admitted[name].notes, marks) for name, content in contents.items()}
    let_in = {name: body for name, body in files.items() if not admitted[name].refused}
    every_difference = [d for name in files if name not in let_in for d in _refused(name, admitted[name], opinions)]
    if plan.csv.leader:
        every_difference += [d for name in files for d in _of_leader(plan, name, admitted[name], files[name])]
    if let_in:
        pinned = referring.pinned(folder, references or {})
        judged, rows = judged_by_job(spark, folder, plan, let_in, admitted, marks, pinned, sift_from)
        for name in let_in:
            every_difference += differences(name, opinions[name], judged, rows.get(name, {}))
    return Compared(tuple(every_difference), admitted, opinions)


def look(plan: Plan, data: bytes) -> Admission:
    """Return admission's answer for a file."""
    return admit(plan, "maker/things/a", len(data), lambda start, length: data[start : start + length])


def judged_by_job(
    spark: SparkSession,
    folder: Path,
    plan: Plan,
    files: Mapping[str, bytes],
    admitted: Mapping[str, Admission],
    marks: tuple[HighMark, ...] = (),
    references: Sequence[JobReference] = (),
    sift_from: int = SIFTED_FROM,
) -> tuple[Judged, dict[str, Rows]]:
    """Return the job's result for files that admission let in, and its rows of evidence by file and record."""
    request = a_request(folder, plan, files)
    drops = tuple(_admitted(plan, drop, admitted[drop.id]) for drop in request.drops)
    request = replace(request, drops=drops, marks=marks, references=tuple(references))
    judged = Judged(plan, run_both_ways(spark, folder, request, sift_from), folder)
    rows: dict[str, Rows] = {}
    if (folder / "rows").exists():
        for row in judged.evidence(spark):
            rows.setdefault(row.file, {})[row.record] = (row.outcome, frozenset(row.checks))
    return judged, rows


def _admitted(plan: Plan, drop: Any, admission: Admission) -> Any:
    names, types = header(plan, admission.header_line)
    return replace(drop, header=names, header_line=admission.header_line, types=types, notes=admission.notes)


def differences(name: str, opinion: Opinion, judged: Judged, rows: Rows) -> list[Difference]:
    """Return the differences of the oracle and the job about a file."""
    facts, decision = judged.drop(name), judged.decision(name)
    pairs = {
        "records": (figures(opinion.facts), figures(facts)),
        "blank": (opinion.facts.blank, facts.blank),
        "letters": (opinion.facts.letters, facts.letters and replace(facts.letters, first=None, read=None, meant=None)),
        "ending": (opinion.facts.ending, facts.ending),
        "sums": (opinion.facts.sums, facts.sums),
        "marks": (opinion.facts.marks, facts.marks),
        "masks": (sorted(opinion.facts.masks), sorted(facts.masks)),
        "figures": (_figures(judged.plan, opinion.facts), _figures(judged.plan, facts)),
        "verdict": (verdict_of(opinion.decision), verdict_of(decision)),
        **{f"record {n}": (opinion.rows.get(n), rows.get(n)) for n in sorted({*opinion.rows, *rows})},
        **_checks(opinion.decision, decision),
    }
    return [Difference(name, about, *pair) for about, pair in pairs.items() if pair[0] != pair[1]]


def figures(facts: DropResult) -> tuple[int, ...]:
    """The counts of records: read, valid, rejected, flagged."""
    return facts.read, facts.valid, facts.rejected, facts.flagged


def verdict_of(decision: Decision) -> tuple[object, ...]:
    """The verdict, and the codes of its problems and of a failure."""
    return (
        decision.verdict,
        sorted((p.code, p.level, p.check or "") for p in decision.problems),
        decision.failure and (decision.failure.code, decision.failure.message),
    )


def _checks(ours: Decision, theirs: Decision) -> dict[str, tuple[object, object]]:
    left, right = ({o.id: _outcome(o) for o in d.checks} for d in (ours, theirs))
    return {f"check {i}": (left.get(i), right.get(i)) for i in {*left, *right}}


def _outcome(one: Any) -> tuple[object, ...]:
    return one.result, one.evaluated, one.failed, one.null, one.reason


def _figures(plan: Plan, facts: DropResult) -> dict[str, object]:
    """Figures of all values with the digits that do not depend on how the file was split."""
    pairs = zip(plan.checks, facts.counts, strict=False)
    return {c.id: f"{float(count.figure):.10g}" for c, count in pairs if count.figure is not None}


def _of_leader(plan: Plan, name: str, admission: Admission, body: bytes) -> Sequence[Difference]:
    """Return whether door and oracle say otherwise of a leader; of other files that are refused it is not known."""
    codes = {p.code for p in admission.problems if p.level == "error"}
    by_door = next(iter(codes & {"leader-missing", "leader-differs"}), None)
    if admission.refused and not by_door:
        return []
    wanted = records.leader_fault(plan, body)
    return [] if wanted == by_door else [Difference(name, "the leader", wanted, by_door)]


JUDGED = {"no-records", "unknown-key", "not-json-lines", "column-count"}
"""What the door refuses and the oracle can judge: it must reject the file, too."""


def _refused(name: str, admission: Admission, opinions: Mapping[str, Opinion]) -> Sequence[Difference]:
    codes = {p.code for p in admission.problems if p.level == "error"}
    if not codes <= JUDGED or name not in opinions or opinions[name].decision.verdict == "rejected":
        return []
    return [Difference(name, "the door", opinions[name].decision.verdict, sorted(codes))]
