"""Withdrawal of promoted data from consumers: a drop in, True if its data is withdrawn out.

The key is taken first, so that no other upload of it is promoted meanwhile. Then the object is hidden, on condition
that it is still ours. Then the key is free, and holds nothing: an older object does not come back by itself. After a
crash anywhere the withdrawal can be repeated. A worker that stalled before its copy may copy after all that: it
withdraws its copy again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from contracts.errors import DropgateError, StaleWrite
from contracts.plan import Plan
from functions import keys
from functions.drop import PROMOTED, Drop, Location, Retraction
from functions.ports import Ports
from functions.ports.lineages import Lineage
from functions.ports.store import CopyTag
from functions.promotion.lineage import TRIES, claims_of
from functions.records.record import reread


def withdraw(ports: Ports, drop: Drop) -> bool:
    """Withdraw what a drop retracts; False while another upload of its key is promoted, or if the drop has changed."""
    former = drop.retracts
    if former is None:
        return True
    plan = ports.catalog.plan(former.plan)
    held: set[str] = set()  # the claims that a drop keeps while it is being promoted to another key
    if drop.state == "promoting" and drop.plan:
        held = {claim.id for claim in claims_of(ports, drop, ports.catalog.plan(drop.plan), unseen=True).each}
    for _ in range(TRIES):
        mine = claims_of(ports, drop, plan).of(drop)
        if reread(ports, drop).version != drop.version:
            return False  # somebody was faster, and the key may be a later attempt's by now
        if any(claim.promoting not in (None, drop.id) for claim in mine):
            return False
        taken = tuple(replace(claim, promoting=drop.id) for claim in mine)
        freed = tuple(
            Lineage(claim.id, drop.id if claim.id in held else None, version=claim.version + 1) for claim in mine
        )
        try:
            if taken:
                ports.ledger.write((), *taken)
            withdraw_data(ports, drop, former)
            if freed:
                ports.ledger.write((), *freed)
        except StaleWrite:
            continue
        return True
    return False


def withdraw_data(ports: Ports, drop: Drop, former: Retraction) -> None:
    """Hide the object that an attempt promoted, if it is still there; or take its rows out of a table, no others."""
    target = Location(f"{ports.zones.promoted}{former.key}")
    if keys.is_table(former.key):
        # If this comes late, the rows of an attempt after it stay.
        later = max(drop.attempt, former.attempt + 1)
        ports.tables.withdraw(target.uri, CopyTag(drop.id, former.attempt), later)
        return
    stat = ports.store.head(target)
    if stat and (stat.drop, stat.attempt) == (drop.id, former.attempt):
        ports.store.withdraw(replace(target, etag=stat.etag))


@contextmanager
def withdrawing_late_copies(ports: Ports, plan: Plan, drop: Drop) -> Iterator[None]:
    """Withdraw a copy that was made within, after an error, if consumers may not read it by now."""
    try:
        yield
    except DropgateError:
        reread_and_withdraw(ports, plan, drop)
        raise


def reread_and_withdraw(ports: Ports, plan: Plan, drop: Drop) -> Drop:
    """Return the drop as it is now; withdraw a copy that came late, if consumers may not read it by now."""
    if (now := reread(ports, drop)).version != drop.version:
        withdraw_unless_named(ports, plan, drop, now)
    return now


def withdraw_unless_named(ports: Ports, plan: Plan, drop: Drop, now: Drop) -> bool:
    """Withdraw what a slow worker promoted of a drop, unless its current record names it; True if it was withdrawn."""
    late = drop.promoted
    if late is None or is_named(ports, plan, drop, now):
        return False
    withdraw_data(ports, drop, Retraction(late.key, late.attempt, plan.sha))
    return True


def is_named(ports: Ports, plan: Plan, drop: Drop, now: Drop) -> bool:
    """Return True if consumers should read what was promoted of a drop, by its current record and by its key."""
    promoted, key = drop.promoted, claims_of(ports, drop, plan).key
    if promoted is None:
        return False
    named = (
        now.promoted if now.state in (*PROMOTED, "promoting") else None,
        now.retracts if now.state != "rejecting" else None,
    )
    in_table = keys.is_table(promoted.key)  # rows go out with all of the drop's, and come in once for each attempt
    here = any(at and at.key == promoted.key and (in_table or at.attempt == promoted.attempt) for at in named)
    return here and (key is None or drop.id in (key.promoting, key.promoted))
