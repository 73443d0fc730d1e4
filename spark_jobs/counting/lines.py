"""Lines of files as values: splits of files, special lines, and counts of records that fail the same checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from contracts.job import JobDrop
from contracts.plan import Plan

NO_ID = 2**63 - 1
"""The first id of a split that has empty lines only."""


def owner(plan: Plan, file: str) -> str:
    """Return what the counts of a file are kept by: of an archive it is the folder that it was unpacked to."""
    return file.rpartition("/")[0] if plan.archive else file


class MaskCount(NamedTuple):
    """Records of one file that fail the same checks: these as a bitmask, how many records, and their sums."""

    file: str
    mask: int
    n: int
    sums: Sequence[Any]


@dataclass(frozen=True, slots=True)
class FileSplit:
    """A split of a file, and its drop. An id within it plus `shift` is a record number (the header is record 0).

    `last` is the number of the file's last record; a trailer has the next one. `first` is the number of its own first
    record.
    """

    file: str
    block: int
    drop: JobDrop
    shift: int
    last: int
    first: int = 1


class Line(NamedTuple):
    """A line: its id and its raw text, as bytes if it may not be text."""

    at: int
    raw: str | bytes


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """The lines of a split: how many, how many of them are empty, the first id, and special lines.

    The first id is `NO_ID` if all lines are empty. `head` is the first line that equals a header. If files have
    trailers, `early` is the id of the first line that looks like one, and `last` is the last such line.
    """

    file: str
    block: int
    n: int
    blank: int
    first: int
    head: Line | None
    early: int | None = None
    last: Line | None = None

    def __add__(self, other: SplitCounts) -> SplitCounts:
        """Add up two parts of one split; trailers are searched in one place."""
        heads = [head for head in (self.head, other.head) if head is not None]
        return SplitCounts(
            self.file,
            self.block,
            self.n + other.n,
            self.blank + other.blank,
            min(self.first, other.first),
            min(heads, default=None),
        )
