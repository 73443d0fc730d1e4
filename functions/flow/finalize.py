"""A job run that has ended in, its drops decided, promoted or rejected, with receipts, out.

    result -> decide -> found_good -> promoting -> copy -> receipt -> accepted
                        found_bad  -> rejecting -> receipt -> rejected
                        let_through, where the contract only observes: as found_good -> observed
    no result -> the next try, after the last one each half of the batch by itself, and a drop alone: failed

The job's event and the reconciler come through the same door, any number of times: the decision is taken again from the
result document, which does not change, and every write after it finds what was done before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from contracts.decision import Decision, Rows, VerdictName
from contracts.errors import DocumentInvalid, DropgateError, ObjectGone, ServiceUnavailable, StaleWrite
from contracts.files.header import valid_file
from contracts.job import JobResult
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import decide, fail
from functions import keys
from functions.drop import (
    ABOUT_OTHERS,
    OF_PEOPLE,
    Drop,
    Event,
    Location,
    Promotion,
    RowCounts,
    Transition,
    advance,
    brief,
)
from functions.flow.batching import among, start, whole, write_batch
from functions.flow.splitting import MOST_TRIES, clear, split, tries
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.ports.clock import moment, moment_if_any, rotated
from functions.ports.jobs import RunStatus
from functions.ports.ledger import TransactionItem
from functions.ports.progress import ignore
from functions.ports.store import Stat
from functions.promotion.copies import Gone, Replaced, Taken, Unfinished, its_own, promote
from functions.promotion.lineage import TRIES, Apart, Barred, Claims, Free, Overtaken, Waits, claims_of, standing
from functions.promotion.observe_mode import passes
from functions.promotion.table_commit import Unlike, into_table
from functions.promotion.watermarks import advanced
from functions.promotion.withdraw import hide_unless_named, withdraw
from functions.records.failures import EDITED, NOT_YOURS, give_up, staged_gone, staged_replaced, tell
from functions.records.receipts import ACCEPTED, unless_forgotten, write_receipt
from functions.records.record import record, reread

PROMOTED_AS: dict[VerdictName | None, Event] = {
    "accepted": "promoted",
    "accepted_with_warnings": "promoted_with_warnings",
    "rejected": "promoted_all_the_same",
}
LATE = timedelta(minutes=10)
"""So long after its job's end a batch has been settled, or whoever did it has died, time and again."""
LONG = timedelta(hours=1)
"""How long a drop waits for another of its key before it asks whether that is under way still."""
MOST_REASON = 500
TEXT = (".csv", ".jsonl")
"""Suffixes of files in which each record takes two bytes at least, its line end among them; the last may lack that."""
MOST_RECORDS = 2**63 - 1
"""What the job counts to; what has more than 38 digits the ledger cannot hold (Amazon DynamoDB guide, "Quotas")."""
SMALLER = f"{NOT_YOURS} If it is urgent, send it in several smaller files: that often helps."
DESTINATION_TAKEN = Problem("destination-taken", "The file's target is taken by an object of somebody else.", NOT_YOURS)
ROWS_REPLACED = Problem(
    "rows-replaced", "Something else has taken the place of the valid rows; it was not promoted.", NOT_YOURS
)
RESULT_MISSING = Problem("result-missing", "The job that checks the file said nothing about it.", NOT_YOURS)
ROWS_GONE = Problem("rows-gone", "The valid rows of the file were removed before they could be promoted.", NOT_YOURS)


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict, and what the ledger keeps of it."""

    verdict: VerdictName
    decision: Decision
    at: str

    def with_problems(self, verdict: VerdictName, *others: Problem) -> dict[str, Any]:
        """The fields of the drop; `others` lie in other uploads, and `verdict` is what they make of it."""
        rows = self.decision.rows
        return {
            "verdict": verdict,
            "rows": None if rows.read is None else RowCounts(rows.read, rows.valid or 0, rows.rejected or 0),
            "problems": brief((*others, *self.decision.problems)),
            "decided_at": self.at,
            "marks": self.decision.marks,
        }


@dataclass(slots=True)
class Ending:
    """The end of a drop, and with that of the only open one the end of its batch; the batch is tried once."""

    batch: Batch | None = None
    written: bool = False

    def write(self, ports: Ports, answer: Transition, *beside: TransactionItem) -> None:
        """Write them in one transaction; StaleWrite."""
        batch, self.batch = self.batch, None
        ports.ledger.write((answer,), *beside, *((batch,) if batch else ()))
        self.written = batch is not None


@dataclass(frozen=True, slots=True)
class Found:
    """A drop whose verdict is recorded, and if this call has taken its key, how that stands since.

    Then nobody else can have brought the drop further.
    """

    drop: Drop
    entered: Claims | None = None


def job_ended(ports: Ports, run: str, said: str | None = None, waited: Callable[[timedelta], None] = ignore) -> Batch:
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
        return _next_try(ports, batch, status.details or "the run failed", began=status.began)
    try:
        result = _result(ports, batch)
    except (ObjectGone, DocumentInvalid) as error:
        if said == "SUCCESS" and ports.jobs.status(run).outcome == "working":
            return batch  # nobody but EMR Serverless says when a run has ended
        return _next_try(ports, batch, f"the run ended well, its result cannot be read: {type(error).__name__}")
    waited(moment(result.header.started_at) - moment(batch.try_at))
    return _settle(ports, batch, drops, result)


def _result(ports: Ports, batch: Batch) -> JobResult:
    result = JobResult.loads(ports.store.get(keys.result_uri(ports.zones, batch.id, batch.try_)))
    head = result.header
    if (head.batch, head.try_, head.plan) != (batch.id, batch.try_, batch.plan):
        raise DocumentInvalid(f"it is of batch {head.batch}, try {head.try_}, plan {head.plan}")
    if not (moment_if_any(head.started_at) and moment_if_any(head.ended_at)):
        raise DocumentInvalid("when its run began or ended is no time of ours")
    return result


def _next_try(ports: Ports, batch: Batch, reason: str, *, began: bool = True) -> Batch:
    """Run the batch again now that the former run is known to be dead, or each half of it, or give up what is left."""
    plan, reason = ports.catalog.plan(batch.plan), reason[:MOST_REASON]
    found = ports.ledger.drops(batch.members)
    now = _each(among(batch, found), lambda drop: _finish(ports, plan, drop, recorded(drop), Ending()))
    if _judged(among(batch, now)):  # a result was there, and another run would write over its evidence
        return _give_up(ports, batch, RESULT_MISSING, reason)
    undecided = [drop for drop in among(batch, now) if drop.state == "validating"]
    if batch.try_ < (tries(batch, len(undecided)) if began else MOST_TRIES):
        at = ports.at()
        again = replace(batch, state="claimed", try_=batch.try_ + 1, try_at=at, changed_at=at, reason=reason)
        return start(ports, write_batch(ports, batch, again))
    parts = began and len(undecided) > 1 and whole(ports, batch, found)
    if parts and (ended := split(ports, batch, undecided, reason)):
        return ended
    return _give_up(ports, batch, _job_failed(batch, began=began, alone=len(undecided) == 1), reason)


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


def abandon(ports: Ports, batch: Batch) -> Batch:
    """Give up the drops of a batch whose job is refused for hours."""
    text = "The job that checks the file could not be started for hours."
    return _give_up(ports, batch, Problem("job-not-started", text, NOT_YOURS), "the job is refused")


def _give_up(ports: Ports, batch: Batch, problem: Problem, reason: str) -> Batch:
    found = ports.ledger.drops(batch.members)
    members = among(batch, found)
    if not _judged(members):
        clear(ports, batch)
    settled = _each(members, lambda drop: give_up(ports, drop, problem) if drop.state == "validating" else drop)
    return _end(ports, batch, settled, reason) if whole(ports, batch, found) else batch


def _settle(ports: Ports, batch: Batch, found: Sequence[Drop], result: JobResult) -> Batch:
    plan, members = ports.catalog.plan(batch.plan), among(batch, found)
    ended = replace(batch, state="ended", changed_at=ports.at())
    ending = Ending(ended if whole(ports, batch, found) and sum(d.in_flight for d in members) == 1 else None)
    turn = _in_turn(ports, members, result)
    settled = _each(turn, lambda drop: _settle_drop(ports, plan, drop, result, ending))
    if ending.written:
        return replace(ended, version=ended.version + 1)
    return _end(ports, batch, settled, batch.reason) if whole(ports, batch, found) else batch


def _in_turn(ports: Ports, members: Sequence[Drop], result: JobResult) -> Sequence[Drop]:
    """Return the open drops of a batch: in their order, or, if late, rotated by one drop each minute.

    A drop that ends whoever settles it, as a function runs out of time or memory, would stand before the same ones
    for ever.
    """
    line, now = [drop for drop in members if drop.in_flight], ports.clock.now()
    return rotated(line, now) if now - moment(result.header.ended_at) > LATE else line


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
    if any(drop.in_flight for drop in among(batch, settled)):
        return batch  # an upload of the same key is being promoted; the reconciler comes back
    return write_batch(ports, batch, replace(batch, state="ended", reason=reason, changed_at=ports.at()))


def _settle_drop(ports: Ports, plan: Plan, drop: Drop, result: JobResult, ending: Ending) -> Drop:
    if not drop.in_flight:
        return drop
    decision = _decision(plan, drop, result)
    if drop.state != "validating":
        return _finish(ports, plan, drop, decision, ending)
    found = _found(ports, plan, drop, decision)
    if (found.drop.attempt, found.drop.batch) != (drop.attempt, drop.batch):
        return found.drop  # it is being judged again, and this result says nothing of that
    return _finish(ports, plan, found.drop, decision, ending, found.entered)


def finish(ports: Ports, drop: Drop) -> Drop:
    """Finish a decided drop that no batch will bring further, by what the ledger says of it."""
    if drop.plan is None:
        return drop
    plan = ports.catalog.plan(drop.plan)
    return _finish(ports, plan, drop, _as_judged(ports, plan, drop) if drop.override else recorded(drop), Ending())


def _finish(
    ports: Ports, plan: Plan, drop: Drop, decision: Decision, ending: Ending, entered: Claims | None = None
) -> Drop:
    """Act on a verdict that has been recorded; where a decision taken again says otherwise, the record holds."""
    others = tuple(p for p in drop.problems if p.code in ABOUT_OTHERS)
    if others and decision.checks and decision.verdict in ACCEPTED:
        decision = replace(decision, verdict=drop.verdict, problems=(*others, *decision.problems))
    if decision.verdict != drop.verdict:
        decision = recorded(drop)
    if drop.state == "promoting":
        return _promote(ports, plan, drop, decision, ending, entered)
    if drop.state == "rejecting":
        return _reject(ports, plan, drop, decision, ending)
    return tell(ports, drop)


def _reject(ports: Ports, plan: Plan, drop: Drop, decision: Decision, ending: Ending) -> Drop:
    if passes(ports.zones, plan, drop):
        said = Said("rejected", decision, drop.decided_at or ports.at())
        found = _enter_promotion(ports, plan, drop, said)
        if found.entered is None:
            return found.drop
        return _promote(ports, plan, found.drop, decision, ending, found.entered)
    if not withdraw(ports, drop):
        return drop
    receipt = write_receipt(ports, drop, plan, decision)
    answer = advance(drop, "rejected", ports.at(), receipt=receipt, retracts=None)
    if not isinstance(answer, Transition):
        return drop
    try:
        ending.write(ports, answer)
    except StaleWrite:
        return unless_forgotten(ports, receipt, reread(ports, drop))
    return answer.drop


def _as_judged(ports: Ports, plan: Plan, drop: Drop) -> Decision:
    """Return a person's decision with the checks of the job that judged the drop, if its result is still kept."""
    if drop.batch is None or drop.try_ is None or drop.forgotten:
        return recorded(drop)
    try:
        result = JobResult.loads(ports.store.get(keys.result_uri(ports.zones, drop.batch, drop.try_)))
    except (ObjectGone, DocumentInvalid):
        return recorded(drop)
    facts = next((one for one in result.drops if one.drop == drop.id), None)
    decision = decide(plan, facts, result.header.checks) if facts else recorded(drop)
    if decision.verdict is None:
        return recorded(drop)
    said = tuple(p for p in drop.problems if p.code in OF_PEOPLE)
    return replace(decision, verdict=drop.verdict, problems=(*said, *decision.problems))


