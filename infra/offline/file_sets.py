"""Local files as sets: a plan, files and keys in; the upload of each file, and the missing parts of sets, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.file_sets import SetRule, describe_set
from contracts.terms.key_pattern import captures
from contracts.verdict import refuse
from functions.admission import manifest
from functions.admission.manifest import Manifest
from infra.offline.judge import Judged, Upload, file_of


@dataclass(frozen=True, slots=True)
class Gathered:
    """A set: the values that its keys share, its files and its marker or manifest, and its missing parts."""

    parts: Mapping[str, str]
    files: tuple[str, ...]
    signal: str | None
    lacks: str | None

    @property
    def name(self) -> str:
        """Return the name of the set, for people."""
        return describe_set(self.parts)


@dataclass(frozen=True, slots=True)
class Home:
    """Files as uploads: those to judge, their sets, and invalid manifests."""

    uploads: tuple[Upload, ...]
    sets: tuple[Gathered, ...] = ()
    broken: Mapping[Path, Judged] = field(default_factory=dict)


@dataclass(slots=True)
class _Set:
    """A set while it is collected; `listed` are the files of its manifest (of a marker: none)."""

    parts: Mapping[str, str]
    files: list[str]
    signal: str | None = None
    listed: Manifest | None = None


def parts_of(plan: Plan, key: str) -> dict[str, str] | None:
    """Return the values of the named parts of a contract's patterns in a key; None if no pattern fits."""
    claims = (*plan.files, *([plan.set.signal] if plan.set and plan.set.signal else []))
    return next((parts for pattern in claims if (parts := captures(pattern, key)) is not None), None)


def gathered(plan: Plan, files: Sequence[tuple[Path, str]], at: datetime) -> Home:
    """Return the files, each with its key below landing, as if they were uploaded at that time.

    If a key comes twice, its last file holds; of several manifests of a set the last one holds.
    """
    rule = plan.set
    if rule is None:
        return Home(tuple(Upload(path, key, at) for path, key in files))
    sets: dict[tuple[str, ...], _Set] = {}
    broken: dict[Path, Judged] = {}
    for path, key in files:
        one = _of(sets, plan, rule, key)
        if not rule.is_signal(key):
            if one:
                one.files.append(key)
            continue
        listing: Manifest | Problem = {}  # of a marker
        if rule.manifest:
            with path.open("rb") as opened:
                listing = manifest.read(opened.read(manifest.LARGEST + 1), key, rule.sums)
        if isinstance(listing, Problem):
            broken[path] = Judged(plan, file_of(path), refuse((listing,)))
        elif one:
            one.signal, one.listed = key, listing
    uploads = [
        _upload(path, key, at, rule, _of(sets, plan, rule, key)) for path, key in files if not rule.is_signal(key)
    ]
    gathered_sets = [
        Gathered(s.parts, tuple(s.files), s.signal, rule.lacking(s.parts, s.files, s.listed)) for s in sets.values()
    ]
    return Home(tuple(uploads), tuple(gathered_sets), broken)


def _of(sets: dict[tuple[str, ...], _Set], plan: Plan, rule: SetRule, key: str) -> _Set | None:
    """Return the set of a key; None if no pattern matches it."""
    captured = parts_of(plan, key)
    if captured is None:
        return None
    parts = rule.named(captured)
    return sets.setdefault(tuple(parts.values()), _Set(parts, []))


def _upload(path: Path, key: str, at: datetime, rule: SetRule, one: _Set | None) -> Upload:
    """Return a file with the entry of its set's manifest, if there is one."""
    if not rule.manifest or one is None or one.listed is None:
        return Upload(path, key, at)
    entry = one.listed.get(key)
    sha256 = file_of(path).sha256 if entry and entry.sha256 else None
    wrong = manifest.unlike(entry, path.stat().st_size, sha256)
    return Upload(path, key, at, wrong, entry.totals if entry else None)
