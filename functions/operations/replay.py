"""Another attempt at a settled drop: its id in, the drop under way or a reason out.

Promoted data is judged again only to be retracted: consumers keep it until the new verdict, which replaces or withdraws
it.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.errors import ServiceUnavailable, StaleWrite
from functions.drop import PROMOTED, Answer, Drop, NoChange, Retraction, Transition, advance
from functions.flow.ingest import pin, resume
from functions.ports import Ports

NO_CONTRACT = "no contract claims its key today, so it cannot be judged; `dropgate reject` withdraws it"
NO_BYTES = "its bytes are no longer kept; the file must be uploaded again"
FORGOTTEN = "it was forgotten: its data is erased, or about to be; the file must be uploaded again"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The drop, received again and on its way."""

    drop: Drop


@dataclass(frozen=True, slots=True)
class NotReplayed:
    """The reason why a drop is not judged again; `drop` is None if no drop has that id."""

    reason: str
    drop: Drop | None = None


def replay(ports: Ports, drop_id: str, *, retract: bool = False, only_record: bool = False) -> Replayed | NotReplayed:
    """Judge a drop again under the plan in force, from the bytes that are kept.

    `only_record` leaves everything after the record to the schedule.
    """
    drop = ports.ledger.drop(drop_id)
    if drop is None:
        return NotReplayed("no drop has this id; `dropgate drops` lists those there are")
    answer = again(ports, drop, retract=retract)
    if isinstance(answer, NoChange):
        return NotReplayed(answer.reason, drop)
    try:
        ports.ledger.write((answer,))
    except StaleWrite:
        return NotReplayed("somebody else is replaying it at this moment", drop)
    if only_record:
        return Replayed(answer.drop)
    try:
        return Replayed(resume(ports, answer.drop))
    except ServiceUnavailable:  # the caller may not go on; the schedule does
        return Replayed(answer.drop)


def again(ports: Ports, drop: Drop, *, retract: bool = False) -> Answer:
    """Return the result of a replay of a drop, or why it cannot be replayed; nothing is written."""
    if drop.forgotten:
        return NoChange(drop, FORGOTTEN)
    fresh = pin(drop, ports.catalog.match(drop.name))
    promoted = drop.state in PROMOTED
    answer = advance(
        drop,
        "replayed_to_retract" if promoted and retract else "replayed",
        ports.at(),
        attempt=drop.attempt + 1,
        contract=fresh.contract,
        plan=fresh.plan,
        producer=fresh.producer,
        parts=fresh.parts,
        problems=fresh.problems,
        file_set=fresh.file_set,
        totals=fresh.totals,
        header_line=None,
        staged_at=None,
        batch=None,
        try_=None,
        verdict=None,
        marks=(),
        figures={},
        rows=None,
        decided_at=None,
        receipt=None,
        promoted=None,
        retracts=retraction(drop),
        override=None,
    )
    if isinstance(answer, Transition) and fresh.plan is None and (promoted or drop.retracts):
        return NoChange(drop, NO_CONTRACT)
    return NoChange(drop, NO_BYTES) if isinstance(answer, Transition) and gone(ports, drop) else answer


def retraction(drop: Drop) -> Retraction | None:
    """Return the promotion that a new attempt must withdraw: the current one, or one that an earlier attempt left."""
    if drop.state in PROMOTED and drop.promoted and drop.plan:
        return Retraction(drop.promoted.key, drop.promoted.attempt, drop.plan)
    return drop.retracts


def gone(ports: Ports, drop: Drop) -> bool:
    """Return True if a drop's bytes are gone or replaced; without the right to check, the schedule finds out."""
    try:
        stat = ports.store.head(drop.source)
    except ServiceUnavailable:
        return False
    return stat is None or stat.etag != (drop.source.etag or stat.etag)
