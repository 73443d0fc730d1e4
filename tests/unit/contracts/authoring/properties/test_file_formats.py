"""Formats of files: what can be read, what is wrong with others, and the letters that another tool's mean."""

from __future__ import annotations

import pytest

from contracts.authoring.properties.file_formats import LETTERS, WORDS, fault

RIGHT = (
    "d.M.yyyy", "yyyyMMdd", "dd-MMM-yy", "EEE, d MMMM yyyy", "yyyy-DDD", "yyDDD", "d.M.yyyy H:mm:ss.SSSXXX",
    "M/d/yyyy h:mm a", "HH:mm", "H'h'mm", "hh a", "epochSeconds", "excelDays1904", "yyyy-MM-dd 00:00:00",
    "yyyy'年'M'月'd'日'",
)  # fmt: skip
MEANT = {
    "DD.MM.YYYY": "dd.MM.yyyy",
    "D/M/YY": "d/M/yy",
    "dd/mm/yyyy": "dd/MM/yyyy",
    "yyyy-mm-dd hh:mm:ss": "yyyy-MM-dd HH:mm:ss",
    "YYYY-MM-DD HH:MM:SS": "yyyy-MM-dd HH:mm:ss",
    "mm/dd/yy hh:mm tt": "MM/dd/yy hh:mm a",
    "TT.MM.JJJJ": "dd.MM.yyyy",
    "%d.%m.%y": "dd.MM.yy",
    "%-d/%-m/%Y": "d/M/yyyy",
    "%d-%b-%Y %I:%M %p": "dd-MMM-yyyy hh:mm a",
    "%Y%j": "yyyyDDD",
    "DD-MON-YYYY HH24:MI:SS": "dd-MMM-yyyy HH:mm:ss",
    "ddd, d MMM yyyy": "EEE, d MMM yyyy",
    "yyyy-MM-ddTHH:mm": "yyyy-MM-dd'T'HH:mm",
    "h:mm": "H:mm",
    "H:mm a": "h:mm a",
    "yyyy-MM-dd HH:mm:ss.SSSSSSS": "yyyy-MM-dd HH:mm:ss.SSSSSS",
}
WRONG = {
    "d.M": "the year",
    "yyyy": "a month and a day",
    "yyyy-MM": "a month and a day",
    "yyyy-MM-DDD": "a month and a day",
    "yy yyyy-MM-dd": "the year, once",
    "d.M.yyyy mm": "the hour",
    "HH.SSS": "the second",
    "HH ss": "the minute",
    "HHX": "the day",
    "yyyy-MM-dd-MMM": "month twice",
    "dMyyyy": "in two ways",
    "yyyy-MM-dd'T": "not closed",
    "yyyy-MM-dd QQ": "`QQ`",
}


@pytest.mark.parametrize("pattern", RIGHT)
def test_format_is_read(pattern: str) -> None:
    assert fault(pattern) is None


@pytest.mark.parametrize("pattern", MEANT)
def test_format_of_another_tool_is_translated(pattern: str) -> None:
    wrong = fault(pattern)
    assert wrong is not None
    assert wrong.fix == f"Write `{MEANT[pattern]}`."
    assert fault(MEANT[pattern]) is None


@pytest.mark.parametrize("pattern", WRONG)
def test_fault_is_named(pattern: str) -> None:
    wrong = fault(pattern)
    assert wrong is not None
    assert WRONG[pattern] in wrong.message


@pytest.mark.parametrize("word", ["epoch", "unix", "excel", "serial", "seconds", ""])
def test_word_is_corrected(word: str) -> None:
    wrong = fault(word)
    assert wrong is not None
    assert wrong.fix == WORDS


def test_letters_that_are_read_are_listed() -> None:
    wrong = fault("yyyy-MM-dd QQ")
    assert wrong is not None
    assert wrong.fix == LETTERS
