"""The door: a plan, an upload's name, size and time, and a way to read its bytes in; its admission out. Pure.

The flow asks it about each new object, the API about a file that somebody is about to upload.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from contracts.catalog import Ambiguous, Unmatched, example
from contracts.plan import Plan
from contracts.problem import Problem, quoted
from functions import keys
from functions.admission import arrival_window, manifest
from functions.admission.admit import Admission, Read, admit
from functions.keys import Zones


def admit_upload(zones: Zones, plan: Plan, name: str, size: int, moment: datetime, read: Read) -> Admission:
    """Check an upload of a moment: a data file, or the marker or manifest of a set."""
    if is_signal(plan, name):
        text = read(0, manifest.LARGEST + 1) if plan.set and plan.set.manifest else b""
        wrong = manifest.read(text, name, plan.set.sums) if plan.set and plan.set.manifest else None
        return Admission((wrong,) if isinstance(wrong, Problem) else ())
    admission = admit(plan, name, size, read, room_for_key(zones))
    return replace(admission, problems=(*admission.problems, *arrival_window.problems(plan, moment)))


def is_signal(plan: Plan, name: str) -> bool:
    """Return True if a name is that of a marker or manifest of its contract's sets."""
    return plan.set is not None and plan.set.is_signal(name)


def room_for_key(zones: Zones) -> int:
    """Return the bytes that the promoted zone leaves for a key."""
    return keys.LONGEST - len(keys.split(zones.promoted)[1].encode())


def why_unclaimed(match: Unmatched | Ambiguous) -> Problem:
    """Return the problem of a key that no contract claims, or more than one."""
    if isinstance(match, Ambiguous):
        claimed = f"More than one contract claims the key: {quoted(match.contracts)}"
        fix = "Change nothing in the file: the contracts' owners must narrow their patterns, then it is judged."
        return Problem("ambiguous", f"{claimed}; dropgate does not guess which is meant.", fix)
    fix = (
        f"Upload it under a key like `{example(match.pattern)}`."
        if match.pattern
        else "Ask for a contract that covers this key."
    )
    return Problem("unmatched", f"No contract claims the key: {match.reason}.", fix)
