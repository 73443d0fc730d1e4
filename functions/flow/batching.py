"""Drops of one plan into one job: a window that is due in, a batch with its job run out.

    close the window -> read what waits -> BATCH item -> members -> request document -> StartJobRun -> run recorded

The batch's id follows from its window, so that a repeated message continues the batch that the first one made. The
BATCH item names the drops that were requested; a drop is in the batch if its own record says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from random import sample

from contracts.errors import DocumentInvalid, HeldUp, StaleWrite
from contracts.job import SIFTED_FROM, is_brief, is_broad
from contracts.plan import Plan
from functions import keys
from functions.drop import Drop, Transition, advance
from functions.flow import references as flow_references
from functions.flow.job_request import of_drops, request_of
from functions.flow.windows import next_window, open_window
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.batches import Batch, VersionCheck, Window
from functions.ports.clock import moment
from functions.ports.jobs import Reach
from functions.promotion.watermarks import pinned
from functions.records.batches import among, whole, write_batch

MOST_BYTES = 1024**3
"""Bound of a batch in addition to `Ports.most_drops`; a larger drop has a batch of its own."""

MOST_COUNTS = 500_000
"""Drops times checks of a batch: what a function can hold of a result, some 45 MiB."""

TOKEN_LIFE = timedelta(minutes=10)
"""A token older than this may have been forgotten by EMR Serverless: its run is looked up by name first."""

CLOCKS = timedelta(minutes=10)
"""The time by which the clock that a try was set up by may be ahead of that of EMR Serverless."""

LOOKS = 2
"""Slots that a batch tries before it waits in line."""

GROUP = 25
"""Drops written in one transaction, which has room for 100 items: of a drop three, and the batch."""


def batch_due(ports: Ports, window: Window) -> Batch | None:
    """Close a window, claim what has gathered and start its job; None if nothing waits or may start."""
    ports = ports.of(trial=window.trial)
    plan = ports.catalog.plan(window.plan)
    most = room(plan, ports.most_drops)
    ports.ledger.close_window(window)
    waiting = ports.ledger.pending(window.plan, most + 1, trial=window.trial)
    chosen = choose(waiting, most)
    try:
        claimed = _claim(ports, window, chosen) if chosen else None
    except HeldUp:
        _line_up(ports, next_window(ports, window.plan, 0), plan, waiting)
        return None
    if claimed:
        batch, members = claimed
        launched, more = _launch(ports, batch, members, chosen), len(waiting) > len(members)
    else:  # nothing waits, or the message was here before
        earlier = ports.ledger.batch(keys.batch_id(window.plan, window.opened_at, trial=window.trial))
        if earlier is None:
            if waiting:  # no slot is free
                _line_up(ports, window, plan, waiting)
            return None
        launched, more = start(ports, earlier), bool(waiting)
    if more:
        _go_on(ports, window.plan, waiting, took=launched.run is not None)
    return launched


def _go_on(ports: Ports, plan: str, waiting: Sequence[Drop], *, took: bool) -> None:
    """Open the next window for the drops that still wait: at once if a batch took some of them, else in line.

    A batch that took none may have been requested by copies of drops that are gone, or that continued by hand: these no
    longer wait.
    """
    if took:
        if ports.ledger.pending(plan, 1, trial=ports.zones.trial):
            open_window(ports, plan, 0)
        return
    still_staged = {drop.id for drop in ports.ledger.drops([d.id for d in waiting]) if drop.state == "staged"}
    if left := [drop for drop in waiting if drop.id in still_staged]:
        _line_up(ports, next_window(ports, plan, 0), ports.catalog.plan(plan), left)


def _line_up(ports: Ports, window: Window, plan: Plan, waiting: Sequence[Drop]) -> None:
    """Open a window overdue: into the reconciler's line, behind whose drops are older."""
    due_at = waiting[0].staged_at or window.due_at
    ports.ledger.open_window(replace(window, due_at=due_at, producer=plan.producer, contract=plan.contract))


