"""Cells of spreadsheets: a stored number and its format in, the text of its value out. Pure.

The value counts, and never its looks: a percentage is a fraction, an amount has no currency. Numbers have the 15
digits that spreadsheets show. Only the format tells a date from a number (ECMA-376, part 1, 18.8.30).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

FAULT = "\0"
"""The character before the text of a cell that has an error in place of a value: no text has it."""
NOT_CALCULATED = f"{FAULT}#NOT-CALCULATED!"
"""A formula whose result is not kept in the file."""
Kind = Literal["number", "date", "time", "moment", "duration"]
DATES, TIMES = (
    (*range(14, 18), *range(27, 32), 36, *range(50, 55), 57, 58),
    (*range(18, 22), *range(32, 36), 45, 47, 55, 56),
)
OTHERS: dict[int, Kind] = {22: "moment", 46: "duration"}
BUILT_IN: dict[int, Kind] = {**dict.fromkeys(DATES, "date"), **dict.fromkeys(TIMES, "time"), **OTHERS}
"""The kinds of formats that files do not spell out (ECMA-376, part 1, 18.8.30)."""
LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)
"""Text, fillers, colours, conditions and languages in a format."""
ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
EXPONENT = re.compile(r"E[+-]", re.IGNORECASE)
HALVES = re.compile(r"am/pm|a/p", re.IGNORECASE)
WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
DAY_MS = 86_400_000
EPOCH, EPOCH_1904, LEAP_BUG = date(1899, 12, 30), date(1904, 1, 1), 60
"""Day 60 is 1900-02-29, which never was; days before it are one later than the others count."""
LAST_DAY = 2_958_465
"""The serial number of 9999-12-31, counted from 1900."""
DIGITS, PLAIN = 15, range(-9, 21)
"""Digits of a number, and the powers of ten that are written without an exponent."""


@lru_cache(maxsize=4_096)
def kind_of(code: str) -> Kind:
    """Return the kind of values that a format shows, by its part for positive numbers."""
    bare = LITERAL.sub("", code).split(";", 1)[0]
    if ELAPSED.search(bare):
        return "duration"
    letters = HALVES.sub("h", EXPONENT.sub("0", bare)).lower()
    if "general" in letters or "@" in letters:
        return "number"
    timed = "h" in letters or "s" in letters
    dated = any(sign in letters for sign in ("y", "d", "mmm", "g", "e", "b")) or ("m" in letters and not timed)
    if dated:
        return "moment" if timed else "date"
    return "time" if timed else "number"


class Number(str):
    """The text of a cell that is a number, with a point before its fraction whatever marks texts of numbers have."""

    __slots__ = ()


@lru_cache(maxsize=65_536)
def number(raw: str) -> Number | None:
    """Return a number in decimal digits, with an exponent only far from 1; None if the text is none."""
    if WHOLE.fullmatch(raw):
        return Number("0" if raw == "-0" else raw)
    try:
        value = float(raw)
    except ValueError:
        return None
    return Number(of_float(value)) if math.isfinite(value) else None


def of_float(value: float) -> str:
    """Return a number in decimal digits."""
    mantissa, _, power = f"{value:.{DIGITS - 1}e}".partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    digits, exponent = mantissa.lstrip("-").replace(".", "").rstrip("0"), int(power)
    if not digits:
        return "0"
    if exponent not in PLAIN:
        rest = f".{digits[1:]}" if digits[1:] else ""
        return f"{sign}{digits[0]}{rest}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, rest = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


@lru_cache(maxsize=65_536)
def dated(raw: str, kind: Kind, *, since_1904: bool) -> str | None:
    """Return a number of days as a date or time in ISO 8601; one that is none stays a number. None if it is no number.

    A day that spreadsheets show and no calendar has, as 1900-02-29, is written as they show it.
    """
    text = number(raw)
    if text is None:
        return None
    ms = round(float(raw) * DAY_MS)
    days, rest = divmod(ms, DAY_MS)
    if kind == "duration":
        hours, rest = divmod(abs(ms), 3_600_000)  # of any number of hours
        return f"{'-' if ms < 0 else ''}{hours:02}{_clock(rest)[2:]}"
    if days < 0 or days > LAST_DAY - (1_462 if since_1904 else 0):
        return text
    if kind == "time" and days == 0:
        return _clock(rest)
    day = (EPOCH_1904 + timedelta(days=days)).isoformat() if since_1904 else _day_of_1900(days)
    return day if kind == "date" and not rest else f"{day}T{_clock(rest)}"


def _day_of_1900(days: int) -> str:
    if days in (0, LEAP_BUG):
        return "1900-02-29" if days else "1900-01-00"
    return (EPOCH + timedelta(days=days + (days < LEAP_BUG))).isoformat()


def _clock(ms: int) -> str:
    seconds, rest = divmod(ms, 1_000)
    text = f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{rest:03}" if rest else text


def reader(kind: Kind, *, since_1904: bool) -> Callable[[str], str | None]:
    """Return the function from stored numbers with a format of some kind to texts."""
    return number if kind == "number" else lambda raw: dated(raw, kind, since_1904=since_1904)
