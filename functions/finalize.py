"""A job run that has ended in, its drops decided, promoted or rejected, with receipts, out.

    result -> decide -> found_good -> promoting -> copy -> receipt -> accepted
                        found_bad  -> rejecting -> receipt -> rejected
    no result -> the next try, or after the last one every drop of the batch failed

The job's event and the reconciler come through the same door, any number of times: the decision is taken again from the
result document, which does not change, and every write after it finds what was done before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from contracts.errors import DocumentInvalid, DropgateError, ObjectGone, ServiceUnavailable, StaleWrite
from contracts.job import JobResult
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import Decision, Rows, decide, fail
from functions import keys
from functions.batching import members_of, start, write_batch
from functions.failing import NOT_YOURS, give_up, tell
from functions.lineage import TRIES, lineage_of, overtaken, step_aside
from functions.moves import Gone, Taken, promote
from functions.ports import Batch, Lineage, Ports, Stat
from functions.receipts import write_receipt
from functions.recording import record, reread
from functions.submission import Drop, Event, Moved, Promotion, RowCounts, advance, brief

MOST_TRIES = 3
MOST_REASON = 500


def job_ended(ports: Ports, run: str) -> Batch:
    """Settle the batch of a run that has ended; a run that works on, and an earlier try's run, change nothing."""
    batch = ports.ledger.batch_of(run)
    if batch is None:
        raise ServiceUnavailable(f"no batch is known for the job run {run} yet")
    if batch.state == "claimed":  # the next try is due, and this is the event of the former run
        return start(ports, batch)
    if batch.state == "ended" or batch.run != run:
        return batch
    status = ports.jobs.status(run)
    if status.outcome == "working":
        return batch
    if status.outcome == "failed":
        return _next_try(ports, batch, status.details or "the run failed")
    try:
        result = _result(ports, batch)
    except (ObjectGone, DocumentInvalid) as error:
        return _next_try(ports, batch, f"the run ended well, its result cannot be read: {type(error).__name__}")
    return _settle(ports, batch, result)


def _result(ports: Ports, batch: Batch) -> JobResult:
    folder = keys.job_folder(ports.zones, batch.id, batch.try_)
    result = JobResult.loads(ports.store.get(f"{folder}result.jsonl"))
    head = result.header
    if (head.batch, head.try_, head.plan) != (batch.id, batch.try_, batch.plan):
        raise DocumentInvalid(f"it is of batch {head.batch}, try {head.try_}, plan {head.plan}")
    return result


def _next_try(ports: Ports, batch: Batch, reason: str) -> Batch:
    """Run the batch again now that the former run is known to be dead, or give its undecided drops up."""
    plan = ports.catalog.plan(batch.plan)
    _each(members_of(ports, batch), lambda drop: _finish(ports, plan, drop, recorded(drop)))
    if batch.try_ < MOST_TRIES:
        at = ports.at()
        again = replace(
            batch, state="claimed", try_=batch.try_ + 1, try_at=at, changed_at=at, reason=reason[:MOST_REASON]
        )
        return start(ports, write_batch(ports, batch, again))
    text = f"The job that checks the file ended without a result {MOST_TRIES} times."
    return _give_up(ports, batch, Problem("job-failed", text, NOT_YOURS), reason)


def abandon(ports: Ports, batch: Batch) -> Batch:
    """Give up the drops of a batch whose job is refused for hours."""
    text = "The job that checks the file could not be started for hours."
    return _give_up(ports, batch, Problem("job-not-started", text, NOT_YOURS), "the job is refused")


def _give_up(ports: Ports, batch: Batch, problem: Problem, reason: str) -> Batch:
    members = members_of(ports, batch)
    settled = _each(members, lambda drop: give_up(ports, drop, problem) if drop.state == "validating" else drop)
    return _end(ports, batch, settled, reason[:MOST_REASON])


def _settle(ports: Ports, batch: Batch, result: JobResult) -> Batch:
    plan = ports.catalog.plan(batch.plan)
    settled = _each(members_of(ports, batch), lambda drop: _settle_drop(ports, plan, drop, result))
    return _end(ports, batch, settled, batch.reason)


def _each(drops: Sequence[Drop], act: Callable[[Drop], Drop]) -> list[Drop]:
    """Take every drop on, whatever becomes of another; the first error once all have had their turn."""
    settled: list[Drop] = []
    errors: list[DropgateError] = []
    for drop in drops:
        try:
            settled.append(act(drop))
        except DropgateError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return settled


def _end(ports: Ports, batch: Batch, settled: Sequence[Drop], reason: str | None) -> Batch:
    if any(drop.in_flight and drop.batch == batch.id for drop in settled):
        return batch  # an upload of the same key is being promoted; the reconciler comes back
    return write_batch(ports, batch, replace(batch, state="ended", reason=reason, changed_at=ports.at()))


def _settle_drop(ports: Ports, plan: Plan, drop: Drop, result: JobResult) -> Drop:
    if not drop.in_flight:
        return drop
    decision = _decision(plan, drop, result)
    if drop.state == "validating":
        drop = _found(ports, plan, drop, decision)
    return _finish(ports, plan, drop, decision)


