"""Every way a workbook can be wrong that the flow promises an answer for, as `cases`."""

from __future__ import annotations

import struct
from datetime import date

from tests import workbooks
from tests.e2e.cases import FOREIGN, GOOD, Case
from tests.workbooks import Error, Rows

DAY = date(2026, 1, 31)
HEADER = [None, "id", "name", "amount", "day"]
ABOVE: Rows = [["Orders of January"], [], HEADER]
RECORDS: Rows = [[None, 1, "Ana\nMaria", 10.5, DAY], [], [None, 2.0]]
SOUND: Rows = [*ABOVE, *RECORDS]
SHEET = "xl/worksheets/sheet2.xml"


def book(form: str, rows: Rows = SOUND, name: str = "Orders") -> bytes:
    """A workbook with another sheet in front."""
    return workbooks.made(form, {"Notes": [["Hello"]], name: rows})


def with_row(*cells: object) -> bytes:
    """An XLSX workbook with one more record."""
    return book("xlsx", [*SOUND, [None, *cells]])


def sealed() -> bytes:
    """A workbook that is encrypted, within a compound file."""
    data, name = bytearray(book("xls")), "EncryptedPackage".encode("utf-16le")
    at = data.find("Workbook".encode("utf-16le"))
    data[at : at + 64], data[at + 64] = name.ljust(64, b"\0"), len(name) + 2
    return bytes(data)


GOOD_ONE = book("xlsx")
LINKS = workbooks.part(GOOD_ONE, "_rels/.rels")
AT_ADMISSION = {
    "without the agreed sheet": (book("xlsx", name="orders 2026"), "missing-sheet"),
    "with its column names in another row": (book("xlsx", [["Orders"], *SOUND]), "blank-header"),
    "with its column names in another column": (book("xlsx", [row[1:] for row in SOUND]), "missing-column"),
    "without column names": (book("xlsx", [*ABOVE[:2], [], *RECORDS]), "blank-header"),
    "whose agreed range is empty": (book("xlsx", [["Orders"]]), "range-outside-sheet"),
    "with an error for a column name": (book("xlsx", [*ABOVE[:2], [*HEADER, Error("#REF!")]]), "header-error"),
    "with a column too few": (book("xlsx", [*ABOVE[:2], HEADER[:-1], *RECORDS[1:]]), "missing-column"),
    "with a column too many": (book("xlsx", [*ABOVE[:2], [*HEADER, "note"], *RECORDS]), "extra-column"),
    "with all cells of a row in one": (
        book("xlsx", [*ABOVE[:2], [None, "id;name;amount;day"], [None, "1;Ana;10.5;"]]),
        "sheet-one-column",
    ),
    "without records": (book("xlsx", ABOVE), "no-records"),
    "that needs a password": (sealed(), "workbook-password"),
    "with macros": (workbooks.with_parts(GOOD_ONE, {"xl/vbaProject.bin": b"x"}), "wrong-format"),
    "in binary form (xlsb)": (
        workbooks.with_parts(GOOD_ONE, {"_rels/.rels": LINKS.replace("workbook.xml", "workbook.bin")}),
        "wrong-format",
    ),
    "that is XLS": (book("xls"), "wrong-format"),
    "that is ODS": (book("ods"), "wrong-format"),
    "that is cut short": (GOOD_ONE[:-50], "broken-workbook"),
    "that unpacks to 200 times its size": (
        workbooks.with_parts(GOOD_ONE, {SHEET: "<worksheet>" + " " * (70 << 20)}),
        "workbook-too-large",
    ),
    "with a document type": (
        workbooks.with_parts(GOOD_ONE, {SHEET: '<!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>'}),
        "broken-workbook",
    ),
}
IN_THE_JOB = {
    "with an error in a cell": (with_row(3, "Bo", Error("#DIV/0!"), DAY), "check-text"),
    "with a formula without its result": (with_row(3, "Bo", "=1+1", DAY), "check-text"),
    "with a cell beside its columns": (with_row(3, "Bo", 1, DAY, "!"), "check-fields"),
    "with a day that no calendar has": (with_row(3, "Bo", 1, workbooks.Shown(60, "yyyy-mm-dd")), "check-logicalType"),
    "with a number without a format of dates": (with_row(3, "Bo", 1, 46053), "check-logicalType"),
    "with a date as text": (with_row(3, "Bo", 1, "31.1.2026"), "check-logicalType"),
    "with a number as text": (with_row(3, "Bo", "1,50", DAY), "check-logicalType"),
    "with a value below its minimum": (with_row(3, "Bo", -1, DAY), "check-minimum"),
    "whose sheet ends in the middle": (
        workbooks.with_parts(
            large := book("xlsx", [*SOUND, *([None, n, "x" * 200, 1, DAY] for n in range(3, 2_000))]),
            {SHEET: workbooks.part(large, SHEET)[:-3_000]},
        ),
        "broken-workbook",
    ),
}
CASES = (
    Case("a workbook (XLSX)", "booked/good.xlsx", GOOD_ONE, "accepted", (), "job"),
    Case("a workbook (XLS)", "booked-xls/good.xls", book("xls"), "accepted", (), "job"),
    Case("a workbook (ODS)", "booked-ods/good.ods", book("ods"), "accepted", (), "job"),
    *(
        Case(f"a workbook {name}", f"booked/bad-{n}.xlsx", body, "rejected", (code,), "admission")
        for n, (name, (body, code)) in enumerate(AT_ADMISSION.items())
    ),
    *(
        Case(f"a workbook {name}", f"booked/rows-{n}.xlsx", body, "rejected", (code,), "job")
        for n, (name, (body, code)) in enumerate(IN_THE_JOB.items())
    ),
    Case("XLSX where XLS is agreed", "booked-xls/x.xls", GOOD_ONE, "rejected", ("wrong-format",), "admission"),
    Case("XLSX where ODS is agreed", "booked-ods/x.ods", GOOD_ONE, "rejected", ("wrong-format",), "admission"),
    Case(
        "a workbook of Excel 4",
        "booked-xls/old.xls",
        b"\x09\x04\x06\x00" + struct.pack("<HHH", 0, 0x10, 0),
        "rejected",
        ("wrong-format",),
        "admission",
    ),
    *(
        Case(f"{name} where XLSX is agreed", f"booked/x-{n}.xlsx", body, "rejected", ("wrong-format",), "admission")
        for n, (name, body) in enumerate(
            {
                "CSV": GOOD,
                **{key: FOREIGN[key] for key in ("HTML with the name of a workbook", "a workbook as XML", "a PDF")},
                "a zip archive": FOREIGN["a zip archive"],
            }.items()
        )
    ),
)
"""Workbooks, each with the answer that it must get."""
