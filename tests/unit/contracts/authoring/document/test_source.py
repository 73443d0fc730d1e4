"""YAML of contracts: every odd text is a finding with its position, values stay as the file writes them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from contracts.authoring.document import source
from contracts.authoring.document.document import Document
from contracts.authoring.document.source import MOST_BYTES, MOST_DEPTH


def read(text: str) -> Document:
    return source.read(text.encode(), "c.yaml")


UNREADABLE = {
    "nothing": ("", 1, 1, "empty-file"),
    "comments only": ("# later\n", 1, 1, "empty-file"),
    "two documents": ("a: 1\n---\nb: 2\n", 2, 1, "two-documents"),
    "tab": ("a:\n\tb: 1\n", 2, 1, "yaml-syntax"),
    "quote not closed": ('a: "b\nc: 1\n', 3, 1, "yaml-syntax"),
    "bracket not closed": ("a: [1, 2\nb: 3\n", 2, 2, "yaml-syntax"),
    "colon in text": ("a: b: c\n", 1, 5, "yaml-syntax"),
    "control character": ("a: \x01\n", 1, 4, "yaml-syntax"),
    "unknown alias": ("a: *b\n", 1, 4, "unknown-alias"),
    "alias of itself": ("a: &x [*x]\n", 1, 8, "unknown-alias"),
    "mapping as a key": ("{a: 1}: 2\n", 1, 1, "complex-key"),
    "brackets without end": ("[" * 5000, 1, MOST_DEPTH + 2, "too-deep"),
}


@pytest.mark.parametrize(("text", "line", "column", "code"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable_text_is_one_placed_finding(text: str, line: int, column: int, code: str) -> None:
    document = read(text)
    assert [(f.line, f.column, f.code) for f in document.findings] == [(line, column, code)]
    assert document.data is None


def test_aliases_that_multiply_are_stopped() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert [f.code for f in read("\n".join(lines)).findings] == ["too-large"]


def test_bytes_that_are_no_text_are_found_in_their_line() -> None:
    (finding,) = source.read(b"a: 1\nb: \xff\n", "c.yaml").findings
    assert (finding.line, finding.column, finding.code) == (2, 4, "not-utf-8")


def test_file_that_is_too_large_is_not_parsed() -> None:
    (finding,) = source.read(b"a" * (MOST_BYTES + 1), "c.yaml").findings
    assert finding.code == "too-large"


def test_byte_order_mark_is_no_part_of_the_text() -> None:
    assert source.read(b"\xef\xbb\xbfa: 1\n", "c.yaml").data == {"a": 1}


def test_first_of_two_equal_keys_counts() -> None:
    document = read("a: 1\nb: 2\na: 3\n")
    assert document.data == {"a": 1, "b": 2}
    assert [(f.line, f.code) for f in document.findings] == [(3, "duplicate-key")]


VALUES = {
    "1": 1,
    "-0": 0,
    "0.10": Decimal("0.10"),
    "1e3": Decimal("1e3"),
    "12345678901234567890.123456789": Decimal("12345678901234567890.123456789"),
    "007": "007",
    "0x1F": "0x1F",
    "1_000": "1_000",
    "10:30": "10:30",
    "2026-01-31": "2026-01-31",
    "1e999": "1e999",
    "9" * 200: "9" * 200,
    ".nan": ".nan",
    "": None,
    "~": None,
    "true": True,
    "No": False,
    '"1"': "1",
    "'no'": "no",
    "!!str 5": "5",
    "text": "text",
}


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=VALUES.keys())
def test_scalar_keeps_what_the_file_says(text: str, value: object) -> None:
    data = read(f"a: {text}\n").data
    assert data == {"a": value}
    assert type(data["a"]) is type(value)


def test_keys_are_always_text() -> None:
    assert read("no: 1\n2: b\n~: c\n").data == {"no": 1, "2": "b", "~": "c"}


def test_aliases_stand_for_what_they_name() -> None:
    document = read("a: &x {b: [1, 2]}\nc: *x\n")
    assert document.data["c"] == {"b": [1, 2]}
    assert document.place(("c", "b", 1)).line == 1


def test_place_of_what_is_absent_is_its_parents() -> None:
    document = read("a:\n  b: 1\n")
    assert (document.place(("a", "z", 3)).line, document.place(("a", "b"), on_key=True).column) == (2, 3)
