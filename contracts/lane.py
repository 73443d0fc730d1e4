"""The lane that judges files of a plan: a plan in, True out if its small files may be judged without Spark."""

from __future__ import annotations

from contracts import rules
from contracts.plan import Plan

SURE = (
    rules.RecordRule,
    rules.KnownKeys,
    rules.ValueRule,
    rules.Key,
    rules.RowCount,
    rules.ForPeople,
    rules.OtherEngine,
)
"""The rules whose counts follow from lines that pass, if the prefilter has a test for them."""


def is_for(plan: Plan) -> bool:
    """Return True if files of a plan may be judged by their lines alone, and no rows of them are written."""
    in_lines = not (plan.unpacked_first or plan.is_recoded or plan.is_transcribed or plan.packing != "none")
    as_it_came = plan.lane == "auto" and plan.promote == "object"
    return in_lines and as_it_came and all(isinstance(check.rule, SURE) for check in plan.checks)
