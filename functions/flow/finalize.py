"""A job run that has ended in, its drops decided, promoted or rejected, with receipts, out.

    result -> decide -> found_good -> promoting -> promote -> settle -> accepted
                        found_bad  -> rejecting -> reject  -> settle -> rejected
                        let_through, where the contract only observes: as found_good -> observed
    no result -> dead_runs: the next try, the halves of the batch, or failed

The job's event and the reconciler use the same code, any number of times: the decision is repeated from the result
document, which does not change, and every later write finds the work that was done before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from contracts.errors import DocumentInvalid, ObjectGone, ServiceUnavailable
from contracts.job import JobResult
from functions import keys
from functions.drop import Drop
from functions.flow.batching import start
from functions.flow.conclude import conclude
from functions.flow.dead_runs import next_try
from functions.flow.decide import judge
from functions.flow.settle import end_batch, settle_each
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.ports.clock import moment, moment_if_any, rotated
from functions.ports.jobs import RunStatus
from functions.ports.progress import ignore
from functions.records.batches import among, whole

LATE = timedelta(minutes=10)
"""The time after its job's end by which a batch is settled, or whoever settles it has died, time and again."""


def job_ended(ports: Ports, run: str, event: str | None = None, waited: Callable[[timedelta], None] = ignore) -> Batch:
    """Settle the batch of a run that has ended; a run that works on, and an earlier try's run, change nothing.

    `event` is the state that an event of EMR Serverless named: after a success no other call asks for it. `waited`
    receives the time for which the job waited before it began.
    """
    batch_and_drops = ports.ledger.batch_of(run)
    if batch_and_drops is None:
        raise ServiceUnavailable(f"no batch is known for the job run {run} yet")
    batch, drops = batch_and_drops
    ports = ports.of(trial=batch.trial)
    if batch.state == "claimed":  # the next try is due, and this is the event of the former run
        return start(ports, batch)
    if batch.state == "ended" or batch.run != run:
        return batch
    status = RunStatus("success") if event == "SUCCESS" else ports.jobs.status(run)
    if status.outcome == "working":
        return batch
    if status.outcome == "failed":
        return next_try(ports, batch, status.details or "the run failed", began=status.began)
    try:
        result = _result(ports, batch)
    except (ObjectGone, DocumentInvalid) as error:
        if event == "SUCCESS" and ports.jobs.status(run).outcome == "working":
            return batch  # nobody but EMR Serverless knows when a run has ended
        return next_try(ports, batch, f"the run ended well, its result cannot be read: {type(error).__name__}")
    waited(moment(result.header.started_at) - moment(batch.try_at))
    return _settle_batch(ports, batch, drops, result)


def _result(ports: Ports, batch: Batch) -> JobResult:
    result = JobResult.loads(ports.store.get(keys.result_uri(ports.zones, batch.id, batch.try_)))
    head = result.header
    if (head.batch, head.try_, head.plan) != (batch.id, batch.try_, batch.plan):
        raise DocumentInvalid(f"it is of batch {head.batch}, try {head.try_}, plan {head.plan}")
    if not (moment_if_any(head.started_at) and moment_if_any(head.ended_at)):
        raise DocumentInvalid("when its run began or ended is no time of ours")
    return result


def _settle_batch(ports: Ports, batch: Batch, drops: Sequence[Drop], result: JobResult) -> Batch:
    """Settle the open drops of a batch in their order; if late, each minute begins with another one."""
    plan, members, complete = ports.catalog.plan(batch.plan), among(batch, drops), whole(ports, batch, drops)
    ended = replace(batch, state="ended", changed_at=ports.at())
    closing = ended if complete and sum(d.in_flight for d in members) == 1 else None
    line, now = [drop for drop in members if drop.in_flight], ports.clock.now()
    if now - moment(result.header.ended_at) > LATE:
        # A drop that ends every function that settles it, by time or memory, would block the same drops for good.
        line = rotated(line, now)
    settled = settle_each(line, lambda drop: conclude(ports, judge(ports, plan, drop, result), closing))
    if any(outcome.closed for outcome in settled):
        return replace(ended, version=ended.version + 1)
    after = [outcome.drop for outcome in settled]
    return end_batch(ports, batch, after, batch.reason) if complete else batch
