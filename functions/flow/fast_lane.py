"""The fast lane: a small staged drop in; judged without Spark, or left to its plan's window, out.

    staged -> takes -> message -> judge -> result document -> claimed, with a batch and run of its own -> finalize
                                  |
                                  `-> not sure, failed, or here a second time: its plan's window, as any staged drop

Nothing is written of the drop before its result is there. A message that is lost, or a function that dies, leaves a
staged drop, which the schedule gathers. If a batch claims the drop first, the result is left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from contracts.errors import HeldUp, StaleWrite
from contracts.job import JobRequest, JobResult
from contracts.lane import is_for
from contracts.plan import Plan
from functions import keys
from functions.drop import Drop, Transition, advance
from functions.flow.job_request import of_drops, request_of
from functions.flow.windows import open_window
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.ports.jobs import FUNCTION
from functions.records.record import reread

Judge = Callable[[JobRequest, bytes], JobResult | None]
"""A function that judges a request for one file from the file's bytes; None if Spark has to."""


def takes(ports: Ports, plan: Plan, drop: Drop) -> bool:
    """Return True if a drop that is being staged may be judged without Spark."""
    first = drop.attempt == 1 and not drop.trial and drop.header_line is not None
    alone = not (plan.set or plan.watermarks or plan.references)
    return ports.lane is not None and drop.size <= ports.lane_bytes and first and alone and is_for(plan)


def send(ports: Ports, staging: Transition) -> Drop:
    """Write that a drop is staged, and send it to the fast lane."""
    assert ports.lane, "there is no fast lane"
    try:
        ports.ledger.write((staging,))
    except StaleWrite:
        return reread(ports, staging.before)
    ports.lane.judge(staging.drop.id)
    return staging.drop


def judge_small(ports: Ports, drop_id: str, judge: Judge) -> Batch | None:
    """Judge a staged drop; None if it is further on, or Spark has to judge it."""
    drop = ports.ledger.drop(drop_id)
    if drop is None or drop.state != "staged" or drop.plan is None:
        return None
    plan = ports.catalog.plan(drop.plan)
    batch = _batch(ports, drop, plan)
    request = request_of(ports, batch, plan, tuple(of_drops(ports, batch, plan, (drop,))))
    result = judge(request, ports.store.read(drop.source, 0, drop.size))
    if result is None:
        open_window(ports, plan.sha, ports.window_seconds)
        return None
    uri = keys.result_uri(ports.zones, batch.id, batch.try_)
    ports.store.put(uri, result.dumps().encode(), keys.CONTENT_TYPES["jsonl"])
    return _claim(ports, drop, batch)


def leave_to_spark(ports: Ports, drop_id: str) -> None:
    """Open the window of a drop that is still staged."""
    drop = ports.ledger.drop(drop_id)
    if drop and drop.state == "staged" and drop.plan:
        open_window(ports, drop.plan, ports.window_seconds)


def _batch(ports: Ports, drop: Drop, plan: Plan) -> Batch:
    """Return the batch of a drop alone, whose run is a function's; it takes no slot of the Spark application."""
    name, at = keys.digest("lane", drop.id, str(drop.attempt)), max(ports.at(), drop.staged_at or "")
    return Batch(
        id=name,
        plan=plan.sha,
        contract=plan.contract,
        members=(drop.id,),
        size=drop.weight,
        claimed_at=at,
        try_at=at,
        changed_at=at,
        state="running",
        run=f"{FUNCTION}{name}",
        producer=plan.producer,
    )


def _claim(ports: Ports, drop: Drop, batch: Batch) -> Batch | None:
    """Claim a drop whose result is written; None if another batch was faster, or its contract is paused."""
    move = advance(drop, "claimed", ports.at(), batch=batch.id, try_=batch.try_)
    assert isinstance(move, Transition), "a staged drop can be claimed"
    assert ports.lane, "there is no fast lane"
    try:
        ports.ledger.write((move,), replace(batch, version=0))
    except StaleWrite:
        return None
    except HeldUp:
        open_window(ports, batch.plan, ports.window_seconds)
        return None
    ports.lane.ended(batch.run or "")
    return batch
