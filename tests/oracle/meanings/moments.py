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
IN_FILES: dict[str, Meaning] = {
    "files may write dates in formats of their own": Case(
        one("date", minimum="2024-07-03"),
        csv=good("3.7.2024", "04.07.2024", "5.07.24")
        + bad("minimum", "2.7.2024", "3.7.50")
        + bad("logicalType", "31.6.2024", "3.7.024", "2024-07-03", "3/7/2024", "003.7.2024"),
        values_block={"columns": {"@v": {"formats": ["d.M.yyyy", "d.M.yy"], "century": 1950}}},
    ),
    "names of months and days are of a language": Case(
        one("date"),
        csv=good("Mi 3. Juli 2024", "DO 4. JULI 2024", "fr 5. juli 2024", "Di 1. März 2022")
        + bad(
            "logicalType", "Mo 3. Juli 2024", "Wed 3. Juli 2024", "Mi 3. July 2024", "mI 3. Juli 2024", "3. Juli 2024"
        ),
        values_block={"columns": {"@v": {"formats": ["EEE d. MMMM yyyy"], "language": "de"}}},
    ),
    "days of a year are counted": Case(
        one("date", enum=[{"value": "2024-12-31"}]),
        csv=good("2024366") + bad("enum", "2023365") + bad("logicalType", "2023366", "2024000", "202436"),
        values_block={"columns": {"@v": {"formats": ["yyyyDDD"]}}},
    ),
    "a day of a spreadsheet is a number": Case(
        one("date", minimum="1900-03-01"),
        csv=good("61", "45476", "45476.0", "2958465")
        + bad("minimum", "59", "1")
        + bad("logicalType", "60", "0", "-1", "45476.5", "2958466"),
        values_block={"columns": {"@v": {"formats": ["excelDays"]}}},
    ),
    "a day of a spreadsheet may count from 1904": Case(
        one("timestamp", minimum="1904-01-01T12:00:00"),
        csv=good("0.5", "60", "44014.25") + bad("minimum", "0", "0.4999") + bad("logicalType", "-1", "x"),
        values_block={"columns": {"@v": {"formats": ["excelDays1904"]}}},
    ),
    "hours up to 12 have their half of the day": Case(
        one("timestamp", minimum="2024-07-03T12:00:00", defaultTimezone=BERLIN),
        csv=good("7/3/2024 12:00 PM", "7/3/2024 1:05 pm", "7/04/2024 12:30 AM")
        + bad("minimum", "7/3/2024 11:59 AM")
        + bad("logicalType", "7/3/2024 13:00 PM", "7/3/2024 0:30 AM", "7/3/2024 1:05", "3/31/2024 2:30 AM"),
        values_block={"columns": {"@v": {"formats": ["M/d/yyyy h:mm a"]}}},
    ),
    "seconds since 1970 are moments": Case(
        one("timestamp", minimum="2024-07-03T14:05:09Z"),
        csv=good("1720015509", "1720015509.5")
        + bad("minimum", "1720015508.999999", "-1")
        + bad("logicalType", "+1720015509", "1.72e9", "253402300800", "2024-07-03T14:05:09Z"),
        values_block={"columns": {"@v": {"formats": ["epochSeconds"]}}},
    ),
    "numbers of JSON may count seconds": Case(
        one("timestamp", minimum="2024-07-03T14:05:09Z"),
        jsonl=good("1720015509", '"1720015509"', "1720015509.5")
        + bad("minimum", "1720015508", '"-1"')
        + bad("logicalType", '"2024-07-03T14:05:09Z"', "true", '"x"', "253402300800"),
        values_block={"columns": {"@v": {"formats": ["epochSeconds"]}}},
    ),
    "texts and numbers of JSON may be days": Case(
        one("date", minimum="2024-07-03"),
        jsonl=good("20240703", '"20240704"', '"3.7.2024"')
        + bad("minimum", "20240702", '"2.7.2024"')
        + bad("logicalType", '"2024-07-03"', "20240732", "true", '""'),
        values_block={"columns": {"@v": {"formats": ["yyyyMMdd", "d.M.yyyy"]}}},
    ),
    "zeros may stand for no date": Case(
        one("date", required=True),
        csv=good("20240703") + bad("required", "00000000", "") + bad("logicalType", "0000-00-00", "20240700"),
        values_block={"columns": {"@v": {"formats": ["yyyyMMdd"], "nullValues": ["", "00000000"]}}},
    ),
    "formats of all columns are of the types that they write": Case(
        {"v": {"logicalType": "date"}, "w": {"logicalType": "timestamp"}, "x": {"logicalType": "string"}},
        csv=good(("3.7.2024", "3.7.2024 14:05", "2024-07-03"))
        + bad("logicalType", ("2024-07-03", "3.7.2024 14:05", "a"))
        + bad("w.logicalType", ("3.7.2024", "3.7.2024", "a")),
        values_block={"formats": ["d.M.yyyy", "d.M.yyyy H:mm"]},
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
