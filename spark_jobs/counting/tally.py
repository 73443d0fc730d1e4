"""Counts of records that fail the same checks in, the counts of each file out.

They are added up one after the other, so that a file takes little more memory than its result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import localcontext
from typing import Any

from contracts.plan import Plan
from spark_jobs.counting import aggregates, bitmask, sums
from spark_jobs.counting.lines import MaskCount, owner
from spark_jobs.counting.sums import Sums

HISTOGRAM = 1_000
"""Masks that are kept of a file."""
DIGITS = 100
"""More than any sum of decimals has."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one file. `sound` records pass the record checks, `valid` ones pass all checks of severity error.

    `failed` are the failing records of each row check, in the order of `Plan.row_checks`. `masks` is the histogram of
    failing checks, as bitmasks in hexadecimal, the most frequent first; `overflow` means that rarer ones are left out.
    """

    total: int = 0
    sound: int = 0
    valid: int = 0
    failing: int = 0
    failed: tuple[int, ...] = ()
    sums: Sums = field(default_factory=Sums)
    masks: tuple[tuple[str, int], ...] = ()
    overflow: bool = False


def add_up(
    plan: Plan, mask_counts: Iterable[MaskCount], rows: Iterable[Sequence[Any]] = ()
) -> tuple[dict[str, Tally], dict[str, int]]:
    """Count the records of each file by their checks and add up their sums; count the lines that have no mask yet.

    A row is a file, its mask columns, a number of records, and their sums. If both `mask_counts` and `rows` have some
    that fail the same checks, these are added once.
    """
    by_mask: dict[tuple[str, int], list[int]] = {}
    for split_file, mask, n, addends in mask_counts:
        file = owner(plan, split_file)
        by_mask[file, mask] = _added(by_mask.get((file, mask)), [n, *addends])
    layout = _Layout.of(plan)
    accumulators: dict[str, CountAccumulator] = defaultdict(lambda: CountAccumulator(layout))
    unjudged: dict[str, int] = {}
    masks = bitmask.mask_columns(plan)
    with localcontext(prec=DIGITS):
        for file, *row in rows:
            if row[0] is None:
                unjudged[file] = row[len(masks)]
                continue
            mask = bitmask.joined(row[: len(masks)])
            n, *addends = _added(by_mask.pop((file, mask), None), row[len(masks) :])
            accumulators[file].add(mask, n, addends)
    for (file, mask), (n, *addends) in by_mask.items():
        accumulators[file].add(mask, n, addends)
    return {file: accumulator.tally() for file, accumulator in accumulators.items()}, unjudged


def _added(counts: list[int] | None, more: list[Any]) -> list[Any]:
    """Add two lists of plain counts; None is nothing."""
    return more if counts is None else [a + b for a, b in zip(counts, more, strict=True)]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The same for all files of a plan: the number of row checks, masks of checks, and the columns of the sums.

    `merges` are the functions that merge two sums of a column, `of_valid` the places of sums of valid records only.
    """

    checks: int
    record_mask: int
    error_mask: int
    columns: Sequence[sums.SumColumn]
    merges: Sequence[aggregates.Merge]
    of_valid: Collection[int]

    @classmethod
    def of(cls, plan: Plan) -> _Layout:
        checks = plan.row_checks()
        return cls(
            len(checks),
            sum(1 << n for n, _ in bitmask.record_checks(plan)),
            sum(1 << n for n, check in enumerate(checks) if check.severity == "error"),
            sums.columns(plan),
            sums.merges(plan),
            sums.of_valid(plan),
        )


class CountAccumulator:
    """Counts of one file while its rows are added up: of all records, and of those that fail each check."""

    def __init__(self, layout: _Layout) -> None:
        self._layout = layout
        self._frequent: list[tuple[int, int]] = []
        self._overflow = False
        self._failed = [0] * layout.checks
        self._sums: list[Any] = [None] * len(layout.columns)
        self._total = self._malformed = self._rejected = self._failing = 0

    def add(self, mask: int, n: int, addends: Sequence[Any]) -> None:
        """Count n records that fail the checks of a mask."""
        self._total += n
        self._malformed += n if mask & self._layout.record_mask else 0
        if mask & self._layout.error_mask:
            self._rejected += n
            if self._layout.of_valid:
                addends = [None if at in self._layout.of_valid else addend for at, addend in enumerate(addends)]
        self._sums = [
            addend if total is None else total if addend is None else merge(total, addend)  # None is nothing
            for merge, total, addend in zip(self._layout.merges, self._sums, addends, strict=True)
        ]
        if not mask:
            return
        self._failing += n
        self._frequent.append((-n, mask))
        if len(self._frequent) > 2 * HISTOGRAM:
            self._cut()
        while mask:
            lowest = mask & -mask
            self._failed[lowest.bit_length() - 1] += n
            mask ^= lowest

    def _cut(self) -> None:
        self._overflow |= len(self._frequent) > HISTOGRAM
        self._frequent = sorted(self._frequent)[:HISTOGRAM]

    def tally(self) -> Tally:
        """Return the counts."""
        self._cut()
        return Tally(
            total=self._total,
            sound=self._total - self._malformed,
            valid=self._total - self._rejected,
            failing=self._failing,
            failed=tuple(self._failed),
            sums=sums.of_totals(self._layout.columns, self._sums),
            masks=tuple((f"{mask:x}", -minus) for minus, mask in self._frequent),
            overflow=self._overflow,
        )
