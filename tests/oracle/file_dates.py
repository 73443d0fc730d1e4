"""Dates as files write them, read a second time: a text and its formats in, a day, a time of day and an offset out."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

from contracts.terms.value_form import ValueForm
from contracts.values.calendar_names import spellings

DAY = 86_400_000_000
GERMAN_MONTHS = [
    *("januar", "februar", "märz", "april", "mai", "juni"),
    *("juli", "august", "september", "oktober", "november", "dezember"),
]
GERMAN_SHORT = ["jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"]
GERMAN_DAYS = ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"]
NAMES = {
    ("en", "MMM"): [name.lower() for name in calendar.month_abbr[1:]],
    ("en", "MMMM"): [name.lower() for name in calendar.month_name[1:]],
    ("en", "EEE"): [name.lower() for name in calendar.day_abbr],
    ("en", "EEEE"): [name.lower() for name in calendar.day_name],
    ("de", "MMM"): GERMAN_SHORT,
    ("de", "MMMM"): GERMAN_MONTHS,
    ("de", "EEE"): [name[:2] for name in GERMAN_DAYS],
    ("de", "EEEE"): GERMAN_DAYS,
}
"""The names that are drawn."""
OFFSETS = {"X": r"(Z|[+-]\d\d(?:\d\d)?)", "XXX": r"(Z|[+-]\d\d:\d\d)"}
RUN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|.", re.DOTALL)


@dataclass(frozen=True)
class Read:
    """The parts of a text: days since 1970, microseconds of the day, minutes of the offset if it has one."""

    day: int
    time: int
    offset: int | None


def read(text: str, form: ValueForm, kind: str) -> Read | None:
    """What the first format that reads a text makes of it."""
    for written in form.formats:
        seen = _counted(text, written, kind) if written[:5] in ("epoch", "excel") else _by_letters(text, written, form)
        if seen is not None:
            return seen
    return None


def _counted(text: str, word: str, kind: str) -> Read | None:
    shape = {"epochSeconds": r"-?\d{1,12}(\.\d{1,6})?", "epochMilliseconds": r"-?\d{1,15}"}.get(
        word, r"\d{1,7}(\.\d{1,16})?"
    )
    if not re.fullmatch(shape, text, re.ASCII):
        return None
    number = Fraction(text)
    if word.startswith("epoch"):
        micros = number * (1_000_000 if word == "epochSeconds" else 1000)
        day, time = divmod(int(micros), DAY)
        return Read(day, time, 0) if _exists(day) else None
    count, share = int(number), number - int(number)
    if word == "excelDays" and count in (0, 60):
        return None
    before = date(1904, 1, 1) if word.endswith("1904") else date(1899, 12, 31 if count < 60 else 30)
    time = int(share * 86_400_000 + Fraction(1, 2)) * 1000
    day = (before - date(1970, 1, 1)).days + count + time // DAY
    return Read(day, time % DAY, None) if _exists(day) and (kind != "date" or share == 0) else None


def _exists(day: int) -> bool:
    """Whether a day is one of the years from 1 to 9999."""
    return (date.min - date(1970, 1, 1)).days <= day <= (date.max - date(1970, 1, 1)).days


def _by_letters(text: str, written: str, form: ValueForm) -> Read | None:
    shape, runs = "", []
    for piece in RUN.finditer(written):
        run = piece[0]
        if not piece[2]:
            shape += re.escape(run if piece[1] is None else piece[1].replace("''", "'"))
            continue
        runs.append(run)
        if run in OFFSETS:
            shape += OFFSETS[run]
        elif run in ("MMM", "MMMM", "EEE", "EEEE"):
            shape += r"([^\W\d_]+\.?)" if run in ("MMM", "EEE") else r"([^\W\d_]+(?:-[^\W\d_]+)?)"
        else:
            shape += (
                "([AaPp][Mm])" if run == "a" else r"(\d\d?)" if len(run) == 1 and run != "S" else f"(\\d{{{len(run)}}})"
            )
    match = re.fullmatch(shape, text, re.ASCII if form.language == "en" else 0)
    if not match or not all(part.isascii() or not part[0].isdigit() for part in match.groups()):
        return None
    parts = dict(zip(runs, match.groups(), strict=True))
    for run in parts.keys() & {"MMM", "MMMM", "EEE", "EEEE"}:
        if (number := _named(parts[run], run, form.language)) is None:
            return None
        parts["M" if run[0] == "M" else "weekday"] = str(number)
    return _moment(parts, form)


def _named(name: str, run: str, language: str) -> int | None:
    bare = name.removesuffix(".")
    if (language, run) in NAMES:
        if bare not in (bare.lower(), bare.upper(), bare.capitalize()):
            return None
        names = NAMES[language, run]
        return names.index(bare.lower()) + 1 if bare.lower() in names else None
    return spellings(run, language).get(name)  # other languages have no second list of names


def _moment(parts: dict[str, str], form: ValueForm) -> Read | None:
    day = 0
    if "yyyy" in parts or "yy" in parts:
        year = int(parts.get("yyyy") or 0)
        if "yy" in parts:
            year = next(y for y in range(form.century or 0, (form.century or 0) + 100) if y % 100 == int(parts["yy"]))
        try:
            of_year = datetime.strptime(f"{year:04} {parts['DDD']}", "%Y %j") if "DDD" in parts else None  # noqa: DTZ007
            month, number = int(parts.get("MM") or parts.get("M") or 1), int(parts.get("dd") or parts.get("d") or 1)
            whole = of_year.date() if of_year else date(year, month, number)
        except ValueError:
            return None
        if whole.year != year or int(parts.get("weekday", whole.isoweekday())) != whole.isoweekday():
            return None
        day = (whole - date(1970, 1, 1)).days
    hour = int(parts.get("HH") or parts.get("H") or 0)
    if "a" in parts:
        half = int(parts.get("hh") or parts.get("h") or 0)
        hour = half % 12 + (12 if parts["a"].lower() == "pm" else 0) if 1 <= half <= 12 else 24
    minute, second = int(parts.get("mm", 0)), int(parts.get("ss", 0))
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = next((text.ljust(6, "0") for run, text in parts.items() if run[0] == "S"), "0")
    time = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=int(fraction))
    written = parts.get("X") or parts.get("XXX")
    offset = _offset(written) if written else None
    if offset is not None and abs(offset) > 18 * 60:
        return None
    return Read(day, time // timedelta(microseconds=1), offset)


def _offset(text: str) -> int:
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:]) if int(digits[2:]) < 60 else 10_000
    return -minutes if text[0] == "-" else minutes
