"""The problems that headers have by name and by place: columns in, their problems out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contracts.plan import Plan, Property
from contracts.problem import Level, Problem, visible

MOST_NAMED = 20
"""Columns named for one fault."""


def unknown(plan: Plan, texts: Sequence[str]) -> list[Problem]:
    """Return the problems of columns that the contract has not, unless it ignores them."""
    if plan.columns.extra == "ignore":
        return []
    level: Level = "error" if plan.columns.extra == "reject" else "warning"
    fix = f"Leave the column out, or ask for it to be added to {plan.contract}."
    return shortened(
        [
            Problem("extra-column", f"The contract has no column `{visible(text)}`.", fix, level, property=text)
            for text in texts
        ]
    )


def level_of_missing(plan: Plan, prop: Property) -> Level | None:
    """Return the level of the problem of a missing column; None if the contract ignores that it is missing."""
    if plan.columns.missing == "reject" or prop.required:
        return "error"
    return None if plan.columns.missing == "ignore" else "warning"


def asked(plan: Plan, fix: str, key: str) -> str:
    """Return a fix that also names the key of the contract by which files may be as this one is."""
    return f"{fix.removesuffix('.')}, or ask for `{key}` in {plan.contract}."


def shortened(many: list[Problem]) -> list[Problem]:
    """Return the first of many problems of one kind; the last of them states how many more there are."""
    if len(many) <= MOST_NAMED:
        return many
    last = many[MOST_NAMED - 1]
    more = f"{last.message} The same holds for {len(many) - MOST_NAMED:,} more columns."
    return [*many[: MOST_NAMED - 1], replace(last, message=more)]
