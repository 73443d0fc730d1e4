"""Patterns of dates, timestamps and times in ODCS (java.time): a pattern in; a fault, an example or a value out.

Built are yyyy, MM, dd, HH, mm, ss, S to SSSSSS, X, XXX and literal text; strict, fixed width.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from contracts.authoring.properties.other_patterns import is_of_directives, translated, unreadable
from contracts.values.date_formats import DateFormats, iso
from contracts.values.date_pattern import PIECE, literal

INSTEAD = {
    **dict.fromkeys(("YYYY", "YY", "Y", "yy", "y", "uuuu"), "yyyy"),
    **dict.fromkeys(("DD", "DDD", "D", "d"), "dd"),
    **dict.fromkeys(("hh", "h", "kk", "KK", "H"), "HH"),
    **dict.fromkeys(("XX", "xxx", "Z", "z"), "XXX"),
    "M": "MM",
    "m": "mm",
    "s": "ss",
    "x": "X",
    "T": "'T'",
}
LETTERS = "Use yyyy, MM, dd, HH, mm, ss, S, X, XXX; other letters in quotes, as 'T'."
EXAMPLE = {"yyyy": "2026", "MM": "01", "dd": "31", "HH": "13", "mm": "45", "ss": "07", "X": "Z", "XXX": "Z"}
DATE, CLOCK = ("yyyy", "MM", "dd"), ("HH", "mm", "ss", "S")
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
ISO_TIME = re.compile(r"(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,6}))?", re.ASCII)
ISO_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a pattern, and what to write instead."""

    message: str
    fix: str


def fault(pattern: str, logical_type: str) -> Fault | None:
    """Return why a pattern cannot be used for a date, a timestamp or a time; None if it can.

    If the pattern is that of another tool, the fix is its translation.
    """
    wrong = _fault(pattern, logical_type)
    if wrong is None:
        return None
    meant = translated(pattern, logical_type)
    if is_of_directives(pattern):
        wrong = Fault(f"`{pattern}` is written as for strptime; the standard has java.time's letters.", wrong.fix)
        wrong = wrong if meant else Fault(wrong.message, LETTERS)
    if meant is not None and meant != pattern and not _fault(meant, logical_type):
        return Fault(wrong.message, f"Write `{meant}`.")
    if fix := unreadable(pattern):
        return Fault(wrong.message, fix)
    mended = _mended(pattern)
    leads_to_another = wrong.fix == f"Write `{mended}`." and _fault(mended, logical_type)
    return Fault(wrong.message, LETTERS if leads_to_another else wrong.fix)


def of_examples(pattern: str) -> str | None:
    """Return the pattern that is meant by one as the standard's own examples have it; None of any other."""
    match = OF_EXAMPLES.fullmatch(pattern)
    return f"{match[1]}'T'{match[2]}{'XXX' if match[3] else ''}" if match else None


def _fault(pattern: str, logical_type: str) -> Fault | None:
    letters: list[str] = []
    for piece in PIECE.finditer(pattern):
        if wrong := _piece(piece, pattern):
            return wrong
        if piece[2]:
            letters.append("S" if piece[2] == "S" else piece[0])
    if twice := [x for x in letters if letters.count(x) > 1]:
        return Fault(f"`{pattern}` has `{twice[0]}` twice.", "Keep one of them; minutes are `mm`, months `MM`.")
    if foreign := [x for x in letters if x not in {"date": DATE, "time": CLOCK}.get(logical_type, letters)]:
        message = f"`{pattern}` has `{foreign[0]}`, which a {logical_type} does not have."
        meant = "`MM` if months" if logical_type == "date" else "`mm` if minutes"
        offset = foreign[0].startswith("X")
        return Fault(
            message,
            "Leave the offset out." if offset else f"Write {meant} are meant, or `logicalType: timestamp`.",
        )
    needed = [x for x in DATE if x not in letters and logical_type != "time"]
    if logical_type != "date":
        most = max((CLOCK.index(x) for x in letters if x in CLOCK), default=0)
        needed += [x for x in CLOCK[: most + 1] if x not in letters]
    fix = "A date has yyyy, MM and dd; a timestamp HH as well, and mm before ss; a time has HH, and mm before ss."
    return Fault(f"`{pattern}` lacks `{needed[0]}`.", fix) if needed else None


