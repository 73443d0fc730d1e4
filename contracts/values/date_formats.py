"""Dates and times as files write them: patterns of a contract and a text in, the same moment in ISO 8601 out.

A pattern has java.time's letters, or is a word for a count of seconds or days. Reading is strict: a text has exactly
the letters' digits (one letter: one digit or two), and is a day and a time that calendars and clocks have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal

from contracts.values.calendar_names import ENGLISH, IN_WORDS, LISTS, spellings
from contracts.values.date_pattern import PIECE, literal
from contracts.values.zones import zone_named

Dated = Literal["date", "timestamp", "time"]
"""The logical types of moments."""
SIXTY = "[0-5][0-9]"
READ = {
    "yyyy": ("year", "(?!0000)[0-9]{4}"),
    "yy": ("short year", "[0-9]{2}"),
    "MM": ("month", "0[1-9]|1[0-2]"),
    "M": ("month", "0?[1-9]|1[0-2]"),
    "dd": ("day", "0[1-9]|[12][0-9]|3[01]"),
    "d": ("day", "0?[1-9]|[12][0-9]|3[01]"),
    "DDD": ("day of year", "00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-6]"),
    "HH": ("hour", "[01][0-9]|2[0-3]"),
    "H": ("hour", "[01]?[0-9]|2[0-3]"),
    "hh": ("half hour", "0[1-9]|1[0-2]"),
    "h": ("half hour", "0?[1-9]|1[0-2]"),
    "mm": ("minute", SIXTY),
    "ss": ("second", SIXTY),
    "a": ("half", "AM|PM|am|pm|Am|Pm"),
    "X": ("offset", f"Z|[+-](?:(?:0[0-9]|1[0-7])(?:{SIXTY})?|18(?:00)?)"),
    "XXX": ("offset", f"Z|[+-](?:(?:0[0-9]|1[0-7]):{SIXTY}|18:00)"),
    **{"S" * digits: ("fraction", f"[0-9]{{{digits}}}") for digits in range(1, 7)},
}
"""The letters of patterns: what they stand for, and their texts, alike in Java and Python."""
NAMED = {"MMM": "month", "MMMM": "month", "EEE": "weekday", "EEEE": "weekday"}
DATE_UNITS = ("year", "short year", "month", "day", "day of year", "weekday")


SECOND, DAY = Decimal(1), Decimal(86_400)


@dataclass(frozen=True, slots=True)
class Count:
    """A count that stands for a moment: its texts, the day at which it starts, and the seconds of its unit.

    A count of days is a local day, one of seconds a moment in UTC. `skips` is the number of a day that never was.
    """

    regex: str
    start: date
    unit: Decimal
    skips: int | None = None

    @property
    def is_local(self) -> bool:
        """Return True if the count stands for a day and a time on clocks of no zone."""
        return self.unit == DAY


EPOCH = date(1970, 1, 1)
DAYS = r"[0-9]{1,7}(?:\.[0-9]{1,16})?"
COUNTS = {
    "epochSeconds": Count(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?", EPOCH, SECOND),
    "epochMilliseconds": Count(r"-?[0-9]{1,15}", EPOCH, Decimal("0.001")),
    "excelDays": Count(DAYS, date(1899, 12, 31), DAY, skips=60),
    "excelDays1904": Count(DAYS, date(1904, 1, 1), DAY),
}
"""Words in place of a pattern. Excel counts a 29th of February 1900, and shows the day 0 as no day of a month."""


@dataclass(frozen=True, slots=True)
class DateFormats:
    """The notations of the cells of one property.

    `century` is the first of the hundred years that `yy` stands for, `language` the one of names of months and days.
    """

    formats: tuple[str, ...]
    century: int | None = None
    language: str = ENGLISH


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a pattern: its text as written, the unit it stands for (None: literal text), its regular expression.

    `numbers` has the numbers of names.
    """

    written: str
    unit: str | None
    regex: str
    numbers: tuple[tuple[str, int], ...] = ()

    def of_moment(self, moment: datetime) -> str:
        """Return the piece in the text of a moment."""
        names = {number: text for text, number in reversed(self.numbers)}
        match self.unit:
            case None:
                return self.written
            case "month":
                return names.get(moment.month) or f"{moment.month:0{len(self.written)}}"
            case "weekday":
                return names[moment.isoweekday()]
            case "half":
                return "AM" if moment.hour < 12 else "PM"
            case "offset":
                return "Z"
            case "fraction":
                return f"{moment.microsecond:06}"[: len(self.written)]
            case "year" | "short year":
                return f"{moment.year:04}"[-len(self.written) :]
            case "day of year":
                return f"{moment.timetuple().tm_yday:03}"
            case "half hour":
                return f"{moment.hour % 12 or 12:0{len(self.written)}}"
            case unit:
                return f"{getattr(moment, unit):0{len(self.written)}}"


