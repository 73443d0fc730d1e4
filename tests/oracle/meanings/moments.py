"""Dates, timestamps and times of day."""

from __future__ import annotations

from tests.oracle.meanings.case import Case, Meaning, Refused, bad, good, one

BERLIN = "Europe/Berlin"

PATTERNS: dict[str, Meaning] = {
    "a date is ISO by default": Case(
        one("date"),
        good("2024-02-29", "1999-12-31"),
        csv=bad("logicalType", "20240229", "29.02.2024", "2024-2-29", "2024-02-29T00:00", "2024-02", "today"),
        jsonl=bad("logicalType", '"20240229"', '"2024-2-29"', "20240229"),
    ),
    "a date is a day of the calendar": Case(
        one("date"),
        csv=bad("logicalType", "2023-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-01", "1900-02-29"),
        jsonl=bad("logicalType", '"2023-02-29"', '"2024-13-01"'),
    ),
    "each letter of a pattern is a digit": Case(
        one("date", format="dd.MM.yyyy"),
        good("05.01.2024"),
        csv=bad("logicalType", "5.1.2024", "05.01.24", "05.01.12024", "05/01/2024", "2024-01-05"),
        jsonl=bad("logicalType", '"5.1.2024"', '"2024-01-05"'),
    ),
    "bounds and values are in the format": Case(
        one("date", format="dd.MM.yyyy", minimum="31.01.2024", unique=True),
        good("31.01.2024", "01.02.2024") + bad("minimum", "30.12.2023"),
        says={"unique": "0 of 3, 0 null: passed"},
    ),
    "a timestamp has seconds": Case(
        one("timestamp", unique=True),
        good("2024-02-29T10:00:00", "2024-02-29 10:00:00.5", "2024-02-29T10:00:00.123456"),
        csv=bad("logicalType", "2024-02-29", "2024-02-29T10:00", "2024-02-29T10:00:00.1234567", "2024-02-29T24:00:00"),
        jsonl=bad("logicalType", '"2024-02-29"', '"2024-02-29T10:00"', "1709200800"),
    ),
    "a time ends before 24:00": Case(
        one("time", minimum="08:00"),
        good("08:00", "23:59:59.999999") + bad("minimum", "07:59:59") + bad("logicalType", "24:00", "8:00", "13:60"),
    ),
}
YEARS: dict[str, Meaning] = {
    "a year has four digits": Case(
        one("date", format="dd.MM.yyyy", minimum="01.01.2000"),
        good("31.01.2024") + bad("minimum", "31.01.0024"),
        csv=bad("logicalType", "31.01.24"),
        jsonl=bad("logicalType", '"31.01.24"'),
    ),
    "a pattern with a two-digit year is refused": Refused(one("date", format="dd.MM.yy")["v"], "bad-format"),
}
LEAP_SECONDS: dict[str, Meaning] = {
    "a timestamp has no leap second": Case(
        one("timestamp"),
        good("2016-12-31T23:59:59Z"),
        csv=bad("logicalType", "2016-12-31T23:59:60Z", "2016-12-31T23:59:60"),
        jsonl=bad("logicalType", '"2016-12-31T23:59:60Z"'),
    ),
    "a time of day has no leap second": Case(one("time"), good("23:59:59") + bad("logicalType", "23:59:60")),
}
ZONES: dict[str, Meaning] = {
    "without an offset it is UTC": Case(
        one("timestamp", unique=True),
        good("2024-01-01T10:00:00", "2024-01-01T10:00:00Z", "2024-01-01 11:00:00+01:00", "2024-01-01T11:00:00Z"),
        says={"unique": "3 of 4, 0 null: failed"},
    ),
    "timezone true requires an offset": Case(
        one("timestamp", timezone=True),
        good("2024-01-01T10:00:00Z"),
        csv=bad("logicalType", "2024-01-01T10:00:00"),
        jsonl=bad("logicalType", '"2024-01-01T10:00:00"'),
    ),
    "timezone false refuses an offset": Case(
        one("timestamp", timezone=False),
        good("2024-01-01T10:00:00"),
        csv=bad("logicalType", "2024-01-01T10:00:00Z", "2024-01-01T10:00:00+01:00"),
        jsonl=bad("logicalType", '"2024-01-01T10:00:00Z"'),
    ),
    "defaultTimezone is the zone without an offset": Case(
        one("timestamp", defaultTimezone=BERLIN, unique=True),
        good("2024-01-01T10:00:00", "2024-01-01T09:00:00Z", "2024-07-01T10:00:00", "2024-07-01T08:00:00Z"),
        says={"unique": "4 of 4, 0 null: failed"},
    ),
    "a skipped hour is not a timestamp": Case(
        one("timestamp", defaultTimezone=BERLIN),
        good("2024-03-31T01:59:59", "2024-03-31T03:00:00"),
        csv=bad("logicalType", "2024-03-31T02:00:00", "2024-03-31T02:59:59.999999"),
        jsonl=bad("logicalType", '"2024-03-31T02:30:00"'),
    ),
    "an hour shown twice means the first": Case(
        one("timestamp", defaultTimezone=BERLIN, unique=True),
        good("2024-10-27T02:30:00", "2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"),
        says={"unique": "2 of 3, 0 null: failed"},
    ),
    "an offset is at most 18:00": Case(
        one("timestamp"),
        good("2024-01-01T00:00:00+18:00", "2024-01-01T00:00:00-18:00"),
        csv=bad("logicalType", "2024-01-01T00:00:00+18:01", "2024-01-01T00:00:00+01:60", "2024-01-01T00:00:00+2"),
        jsonl=bad("logicalType", '"2024-01-01T00:00:00-18:01"'),
    ),
    "a day has no zone": Case(
        one("date"),
        csv=bad("logicalType", "2024-01-01Z", "2024-01-01+01:00"),
        jsonl=bad("logicalType", '"2024-01-01Z"'),
    ),
}
