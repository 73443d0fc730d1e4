"""Failing row checks as bits: bit n of a row's mask is check n of `Plan.row_checks`; many need several columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as sf

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


def flags(failing: Sequence[Column | None]) -> list[Column]:
    """Return the failures of each check as columns f<n> for `mask`; None is a check that no row can fail."""
    return [test.alias(f"f{n}") for n, test in enumerate(failing) if test is not None]


def mask(failing: Sequence[Column | None], which: int) -> str:
    """Make one mask column of the flags, in SQL: as columns it would be hundreds of calls into the JVM.

    A flag that is null is no failure.
    """
    flagged = [n for n, test in enumerate(failing) if test is not None and n // WIDTH == which]
    return " | ".join(f"if(f{n}, {1 << n % WIDTH}L, 0L)" for n in flagged) or "0L"


def fails_any(checks: Numbered) -> Column:
    """Return a column that is true if a row fails one of some checks."""
    tests = [f"({column} & {mask}L) != 0" for column, mask in by_column(checks).items() if mask]
    return sf.expr(" or ".join(tests) or "false")


def record_checks(plan: Plan) -> Numbered:
    """Return the checks that decide whether a line is a record at all, with their numbers."""
    return [(n, c) for n, c in enumerate(plan.row_checks()) if c.scope == "record"]


def is_malformed(checks: Numbered) -> Column:
    """Return a column that is true if a row fails a record check."""
    return fails_any([(n, c) for n, c in checks if c.scope == "record"])


def is_rejected(checks: Numbered) -> Column:
    """Return a column that is true if a row fails a check of severity error."""
    return fails_any([(n, c) for n, c in checks if c.severity == "error"])


def failed_ids(checks: Numbered) -> Column:
    """Return the ids of the checks that a row fails, in their order; there must be at least one.

    A text is split because Spark interprets array filters: that took a fifth of the time of writing evidence.
    """
    tests = (sf.when(fails_any([(n, c)]), sf.lit(c.id)) for n, c in checks)
    return sf.split(sf.concat_ws("\n", *tests), "\n")
