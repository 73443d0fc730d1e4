"""The pieces of a date or timestamp pattern (java.time): runs of one letter, quoted text, any other character."""

from __future__ import annotations

import re

PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']|'")
"""Group 1 is the text between quotes, group 2 the letter of a run."""


def literal(piece: re.Match[str]) -> str:
    """What a piece that is no run of letters stands for."""
    return piece[0] if piece[1] is None else piece[1].replace("''", "'") or "'"
