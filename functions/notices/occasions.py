"""The occasions of an event: an event in, what people may hear of it out. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from contracts.terms.notices import Occasion
from functions.drop import SECONDS
from functions.ports.notices import Trouble

if TYPE_CHECKING:
    from functions.events.drop_event import DropEvent, EventState

OF_STATES: Mapping[EventState, Occasion] = {
    "rejected": "rejected",
    "failed": "failed",
    "accepted": "accepted",
    "accepted_with_warnings": "warning",
    "observed": "warning",
    "missing": "missing",
    "arrived": "recovered",
    "unmatched": "unmatched",
    "missed": "stale",
    "met": "recovered",
}
"""The occasion of each state that people may hear of."""
OUTSIDE = frozenset({"arrived-early", "arrived-late", "arrived-other-day"})
"""The codes of the problem of a file that comes outside of its window."""
MARKER = "folder-marker"
"""The code of an empty object that stands for a folder: nobody has sent a file."""
LATER_STEPS = frozenset({"receipt_written", "forgetting", "forgotten"})
"""Events that leave a state as it is: people have heard of that."""
TROUBLES: frozenset[Occasion] = frozenset({"rejected", "failed", "missing", "stale"})
"""The occasions that last until there is a recovery."""
ENDS: frozenset[Occasion] = frozenset({"accepted", "warning", "recovered"})
"""The occasions by which they end."""

RIVALS: tuple[frozenset[Occasion], ...] = (
    frozenset({"rejected", "failed", "accepted", "warning", "late"}),
    frozenset({"missing", "stale", "recovered"}),
)
"""The occasions that one thing may have, one after the other: a drop in its attempts; a day, or a promise."""


def occasions(event: DropEvent) -> tuple[Occasion, ...]:
    """Return the occasions of an event, the most telling first; none if it is nothing for people."""
    data = event.data
    occasion = OF_STATES.get(data.state)
    if occasion is None or data.trial or data.event in LATER_STEPS:
        return ()
    if any(problem.code == MARKER for problem in data.problems):
        return ()
    late: tuple[Occasion, ...] = ("late",) if any(problem.code in OUTSIDE for problem in data.problems) else ()
    return (occasion, *late)


def heard(
    of: tuple[Occasion, ...], on: Collection[Occasion], *, in_trouble: bool, always: bool = False
) -> Occasion | None:
    """Return the occasion of those of an event that a channel hears of; None if it hears of none.

    `in_trouble`: the channel has heard that the same thing is in trouble, so that what ends this is a recovery.
    `always`: it is one in any case, as of files that came before people could hear that they were missing.
    """
    if of[0] in ENDS and (in_trouble or always) and "recovered" in on:
        return "recovered"
    return next((occasion for occasion in of if occasion in on and occasion != "recovered"), None)


def passes_by(event: DropEvent, on: Collection[Occasion]) -> bool:
    """Return True if a channel that hears nothing of a state may still get an older one of the same thing.

    A drop has one such state an attempt, so before that of its first attempt there is none.
    """
    occasion = OF_STATES[event.data.state]
    rivals = next((group for group in RIVALS if occasion in group), frozenset())
    return event.data.attempt != 1 and bool(rivals & set(on))


def trouble(occasion: Occasion) -> Trouble | None:
    """Return what a notice changes in what is in trouble."""
    if occasion in TROUBLES:
        return "begins"
    return "ends" if occasion in ENDS else None


def upload(event: DropEvent) -> str:
    """Return the second in which the file of an event was uploaded; empty if it is of no file, or nobody knows."""
    return (event.data.uploaded_at or "")[:SECONDS]


def topic(event: DropEvent) -> str:
    """Return what is in trouble until it recovers: the key of a drop, the day of missing files, or a promise."""
    data = event.data
    if data.promise:
        return data.promise.name
    return data.missing.day if data.missing else data.key or event.subject
