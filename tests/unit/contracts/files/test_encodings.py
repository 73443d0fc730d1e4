"""Names of encodings: those of people and of Python lead to those of plans, which are those of the block's schema."""

from __future__ import annotations

import codecs

import pytest

from contracts.authoring.drop_block.block import schema
from contracts.files import encodings
from tests.unit.contracts.authoring.documents import a_document, a_plan, compiled


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("UTF8", "utf-8"),
        ("Latin-1", "iso-8859-1"),
        ("l1", "iso-8859-1"),
        ("CP1252", "windows-1252"),
        ("Windows-1252", "windows-1252"),
        ("latin9", "iso-8859-15"),
        ("IBM850", "cp850"),
        ("ascii", "us-ascii"),
        ("UTF-16LE", "utf-16le"),
        ("utf_16", "utf-16"),
        ("MacRoman", "macintosh"),
        ("ansi", "ansi"),
        ("a\0b", "a\0b"),
        ("\u00e9", "\u00e9"),
        ("", ""),
    ],
)
def test_name_is_found_by_its_spellings(written: str, name: str) -> None:
    assert encodings.named(written) == name


def test_schema_has_all_names() -> None:
    assert tuple(schema()["$defs"]["csv"]["properties"]["encoding"]["enum"]) == encodings.NAMES


@pytest.mark.parametrize("name", encodings.NAMES)
def test_each_codec_of_python_has_one_name(name: str) -> None:
    assert encodings.named(codecs.lookup(name).name) == name
    text = a_document(more_drop=f"csv: {{encoding: {name}}}\n")
    assert a_plan(text).csv.encoding == name


@pytest.mark.parametrize(("name", "code"), [("shift_jis", "not-built-yet"), ("ansi", "unknown-value")])
def test_other_encodings_are_refused_by_name(name: str, code: str) -> None:
    made = compiled(a_document(more_drop=f"csv: {{encoding: {name}}}\n"))
    assert [f.code for f in made.findings if f.level == "error"] == [code]


def test_gaps_are_those_of_the_codec() -> None:
    assert encodings.has_gaps("windows-1252")
    assert not any(map(encodings.has_gaps, ("utf-8", "iso-8859-1", "cp850")))
