"""Checks of keys: judged groups in; by drop and check the records that share a key, and the first of them, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from pyspark.sql import SparkSession

from contracts import rules
from contracts.job import Sample
from contracts.place import Place
from contracts.plan import Check, Plan
from spark_jobs.counting import bitmask, key_checks
from spark_jobs.counting.results import nulls_by_property
from spark_jobs.counting.tally import Tally
from spark_jobs.scan import line_numbers
from spark_jobs.scan.records import numbered_records
from spark_jobs.scan.scanning import ScannedBatch, ScannedGroup
from spark_jobs.set_checks import uniqueness


@dataclass(frozen=True, slots=True)
class KeyFindings:
    """By drop, by check id: how many records share their key with another, and the first records that fail."""

    shared: dict[str, dict[str, int]]
    samples: dict[str, dict[str, tuple[Sample, ...]]]


def find(
    spark: SparkSession, plan: Plan, batch: ScannedBatch, tallies: Mapping[str, Tally], *, malformed: bool
) -> KeyFindings:
    """Find the keys that records of one file share, or lack; `malformed` means there are records to leave out."""
    shared: dict[str, dict[str, int]] = {}
    samples: dict[str, dict[str, tuple[Sample, ...]]] = {}
    for group in batch.groups:
        checks = key_checks.checks(plan, group.header)
        if group.prefiltered is not None and plan.archive is None:  # it may have seen that no value repeats
            distinct, files = group.prefiltered.distinct(), {split.file for split in group.splits}
            checks = [(n, c) for n, c in checks if not all(n in distinct.get(file, ()) for file in files)]
        if group.splits and checks:
            findings = _in_group(spark, plan, batch, group, checks, tallies, malformed=malformed)
            shared |= findings.shared
            samples |= findings.samples
    return KeyFindings(shared, samples)


def _in_group(
    spark: SparkSession,
    plan: Plan,
    batch: ScannedBatch,
    group: ScannedGroup,
    checks: bitmask.Numbered,
    tallies: Mapping[str, Tally],
    *,
    malformed: bool,
) -> KeyFindings:
    """Find the shared keys of a group; the records themselves are read only if there are any."""
    drops, names = group.placed_drops, uniqueness.names(checks)
    numbered = numbered_records(spark, plan, group, names, drops, malformed=malformed)
    cells = uniqueness.filtered(numbered, plan, checks)
    rows = uniqueness.keyed(cells, checks)
    repeats = uniqueness.repeated(rows)
    try:
        sharing = uniqueness.sharing(repeats)
        shared = uniqueness.first(rows, repeats) if sharing else {}
    finally:
        repeats.unpersist()
    keyless = [(n, c) for n, c in checks if isinstance(c.rule, rules.PrimaryKey) and _is_lacking(plan, n, tallies)]
    lacking = uniqueness.lacking(cells, names, keyless) if keyless else {}
    shown = [(drops[at], n) for (at, _), some in shared.items() for s in some for n in (s.record, s.also)]
    shown += [(drops[at], s.record) for (at, _), some in lacking.items() for s in some]
    places = line_numbers.places(spark, batch, plan, shown)
    counts: dict[str, dict[str, int]] = {}
    samples: dict[str, dict[str, tuple[Sample, ...]]] = {}
    for at, drop in enumerate(drops):
        counts[drop] = {c.id: sharing.get((at, n), 0) for n, c in checks}
        samples[drop] = {
            c.id: _samples(c, drop, places, shared.get((at, n), ()), lacking.get((at, n), ())) for n, c in checks
        }
    return KeyFindings(counts, samples)


def _samples(
    check: Check,
    drop: str,
    places: Mapping[tuple[str, int], Place],
    shared: Sequence[uniqueness.Shared],
    lacking: Sequence[uniqueness.Lacking],
) -> tuple[Sample, ...]:
    """Return the first records of a drop that share a key or lack one, in their order."""
    failing = []
    for s in shared:
        more = f" and {s.count - 2:,} more" if s.count > 2 else ""
        note = f"also {places[drop, s.also]}{more}"
        failing.append(Sample(places[drop, s.record], _text(check, s.texts), note))
    for record in lacking:
        missing = [name for name, text in zip(check.properties(), record.texts, strict=True) if text is None]
        note = f"has no {', '.join(missing)}"
        failing.append(Sample(places[drop, record.record], _text(check, record.texts), note))
    return tuple(sorted(failing, key=attrgetter("place.record"))[: uniqueness.MOST])


def _is_lacking(plan: Plan, number: int, tallies: Mapping[str, Tally]) -> bool:
    """Return True if a record of any drop has a null in a check's key."""
    check = plan.checks[number]
    if check.property is None or check.filter:
        return any(tally.sums.keyless.get(number) for tally in tallies.values())
    return any(nulls_by_property(plan, tally)[check.property] for tally in tallies.values())


def _text(check: Check, texts: Sequence[str | None]) -> str | None:
    """Return the text of a record's key: the text of one property, or names and texts of several."""
    if check.property is not None:
        return texts[0]
    parts = [f"{name}={text}" for name, text in zip(check.properties(), texts, strict=True) if text is not None]
    return ", ".join(parts)[: uniqueness.LENGTH] or None
