"""A problem: one thing that is wrong with a drop, said so that its producer can mend it."""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from contracts import codec
from contracts.place import Place

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault (`code` stable, `message` for people), its place, its fix, and the check that found it.

    No `place`: it is about the file as a whole.
    """

    code: str
    message: str
    fix: str
    level: Level = "error"
    place: Place | None = field(default=None, metadata=codec.FLAT)
    property: str | None = None
    check: str | None = None


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


def visible(text: str, most: int = 120) -> str:
    """Text of a stranger, safe on any screen: what would not show is written as an escape, what is too long is cut."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c == " " or unicodedata.category(c)[0] not in "CZ" else _escape(c) for c in cut)


def printable(document: str) -> str:
    """A JSON text that means the same, with an escape for each character of its strings that would not print."""
    if document.replace("\n", " ").isprintable():
        return document
    return "".join(c if c in " \n" or c.isprintable() else _in_json(c) for c in document)


def _in_json(character: str) -> str:
    """A character as JSON escapes it, beyond the first plane by two surrogates (RFC 8259, section 7)."""
    return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"


def _escape(character: str) -> str:
    """Control, formatting and blank characters other than the space, as a programmer writes them."""
    return {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(character) or f"\\u{ord(character):04x}"
