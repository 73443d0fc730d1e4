"""Failing row checks as bits: bit n of a row's mask is check n of `Plan.row_checks`; many need several columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contracts.plan import Check, Plan

WIDTH = 62
"""Bits in one mask column: a Spark long without its sign."""

Numbered = Sequence[tuple[int, Check]]
"""Checks with their numbers."""


def mask_columns(plan: Plan) -> list[str]:
    """List the names of the columns that hold a row's mask."""
    return [f"m{n}" for n in range(-(-len(plan.row_checks()) // WIDTH))]


def by_column(checks: Iterable[tuple[int, Check]]) -> dict[str, int]:
    """Return the bits of some checks, by mask column."""
    mask = sum(1 << n for n, _ in checks)
    return {f"m{n}": (mask >> n * WIDTH) & ((1 << WIDTH) - 1) for n in range(-(-mask.bit_length() // WIDTH))}


def joined(masks: Sequence[int]) -> int:
    """Join the values of a row's mask columns into one number."""
    return sum(mask << n * WIDTH for n, mask in enumerate(masks))


def split(mask: int, columns: int) -> list[int]:
    """Split a mask into the values of so many mask columns."""
    return [(mask >> n * WIDTH) & ((1 << WIDTH) - 1) for n in range(columns)]


def record_checks(plan: Plan) -> Numbered:
    """Return the checks that decide whether a line is a record at all, with their numbers."""
    return [(n, c) for n, c in enumerate(plan.row_checks()) if c.scope == "record"]
