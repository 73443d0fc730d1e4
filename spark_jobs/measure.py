"""Scanned drops in, their DropResults out: counts from scratch, rows from the evidence as it was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from operator import attrgetter
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from contracts.files.mojibake import Letters, is_watched
from contracts.job import DropResult, JobDrop, JobRequest, Sample
from contracts.place import Place
from contracts.plan import Check, Plan
from contracts.problem import Problem
from contracts.verdict import OURS
from contracts.watermarks import HighMark
from spark_jobs.formats import registry
from spark_jobs.outputs import evidence as outputs_evidence
from spark_jobs.outputs import line_numbers, mojibake, samples, valid_rows
from spark_jobs.rules import aggregates, bitmask, key_checks
from spark_jobs.scan import references
from spark_jobs.scan import tally as scan_tally
from spark_jobs.scan.batch import Group, Lines, Read, judge_open, singles, told
from spark_jobs.set_checks import great_expectations, statements, uniqueness
from spark_jobs.set_checks.results import Answer, Facts, count
from spark_jobs.spark import storage

MANY = 50_000
"""Lines from which on compiling a query over all of them pays."""
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}


@dataclass(slots=True)
class Findings:
    """The results of a batch, by drop or by drop and check."""

    tallies: dict[str, scan_tally.Tally]
    masks: dict[str, scan_tally.Masks]
    written: dict[str, samples.Written] = field(default_factory=dict)
    samples: dict[tuple[str, str], tuple[Sample, ...]] = field(default_factory=dict)
    sharing: dict[tuple[str, str], int] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    laid: dict[str, int] = field(default_factory=dict)
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    expected: great_expectations.Found = field(default_factory=dict)
    letters: dict[str, Letters] = field(default_factory=dict)
    known: references.Known = field(default_factory=references.Known)


def measure(
    spark: SparkSession, request: JobRequest, read: Read, drops: Sequence[JobDrop], pool: Executor
) -> tuple[dict[str, DropResult], list[Future[None]]]:
    """Count, write the evidence, look for shared keys; the files for producers may still be written by the pool."""
    judge_open(spark, request, read)
    owners = {place.file: place.drop.id for group in read.groups for place in group.places}
    found = Findings(*scan_tally.tally(told(read, request.plan), owners, request.plan), known=read.known)
    evidence, files = _look_at_rows(spark, request, read, found, pool)
    with _compiled(spark, sum(file.all for file in read.lines.values())):
        for group in read.groups:
            if group.places and (checks := _untold(key_checks.checks(request.plan, group.header), group)):
                _look_at_keys(spark, read, request.plan, checks, group, found)
            if group.places and (asked := statements.checks(request.plan, group.header)):
                found.answers |= statements.answers(spark, request.plan, asked, group, _malformed(found))
        if request.plan.promote == "rows":
            found.laid = valid_rows.write_files(spark, request, read.groups, evidence, found.tallies)
        if request.plan.promote == "table":
            found.laid = valid_rows.write_tables(spark, request, read.groups, evidence, malformed=_malformed(found))
        found.expected = great_expectations.judged(spark, request.plan, read.groups, malformed=_malformed(found))
        _place(spark, read, request.plan, found)
        if is_watched(request.plan.csv):
            counted = {drop: of for drop, tally in found.tallies.items() if (of := _letters(tally))}
            found.letters = mojibake.with_examples(spark, read, request.plan, counted)
    return {d.id: _result(request, d, read.lines[d.id], found) for d in drops}, files


def _look_at_rows(
    spark: SparkSession, request: JobRequest, read: Read, found: Findings, pool: Executor
) -> tuple[DataFrame | None, list[Future[None]]]:
    """Write the rows that fail, and take every figure of them from what lies there, which is given back."""
    if not (how_many := sum(t.failing for t in found.tallies.values())):
        storage.delete(spark, request.evidence_rows)  # what an earlier try left
        return None, []
    failing = [
        (n, c) for n, c in enumerate(request.plan.row_checks()) if any(t.failed[n] for t in found.tallies.values())
    ]
    records = line_numbers.with_lines(spark, read, request.plan, singles(spark, read, request.plan))
    evidence = outputs_evidence.write_rows(spark, records, request, failing, how_many)
    rejected = {drop: t.total - t.valid for drop, t in found.tallies.items()}
    targets, files = outputs_evidence.rejected_files(request, rejected), []
    # Each leaves a part of the executors idle; what takes longest begins first.
    if targets:
        lines = outputs_evidence.rejected_lines(spark, evidence, request, failing, rejected, targets)
        files.append(pool.submit(outputs_evidence.write_rejected, spark, lines, request, targets))
    found.written = samples.written(spark, evidence, request.plan, failing)
    found.samples |= {(drop, check): some for drop, own in found.written.items() for check, some in own.first.items()}
    found.outputs |= {drop: {"rejected_rows": uri} for drop, uri in targets.items()}
    return evidence, files


@contextmanager
def _compiled(spark: SparkSession, lines: int) -> Iterator[None]:
    """Compile the queries over all lines where these are many, whatever was chosen for those over failing rows."""
    before = {name: str(spark.conf.get(name)) for name in COMPILED}
    for name, value in (COMPILED if lines > MANY else {}).items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def _untold(checks: bitmask.Numbered, group: Group) -> bitmask.Numbered:
    """The checks of keys but for those of which the sieve knows that no value is there twice, in no file."""
    if group.sifted is None:
        return checks
    told = group.sifted.ascending()
    files = {place.file for place in group.places}
    return [(n, c) for n, c in checks if not all(n in told.get(file, ()) for file in files)]


def _place(spark: SparkSession, read: Read, plan: Plan, found: Findings) -> None:
    """Give the records that queries and expectations show the lines in which they begin."""
    shown = {(drop, s.place.record) for (drop, _), answer in found.answers.items() for s in answer.samples}
    shown |= {(drop, s.place.record) for drop, own in found.expected.items() for c in own.values() for s in c.samples}
    if not shown:
        return
    places = line_numbers.places(spark, read, plan, shown)

    def placed(drop: str, some: Sequence[Sample]) -> tuple[Sample, ...]:
        return tuple(replace(sample, place=places[drop, sample.place.record]) for sample in some)

    found.answers = {
        (drop, check): replace(answer, samples=placed(drop, answer.samples))
        for (drop, check), answer in found.answers.items()
    }
    found.expected = {
        drop: {check: replace(count, samples=placed(drop, count.samples)) for check, count in own.items()}
        for drop, own in found.expected.items()
    }


def _look_at_keys(
    spark: SparkSession, read: Read, plan: Plan, checks: bitmask.Numbered, group: Group, found: Findings
) -> None:
    """Find values that records of one file share; the records themselves only where there are any."""
    form = registry.of(plan)
    drops = list(dict.fromkeys(place.drop.id for place in group.places))
    records = form.records(group.source, plan, group.header, uniqueness.names(checks), group.aside, _malformed(found))
    cells = uniqueness.filtered(uniqueness.numbered(spark, records, group.places, drops), plan, checks)
    rows = uniqueness.keyed(cells, checks)
    repeats = uniqueness.repeated(rows)
    try:
        sharing = uniqueness.sharing(repeats)
        shared = uniqueness.first(rows, repeats) if sharing else {}
    finally:
        repeats.unpersist()
    keyless = [(n, c) for n, c in checks if c.kind == "primaryKey" and _is_lacking(plan, n, c, found)]
    lacking = uniqueness.lacking(cells, uniqueness.names(checks), keyless) if keyless else {}
    shown = [(drops[at], n) for (at, _), some in shared.items() for s in some for n in (s.record, s.also)]
    shown += [(drops[at], s.record) for (at, _), some in lacking.items() for s in some]
    places = line_numbers.places(spark, read, plan, shown)
    for n, check in checks:
        for at, drop in enumerate(drops):
            found.sharing[drop, check.id] = sharing.get((at, n), 0)
            told = [
                Sample(places[drop, s.record], _text(check, s.texts), _also(s, places[drop, s.also]))
                for s in shared.get((at, n), [])
            ]
            told += [
                Sample(places[drop, s.record], _text(check, s.texts), _without(check, s))
                for s in lacking.get((at, n), [])
            ]
            found.samples[drop, check.id] = tuple(sorted(told, key=attrgetter("place.record"))[: uniqueness.MOST])


def _malformed(found: Findings) -> bool:
    """Return True if there are malformed records to leave out."""
    return any(t.total != t.sound for t in found.tallies.values())


def _is_lacking(plan: Plan, number: int, check: Check, found: Findings) -> bool:
    """Return True if a record of any drop has a null in a check's key."""
    if check.property is None or check.filter:
        return any(t.sums[f"keyless{number}"] for t in found.tallies.values())
    return any(_nulls(plan, tally)[check.property] for tally in found.tallies.values())


