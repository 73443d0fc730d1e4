"""A change between two versions of a contract: the difference, its direction, and the sides that it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from contracts.authoring.document.versions import Step

Direction = Literal["none", "tightens", "loosens", "both"]
"""Of the files that a contract accepts: none, fewer, more, some fewer and some more."""
Level = Literal["none", "compatible", "breaking"]
"""For one side: only words change; the meaning changes and breaks nobody; it may break those who rely on it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: `kind` stable, `path` in the contract, `message` for people, and its place in the new file.

    From the producer's side it breaks if files that were accepted may be refused, from the consumer's if data may come
    that could not come before. `waived` is the reason for which it is let through all the same.
    """

    kind: str
    path: str
    message: str
    direction: Direction
    producer: Level
    consumer: Level
    file: str
    line: int
    column: int
    waived: str | None = None

    @property
    def name(self) -> str:
        """Return its name, by which people let it through."""
        return f"{self.kind}:{self.path}" if self.path else self.kind

    @property
    def breaks(self) -> bool:
        """Return True if the change may hurt the producer or the consumers."""
        return "breaking" in (self.producer, self.consumer)

    @property
    def step(self) -> Step:
        """The number of the version that it has to raise; a change that is waived has another meaning all the same."""
        if self.breaks:
            return "major" if self.waived is None else "minor"
        return "minor" if "compatible" in (self.producer, self.consumer) else "patch"


def direction(*, tightens: bool, loosens: bool) -> Direction:
    """The direction of a change that refuses files accepted before, or accepts files refused before."""
    if tightens:
        return "both" if loosens else "tightens"
    return "loosens" if loosens else "none"


def joined(several: Iterable[Direction]) -> Direction:
    """The direction of several changes together."""
    ways = set(several)
    return direction(tightens=bool(ways & {"tightens", "both"}), loosens=bool(ways & {"loosens", "both"}))


def turned(one: Direction) -> Direction:
    """The direction of the way back."""
    return direction(tightens=one in ("loosens", "both"), loosens=one in ("tightens", "both"))
