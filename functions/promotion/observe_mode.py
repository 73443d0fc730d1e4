"""Promotion of drops that admission refused, if their contract only observes. Pure."""

from __future__ import annotations

from contracts.plan import Plan
from functions import keys
from functions.drop import ABOUT_OTHERS, Drop
from functions.keys import Zones


def promotable_when_observing(zones: Zones, plan: Plan, drop: Drop) -> bool:
    """Return True if a refused and held drop is promoted: only its verdict is against it, and the contract observes."""
    refused = drop.state == "rejecting" and drop.batch is None and drop.override is None
    held = drop.source.uri == keys.held_uri(zones, drop.id)
    barred = any(p.code in ABOUT_OTHERS for p in drop.problems)
    signal = plan.set is not None and plan.set.is_signal(drop.name)  # it names files, and is not one of them
    return plan.mode == "observe" and refused and held and not barred and not signal and fits(zones, plan, drop)


def fits(zones: Zones, plan: Plan, drop: Drop) -> bool:
    """Return True if the promoted key of a drop is short enough."""
    target = f"{zones.promoted}{keys.promoted_key(plan, drop.id, drop.name)}"
    return len(keys.split(target)[1].encode("utf-8", "surrogatepass")) <= keys.LONGEST
