"""One thing that is not as another says, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

PAGE = 100
"""Objects and drops that are looked at together."""
GRACE = timedelta(minutes=15)
"""How long whoever is at something is left alone."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as another says: its kind, where, what is found, what to do, and what does it."""

    kind: str
    where: str
    found: str
    do: str
    repair: Callable[[], object] | None = field(default=None, compare=False)
