"""Text in another encoding than the agreed one, where that has a character for every byte: counts in, problem out.

ISO-8859-1 has a character for each byte, so that no byte is wrong by itself. UTF-8 is recognised by its sequences of
bytes, windows-1252 by the bytes 0x80 to 0x9F, which are invisible control characters in ISO-8859-1. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.plan import Csv
from contracts.problem import Level, Problem

CODE = "mojibake"
AMBIGUOUS = ("iso-8859-1",)
"""The encodings in which every byte is a character."""
SEQUENCE = (
    "[\\x{c2}\\x{c3}][\\x{80}-\\x{bf}]"
    "|[\\x{c4}-\\x{df}][\\x{80}-\\x{9f}\\x{a1}-\\x{ba}\\x{bc}-\\x{bf}]"
    "|[\\x{e0}-\\x{ef}][\\x{80}-\\x{bf}]{2}|[\\x{f0}-\\x{f4}][\\x{80}-\\x{bf}]{3}"
)
"""A pattern (Java) of UTF-8 that was read as ISO-8859-1, of a text that is valid UTF-8 as a whole.

Other capital letters before a no-break space or a closing guillemet, as in `CAFÉ »`, are what French writes.
"""
CONTROL = "[\\x{80}-\\x{9f}]"
"""A pattern (Java) of the characters that windows-1252 has and ISO-8859-1 lacks."""


@dataclass(frozen=True, slots=True)
class Letters:
    """How many records hold UTF-8 (`utf8`), and how many of the others hold characters of windows-1252 (`ansi`)."""

    utf8: int = 0
    ansi: int = 0


def is_watched(csv: Csv) -> bool:
    """Tell whether records are looked at for text of another encoding."""
    return csv.encoding in AMBIGUOUS and csv.mojibake != "ignore"


def problem(csv: Csv, letters: Letters | None) -> Problem | None:
    """Return what is wrong with the encoding of a file; None where nothing is, or nobody asks."""
    if letters is None or not is_watched(csv) or not (letters.utf8 or letters.ansi):
        return None
    agreed = csv.encoding.upper()
    level: Level = "error" if csv.mojibake == "reject" else "warning"
    count = letters.utf8 or letters.ansi
    some = f"{count:,} record{' is' if count == 1 else 's are'}"
    if letters.utf8:
        text = f"{some} written in UTF-8; agreed is {agreed}, in which `é` would be read as `Ã©`."
        other = "whether `encoding: utf-8` was meant"
    else:
        text = (
            f"{some} written in windows-1252, with bytes from 0x80 to 0x9F, as `€` or `“` have there; "
            f"agreed is {agreed}, in which these are control characters."
        )
        other = "for `mojibake: warn`"
    fix = f"Write the whole file in {agreed}, or ask the contract's owner {other}."
    return Problem(CODE, text, fix, level)
