"""Another attempt at a drop that was rejected, unmatched or failed: its id in, the drop under way or a reason out."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.errors import ServiceUnavailable, StaleWrite
from functions.ingest import pin, resume
from functions.ports import Ports
from functions.submission import Drop, Stays, advance


@dataclass(frozen=True, slots=True)
class Replayed:
    """The drop, received again and on its way."""

    drop: Drop


@dataclass(frozen=True, slots=True)
class NotReplayed:
    """Why a drop is not judged again; `drop` None where no drop has that id."""

    reason: str
    drop: Drop | None = None


def replay(ports: Ports, drop_id: str) -> Replayed | NotReplayed:
    """Judge a drop again under the plan that is in force now, from where its bytes lie."""
    drop = ports.ledger.drop(drop_id)
    if drop is None:
        return NotReplayed("no drop has this id; `dropgate drops` lists those there are")
    fresh = pin(drop, ports.catalog.match(drop.name))
    answer = advance(
        drop,
        "replayed",
        ports.at(),
        attempt=drop.attempt + 1,
        contract=fresh.contract,
        plan=fresh.plan,
        producer=fresh.producer,
        parts=fresh.parts,
        problems=fresh.problems,
        header_line=None,
        staged_at=None,
        batch=None,
        try_=None,
        verdict=None,
        marks=(),
        rows=None,
        decided_at=None,
        receipt=None,
    )
    if isinstance(answer, Stays):
        return NotReplayed(answer.reason, drop)
    if _gone(ports, drop):
        return NotReplayed("its bytes are no longer kept; the file must be uploaded again", drop)
    try:
        ports.ledger.write((answer,))
    except StaleWrite:
        return NotReplayed("somebody else is replaying it at this moment", drop)
    return Replayed(_begun(ports, answer.drop))


def _gone(ports: Ports, drop: Drop) -> bool:
    """Whether a drop's bytes are no longer kept, or others lie there; who may not look leaves that to the schedule."""
    try:
        found = ports.store.head(drop.source)
    except ServiceUnavailable:
        return False
    return found is None or found.etag != (drop.source.etag or found.etag)


def _begun(ports: Ports, drop: Drop) -> Drop:
    """Take a drop on at once, if the caller may; else the schedule does, as all that is left behind."""
    try:
        return resume(ports, drop)
    except ServiceUnavailable:
        return drop
