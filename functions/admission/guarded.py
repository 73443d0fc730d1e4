"""A wall around the checks of admission: a check and a way to read in; its answer, or the fault that it failed by, out.

The checks are pure, so each delivery of an event would fail by the same fault. An exception of a read passes the wall:
the read may succeed later.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from contracts.problem import Problem
from functions.admission.admit import Read

T = TypeVar("T")
CODE = "admission-failed"
FIX = (
    "Nothing is wrong with the file as far as we know; we fix the fault and judge it again. "
    "If it is urgent, write the file again with another program."
)


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception that no check foresaw: its type, and the place in dropgate that raised it."""

    type: str
    place: str

    @property
    def problem(self) -> Problem:
        """The fault as the problem of a drop."""
        text = f"The checks before the job failed by a fault in dropgate: {self.type} in {self.place}."
        return Problem(CODE, text, FIX)


def guarded(check: Callable[[Read], T], read: Read) -> T | Fault:
    """Return the answer of a check, or the fault that it failed by; what `read` raises is raised."""
    raised: list[Exception] = []

    def reading(start: int, length: int) -> bytes:
        try:
            return read(start, length)
        except Exception as error:
            raised.append(error)
            raise

    try:
        return check(reading)
    except Exception as error:
        if any(error is failure for failure in raised):
            raise
        frames = [(frame.f_globals.get("__name__", ""), line) for frame, line in traceback.walk_tb(error.__traceback__)]
        ours = [frame for frame in frames if frame[0].startswith(("functions.", "contracts."))]
        module, line = (ours or frames)[-1]  # which raised it, or called what did
        return Fault(type(error).__name__, f"{module}, line {line}")
