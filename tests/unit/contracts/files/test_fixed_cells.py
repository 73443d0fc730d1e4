"""Lines of fixed width: slices in characters and in bytes, padding on each side, and lines that are short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.files import byte_patterns, encodings, fixed_cells
from contracts.terms.fixed_width import Align, Field, Fixed, Slice
from tests.layouts import FIELDS, plan_of

LINE = "D0012341234567-Ada  "


def test_cells_are_slices_without_padding() -> None:
    assert fixed_cells.cells(plan_of(), LINE) == ("001234", "1234567-", "Ada")
    assert fixed_cells.cells(plan_of(), LINE[:17]) == ("001234", "1234567-", "Ad")
    assert fixed_cells.cells(plan_of(), "") == ("", "", "")


@pytest.mark.parametrize(
    ("text", "padding", "align", "cell"),
    [
        ("  a ", " ", "any", "a"),
        ("  a ", " ", "left", "  a"),
        ("  a ", " ", "right", "a "),
        ("a b ", " ", "any", "a b"),
        ("    ", " ", "any", ""),
        ("\ta\t ", " ", "any", "\ta\t"),
        ("0012", "0", "right", "12"),
        ("0010", "0", "right", "10"),
        ("0000", "0", "right", "0"),
        ("00-1", "0", "right", "-1"),
        ("    ", "0", "right", ""),
        ("    ", "*", "left", ""),
        ("**1*", "*", "right", "1*"),
        ("****", "*", "right", ""),
        ("", "0", "right", ""),
    ],
)
def test_padding_is_no_part_of_a_cell(text: str, padding: str, align: Align, cell: str) -> None:
    assert Field("x", 1, 4, padding, align).cell(text) == cell


@given(st.text("ab0 ", max_size=6), st.sampled_from([(" ", "left"), (" ", "right"), ("0", "right"), (" ", "any")]))
def test_written_cell_is_read_again(text: str, kind: tuple[str, Align]) -> None:
    field = Field("x", 1, 6, *kind)
    cell = field.cell(text)

    assert len(field.filled(cell)) == 6
    assert field.cell(field.filled(cell)) == cell


@pytest.mark.parametrize(
    ("short", "fitting"), [(False, {20}), (True, {0, 1, 7, 15, 16, 17, 18, 19, 20})]
)  # in the last field the value stands on the left; no line ends within another
def test_line_ends_within_no_value(short: bool, fitting: set[int]) -> None:
    fixed = plan_of({"shortLines": "accept" if short else "reject"}).fixed

    assert fixed
    assert {n for n in range(25) if fixed.fits(n)} == fitting


def test_bytes_count_where_the_layout_says_so() -> None:
    plan = plan_of({"unit": "bytes"})

    assert fixed_cells.length(plan, LINE) == 20
    assert fixed_cells.length(plan, LINE.replace("Ada", "Äda")) == 21
    assert fixed_cells.cells(plan, "D001234" + "12345678" + "Äda ")[2] == "Äda"
    assert fixed_cells.cells(plan, "D001234" + "12345678" + "abcdÄ")[2] == "abcd\ufffd"


def test_line_of_cells_is_read_again() -> None:
    plan = plan_of({"record": {"begins": "D"}})
    cells = ("001234", "1234567-", "Ada")

    assert fixed_cells.written(plan, cells) == LINE
    assert fixed_cells.cells(plan, LINE) == cells


def test_leader_and_trailer_are_their_stretches() -> None:
    stretches = [{"start": 2, "length": 3, "text": "x"}]
    plan = plan_of(
        {
            "leader": {"begins": "HD", "is": stretches},
            "trailer": {
                "begins": "T",
                "rows": {"start": 2, "length": 4},
                "sums": {"amount": {"start": 6, "length": 9}},
            },
        }
    )
    assert fixed_cells.leader(plan, "HDabc") == ("HD", "Dab")
    assert fixed_cells.trailer(plan, "T  12  3.45") == ("T", "12", "3.45")
    assert fixed_cells.trailer(plan, "T") == ("T", "", "")


def test_stretch_is_named_like_in_layouts() -> None:
    assert [Slice(11, 12).words, Slice(3, 1).words] == ["11-22", "3"]
    assert [Fixed((), 1).wanted, Fixed((), 1200, "bytes").wanted] == ["1 character", "1,200 bytes"]
    assert FIELDS[0]["start"] == 2


@pytest.mark.parametrize("name", byte_patterns.CHARACTERS)
def test_character_has_as_many_bytes_as_it_came_from(name: str) -> None:
    """A line is decoded and encoded again to be sliced in bytes: its places must be those of the file."""
    pairs = (bytes([a, b]) for a in range(0x80, 0x100) for b in range(0x100))
    triples = (bytes([0x8F, a, b]) for a in range(0xA1, 0xFF) for b in range(0xA1, 0xFF)) if name == "euc-jp" else ()
    texts = [raw for raw in (*pairs, *triples) if encodings.flaw(raw, name) is None]

    assert [raw for raw in texts if len(raw.decode(name).encode(name, "replace")) != len(raw)] == []
