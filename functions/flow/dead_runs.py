"""A batch whose run is dead in; its next try, its halves as batches of their own, or its failed drops out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contracts.problem import Problem
from functions.drop import Drop
from functions.flow.batching import start
from functions.flow.conclude import conclude
from functions.flow.decide import Judged, recorded
from functions.flow.settle import end_batch, settle_each
from functions.flow.splitting import MOST_TRIES, clear, split, tries
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.records.batches import among, whole, write_batch
from functions.records.failures import NOT_YOURS, RESULT_MISSING, mark_failed

MOST_REASON = 500
SMALLER = f"{NOT_YOURS} If it is urgent, send it in several smaller files: that often helps."


def next_try(ports: Ports, batch: Batch, reason: str, *, began: bool = True) -> Batch:
    """Run a batch again whose run is dead, or each half of it, or fail the drops that are left."""
    plan, reason = ports.catalog.plan(batch.plan), reason[:MOST_REASON]
    drops = ports.ledger.drops(batch.members)
    concluded = settle_each(among(batch, drops), lambda drop: conclude(ports, Judged(drop, plan, recorded(drop))).drop)
    members = among(batch, concluded)
    if _judged(members):  # a result was there, and another run would write over its evidence
        return _fail_batch(ports, batch, RESULT_MISSING, reason)
    undecided = [drop for drop in members if drop.state == "validating"]
    if batch.try_ < (tries(batch, len(undecided)) if began else MOST_TRIES):
        at = ports.at()
        again = replace(batch, state="claimed", try_=batch.try_ + 1, try_at=at, changed_at=at, reason=reason)
        return start(ports, write_batch(ports, batch, again))
    parts = began and len(undecided) > 1 and whole(ports, batch, drops)
    if parts and (ended := split(ports, batch, undecided, reason)):
        return ended
    return _fail_batch(ports, batch, _job_failed(batch, began=began, alone=len(undecided) == 1), reason)


def abandon(ports: Ports, batch: Batch) -> Batch:
    """Fail the drops of a batch whose job is refused for hours."""
    ports = ports.of(trial=batch.trial)
    text = "The job that checks the file could not be started for hours."
    return _fail_batch(ports, batch, Problem("job-not-started", text, NOT_YOURS), "the job is refused")


def _judged(members: Sequence[Drop]) -> bool:
    """Return True if a batch has given one of its drops a verdict, which needs the batch's evidence."""
    return any(drop.verdict and drop.state != "validating" for drop in members)


def _job_failed(batch: Batch, *, began: bool, alone: bool) -> Problem:
    """Return the problem of drops whose job never gave a result. A run that never began is not blamed on a drop."""
    if not batch.former or not began:
        text = f"The job that checks the file ended without a result {MOST_TRIES} times."
        return Problem("job-failed", text, NOT_YOURS)
    if alone:
        text = "The job that checks files crashes on this file: it held no other file, and left no result."
        return Problem("job-killed", text, SMALLER)
    text = "The job that checks the file ended without a result again and again, whichever files it held."
    return Problem("job-failed", text, NOT_YOURS)


def _fail_batch(ports: Ports, batch: Batch, problem: Problem, reason: str) -> Batch:
    drops = ports.ledger.drops(batch.members)
    members = among(batch, drops)
    if not _judged(members):
        clear(ports, batch)
    settled = settle_each(
        members, lambda drop: mark_failed(ports, drop, problem) if drop.state == "validating" else drop
    )
    return end_batch(ports, batch, settled, reason) if whole(ports, batch, drops) else batch
