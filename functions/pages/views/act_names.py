"""Names of acts: a state of a drop in, the acts that an operator may try on it out; nothing that acts is loaded."""

from __future__ import annotations

from typing import Literal

from functions.drop import TRANSITIONS

ActName = Literal["replay", "accept", "reject", "pause", "resume"]
OF_DROPS: tuple[ActName, ...] = ("replay", "accept", "reject")


def possible(drop_state: str) -> list[ActName]:
    """Return the acts that the table of states has for a drop in a state."""
    events = TRANSITIONS.get(drop_state, {})  # type: ignore[call-overload]
    by_event = {
        "replayed": "replay",
        "replayed_to_retract": "replay",
        "accepted_by_person": "accept",
        "rejected_by_person": "reject",
    }
    wanted = {by_event[event] for event in events if event in by_event}
    return [act for act in OF_DROPS if act in wanted]