def _piece(piece: re.Match[str], pattern: str) -> Fault | None:
    text = piece[0]
    if text == "'":
        return Fault(f"A quote in `{pattern}` is not closed.", "Close it, or write '' for a quote.")
    if text in "[]{}#":
        return Fault(
            f"`{text}` in `{pattern}` is not built yet.", f"Write it in quotes if it is meant as such: '{text}'."
        )
    if not piece[2] or text in EXAMPLE or re.fullmatch("S{1,6}", text):
        return None
    if text in INSTEAD:
        return Fault(f"`{text}` in `{pattern}` is a mistake, or is not built yet.", f"Write `{_mended(pattern)}`.")
    return Fault(
        f"`{text}` in `{pattern}` is not built yet.",
        LETTERS,
    )


def _mended(pattern: str) -> str:
    return "".join(p[0] if p[0] in EXAMPLE else INSTEAD.get(p[0], p[0]) for p in PIECE.finditer(pattern))


OF_EXAMPLES = re.compile(r"(yyyy-MM-dd)T(HH:mm:ss(?:\.S{1,6})?)(Z?)")
"""ODCS, "Date/Time Formats", writes `yyyy-MM-ddTHH:mm:ssZ`, in which java.time knows no `T`."""
FARTHEST = "18:00"
"""The hours and minutes of the largest offset that Spark reads (java.time.ZoneOffset)."""


def example(pattern: str) -> str:
    """Return an example value of a pattern."""
    return "".join(
        literal(p) if not p[2] else "123456"[: len(p[0])] if p[2] == "S" else EXAMPLE.get(p[0], p[0])
        for p in PIECE.finditer(pattern)
    )


def parse(
    text: str, logical_type: str, pattern: str | None, zone: str | None = None, offset: bool | None = None
) -> datetime | None:
    """Return the moment of a value; None if it does not fit the pattern, or no clock ever showed it.

    A value without an offset is local to `zone` (by default UTC); if clocks showed it twice, the first time counts.
    """
    clock = _wall_clock(text, logical_type, pattern, offset)
    if clock is None:
        return None
    wall, written = clock
    if written and (written[1:] > FARTHEST or written[-2:] > "59"):
        return None
    try:
        if written or not zone:
            return datetime.fromisoformat(wall + (written or "+00:00")).astimezone(UTC)
        local = datetime.fromisoformat(wall)
        moment = local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        shown = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return moment if shown == local else None


def _wall_clock(
    text: str, logical_type: str, pattern: str | None, wanted: bool | None
) -> tuple[str, str | None] | None:
    """Return the local date and time, and the offset, as `fromisoformat` reads them; None if they do not fit.

    A time is one of 1970-01-01.
    """
    if pattern is not None:
        text, wanted = iso(text, DateFormats((pattern,)), logical_type) or "", None
    if logical_type == "timestamp":
        match = ISO_TIMESTAMP.fullmatch(text)
        if not match or wanted not in (None, match[4] is not None):
            return None
        date, time, fraction, offset = match.groups()
        digits = (offset or "").replace(":", "")
        zone = "+00:00" if digits == "Z" else f"{digits[:3]}:{digits[3:] or '00'}" if digits else None
        return f"{date}T{time}.{(fraction or '0').ljust(6, '0')}", zone
    if logical_type == "date":
        return (f"{text}T00:00:00.000000", None) if ISO_DATE.fullmatch(text) else None
    match = ISO_TIME.fullmatch(text)
    if not match or (match[3] and not match[2]):
        return None
    return f"1970-01-01T{match[1]}{match[2] or ':00'}.{(match[3] or '0').ljust(6, '0')}", None
