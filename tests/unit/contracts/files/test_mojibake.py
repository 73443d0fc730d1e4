"""Text in another encoding than the agreed one: its problem, and the settings of a contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.authoring.diff.block_changes import BY_VALUES
from contracts.files.mojibake import ActualEncoding, Letters, example, problem
from contracts.place import Place
from contracts.plan import Csv, Plan, Policy
from tests.builders import a_plan

LATIN = Csv(encoding="iso-8859-1")


def of(policy: Policy) -> Csv:
    return Csv(encoding="iso-8859-1", mojibake=policy)


@pytest.mark.parametrize("letters", [None, Letters()])
def test_nothing_is_wrong_where_nothing_is_counted(letters: Letters | None) -> None:
    assert problem(LATIN, letters) is None


def test_bytes_that_are_no_utf_8_are_no_matter_of_guessing() -> None:
    assert problem(Csv(), Letters(1, 1)) is None


def test_utf_8_is_named_first() -> None:
    fault = problem(LATIN, Letters(2, 5))
    assert fault
    assert (fault.code, fault.level) == ("mojibake", "error")
    assert fault.message.startswith("2 records are written in UTF-8; the contract requires ISO-8859-1")


def test_windows_1252_is_named_by_its_bytes() -> None:
    fault = problem(LATIN, Letters(0, 1))
    assert fault
    assert fault.message.startswith("1 record is written in windows-1252, with bytes from 0x80 to 0x9F")


def test_contract_decides_what_becomes_of_it() -> None:
    warned = problem(of("warn"), Letters(1))
    assert warned
    assert (warned.level, problem(of("ignore"), Letters(1))) == ("warning", None)


def test_milder_word_loosens_a_contract() -> None:
    assert [BY_VALUES["mojibake"](*pair) for pair in (("reject", "warn"), ("ignore", "reject"))] == [
        "loosens",
        "tightens",
    ]


HEADER = ("id", "note", "other")


def a_latin_plan(classified: str | None = None) -> Plan:
    plan = a_plan(names=HEADER, csv=LATIN)
    secret = "secret" if classified else None
    properties = (replace(p, classification=secret if p.name == classified else None) for p in plan.properties)
    return replace(plan, properties=tuple(properties))


def read(text: str, encoding: str = "utf-8") -> str:
    return text.encode(encoding).decode("latin-1")


def test_message_shows_the_word_and_where_it_stands() -> None:
    fault = problem(LATIN, Letters(2, 0, Place(3, 4), "S\u00c3\u00a3o", "S\u00e3o"))
    assert fault
    assert "in which `São` would be read as `SÃ£o`." in fault.message
    assert fault.place == Place(3, 4)


def test_byte_of_windows_1252_is_shown_as_it_is_meant() -> None:
    fault = problem(LATIN, Letters(0, 2, Place(3, 4), "5\x80", "5€"))
    assert fault
    assert "as `5€` has there" in fault.message


@pytest.mark.parametrize(
    ("record", "kind", "word"),
    [
        (read("1,São Paulo,x"), "utf8", (read("São"), "São")),
        (read('1,"a, São","x"'), "utf8", (read("São"), "São")),
        (read("1,à la carte,x"), "utf8", (read("à"), "à")),
        (read("1,a\xa0b,x"), "utf8", (read("a\xa0b"), "a\xa0b")),
        (read("1,Москва,x"), "utf8", (read("Москва"), "Москва")),
        (read("1," + "é" * 40 + ",x"), "utf8", (read("é"), "é")),
        (read("1,ok,Grüße"), "utf8", (read("Grüße"), "Grüße")),
        (read("1,CAFÉ,5€", "cp1252"), "ansi", (read("5€", "cp1252"), "5€")),
        ("1,a\x81b,c", "ansi", None),
        ("1,a\x81b \x80,c", "ansi", ("\x80", "€")),
        (read('1,São,"x'), "utf8", (read("São"), "São")),
        (read("1,São"), "utf8", (read("São"), "São")),
    ],
)
def test_example_is_one_word(record: str, kind: ActualEncoding, word: tuple[str, str] | None) -> None:
    assert example(a_latin_plan(), HEADER, record, kind) == word


@pytest.mark.parametrize(
    ("record", "word"),
    [
        ("1,São,x", None),
        ("1,São,Grüße", (read("Grüße"), "Grüße")),
        ("1,São", None),
        ('1,"São,x', None),
    ],
)
def test_classified_words_are_no_example(record: str, word: tuple[str, str] | None) -> None:
    assert example(a_latin_plan("note"), HEADER, read(record), "utf8") == word
