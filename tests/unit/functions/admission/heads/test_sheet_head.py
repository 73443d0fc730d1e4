"""Workbooks at the door: the header of their sheet, and which files are not taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from contracts.plan import ROW_END, SHEETS, Columns, Csv, FileFormat, Plan, Property, Sheet
from functions.admission.admit import Admission, admit, header_line
from functions.admission.header_again import header, notes
from functions.admission.heads import sheet_head
from tests import workbooks
from tests.builders import a_plan
from tests.workbooks import Rows

RECORDS: Rows = [["id", "note"], ["a", "x"]]


def plan(form: FileFormat = "xlsx", columns: Columns | None = None, **changes: Any) -> Plan:
    """A plan of a sheet."""
    csv = Csv(record_delimiter=ROW_END, header=changes.pop("header", True))
    return a_plan(
        files=(f"orders/*.{form}",), file_format=form, csv=csv, sheet=Sheet(**changes), columns=columns or Columns()
    )


def reading(data: bytes) -> Callable[[int, int], bytes]:
    """Return the way to read some bytes."""
    return lambda start, length: data[start : start + length]


def look(agreed: Plan, data: bytes) -> Admission:
    """Return the admission of a file."""
    return admit(agreed, f"orders/1.{agreed.file_format}", len(data), reading(data))


@pytest.mark.parametrize("form", SHEETS)
def test_header_of_the_sheet_is_that_of_the_file(form: FileFormat) -> None:
    agreed, data = plan(form), workbooks.made(form, {"S": [["id", "note"], ["a", "x"], [None, "y"]]})
    admission = look(agreed, data)

    assert (admission.problems, admission.header, admission.header_line) == ((), ("id", "note"), "id,note")
    assert header_line(agreed, len(data), reading(data)) == "id,note"
    assert header(agreed, "id,note") == (("id", "note"), ())


@pytest.mark.parametrize("form", SHEETS)
@pytest.mark.parametrize("rows", [[], [[]], [[None, None]], [[], [""]]])
def test_sheet_without_a_cell_has_no_records(form: FileFormat, rows: Rows) -> None:
    data = workbooks.made(form, {"S": rows})
    assert [p.code for p in look(plan(form, header=False), data).problems] == ["no-records"]
    assert [p.code for p in look(plan(form), data).problems] == ["blank-header"]


def test_header_may_be_anywhere_and_have_line_breaks() -> None:
    rows: Rows = [["Report"], [], [None, "note\nor more", "id"], [None, "x", "a"]]
    agreed = plan(first_row=3, first_column=1, columns=Columns(extra="warn"))
    admission = look(agreed, workbooks.xlsx({"S": rows}))

    assert admission.header_line == '"note\nor more",id'
    assert [p.level for p in notes(agreed, '"note",id,more')] == ["warning"]


@pytest.mark.parametrize("form", SHEETS)
def test_column_may_be_found_by_a_name_of_several_lines(form: FileFormat) -> None:
    account = Property("id", "integer", header_names=("Konto\nNr.",))
    agreed = replace(plan(form), properties=(account, Property("note", "string")))

    assert look(agreed, workbooks.made(form, {"S": [["Konto\nNr.", "note"], [1, "x"]]})).problems == ()
    problems = look(agreed, workbooks.made(form, {"S": [["Konto Nr.", "note"], [1, "x"]]})).problems
    assert [p.code for p in problems] == ["missing-column"]


@pytest.mark.parametrize(
    ("rows", "agreed", "code", "part"),
    [
        ([["Report"], [], ["id", "note"], ["a", "x"]], {}, "missing-header", "row 3 of the sheet"),
        ([["id", "notes"], ["a", "x"]], {}, "missing-column", "notes"),
        ([["id;note"], ["a;x"]], {}, "sheet-one-column", "one cell"),
        ([["id", "note"]], {}, "no-records", "The sheet holds"),
        ([["k1", "k2"], ["a", "x"]], {}, "missing-header", "The first row"),
        ([["a", "x"], ["b", "y"]], {"name": "T"}, "missing-sheet", "`S`"),
        ([["id", "note"], ["a", "x"]], {"header": False}, "header-not-agreed", "The first row"),
    ],
)
def test_sheet_that_is_not_as_agreed_is_refused_in_its_own_words(
    rows: Rows, agreed: dict[str, Any], code: str, part: str
) -> None:
    problems = look(plan(**agreed), workbooks.xlsx({"S": rows})).problems

    assert [(p.code, part in p.message + p.fix) for p in problems] == [(code, True)], problems
    assert not any("line" in p.message + p.fix for p in problems), problems


@pytest.mark.parametrize(
    ("names", "codes", "part"),
    [
        (["id", "note", None, None], ["blank-column-name"], "Column E, F of the sheet has no name"),
        (["id", None, "note"], ["blank-column-name"], "Column D, F of the sheet has no name"),
        (["id"], ["blank-column-name", "missing-column"], "within the agreed range C2:F"),
        ([], ["range-outside-sheet"], "range C2:F of the sheet `S` is empty; the sheet has content in A1"),
    ],
)
def test_range_whose_first_row_has_some_of_its_cells_is_told_in_words_of_the_sheet(
    names: list[str | None], codes: list[str], part: str
) -> None:
    agreed = plan(first_row=2, first_column=2, last_column=5)
    admission = look(agreed, workbooks.xlsx({"S": [["Title"], [None, None, *names], [None, "aside"]]}))
    ends = [*codes, "no-records"] if names else codes
    assert ([p.code for p in admission.problems], part in admission.problems[0].message) == (ends, True)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"id,note\na,x\n", "CSV, its cells separated by commas"),
        (b"Dear partner\n", "no workbook"),
        (b"<html><body><table><tr><td>id</td></tr></table></body></html>", "HTML"),
        (b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', "written as XML"),
        (b"%PDF-1.7\n", "PDF"),
        (workbooks.zipped({"word/document.xml": "x"}), "document"),
        (workbooks.zipped({"orders.csv": "id,note\n"}), "zip archive"),
        (b"\x09\x04\x06\x00\x00\x00\x10\x00", "workbook"),
    ],
)
@pytest.mark.parametrize("form", SHEETS)
def test_file_of_another_form_is_named(form: FileFormat, data: bytes, part: str) -> None:
    problems = look(plan(form), data).problems

    assert [(p.code, part in p.message, f"(.{form})" in p.fix) for p in problems] == [("wrong-format", True, True)]


def test_workbook_beyond_the_bound_is_not_read() -> None:
    admission = admit(plan(), "orders/1.xlsx", sheet_head.LARGEST + 1, reading(b""))

    assert [p.code for p in admission.problems] == ["workbook-too-large"]


def test_csv_contract_still_refuses_a_workbook() -> None:
    data = workbooks.xlsx({"S": RECORDS})
    problems = admit(a_plan(), "orders/1.csv", len(data), reading(data)).problems

    assert [(p.code, "workbook" in p.message) for p in problems] == [("wrong-format", True)]
