"""A person's decision over a verdict: a drop, who and why in; an attempt without a job, or why there is none, out.

accept: rejected -> promoting -> copy -> receipt -> accepted_with_warnings, by all the rules of keys
reject: promoted or failed -> rejecting -> withdrawn from consumers -> receipt -> rejected
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contracts.errors import ServiceUnavailable, StaleWrite
from contracts.problem import Problem
from functions import keys
from functions.drop import (
    ACCEPTED_BY_PERSON,
    MOST_REASON,
    OF_PEOPLE,
    REJECTED_BY_PERSON,
    Answer,
    Drop,
    NoChange,
    Override,
    Promotion,
    Transition,
    advance,
    brief,
)
from functions.flow.conclude import finish
from functions.flow.ingest import ARCHIVED, UNREADABLE
from functions.operations.replay import FORGOTTEN, NO_BYTES, gone, retraction
from functions.ports import Ports
from functions.promotion.lineage import TRIES, Busy, Claims, Conflict, Granted, Refused, Superseded, claims_of, standing
from functions.promotion.observe_mode import fits

OTHERS = "another upload of its key is being promoted; try again in a minute"
OF_TABLES = (
    "its contract promotes valid rows into a table, which cannot take a file as it came; "
    "loosen the contract, then replay it"
)
OF_A_SET = "it tells of a set of files, and is none of its contract; upload a corrected one under the same key"
NOT_READ = "its object is archived, or locked with a key of its uploader; have the file uploaded again"
TOO_LONG = "its key would be too long where consumers find it; have the file uploaded under a shorter name"
FASTER = "somebody else changed it at this moment; read it again"


@dataclass(frozen=True, slots=True)
class Overruled:
    """The drop as far as the decision has brought it; the schedule does what is left."""

    drop: Drop


@dataclass(frozen=True, slots=True)
class NotOverruled:
    """The reason why a decision changes nothing."""

    reason: str
    drop: Drop


def clean_reason(text: str) -> str | None:
    """Return a reason in one line; None if it is too long."""
    reason = " ".join(text.split())
    return reason if len(reason.encode("utf-8", "replace")) <= MOST_REASON else None


def accept(ports: Ports, drop: Drop, by: str, because: str, *, only_record: bool = False) -> Overruled | NotOverruled:
    """Promote a rejected drop by a person's decision, from the bytes that are kept.

    `only_record` leaves everything after the record to the schedule.
    """
    for _ in range(TRIES):
        could = _acceptance(ports, drop, by, because)
        if isinstance(could, NoChange):
            return NotOverruled(could.reason, drop)
        answer, claims = could
        try:
            ports.ledger.write((answer,), *claims.taken(drop).each)
        except StaleWrite:
            if (ports.ledger.drop(drop.id) or drop).version != drop.version:
                return NotOverruled(FASTER, drop)
        else:
            return Overruled(answer.drop if only_record else _finished(ports, answer.drop))
    return NotOverruled(OTHERS, drop)


def would_accept(ports: Ports, drop: Drop) -> Answer:
    """Return the result of accepting a drop now, with every test of `accept` and without writing."""
    could = _acceptance(ports, drop, "", "")
    return could if isinstance(could, NoChange) else could[0]


def _acceptance(ports: Ports, drop: Drop, by: str, because: str) -> tuple[Transition, Claims] | NoChange:
    """Return the transition by which a person accepts a drop, and its claims; or why there is none."""
    if isinstance(could := acceptable(ports, drop), NoChange):
        return could
    plan = ports.catalog.plan(drop.plan or "")
    claims = claims_of(ports, drop, plan)
    match standing(ports, drop, plan, claims):
        case Busy():
            return NoChange(drop, OTHERS)
        case Superseded(why) | Refused(why) | Conflict(why):
            return NoChange(drop, why.message.rstrip("."))
        case Granted(notes):
            statement = Problem(ACCEPTED_BY_PERSON, f"{by} accepted the file all the same: {because}", SEE, "warning")
            own = keys.promoted_key(plan, drop.id, drop.name)
            answer = advance(
                drop,
                "accepted_by_person",
                ports.at(),
                **_decided(ports, drop, by, because, statement, *notes),
                verdict="accepted_with_warnings",
                promoted=Promotion(own, drop.attempt + 1, claims.key.etag if claims.key else None),
            )
    return (answer, claims) if isinstance(answer, Transition) else answer


def reject(ports: Ports, drop: Drop, by: str, because: str, *, only_record: bool = False) -> Overruled | NotOverruled:
    """Reject a promoted (or a failed) drop by the word of a person, and withdraw what consumers have of it.

    `only_record` leaves everything after the record to the schedule.
    """
    if isinstance(could := rejectable(drop), NoChange):
        return NotOverruled(could.reason, drop)
    statement = Problem(REJECTED_BY_PERSON, f"{by} rejected the file: {because}", ASK)
    changes = _decided(ports, drop, by, because, statement)
    retracts = retraction(drop)
    answer = advance(
        drop, "rejected_by_person", ports.at(), **changes, verdict="rejected", promoted=None, retracts=retracts
    )
    if not isinstance(answer, Transition):
        return NotOverruled(answer.reason, drop)
    try:
        ports.ledger.write((answer,))
    except StaleWrite:
        return NotOverruled(FASTER, drop)
    return Overruled(answer.drop if only_record else _finished(ports, answer.drop))


def acceptable(ports: Ports, drop: Drop) -> Answer:
    """Return the result of accepting a drop, without testing whether another upload blocks it."""
    could = advance(drop, "accepted_by_person", drop.changed_at)
    if isinstance(could, Transition) and drop.forgotten:
        return NoChange(drop, FORGOTTEN)
    if isinstance(could, Transition) and gone(ports, drop):
        return NoChange(drop, NO_BYTES)
    could = _with_plan(could)
    if not isinstance(could, Transition) or not drop.plan:
        return could
    plan = ports.catalog.plan(drop.plan)
    if plan.set and plan.set.is_signal(drop.name):
        return NoChange(drop, OF_A_SET)
    today = (entry.plan for entry in ports.catalog.index().entries if entry.contract == plan.contract)
    if any(agreed.promote == "table" for agreed in (plan, *map(ports.catalog.plan, today))):
        return NoChange(drop, OF_TABLES)
    if any(problem.code in (UNREADABLE.code, ARCHIVED.code) for problem in drop.problems):
        return NoChange(drop, NOT_READ)
    return could if fits(ports.zones, plan, drop) else NoChange(drop, TOO_LONG)


def beyond(ports: Ports, drop: Drop) -> str | None:
    """Return a warning if a person's acceptance gives consumers more than the valid rows that the contract promotes."""
    plan, rejected = ports.catalog.plan(drop.plan or ""), drop.rows.rejected if drop.rows else None
    if rejected is not None and plan.goes_whole(rejected):
        return None
    if plan.promote != "rows":
        return None
    rows = f" with its {rejected:,} rejected row{'s' * (rejected != 1)}" if rejected else ""
    return f"Consumers get the whole file{rows}, though its contract promotes only valid rows."


def rejectable(drop: Drop) -> Answer:
    """Return the result of rejecting a drop, without writing."""
    return _with_plan(advance(drop, "rejected_by_person", drop.changed_at))


def _with_plan(could: Answer) -> Answer:
    if isinstance(could, Transition) and could.drop.plan is None:
        return NoChange(could.before, "no contract has claimed its key, so there is nothing to decide by")
    return could


SEE = "Nothing to do for this file; its faults follow, for the next one."
ASK = "Ask for the reason if it does not say enough, then send the corrected file."


def _decided(ports: Ports, drop: Drop, by: str, because: str, *statements: Problem) -> dict[str, Any]:
    """Return the fields of an attempt that a person decides; their statement is the first of its problems."""
    at = ports.at()
    before = tuple(p for p in drop.problems if p.code not in OF_PEOPLE)
    return {
        "attempt": drop.attempt + 1,
        "problems": brief((*statements, *before)),
        "decided_at": at,
        "receipt": None,
        "override": Override(by, because, at, drop.verdict),
    }


def _finished(ports: Ports, drop: Drop) -> Drop:
    """Finish a drop at once, if the caller may; else the schedule does."""
    try:
        return finish(ports, drop)
    except ServiceUnavailable:
        return drop
