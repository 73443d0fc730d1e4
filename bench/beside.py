"""Contests: the same files before us and before rivals, in turn; seconds and counts of both in, lines of a table out.

A rival's counts of failing rows are compared with ours, check by check and file by file; its line names each
difference.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import say
from bench.rivals.answering import Counts

ROUNDS = 3
Judge = Callable[[Path], tuple[float, Counts]]
"""A file in, the seconds that it took and the failing rows by check out."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another tool that judges files: the checks it leaves out and why, our bound against it, and its output."""

    name: str
    judge: Judge
    cannot: Mapping[str, str]
    bound: float | None
    writes: str


@dataclass(frozen=True, slots=True)
class Duel:
    """A measured comparison: the seconds of both in each round that counts, the equal checks, and the differences."""

    rival: Rival
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    agree: int
    differences: tuple[str, ...]

    def __str__(self) -> str:
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        bound = "-" if self.rival.bound is None else f"{self.rival.bound:g}"
        met = "-" if self.rival.bound is None else "yes" if theirs / ours >= self.rival.bound else "**no**"
        counts = "; ".join((f"{self.agree} agree" if self.agree else "-", *self.differences))
        figures = f"{theirs:.2f} s | {ours:.2f} s | **{theirs / ours:.2f}** | {bound} | {met}"
        return f"| {self.rival.name} | {figures} | {counts} | {self.rival.writes} |"


def contest(ours: Judge, rivals: Sequence[Rival], warm: Sequence[Path], file: Path) -> list[Duel]:
    """Run all in turn, over the files of the warm-up and then some rounds over one file."""
    seconds: list[list[float]] = [[] for _ in (None, *rivals)]
    agree: list[set[str]] = [set() for _ in rivals]
    differences: list[dict[str, str]] = [{} for _ in rivals]
    say(f"  in turn: ours, {', '.join(rival.name for rival in rivals)}")
    for one in (*warm, *[file] * ROUNDS):
        took, right = ours(one)
        seconds[0].append(took)
        for n, rival in enumerate(rivals):
            took, counts = rival.judge(one)
            seconds[n + 1].append(took)
            agree[n] |= right.keys() - rival.cannot.keys()
            differences[n] |= differing(right, counts, rival.cannot)
        say(f"  {one.name}: " + ", ".join(f"{s[-1]:.2f} s" for s in seconds))
    counted = [tuple(s[-ROUNDS:]) for s in seconds]
    return [
        Duel(rival, counted[0], counted[n + 1], len(agree[n] - differences[n].keys()), tuple(differences[n].values()))
        for n, rival in enumerate(rivals)
    ]


def differing(ours: Mapping[str, int], theirs: Counts, cannot: Mapping[str, str]) -> dict[str, str]:
    """Return by check how a rival's count differs from ours; its rule of several checks must have the sum of ours."""
    rules = {check: rule for rule in theirs for check in rule.split("+")}
    differences = {}
    for check in ours.keys() - cannot.keys():
        rule = rules.get(check)
        expected = sum(ours[part] for part in (rule or check).split("+"))
        if rule is None:
            differences[check] = f"`{check}`: not evaluated"
        elif theirs[rule] != expected:
            differences[check] = f"`{rule}`: {theirs[rule]:,} rows, ours {expected:,}"
    return differences
