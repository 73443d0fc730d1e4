"""Text in another encoding than the agreed one: what is said of it, and what a contract may allow."""

from __future__ import annotations

import pytest

from contracts.authoring.changed_block import BY_VALUES
from contracts.letters import Letters, problem
from contracts.plan import Csv, Policy

LATIN = Csv(encoding="iso-8859-1")


def of(policy: Policy) -> Csv:
    return Csv(encoding="iso-8859-1", mojibake=policy)


@pytest.mark.parametrize("letters", [None, Letters()])
def test_nothing_is_wrong_where_nothing_is_counted(letters: Letters | None) -> None:
    assert problem(LATIN, letters) is None


def test_bytes_that_are_no_utf_8_are_no_matter_of_guessing() -> None:
    assert problem(Csv(), Letters(1, 1)) is None


def test_utf_8_is_named_first() -> None:
    found = problem(LATIN, Letters(2, 5))
    assert found
    assert (found.code, found.level) == ("mojibake", "error")
    assert found.message.startswith("2 records are written in UTF-8; agreed is ISO-8859-1")


def test_windows_1252_is_named_by_its_bytes() -> None:
    found = problem(LATIN, Letters(0, 1))
    assert found
    assert found.message.startswith("1 record is written in windows-1252, with bytes from 0x80 to 0x9F")


def test_contract_decides_what_becomes_of_it() -> None:
    warned = problem(of("warn"), Letters(1))
    assert warned
    assert (warned.level, problem(of("ignore"), Letters(1))) == ("warning", None)


def test_milder_word_loosens_a_contract() -> None:
    assert [BY_VALUES["mojibake"](*pair) for pair in (("reject", "warn"), ("ignore", "reject"))] == [
        "loosens",
        "tightens",
    ]
