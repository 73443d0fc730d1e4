"""The pieces of a date or timestamp pattern (java.time): runs of one letter, quoted text, any other character."""

from __future__ import annotations

import re

PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']|'")
"""Group 1 is the text between quotes, group 2 the letter of a run."""


def literal(piece: re.Match[str]) -> str:
    """Return the literal text of a piece that is not a run of letters."""
    return piece[0] if piece[1] is None else piece[1].replace("''", "'") or "'"
