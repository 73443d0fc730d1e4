"""A step, its plan and the drop as it is now in; the event of the step out. Pure.

All but the texts of problems comes from the history item and the plan, which never change: an event that is sent again
is the same. The texts are the drop's own, which `dropgate forget` erases, and history must not keep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from contracts import codec
from contracts.decision import VerdictName
from contracts.plan import Plan
from functions import keys
from functions.drop import Drop, cut
from functions.events.drop_event import (
    DropEvent,
    EventContract,
    EventData,
    EventMissing,
    EventObject,
    EventProblem,
    EventPromise,
    EventPromoted,
    EventState,
)
from functions.ports.drops import Step, StepFacts
from functions.ports.expected_files import AbsenceStep
from functions.ports.promises import PromiseStep

MOST_BYTES = 16 * 1024
"""Bytes of an event as JSON in ASCII, its longest form: ten of them, a batch of the pipe, fit into one PutEvents."""
MOST_ID = 200
"""Bytes of a contract's id and of its version, which ODCS does not limit."""

READABLE = "Promoted"
"""The word of events by which data becomes readable."""
WORDS: dict[EventState, str] = {
    "received": "Received",
    "gathering": "Gathering",
    "staged": "Staged",
    "validating": "Validating",
    "promoting": "Promoting",
    "rejecting": "Rejecting",
    "accepted": READABLE,
    "accepted_with_warnings": READABLE,
    "observed": READABLE,
    "rejected": "Rejected",
    "failed": "Failed",
    "unmatched": "Unmatched",
    "vanished": "Vanished",
    "superseded": "Superseded",
    "noted": "Noted",
    "tried": "Tried",
    "missing": "Missing",
    "arrived": "Arrived",
    "met": "Met",
    "at_risk": "At-risk",
    "missed": "Missed",
    "unknown": "Unknown",
}
"""The word of each state in `detail-type` and `type`."""
ERASING = {"forgetting": "Forgetting", "forgotten": "Forgotten"}
"""The words of events that leave the state as it is."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The stack that an event comes from: its `source`, and the zone of what it promotes."""

    source: str
    promoted: str


def detail_type(event: DropEvent) -> str:
    """Return the `detail-type` of an event, as `Drop Promoted`, `Files Missing` or `Promise At Risk`."""
    _, thing, word, _ = event.type.split(".")
    return f"{thing} {word.replace('-', ' ')}".title()


def event_of_step(origin: Origin, step: Step, facts: StepFacts, plan: Plan | None, now: Drop | None) -> DropEvent:
    """Return the event of a step; `now` is the drop as the ledger has it, None if no text of it is needed."""
    state = cast("EventState", step.state)
    word = ERASING.get(step.event) or WORDS[state]
    place = f"{step.attempt:04}-{step.step:04}"
    data = EventData(
        state=state,
        event=step.event,
        drop=step.drop,
        attempt=step.attempt,
        step=step.step,
        contract=_contract(step.contract, plan),
        producer=facts.producer,
        consumers=plan.consumers if plan else (),
        key=facts.key,
        trial=facts.trial,
        verdict=cast("VerdictName | None", step.verdict),
        engine=facts.engine,
        rows=facts.rows,
        problems=tuple(_problems(step, facts, now)),
        receipt=EventObject(*keys.split(facts.receipt)) if facts.receipt else None,
        promoted=_promoted(origin, facts) if word == READABLE else None,
        withdrawn=facts.withdrawn,
        uploaded_at=facts.uploaded_at,
        received_at=facts.received_at,
        decided_at=facts.decided_at,
    )
    return bounded(
        DropEvent(
            id=f"{step.drop}-{place}",
            source=origin.source,
            type=f"dropgate.drop.{word.lower()}.v1",
            subject=step.drop,
            time=step.at,
            sequence=place,
            data=data,
        )
    )


def event_of_absence(origin: Origin, step: AbsenceStep, plan: Plan | None) -> DropEvent:
    """Return the event of files that are missing, or have come after all."""
    data = EventData(
        state=step.state,
        contract=_contract(step.contract, plan),
        producer=plan.producer if plan else None,
        consumers=plan.consumers if plan else (),
        missing=EventMissing(step.day, step.files, step.came, step.due_at),
    )
    return bounded(
        DropEvent(
            id=f"{keys.digest('absence', step.contract, step.day)}-{step.version:04}",
            source=origin.source,
            type=f"dropgate.files.{step.state}.v1",
            subject=f"{step.contract}/{step.day}",
            time=step.at,
            sequence=f"{step.version:04}",
            data=data,
        )
    )


def event_of_promise(origin: Origin, step: PromiseStep, plan: Plan | None) -> DropEvent:
    """Return the event of a promise over time that has another state."""
    data = EventData(
        state=step.state,
        contract=_contract(step.contract, plan),
        producer=plan.producer if plan else None,
        consumers=plan.consumers if plan else (),
        promise=EventPromise(step.promise, step.was, step.promised, step.figure, step.period, step.until),
    )
    return bounded(
        DropEvent(
            id=f"{keys.digest('promise', step.contract, step.promise)}-{step.step:08}",
            source=origin.source,
            type=f"dropgate.promise.{WORDS[step.state].lower()}.v1",
            subject=f"{step.contract}/{step.promise}",
            time=step.at,
            sequence=f"{step.step:08}",
            data=data,
        )
    )


def bounded(event: DropEvent) -> DropEvent:
    """Return an event of at most `MOST_BYTES`: without its last problems, and then without consumers, if it has to be.

    What is left is bounded: two keys of 1,024 bytes, of which JSON makes six times as many at most, and short texts.
    """
    while event.data.problems and _is_large(event):
        fewer = replace(event.data, problems=event.data.problems[:-1], left_out=("problems",))
        event = replace(event, data=fewer)
    if event.data.consumers and _is_large(event):
        fewer = replace(event.data, consumers=(), left_out=(*event.data.left_out, "consumers"))
        event = replace(event, data=fewer)
    return event


def _is_large(event: DropEvent) -> bool:
    return len(json.dumps(codec.encode(event))) > MOST_BYTES


def _contract(name: str | None, plan: Plan | None) -> EventContract | None:
    if name is None:
        return None
    return EventContract(name, *((cut(plan.id, MOST_ID), cut(plan.version, MOST_ID)) if plan else ()))


def _promoted(origin: Origin, facts: StepFacts) -> EventPromoted | None:
    if facts.promoted is None:
        return None
    bucket, key = keys.split(f"{origin.promoted}{facts.promoted.key}")
    return EventPromoted(facts.promoted.kind, bucket, key, facts.promoted.version)


def _problems(step: Step, facts: StepFacts, now: Drop | None) -> Iterator[EventProblem]:
    """Yield the problems of a step, with the texts of the drop if it still has those that it had then."""
    still = now is not None and (now.attempt, now.decided_at) == (step.attempt, facts.decided_at)
    problems = now.problems if now and still else ()
    if tuple(problem.code for problem in problems) != facts.codes:
        yield from map(EventProblem, facts.codes)
        return
    for problem in problems:
        yield EventProblem(
            code=problem.code,
            level=problem.level,
            message=problem.message,
            fix=problem.fix,
            property=problem.property,
            check=problem.check,
            place=problem.place,
        )
