"""Withdrawal of promoted data from consumers: a drop in, whether its data is withdrawn out.

The key is taken first, so that no other upload of it is promoted meanwhile; then the object is hidden, on condition
that it is ours still; then the key is free, and bears nothing: what lay there before does not come back by itself. A
crash anywhere leaves it repeatable. A worker that stalls before its copy may make it after all that: it looks again.
"""

from __future__ import annotations

from dataclasses import replace

from contracts.errors import StaleWrite
from contracts.plan import Plan
from functions import keys
from functions.drop import PROMOTED, Drop, Location, Retraction
from functions.ports import Ports
from functions.ports.lineages import Lineage
from functions.ports.store import CopyTag
from functions.promotion.lineage import TRIES, claims_of
from functions.records.record import reread


def withdraw(ports: Ports, drop: Drop) -> bool:
    """Take back what a drop retracts; False while another upload of its key is promoted, or if the drop has changed."""
    former = drop.retracts
    if former is None:
        return True
    plan = ports.catalog.plan(former.plan)
    held = _held(ports, drop)
    for _ in range(TRIES):
        mine = claims_of(ports, drop, plan).of(drop)
        if reread(ports, drop).version != drop.version:
            return False  # somebody was faster, and the key may be a later attempt's by now
        if any(one.promoting not in (None, drop.id) for one in mine):
            return False
        taken = tuple(replace(one, promoting=drop.id) for one in mine)
        freed = tuple(Lineage(one.id, drop.id if one.id in held else None, version=one.version + 1) for one in mine)
        try:
            if taken:
                ports.ledger.write((), *taken)
            hide(ports, drop, former)
            if freed:
                ports.ledger.write((), *freed)
        except StaleWrite:
            continue
        return True
    return False


def _held(ports: Ports, drop: Drop) -> frozenset[str]:
    """Return the ids of the claims that a drop keeps while it is being promoted to another key."""
    if drop.state != "promoting" or drop.plan is None:
        return frozenset()
    return frozenset(one.id for one in claims_of(ports, drop, ports.catalog.plan(drop.plan), unseen=True).each)


def hide(ports: Ports, drop: Drop, former: Retraction) -> None:
    """Hide the object that an attempt promoted, if it lies there still; or take its rows out of a table, no others."""
    target = Location(f"{ports.zones.promoted}{former.key}")
    if keys.is_table(former.key):
        # If this comes late, the rows of an attempt after it stay.
        later = max(drop.attempt, former.attempt + 1)
        ports.tables.withdraw(target.uri, CopyTag(drop.id, former.attempt), later)
        return
    there = ports.store.head(target)
    if there and (there.drop, there.attempt) == (drop.id, former.attempt):
        ports.store.withdraw(replace(target, etag=there.etag))


def hide_unless_named(ports: Ports, plan: Plan, drop: Drop, now: Drop) -> bool:
    """Hide what a slow worker promoted of a drop if, by what the drop is now, nobody may read it; whether it did."""
    laid = drop.promoted
    if laid is None or is_named(ports, plan, drop, now):
        return False
    hide(ports, drop, Retraction(laid.key, laid.attempt, plan.sha))
    return True


def is_named(ports: Ports, plan: Plan, drop: Drop, now: Drop) -> bool:
    """Return True if consumers should read what was promoted of a drop, by its current record and by its key."""
    laid, key = drop.promoted, claims_of(ports, drop, plan).key
    if laid is None:
        return False
    named = (
        now.promoted if now.state in (*PROMOTED, "promoting") else None,
        now.retracts if now.state != "rejecting" else None,
    )
    in_table = keys.is_table(laid.key)  # rows go out with all of the drop's, and come in once for each attempt
    here = any(one and one.key == laid.key and (in_table or one.attempt == laid.attempt) for one in named)
    return here and (key is None or drop.id in (key.promoting, key.promoted))
