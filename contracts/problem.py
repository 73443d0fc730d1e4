"""A problem: one thing that is wrong with a drop, said so that its producer can mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong (`code` stable, `message` for people), where, and how to fix it."""

    code: str
    message: str
    fix: str
    level: Level = "error"
    record: int | None = None
    property: str | None = None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` most likely stands for, case aside first; None if nothing is close."""
    choices = list(known)
    for choice in choices:
        if choice.casefold() == name.casefold():
            return choice
    found = difflib.get_close_matches(name, choices, n=1, cutoff=0.6)
    return found[0] if found else None


def quoted(names: Iterable[str], most: int = 8) -> str:
    """Names for a sentence: `a`, `b` and 3 more."""
    every = [f"`{n}`" for n in names]
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")
