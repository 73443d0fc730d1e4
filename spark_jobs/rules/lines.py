"""Lines of files as values: parts of a file, lines of note, and what failing lines add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from contracts.job import JobDrop

NONE = 2**63 - 1
"""No id."""
Told = tuple[str, int, int, Sequence[Any]]
"""A file, the checks that some records of it fail as a mask, how many these are, and their sums."""


@dataclass(frozen=True, slots=True)
class Place:
    """A split of a file: whose it is, and what turns an id within it into a record number (the header is record 0).

    `last` is the number of the file's last record; a trailer has the next one.
    """

    file: str
    block: int
    drop: JobDrop
    shift: int
    last: int


class Line(NamedTuple):
    """A line: its id and its raw text, as bytes where it may be none."""

    at: int
    raw: str | bytes


@dataclass(frozen=True, slots=True)
class Split:
    """The facts of a part of a file: its lines, the empty ones among them, the first id, and special lines.

    The first id of empty lines alone is `NONE`. Lines of note are the first like a header; where files have trailers,
    the id of the first and all of the last line like one.
    """

    file: str
    block: int
    n: int
    blank: int
    first: int
    head: Line | None
    early: int | None = None
    last: Line | None = None

    def __add__(self, other: Split) -> Split:
        """Return the facts of both parts; trailers are searched in one place."""
        heads = [one for one in (self.head, other.head) if one is not None]
        return Split(
            self.file,
            self.block,
            self.n + other.n,
            self.blank + other.blank,
            min(self.first, other.first),
            min(heads, default=None),
        )
