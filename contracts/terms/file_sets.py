"""File sets: the contract's rule and the keys of the files in, the missing files of the set out.

Pure. The files of a contract whose keys share the values of the parts in `of` form a set. It is complete when its
marker, all files of its manifest, or the agreed number of files are there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from contracts import codec
from contracts.problem import quoted
from contracts.terms.key_pattern import captures, tokens

MOST_PARTS = 10_000
MOST_WITHIN = 6 * 24 * 3600
"""Seconds; meanwhile the members are in stage, which keeps them for at least 7 days."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals that a manifest states for a file: records, and sums of properties; None or no entry if not stated."""

    rows: int | None = None
    sums: dict[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetRule:
    """The definition of a set, and the seconds within which it must be complete after its first upload.

    One of `marker`, `manifest` (key patterns) and `parts` (the number of files) is set. `sums` are the properties
    whose sums a manifest may state.
    """

    of: tuple[str, ...]
    within: int
    marker: str | None = None
    manifest: str | None = None
    parts: int | None = None
    sums: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def signal(self) -> str | None:
        """The key pattern of markers or manifests, which are not data files of the contract."""
        return self.marker or self.manifest

    def is_signal(self, name: str) -> bool:
        """Return True if a key is that of a marker or a manifest."""
        return self.signal is not None and captures(self.signal, name) is not None

    def lacking(self, parts: Mapping[str, str], came: Collection[str], listed: Collection[str] | None) -> str | None:
        """Return what the set of a key's parts lacks, in words; None if it is complete.

        `came` are the keys of the files that have come, `listed` the keys that the manifest names (None if neither a
        marker nor a manifest has come).
        """
        if self.signal and listed is None:
            return f"`{filled(self.signal, parts)}` has not come"
        if self.parts:
            return f"{len(came):,} of {self.parts:,} files have come" if len(came) < self.parts else None
        left = [name for name in listed or () if name not in came]
        return f"{quoted(left, most=3)} of its manifest have not come" if left else None

    def named(self, parts: Mapping[str, str]) -> dict[str, str]:
        """Return the parts of a key that name its set."""
        return {name: parts[name] for name in self.of}


def describe_set(parts: Mapping[str, str]) -> str:
    """Return the shared parts of a set's keys, for people."""
    return ", ".join(f"{name} {value}" for name, value in parts.items())


def filled(pattern: str, parts: Mapping[str, str]) -> str:
    """Return a pattern with the values of named parts filled in and `*` for the others, for people."""
    return "".join(parts.get(t.name or "", "*") if t.kind != "literal" else t.text for t in tokens(pattern))