def recorded(drop: Drop) -> Decision:
    """The decision as far as the ledger keeps it: verdict, rows and the first problems, without the checks."""
    rows = Rows(drop.rows.read, drop.rows.valid, drop.rows.rejected) if drop.rows else Rows()
    return Decision(drop.verdict, rows, problems=drop.problems)


def _decision(plan: Plan, drop: Drop, result: JobResult) -> Decision:
    for facts in result.drops:
        if (facts.drop, facts.attempt) == (drop.id, drop.attempt):
            if facts.read > ((drop.size + 1) // 2 if plan.suffix in TEXT else MOST_RECORDS):
                return fail(Problem("rows-do-not-add-up", _too_many(facts.read, drop.size), NOT_YOURS))
            return decide(plan, facts, result.header.checks)
    return fail(RESULT_MISSING)


def _too_many(read: int, size: int) -> str:
    return f"The job counted {read:,} records in a file of {size:,} bytes: they do not add up."


def _found(ports: Ports, plan: Plan, drop: Drop, decision: Decision) -> Found:
    """Record the verdict, and what follows from it."""
    if decision.verdict is None:
        why = decision.failure or Problem("failed", "The file could not be judged.", NOT_YOURS)
        return Found(give_up(ports, drop, why))
    said = Said(decision.verdict, decision, ports.at())
    if decision.verdict == "rejected" and plan.mode == "enforce":
        return Found(record(ports, drop, "found_bad", **said.with_problems("rejected")))
    rows = _valid_rows(ports, plan, drop, decision)
    if isinstance(rows, Gone):
        return Found(give_up(ports, drop, ROWS_GONE))
    return _enter_promotion(ports, plan, drop, said, rows)


def _enter_promotion(ports: Ports, plan: Plan, drop: Drop, said: Said, rows: Location | None = None) -> Found:
    """Take the key (and the content) for this drop, unless others have them; while one is being promoted, wait."""
    for nth in range(TRIES):
        claims = claims_of(ports, drop, plan, unseen=nth == 0)
        match standing(ports, drop, plan, claims):
            case Waits():
                _free(ports, drop, claims)
                return Found(drop)
            case Overtaken() | Apart() as others:
                return Found(_give_way(ports, drop, others))
            case Barred(why):
                return Found(record(ports, drop, "found_bad", **said.with_problems("rejected", why)))
            case Free(notes):
                verdict = "accepted_with_warnings" if notes and said.verdict == "accepted" else said.verdict
                event: Event = "let_through" if verdict == "rejected" else "found_good"
                promotion = _promotion(ports, plan, drop, claims, rows)
                told = said.with_problems(verdict, *notes)
                answer = advance(drop, event, ports.at(), promoted=promotion, **told)
        if not isinstance(answer, Transition):
            return Found(drop)
        taken = claims.taken(drop)
        try:
            ports.ledger.write((answer,), *taken.each)
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return Found(now)
        else:
            return Found(answer.drop, taken.entered())
    return Found(drop)


def _free(ports: Ports, drop: Drop, claims: Claims) -> None:
    """Free what a settled drop holds, if this one has long waited for it.

    `dropgate doctor` leaves it so where it dies while it puts a file back; where it lives, it looks at the key again.
    """
    if ports.clock.now() - moment(drop.changed_at) < LONG:
        return
    held = [one for one in claims.each if one.promoting not in (None, drop.id) and _at_rest(ports, one.promoting)]
    if held:
        with suppress(StaleWrite):
            ports.ledger.write((), *(replace(one, promoting=None) for one in held))


def _at_rest(ports: Ports, drop_id: str | None) -> bool:
    holder = ports.ledger.drop(drop_id or "")
    return holder is None or not holder.in_flight


def _give_way(ports: Ports, drop: Drop, to: Overtaken | Apart) -> Drop:
    if isinstance(to, Apart):
        return give_up(ports, drop, to.why)
    return record(ports, drop, "superseded", problems=(to.why,), retracts=None) if withdraw(ports, drop) else drop


def _promote(ports: Ports, plan: Plan, drop: Drop, decision: Decision, ending: Ending, entered: Claims | None) -> Drop:
    if drop.promoted is None:
        return drop
    if entered is None and (now := reread(ports, drop)).version != drop.version:
        return now  # somebody was faster, and the ETag to be replaced may be another upload's by now
    if not _as_written(ports, plan, drop, drop.promoted):
        return _not_promoted(ports, plan, drop, EDITED)
    try:
        return _promoted(ports, plan, drop, drop.promoted, decision, ending, entered)
    except DropgateError:
        _look_again(ports, plan, drop)
        raise


def _promoted(
    ports: Ports,
    plan: Plan,
    drop: Drop,
    to: Promotion,
    decision: Decision,
    ending: Ending,
    entered: Claims | None,
) -> Drop:
    target = f"{ports.zones.promoted}{to.key}"
    if to.rows and plan.promote == "table":
        copied = into_table(ports, plan, drop, to, to.rows)
    else:
        kind = keys.media_type(to.rows.uri if to.rows else plan.suffix)
        copied = promote(ports, drop, to.rows or drop.source, target, to.replaces, kind)
    if isinstance(copied, Unfinished):
        return drop  # the schedule goes on with it, minute after minute
    if isinstance(copied, Gone | Taken | Replaced | Unlike):
        return _not_promoted(ports, plan, drop, _hindrance(drop, copied))
    if drop.retracts and drop.retracts.key != to.key and not withdraw(ports, drop):
        return _look_again(ports, plan, drop)
    receipt = write_receipt(ports, drop, plan, decision)
    answer = advance(drop, PROMOTED_AS[drop.verdict], ports.at(), receipt=receipt, retracts=None)
    if not isinstance(answer, Transition):
        return drop
    now = _leave_promotion(ports, plan, drop, answer, copied, ending, entered)
    return unless_forgotten(ports, receipt, now)


def _look_again(ports: Ports, plan: Plan, drop: Drop) -> Drop:
    """The drop as it stands, after what may have been a copy: a late one, which nobody may read by now, is hidden."""
    if (now := reread(ports, drop)).version != drop.version:
        hide_unless_named(ports, plan, drop, now)
    return now


def _as_written(ports: Ports, plan: Plan, drop: Drop, to: Promotion) -> bool:
    """Return True if a record to be promoted has its own bytes, rows and key, and a verdict that permits it."""
    lets = drop.verdict in ACCEPTED or (drop.verdict == "rejected" and plan.mode == "observe")
    rows = to.rows is None or to.rows.uri == _rows_uri(ports, plan, drop)
    return lets and rows and to.key == _own_key(plan, drop) and its_own(ports.zones, drop)


def _not_promoted(ports: Ports, plan: Plan, drop: Drop, why: Problem) -> Drop:
    at = ports.at()
    answer = advance(drop, "failed", at, verdict=None, rows=None, problems=(why,), decided_at=at)
    if not isinstance(answer, Transition):
        return drop
    return tell(ports, _leave_promotion(ports, plan, drop, answer, None, Ending()))


def _hindrance(drop: Drop, why: Gone | Taken | Replaced | Unlike) -> Problem:
    """Return the problem of a drop that passed its checks but cannot be promoted."""
    rows = drop.promoted is not None and drop.promoted.rows is not None
    match why:
        case Gone():
            return ROWS_GONE if rows else staged_gone(drop)
        case Taken():
            return DESTINATION_TAKEN
        case Replaced():
            return ROWS_REPLACED if rows else staged_replaced(drop)
        case Unlike(text):
            return Problem("table-unlike", f"The rows do not fit into the contract's table: {text}.", NOT_YOURS)


def _leave_promotion(
    ports: Ports,
    plan: Plan,
    drop: Drop,
    answer: Transition,
    copied: Stat | None,
    ending: Ending,
    entered: Claims | None = None,
) -> Drop:
    """Write the end of a promotion, and leave the key to the next upload."""
    for nth in range(TRIES):
        claims = entered if entered and nth == 0 else claims_of(ports, drop, plan)
        try:
            further = advanced(ports, drop) if copied else None
            ending.write(ports, answer, *claims.left(drop, copied).each, *((further,) if further else ()))
        except StaleWrite:
            now = _look_again(ports, plan, drop) if copied else reread(ports, drop)
            if now.version != drop.version:
                return now
        else:
            return answer.drop
    return drop


def _promotion(ports: Ports, plan: Plan, drop: Drop, claims: Claims, rows: Location | None) -> Promotion:
    """Return the target of a drop and what it replaces: an object with an ETag, or rows of drops."""
    own = _own_key(plan, drop)
    if plan.promote != "table":
        replaces = claims.key.etag if claims.key else _former(ports, drop, own)
        return Promotion(own, drop.attempt, replaces, rows)
    # What an earlier attempt promoted, or a worker that is slow may put there yet, though that attempt has failed.
    before = (claims.key.promoted if claims.key else None, drop.id if drop.attempt > 1 else None)
    return Promotion(own, drop.attempt, None, rows, tuple(dict.fromkeys(one for one in before if one)))


def _former(ports: Ports, drop: Drop, own: str) -> str | None:
    """The ETag of what a drop's earlier attempt promoted to the same key, where no item of that key tells it."""
    former = drop.retracts
    if former is None or former.key != own:
        return None
    there = ports.store.head(Location(f"{ports.zones.promoted}{own}"))
    return there.etag if there and (there.drop, there.attempt) == (drop.id, former.attempt) else None


def _own_key(plan: Plan, drop: Drop) -> str:
    return keys.promoted_key(plan, drop.id, drop.name)


def _valid_rows(ports: Ports, plan: Plan, drop: Drop, decision: Decision) -> Location | Gone | None:
    """Return the place of the valid rows; None if consumers get the unchanged file: no row is rejected or removed."""
    if plan.mode == "observe" or plan.goes_whole(decision.rows.rejected or 0):
        return None
    uri = _rows_uri(ports, plan, drop)
    found = ports.store.head(Location(uri))
    return Location(uri, etag=found.etag) if found else Gone()


def _rows_uri(ports: Ports, plan: Plan, drop: Drop) -> str:
    """Return the URI of the valid rows, from the try that judged the drop."""
    return f"{keys.valid_folder(ports.zones, drop.batch or '', drop.try_ or 0, drop.id)}{valid_file(plan)}"
