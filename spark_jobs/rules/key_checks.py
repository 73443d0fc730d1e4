"""The checks of keys of a plan that files with a header can be held to."""

from __future__ import annotations

from contracts.plan import KEYS, Plan
from spark_jobs.rules import bitmask


def checks(plan: Plan, header: tuple[str, ...]) -> bitmask.Numbered:
    """The checks of keys that can be made of files with a header, with their numbers."""
    return [(n, c) for n, c in enumerate(plan.checks) if c.kind in KEYS and set(c.needs()) <= set(header)]
