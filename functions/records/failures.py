"""A drop that we could not judge: the drop and why in, the failed drop out. Never used for faults of the data."""

from __future__ import annotations

from contracts.decision import Decision
from contracts.problem import Problem
from contracts.verdict import fail
from functions import keys
from functions.drop import Drop, brief
from functions.ports import Ports
from functions.records.outcome import unless_erased, write_outcome
from functions.records.record import record

NOT_YOURS = "Nothing is wrong with the file as far as we know; we find the cause and judge it again."

EDITED = Problem(
    "record-edited",
    "The record of the file names bytes, rows, a key or a verdict that are not its own; it was not promoted.",
    NOT_YOURS,
)
"""The problem of a drop whose item in the ledger somebody has changed by hand."""
RESULT_MISSING = Problem("result-missing", "The job that checks the file said nothing about it.", NOT_YOURS)
ROWS_GONE = Problem("rows-gone", "The valid rows of the file were removed before they could be promoted.", NOT_YOURS)

LOST = "Nothing is wrong with the file as far as we know, but we have lost it: send it again."
KEPT = "Consumers keep what they have of it, until we withdraw that by `dropgate reject`."
"""The fix for a drop of which an earlier attempt is promoted, and that cannot be judged again."""


def staged_gone(drop: Drop) -> Problem:
    """Return the problem of a drop whose bytes are no longer kept."""
    if drop.retracts:
        text = "The bytes of the file were removed before it was judged again."
        return Problem("staged-gone", text, f"{KEPT} To have it judged again, send it again.")
    return Problem("staged-gone", "The staged file was removed before it could be promoted.", LOST)


def staged_replaced(drop: Drop) -> Problem:
    """Return the problem of a drop whose staged object was replaced, so that its bytes are lost."""
    where = keys.split(drop.source.uri)[1]
    text = f"Another object has taken the place of the staged file ({where}); it was not used, and not promoted."
    return Problem("staged-replaced", text, LOST)


def mark_failed(ports: Ports, drop: Drop, problem: Problem) -> Drop:
    """Record that a drop failed, then write its receipt."""
    return write_failure_receipt(ports, record_failure(ports, drop, problem))


def record_failure(ports: Ports, drop: Drop, problem: Problem) -> Drop:
    """Record that a drop failed; the schedule writes its receipt, if no function does so before."""
    at = ports.at()
    return record(ports, drop, "failed", verdict=None, rows=None, problems=brief((problem,)), decided_at=at)


def write_failure_receipt(ports: Ports, drop: Drop) -> Drop:
    """Write the receipt that a failed drop still lacks."""
    if drop.state != "failed" or not drop.in_flight:
        return drop
    ports = ports.of(trial=drop.trial)
    plan = ports.catalog.plan(drop.plan) if drop.plan else None
    receipt = write_outcome(ports, drop, plan, failure(drop))
    return unless_erased(ports, receipt, record(ports, drop, "receipt_written", receipt=receipt))


def failure(drop: Drop) -> Decision:
    """Return the decision on a failed drop, from its record."""
    return fail(drop.problems[0] if drop.problems else Problem("failed", "The file could not be judged.", NOT_YOURS))
