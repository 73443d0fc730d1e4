"""Dates and times as files write them: a text is read strictly, as each pattern means it, or not at all."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.values.calendar_names import LANGUAGES, LISTS, spellings
from contracts.values.date_formats import COUNTS, READ, DateFormats, iso, pieces, written

READINGS = [
    ("date", "d.M.yyyy", "3.7.2024", "2024-07-03"),
    ("date", "d.M.yyyy", "03.07.2024", "2024-07-03"),
    ("date", "dd.MM.yyyy", "3.7.2024", None),
    ("date", "d.M.yyyy", "003.7.2024", None),
    ("date", "d.M.yyyy", "31.2.2024", None),
    ("date", "d.M.yyyy", "29.2.2023", None),
    ("date", "d.M.yyyy", "29.2.2024", "2024-02-29"),
    ("date", "d.M.yyyy", "0.7.2024", None),
    ("date", "d.M.yyyy", "3.13.2024", None),
    ("date", "d.M.yyyy", "3.7.24", None),
    ("date", "d.M.yyyy", "3.7.0000", None),
    ("date", "d.M.yyyy", " 3.7.2024", None),
    ("date", "d.M.yyyy", "3.7.2024\n", None),
    ("date", "d.M.yyyy", "٣.7.2024", None),
    ("date", "d.M.yyyy", "2024-07-03", None),
    ("date", "yyyyMMdd", "20240703", "2024-07-03"),
    ("date", "yyyyMMdd", "00000000", None),
    ("date", "yyyy-MM-dd", "0000-00-00", None),
    ("date", "d.M.yy", "3.7.49", "2049-07-03"),
    ("date", "d.M.yy", "3.7.50", "1950-07-03"),
    ("date", "dd-MMM-yy", "03-Jul-24", "2024-07-03"),
    ("date", "dd-MMM-yy", "03-JUL-24", "2024-07-03"),
    ("date", "dd-MMM-yy", "03-jul-24", "2024-07-03"),
    ("date", "dd-MMM-yy", "03-jUL-24", None),
    ("date", "dd-MMM-yy", "03-July-24", None),
    ("date", "d MMMM yyyy", "3 July 2024", "2024-07-03"),
    ("date", "d MMM yyyy", "3 Sept. 2024", "2024-09-03"),
    ("date", "EEE, d MMM yyyy", "Wed, 3 Jul 2024", "2024-07-03"),
    ("date", "EEE, d MMM yyyy", "Thu, 3 Jul 2024", None),
    ("date", "EEEE d/M/yyyy", "WEDNESDAY 3/7/2024", "2024-07-03"),
    ("date", "yyyy-DDD", "2024-366", "2024-12-31"),
    ("date", "yyyy-DDD", "2023-366", None),
    ("date", "yyDDD", "24185", "2024-07-03"),
    ("date", "yyyy-DDD", "2024-000", None),
    ("date", "M/d/yyyy 00:00:00", "7/3/2024 00:00:00", "2024-07-03"),
    ("date", "yyyy'年'M'月'd'日'", "2024年7月3日", "2024-07-03"),
    ("timestamp", "M/d/yyyy h:mm a", "7/3/2024 2:05 PM", "2024-07-03T14:05:00"),
    ("timestamp", "M/d/yyyy h:mm a", "7/3/2024 12:05 am", "2024-07-03T00:05:00"),
    ("timestamp", "M/d/yyyy h:mm a", "7/3/2024 12:05 PM", "2024-07-03T12:05:00"),
    ("timestamp", "M/d/yyyy h:mm a", "7/3/2024 13:05 PM", None),
    ("timestamp", "M/d/yyyy h:mm a", "7/3/2024 0:05 AM", None),
    ("timestamp", "d.M.yyyy H:mm:ss.SSS", "3.7.2024 4:05:06.078", "2024-07-03T04:05:06.078"),
    ("timestamp", "d.M.yyyy H:mm", "3.7.2024 24:00", None),
    ("timestamp", "yyyyMMdd'T'HHmmssX", "20240703T040506+02", "2024-07-03T04:05:06+02:00"),
    ("timestamp", "yyyyMMdd'T'HHmmssX", "20240703T040506-0230", "2024-07-03T04:05:06-02:30"),
    ("timestamp", "yyyyMMdd'T'HHmmssX", "20240703T040506Z", "2024-07-03T04:05:06Z"),
    ("timestamp", "d.M.yyyy HH:mm XXX", "3.7.2024 04:05 +18:01", None),
    ("timestamp", "epochSeconds", "1720015509", "2024-07-03T14:05:09.000000Z"),
    ("timestamp", "epochSeconds", "-0.5", "1969-12-31T23:59:59.500000Z"),
    ("timestamp", "epochSeconds", "253402300799", "9999-12-31T23:59:59.000000Z"),
    ("timestamp", "epochSeconds", "253402300800", None),
    ("timestamp", "epochSeconds", "+1", None),
    ("timestamp", "epochSeconds", "1e9", None),
    ("timestamp", "epochMilliseconds", "1720015509123", "2024-07-03T14:05:09.123000Z"),
    ("timestamp", "epochMilliseconds", "1.5", None),
    ("date", "excelDays", "0", None),
    ("date", "excelDays", "1", "1900-01-01"),
    ("date", "excelDays", "59", "1900-02-28"),
    ("date", "excelDays", "60", None),
    ("date", "excelDays", "61", "1900-03-01"),
    ("date", "excelDays", "45476", "2024-07-03"),
    ("date", "excelDays", "45476.0", "2024-07-03"),
    ("date", "excelDays", "45476.5", None),
    ("date", "excelDays", "2958465", "9999-12-31"),
    ("date", "excelDays", "2958466", None),
    ("date", "excelDays", "-1", None),
    ("date", "excelDays1904", "0", "1904-01-01"),
    ("date", "excelDays1904", "60", "1904-03-01"),
    ("date", "excelDays1904", "44014", "2024-07-03"),
    ("timestamp", "excelDays", "45476.604166666664", "2024-07-03T14:30:00.000000"),
    ("timestamp", "excelDays", "60.5", None),
    ("timestamp", "excelDays", "59.9999999999", "1900-03-01T00:00:00.000000"),
    ("time", "h:mm a", "2:05 PM", "14:05:00"),
    ("time", "HHmm", "1405", "14:05:00"),
]


@pytest.mark.parametrize(("kind", "pattern", "text", "expected"), READINGS)
def test_text_is_read_as_its_pattern_means(kind: str, pattern: str, text: str, expected: str | None) -> None:
    assert iso(text, DateFormats((pattern,), 1950), kind) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "text"),
    [
        ("de", "d. MMMM yyyy", "3. März 2024"),
        ("de", "d. MMMM yyyy", "3. MÄRZ 2024"),
        ("de", "dd-MMM-yyyy", "03-Mrz-2024"),
        ("de", "EEE d.M.yyyy", "So. 3.3.2024"),
        ("fr", "d MMM yyyy", "3 mars 2024"),
        ("es", "d' de 'MMMM' de 'yyyy", "3 de marzo de 2024"),
        ("pl", "d MMMM yyyy", "3 marca 2024"),
        ("cs", "d. MMMM yyyy", "3. března 2024"),
    ],
)
def test_names_are_read_in_their_language(language: str, pattern: str, text: str) -> None:
    assert iso(text, DateFormats((pattern,), language=language), "date") == "2024-03-03"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("letters", LISTS)
def test_each_name_stands_for_one_number(letters: str, language: str) -> None:
    names = spellings(letters, language)
    listed = LISTS[letters][language].split()

    assert len(listed) == (12 if letters.startswith("M") else 7)
    for number, name in enumerate(listed, start=1):
        for text in name.split("/"):
            short = text.removesuffix(".")
            assert {names[written] for written in (text, short, short.lower(), short.upper())} == {number}


@pytest.mark.parametrize("letters", READ)
def test_digits_are_read_that_are_in_range(letters: str) -> None:
    unit, regex = READ[letters]
    if unit in ("offset", "half", "fraction"):
        return
    most = {"year": 9999, "short year": 99, "month": 12, "day": 31, "day of year": 366, "hour": 23, "half hour": 12}
    least = 0 if unit in ("hour", "minute", "second", "short year") else 1
    width = max(len(letters), 2)
    texts = {f"{n:0{size}}" for n in range(least, most.get(unit, 59) + 1) for size in {len(letters), width}}

    candidates = {f"{n:0{size}}" for size in (1, 2, 3, 4) for n in range(10_000 if size == 4 else 10**size)}
    assert {text for text in candidates if re.fullmatch(regex, text)} == texts


MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2049, 12, 31, 23, 59, 59))  # noqa: DTZ001 (of no zone)
PATTERNS = (
    "d.M.yy H:mm:ss.SSSSSS", "yyyyMMddHHmmssSSSSSS", "EEEE d MMMM yyyy hh:mm:ss.SSSSSS a", "yyDDD HHmmss.SSSSSSX",
    "MMM dd, yyyy h:mm:ss.SSSSSS a XXX",
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(moment=MOMENTS, pattern=st.sampled_from([*PATTERNS, "epochSeconds"]), language=st.sampled_from(LANGUAGES))
def test_written_moment_is_read_again(moment: datetime, pattern: str, language: str) -> None:
    formats = DateFormats((pattern,), 1950, language)

    read = iso(written(moment, pattern, formats), formats, "timestamp")

    assert read is not None
    assert datetime.fromisoformat(read.removesuffix("Z")) == moment


@settings(max_examples=200, deadline=None)
@given(day=st.dates(date(1904, 1, 2), date(9999, 12, 31)), word=st.sampled_from(["excelDays", "excelDays1904"]))
def test_day_of_a_spreadsheet_is_counted_and_read_again(day: date, word: str) -> None:
    formats = DateFormats((word,))
    text = written(datetime.combine(day, datetime.min.time()), word, formats)

    assert iso(text, formats, "date") == day.isoformat()
    assert int(text) == (day - date(1899, 12, 30) - timedelta(days=1462 if word.endswith("1904") else 0)).days


def test_first_format_that_fits_reads_a_text() -> None:
    formats = DateFormats(("d.M.yyyy", "yyyy-MM-dd"))

    assert [iso(text, formats, "date") for text in ("3.7.2024", "2024-07-03", "3/7/2024")] == ["2024-07-03"] * 2 + [
        None
    ]


def test_unread_letters_are_an_error() -> None:
    with pytest.raises(KeyError):
        pieces("YYYY", "en")


def test_words_are_no_patterns_of_letters() -> None:
    for word in COUNTS:
        with pytest.raises(KeyError):
            pieces(word, "en")
