"""A job run that has ended in, its drops decided, promoted or rejected, with receipts, out.

    result -> decide -> found_good -> promoting -> copy -> receipt -> accepted
                        found_bad  -> rejecting -> receipt -> rejected
    no result -> the next try, or after the last one every drop of the batch failed

The job's event and the reconciler come through the same door, any number of times: the decision is taken again from the
result document, which does not change, and every write after it finds what was done before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from contracts.errors import DocumentInvalid, DropgateError, ObjectGone, ServiceUnavailable, StaleWrite
from contracts.job import JobResult
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import Decision, Rows, decide, fail
from functions import keys
from functions.batching import among, members_of, start, write_batch
from functions.failing import NOT_YOURS, give_up, staged_replaced, tell
from functions.lineage import TRIES, lineage_of, overtaken, step_aside
from functions.moves import Gone, Replaced, Taken, promote
from functions.ports import Batch, Lineage, Ports, RunStatus, Stat, Watermarks, moment, tell_nobody
from functions.receipts import write_receipt
from functions.recording import record, reread
from functions.submission import Drop, Event, Moved, Promotion, RowCounts, advance, brief
from functions.watermarks import advanced

MOST_TRIES = 3
MOST_REASON = 500


@dataclass(frozen=True, slots=True)
class Entered:
    """The lineage as it stands since this call has taken the key; so nobody else can have brought the drop further."""

    lineage: Lineage | None


@dataclass(slots=True)
class Ending:
    """The end of a drop, and with that of the only open one the end of its batch; the batch is tried once."""

    batch: Batch | None = None
    written: bool = False

    def write(
        self, ports: Ports, answer: Moved, lineage: Lineage | None = None, watermarks: Watermarks | None = None
    ) -> None:
        """Write them in one transaction; StaleWrite."""
        batch, self.batch = self.batch, None
        ports.ledger.write((answer,), lineage, batch, watermarks=watermarks)
        self.written = batch is not None


@dataclass(frozen=True, slots=True)
class Found:
    """A drop whose verdict is recorded, and whether this call has taken its key."""

    drop: Drop
    entered: Entered | None = None


def job_ended(
    ports: Ports, run: str, said: str | None = None, waited: Callable[[timedelta], None] = tell_nobody
) -> Batch:
    """Settle the batch of a run that has ended; a run that works on, and an earlier try's run, change nothing.

    `said` is the state that an event of EMR Serverless named: of a success there is no more to ask. `waited` is told
    how long the job waited before it began.
    """
    known = ports.ledger.batch_of(run)
    if known is None:
        raise ServiceUnavailable(f"no batch is known for the job run {run} yet")
    batch, drops = known
    if batch.state == "claimed":  # the next try is due, and this is the event of the former run
        return start(ports, batch)
    if batch.state == "ended" or batch.run != run:
        return batch
    status = RunStatus("success") if said == "SUCCESS" else ports.jobs.status(run)
    if status.outcome == "working":
        return batch
    if status.outcome == "failed":
        return _next_try(ports, batch, status.details or "the run failed")
    try:
        result = _result(ports, batch)
    except (ObjectGone, DocumentInvalid) as error:
        if said == "SUCCESS" and ports.jobs.status(run).outcome == "working":
            return batch  # nobody but EMR Serverless says when a run has ended
        return _next_try(ports, batch, f"the run ended well, its result cannot be read: {type(error).__name__}")
    waited(moment(result.header.started_at) - moment(batch.try_at))
    return _settle(ports, batch, among(batch, drops), result)


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
    _each(members_of(ports, batch), lambda drop: _finish(ports, plan, drop, recorded(drop), Ending()))
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


def _settle(ports: Ports, batch: Batch, members: Sequence[Drop], result: JobResult) -> Batch:
    plan = ports.catalog.plan(batch.plan)
    ended = replace(batch, state="ended", changed_at=ports.at())
    ending = Ending(ended if sum(d.in_flight for d in members) == 1 else None)
    settled = _each(members, lambda drop: _settle_drop(ports, plan, drop, result, ending))
    if ending.written:
        return replace(ended, version=ended.version + 1)
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


def _settle_drop(ports: Ports, plan: Plan, drop: Drop, result: JobResult, ending: Ending) -> Drop:
    if not drop.in_flight:
        return drop
    decision = _decision(plan, drop, result)
    if drop.state != "validating":
        return _finish(ports, plan, drop, decision, ending)
    found = _found(ports, plan, drop, decision)
    return _finish(ports, plan, found.drop, decision, ending, found.entered)


def finish(ports: Ports, drop: Drop) -> Drop:
    """Finish a decided drop that no batch will bring further, by what the ledger says of it."""
    return _finish(ports, ports.catalog.plan(drop.plan), drop, recorded(drop), Ending()) if drop.plan else drop


def _finish(
    ports: Ports, plan: Plan, drop: Drop, decision: Decision, ending: Ending, entered: Entered | None = None
) -> Drop:
    """Act on a verdict that has been recorded; where a decision taken again says otherwise, the record holds."""
    if decision.verdict != drop.verdict:
        decision = recorded(drop)
    if drop.state == "promoting":
        return _promote(ports, plan, drop, decision, ending, entered)
    if drop.state == "rejecting":
        return _reject(ports, drop, write_receipt(ports, drop, plan, decision), ending)
    return tell(ports, drop)


def _reject(ports: Ports, drop: Drop, receipt: str, ending: Ending) -> Drop:
    answer = advance(drop, "rejected", ports.at(), receipt=receipt)
    if not isinstance(answer, Moved):
        return drop
    try:
        ending.write(ports, answer)
    except StaleWrite:
        return reread(ports, drop)
    return answer.drop


def recorded(drop: Drop) -> Decision:
    """The decision as far as the ledger keeps it: verdict, rows and the first problems, without the checks."""
    rows = Rows(drop.rows.read, drop.rows.valid, drop.rows.rejected) if drop.rows else Rows()
    return Decision(drop.verdict, rows, problems=drop.problems)


def _decision(plan: Plan, drop: Drop, result: JobResult) -> Decision:
    for facts in result.drops:
        if (facts.drop, facts.attempt) == (drop.id, drop.attempt):
            return decide(plan, facts, result.header.checks)
    return fail(Problem("result-missing", "The job that checks the file said nothing about it.", NOT_YOURS))


def _found(ports: Ports, plan: Plan, drop: Drop, decision: Decision) -> Found:
    """Record the verdict, and what follows from it."""
    if decision.verdict is None:
        why = decision.failure or Problem("failed", "The file could not be judged.", NOT_YOURS)
        return Found(give_up(ports, drop, why))
    rows = decision.rows
    said = {
        "verdict": decision.verdict,
        "rows": RowCounts(rows.read or 0, rows.valid or 0, rows.rejected or 0),
        "problems": brief(decision.problems),
        "decided_at": ports.at(),
        "marks": decision.marks,
    }
    if decision.verdict == "rejected":
        return Found(record(ports, drop, "found_bad", **said))
    return _enter_promotion(ports, plan, drop, said)


def _enter_promotion(ports: Ports, plan: Plan, drop: Drop, said: Mapping[str, object]) -> Found:
    """Take the key for this drop, unless a newer upload has it; while another is being promoted, wait."""
    key = keys.promoted_key(plan, drop.id, drop.name)
    for nth in range(TRIES):
        lineage = lineage_of(ports, drop, plan, unseen=nth == 0 and drop.first)
        if lineage and overtaken(lineage, drop):
            return Found(step_aside(ports, drop, lineage.newest))
        if lineage and lineage.promoting not in (None, drop.id):
            return Found(drop)
        promotion = Promotion(key, drop.attempt, lineage.etag if lineage else None)
        answer = advance(drop, "found_good", ports.at(), promoted=promotion, **said)
        if not isinstance(answer, Moved):
            return Found(drop)
        taken = lineage and replace(lineage, promoting=drop.id)
        try:
            ports.ledger.write((answer,), taken)
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return Found(now)
        else:
            return Found(answer.drop, Entered(taken and replace(taken, version=taken.version + 1)))
    return Found(drop)


def _promote(ports: Ports, plan: Plan, drop: Drop, decision: Decision, ending: Ending, entered: Entered | None) -> Drop:
    if drop.promoted is None:
        return drop
    if entered is None and (now := reread(ports, drop)).version != drop.version:
        return now  # somebody was faster, and the ETag to be replaced may be another upload's by now
    staged = keys.stage_uri(ports.zones, plan, drop.id, drop.attempt, drop.received_at)
    own = keys.promoted_key(plan, drop.id, drop.name)
    if (drop.source.uri, drop.promoted.key) != (staged, own):
        raise DocumentInvalid(f"the ledger's item of drop {drop.id} names bytes or a key that are not its own")
    target = f"{ports.zones.promoted}{own}"
    copied = promote(ports, drop, target, drop.promoted.replaces)
    if isinstance(copied, Gone | Taken | Replaced):
        return _not_promoted(ports, plan, drop, copied)
    receipt = write_receipt(ports, drop, plan, decision)
    event: Event = "promoted" if decision.verdict == "accepted" else "promoted_with_warnings"
    answer = advance(drop, event, ports.at(), receipt=receipt)
    if not isinstance(answer, Moved):
        return drop
    return _leave_promotion(ports, plan, drop, answer, copied, ending, entered)


def _not_promoted(ports: Ports, plan: Plan, drop: Drop, why: Gone | Taken | Replaced) -> Drop:
    what = {
        Gone: Problem("staged-gone", "The staged file was removed before it could be promoted.", NOT_YOURS),
        Taken: Problem("destination-taken", "An object of somebody else lies where the file was to go.", NOT_YOURS),
        Replaced: staged_replaced(drop),
    }[type(why)]
    at = ports.at()
    answer = advance(drop, "failed", at, verdict=None, rows=None, problems=(what,), decided_at=at)
    if not isinstance(answer, Moved):
        return drop
    return tell(ports, _leave_promotion(ports, plan, drop, answer, None, Ending()))


def _leave_promotion(
    ports: Ports,
    plan: Plan,
    drop: Drop,
    answer: Moved,
    copied: Stat | None,
    ending: Ending,
    entered: Entered | None = None,
) -> Drop:
    """Write the end of a promotion, and free the key for the next upload."""
    for nth in range(TRIES):
        lineage = entered.lineage if entered and nth == 0 else lineage_of(ports, drop, plan)
        try:
            further = advanced(ports, drop) if copied else None
            ending.write(ports, answer, lineage and _freed(lineage, drop, copied), further)
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
