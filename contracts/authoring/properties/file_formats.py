"""Formats in which files write dates and times: a format of a contract in, its fault or none out.

They have more letters than the formats of the standard (`datetimes`): `d`, `M`, `yy`, names of months and days, hours
up to 12, days of a year. A word stands for a count of seconds or days.
"""

from __future__ import annotations

import re

from contracts.authoring.properties.datetimes import Fault
from contracts.authoring.properties.other_patterns import DIRECTIVE, LOCAL, STRPTIME, is_of_both, is_of_directives
from contracts.values.date_formats import COUNTS, DATE_UNITS, DateFormats, units
from contracts.values.date_overlap import shared
from contracts.values.date_pattern import PIECE

LETTERS = (
    "Use yyyy, yy, M, MM, MMM, MMMM, d, dd, DDD, EEE, EEEE, H, HH, h, hh, mm, ss, S, a, X and XXX; other letters in "
    "quotes, as 'T'."
)
WORDS = f"Write one of {', '.join(f'`{word}`' for word in COUNTS)}, or a pattern."
NO_PATTERN = re.compile(r"(?i)epoch.*|unix.*|posix.*|milli.*|seconds?|excel.*|serial.*|days?|[0-9]*")
DIRECTIVES = STRPTIME | {
    "d": "dd", "-d": "d", "e": "d", "-m": "M", "y": "yy", "b": "MMM", "h": "MMM", "B": "MMMM", "a": "EEE", "A": "EEEE",
    "j": "DDD", "-H": "H", "I": "hh", "-I": "h", "l": "h", "p": "a", "z": "X",
}  # fmt: skip
"""Directives of strptime, of strftime in C and of MySQL, and the letters for them."""
TOKEN = re.compile(
    r"'(?:[^']|'')*'|am/pm|month|mon|hh24|hh12|mi|ff[1-6]?|day|dy|am|pm|tt|tzh:tzm|([a-z])\1*|[^a-z]", re.IGNORECASE
)
WHOLE = {
    "am/pm": "a", "am": "a", "pm": "a", "tt": "a", "a": "a", "month": "MMMM", "mon": "MMM", "hh24": "HH", "hh12": "hh",
    "mi": "mm", "ff": "SSSSSS", "day": "EEEE", "dy": "EEE", "ddd": "EEE", "dddd": "EEEE", "tzh:tzm": "XXX", "t": "'T'",
    **{f"ff{n}": "S" * n for n in range(1, 7)},
}  # fmt: skip
"""Tokens of SQL, .NET and spreadsheets, and the letters for them."""
RUNS = {"y": "y", "j": "y", "u": "y", "r": "y", "d": "d", "g": "d", "m": "M", "s": "s", "h": "h", "k": "h", "e": "E",
        "f": "S", "z": "X", "x": "X"}  # fmt: skip
"""The letter for a run of letters of any case."""


def fault(pattern: str) -> Fault | None:
    """Return why a format of files cannot be used; None if it can. The fix of another tool's is its translation."""
    if pattern in COUNTS:
        return None
    wrong = _fault(pattern)
    if wrong is None:
        return None
    if NO_PATTERN.fullmatch(pattern):
        return Fault(wrong.message, WORDS)
    if is_of_directives(pattern) and not is_of_both(pattern):
        parts = [
            DIRECTIVES.get(piece["name"]) if piece["name"] else f"'{piece['text']}'" if piece["text"] else piece["sign"]
            for piece in DIRECTIVE.finditer(pattern)
        ]
        meant = "".join(part for part in parts if part) if None not in parts else None
    else:
        meant = _of_letters(pattern.replace("%", ""))
    if meant and meant != pattern and not _fault(meant):
        return Fault(wrong.message, f"Write `{meant}`.")
    return wrong


def _fault(pattern: str) -> Fault | None:
    for piece in PIECE.finditer(pattern):
        if piece[0] == "'":
            return Fault(f"A quote in `{pattern}` is not closed.", "Close it, or write '' for a quote.")
        if piece[2] and not units(piece[0]):
            return Fault(f"`{pattern}` has `{piece[0]}`, which stands for no part of a date or a time.", LETTERS)
    every = units(pattern)
    if twice := [unit for unit in every if every.count(unit) > 1]:
        return Fault(f"`{pattern}` has the {twice[0]} twice.", "Keep one; minutes are `mm`, months `M` or `MM`.")
    if lacks := _lacks(set(every)):
        return Fault(f"`{pattern}` lacks {lacks}.", LETTERS)
    if (text := shared(pattern, pattern, DateFormats(()))) is not None:
        message = f"`{pattern}` reads `{text}` in two ways."
        return Fault(message, "Write two letters for numbers beside each other, as `dd` and `MM`, or a sign between.")
    return None


def _lacks(has: set[str]) -> str | None:
    """Return the part without which the others say nothing, or the part that contradicts them."""
    years, clock = has & {"year", "short year"}, has - set(DATE_UNITS)
    if has & set(DATE_UNITS) and len(years) != 1:
        return "the year, once: `yyyy` or `yy`"
    in_month = has & {"month", "day"}
    if years and ("day of year" in has, len(in_month)) not in ((True, 0), (False, 2)):
        return "a month and a day, or a day of the year (`DDD`) in place of both"
    if clock and len(clock & {"hour", "half hour"}) != 1:
        return "the hour, which is `H` or `h`"
    if ("half hour" in clock) != ("half" in clock):
        return "the half of the day: `h` and `a` stand together"
    if "second" in clock and "minute" not in clock:
        return "the minute"
    if "fraction" in clock and "second" not in clock:
        return "the second"
    return "the day" if "offset" in clock and not years else None if has else "a date or a time"


def _of_letters(pattern: str) -> str | None:
    """Translate letters of any case: `mm` behind hours or before seconds is minutes, elsewhere months."""
    if local := LOCAL.match(pattern):
        date = "dd{a}MM{b}yyyy" if local["a"] else "yyyy{c}MM{d}dd"
        pattern = date.format(**local.groupdict()) + pattern[local.end() :]
    tokens = [letters[0] for letters in TOKEN.finditer(pattern)]
    has_half = any(WHOLE.get(letters.lower()) == "a" for letters in tokens)
    runs = ["" if letters.lower() in WHOLE else RUNS.get(letters[0].lower(), "") for letters in tokens]
    parts: list[str] = []
    for n, (letters, run) in enumerate(zip(tokens, runs, strict=True)):
        before = next((kind for kind in reversed(runs[:n]) if kind), "")
        after = next((kind for kind in runs[n + 1 :] if kind), "")
        if not letters[0].isalpha() or letters == "DDD":
            parts.append(letters)
        elif letters.lower() in WHOLE:
            parts.append(WHOLE[letters.lower()])
        elif not run:
            return None
        elif run == "M" and (before == "h" or after == "s"):
            parts.append("mm")
        elif run == "s":
            parts.append("S" * min(len(letters), 6) if before == "s" else "ss")
        elif run == "h":
            parts.append(("h" if has_half else "H") * min(len(letters), 2))
        else:
            parts.append(run * {"y": 2 if len(letters) == 2 else 4, "X": 3}.get(run, len(letters)))
    return "".join(parts)
