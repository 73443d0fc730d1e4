"""Two things run in turn, the seconds of both in; a line of a table out.

A machine whose speed drifts slows both, so the ratio of their medians is the result.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

WARM, ROUNDS = 2, 5
LONG = (1, 3)
"""The same for long work: rounds of warm-up, measured rounds."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: the work, the seconds of yardstick and job in each round, the bound of their ratio."""

    what: str
    pairs: tuple[tuple[float, float], ...]
    bound: float | None = None
    unit: str = "s"

    @property
    def yardstick(self) -> float:
        """The yardstick's median."""
        return statistics.median(first for first, _ in self.pairs)

    @property
    def job(self) -> float:
        """The job's median."""
        return statistics.median(second for _, second in self.pairs)

    @property
    def ratio(self) -> float:
        """Return the time of the job as a multiple of the yardstick's time."""
        return self.job / self.yardstick

    @property
    def met(self) -> str:
        """Return `yes` or `**no**`: `yes` if the ratio is within its bound."""
        return "-" if self.bound is None else "yes" if self.ratio <= self.bound else "**no**"

    def __str__(self) -> str:
        yardstick, job = (
            f"{figure:,.{2 if self.unit == 's' else 0}f} {self.unit}" for figure in (self.yardstick, self.job)
        )
        first = self.pairs[0][1] / self.pairs[0][0]
        bound = "-" if self.bound is None else f"{self.bound:g}"
        return f"| {self.what} | {job} | {yardstick} | **{self.ratio:.2f}** | {first:.2f} | {bound} | {self.met} |"


def alternate(
    first: Callable[[], object], second: Callable[[], object], warm: int = WARM, rounds: int = ROUNDS
) -> tuple[tuple[float, float], ...]:
    """The seconds of both in each round after the warm-up, run in turn."""
    return tuple((timed(first), timed(second)) for _ in range(warm + rounds))[warm:]


def timed(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def say(text: str) -> None:
    """Print progress with the time of day: a whole run takes long."""
    print(f"{time.strftime('%H:%M:%S')}  {text}", file=sys.stderr, flush=True)  # noqa: T201 (a program for the terminal)
