"""Failing row checks as bits: bit n of a row's words is check n of `Plan.row_checks`; many need several words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.plan import Check, Plan

WORD = 62
"""Bits in one word: a Spark long without its sign."""

Numbered = Sequence[tuple[int, Check]]


def words(plan: Plan) -> list[str]:
    """The names of the columns that hold the bits."""
    return [f"m{n}" for n in range(-(-len(plan.row_checks()) // WORD))]


def of(checks: Iterable[tuple[int, Check]]) -> dict[str, int]:
    """The bits of some checks, by word."""
    mask = sum(1 << n for n, _ in checks)
    return {f"m{n}": (mask >> n * WORD) & ((1 << WORD) - 1) for n in range(-(-mask.bit_length() // WORD))}


def mask(words: Sequence[int]) -> int:
    """The words of a row as one number."""
    return sum(word << n * WORD for n, word in enumerate(words))


def flags(failing: Sequence[Column | None]) -> list[Column]:
    """Return the failures of each check as columns f<n> for `word`; None is a check that no row can fail."""
    return [test.alias(f"f{n}") for n, test in enumerate(failing) if test is not None]


def word(failing: Sequence[Column | None], which: int) -> str:
    """One word out of the flags (null is no failure), in SQL: as columns it would be hundreds of calls into the JVM."""
    known = [n for n, test in enumerate(failing) if test is not None and n // WORD == which]
    return " | ".join(f"if(f{n}, {1 << n % WORD}L, 0L)" for n in known) or "0L"


def fails_any(checks: Numbered) -> Column:
    """Return a column that is true if a row fails one of some checks."""
    tests = [f"({word} & {mask}L) != 0" for word, mask in of(checks).items() if mask]
    return sf.expr(" or ".join(tests) or "false")


def record_checks(plan: Plan) -> Numbered:
    """The checks that say whether a line is a record at all, with their numbers."""
    return [(n, c) for n, c in enumerate(plan.row_checks()) if c.scope == "record"]


def is_malformed(checks: Numbered) -> Column:
    """Return a column that is true if a row fails a record check."""
    return fails_any([(n, c) for n, c in checks if c.scope == "record"])


def is_rejected(checks: Numbered) -> Column:
    """Return a column that is true if a row fails a check of severity error."""
    return fails_any([(n, c) for n, c in checks if c.severity == "error"])


def failed_ids(checks: Numbered) -> Column:
    """The ids of those checks that a row fails, of which there must be one, in their order.

    A text is split, as Spark interprets what filters an array: a fifth of the time that writing evidence took.
    """
    tests = (sf.when(fails_any([(n, c)]), sf.lit(c.id)) for n, c in checks)
    return sf.split(sf.concat_ws("\n", *tests), "\n")
