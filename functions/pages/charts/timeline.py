"""The timeline of a drop: the steps of its history in, a bar for each step on the time of its attempt out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from functions.api.models.drops import HistoryStep
from functions.drop import OPEN
from functions.pages.words import lasting
from functions.ports.clock import moment_if_any

WIDTH = 1000
LEAST = 6
"""The width of the drawing, and of its smallest bar."""


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """A step with its bar, from `x` on; a step in which the drop stays is a mark of the smallest width."""

    step: HistoryStep
    x: int
    width: int
    at: str
    """The time since the attempt began, in words."""


def timeline(steps: Sequence[HistoryStep]) -> list[TimelineBar]:
    """Return a bar for each step; each attempt has a scale of its own, from its first step to its last."""
    return [bar for _, attempt in groupby(steps, key=lambda step: step.attempt) for bar in _bars(list(attempt))]


def _bars(steps: Sequence[HistoryStep]) -> list[TimelineBar]:
    begins = [moment_if_any(step.at) for step in steps]
    first = begins[0]
    offsets = [(begin - first).total_seconds() if begin and first else 0.0 for begin in begins]
    ends = [
        after if step.state in OPEN else begin
        for step, begin, after in zip(steps, offsets, [*offsets[1:], 0.0], strict=True)
    ]
    whole = max((*offsets, *ends, 0.001))
    bars = []
    for step, begin, end in zip(steps, offsets, ends, strict=True):
        x = min(round(begin / whole * WIDTH), WIDTH - LEAST)
        bars.append(TimelineBar(step, x, max(LEAST, round((end - begin) / whole * WIDTH)), lasting(begin)))
    return bars
