"""The rows above the records: they are read alike out of a file and out of their own text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.files import csv_top
from contracts.files.csv_top import Top
from contracts.plan import Csv

SEMICOLON = Csv(";")
CASES: dict[str, tuple[Csv, str, str, tuple[str, ...]]] = {
    "plain": (SEMICOLON, "id;n\n1;2\n", "id;n\n", ("id", "n")),
    "skipped": (Csv(";", skip_rows=2), "t\n\nid;n\n1;2\n", "t\n\nid;n\n", ("id", "n")),
    "until": (Csv(";", skip_until="^id;"), "t\r\nx;id;\r\nid;n\r\nid;2\r\n", "t\r\nx;id;\r\nid;n\r\n", ("id", "n")),
    "several names": (Csv(";", header_rows=(1, 2)), "a;b;\nx;;z\n1;2;3\n", "a;b;\nx;;z\n", ("a x", "b", "z")),
    "shorter names": (Csv(";", header_rows=(1, 2)), "a;b\nx\n", "a;b\nx\n", ("a x", "b")),
    "units above": (Csv(";", header_rows=(2,), comment_rows=(1,)), "EUR\na;b\n1;2\n", "EUR\na;b\n", ("a", "b")),
    "units below": (Csv(";", comment_rows=(2,)), "a;b\rEUR\r1;2\r", "a;b\rEUR\r", ("a", "b")),
    "separator": (Csv(";", separator_line=True, skip_rows=1), "sep=;\nt\na;b\n", "sep=;\nt\na;b\n", ("a", "b")),
    "its absence": (Csv(";", separator_line=True), "a;b\n1;2\n", "a;b\n", ("a", "b")),
    "its quotes": (Csv(";", separator_line=True), '"sep=;"\na;b\n', '"sep=;"\na;b\n', ("a", "b")),
    "tabs": (Csv("\t", separator_line=True), "sep=\\t\na\tb\n", "sep=\\t\na\tb\n", ("a", "b")),
    "quotes": (Csv(";", multi_line=True, skip_rows=1), '"t\nt"\na;"b\nc"\n1;2\n', '"t\nt"\na;"b\nc"\n', ("a", "b\nc")),
    "a mark": (Csv(";", skip_until="^id;"), "\ufeffid;n\n1;2\n", "\ufeffid;n\n", ("id", "n")),
    "no header": (Csv(";", header=False, skip_until="^1;"), "t\n\n1;2\n", "t\n\n", ()),
    "nothing above": (Csv(";", header=False, skip_until="^1;"), "1;2\n", "", ()),
    "comments": (Csv(";", comment_char="#"), "# t\n\ufeff\na;b\n1;2\n", "# t\n\ufeff\n", ("\ufeff",)),
    "comments above": (Csv(";", comment_char="#"), "# t\n#;\na;b\n# u\n1;2\n", "# t\n#;\na;b\n", ("a", "b")),
    "comments between": (
        Csv(";", comment_char="#", skip_rows=1, header_rows=(1, 2)),
        "# t\na;b\n# u\nx;y\n1;2\n",
        "# t\na;b\n# u\nx;y\n",
        ("a x", "b y"),
    ),
    "quotes in comments": (
        Csv(";", comment_char="#", multi_line=True),
        '# "t\na;"b\n# c"\n1;2\n',
        '# "t\na;"b\n# c"\n',
        ("a", "b\n# c"),
    ),
    "header alone": (Csv(";", skip_rows=1), "t\nid;n", "t\nid;n", ("id", "n")),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_read_alike_twice(name: str) -> None:
    csv, text, wanted, names = CASES[name]
    top = csv_top.read(csv, text, whole=True)

    assert isinstance(top, Top)
    assert (top.text, csv_top.columns(csv, top)) == (wanted, names)
    assert csv_top.again(csv, wanted) == top


FAULTS: dict[str, tuple[Csv, str, bool, csv_top.Fault]] = {
    "too short": (Csv(skip_rows=2), "t\nid\n", True, "short"),
    "cut": (Csv(skip_rows=2), "t\n\nid,", False, "endless"),
    "cut at CR": (Csv(skip_rows=2), "t\n\nid\r", False, "endless"),
    "no such row": (Csv(skip_until="^x$"), "t\nid\n", True, "until"),
    "other sign": (Csv(separator_line=True), "sep=;\na;b\n", True, "separator"),
    "no sign": (Csv(separator_line=True), "sep=\na;b\n", True, "separator"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_other_rows_are_a_fault(name: str) -> None:
    csv, text, whole, fault = FAULTS[name]

    assert csv_top.read(csv, text, whole=whole) == fault


def test_only_rows_with_text_are_numbered() -> None:
    top = csv_top.read(Csv(skip_rows=3), "\ufeff\nt\n\nid\n", whole=True)

    assert isinstance(top, Top)
    assert (top.texts, top.filled) == (("", "t", "", "id"), ("t", "id"))


def test_quote_that_never_closes_is_no_name() -> None:
    csv = Csv(skip_rows=1)
    top = csv_top.read(csv, 't\n"a,b\n', whole=True)

    assert isinstance(top, Top)
    assert csv_top.columns(csv, top) is None
    assert csv_top.columns(csv, csv_top.again(csv, "")) == ()


def test_long_quoted_text_takes_little_time() -> None:
    text = '"' + "a\n" * 30_000

    assert csv_top.read(replace(SEMICOLON, multi_line=True, skip_rows=1), text, whole=True) == "short"
