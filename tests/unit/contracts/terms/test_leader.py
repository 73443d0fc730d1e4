"""Leaders: cells that are not what the contract and the key of the file say are problems."""

from __future__ import annotations

import pytest

from contracts.terms.leader import Leader, differences, expected, missing

PATTERNS = ("bank/{bank}_{day:%Y-%m-%d}.csv",)
KEY = "bank/north_2024-07-03.csv"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{day:%Y%m%d}", "20240703"),
        ("{day:%d.%m.%y}", "03.07.24"),
        ("{day}", "2024-07-03"),
        ("from {bank}", "from north"),
        ("v1", "v1"),
        ("", ""),
    ],
)
def test_parts_of_the_key_are_written_into_cells(text: str, wanted: str) -> None:
    assert expected(text, PATTERNS, KEY) == wanted


def test_key_of_no_pattern_says_nothing() -> None:
    assert expected("{bank}", PATTERNS, "other.csv") is None
    assert differences(Leader("H", {"2": "{bank}"}), PATTERNS, "other.csv", ("H", "x")) == []
    assert len(differences(Leader("H", {"2": "v1"}), PATTERNS, "other.csv", ("H", "x"))) == 1


def test_cells_that_differ_are_problems_with_both_texts() -> None:
    rule = Leader("H", {"2": "{day:%Y%m%d}", "3": "{bank}", "4": "v1"})

    assert differences(rule, PATTERNS, KEY, ("H", "20240703", "north", "v1", "more")) == []
    date, lacking = differences(rule, PATTERNS, KEY, ("H", "20240704", "north"))
    assert (date.code, "`20240704`" in date.message, "`20240703`" in date.message) == ("leader-differs", True, True)
    assert "Cell 4 of the leader is missing" in lacking.message


def test_leader_is_known_by_its_first_cell() -> None:
    assert missing(Leader("H"), ("H", "1")) is None
    for cells in (("D", "1"), (), None, ("h",)):
        problem = missing(Leader("H"), cells)
        assert problem
        assert problem.code == "leader-missing"
