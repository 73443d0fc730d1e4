"""A judged drop in; its data with consumers and its receipt, or the reason against its promotion, out.

copy or table commit -> withdraw what the drop replaces under another key -> receipt

The end of the drop is not written here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contracts.decision import VerdictName
from contracts.errors import ObjectUnreadable
from contracts.problem import Problem
from functions import keys
from functions.drop import Drop, Event, Promotion, Transition, advance
from functions.flow.decide import Judged, valid_rows_uri
from functions.ports import Ports
from functions.ports.store import Stat
from functions.promotion.copies import Gone, Replaced, Taken, Target, Unfinished, copy_to_consumers, owns_source
from functions.promotion.table_commit import Unlike, into_table
from functions.promotion.withdraw import reread_and_withdraw, withdraw, withdrawing_late_copies
from functions.records.failures import EDITED, NOT_YOURS, ROWS_GONE, staged_gone, staged_replaced
from functions.records.outcome import write_outcome
from functions.records.receipts import ACCEPTED
from functions.records.record import reread

PROMOTED_AS: dict[VerdictName | None, Event] = {
    "accepted": "promoted",
    "accepted_with_warnings": "promoted_with_warnings",
    "rejected": "promoted_all_the_same",
}
DESTINATION_TAKEN = Problem("destination-taken", "The file's target is taken by an object of somebody else.", NOT_YOURS)
ROWS_REPLACED = Problem(
    "rows-replaced", "Something else has taken the place of the valid rows; it was not promoted.", NOT_YOURS
)

SOURCE_UNREADABLE = Problem(
    "source-unreadable",
    "The file can be read no more: by now it is in an archive of S3, or encrypted with a key of its uploader.",
    "Upload the file again in the storage class STANDARD, without a key of your own.",
)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The bytes are in place, and S3 does not return them."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """Consumers have the data of a drop, and its receipt is written."""

    judged: Judged
    end: Transition
    copied: Stat
    receipt: str


@dataclass(frozen=True, slots=True)
class NotPromoted:
    """A drop that passed its checks fails; `begun` if this call may have copied some of its data."""

    judged: Judged
    end: Transition
    begun: bool


def promote(ports: Ports, judged: Judged) -> Promoted | NotPromoted | Drop:
    """Give consumers the data of a drop; return the drop if somebody was faster, or if others go on with it later."""
    drop, to = judged.drop, judged.drop.promoted
    if to is None:
        return drop
    if judged.claims is None and (now := reread(ports, drop)).version != drop.version:
        return now  # somebody was faster, and the ETag to be replaced may be another upload's by now
    plan = judged.plan
    permitted = drop.verdict in ACCEPTED or (drop.verdict == "rejected" and plan.mode == "observe")
    own_rows = to.rows is None or to.rows.uri == valid_rows_uri(ports.zones, plan, drop)
    own_key = to.key == keys.promoted_key(plan, drop.id, drop.name)
    if not (permitted and own_rows and own_key and owns_source(ports.zones, drop)):
        return _not_promoted(ports, judged, EDITED, begun=False)
    with withdrawing_late_copies(ports, plan, drop):
        copied = _copied(ports, judged, to)
        if isinstance(copied, Unfinished):
            return drop  # the schedule goes on with it, minute after minute
        if not isinstance(copied, Stat):
            return _not_promoted(ports, judged, _hindrance(drop, copied), begun=True)
        if drop.retracts and drop.retracts.key != to.key and not withdraw(ports, drop):
            return reread_and_withdraw(ports, plan, drop)
        receipt = write_outcome(ports, drop, plan, judged.decision)
        end = advance(drop, PROMOTED_AS[drop.verdict], ports.at(), receipt=receipt, retracts=None)
        if not isinstance(end, Transition):
            return drop
        return Promoted(judged, replace(end, version=copied.version), copied, receipt)


def _copied(
    ports: Ports, judged: Judged, to: Promotion
) -> Stat | Unfinished | Gone | Taken | Replaced | Unlike | Unreadable:
    drop, plan = judged.drop, judged.plan
    if to.rows and plan.promote == "table":
        return into_table(ports, plan, drop, to.rows, to.instead)
    kind = keys.media_type(to.rows.uri if to.rows else plan.suffix)
    target = f"{ports.zones.promoted}{to.key}"
    try:
        return copy_to_consumers(ports, drop, to.rows or drop.source, Target(target, kind, to.replaces))
    except ObjectUnreadable:
        return Unreadable()


def _not_promoted(ports: Ports, judged: Judged, why: Problem, *, begun: bool) -> NotPromoted | Drop:
    at = ports.at()
    end = advance(judged.drop, "failed", at, verdict=None, rows=None, problems=(why,), decided_at=at)
    # The key may be another upload's by now, so its claims are read again.
    return NotPromoted(replace(judged, claims=None), end, begun) if isinstance(end, Transition) else judged.drop


def _hindrance(drop: Drop, why: Gone | Taken | Replaced | Unlike | Unreadable) -> Problem:
    """Return the problem of a drop that passed its checks but cannot be promoted."""
    rows = drop.promoted is not None and drop.promoted.rows is not None
    match why:
        case Gone():
            return ROWS_GONE if rows else staged_gone(drop)
        case Taken():
            return DESTINATION_TAKEN
        case Replaced():
            return ROWS_REPLACED if rows else staged_replaced(drop)
        case Unreadable():
            return SOURCE_UNREADABLE
        case Unlike(text):
            return Problem("table-unlike", f"The rows do not fit into the contract's table: {text}.", NOT_YOURS)
