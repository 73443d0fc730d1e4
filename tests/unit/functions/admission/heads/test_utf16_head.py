"""Files in UTF-16 at the door: the header in each byte order, and files that are in another encoding."""

from __future__ import annotations

import codecs
from dataclasses import replace

import pytest

from contracts.plan import Csv, Plan
from functions.admission.admit import SAMPLE, Admission, admit
from functions.admission.heads import utf16_head
from tests.unit.contracts.authoring.documents import a_document, a_plan

LE, BE = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
NAMES = ("utf-16", "utf-16le", "utf-16be")


def agreed(encoding: str, **csv: object) -> Plan:
    plan = a_plan(a_document(more_drop="csv: {nullValues: ['']}\n"))
    return replace(plan, csv=replace(Csv(encoding=encoding), **csv))  # type: ignore[arg-type]


def admitted(encoding: str, body: bytes, **csv: object) -> Admission:
    return admit(agreed(encoding, **csv), "orders/1.csv", len(body), lambda start, length: body[start : start + length])


def a_text(header: bool = True) -> str:
    names = [p.name for p in agreed("utf-16").properties]
    row = ",".join("1" for _ in names)
    return "\r\n".join([*([",".join(names)] if header else []), row, row, ""])


def in_bytes(text: str, encoding: str, mark: bytes = b"") -> bytes:
    return mark + text.encode("utf-16-be" if encoding == "utf-16be" else "utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("utf-16", in_bytes(a_text(), "utf-16le", LE)),
        ("utf-16", in_bytes(a_text(), "utf-16be", BE)),
        ("utf-16le", in_bytes(a_text(), "utf-16le")),
        ("utf-16le", in_bytes(a_text(), "utf-16le", LE)),
        ("utf-16be", in_bytes(a_text(), "utf-16be")),
        ("utf-16be", in_bytes(a_text(), "utf-16be", BE)),
    ],
)
def test_agreed_file_is_admitted_with_its_header(encoding: str, body: bytes) -> None:
    admission = admitted(encoding, body)
    assert admission.problems == ()
    assert admission.header == tuple(p.name for p in agreed(encoding).properties)
    assert admission.header_line.removeprefix("\ufeff") == a_text().split("\r")[0]


WITHOUT_MARK = "The file has no byte order mark"
OTHERS = {
    "UTF-8": a_text().encode(),
    "UTF-8 with a mark": codecs.BOM_UTF8 + a_text().encode(),
    "windows-1252": a_text().replace("1", "é").encode("cp1252"),
    "UTF-32": a_text().encode("utf-32"),
    "UTF-32 without a mark": a_text().encode("utf-32-be"),
    "without a mark": in_bytes(a_text(), "utf-16le"),
    "LE": in_bytes(a_text(), "utf-16le", LE),
    "BE": in_bytes(a_text(), "utf-16be", BE),
    "BE without a mark": in_bytes(a_text(), "utf-16be"),
}


@pytest.mark.parametrize(
    ("encoding", "name", "message"),
    [
        *((e, "UTF-8", "The file is written in UTF-8; the contract requires") for e in NAMES),
        *((e, "UTF-8 with a mark", "The file is written in UTF-8; the contract requires") for e in NAMES),
        *((e, "windows-1252", "The file is written in an encoding of one byte a character; ") for e in NAMES),
        *((e, "UTF-32", "The file is written in UTF-32; the contract requires") for e in NAMES),
        *((e, "UTF-32 without a mark", "The file is written in UTF-32; the contract requires") for e in NAMES),
        ("utf-16", "without a mark", WITHOUT_MARK),
        ("utf-16", "BE without a mark", WITHOUT_MARK),
        ("utf-16le", "BE", "The file is written in UTF-16BE; the contract requires UTF-16LE."),
        ("utf-16le", "BE without a mark", "The file is written in UTF-16BE; the contract requires UTF-16LE."),
        ("utf-16be", "LE", "The file is written in UTF-16LE; the contract requires UTF-16BE."),
        ("utf-16be", "without a mark", "The file is written in UTF-16LE; the contract requires UTF-16BE."),
    ],
)
def test_other_encodings_are_refused_by_name(encoding: str, name: str, message: str) -> None:
    (problem,) = admitted(encoding, OTHERS[name]).problems
    assert (problem.code, problem.message[: len(message)]) == ("wrong-encoding", message)


def test_missing_mark_leads_to_the_order_that_is_there() -> None:
    fixes = [admitted("utf-16", OTHERS[name]).problems[0].fix for name in ("without a mark", "BE without a mark")]
    assert ["`utf-16le`" in fixes[0], "`utf-16be`" in fixes[1]] == [True, True]


@pytest.mark.parametrize("tail", ["2,\ud800\r\n".encode("utf-16-le", "surrogatepass"), b"2\0,\0x"])
def test_half_a_character_is_refused_with_its_line(tail: bytes) -> None:
    (problem,) = admitted("utf-16", in_bytes(a_text(), "utf-16le", LE) + tail).problems
    assert problem.message == "Line 4 holds half of a character, which is not text in UTF-16."
    assert problem.place is not None
    assert (problem.place.record, problem.place.line) == (3, 4)


@pytest.mark.parametrize("cut", range(2, 11))
def test_sample_may_end_within_a_character(cut: int) -> None:
    size, text = utf16_head.in_utf8(agreed("utf-16le"), 100, in_bytes("a\U0001f600b\u4e0a", "utf-16le")[:cut])  # type: ignore[misc]
    assert size > len(text)
    assert "a\U0001f600b\u4e0a".startswith(text.decode())


def test_large_file_is_admitted_by_its_beginning() -> None:
    body = in_bytes(a_text() + a_text(header=False) * SAMPLE, "utf-16be", BE)
    assert admitted("utf-16", body).problems == ()


def test_headerless_file_is_admitted() -> None:
    assert admitted("utf-16", in_bytes(a_text(header=False), "utf-16le", LE), header=False).problems == ()


def test_mark_alone_is_an_empty_file() -> None:
    assert [p.code for p in admitted("utf-16", LE).problems] == ["empty-file"]


@pytest.mark.parametrize("text", ["一一一一\r\n", "\u0a05\u2000\n", "\u3000x\n"])
def test_letters_beyond_ascii_turn_no_order(text: str) -> None:
    assert not utf16_head._is_back_to_front(text.encode("utf-16-le"), "utf-16le")
