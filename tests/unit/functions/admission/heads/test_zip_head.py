"""Zip archives at the door: what their members hold, and which archives are not taken."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.files import zip_archive
from contracts.plan import Archive, Csv
from contracts.problem import Problem
from contracts.terms.trailer import Footer
from functions.admission.admit import Admission, admit, header_line
from functions.admission.heads import zip_head
from tests.builders import a_plan
from tests.packing import zipped

ARCHIVE = Archive("zip", "orders_*.csv")
PLAN = a_plan(archive=ARCHIVE)
ONE, TWO = b"id,note\n1,x\n", b"id,note\n2,y\n3,z\n"
GOOD = zipped({"orders_1.csv": ONE, "orders_2.csv": TWO})


def look(raw: bytes, plan: Any = PLAN) -> Admission:
    return admit(plan, "orders/1.csv", len(raw), lambda start, length: raw[start : start + length])


def codes(raw: bytes, plan: Any = PLAN) -> list[str]:
    return [problem.code for problem in look(raw, plan).problems]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_one_drop(method: int) -> None:
    raw = zipped({"orders_1.csv": ONE, "orders_2.csv": TWO}, method)
    admission = look(raw)
    assert (admission.problems, admission.header, admission.header_line) == ((), ("id", "note"), "id,note")
    assert admission.unpacked == len(ONE) + len(TWO)
    assert header_line(PLAN, len(raw), lambda start, length: raw[start : start + length]) == "id,note"


def test_archive_written_as_a_stream_is_read() -> None:
    class Stream(io.RawIOBase):
        def __init__(self) -> None:
            self.body = b""

        def writable(self) -> bool:
            return True

        def write(self, piece: Any) -> int:
            self.body += bytes(piece)
            return len(piece)

    out = Stream()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:  # sizes stand behind each member
        archive.writestr("orders_1.csv", ONE)
        archive.writestr("orders_2.csv", TWO)
    assert look(out.body).problems == ()


def test_same_content_is_that_of_all_members() -> None:
    plan = replace(PLAN, same_content="reject")
    both = zipped({"orders_a.csv": ONE + TWO})
    assert look(GOOD, plan).content == look(zipped({"orders_1.csv": ONE, "orders_2.csv": TWO}, 0), plan).content
    assert look(GOOD, plan).content == look(both, plan).content is not None
    assert look(GOOD).content is None


def _flagged(raw: bytes, *flags: tuple[int, int, int]) -> bytes:
    """The archive with values in its first entry and its first head: places in these, and what stands there."""
    changed = bytearray(raw)
    entry = raw.index(zip_archive.CENTRAL)
    for at, of_head, value in flags:
        changed[entry + at : entry + at + 2] = struct.pack("<H", value)
        if of_head:
            changed[of_head : of_head + 2] = struct.pack("<H", value)
    return bytes(changed)


def _renamed(name: bytes) -> bytes:
    assert len(name) == len("orders_1.csv")
    return GOOD.replace(b"orders_1.csv", name)


def _sized(place: int, change: int, raw: bytes = GOOD) -> bytes:
    """The archive whose first entry says another size, or another place."""
    at = raw.index(zip_archive.CENTRAL) + place
    (before,) = struct.unpack_from("<L", raw, at)
    return raw[:at] + struct.pack("<L", before + change) + raw[at + 4 :]


def _overlapping() -> bytes:
    """An archive whose second entry is the member of the first."""
    raw = bytearray(zipped({"orders_1.csv": ONE, "orders_2.csv": ONE}))
    second = raw.rindex(zip_archive.CENTRAL)
    struct.pack_into("<L", raw, second + 42, 0)
    raw[second + 46 : second + 46 + 12] = b"orders_1.csv"
    first = raw.index(zip_archive.CENTRAL)
    raw[first + 46 : first + 46 + 12] = b"orders_1.csv"
    return bytes(raw)


def _nested_bodies() -> bytes:
    """An archive whose first member is all others, as the bomb that unpacks one body again and again."""
    inner = zipped({"orders_2.csv": ONE})
    body = inner[: inner.index(zip_archive.CENTRAL)]
    outer = zipped({"orders_1.csv": body}, zipfile.ZIP_STORED)
    head = outer.index(body)
    entries = outer[outer.index(zip_archive.CENTRAL) : outer.rindex(zip_archive.END)]
    second = bytearray(inner[inner.index(zip_archive.CENTRAL) : inner.rindex(zip_archive.END)])
    struct.pack_into("<L", second, 42, head)
    start, length = outer.index(zip_archive.CENTRAL), len(entries) + len(second)
    end = struct.pack("<4s4H2LH", zip_archive.END, 0, 0, 2, 2, length, start, 0)
    return outer[:start] + entries + bytes(second) + end


def _methods(method: int) -> bytes:
    return zipped({"orders_1.csv": ONE}, method)


BAD: dict[str, tuple[bytes, str]] = {
    "plain text": (ONE, "not-compressed"),
    "another packing": (zlib.compress(ONE, wbits=31), "not-compressed"),
    "an empty archive": (zipped({}), "zip-no-member"),
    "only a folder": (zipped({"orders/": b""}), "zip-no-member"),
    "no member of the pattern": (zipped({"other.csv": ONE}), "zip-no-member"),
    "a member in a folder": (zipped({"a/orders_1.csv": ONE}), "zip-no-member"),
    "another case": (zipped({"Orders_1.csv": ONE}), "zip-no-member"),
    "another member": (zipped({"orders_1.csv": ONE, "readme.txt": b"hello"}), "zip-other-members"),
    "a member of macOS": (zipped({"orders_1.csv": ONE, "__MACOSX/._orders_1.csv": b"x"}), "zip-other-members"),
    "a zip in it": (zipped({"orders_1.csv": GOOD}), "zip-in-zip"),
    "only a zip in it": (zipped({"orders_1.zip": GOOD}), "zip-in-zip"),
    "gzip in it": (zipped({"orders_1.csv": zlib.compress(ONE, wbits=31)}), "wrong-format"),
    "a PDF in it": (zipped({"orders_1.csv": ONE, "orders_2.csv": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"}), "wrong-format"),
    "JSON in it": (zipped({"orders_1.csv": ONE, "orders_2.csv": b'[{"id": 1}]\n'}), "wrong-format"),
    "a path upwards": (zipped({"../orders_1.csv": ONE}), "zip-unsafe-name"),
    "a path upwards within": (zipped({"a/../orders_1.csv": ONE}), "zip-unsafe-name"),
    "a path upwards beside": (zipped({"orders_1.csv": ONE, "../../etc/x": b"x"}), "zip-unsafe-name"),
    "a path from the root": (zipped({"/orders_1.csv": ONE}), "zip-unsafe-name"),
    "a path from a drive": (_renamed(b"C:rders_1.csv"[:12]), "zip-unsafe-name"),
    "a backslash": (_renamed(b"orders\\1.csv"), "zip-unsafe-name"),
    "a control character": (_renamed(b"orders_\n.csv"), "zip-unsafe-name"),
    "a byte that is not UTF-8": (_flagged(_renamed(b"orders_\xff.csv"), (8, 6, 0x800)), "zip-unsafe-name"),
    "one name twice": (GOOD.replace(b"orders_2", b"orders_1"), "zip-twice"),
    "a password": (_flagged(GOOD, (8, 6, 1)), "zip-password"),
    "a password of AES": (_flagged(GOOD, (10, 8, 99)), "zip-password"),
    "a password in the head alone": (GOOD[:6] + b"\x01\x00" + GOOD[8:], "zip-password"),
    "bzip2 within": (_methods(zipfile.ZIP_BZIP2), "zip-method"),
    "LZMA within": (_methods(zipfile.ZIP_LZMA), "zip-method"),
    "Deflate64": (_flagged(GOOD, (10, 8, 9)), "zip-method"),
    "a size too small": (_sized(24, -1), "broken-zip"),
    "a size too large": (_sized(24, 1), "broken-zip"),
    "a packed size too small": (_sized(20, -1), "broken-zip"),
    "a packed size too large": (_sized(20, 1), "broken-zip"),
    "another checksum": (_sized(16, 1), "broken-zip"),
    "a place that is none": (_sized(42, 1), "broken-zip"),
    "a place behind the end": (_sized(42, 1 << 20), "broken-zip"),
    "stored, and a size that lies": (_sized(24, 1, zipped({"orders_1.csv": ONE}, 0)), "broken-zip"),
    "a place of zip64": (_sized(42, 0xFFFFFFFF - 0), "zip64"),
    "members over one another": (_nested_bodies(), "zip-overlap"),
    "one member twice": (_overlapping(), "zip-twice"),
    "cut short": (GOOD[:-1], "broken-zip"),
    "cut in half": (GOOD[: len(GOOD) // 2], "broken-zip"),
    "bytes behind": (GOOD + b"x", "broken-zip"),
    "zeros behind": (GOOD + bytes(99), "broken-zip"),
    "bytes within": (GOOD[:60] + b"x" + GOOD[60:], "broken-zip"),
    "a bomb": (zipped({"orders_1.csv": b"id,note\n" + b"1,x\n" * (17 << 20)}), "unpacks-too-large"),
    "another header": (zipped({"orders_1.csv": ONE, "orders_2.csv": b"note,id\ny,2\n"}), "zip-header-differs"),
    "a member without a header": (zipped({"orders_1.csv": ONE, "orders_2.csv": b""}), "empty-file"),
    "a column that is missing in one": (zipped({"orders_1.csv": ONE, "orders_2.csv": b"id\n2\n"}), "missing-column"),
    "members without records": (zipped({"orders_1.csv": b"id,note\n", "orders_2.csv": b"id,note"}), "no-records"),
    "too many members": (zipped({f"orders_{n}.csv": ONE for n in range(1_001)}), "zip-too-many"),
    "very many members": (zipped({f"{n}": b"" for n in range(10_001)}), "zip-too-many"),
    "very many members, of zip64": (zipped({f"{n}": b"" for n in range(65_536)}), "zip64"),
}


@pytest.mark.parametrize("name", BAD)
def test_archive_is_refused_by_name(name: str) -> None:
    raw, code = BAD[name]
    assert codes(raw) == [code]


GOOD_ONES: dict[str, bytes] = {
    "a folder beside": zipped({"orders/": b"", "orders_1.csv": ONE}),
    "a comment": zipped({"orders_1.csv": ONE}, comment=b"made by us"),
    "a comment with the sign of an end": zipped({"orders_1.csv": ONE}, comment=b"about PK and more"),
    "a name beyond ASCII": zipped({"orders_é.csv": ONE}),
    "a mark in a member": zipped({"orders_1.csv": ONE, "orders_2.csv": b"\xef\xbb\xbf" + TWO}),
    "quotes in a header": zipped({"orders_1.csv": ONE, "orders_2.csv": b'"id","note"\r\n2,y\r\n'}),
    "a member without records": zipped({"orders_1.csv": ONE, "orders_2.csv": b"id,note"}),
    "a first member without records": zipped({"orders_1.csv": b"id,note\n", "orders_2.csv": TWO}),
    "a thousand members": zipped({f"orders_{n}.csv": ONE for n in range(1_000)}),
}


@pytest.mark.parametrize("name", GOOD_ONES)
def test_archive_is_admitted(name: str) -> None:
    assert look(GOOD_ONES[name]).problems == ()


@pytest.mark.parametrize(
    "csv", [Csv(footer=Footer("Total")), Csv(skip_rows=1), Csv(record_delimiter="|"), Csv(encoding="utf-16")]
)
def test_file_with_rows_around_its_records_is_alone(csv: Csv) -> None:
    plan = a_plan(archive=ARCHIVE, csv=csv)
    assert codes(GOOD, plan) == ["zip-several-files"]
    text = ONE if csv.footer else b"A title\n" + ONE if csv.skip_rows else ONE
    text = text.replace(b"\n", b"|") if csv.record_delimiter else text.decode().encode(csv.encoding)
    admission = look(zipped({"orders_1.csv": text}), plan)
    assert (admission.problems, admission.header) == ((), ("id", "note"))


def test_other_members_may_be_ignored() -> None:
    plan = replace(PLAN, archive=replace(ARCHIVE, others="ignore"))
    raw = zipped({"readme.txt": b"hello", "orders_1.csv": ONE})
    assert (look(raw, plan).problems, look(raw, plan).unpacked) == ((), len(ONE))
    assert codes(zipped({"readme.txt": b"hello"}), plan) == ["zip-no-member"]


def test_fault_of_one_member_names_it() -> None:
    (problem,) = look(zipped({"orders_1.csv": ONE, "orders_2.csv": b"id,nope\n2,y\n"})).problems[:1]
    assert problem.message.startswith("`orders_2.csv`: ")


def test_members_without_header_may_be_empty() -> None:
    plan = replace(PLAN, csv=Csv(header=False))
    assert codes(zipped({"orders_1.csv": b"", "orders_2.csv": b"1,x\n"}), plan) == []
    assert codes(zipped({"orders_1.csv": b"", "orders_2.csv": b""}), plan) == ["empty-file"]


def test_members_of_json_lines_may_have_other_keys() -> None:
    plan = replace(PLAN, file_format="jsonl", archive=Archive("zip", "**"), csv=Csv())
    raw = zipped({"a.jsonl": b'{"id": "1"}\n', "b/c.jsonl": b'{"note": "y", "id": "2"}\n'})
    assert codes(raw, plan) == []


def test_archive_is_read_in_large_pieces() -> None:
    raw, asked = zipped({f"orders_{n}.csv": ONE for n in range(500)}), []

    def read(start: int, length: int) -> bytes:
        asked.append((start, length))
        return raw[start : start + length]

    assert admit(PLAN, "orders/1.csv", len(raw), read).problems == ()
    assert len(asked) < 10


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(GOOD)), st.binary(max_size=30), st.integers(0, 30))
def test_any_bytes_are_answered(at: int, noise: bytes, gone: int) -> None:
    raw = GOOD[:at] + noise + GOOD[at + gone :]
    answer = zip_head.unpack(ARCHIVE, lambda start, length: raw[start : start + length], len(raw), 100)
    if not isinstance(answer, Problem):
        assert {m.name: body for m, body in answer.members} == {"orders_1.csv": ONE, "orders_2.csv": TWO}