def finish(ports: Ports, drop: Drop) -> Drop:
    """Finish a decided drop that no batch will bring further, by what the ledger says of it."""
    return _finish(ports, ports.catalog.plan(drop.plan), drop, recorded(drop)) if drop.plan else drop


def _finish(ports: Ports, plan: Plan, drop: Drop, decision: Decision) -> Drop:
    """Act on a verdict that has been recorded; where a decision taken again says otherwise, the record holds."""
    if decision.verdict != drop.verdict:
        decision = recorded(drop)
    if drop.state == "promoting":
        return _promote(ports, plan, drop, decision)
    if drop.state == "rejecting":
        receipt = write_receipt(ports, drop, plan, decision)
        return record(ports, drop, "rejected", receipt=receipt)
    return tell(ports, drop)


def recorded(drop: Drop) -> Decision:
    """The decision as far as the ledger keeps it: verdict, rows and the first problems, without the checks."""
    rows = Rows(drop.rows.read, drop.rows.valid, drop.rows.rejected) if drop.rows else Rows()
    return Decision(drop.verdict, rows, problems=drop.problems)


def _decision(plan: Plan, drop: Drop, result: JobResult) -> Decision:
    for facts in result.drops:
        if (facts.drop, facts.attempt) == (drop.id, drop.attempt):
            return decide(plan, facts, result.header.checks)
    return fail(Problem("result-missing", "The job that checks the file said nothing about it.", NOT_YOURS))


def _found(ports: Ports, plan: Plan, drop: Drop, decision: Decision) -> Drop:
    """Record the verdict, and what follows from it."""
    if decision.verdict is None:
        return give_up(ports, drop, decision.failure or Problem("failed", "The file could not be judged.", NOT_YOURS))
    rows = decision.rows
    said = {
        "verdict": decision.verdict,
        "rows": RowCounts(rows.read or 0, rows.valid or 0, rows.rejected or 0),
        "problems": brief(decision.problems),
        "decided_at": ports.at(),
    }
    if decision.verdict == "rejected":
        return record(ports, drop, "found_bad", **said)
    return _enter_promotion(ports, plan, drop, said)


def _enter_promotion(ports: Ports, plan: Plan, drop: Drop, said: Mapping[str, object]) -> Drop:
    """Take the key for this drop, unless a newer upload has it; while another is being promoted, wait."""
    key = keys.promoted_key(plan, drop.id, drop.name)
    for _ in range(TRIES):
        lineage = lineage_of(ports, drop, plan)
        if lineage and overtaken(lineage, drop):
            return step_aside(ports, drop, lineage.newest)
        if lineage and lineage.promoting not in (None, drop.id):
            return drop
        promotion = Promotion(key, drop.attempt, lineage.etag if lineage else None)
        answer = advance(drop, "found_good", ports.at(), promoted=promotion, **said)
        if not isinstance(answer, Moved):
            return drop
        try:
            ports.ledger.write((answer,), lineage and replace(lineage, promoting=drop.id))
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return now
        else:
            return answer.drop
    return drop


def _promote(ports: Ports, plan: Plan, drop: Drop, decision: Decision) -> Drop:
    if drop.promoted is None:
        return drop
    if (now := reread(ports, drop)).version != drop.version:
        return now  # somebody was faster, and the ETag to be replaced may be another upload's by now
    target = f"{ports.zones.promoted}{drop.promoted.key}"
    copied = promote(ports, drop, target, drop.promoted.replaces)
    if isinstance(copied, Gone | Taken):
        return _not_promoted(ports, plan, drop, copied)
    receipt = write_receipt(ports, drop, plan, decision)
    event: Event = "promoted" if decision.verdict == "accepted" else "promoted_with_warnings"
    answer = advance(drop, event, ports.at(), receipt=receipt)
    return _leave_promotion(ports, plan, drop, answer, copied) if isinstance(answer, Moved) else drop


def _not_promoted(ports: Ports, plan: Plan, drop: Drop, why: Gone | Taken) -> Drop:
    what = {
        Gone: Problem("staged-gone", "The staged file was removed before it could be promoted.", NOT_YOURS),
        Taken: Problem("destination-taken", "An object of somebody else lies where the file was to go.", NOT_YOURS),
    }[type(why)]
    at = ports.at()
    answer = advance(drop, "failed", at, verdict=None, rows=None, problems=(what,), decided_at=at)
    return tell(ports, _leave_promotion(ports, plan, drop, answer, None)) if isinstance(answer, Moved) else drop


def _leave_promotion(ports: Ports, plan: Plan, drop: Drop, answer: Moved, copied: Stat | None) -> Drop:
    """Write the end of a promotion, and free the key for the next upload."""
    for _ in range(TRIES):
        lineage = lineage_of(ports, drop, plan)
        try:
            ports.ledger.write((answer,), lineage and _freed(lineage, drop, copied))
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return now
        else:
            return answer.drop
    return drop


def _freed(lineage: Lineage, drop: Drop, copied: Stat | None) -> Lineage:
    if copied is None:
        return replace(lineage, promoting=None)
    return replace(lineage, promoting=None, promoted=drop.id, etag=copied.etag)
