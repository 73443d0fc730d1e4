"""Texts that two formats read differently: found whenever there are any, by both readings of every text they share."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.values.date_formats import DateFormats, iso, written
from contracts.values.date_overlap import read_differently, shared

DIFFERENT = [
    ("date", "d/M/yyyy", "M/d/yyyy", "3/7/2024"),
    ("date", "dd/MM/yy", "yy/MM/dd", "03/07/24"),
    ("date", "yyyyMMdd", "ddMMyyyy", "20121011"),
    ("date", "yyMMdd", "excelDays", "240703"),
    ("date", "excelDays", "excelDays1904", "45476"),
    ("date", "yyyyDDD", "yyyyMMd", "2024073"),
    ("timestamp", "epochSeconds", "epochMilliseconds", "1720015509"),
    ("timestamp", "yyyyMMddHHmm", "epochSeconds", "202407031405"),
    ("timestamp", "d/M/yyyy h:mm a", "M/d/yyyy h:mm a", "3/7/2024 2:05 PM"),
    ("time", "HHmm", "mmHH", "1405"),
]
ALIKE = [
    ("date", "d.M.yyyy", "d.M.yy"),
    ("date", "d.M.yyyy", "dd.MM.yyyy"),
    ("date", "dd-MMM-yyyy", "dd-MMMM-yyyy"),
    ("date", "d/M/yyyy", "yyyy-MM-dd"),
    ("date", "yyyyMMdd", "excelDays"),
    ("date", "yyyy-DDD", "yyyy-MM-dd"),
    ("timestamp", "d.M.yyyy H:mm", "d.M.yyyy HH:mm:ss"),
    ("timestamp", "M/d/yyyy h:mm a", "M/d/yyyy H:mm"),
    ("timestamp", "yyyyMMddHHmmss", "epochSeconds"),
    ("time", "H:mm", "h:mm a"),
]


@pytest.mark.parametrize(("kind", "first", "second", "text"), DIFFERENT)
def test_text_is_named_that_two_formats_read_differently(kind: str, first: str, second: str, text: str) -> None:
    formats = DateFormats((first, second), 1950)

    assert read_differently(formats, kind) == (first, second, text)
    assert len({iso(text, DateFormats((pattern,), 1950), kind) for pattern in (first, second)} - {None}) == 2


@pytest.mark.parametrize(("kind", "first", "second"), ALIKE)
def test_formats_may_share_texts_that_they_read_alike(kind: str, first: str, second: str) -> None:
    assert read_differently(DateFormats((first, second), 1950), kind) is None


@pytest.mark.parametrize("pattern", ["dMyyyy", "dMMyyyy HHmm", "yyyyMd", "Hmm"])
def test_pattern_is_named_that_reads_a_text_in_two_ways(pattern: str) -> None:
    assert (shared(pattern, pattern, DateFormats(())) is None) == (pattern in ("dMMyyyy HHmm", "Hmm"))


ORDERS = [
    between.join(parts)
    for between in ("", "/")
    for day, month, year in product(("d", "dd"), ("M", "MM"), ("yy", "yyyy"))
    for parts in ((day, month, year), (month, day, year), (year, month, day))
    if between or day + month == "ddMM"
]
DAYS = [date(2000, 1, 1) + timedelta(days=n) for n in range(0, 366 * 40, 97)]


def test_every_pair_of_orders_is_decided_as_both_readings_do() -> None:
    texts = {pattern: {written(_noon(day), pattern, DateFormats(())) for day in DAYS} for pattern in ORDERS}
    for first, second in combinations(ORDERS, 2):
        formats = DateFormats((first, second), 1950)
        if read_differently(formats, "date") is None:
            own = [DateFormats((pattern,), 1950) for pattern in (first, second)]
            for text in texts[first] | texts[second]:
                assert len({iso(text, one, "date") for one in own} - {None}) < 2, (first, second, text)


def _noon(day: date) -> datetime:
    return datetime.combine(day, datetime.min.time())


PIECES = st.permutations(["d", "M", "yyyy"]).flatmap(
    lambda order: st.tuples(
        *(
            st.sampled_from({"d": ["d", "dd"], "M": ["M", "MM", "MMM"], "yyyy": ["yy", "yyyy"]}[letters])
            for letters in order
        )
    )
)
PATTERNS = st.tuples(PIECES, st.sampled_from(["", ".", "/", " "])).map(lambda both: both[1].join(both[0]))


@settings(max_examples=150, deadline=None)
@given(first=PATTERNS, second=PATTERNS, day=st.dates(date(1950, 1, 1), date(2049, 12, 31)))
def test_named_text_is_read_differently_and_others_are_not(first: str, second: str, day: date) -> None:
    formats = DateFormats((first, second), 1950)
    own = [DateFormats((pattern,), 1950) for pattern in (first, second)]
    assume(all(shared(pattern, pattern, formats) is None for pattern in (first, second)))  # else lint refuses them
    named = read_differently(formats, "date")

    if named is not None:
        assert len({iso(named[2], one, "date") for one in own} - {None}) == 2
    else:
        drawn = [written(_noon(day), pattern, formats) for pattern in (first, second)]
        assert all(len({iso(text, one, "date") for one in own} - {None}) < 2 for text in drawn)
