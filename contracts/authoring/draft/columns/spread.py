"""The spread of the numbers of a column: its cells in, chunk by chunk; its quartiles, and bounds with room, out.

Half of all months have a value beyond the extremes of the month before. Bounds therefore leave as much room around the
middle half of the values as they have tails, and never less than the extremes themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import accumulate
from random import Random

MOST = 4_000
"""Cells that are kept of a column; of more, some are kept by chance (always the same ones)."""
LEAST = 20
"""Values from which on they carry a bound, a length, a null rate or a key: one value in 20 more is not surprising."""
FURTHEST = 90
"""The power of ten beyond which a number is not written as a bound."""
MOST_DIGITS = 90
"""Digits beyond which a number is not written as a bound: a contract's numbers have at most 100."""
FENCE = Decimal("1.5")
"""The distance of Tukey's inner fences from the quartiles, in distances of the quartiles from each other."""

Ends = tuple[Decimal, Decimal]


@dataclass(slots=True)
class KeptCells:
    """Cells of a column: all, or about one in `step` once there are many."""

    step: int = 1
    texts: list[str] = field(default_factory=list)
    chance: Random = field(default_factory=lambda: Random(0))

    def add(self, texts: Sequence[str]) -> None:
        """Keep cells of more."""
        self.texts += texts if self.step == 1 else self._some(texts, len(texts) // self.step)
        self._thin()

    def add_counted(self, counts: Mapping[str, int]) -> None:
        """Keep cells of texts with their counts."""
        total = sum(counts.values())
        if self.step == 1 and total <= MOST:
            self.add([text for text, count in counts.items() for _ in range(count)])
            return
        self.step = max(self.step, -(-total // MOST))
        self.texts += self.chance.choices([*counts], [*counts.values()], k=total // self.step)
        self._thin()

    def merge(self, other: KeptCells) -> None:
        """Keep cells of another part of the column."""
        step = max(self.step, other.step)
        self.texts = [
            *self._some(self.texts, len(self.texts) * self.step // step),
            *self._some(other.texts, len(other.texts) * other.step // step),
        ]
        self.step = step
        self._thin()

    def _some(self, texts: Sequence[str], count: int) -> Sequence[str]:
        return texts if count >= len(texts) else self.chance.choices(texts, k=count)

    def _thin(self) -> None:
        while len(self.texts) > MOST:
            self.step *= 2
            self.texts = [*self._some(self.texts, len(self.texts) // 2)]


def quartiles(counts: Mapping[str, int]) -> tuple[str, str]:
    """Return the numbers below which a quarter and three quarters of some numbers are; `counts` are not empty."""
    ascending = sorted(counts, key=Decimal)
    up_to = [*accumulate(counts[text] for text in ascending)]
    low, high = (
        next(text for text, most in zip(ascending, up_to, strict=True) if 4 * most >= share * up_to[-1])
        for share in (1, 3)
    )
    return low, high


def bounds(extremes: Ends, middle: Ends, *, room: Decimal, whole: bool, scale: int | None) -> Ends | None:
    """Return bounds around the extreme numbers, rounded outwards to the second digit of their difference.

    `room` is the distance to a bound beyond an extreme, in distances of the extreme from the quartile on its side; a
    bound is at least as many fences from the quartiles. It is never on the other side of zero than all numbers. None if
    they cannot be written.
    """
    (least, most), (first, third) = extremes, middle
    if any(abs(n.adjusted()) > FURTHEST or len(n.as_tuple().digits) > MOST_DIGITS for n in extremes):
        return None
    with localcontext(prec=100):
        low = min(least - room * (first - least), first - room * FENCE * (third - first))
        high = max(most + room * (most - third), third + room * FENCE * (third - first))
        low, high = (max(low, Decimal(0)) if least >= 0 else low), (min(high, Decimal(0)) if most <= 0 else high)
        step = Decimal(1).scaleb((high - low).adjusted() - 1) if high > low else Decimal(0)
        step = max(step, Decimal(1) if whole else Decimal(1).scaleb(-scale) if scale is not None else step)
        if not step:
            return low, high
        ends = (low / step).to_integral_value(ROUND_FLOOR) * step, (high / step).to_integral_value(ROUND_CEILING) * step
        return _plain(ends[0]), _plain(ends[1])


def _plain(number: Decimal) -> Decimal:
    """Return a number without exponent and trailing zeros."""
    return Decimal(f"{number.normalize():f}") if number else Decimal(0)
