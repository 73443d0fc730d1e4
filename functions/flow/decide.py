"""A drop and the result of its job in; the decision out, recorded, with the drop's key taken if it is promoted.

A repeated event repeats the decision from the result document, which does not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from contracts.decision import Decision, Rows
from contracts.errors import DocumentInvalid, ObjectGone
from contracts.files.header import valid_file
from contracts.job import JobResult
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.history import Past
from contracts.verdict import decide, fail
from functions import keys
from functions.drop import ABOUT_OTHERS, OF_PEOPLE, Drop, Location
from functions.flow.trials import end_trial
from functions.keys import Zones
from functions.ports import Ports
from functions.promotion.entry import PromotionEntry, VerdictRecord, enter
from functions.promotion.history import history_of
from functions.promotion.lineage import Claims
from functions.promotion.observe_mode import promotable_when_observing
from functions.records.failures import NOT_YOURS, RESULT_MISSING, ROWS_GONE, mark_failed
from functions.records.receipts import ACCEPTED
from functions.records.record import record

TEXT = (".csv", ".jsonl", ".txt")
"""Suffixes of files in which each record takes two bytes at least, its line end among them; the last may lack that."""
MOST_RECORDS = 2**63 - 1
"""The bound of the job's counts; the ledger holds numbers of at most 38 digits (Amazon DynamoDB guide, "Quotas")."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A drop with a recorded verdict, its plan and the decision; `claims` if this call has taken the drop's key."""

    drop: Drop
    plan: Plan
    decision: Decision
    claims: Claims | None = None


def judge(ports: Ports, plan: Plan, drop: Drop, result: JobResult) -> Judged | Drop:
    """Record the verdict of a job's result; return a drop that is being judged again, or a trial at its end."""
    history = history_of(ports, plan, drop)
    decision = _decision(plan, drop, result, history)
    if drop.trial:
        return end_trial(ports, plan, drop, decision)
    if drop.state != "validating":
        return _held_to_record(Judged(drop, plan, decision))
    entry = _record(ports, plan, drop, decision, history)
    if (entry.drop.attempt, entry.drop.batch) != (drop.attempt, drop.batch):
        return entry.drop
    return _held_to_record(Judged(entry.drop, plan, decision, entry.claims))


def judge_by_record(ports: Ports, drop: Drop) -> Judged | Drop:
    """Return a decided drop with the decision of its record; take the key of a refused one whose contract observes."""
    if drop.plan is None:
        return drop
    plan = ports.catalog.plan(drop.plan)
    judged = _held_to_record(Judged(drop, plan, _as_judged(ports, plan, drop)))
    if not promotable_when_observing(ports.zones, plan, drop):
        return judged
    verdict = VerdictRecord("rejected", judged.decision, drop.decided_at or ports.at(), history=drop.history)
    entry = enter(ports, plan, drop, verdict)
    return entry.drop if entry.claims is None else replace(judged, drop=entry.drop, claims=entry.claims)


def recorded(drop: Drop) -> Decision:
    """Return the decision as far as the ledger keeps it: verdict, rows and the first problems, without the checks."""
    rows = Rows(drop.rows.read, drop.rows.valid, drop.rows.rejected) if drop.rows else Rows()
    return Decision(drop.verdict, rows, problems=drop.problems)


def valid_rows_uri(zones: Zones, plan: Plan, drop: Drop) -> str:
    """Return the URI of a drop's valid rows, from the try that judged it."""
    return f"{keys.valid_folder(zones, drop.batch or '', drop.try_ or 0, drop.id)}{valid_file(plan)}"


def _held_to_record(judged: Judged) -> Judged:
    """Return a judged drop with a decision that agrees with its record: if a new one differs, the record holds."""
    drop, decision = judged.drop, judged.decision
    others = tuple(p for p in drop.problems if p.code in ABOUT_OTHERS)
    if others and decision.checks and decision.verdict in ACCEPTED:
        decision = replace(decision, verdict=drop.verdict, problems=(*others, *decision.problems))
    return replace(judged, decision=decision if decision.verdict == drop.verdict else recorded(drop))


def _as_judged(ports: Ports, plan: Plan, drop: Drop) -> Decision:
    """Return the decision of a record, or a person's, with the checks of the job, if its result is still kept."""
    if drop.batch is None or drop.try_ is None or drop.forgotten:
        return recorded(drop)
    try:
        result = JobResult.loads(ports.store.get(keys.result_uri(ports.zones, drop.batch, drop.try_)))
    except (ObjectGone, DocumentInvalid):
        return recorded(drop)
    facts = next((facts for facts in result.drops if facts.drop == drop.id), None)
    decision = decide(plan, facts, result.header.checks, drop.history) if facts else recorded(drop)
    if decision.verdict is None:
        return recorded(drop)
    decision = replace(decision, begun_at=result.header.started_at)
    if drop.override is None:
        return decision
    of_person = tuple(p for p in drop.problems if p.code in OF_PEOPLE)
    return replace(decision, verdict=drop.verdict, problems=(*of_person, *decision.problems))


def _decision(plan: Plan, drop: Drop, result: JobResult, history: Mapping[str, Past]) -> Decision:
    for facts in result.drops:
        if (facts.drop, facts.attempt) == (drop.id, drop.attempt):
            if facts.read > ((drop.size + 1) // 2 if plan.suffix in TEXT else MOST_RECORDS):
                text = f"The job counted {facts.read:,} records in a file of {drop.size:,} bytes: they do not add up."
                return fail(Problem("rows-do-not-add-up", text, NOT_YOURS))
            return replace(decide(plan, facts, result.header.checks, history), begun_at=result.header.started_at)
    return fail(RESULT_MISSING)


def _record(ports: Ports, plan: Plan, drop: Drop, decision: Decision, history: Mapping[str, Past]) -> PromotionEntry:
    """Record a decision: a failure, a rejection, or the way to consumers."""
    if decision.verdict is None:
        why = decision.failure or Problem("failed", "The file could not be judged.", NOT_YOURS)
        return PromotionEntry(mark_failed(ports, drop, why))
    verdict = VerdictRecord(decision.verdict, decision, ports.at(), history=history)
    if decision.verdict == "rejected" and plan.mode == "enforce":
        return PromotionEntry(record(ports, drop, "found_bad", **verdict.fields("rejected")))
    if plan.mode == "observe" or plan.goes_whole(decision.rows.rejected or 0):
        return enter(ports, plan, drop, verdict)  # consumers get the unchanged file
    uri = valid_rows_uri(ports.zones, plan, drop)
    stat = ports.store.head(Location(uri))
    if stat is None:
        return PromotionEntry(mark_failed(ports, drop, ROWS_GONE))
    return enter(ports, plan, drop, replace(verdict, rows=Location(uri, etag=stat.etag)))
