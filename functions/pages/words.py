"""Words and tones of pages: states and numbers in, what people read out. Pure."""

from __future__ import annotations

from datetime import datetime

from functions.drop import PROMOTED
from functions.ports.clock import moment_if_any

TONES = {
    "accepted": "good",
    "accepted_with_warnings": "warn",
    "observed": "warn",
    "rejected": "bad",
    "failed": "ours",
    "unmatched": "ours",
    "superseded": "idle",
    "vanished": "idle",
    "noted": "idle",
    "tried": "idle",
}
"""The tones of the states in which a drop stays; a drop in another state is on its way."""
MEANINGS = {
    "received": "It has arrived.",
    "gathering": "It waits for the other files of its set.",
    "staged": "It waits for its check.",
    "validating": "It is being checked.",
    "promoting": "It is on its way to its consumers.",
    "rejecting": "Its receipt is being written.",
    "accepted": "Consumers have it.",
    "accepted_with_warnings": "Consumers have it. See the warnings before the next file.",
    "observed": "Consumers have it with its errors, as the contract is not enforced yet.",
    "rejected": "Consumers do not have it. Correct the file and send it again under the same name.",
    "failed": "We could not check it. Do not send it again: we find the cause.",
    "unmatched": "No contract claims its name, so it was not checked.",
    "vanished": "It was gone before it could be read.",
    "superseded": "A newer file of the same name has been accepted.",
    "noted": "It tells about other files, and is not checked itself.",
    "tried": "It was a trial: consumers got nothing of it. Its receipt has the verdict.",
}
DONE = {
    "replay": "Recorded: the file is judged again within minutes.",
    "accept": "Recorded: consumers get the file within minutes.",
    "reject": "Recorded: the file is rejected within minutes.",
    "pause": "Paused: no new check of its files begins.",
    "resume": "Resumed: the files that waited are checked within minutes.",
}
"""The result of an act, in a sentence."""
UNITS = ("B", "kB", "MB", "GB", "TB")


def words(name: str) -> str:
    """Return a state or an event as words."""
    return name.replace("_", " ")


def tone(state: str) -> str:
    """Return the tone of a state."""
    return TONES.get(state, "busy")


def meaning(state: str) -> str:
    """Return what a state means for the producer, in a sentence."""
    return MEANINGS[state]


def done_words(act: str) -> str | None:
    """Return the sentence about an act that was recorded; None if the text names none."""
    return DONE.get(act)


def has_consumers(state: str) -> bool:
    """Return True if consumers have a drop of this state."""
    return state in PROMOTED


def promise_tone(state: str) -> str:
    """Return the tone of the state of a promise."""
    return {"met": "good", "at_risk": "warn", "missed": "bad"}.get(state, "idle")


def since(stamp: str, now: datetime) -> str:
    """Return how long ago a stamp was, roughly."""
    moment = moment_if_any(stamp)
    minutes = int((now - moment).total_seconds() // 60) if moment else 0
    for unit, length in (("day", 1440), ("hour", 60), ("minute", 1)):
        if count := minutes // length:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now" if moment else ""


def size(count: int) -> str:
    """Return a number of bytes with its unit."""
    value = float(count)
    for unit in UNITS:
        if value < 1000 or unit == UNITS[-1]:
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def lasting(seconds: float) -> str:
    """Return a duration in words, roughly."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.1f} s"
