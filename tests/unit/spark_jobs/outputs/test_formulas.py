"""Cells that a spreadsheet would run: the patterns that Java is given, in Python, which reads them the same."""

from __future__ import annotations

import csv as text_csv
import io
import re
import unicodedata
from itertools import product

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.plan import Csv
from spark_jobs.outputs.rejected_rows import formula, harmless
from spark_jobs.outputs.sure_rejected import FIRST

PATTERN = re.compile(formula(r"\Z"))
UNSEEN = (
    "", "\n", "\x0b", "\x0c", "\r", "\r\n", "\t", " ", "   ", "\x00", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u1680",
    "\u180e", "\u2003", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u202f", "\u2060",
    "\u2066", "\u3000", "\ufeff", "\ufffc", " \u200b\t\xa0", '"', '""',
)  # fmt: skip
SIGNS = ("=", "@", "+", "-", "\uff1d", "\uff20", "\uff0b", "\uff0d", "\ufe66", "\ufe6b", "\ufe62", "\ufe63", "\u2212")
DIALECTS = {
    "commas": Csv(),
    "semicolons": Csv(delimiter=";", encoding="windows-1252"),
    "tabs": Csv(delimiter="\t"),
    "bars": Csv(delimiter="|"),
    "other quotes": Csv(quote="'", escape="'"),
    "backslashes": Csv(escape="\\"),
    "other quotes and backslashes": Csv(delimiter=";", quote="'", escape="\\"),
}
MONEY = ("-17,00 €", "-$1,234.50", "-5%", "+5 %", "-€ 5", "-1.000,50\xa0£", "-¥500")
NUMBERS = ("-5", "+5.5", "-1e9", "-.5", "+1E+3", "-1,5", "-1.000,50", "-1,000.50", " -5", "-5 ", "-0", *MONEY)


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "@SUM(A1)",
        "+x",
        "-1+2",
        "\t=1",
        "\r=1",
        "\ufeff=1",
        "\uff1d1",
        "\uff20a",
        "\uff0bx",
        "\uff0dx",
        "-$5+1",
        "-5%A1",
        "-5€|x",
    ],
)
def test_cell_that_would_run_is_found(cell: str) -> None:
    assert PATTERN.match(cell)


@pytest.mark.parametrize(("unseen", "sign"), list(product(UNSEEN, SIGNS)))
def test_sign_is_found_behind_what_does_not_show(unseen: str, sign: str) -> None:
    assert PATTERN.match(f"{unseen}{sign}cmd|' /c calc'!A0")
    assert PATTERN.match(f"{unseen}{sign}1+1")


def test_no_character_that_begins_a_plain_cell_begins_a_formula() -> None:
    characters = pa.array([chr(n) for n in range(1, 0x11000) if not 0xD800 <= n <= 0xDFFF])
    plain = characters.filter(pc.match_substring_regex(characters, FIRST)).to_pylist()
    assert len(plain) > 33_000
    for character in plain:
        assert not PATTERN.match(character)
        assert not PATTERN.match(f"{character}=1+1")
        assert not PATTERN.match(f"{character}-1+1")


@pytest.mark.parametrize("cell", ["a=1", "", "5-3", "a@b.example", "x -1", "'=1", "\xe4=1", "#=1", *NUMBERS])
def test_number_or_text_is_left_alone(cell: str) -> None:
    assert not PATTERN.match(cell)
    assert harmless(cell, Csv()) == cell


def passed_over(text: str) -> str:
    """Return a cell from its first visible character on."""
    shown = (n for n, c in enumerate(text) if c != '"' and (unicodedata.category(c)[0] not in "CZ"))
    first = next(shown, len(text))
    return text[first:]


def would_run(cell: str) -> bool:
    """Return True if a spreadsheet runs a cell: the same rule as the pattern's, written in another way."""
    left = passed_over(cell)
    if left[:1] not in SIGNS:
        return False
    unit = "(?:%|[$¢£¤¥\u20a0-\u20c0])"
    number = re.match(
        rf"({unit} ?)?[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?([ \xa0\u202f]?{unit})?[ \xa0]*(?=[,;\t|\"'\n\r]|\Z)",
        left[1:],
    )
    return left[0] in "=@\uff1d\uff20\ufe66\ufe6b" or number is None


def lines_of(rows: list[list[str]], csv: Csv) -> str:
    """Rows as the job writes them."""
    text = io.StringIO()
    writer = text_csv.writer(text, lineterminator="\r\n", **csv.for_python)
    writer.writerows([[*(harmless(cell, csv) for cell in row), "7", "id.required (a value)"] for row in rows])
    return text.getvalue()


def read_by(sign: str, text: str) -> list[str]:
    """The cells that a spreadsheet finds whose sign between cells is another one."""
    return [cell for row in text_csv.reader(io.StringIO(text, newline=""), delimiter=sign) for cell in row]


BEFORE = ("", "a", "a,", "a;", "a\t", "a\n", 'a"', 'a",', 'a";', "';", "a\r")
BETWEEN = ("", " ", "\u200b", '"', ";", "\t", "\n")
PAYLOADS = [f"{before}{unseen}{sign}1+1" for before in BEFORE for unseen in BETWEEN for sign in "=@+-\uff1d"]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_no_reader_finds_a_cell_that_runs(name: str, sign: str) -> None:
    csv = DIALECTS[name]
    for payload in PAYLOADS:
        for row in ([payload, "x"], ["x", payload], ["x", payload, payload]):
            assert [cell for cell in read_by(sign, lines_of([row, ["y"]], csv)) if would_run(cell)] == [], row


PIECES = st.sampled_from(["=1+1", "@x", "+a", "-5", "-", "a", "1", " ", '"', "'", "\\", ",", ";", "\t", "|", *UNSEEN])
CELLS = st.lists(PIECES, max_size=6).map("".join).map(lambda text: text.replace("\0", ""))


@pytest.mark.parametrize("name", DIALECTS)
@given(rows=st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=2))
@settings(max_examples=150, deadline=None)
def test_no_reader_of_drawn_cells_finds_one_that_runs(name: str, rows: list[list[str]]) -> None:
    text = lines_of(rows, DIALECTS[name])
    for sign in (",", ";", "\t"):
        assert [cell for cell in read_by(sign, text) if would_run(cell)] == []


@pytest.mark.parametrize("name", DIALECTS)
@given(row=st.lists(CELLS, min_size=2, max_size=4))
@settings(max_examples=100, deadline=None)
def test_cells_come_back_but_for_what_guards_them(name: str, row: list[str]) -> None:
    csv = DIALECTS[name]
    text = io.StringIO(lines_of([row], csv), newline="")
    (back,) = text_csv.reader(text, **csv.for_python)
    assert back[-2:] == ["7", "id.required (a value)"]
    assert back[:-2] == [harmless(cell, csv) for cell in row]
    assert [cell.replace("'", "") for cell in back[:-2]] == [cell.replace("'", "") for cell in row]
