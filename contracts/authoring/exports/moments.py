"""Dates and times as patterns of text: a property in, an ECMA-262 pattern of all valid texts out."""

from __future__ import annotations

import re

from contracts.plan import Property
from contracts.values.date_pattern import PIECE, literal

SPECIAL = set("\\^$.|?*+()[]{}")
LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
"""Years with a 29th of February; 0000 is one."""
DAYS = (
    ("[0-9]{4}", "(?:0[1-9]|1[0-2])", "(?:0[1-9]|1[0-9]|2[0-8])"),
    ("[0-9]{4}", "(?:0[13-9]|1[0-2])", "(?:29|30)"),
    ("[0-9]{4}", "(?:0[13578]|1[02])", "31"),
    (LEAP, "02", "29"),
)
"""Year, month and day of all valid days."""
HOUR, SIXTY = "(?:[01][0-9]|2[0-3])", "[0-5][0-9]"
OFFSETS = {
    "XXX": "(?:Z|[+-](?:(?:0[0-9]|1[0-7]):[0-5][0-9]|18:00))",
    "X": "(?:Z|[+-](?:(?:0[0-9]|1[0-7])(?:[0-5][0-9])?|18(?:00)?))",
}
DATE = ("yyyy", "MM", "dd")
ISO_DATE = "yyyy-MM-dd"
FRACTION = "(?:\\.[0-9]{1,6})"


def pattern(prop: Property) -> str:
    """Return the pattern of a date, timestamp or time; it also matches local times that clocks skip."""
    if prop.type == "time" and prop.format is None:
        return f"^{HOUR}:{SIXTY}(?::{SIXTY}{FRACTION}?)?$"
    if prop.type == "timestamp" and prop.format is None:
        offset = OFFSETS["XXX"] + ("" if prop.offset else "?")
        clock = f"[T ]{HOUR}:{SIXTY}:{SIXTY}{FRACTION}?{'' if prop.offset is False else offset}"
        return f"^{_days(ISO_DATE)}{clock}$"
    return f"^{_days(prop.format or ISO_DATE)}$"


def is_local(prop: Property) -> bool:
    """Return True if timestamps have no offset and the contract names no time zone."""
    return prop.offset is False and prop.zone is None


def one_text(prop: Property) -> bool:
    """Return True if each value has exactly one text, so that texts identify values."""
    if prop.type == "date":
        return True
    letters = [piece[0] for piece in PIECE.finditer(prop.format or "X") if piece[2]]
    return not any(letter.startswith("X") for letter in letters)


def _days(written: str) -> str:
    """Return the pattern of a java.time format, with each valid day for its date."""
    pieces = list(PIECE.finditer(written))
    dated = [n for n, piece in enumerate(pieces) if piece[0] in DATE]
    if not dated:
        return _parts(pieces, {})
    first, last = dated[0], dated[-1] + 1
    days = "|".join(_parts(pieces[first:last], dict(zip(DATE, day, strict=True))) for day in DAYS)
    return f"{_parts(pieces[:first], {})}(?:{days}){_parts(pieces[last:], {})}"


def _parts(pieces: list[re.Match[str]], day: dict[str, str]) -> str:
    patterns = {**day, "HH": HOUR, "mm": SIXTY, "ss": SIXTY, **OFFSETS}
    parts = []
    for piece in pieces:
        if not piece[2]:
            parts.append("".join(f"\\{c}" if c in SPECIAL else c for c in literal(piece)))
        elif piece[0].startswith("S"):
            parts.append(f"[0-9]{{{len(piece[0])}}}")
        else:
            parts.append(patterns[piece[0]])
    return "".join(parts)