def _text(check: Check, texts: Sequence[str | None]) -> str | None:
    """Return the text of a record's key: the text of one property, or names and texts of several."""
    if check.property is not None:
        return texts[0]
    parts = [f"{name}={text}" for name, text in zip(check.properties(), texts, strict=True) if text is not None]
    return ", ".join(parts)[: samples.LENGTH] or None


def _without(check: Check, lacking: uniqueness.Lacking) -> str:
    names = [name for name, text in zip(check.properties(), lacking.texts, strict=True) if text is None]
    return f"has no {', '.join(names)}"


def _also(shared: uniqueness.Shared, place: Place) -> str:
    more = f" and {shared.count - 2:,} more" if shared.count > 2 else ""
    return f"also {place}{more}"


def _result(request: JobRequest, drop: JobDrop, lines: Lines, found: Findings) -> DropResult:
    tally = found.tallies.get(drop.id) or scan_tally.Tally(failed=(0,) * len(request.plan.row_checks()))
    written = found.written.get(drop.id, samples.Written())
    if found.laid.get(drop.id, tally.valid) != tally.valid:
        text = f"{found.laid[drop.id]:,} records were laid down for consumers, where {tally.valid:,} are valid."
        return DropResult(drop.id, drop.attempt, failure=Problem("rows-do-not-add-up", text, OURS))
    masks, overflow = found.masks.get(drop.id, ((), False))
    known, present = _facts(request.plan, drop, tally, written, found), set(drop.header)
    return DropResult(
        drop.id,
        drop.attempt,
        read=lines.records,
        valid=tally.valid,
        rejected=written.rejected,
        flagged=written.flagged,
        blank=lines.blank,
        counts=tuple(count(request.plan, check, present, known) for check in request.plan.checks),
        masks=masks,
        overflow=overflow,
        outputs=found.outputs.get(drop.id, {})
        | {"evidence_rows": request.evidence_rows, "evidence_checks": request.evidence_checks},
        notes=drop.notes,
        marks=_marks(request.plan, tally),
        totals=drop.totals,
        ending=lines.ending,
        letters=found.letters.get(drop.id),
        **_sums(request.plan, tally),
    )


