"""A verdict that lets a drop through in; the drop with its key taken, or the answer of other uploads, out.

A drop waits while another upload of its key is being promoted, and is superseded by a newer one.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from contracts.decision import Decision, VerdictName
from contracts.errors import StaleWrite
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.history import Past
from functions import keys
from functions.drop import Drop, Event, Location, Promotion, RowCounts, Transition, advance, brief
from functions.ports import Ports
from functions.ports.clock import moment
from functions.promotion.lineage import TRIES, Busy, Claims, Conflict, Granted, Refused, Superseded, claims_of, standing
from functions.promotion.withdraw import withdraw
from functions.records.failures import mark_failed
from functions.records.record import record, reread

LONG = timedelta(hours=1)
"""The time that a drop waits for another of its key before it checks if that is still under way."""


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """A verdict with its decision and time, for the ledger; `rows` is where the valid rows are, if only they go on.

    `history` are the figures that the drop was held against.
    """

    verdict: VerdictName
    decision: Decision
    at: str
    rows: Location | None = None
    history: Mapping[str, Past] = field(default_factory=dict)

    def fields(self, verdict: VerdictName, *others: Problem) -> dict[str, Any]:
        """Return the fields of the drop; `others` are problems of other uploads, which make it `verdict`."""
        rows = self.decision.rows
        return {
            "verdict": verdict,
            "rows": None if rows.read is None else RowCounts(rows.read, rows.valid or 0, rows.rejected or 0),
            "problems": brief((*others, *self.decision.problems)),
            "decided_at": self.at,
            "marks": self.decision.marks,
            "figures": self.decision.figures,
            "history": self.history,
        }


@dataclass(frozen=True, slots=True)
class PromotionEntry:
    """A drop with a recorded verdict, and if this call has taken its key, the claims as the ledger has them since.

    In that case nobody else can have brought the drop further.
    """

    drop: Drop
    claims: Claims | None = None


def enter(ports: Ports, plan: Plan, drop: Drop, verdict: VerdictRecord) -> PromotionEntry:
    """Take the key (and the content) for a drop, unless others have them; wait while one of them is promoted."""
    for nth in range(TRIES):
        claims = claims_of(ports, drop, plan, unseen=nth == 0)
        others = standing(ports, drop, plan, claims)
        if not isinstance(others, Granted):
            return PromotionEntry(_blocked(ports, drop, verdict, claims, others))
        noted: VerdictName = (
            "accepted_with_warnings" if others.notes and verdict.verdict == "accepted" else verdict.verdict
        )
        event: Event = "let_through" if verdict.verdict == "rejected" else "found_good"
        promotion = _promotion(ports, plan, drop, claims, verdict.rows)
        answer = advance(drop, event, ports.at(), promoted=promotion, **verdict.fields(noted, *others.notes))
        if not isinstance(answer, Transition):
            return PromotionEntry(drop)
        taken = claims.taken(drop)
        try:
            ports.ledger.write((answer,), *taken.each)
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return PromotionEntry(now)
        else:
            return PromotionEntry(answer.drop, taken.entered())
    return PromotionEntry(drop)


def _blocked(
    ports: Ports, drop: Drop, verdict: VerdictRecord, claims: Claims, by: Busy | Superseded | Conflict | Refused
) -> Drop:
    """Return a drop whose key or content another upload has: it waits, gives way, fails or is rejected."""
    match by:
        case Busy():
            _free(ports, drop, claims)
            return drop
        case Superseded(why):
            gave_way = withdraw(ports, drop)
            return record(ports, drop, "superseded", problems=(why,), retracts=None) if gave_way else drop
        case Conflict(why):
            return mark_failed(ports, drop, why)
        case Refused(why):
            return record(ports, drop, "found_bad", **verdict.fields("rejected", why))


def _free(ports: Ports, drop: Drop, claims: Claims) -> None:
    """Free the key that a settled drop holds, if this drop has waited for it for long.

    `dropgate doctor` leaves such a key if it dies while it restores a file; if it lives, it checks the key again.
    """
    if ports.clock.now() - moment(drop.changed_at) < LONG:
        return
    others = (claim for claim in claims.each if claim.promoting not in (None, drop.id))
    holders = ((claim, ports.ledger.drop(claim.promoting or "")) for claim in others)
    held = [claim for claim, holder in holders if holder is None or not holder.in_flight]
    if held:
        with suppress(StaleWrite):
            ports.ledger.write((), *(replace(claim, promoting=None) for claim in held))


def _promotion(ports: Ports, plan: Plan, drop: Drop, claims: Claims, rows: Location | None) -> Promotion:
    """Return the target of a drop and what it replaces: an object with an ETag, or rows of drops."""
    own = keys.promoted_key(plan, drop.id, drop.name)
    if plan.promote != "table":
        replaces = claims.key.etag if claims.key else None
        former = drop.retracts
        if claims.key is None and former and former.key == own:
            # No item of the key has the ETag of what an earlier attempt promoted to it.
            stat = ports.store.head(Location(f"{ports.zones.promoted}{own}"))
            replaces = stat.etag if stat and (stat.drop, stat.attempt) == (drop.id, former.attempt) else None
        return Promotion(own, drop.attempt, replaces, rows)
    # What an earlier attempt promoted, or a worker that is slow may put there yet, though that attempt has failed.
    instead = (claims.key.promoted if claims.key else None, drop.id if drop.attempt > 1 else None)
    return Promotion(own, drop.attempt, None, rows, tuple(dict.fromkeys(drop_id for drop_id in instead if drop_id)))
