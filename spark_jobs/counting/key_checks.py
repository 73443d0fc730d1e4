"""The checks of keys that can be made of files with a header."""

from __future__ import annotations

from contracts import rules
from contracts.plan import Plan
from spark_jobs.counting import bitmask


def checks(plan: Plan, header: tuple[str, ...]) -> bitmask.Numbered:
    """Return the checks of keys that can be made of files with a header, with their numbers."""
    return [
        (n, c) for n, c in enumerate(plan.checks) if isinstance(c.rule, rules.Key) and set(c.needs()) <= set(header)
    ]