@lru_cache(maxsize=1024)
def pieces(pattern: str, language: str) -> tuple[Piece, ...]:
    """Return the pieces of a pattern; KeyError if it has letters that are not read."""
    parts = []
    for piece in PIECE.finditer(pattern):
        letters = piece[0]
        if not piece[2]:
            parts.append(Piece(literal(piece), None, re.escape(literal(piece))))
        elif letters in LISTS:
            names = spellings(letters, language)
            longest_first = sorted(names, key=len, reverse=True)
            parts.append(Piece(letters, NAMED[letters], "|".join(map(re.escape, longest_first)), tuple(names.items())))
        else:
            parts.append(Piece(letters, *READ[letters]))
    return tuple(parts)


def units(pattern: str) -> list[str]:
    """Return the units of a pattern in their order; letters that are not read have none."""
    runs = (piece[0] for piece in PIECE.finditer(pattern) if piece[2])
    return [NAMED.get(run) or READ[run][0] for run in runs if run in NAMED or run in READ]


def kinds(pattern: str) -> tuple[Dated, ...]:
    """Return the logical types whose values a format writes."""
    if pattern in COUNTS:
        return ("date", "timestamp") if COUNTS[pattern].is_local else ("timestamp",)
    has_day, has_clock = (any((unit in DATE_UNITS) == of_day for unit in units(pattern)) for of_day in (True, False))
    return ("timestamp",) if has_day and has_clock else ("date",) if has_day else ("time",)


def needs(pattern: str) -> set[str]:
    """Return what a format needs beside it, `century` or `language`, and `offset` if its texts have an offset."""
    if pattern in COUNTS:
        return set() if COUNTS[pattern].is_local else {"offset"}
    letters = {piece[0] for piece in PIECE.finditer(pattern) if piece[2]}
    needed = {"century": letters & {"yy"}, "language": letters & LISTS.keys(), "offset": letters & {"X", "XXX"}}
    return {key for key, own in needed.items() if own}


def of_kind(dates: DateFormats, kind: str) -> DateFormats | None:
    """Return those formats that write values of a logical type, with what they need; None if there are none."""
    patterns = tuple(pattern for pattern in dates.formats if kind in kinds(pattern))
    if not patterns:
        return None
    needed = {key for pattern in patterns for key in needs(pattern)}
    century = dates.century if "century" in needed else None
    return DateFormats(patterns, century, dates.language if "language" in needed else ENGLISH)


IN_WORD = {
    "epochSeconds": "seconds since 1970",
    "epochMilliseconds": "milliseconds since 1970",
    "excelDays": "a day number of Excel",
    "excelDays1904": "a day number of Excel since 1904",
}
EXAMPLE = datetime(2024, 7, 3, 14, 5, 9)  # noqa: DTZ001 (of no zone)


def in_words(dates: DateFormats) -> str:
    """Return the notations for people, each with an example."""
    texts = []
    for pattern in dates.formats:
        notes, needed = [IN_WORD.get(pattern, pattern)], needs(pattern)
        if "language" in needed:
            notes.append(IN_WORDS[dates.language])
        if "century" in needed and dates.century is not None:
            notes.append(f"{dates.century} to {dates.century + 99}")
        texts.append(f"{example(pattern, dates)} ({', '.join(notes)})")
    return " or ".join(texts)


def example(pattern: str, dates: DateFormats) -> str:
    """Return the text of an example day or time in a notation."""
    whole_day = pattern in COUNTS and COUNTS[pattern].is_local
    return written(datetime.combine(EXAMPLE, time()) if whole_day else EXAMPLE, pattern, dates)


def moment(text: str, kind: str, pattern: str | None) -> datetime | None:
    """Return a published date or time: in UTC if the text has an offset, else local; None if the text is none.

    `pattern` is the property's own one, ISO 8601 without it.
    """
    read = iso(text, DateFormats((pattern,)), kind) if pattern else text
    try:
        if kind == "time":
            return datetime.combine(EXAMPLE, time.fromisoformat(read or ""))
        return datetime.fromisoformat(read or "")
    except ValueError:
        return None


def sent(moment: datetime, dates: DateFormats, zone: str | None) -> str:
    """Return a moment as files write it in the first notation; local moments are of a zone, or of UTC."""
    pattern = dates.formats[0]
    if moment.tzinfo is None and "offset" in needs(pattern):
        moment = moment.replace(tzinfo=zone_named(zone or "UTC"))
    if moment.tzinfo is not None:
        has_offset = "offset" in needs(pattern)
        moment = moment.astimezone(UTC if has_offset or zone is None else zone_named(zone)).replace(tzinfo=None)
    return written(moment, pattern, dates)


