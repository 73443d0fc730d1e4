"""Arrival of an upload compared with its contract's window: a plan and a time in, problems out. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from contracts.plan import Plan
from contracts.problem import Level, Problem
from contracts.terms.arrival import Outside
from functions.drop import SECONDS, Drop

CODES: dict[Outside, str] = {"early": "arrived-early", "late": "arrived-late", "other-day": "arrived-other-day"}


def uploaded(drop: Drop) -> datetime:
    """Return when a drop was uploaded, in whole seconds: by S3's time, or by ours if S3 gave none."""
    return datetime.fromisoformat((drop.uploaded_at or drop.received_at)[:SECONDS]).replace(tzinfo=UTC)


def problems(plan: Plan, moment: datetime) -> tuple[Problem, ...]:
    """Return the problems of an upload at that moment; none if its contract has no window."""
    wanted = plan.arrival
    if wanted is None or (how := wanted.outside_of(moment)) is None:
        return ()
    local = f"{wanted.local(moment):%A, %Y-%m-%d %H:%M:%S} ({wanted.zone})"
    agreed = f"from {wanted.since}" if how == "early" else f"by {wanted.by}"
    text = f"The file came {how}, on {local}; the contract's window is {agreed}."
    if how == "other-day":
        text = f"The file came on {local}; the contract names the days {', '.join(wanted.days)}."
    window = f"{wanted.since} to {wanted.by} {wanted.zone}"
    again = (
        "Upload it again within the window" if how == "early" else "Ask the contract's owner to let this one through"
    )
    fix = f"{again}; it is {window}."
    if wanted.outside == "warn":
        fix = f"Change nothing in the file; send the next files from {window}."
    level: Level = "error" if wanted.outside == "reject" else "warning"
    return (Problem(CODES[how], text, fix, level),)
