"""Bars over time: a value for each file in, the places of bars in a drawing out, the oldest file first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STEP, WIDTH, HEIGHT = 10, 8, 100
"""The width of a file's place and of its bar, and the height of the highest bar."""
LEAST = 2
"""The height of the smallest bar that is more than nothing."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from `y` down to the ground, with a second part of `above` on it; `text` says its numbers."""

    x: int
    y: int
    height: int
    above: int
    text: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars in a drawing of so many units; `highest` is the value of a bar of full height."""

    width: int
    bars: tuple[Bar, ...]
    highest: float


def bar_chart(values: Sequence[tuple[float | None, float, str]]) -> BarChart:
    """Return the bars of values: the lower part, the part above it, and a text; None has no bar."""
    highest = max((lower + above for lower, above, _ in values if lower is not None), default=0.0)
    bars = tuple(
        _bar(n, lower, above, highest, text) for n, (lower, above, text) in enumerate(values) if lower is not None
    )
    return BarChart(max(len(values), 1) * STEP, bars, highest)


def _bar(place: int, lower: float, above: float, highest: float, text: str) -> Bar:
    low, high = (_height(part, highest) for part in (lower, above))
    low = min(low, HEIGHT - high)
    return Bar(place * STEP + (STEP - WIDTH) // 2, HEIGHT - low, low, high, text)


def _height(value: float, highest: float) -> int:
    return max(LEAST, round(value / highest * HEIGHT)) if value and highest else 0
