"""A problem: one fault of a drop, in words with which its producer can repair it."""

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
ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
"""The escapes of the most frequent control characters."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault (`code` stable, `message` for people), its place, its fix, and its check.

    Without `place` it concerns the file as a whole.
    """

    code: str
    message: str
    fix: str
    level: Level = "error"
    place: Place | None = field(default=None, metadata=codec.FLAT)
    property: str | None = None
    check: str | None = None


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that `name` most likely stands for; None if none is close."""
    choices = list(candidates)
    for choice in choices:
        if choice.casefold() == name.casefold():
            return choice
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.6)
    return close[0] if close else None


def quoted(names: Iterable[str], most: int = 8) -> str:
    """Return names for a sentence: `a`, `b` and 3 more."""
    every = [f"`{n}`" for n in names]
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")


def visible(text: str, most: int = 120) -> str:
    """Return untrusted text for any screen: invisible characters are escaped, long text is cut."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(
        c if c == " " or unicodedata.category(c)[0] not in "CZ" else ESCAPES.get(c, f"\\u{ord(c):04x}") for c in cut
    )


def printable(document: str) -> str:
    """Return an equal JSON text with an escape for each character of its strings that is not printable.

    A character beyond the first plane becomes two surrogates (RFC 8259, section 7).
    """
    if document.replace("\n", " ").isprintable():
        return document
    escaped = "".join(c if c in " \n" or c.isprintable() else json.dumps(c)[1:-1] for c in document)
    return escaped.replace("\x7f", "\\u007f")  # the one such character that JSON does not escape
