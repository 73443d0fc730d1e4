"""Failing row checks of records as Spark columns: tests in, the bits of `spark_jobs.counting.bitmask` out."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as sf

from spark_jobs.counting.bitmask import WIDTH, Numbered, by_column


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