def written(moment: datetime, pattern: str, dates: DateFormats) -> str:
    """Return a moment in UTC as one of the patterns writes it."""
    if count := COUNTS.get(pattern):
        since = moment - datetime.combine(count.start, time())
        days = since + timedelta(days=bool(count.skips and since.days >= count.skips))
        number = Decimal(days // timedelta(microseconds=1)) / 1_000_000 / count.unit
        return f"{round(number, 10 if count.is_local else 6):f}".rstrip("0").rstrip(".")
    return "".join(part.of_moment(moment) for part in pieces(pattern, dates.language))


def regex(parts: tuple[Piece, ...]) -> str:
    """Return the regular expression of a pattern's texts, with a group for each unit in its order."""
    return "".join(part.regex if part.unit is None else f"({part.regex})" for part in parts)


@lru_cache(maxsize=1024)
def _compiled(pattern: str, language: str) -> tuple[re.Pattern[str], tuple[Piece, ...]]:
    parts = pieces(pattern, language)
    return re.compile(regex(parts)), tuple(part for part in parts if part.unit)


def iso(text: str, dates: DateFormats, kind: str) -> str | None:
    """Return a date, timestamp or time in ISO 8601; None if no pattern reads the text as one.

    A count since 1970 is a moment in UTC, and has the offset `Z`.
    """
    for pattern in dates.formats:
        read = _of_count(text, COUNTS[pattern], kind) if pattern in COUNTS else _of_pattern(text, pattern, dates)
        if read is not None:
            return read
    return None


def _of_count(text: str, count: Count, kind: str) -> str | None:
    if not re.fullmatch(count.regex, text):
        return None
    seconds = Decimal(text) * count.unit
    days = int(seconds // DAY) - (seconds < 0 and bool(seconds % DAY))
    rest = seconds - days * DAY
    if count.skips and not 0 < days != count.skips:
        return None
    if kind == "date" and rest:
        return None
    step = "0.001" if count.is_local else "0.000001"
    since = timedelta(days=days - bool(count.skips and days > count.skips))
    try:
        moment = datetime.combine(count.start, time()) + since
        moment += timedelta(microseconds=int(rest.quantize(Decimal(step), ROUND_HALF_UP) * 1_000_000))
    except OverflowError:
        return None
    if kind == "date":
        return moment.date().isoformat()
    return moment.isoformat(timespec="microseconds") + ("" if count.is_local else "Z")


def _of_pattern(text: str, pattern: str, dates: DateFormats) -> str | None:
    compiled, parts = _compiled(pattern, dates.language)
    match = compiled.fullmatch(text)
    if match is None:
        return None
    read = {part.unit: piece for part, piece in zip(parts, match.groups(), strict=True)}
    numbers = {part.unit: dict(part.numbers)[read[part.unit]] for part in parts if part.numbers}
    day = _day(read, numbers, dates.century) if any(unit in DATE_UNITS for unit in read) else ""
    if day is None:
        return None
    if "hour" not in read and "half hour" not in read:
        return day
    hour = int(read["hour"]) if "hour" in read else int(read["half hour"]) % 12
    hour += 12 * (read.get("half", "").upper() == "PM")
    fraction = f".{read['fraction']}" if "fraction" in read else ""
    clock = f"{hour:02}:{read.get('minute', '00')}:{read.get('second', '00')}{fraction}{offset(read.get('offset'))}"
    return f"{day}T{clock}" if day else clock


def _day(read: dict[str | None, str], numbers: dict[str | None, int], century: int | None) -> str | None:
    year = int(read["year"]) if "year" in read else whole_year(int(read["short year"]), century or 0)
    try:
        if "day of year" in read:
            day = date(year, 1, 1) + timedelta(days=int(read["day of year"]) - 1)
        else:
            day = date(year, numbers.get("month") or int(read["month"]), int(read["day"]))
    except (ValueError, OverflowError):
        return None
    fits = day.year == year and numbers.get("weekday", day.isoweekday()) == day.isoweekday()
    return day.isoformat() if fits else None


def whole_year(year: int, century: int) -> int:
    """Return the year of the hundred years from `century` that ends in two digits."""
    return century + (year - century) % 100


def offset(text: str | None) -> str:
    """Return an offset in ISO 8601, with hours and minutes; empty if there is none."""
    if text is None or text == "Z":
        return text or ""
    digits = text.replace(":", "")
    return f"{digits[:3]}:{digits[3:] or '00'}"
