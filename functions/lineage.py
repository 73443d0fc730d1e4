"""Uploads of one key, in order: which is the newest, which is being promoted, which consumers see.

In: a drop about to be staged or promoted. Out: drop and lineage written in one transaction, so that an
older upload never lands on a newer one, whatever order events and jobs come in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contracts.errors import StaleWrite
from contracts.plan import Plan
from contracts.problem import Problem
from functions import keys
from functions.ports import Lineage, Ports, Window
from functions.recording import record, reread
from functions.submission import Drop, Moved, is_newer

TRIES = 5
"""How often a write that lost a race for the lineage is tried again with what was read anew."""


def lineage_of(ports: Ports, drop: Drop, plan: Plan, *, unseen: bool = False) -> Lineage | None:
    """The lineage of a drop; None under `sameKey: version`, where uploads do not replace each other.

    `unseen`: as it is if nobody but this drop has written it, without a look; a write that builds on it tells.
    """
    if plan.same_key == "version":
        return None
    lineage_id = keys.lineage_hash(drop.bucket, drop.key, plan.contract)
    if not unseen:
        return ports.ledger.lineage(lineage_id)
    return Lineage(lineage_id, drop.id, drop.sequencer, version=1) if drop.first else Lineage(lineage_id)


@dataclass(frozen=True, slots=True)
class Joined:
    """A staged drop, its lineage before, and the window that was opened with it."""

    drop: Drop
    before: Lineage | None
    window: Window | None


def join(ports: Ports, staged: Moved, plan: Plan, window: Window | None) -> Joined:
    """Write a staged drop, as the newest of its lineage if it is. StaleWrite if it moved on.

    Most keys are uploaded once: the first try takes that for granted and looks at nothing; with it goes the window
    that a plan seems to need. What was taken for granted in vain is left out of the next try.
    """
    for nth in range(TRIES):
        opens = window if nth == 0 else None
        lineage = lineage_of(ports, staged.drop, plan, unseen=nth == 0 and staged.drop.attempt == 1)
        drop = replace(staged.drop, first=lineage is not None and lineage.version == 0)
        try:
            ports.ledger.write((replace(staged, drop=drop),), lineage and _with(lineage, drop), window=opens)
        except StaleWrite:
            if reread(ports, staged.before).version != staged.before.version:
                raise
        else:
            return Joined(drop, lineage, opens)
    raise StaleWrite(f"uploads of {staged.drop.key} keep overtaking each other")


def _with(lineage: Lineage, drop: Drop) -> Lineage | None:
    if overtaken(lineage, drop) or lineage.newest == drop.id:
        return None
    return replace(lineage, newest=drop.id, sequencer=drop.sequencer)


def overtaken(lineage: Lineage, drop: Drop) -> bool:
    """Whether a newer upload of the key has been staged."""
    return lineage.newest not in (None, drop.id) and is_newer(lineage.sequencer, drop.sequencer)


def supersede_older(ports: Ports, drop: Drop, before: Lineage | None) -> Drop:
    """Take the older of two uploads out of the race, if it is still in it; the given drop as it stands then."""
    if before is None or before.newest in (None, drop.id):
        return drop
    if overtaken(before, drop):
        return step_aside(ports, drop, before.newest)
    older = ports.ledger.drop(before.newest) if before.newest else None
    if older:
        step_aside(ports, older, drop.id)
    return drop


def step_aside(ports: Ports, drop: Drop, newer: str | None) -> Drop:
    """Record that a newer upload has taken a drop's place."""
    text = f"A newer version of the key was uploaded before this one was judged (drop {newer})."
    problem = Problem("superseded", text, "Nothing to do: the newer upload is judged instead.")
    return record(ports, drop, "superseded", problems=(problem,))
