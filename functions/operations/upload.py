"""Announced uploads: a key, a size and the first bytes of a file in, its contract or the reasons against it out. Pure.

It is the verdict of the door before the transfer: the same checks on the bytes that are at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from contracts.plan import Plan
from contracts.problem import Problem
from functions import keys
from functions.admission.admit import SAMPLE, Admission, admit_name
from functions.admission.door import admit_upload, is_signal, room_for_key
from functions.admission.guarded import Fault, guarded
from functions.keys import Zones
from functions.ports.web.links import Checked


@dataclass(frozen=True, slots=True)
class AnnouncedUpload:
    """A file that somebody is about to upload; `head` are its first bytes, as many as the door reads."""

    name: str
    size: int
    head: bytes | None = None

    @property
    def is_whole(self) -> bool:
        """Return True if the head is the whole file."""
        return self.size == 0 or (self.head is not None and len(self.head) == self.size)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The faults that are known before the transfer, and the part that was checked; `refused`: it would be rejected."""

    problems: tuple[Problem, ...]
    checked: Checked
    refused: bool


class _BeyondHead(Exception):
    """The format's checks need bytes that were not sent."""


def head_length(size: int) -> int:
    """Return the number of bytes that a head has of a file."""
    return min(size, SAMPLE)


def check_upload(zones: Zones, plan: Plan, upload: AnnouncedUpload, now: datetime) -> Verdict:
    """Check an upload as far as its bytes are at hand."""
    by_name = admit_name(plan, upload.name, upload.size, room_for_key(zones))
    long = _too_long(zones, upload.name)
    signal = is_signal(plan, upload.name)
    admission, checked = _content(zones, plan, upload, now) or (Admission() if signal else by_name, "name")
    problems = (*long, *admission.problems)
    observed = plan.mode == "observe" and not signal and not by_name.refused
    return Verdict(problems, checked, bool(long) or (admission.refused and not observed))


def _content(zones: Zones, plan: Plan, upload: AnnouncedUpload, now: datetime) -> tuple[Admission, Checked] | None:
    """Return the admission by the bytes at hand; None if they do not suffice, or our own check fails."""
    if upload.head is None and upload.size:
        return None
    check = partial(admit_upload, zones, plan, upload.name, upload.size, now)
    try:
        admission = guarded(check, partial(_read, upload))
    except _BeyondHead:
        return None
    if isinstance(admission, Fault):
        return None
    return admission, "file" if upload.is_whole else "head"


def _read(upload: AnnouncedUpload, start: int, length: int) -> bytes:
    head = upload.head or b""
    if not upload.is_whole and start + length > len(head):
        raise _BeyondHead
    return head[start : start + length]


def _too_long(zones: Zones, name: str) -> tuple[Problem, ...]:
    over = len(f"{keys.split(zones.landing)[1]}{name}".encode()) - keys.LONGEST
    if over <= 0:
        return ()
    text = f"The key is {over:,} bytes longer than S3's keys may be."
    return (Problem("name-too-long", text, f"Shorten the file's name by {over:,} bytes or more."),)
