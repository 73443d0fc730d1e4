"""Files that go on together: a contract's rule for sets of files, and what a key says of the set that it belongs to.

Pure. A set are the files of a contract whose keys have the same values of the parts named in `of`. It is complete when
a marker or all files of a manifest are there, or so many files.
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
"""Seconds: members lie in stage meanwhile, which keeps them for 7 days at least."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals that a manifest states for a file: records, and sums of properties; None or no entry if not stated."""

    rows: int | None = None
    sums: dict[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetRule:
    """The definition of a set, and the seconds within which it must be complete after its first upload.

    One of `marker` and `manifest` (patterns of keys) and `parts` (how many files) is there. `sums` are the properties
    whose sums a manifest may say.
    """

    of: tuple[str, ...]
    within: int
    marker: str | None = None
    manifest: str | None = None
    parts: int | None = None
    sums: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def signal(self) -> str | None:
        """The pattern of uploads that tell of a set, and are no files of the contract."""
        return self.marker or self.manifest

    def is_signal(self, name: str) -> bool:
        """Return True if a key is that of a marker or a manifest."""
        return self.signal is not None and captures(self.signal, name) is not None

    def lacking(self, parts: Mapping[str, str], came: Collection[str], listed: Collection[str] | None) -> str | None:
        """Return what the set of a key's parts lacks, in words; None if it is complete.

        `came` are the keys of its files that are there, `listed` those that its manifest names; None where neither a
        marker nor a manifest is there.
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


def called(parts: Mapping[str, str]) -> str:
    """A set by what its keys share, for people."""
    return ", ".join(f"{name} {value}" for name, value in parts.items())


def filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with the values of named parts in it, for people: other parts stay as they are written."""
    return "".join(parts.get(t.name or "", "*") if t.kind != "literal" else t.text for t in tokens(pattern))
