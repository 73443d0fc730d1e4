"""Forms of ODS that programs write, and what is at fault in others."""

from __future__ import annotations

import io

import pytest

from contracts.files.sheets.faults import Faulty
from contracts.files.sheets.opening import opened
from tests import workbooks

PLAIN = workbooks.ods({"S": [["a"]]})


def with_rows(inner: str) -> bytes:
    """Return a workbook whose sheet has these rows."""
    begin, _, rest = workbooks.part(PLAIN, "content.xml").partition("<table:table-row>")
    return workbooks.with_parts(PLAIN, {"content.xml": begin + inner + rest.partition("</table:table-row>")[2]})


def rows(data: bytes) -> list[tuple[int, list[str]]]:
    """Return the rows of the sheet."""
    return list(opened("ods", io.BytesIO(data)).rows("S"))


def fault(data: bytes) -> str:
    """Return the code of a workbook's problem."""
    with pytest.raises(Faulty) as raised:
        rows(data)
    return raised.value.problem.code


STRING = 'office:value-type="string"'


@pytest.mark.parametrize(
    ("attributes", "inner", "text"),
    [
        (STRING, "<text:p>a  b\n c</text:p>", "a b c"),
        (STRING, '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>', "a   b\tc\nd"),
        (STRING, "<text:p><text:span>a</text:span><text:a>b</text:a></text:p>", "ab"),
        (STRING, "<office:annotation><text:p>no</text:p></office:annotation><text:p>a</text:p>", "a"),
        (f'{STRING} office:string-value="kept"', "", "kept"),
        ('office:value-type="percentage" office:value="0.5"', "<text:p>50 %</text:p>", "0.5"),
        ('office:value-type="currency" office:value="12.50"', "<text:p>12,50 €</text:p>", "12.5"),
        ('office:value-type="date" office:date-value="2024-03-01T10:00:00.500000"', "", "2024-03-01T10:00:00.5"),
        ('office:value-type="time" office:time-value="PT10H5M3.25S"', "", "10:05:03.25"),
        ('office:value-type="time" office:time-value="-PT90M"', "", "-00:90:00"),
        ('office:value-type="time" office:time-value="P1D"', "", "P1D"),
        ('table:formula="of:=A1" office:value-type="float" office:value="3"', "<text:p>3</text:p>", "3"),
        ('table:formula="of:=A1"', "", "\0#NOT-CALCULATED!"),
        (f'{STRING} calcext:value-type="error"', "<text:p>#N/A</text:p>", "\0#N/A"),
    ],
)
def test_cell_is_read_in_each_form(attributes: str, inner: str, text: str) -> None:
    cell = f"<table:table-cell {attributes}>{inner}</table:table-cell>"
    data = with_rows(f"<table:table-row>{cell}</table:table-row>")

    assert rows(data) == [(1, [text])]


def test_repeated_and_covered_cells_are_counted() -> None:
    x = '<table:table-cell office:value-type="string"{}><text:p>x</text:p></table:table-cell>'
    covered = '<table:covered-table-cell office:value-type="string"><text:p>no</text:p></table:covered-table-cell>'
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    twice = x.format(' table:number-columns-repeated="2"')
    inner = (
        f"<table:table-header-rows><table:table-row>{x.format('')}{covered}{gap}{twice}</table:table-row>"
        "</table:table-header-rows>"
        '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
        f'<table:table-row table:number-rows-repeated="2">{x.format("")}</table:table-row>'
    )

    assert rows(with_rows(inner)) == [(1, ["x", "", "", "", "x", "x"]), (5, ["x"]), (6, ["x"])]


@pytest.mark.parametrize(
    "row",
    [
        '<table:table-row table:number-rows-repeated="x">{}</table:table-row>',
        '<table:table-row table:number-rows-repeated="0">{}</table:table-row>',
        '<table:table-row table:number-rows-repeated="99999999999">{}</table:table-row>',
    ],
)
def test_odd_repeats_are_refused(row: str) -> None:
    assert fault(with_rows(row.format(workbooks.ods_cell("x")))) == "broken-workbook"


def test_row_repeated_beyond_the_sheet_is_too_large() -> None:
    wide = '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="{}"/>'
    many = '<table:table-row table:number-rows-repeated="{}">{}</table:table-row>'

    assert fault(with_rows(many.format(1_048_576, wide.format(16_000)))) == "workbook-too-large"
    assert fault(with_rows(many.format(1, wide.format(16_385)))) == "workbook-too-large"
    assert fault(with_rows(many.format(2_000_000, wide.format(1)))) == "workbook-too-large"


def test_encrypted_workbook_needs_a_password() -> None:
    manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>"

    assert fault(workbooks.with_parts(PLAIN, {"META-INF/manifest.xml": manifest})) == "workbook-password"


def test_only_the_sheet_that_is_asked_for_is_read() -> None:
    data = workbooks.ods({"A": [["1"]], "S": [["2"]], "B": [["3"]]})

    assert rows(data) == [(1, ["2"])]
