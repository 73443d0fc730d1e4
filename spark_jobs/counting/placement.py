"""The records of one file by its splits: counts of splits in; its lines, and where its records are, out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.job import JobDrop
from contracts.plan import Plan
from contracts.terms.trailer import TrailerReading, reading_of
from spark_jobs.counting import top_lines
from spark_jobs.counting.lines import FileSplit, SplitCounts

Spot = tuple[str, int, int]
"""The place of a line: its file, the block of its split, and its id."""


@dataclass(frozen=True, slots=True)
class LineCounts:
    """The lines of a file: all, the empty ones, and those above or below the records; its trailer, if any.

    `below` is the number of lines of its trailer or footer.
    """

    all: int = 0
    blank: int = 0
    aside: int = 0
    ending: TrailerReading | None = None
    below: int = 0

    @property
    def records(self) -> int:
        """Return the number of records."""
        return self.all - self.blank - self.aside


@dataclass(frozen=True, slots=True)
class Placement:
    """The splits that have records of a drop, and the ids of the lines above them and of its trailer."""

    splits: tuple[FileSplit, ...]
    aside: tuple[int, ...]


def line_counts(plan: Plan, drop: JobDrop, splits: Sequence[SplitCounts]) -> LineCounts:
    """Add up the lines of a file, and read its trailers.

    These are the last line, with its cells, and the first of all other such lines. Empty lines that
    stand for headers in an archive are left out.
    """
    above = len(top_lines.above(plan, drop))
    headless, below, ending = sum(member.headless for member in drop.members), 0, None
    every, blank = (sum(counts) - headless for counts in ((s.n for s in splits), (s.blank for s in splits)))
    if plan.csv.trailer:
        filled = _filled(splits)
        end: Any = filled[-1].last if filled else None
        is_last = end is not None and end.at == _last_id(filled[-1])
        last = top_lines.trailer_cells(bytes(end.raw), plan) if is_last else None
        ending = reading_of(plan.csv.trailer, last, _first_like(splits, above, but=end.at if is_last else None))
        below = int(ending.cells is not None)
    elif plan.csv.footer:
        first = _first_like(splits, above)
        length = 0 if first is None else every - blank - above - first + 1
        below = length if length <= plan.csv.footer.lines else 0
        ending = TrailerReading(() if below else None, None if below else first)
    return LineCounts(every, blank, above + below, ending, below)


def _first_like(splits: Sequence[SplitCounts], above: int, but: int | None = None) -> int | None:
    """Return the record number of the first line like a trailer or the begin of a footer, except one with an id."""
    before = 1 - above
    for split in _filled(splits):
        if split.early is not None and split.early != but:
            return split.early - split.first + before
        before += split.n - split.blank
    return None


def first_lines(splits: Sequence[SplitCounts], count: int) -> list[Spot]:
    """Return the places of the first lines of a file that are not empty, so many or all."""
    spots: list[Spot] = []
    for split in _filled(splits):
        here = min(split.n - split.blank, count - len(spots))
        spots += [(split.file, split.block, split.first + n) for n in range(here)]
    return spots


def place(
    plan: Plan, drop: JobDrop, splits: Sequence[SplitCounts], lines: LineCounts, tops: Mapping[Spot, str | bytes]
) -> Placement | None:
    """Number the records of a drop; None if its first lines should be its header and other rows, and are not.

    `tops` are the texts of first lines.
    """
    above = top_lines.above(plan, drop)
    spots = first_lines(splits, len(above))
    if above and (len(spots) < len(above) or splits[0].block != 0):
        return None
    if any(tops.get(spot) not in top_lines.as_read(line) for spot, line in zip(spots, above, strict=True)):
        return None
    splits, aside = _filled(splits), [at for _, _, at in spots]
    below: list[int] = []
    for split in reversed(splits):
        here = min(split.n - split.blank, lines.below - len(below))
        below += [_last_id(split) - n for n in range(here)]
    offset, placed = 1 - len(above), []
    for split in splits:
        placed.append(FileSplit(split.file, split.block, drop, offset - split.first, lines.records, offset))
        offset += split.n - split.blank
    return Placement(tuple(placed), (*aside, *below))


def _filled(splits: Sequence[SplitCounts]) -> list[SplitCounts]:
    """Return the splits that have more than empty lines."""
    return [split for split in splits if split.n > split.blank]


def _last_id(split: SplitCounts) -> int:
    """Return the id of the last line of a split."""
    return split.first + split.n - split.blank - 1
