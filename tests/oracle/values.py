"""Texts as values of a property: integers, exact fractions, floats, moments in microseconds; None where it is none.

Written from docs/reference/semantics.md, "Cells"; it shares no code with the job or with authoring.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from contracts.plan import Property
from tests.oracle import file_dates

Value = str | int | float | bool | Fraction
DAY = 86_400_000_000
"""Microseconds."""
FIRST = -719_000
"""A day of the second year, from which on Python has a calendar."""
FURTHEST, NEVER = 18 * 60, 100 * 60
"""Minutes: the greatest offset that is one (java.time.ZoneOffset), and what stands for none."""
ISO_DATE = "yyyy-MM-dd"
ISO_TIMESTAMP = re.compile(
    r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)[T ](?P<H>\d\d):(?P<M>\d\d):(?P<S>\d\d)(?:\.(?P<f>\d{1,6}))?"
    r"(?P<z>Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
ISO_TIME = re.compile(r"(?P<H>\d\d):(?P<M>\d\d)(?::(?P<S>\d\d)(?:\.(?P<f>\d{1,6}))?)?", re.ASCII)
LETTERS = {
    "yyyy": r"(?P<Y>\d{4})", "MM": r"(?P<m>\d\d)", "dd": r"(?P<d>\d\d)", "HH": r"(?P<H>\d\d)", "mm": r"(?P<M>\d\d)",
    "ss": r"(?P<S>\d\d)", "XXX": r"(?P<z>Z|[+-]\d\d:\d\d)", "X": r"(?P<z>Z|[+-]\d\d(?:\d\d)?)",
}  # fmt: skip
PIECE = re.compile(r"'(?P<quoted>[^']*)'|(?P<run>([A-Za-z])\3*)|(?P<other>.)", re.DOTALL)


def value_of(text: str, prop: Property) -> Value | None:
    """The value that a text stands for."""
    match prop.type:
        case "string":
            return text
        case "integer":
            return _integer(text, prop)
        case "number":
            return _exact(text, *prop.exact) if prop.exact else _double(text)
        case "boolean":
            return {"true": True, "false": False}.get(text.lower() if text.isascii() else "")
        case "date":
            return _date(text, prop.format or ISO_DATE)
        case "timestamp":
            return _timestamp(text, prop)
        case "time":
            return _time(text, prop.format)
        case "object" | "array" | "map":
            return None


def value_of_cell(text: str, prop: Property) -> Value | None:
    """The value that a text stands for in the form of a file's cells."""
    if prop.form is None or not prop.form.formats:
        return value_of(text, prop)
    seen = file_dates.read(text, prop.form, prop.type)
    if seen is None or prop.type in ("date", "time"):
        return None if seen is None else seen.day if prop.type == "date" else seen.time
    clock = Clock(seen.day, seen.time, seen.offset)
    if clock.offset is None and prop.zone:
        return _local(clock, prop.zone)
    return clock.day * DAY + clock.time - (clock.offset or 0) * 60_000_000


def _integer(text: str, prop: Property) -> int | Fraction | None:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        return None
    if prop.exact:
        return Fraction(int(text)) if len(text.lstrip("+-").lstrip("0")) <= prop.exact[0] else None
    digits = text.lstrip("+-").lstrip("0")
    value = int(text) if len(digits) < 30 else 10**30
    return value if -(2**63) <= value < 2**63 else None


def _double(text: str) -> float | None:
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _exact(text: str, precision: int, scale: int) -> Fraction | None:
    match = re.fullmatch(r"([+-]?)([0-9]*)(?:\.([0-9]*))?", text)
    if not match or not (match[2] or match[3]):
        return None
    whole, part = match[2].lstrip("0"), match[3] or ""
    if len(whole) > precision - scale or len(part) > scale:
        return None
    value = Fraction(int(whole + part or "0"), 10 ** len(part))
    return -value if match[1] == "-" else value


def _pattern(written: str) -> re.Pattern[str]:
    parts = []
    for piece in PIECE.finditer(written):
        if piece["run"]:
            run = piece["run"]
            parts.append(rf"(?P<f>\d{{{len(run)}}})" if run[0] == "S" else LETTERS[run])
        else:
            parts.append(re.escape(piece["quoted"] or piece["other"] or "'"))
    return re.compile("".join(parts), re.ASCII)


@dataclass(frozen=True)
class Clock:
    """The parts of a text: a day and a time of day in microseconds; its offset in minutes, if it has one."""

    day: int
    time: int
    offset: int | None


def _clock(match: re.Match[str] | None) -> Clock | None:
    """Return the day and time that the parts of a text show; None where no calendar and no clock has it."""
    if not match:
        return None
    got = match.groupdict()
    year, month, day = (int(got.get(x) or default) for x, default in (("Y", 1970), ("m", 1), ("d", 1)))
    hour, minute, second = (int(got.get(x) or 0) for x in "HMS")
    if not 1 <= month <= 12 or not 1 <= day <= _length(year, month):
        return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = int((got.get("f") or "0").ljust(6, "0"))
    time = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    return Clock(_days(year, month, day), time, _offset(got.get("z")))


def _length(year: int, month: int) -> int:
    return monthrange(2000 + year % 400, month)[1]  # the calendar repeats itself, and Python's begins in the year 1


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01."""
    like = datetime(2000 + year % 400, month, day) - datetime(1970, 1, 1)  # noqa: DTZ001 (of no zone)
    return like.days + (year // 400 - 5) * 146_097


def _offset(text: str | None) -> int | None:
    if text is None:
        return None
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:]) if int(digits[2:]) < 60 else NEVER
    return -minutes if text[0] == "-" else minutes


def _date(text: str, written: str) -> int | None:
    clock = _clock(_pattern(written).fullmatch(text))
    return None if clock is None else clock.day


def _time(text: str, written: str | None) -> int | None:
    clock = _clock(_pattern(written).fullmatch(text) if written else ISO_TIME.fullmatch(text))
    return None if clock is None else clock.time


def _timestamp(text: str, prop: Property) -> int | None:
    clock = _clock(_pattern(prop.format).fullmatch(text) if prop.format else ISO_TIMESTAMP.fullmatch(text))
    if not clock or (prop.offset is not None and prop.offset != (clock.offset is not None)):
        return None
    if clock.offset is None and prop.zone:
        return _local(clock, prop.zone)
    if clock.offset and abs(clock.offset) > FURTHEST:
        return None
    return clock.day * DAY + clock.time - (clock.offset or 0) * 60_000_000


def _local(clock: Clock, zone: str) -> int | None:
    """The first moment at which clocks of a zone showed this; None if they never did."""
    day = max(clock.day, FIRST)  # before, every clock goes by the sun as it did then
    shown = datetime(1970, 1, 1) + timedelta(days=day, microseconds=clock.time)  # noqa: DTZ001 (of the zone)
    offset = shown.replace(tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()
    moment = (shown - offset).replace(tzinfo=ZoneInfo("UTC"))
    if moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != shown:
        return None
    return clock.day * DAY + clock.time - offset // timedelta(microseconds=1)
