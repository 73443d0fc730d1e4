"""The records of one file by its splits: counts of splits in; its lines, and where its records are, out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contracts.job import JobDrop
from contracts.plan import Plan
from contracts.terms.trailer import TrailerReading, reading_of
from spark_jobs.formats import registry
from spark_jobs.rules.lines import FileSplit, SplitCounts


@dataclass(frozen=True, slots=True)
class LineCounts:
    """The lines of a file: all, the empty ones, and those that are a header or a trailer; its trailer, if any."""

    all: int = 0
    blank: int = 0
    aside: int = 0
    ending: TrailerReading | None = None

    @property
    def records(self) -> int:
        """Return the number of records."""
        return self.all - self.blank - self.aside


@dataclass(frozen=True, slots=True)
class Placement:
    """The splits that have records of a drop, and the ids of its header line and its trailer."""

    splits: tuple[FileSplit, ...]
    aside: tuple[int, ...]


def line_counts(plan: Plan, splits: Sequence[SplitCounts]) -> LineCounts:
    """Add up the lines of a file, and read its trailers.

    These are the last line, with its cells, and the first of all other such lines.
    """
    form, ending = registry.of(plan), None
    if plan.csv.trailer:
        filled, before, early = _filled(splits), 0 if form.is_headed(plan) else 1, None
        end: Any = filled[-1].last if filled else None
        is_last = end is not None and end.at == _last_id(filled[-1])
        last = form.trailer_cells(bytes(end.raw), plan) if is_last else None
        for split in filled:
            if early is None and split.early is not None and not (is_last and split.early == end.at):
                early = split.early - split.first + before
            before += split.n - split.blank
        ending = reading_of(plan.csv.trailer, last, early)
    aside = form.is_headed(plan) + bool(ending and ending.cells is not None)
    return LineCounts(sum(split.n for split in splits), sum(split.blank for split in splits), aside, ending)


def place(plan: Plan, drop: JobDrop, splits: Sequence[SplitCounts], lines: LineCounts) -> Placement | None:
    """Number the records of a drop; None if its first line should be its header, and is not."""
    splits, form, aside = _filled(splits), registry.of(plan), []
    headed = form.is_headed(plan)
    if headed:
        if not splits or splits[0].block != 0:
            return None
        head = splits[0].head
        if head is None or head.at != splits[0].first or head.raw not in form.header_texts(drop):
            return None
        aside.append(head.at)
    if lines.ending and lines.ending.cells is not None:
        aside.append(_last_id(splits[-1]))
    offset, placed = 0 if headed else 1, []
    for split in splits:
        placed.append(FileSplit(split.file, split.block, drop, offset - split.first, lines.records))
        offset += split.n - split.blank
    return Placement(tuple(placed), tuple(aside))


def _filled(splits: Sequence[SplitCounts]) -> list[SplitCounts]:
    """Return the splits that have more than empty lines."""
    return [split for split in splits if split.n > split.blank]


def _last_id(split: SplitCounts) -> int:
    """Return the id of the last line of a split."""
    return split.first + split.n - split.blank - 1
