"""Uploads of one key, in order: which is the newest, which is being promoted, which consumers see.

In: a drop about to be staged or promoted. Out: drop and lineage written in one transaction, so that an
older upload never lands on a newer one, whatever order events and jobs come in.
"""

from __future__ import annotations

from dataclasses import replace

from contracts.errors import StaleWrite
from contracts.plan import Plan
from contracts.problem import Problem
from functions import keys
from functions.ports import Lineage, Ports
from functions.recording import record, reread
from functions.submission import Drop, Moved, is_newer

TRIES = 5
"""How often a write that lost a race for the lineage is tried again with what was read anew."""


def lineage_of(ports: Ports, drop: Drop, plan: Plan) -> Lineage | None:
    """The lineage of a drop; None under `sameKey: version`, where uploads do not replace each other."""
    if plan.same_key == "version":
        return None
    return ports.ledger.lineage(keys.lineage_hash(drop.bucket, drop.key, plan.contract))


def join(ports: Ports, staged: Moved, plan: Plan) -> Lineage | None:
    """Write a staged drop, as the newest of its lineage if it is; the lineage before. StaleWrite if it moved on."""
    for _ in range(TRIES):
        lineage = lineage_of(ports, staged.drop, plan)
        try:
            ports.ledger.write((staged,), lineage and _with(lineage, staged.drop))
        except StaleWrite:
            if reread(ports, staged.before).version != staged.before.version:
                raise
        else:
            return lineage
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
