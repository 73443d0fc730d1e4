"""The one rule of CSV's quotes, against a second reader that goes character by character."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.files.csv_cells import first_line, joined, split
from contracts.plan import Csv

DIALECTS = [
    Csv(),
    Csv(delimiter=";"),
    Csv(delimiter="\t", quote="'", escape="\\"),
    Csv(escape="\\"),
    Csv(delimiter="|", quote="'", escape="'"),
    Csv(quote=""),
    Csv(delimiter="||"),
    Csv(delimiter="||", quote=""),
    Csv(delimiter="~|~", escape="\\"),
    Csv(delimiter="\t|\t", quote="'", escape="'"),
    Csv(delimiter="\\"),
    Csv(delimiter="\\", quote=""),
    Csv(delimiter="]^-"),
    Csv(delimiter="\t", quote="", unquoted_escape="\\"),
    Csv(delimiter="||", unquoted_escape="\\", escape="\\"),
    Csv(delimiter=";", quote="'", unquoted_escape="~"),
]
BLANKS = {chr(n) for n in range(0x21)}


def read(text: str, csv: Csv) -> tuple[str, ...] | None:
    """Return the cells of a record, read character by character, by the rule of docs/reference/semantics.md."""
    cells: list[str] = []
    at = 0
    while True:
        cell_and_end = (_quoted if csv.quote and text[at : at + 1] == csv.quote else _plain)(text, at, csv)
        if cell_and_end is None:
            return None
        cell, at = cell_and_end
        cells.append(cell)
        if at >= len(text):
            return tuple(cells)
        at += len(csv.delimiter)


def _is_escape(text: str, at: int, csv: Csv) -> bool:
    return text[at] == csv.escape and text[at + 1 : at + 2] in {csv.quote, csv.escape}


def _quoted(text: str, at: int, csv: Csv) -> tuple[str, int] | None:
    cell = ""
    at += 1
    while at < len(text) and (text[at] != csv.quote or _is_escape(text, at, csv)):
        at += _is_escape(text, at, csv)
        cell += text[at]
        at += 1
    if at == len(text):
        return None
    at += 1
    while at < len(text) and not text.startswith(csv.delimiter, at):
        if text[at] not in BLANKS:
            return None
        at += 1
    return cell, at


MEANT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}


def _with_escapes(text: str, at: int, csv: Csv) -> tuple[str, int] | None:
    """Return a plain cell in which a sign escapes others, and its end."""
    cell, start, escaped = "", at, False
    while at < len(text) and not text.startswith(csv.delimiter, at):
        if text[at] == csv.unquoted_escape:
            at += 1
            sign, escaped = text[at : at + 1], True
            letters = MEANT if csv.unquoted_escape == "\\" else {}
            if sign == "N" and csv.unquoted_escape == "\\" and at == start + 1:
                at += 1
                return ("\\N", at) if at == len(text) or text.startswith(csv.delimiter, at) else None
            if not sign or sign not in {*csv.delimiter, csv.quote, csv.unquoted_escape, *letters}:
                return None
            cell += letters.get(sign, sign)
        elif csv.quote and text[at] == csv.quote:
            return None
        else:
            cell += text[at]
        at += 1
    return None if escaped and cell == "\\N" and csv.unquoted_escape == "\\" else (cell, at)


def _plain(text: str, at: int, csv: Csv) -> tuple[str, int] | None:
    if csv.unquoted_escape:
        return _with_escapes(text, at, csv)
    start = at
    while at < len(text) and not text.startswith(csv.delimiter, at):
        if csv.quote and csv.escape != csv.quote and _is_escape(text, at, csv):
            at += 1
        elif csv.quote and text[at] == csv.quote:
            return None
        at += 1
    return text[start:at], at


@given(st.text("aNn ,;|~\t\"'\\\n\r\x01é", max_size=14), st.sampled_from(DIALECTS))
@example('"', Csv())
@example('a"b', Csv())
@example('"a" ,"b"', Csv())
@example("\\N\t\\n\\\\n\t\\\\N", Csv(delimiter="\t", quote="", unquoted_escape="\\"))
@example("a|||b||", Csv(delimiter="||"))
@example("a~|~|~b", Csv(delimiter="~|~", escape="\\"))
@example("'a'\t\t|\tb", Csv(delimiter="\t|\t", quote="'", escape="'"))
@example("\\'\t'a\\\\'", Csv(delimiter="\t", quote="'", escape="\\"))
def test_cells_are_those_of_the_rule(text: str, csv: Csv) -> None:
    assert split(text, csv) == read(text, csv)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", ("",)),
        ('a,"b,c",d', ("a", "b,c", "d")),
        ('"a""b",', ('a"b', "")),
        ('"a" \x01,b', ("a", "b")),
        ('"a\r\nb",c', ("a\r\nb", "c")),
        ('5" x 3"', None),
        ('a "b, c" d', None),
        ('"a"b', None),
        (' "a"', None),
        ('"a" "b"', None),
        ('"a', None),
        ('"', None),
        ('x""', None),
    ],
)
def test_rule_of_rfc_4180(text: str, cells: tuple[str, ...] | None) -> None:
    assert split(text, Csv()) == cells


@given(
    st.lists(st.text("a ,;|~\t\"'\\\n\r\x01é", max_size=6), min_size=1, max_size=4),
    st.sampled_from([csv for csv in DIALECTS if csv.quote]),
)
def test_joined_cells_are_split_again(cells: list[str], csv: Csv) -> None:
    assert split(joined(cells, csv), csv) == tuple(cells)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\r\nc", "a,b"),
        ("a", "a"),
        ("", ""),
        ('"a\nb",c\n1', '"a\nb",c'),
        ('"a\r\n""b\r",c\r1', '"a\r\n""b\r",c'),
        ('"a\nb', None),
        ('x"y\nz', None),
    ],
)
def test_first_record_ends_outside_quotes(text: str, line: str | None) -> None:
    assert first_line(text, Csv(multi_line=True)) == line
    assert first_line(text, Csv()) == text.replace("\r", "\n").split("\n")[0]


def test_escaped_quotes_of_a_first_record_are_none() -> None:
    csv = Csv(multi_line=True, escape="\\")
    assert first_line('"a\\"\nb",c\n1', csv) == '"a\\"\nb",c'
    assert first_line('"a\\\\",c\n1', csv) == '"a\\\\",c'