def _letters(tally: scan_tally.Tally) -> Letters | None:
    """Return the numbers of a drop's records in other encodings; None if there are none."""
    utf8, ansi = (tally.sums.get(name) or 0 for name in ("utf8", "ansi"))
    return Letters(utf8, ansi) if utf8 or ansi else None


def _sums(plan: Plan, tally: scan_tally.Tally) -> dict[str, Any]:
    """Return the sums that a manifest or trailer may state, as fields of a result."""
    if not plan.summed:
        return {}
    summed = {p.name: (p, str(n)) for n, p in enumerate(plan.properties) if p.name in plan.summed}
    totals = {name: aggregates.figure("sum", prop, at, 1, tally.sums) for name, (prop, at) in summed.items()}
    return {
        "sums": {name: total for name, total in totals.items() if isinstance(total, Decimal)},
        "rough": tuple(name for name, (prop, at) in summed.items() if aggregates.is_rough(prop, at, tally.sums)),
        "endless": tuple(name for name, total in totals.items() if total == aggregates.TOO_LARGE),
    }


def _marks(plan: Plan, tally: scan_tally.Tally) -> tuple[HighMark, ...]:
    """Return the high marks of a drop's valid records, without properties that have no value."""
    highs = ((p, tally.sums.get(f"{aggregates.HIGH}{n}")) for n, p in enumerate(plan.properties))
    return tuple(HighMark(p.name, p.type, Decimal(high)) for p, high in highs if high is not None)


def _facts(plan: Plan, drop: JobDrop, tally: scan_tally.Tally, written: samples.Written, found: Findings) -> Facts:
    """One drop's share of the findings, by check id and by property name."""
    failed = _failed(plan, tally)
    misfits = {c.property: failed[c.id] for c in plan.checks if c.kind == "logicalType"}
    nulls = _nulls(plan, tally)
    voids = {name: count + misfits.get(name, 0) for name, count in nulls.items()} | _inner(plan, tally, "void")
    return Facts(
        total=tally.total,
        sound=tally.sound,
        failed=failed,
        nulls=nulls,
        voids=voids,
        invalid={c.id: tally.sums.get(f"bad{n}", 0) for n, c in enumerate(plan.checks)},
        within={c.id: tally.sums.get(f"within{n}", 0) for n, c in enumerate(plan.checks) if c.filter},
        empty={c.id: tally.sums.get(f"bare{n}", 0) for n, c in enumerate(plan.checks) if c.filter},
        answers={c.id: found.answers[drop.id, c.id] for c in plan.checks if (drop.id, c.id) in found.answers},
        parts={
            c.id: (tally.sums.get(f"keyless{n}", 0), tally.sums.get(f"unkeyed{n}", 0))
            for n, c in enumerate(plan.checks)
        },
        unsure={c.id: tally.sums.get(f"unsure{n}", 0) for n, c in enumerate(plan.checks)},
        lost=_inner(plan, tally, "lost"),
        sums=tally.sums,
        sharing={c.id: found.sharing.get((drop.id, c.id), 0) for c in plan.checks},
        samples={c.id: found.samples.get((drop.id, c.id), ()) for c in plan.checks},
        worst=written.worst,
        expected=found.expected.get(drop.id, {}),
        broken=found.known.problems,
        versions=found.known.versions,
    )


def _inner(plan: Plan, tally: scan_tally.Tally, what: str) -> dict[str, int]:
    """A sum of nested properties, by name."""
    names = {f"{what}{n}": p.name for n, p in enumerate(plan.properties) if p.path}
    return {name: tally.sums[key] for key, name in names.items() if key in tally.sums}


def _failed(plan: Plan, tally: scan_tally.Tally) -> dict[str, int]:
    """Return the number of records that fail each row check."""
    return {c.id: n for c, n in zip(plan.row_checks(), tally.failed, strict=True)}


def _nulls(plan: Plan, tally: scan_tally.Tally) -> dict[str, int]:
    """Return the number of null cells of each property."""
    failed = _failed(plan, tally)
    strict = {p.name: check.id for p in plan.properties if (check := plan.forbidding_null(p.name))}
    return {
        p.name: failed[strict[p.name]] if p.name in strict else tally.sums.get(f"null{n}", 0)
        for n, p in enumerate(plan.properties)
    }
