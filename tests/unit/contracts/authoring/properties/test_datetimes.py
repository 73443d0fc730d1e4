"""Date and timestamp patterns: the supported ones, the fixes for others, and the texts that fit."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import product

import pytest

from contracts.authoring.properties.datetimes import example, fault, parse
from contracts.authoring.properties.other_patterns import IN_CSV

GOOD = {
    ("yyyy-MM-dd", "date"): "2026-01-31",
    ("dd.MM.yyyy", "date"): "31.01.2026",
    ("yyyyMMdd", "date"): "20260131",
    ("'on' dd/MM/yyyy", "date"): "on 31/01/2026",
    ("yyyy-MM-dd'T'HH:mm:ssX", "timestamp"): "2026-01-31T13:45:07Z",
    ("yyyy-MM-dd HH:mm:ss.SSS", "timestamp"): "2026-01-31 13:45:07.123",
    ("yyyy-MM-dd HH", "timestamp"): "2026-01-31 13",
    ("yyyy-MM-dd HH:mm XXX", "timestamp"): "2026-01-31 13:45 Z",
    ("yyyy-MM-dd ''HH", "timestamp"): "2026-01-31 '13",
    ("HH:mm", "time"): "13:45",
    ("HH'h'mm", "time"): "13h45",
    ("HHmmss.SSS", "time"): "134507.123",
}


@pytest.mark.parametrize(("pattern", "text"), GOOD.items(), ids=[p for p, _ in GOOD])
def test_built_pattern_has_an_example_that_it_reads(pattern: tuple[str, str], text: str) -> None:
    assert fault(*pattern) is None
    assert example(pattern[0]) == text
    assert parse(text, pattern[1], pattern[0])


LACKS = "A date has yyyy, MM and dd; a timestamp HH as well, and mm before ss; a time has HH, and mm before ss."
OF_MONTHS = f"Names of months are not read: send months as digits, and write `MM`.{IN_CSV}"
INSTEAD = {
    ("YYYY-MM-DD", "date"): "Write `yyyy-MM-dd`.",
    ("d/M/yy", "date"): "Write `dd/MM/yyyy`.",
    ("yyyy-MM-ddTHH:mm:ssZ", "timestamp"): "Write `yyyy-MM-dd'T'HH:mm:ssXXX`.",
    ("yyyy-MM-dd hh:mm", "timestamp"): "Write `yyyy-MM-dd HH:mm`.",
    ("yyyy-mm-dd", "date"): "Write `yyyy-MM-dd`.",
    ("dd MMM yyyy", "date"): OF_MONTHS,
    ("yyyy-MM-dd[ HH]", "timestamp"): "Write it in quotes if it is meant as such: '['.",
    ("yyyy-MM-dd 'x", "date"): "Close it, or write '' for a quote.",
    ("yyyy-MM", "date"): LACKS,
    ("yyyy-MM-dd", "timestamp"): LACKS,
    ("yyyy-MM-dd HH:ss", "timestamp"): LACKS,
    ("HH:MM", "time"): "Write `HH:mm`.",
    ("%d/%m/%Y", "date"): "Write `dd/MM/yyyy`.",
    ("%Y-%m-%d", "date"): "Write `yyyy-MM-dd`.",
    ("%Y%m%d", "date"): "Write `yyyyMMdd`.",
    ("%F", "date"): "Write `yyyy-MM-dd`.",
    ("%d.%m.%Y %H:%M", "timestamp"): "Write `dd.MM.yyyy HH:mm`.",
    ("%Y-%m-%dT%H:%M:%S.%f%z", "timestamp"): "Write `yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX`.",
    ("%Y-%m-%dT%H:%M:%SZ", "timestamp"): "Write `yyyy-MM-dd'T'HH:mm:ss'Z'`.",
    ("%H:%M:%S", "time"): "Write `HH:mm:ss`.",
    ("%d %b %Y", "date"): OF_MONTHS,
    ("dd/mm/yyyy", "date"): "Write `dd/MM/yyyy`.",
    ("DD/MM/YYYY", "date"): "Write `dd/MM/yyyy`.",
    ("mm/dd/yyyy hh:mm:ss", "timestamp"): "Write `MM/dd/yyyy HH:mm:ss`.",
    ("YYYY-MM-DD HH24:MI:SS", "timestamp"): "Write `yyyy-MM-dd HH:mm:ss`.",
    ("YYYY-MM-DD HH24:MI:SS.FF3", "timestamp"): "Write `yyyy-MM-dd HH:mm:ss.SSS`.",
    ("YYYY-MM-DDTHH:mm:ssZ", "timestamp"): "Write `yyyy-MM-dd'T'HH:mm:ssXXX`.",
    ("yyyy-MM-ddTHH:mm:ss.fffK", "timestamp"): "Write `yyyy-MM-dd'T'HH:mm:ss.SSSXXX`.",
    ("date-time", "timestamp"): "Write `yyyy-MM-dd'T'HH:mm:ssX`.",
    ("ISO8601", "date"): "Write `yyyy-MM-dd`.",
    ("hh:mm", "time"): "Write `HH:mm`.",
    ("HH:mm:ssXXX", "time"): "Leave the offset out.",
    ("mm:ss", "time"): LACKS,
    ("yyyy-MM-dd yyyy", "date"): "Keep one of them; minutes are `mm`, months `MM`.",
}


@pytest.mark.parametrize(("pattern", "fix"), INSTEAD.items(), ids=[p for p, _ in INSTEAD])
def test_other_pattern_is_refused_with_what_to_write(pattern: tuple[str, str], fix: str) -> None:
    wrong = fault(*pattern)
    assert wrong
    assert wrong.fix == fix


NO_DATES = ["2026-1-31", "2026-02-30", "2026-01-31 ", "20260131", "", "\uff12026-01-31", "0000-01-01"]


@pytest.mark.parametrize("text", NO_DATES)
def test_dates_are_strict(text: str) -> None:
    assert parse(text, "date", None) is None


def test_iso_timestamp_without_offset_is_utc() -> None:
    assert parse("2026-01-31 13:45:07.5", "timestamp", None) == datetime(2026, 1, 31, 13, 45, 7, 500_000, UTC)


def test_offset_is_taken_into_account() -> None:
    pattern = "yyyy-MM-dd HH:mmX"
    assert parse("2026-01-31 13:45-0330", "timestamp", pattern) == datetime(2026, 1, 31, 17, 15, tzinfo=UTC)


def test_time_beyond_the_day_is_none() -> None:
    assert parse("2026-01-31T24:00:00Z", "timestamp", None) is None


def test_iso_times_are_moments_of_the_first_day() -> None:
    assert parse("13:45", "time", None) == datetime(1970, 1, 1, 13, 45, tzinfo=UTC)
    assert parse("13:45:07.5", "time", None) == datetime(1970, 1, 1, 13, 45, 7, 500_000, UTC)


@pytest.mark.parametrize(
    "text", ["24:00", "23:59:60", "13", "1:45", "13:45.5", "13:45:07Z", "13:45 ", "13:45:07.1234567", ""]
)
def test_times_are_strict(text: str) -> None:
    assert parse(text, "time", None) is None


def test_zone_is_that_of_texts_without_offset() -> None:
    assert parse("2026-07-01 12:00:00", "timestamp", None, "Europe/Berlin") == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert parse("2026-07-01 12:00:00Z", "timestamp", None, "Europe/Berlin") == datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_hour_that_clocks_skip_is_none_and_one_shown_twice_the_first() -> None:
    assert parse("2024-03-31T02:30:00", "timestamp", None, "Europe/Berlin") is None
    assert parse("2024-10-27T02:30:00", "timestamp", None, "Europe/Berlin") == datetime(2024, 10, 27, 0, 30, tzinfo=UTC)


def test_offset_may_be_wanted_or_unwanted() -> None:
    assert parse("2026-07-01T12:00:00", "timestamp", None, offset=True) is None
    assert parse("2026-07-01T12:00:00Z", "timestamp", None, offset=False) is None


@pytest.mark.parametrize(
    ("pattern", "kind", "words"),
    [
        ("DD/MON/YYYY", "date", "send months as digits"),
        ("dd MMM yyyy", "date", "send months as digits"),
        ("%d %b %Y", "date", "send months as digits"),
        ("EEE, dd.MM.yyyy", "date", "leave them out"),
        ("yyyy-'W'ww", "date", "months and days"),
        ("%Y-%j", "date", "months and days"),
        ("%I:%M %p", "time", "from 00 to 23"),
        ("hh:mm a", "time", "from 00 to 23"),
        ("h:mm tt", "time", "from 00 to 23"),
        ("dd/MM/yyyy hh:mm:ss a", "timestamp", "from 00 to 23"),
        ("%s", "timestamp", "logicalType: integer"),
        ("epoch_millis", "timestamp", "logicalType: integer"),
        ("TT.MM.JJJJ", "date", "Write `dd.MM.yyyy`."),
        ("jj/mm/aaaa", "date", "Write `dd/MM/yyyy`."),
        ("gg/mm/aaaa hh:mm", "timestamp", "Write `dd/MM/yyyy HH:mm`."),
        ("JJJJ-MM-TT", "date", "Write `yyyy-MM-dd`."),
        ("2006-01-02", "date", "Write `yyyy-MM-dd`."),
        ("2006-01-02T15:04:05Z", "timestamp", "Write `yyyy-MM-dd'T'HH:mm:ssXXX`."),
        ("2006-01-02 15:04:05", "timestamp", "Write `yyyy-MM-dd HH:mm:ss`."),
        ("%T", "timestamp", "Use yyyy, MM, dd"),
        ("%x", "date", "Use yyyy, MM, dd"),
    ],
)
def test_pattern_of_what_is_not_read_says_what_to_send(pattern: str, kind: str, words: str) -> None:
    pattern_fault = fault(pattern, kind)
    assert pattern_fault
    assert words in pattern_fault.fix


DAYS = ("dd", "DD", "d", "D", "%d", "tt", "dddd", "EEE")
MONTHS = ("MM", "mm", "M", "MON", "MMM", "%m", "%b", "Month")
YEARS = ("yyyy", "YYYY", "yy", "YY", "%Y", "uuuu", "jjjj", "Year")
CLOCKS = ("", "HH:mm", "HH24:MI:SS", "hh:mm a", "%H:%M:%S", "HH:mm:ss.SSSZ", "%I %p", "HH:mm:ss z", "HH'h'mm")


@pytest.mark.parametrize("clock", CLOCKS)
def test_no_advice_leads_to_another_fault(clock: str) -> None:
    for day, month, year, sign in product(DAYS, MONTHS, YEARS, ("-", "/", ".", "")):
        date, kind = sign.join((day, month, year)), "timestamp" if clock else "date"
        pattern = f"{date} {clock}".strip()
        pattern_fault = fault(pattern, kind)
        advice = pattern_fault and re.fullmatch(r"Write `(.*)`\.", pattern_fault.fix)
        assert not advice or fault(advice[1], kind) is None, (pattern, pattern_fault)
