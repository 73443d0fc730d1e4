"""Numbers of spreadsheets as texts."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.files.sheets import cells


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("1.0", "1"),
        ("1", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("007", "7"),
        ("1.50", "1.5"),
        ("0.30000000000000004", "0.3"),
        ("2.2000000000000002", "2.2"),
        ("123456789012345678", "123456789012346000"),
        ("999999999999999", "999999999999999"),
        ("9999999999999999", "10000000000000000"),
        ("1E3", "1000"),
        ("1.5e-7", "0.00000015"),
        ("1E-10", "1E-10"),
        ("1.25E+300", "1.25E300"),
        ("-1e21", "-1E21"),
        ("4.9406564584124654E-324", "4.94065645841247E-324"),
    ],
)
def test_numbers_have_fifteen_digits(raw: str, text: str) -> None:
    assert cells.number(raw) == text


@pytest.mark.parametrize("raw", ["", "x", "1,5", "nan", "inf", "-Infinity", "1e999", "0x10"])
def test_no_number_is_none(raw: str) -> None:
    assert cells.number(raw) is None


@given(st.decimals(min_value=-(10**15), max_value=10**15, places=4).filter(lambda d: len(d.as_tuple().digits) <= 15))
def test_decimals_of_fifteen_digits_stay(value: Decimal) -> None:
    assert Decimal(str(cells.number(repr(float(value))))) == value


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("General", "number"),
        ("0.00", "number"),
        ("#,##0.00 [$€-407]", "number"),
        ('#,##0.00 "day"', "number"),
        ("0.00E+00", "number"),
        ("[Red]0;[Blue]-0", "number"),
        ("\\d0", "number"),
        ("0%", "number"),
        ("@", "number"),
        ("# ?/?", "number"),
        ("", "number"),
        ('"Year: "0', "number"),
        ("_-* #,##0.00_-;-* #,##0.00_-", "number"),
        ("yyyy-mm-dd", "date"),
        ("d/m/yy;@", "date"),
        ("[$-407]d. mmmm yyyy", "date"),
        ("mmm-yy", "date"),
        ("mmmm", "date"),
        ("dddd", "date"),
        ('[$-411]ge"年"m"月"d"日"', "date"),
        ("TT.MM.JJJJ".replace("T", "d").replace("J", "y"), "date"),
        ("[>0]yyyy-mm-dd", "date"),
        ("dd.mm.yyyy hh:mm", "moment"),
        ("m/d/yy h:mm AM/PM", "moment"),
        ("h:mm AM/PM", "time"),
        ("mm:ss.0", "time"),
        ("hh:mm:ss", "time"),
        ("[h]:mm:ss", "duration"),
        ("[mm]:ss", "duration"),
        ("[ss]", "duration"),
    ],
)
def test_format_tells_dates_from_numbers(code: str, kind: str) -> None:
    assert cells.kind_of(code) == kind


@pytest.mark.parametrize(
    ("raw", "kind", "text"),
    [
        ("1", "date", "1900-01-01"),
        ("59", "date", "1900-02-28"),
        ("60", "date", "1900-02-29"),
        ("61", "date", "1900-03-01"),
        ("45352", "date", "2024-03-01"),
        ("45352.5", "date", "2024-03-01T12:00:00"),
        ("45352", "moment", "2024-03-01T00:00:00"),
        ("45352.4166666667", "moment", "2024-03-01T10:00:00"),
        ("45352.999999999", "moment", "2024-03-02T00:00:00"),
        ("45352.00000001", "moment", "2024-03-01T00:00:00.001"),
        ("2958465", "date", "9999-12-31"),
        ("2958466", "date", "2958466"),
        ("-1", "date", "-1"),
        ("-1.5", "moment", "-1.5"),
        ("0", "date", "1900-01-00"),
        ("0.25", "time", "06:00:00"),
        ("0", "time", "00:00:00"),
        ("1.25", "time", "1900-01-01T06:00:00"),
        ("1.25", "duration", "30:00:00"),
        ("-0.5", "duration", "-12:00:00"),
        ("0.000005787", "duration", "00:00:00.500"),
    ],
)
def test_days_are_counted_as_spreadsheets_do(raw: str, kind: cells.Kind, text: str) -> None:
    assert cells.dated(raw, kind, since_1904=False) == text


def test_days_since_1904_count_from_its_first() -> None:
    days = [cells.dated(raw, "date", since_1904=True) for raw in ("0", "1", "60", "2957003", "2957004")]
    assert days == ["1904-01-01", "1904-01-02", "1904-03-01", "9999-12-31", "2957004"]


@given(st.dates(min_value=date(1900, 3, 1)))
def test_all_days_since_march_1900_are_right(day: date) -> None:
    assert (
        cells.dated(str((day - date(1899, 12, 30)) // timedelta(days=1)), "date", since_1904=False) == day.isoformat()
    )