def room(plan: Plan, most: int) -> int:
    """Return how many drops of a plan fit in one batch, at most `most`."""
    return min(most, max(1, MOST_COUNTS // len(plan.checks)))


def choose(waiting: Sequence[Drop], most: int) -> tuple[Drop, ...]:
    """Return the oldest drops that fit into one batch of `most`; a first one that is too large is a batch by itself."""
    chosen: list[Drop] = []
    total = 0
    for drop in waiting[:most]:
        total += drop.weight
        if chosen and total > MOST_BYTES:
            break
        chosen.append(drop)
    return tuple(chosen)


def start(ports: Ports, batch: Batch) -> Batch:
    """Start the job of a claimed batch; a batch that is further on stays as it is."""
    if batch.state != "claimed":
        return batch
    ports = ports.of(trial=batch.trial)
    drops = ports.ledger.drops(batch.members)
    try:
        members = _enlist(ports, batch, drops)
    except StaleWrite:
        return ports.ledger.batch(batch.id) or batch
    if not members and not whole(ports, batch, drops):
        fix = "repair the items, or deploy the version that reads them"
        raise DocumentInvalid(f"of batch {batch.id} only drops are left whose items cannot be read: {fix}")
    return _launch(ports, batch, members, drops)


def _launch(ports: Ports, batch: Batch, members: Sequence[Drop], drops: Sequence[Drop]) -> Batch:
    """Start the job for `members`, those of the batch's `drops` that are still to be judged."""
    if not members:
        return _end_empty(ports, batch)
    plan = ports.catalog.plan(batch.plan)
    inputs = tuple(of_drops(ports, batch, plan, members))
    if not inputs:
        return _end_empty(ports, batch)
    request = request_of(ports, batch, plan, inputs)
    uri = keys.request_uri(ports.zones, batch.id, batch.try_)
    ports.store.put(uri, request.dumps().encode(), keys.CONTENT_TYPES["json"])
    may = reach(ports.zones, batch, plan, drops)
    run = started(ports, batch) if ports.clock.now() - moment(batch.try_at) > TOKEN_LIFE else None
    # The batch's own size, not its members' of now: the same token must always ask for the same run.
    run = run or ports.jobs.start(keys.job_token(batch.id, batch.try_), uri, batch.size, may)
    return write_batch(ports, batch, replace(batch, state="running", run=run, changed_at=ports.at()))


def _end_empty(ports: Ports, batch: Batch) -> Batch:
    return write_batch(ports, batch, replace(batch, state="ended", reason="no member was left", changed_at=ports.at()))


def _claim(ports: Ports, window: Window, chosen: Sequence[Drop]) -> tuple[Batch, tuple[Drop, ...]] | None:
    """The BATCH item and the members that joined, in one transaction if they are few; HeldUp while paused.

    None if the batch exists, or if there is no slot for it. Without slots, jobs that cannot run yet would take few
    drops each and wait in EMR Serverless's queue, which removes them after hours; drops that wait here share a job.
    """
    plan = ports.catalog.plan(window.plan)
    at = max(ports.at(), *(d.staged_at or "" for d in chosen))  # the clock that they were staged by may be ahead
    batch = Batch(
        id=keys.batch_id(window.plan, window.opened_at, trial=window.trial),
        plan=window.plan,
        contract=plan.contract,
        members=tuple(d.id for d in chosen),
        size=sum(d.weight for d in chosen),
        claimed_at=at,
        try_at=at,
        changed_at=at,
        producer=plan.producer,
        marks=pinned(ports, plan),
        trial=window.trial,
    )
    late = ports.clock.now() - moment(window.due_at) > timedelta(seconds=ports.patience_seconds)
    slots = _slots(ports, sure=late or len(chosen) > GROUP)
    if slots and len(chosen) <= GROUP:
        batch = replace(batch, slot=slots[0])
        moves = [m for d in chosen if (m := _joining(ports, batch, d))]
        try:
            ports.ledger.write(moves, replace(batch, version=0))
        except StaleWrite:
            pass  # a member has gone elsewhere, the slot is another's, or there is such a batch
        else:
            return batch, _ready(batch, [m.drop for m in moves])
    for slot in slots:
        batch = replace(batch, slot=slot)
        if ports.ledger.open_batch(batch):
            now = chosen if len(chosen) > GROUP else ports.ledger.drops(batch.members)
            try:
                return batch, _enlist(ports, batch, now)
            except StaleWrite:
                return None
    return None


def _slots(ports: Ports, *, sure: bool) -> list[int]:
    """Return some free slots to ask for; a guess if it is not worth a call to read which are free."""
    slots = set(ports.slots)
    if sure:
        taken = ports.ledger.taken_slots()  # more than there are places, where a deployment has made them fewer
        slots = slots - taken.keys() if len(taken) < ports.most_batches else set()
    return sample(sorted(slots), min(LOOKS, len(slots)))


def _enlist(ports: Ports, batch: Batch, drops: Sequence[Drop]) -> tuple[Drop, ...]:
    """Bring the members to this try of the batch; drops that went elsewhere meanwhile are left out.

    StaleWrite if somebody else has brought the batch further: a worker that stalled takes nothing back.
    """
    now = {d.id: d for d in drops}
    moves = [m for d in drops if (m := _joining(ports, batch, d))]
    raced = False
    for begin in range(0, len(moves), GROUP):
        group = moves[begin : begin + GROUP]
        try:
            ports.ledger.write(group, VersionCheck(batch))
        except StaleWrite:
            if (current := ports.ledger.batch(batch.id)) and current.version != batch.version:
                raise
            again = ports.ledger.drops([m.drop.id for m in group])
            _write_singly(ports, batch, [m for d in again if (m := _joining(ports, batch, d))])
            raced = True
        now |= {m.drop.id: m.drop for m in group}
    # Who was faster may have brought them to this very batch: their own records say so.
    return _ready(batch, ports.ledger.drops(batch.members) if raced else now.values())


def _ready(batch: Batch, drops: Iterable[Drop]) -> tuple[Drop, ...]:
    this_try = (batch.id, batch.try_)
    return tuple(d for d in among(batch, drops) if d.state == "validating" and (d.batch, d.try_) == this_try)


def _joining(ports: Ports, batch: Batch, drop: Drop) -> Transition | None:
    # A drop that was staged after the claim (by a replay) belongs to another batch.
    if drop.trial != batch.trial:
        return None
    if drop.state == "staged" and drop.plan == batch.plan and (drop.staged_at or "") <= batch.claimed_at:
        answer = advance(drop, "claimed", ports.at(), batch=batch.id, try_=batch.try_)
    elif (drop.batch == batch.id and drop.try_ != batch.try_) or (batch.former and drop.batch == batch.former):
        answer = advance(drop, "retried", ports.at(), batch=batch.id, try_=batch.try_)
    else:
        return None
    return answer if isinstance(answer, Transition) else None


def enter(ports: Ports, batch: Batch, drops: Iterable[Drop]) -> None:
    """Bring drops that never came to this half of a batch into it: a half of it finds those that name it, no others."""
    _write_singly(ports, batch, [m for d in drops if d.batch != batch.id and (m := _joining(ports, batch, d))])


def _write_singly(ports: Ports, batch: Batch, moves: Sequence[Transition]) -> None:
    """Write drops one by one; skip those that somebody else has written meanwhile."""
    for move in moves:
        try:
            ports.ledger.write((move,), VersionCheck(batch))
        except StaleWrite:
            continue  # another batch or a newer upload was faster; the drop's own record says so


def reach(zones: Zones, batch: Batch, plan: Plan, drops: Iterable[Drop]) -> Reach:
    """The batch's own folders, and those of all drops that it was made for, also of those that left it.

    The same token must always ask for the same run.
    """
    evidence = keys.evidence_folder(zones, batch.contract, batch.claimed_at, batch.id)
    work = keys.job_folder(zones, batch.id, batch.try_)
    staged = (keys.stage_folder(zones, plan, drop.id, drop.received_at) for drop in drops)
    references = flow_references.folders(zones, plan)
    sifted = plan.file_format in ("csv", "fixed", "jsonl", "parquet") and batch.size >= SIFTED_FROM
    sifted = sifted or is_broad(plan, len(plan.properties))
    brief = is_brief(plan, batch.size)
    return Reach(tuple(sorted(staged)), (work, evidence), plan.needs_expectations, references, sifted, brief)


def started(ports: Ports, batch: Batch) -> str | None:
    """Return the run of a batch's present try, recorded in the ledger or not."""
    return ports.jobs.find(keys.job_token(batch.id, batch.try_), moment(batch.try_at) - CLOCKS)
