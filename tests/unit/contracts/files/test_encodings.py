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
        ("windows-31j", "cp932"),
        ("Windows_31J", "cp932"),
        ("ms932", "cp932"),
        ("EUC_JP", "euc-jp"),
        ("GB18030-2000", "gb18030"),
        ("uhc", "cp949"),
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


@pytest.mark.parametrize(
    ("data", "name", "whole", "at"),
    [
        (b"a,b\n", "cp932", True, None),
        ("表,ｱ".encode("cp932"), "cp932", True, None),
        ("表".encode("cp932")[:1], "cp932", True, 0),
        (b"a" + "表".encode("cp932")[:1], "cp932", False, None),
        (b"a\x80bcdef", "cp932", False, 1),  # Python reads it, and Java does not
        (b"ab\xa1\x5a,c", "big5", True, 2),
        (b"a\xff", "gb18030", False, None),
        (b"a\xff----", "gb18030", False, 1),
        ("\U0001f600".encode("gb18030"), "gb18030", True, None),
        (b"a\xe9", "utf-8", True, 1),
        (b"a\xe9", "utf-8", False, None),
        (b"a\x81", "windows-1252", True, 1),
    ],
)
def test_first_byte_that_is_no_text_is_found(data: bytes, name: str, at: int | None, *, whole: bool) -> None:
    assert encodings.flaw(data, name, whole=whole) == at


@pytest.mark.parametrize(
    ("name", "text", "has"),
    [("cp932", "表", True), ("cp932", "é", False), ("big5", "功", True), ("gbk", "€", False), ("utf-8", "é", True)],
)
def test_text_is_in_an_encoding_or_not(name: str, text: str, *, has: bool) -> None:
    assert encodings.fits(text, name) == has


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("shift_jis", "cp932"),
        ("Shift-JIS", "cp932"),
        ("sjis", "cp932"),
        ("csShiftJIS", "cp932"),
        ("shift_jis_2004", "cp932"),
        ("gb2312", "gbk"),
        ("euc_cn", "gbk"),
        ("cp950", "big5"),
        ("MS950", "big5"),
        ("big5hkscs", "big5"),
        ("euc_jis_2004", "euc-jp"),
        ("tis620", "iso-8859-11"),
    ],
)
@pytest.mark.parametrize("of_reference", [False, True])
def test_nearest_encoding_is_named(written: str, near: str, *, of_reference: bool) -> None:
    csv = f"csv: {{encoding: {written}}}"
    drop = f"references: {{r: {{file: r.csv, {csv}}}}}" if of_reference else csv
    made = compiled(a_document(more_drop=f"{drop}\n"))
    assert [(f.code, f.fix) for f in made.findings if f.level == "error"] == [
        ("not-built-yet", f"Write `{near}`, which is nearest to it.")
    ]


def test_nearest_encoding_of_fixed_width_is_named() -> None:
    drop = "files: a/b\nproducer: shop\nformat: fixed\n"
    drop += "fixed: {encoding: sjis, fields: [{property: id, length: 2}]}\n"
    made = compiled(a_document("- {name: id, logicalType: integer}", drop=drop))
    assert [(f.code, f.fix) for f in made.findings] == [("not-built-yet", "Write `cp932`, which is nearest to it.")]


@pytest.mark.parametrize("written", ["cp037", "utf-7", "ansi", "rot13", "hz", "a\\0b"])
def test_encoding_without_a_neighbour_has_the_list(written: str) -> None:
    made = compiled(a_document(more_drop=f'csv: {{encoding: "{written}"}}\n'))
    assert [(f.code, "Write" in f.fix) for f in made.findings] == [("unknown-value", True)]
