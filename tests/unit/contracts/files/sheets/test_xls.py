"""Forms of XLS that programs write, and what is at fault in others."""

from __future__ import annotations

import io
import struct

import pytest

from contracts.files.sheets import xls
from contracts.files.sheets.faults import Faulty
from contracts.files.sheets.opening import opened
from tests import workbooks


def record(kind: int, data: bytes = b"") -> bytes:
    """Return a record of BIFF."""
    return struct.pack("<HH", kind, len(data)) + data


def stream(cells: bytes, more: bytes = b"", version: int = 0x0600) -> bytes:
    """Return the stream of a workbook with one sheet of these cells, and more records before it."""
    name = b"\x01\x00S" if version == 0x0600 else b"\x01S"
    begin = record(0x0809, struct.pack("<HHHHII", version, 5, 0, 0, 0, 0)) + more
    at = len(begin) + 4 + 6 + len(name) + 4
    sheet = record(0x0809, struct.pack("<HHHHII", version, 0x10, 0, 0, 0, 0)) + cells + record(0x0A)
    return begin + record(0x85, struct.pack("<IH", at, 0) + name) + record(0x0A) + sheet


def rows(data: bytes) -> list[tuple[int, list[str]]]:
    """Return the rows of the sheet."""
    return list(xls.Workbook(data).rows("S"))


PLACE = struct.pack("<HHH", 0, 0, 0)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (record(0x027E, PLACE + struct.pack("<I", 100 << 2 | 2)), "100"),
        (record(0x027E, PLACE + struct.pack("<i", -5 << 2 | 3)), "-0.05"),
        (record(0x027E, PLACE + struct.pack("<I", 0x3FF80000)), "1.5"),
        (record(0x027E, PLACE + struct.pack("<I", 0x3FF80001)), "0.015"),
        (record(0x0203, PLACE + struct.pack("<d", 0.1 + 0.2)), "0.3"),
        (record(0x0204, PLACE + struct.pack("<HB", 2, 0) + b"ab"), "ab"),
        (record(0x00D6, PLACE + struct.pack("<HB", 1, 1) + "漢".encode("utf-16le") + b"\0\0"), "漢"),
        (record(0x0205, PLACE + b"\x01\x00"), "true"),
        (record(0x0205, PLACE + b"\x2a\x01"), "\0#N/A"),
        (record(0x0006, PLACE + struct.pack("<dHI", 2.5, 0, 0)), "2.5"),
        (record(0x0006, PLACE + struct.pack("<dHI", 0, 3, 0)), "\0#NOT-CALCULATED!"),
        (record(0x0006, PLACE + struct.pack("<dHI", 0, 0, 0)), "0"),
        (record(0x0006, PLACE + b"\x01\0\x01\0\0\0\xff\xff" + bytes(6)), "true"),
        (record(0x0006, PLACE + b"\x02\0\x07\0\0\0\xff\xff" + bytes(6)), "\0#DIV/0!"),
        (record(0x0006, PLACE + bytes(6) + b"\xff\xff" + bytes(6)), "\0#NOT-CALCULATED!"),
        (record(0x0006, PLACE + bytes(6) + b"\xff\xff" + bytes(6)) + record(0x0207, b"\x01\x00\x00x"), "x"),
        (record(0x0204, PLACE + struct.pack("<HB", 3, 0) + b"a\x07b"), "a_x0007_b"),
    ],
)
def test_cell_is_read_in_each_form(cell: bytes, text: str) -> None:
    assert rows(stream(cell)) == [(1, [text])]


def test_several_numbers_stand_in_one_record() -> None:
    cells = struct.pack("<HH", 1, 1) + struct.pack("<HIHI", 0, 6, 0, 10) + struct.pack("<H", 2)

    assert rows(stream(record(0x00BD, cells))) == [(2, ["", "1", "2"])]


def test_chart_within_a_sheet_is_left_out() -> None:
    chart = record(0x0809, bytes(16)) + record(0x0203, PLACE + struct.pack("<d", 9)) + record(0x0A)

    assert rows(stream(chart + record(0x0203, PLACE + struct.pack("<d", 1)))) == [(1, ["1"])]


def test_texts_run_on_in_other_widths() -> None:
    texts = struct.pack("<II", 2, 2) + struct.pack("<HB", 4, 0) + b"ab"
    more = b"\x01" + "漢字".encode("utf-16le") + struct.pack("<HBHI", 1, 0x0C, 1, 3) + b"c" + bytes(4 + 3)
    cells = b"".join(record(0x00FD, struct.pack("<HHHI", 0, n, 0, n)) for n in range(2))

    assert rows(stream(cells, record(0x00FC, texts) + record(0x003C, more))) == [(1, ["ab漢字", "c"])]


def test_excel_95_has_texts_in_a_code_page() -> None:
    text = record(0x0204, PLACE + struct.pack("<H", 2) + "яж".encode("cp1251"))

    assert rows(stream(text, record(0x42, struct.pack("<H", 1251)), 0x0500)) == [(1, ["яж"])]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (stream(b"", record(0x002F, bytes(6))), "workbook-password"),
        (record(0x0409, bytes(16)), "wrong-format"),
        (b"", "wrong-format"),
        (stream(record(0x00FD, PLACE + struct.pack("<I", 3))), "broken-workbook"),
        (stream(record(0x0203, PLACE + struct.pack("<d", float("nan")))), "broken-workbook"),
        (stream(b"")[:-6], "broken-workbook"),
    ],
)
def test_stream_at_fault_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Faulty) as raised:
        rows(data)
    assert raised.value.problem.code == code


def test_large_and_small_streams_are_found() -> None:
    small, large = workbooks.xls({"S": [["a"]]}), workbooks.xls({"S": [[f"text {n}"] for n in range(20_000)]})

    assert [len(list(opened("xls", io.BytesIO(data)).rows("S"))) for data in (small, large)] == [1, 20_000]


def test_sealed_workbook_of_any_format_needs_a_password() -> None:
    name = "EncryptedPackage".encode("utf-16le")
    data = bytearray(workbooks.xls({"S": [["a"]]}))
    at = data.find("Workbook".encode("utf-16le"))
    data[at : at + 64], data[at + 64] = name.ljust(64, b"\0"), len(name) + 2

    for agreed in ("xlsx", "xls", "ods"):
        with pytest.raises(Faulty) as raised:
            opened(agreed, io.BytesIO(data))
        assert raised.value.problem.code == "workbook-password"


def test_sectors_that_run_in_a_circle_are_refused() -> None:
    data = bytearray(workbooks.xls({"S": [["a"]]}))
    table = struct.unpack_from("<I", data, 76)[0]
    struct.pack_into("<I", data, 512 * (table + 1), 0)

    with pytest.raises(Faulty):
        opened("xls", io.BytesIO(data))
