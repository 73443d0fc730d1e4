"""Sheets of workbooks as text, in each format, held against other readers."""

from __future__ import annotations

import io
import random
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
import pytest
import xlrd

from contracts.files import csv_cells
from contracts.files.sheets import reading
from contracts.files.sheets.opening import opened
from contracts.plan import ROW_END, SHEETS, Csv, FileFormat, Plan, Sheet
from contracts.terms.trailer import Footer
from contracts.terms.value_form import published
from tests import workbooks
from tests.builders import a_plan
from tests.oracle.sheets import of_ods
from tests.unit.contracts.authoring.documents import a_document
from tests.unit.contracts.authoring.documents import a_plan as contract
from tests.workbooks import Error, Rows, Shown

RECORDS: Rows = [["id", "note"], ["a", "x"], ["b", None]]
BESIDE: Rows = [["id"], ["a"], ["b", None, "!"]]
FAR: Rows = [[], [], [], [None, None, "id", "note"], [None, None, "a", "x"]]
MOMENT = datetime.fromisoformat("2024-02-29T10:30:15")


def plan(form: FileFormat = "xlsx", names: tuple[str, ...] = ("id", "note"), **changes: Any) -> Plan:
    """A plan of a sheet; `csv` are changes of its text."""
    csv = Csv(record_delimiter=ROW_END, **changes.pop("csv", {}))
    return a_plan(names=names, file_format=form, csv=csv, sheet=Sheet(**changes))


def lines(agreed: Plan, data: bytes) -> list[str]:
    """Return the lines of a sheet, from row 1 on."""
    out = io.BytesIO()
    assert reading.transcribe(agreed, io.BytesIO(data), out) is None
    return out.getvalue().decode().split(ROW_END)[:-1]


def fault(agreed: Plan, data: bytes) -> tuple[str, str]:
    """Return the code and the message of a workbook's problem."""
    problem = reading.transcribe(agreed, io.BytesIO(data), io.BytesIO())
    assert problem is not None
    return problem.code, problem.message


@pytest.fixture(params=SHEETS)
def form(request: pytest.FixtureRequest) -> FileFormat:
    """A format of workbooks."""
    return request.param  # type: ignore[no-any-return]


VALUES: list[tuple[Any, str]] = [
    ("text", "text"),
    (' "quoted", and; more ', '" ""quoted"", and; more "'),
    ("line\nbreak", '"line\nbreak"'),
    ("ünïcödé € 漢", "ünïcödé € 漢"),
    ("007", "007"),
    (None, ""),
    ("", ""),
    (1, "1"),
    (1.0, "1"),
    (-2.5, "-2.5"),
    (0.1 + 0.2, "0.3"),
    (1_234_567.891, "1234567.891"),
    (True, "true"),
    (False, "false"),
    (date(2024, 2, 29), "2024-02-29"),
    (MOMENT, "2024-02-29T10:30:15"),
    (time(6, 5, 4), "06:05:04"),
    (timedelta(hours=30, minutes=15), "30:15:00"),
    (Error("#N/A"), "\0#N/A"),
    (Error("#DIV/0!"), "\0#DIV/0!"),
    (Shown(0.5, "0%"), "0.5"),
    (Shown(12.5, "#,##0.00 [$€-407]"), "12.5"),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=repr)
def test_value_of_a_cell_counts_and_not_its_looks(form: FileFormat, value: Any, text: str) -> None:
    data = workbooks.made(form, {"S": [["id", "note"], ["a", value]]})

    assert lines(plan(form), data) == ["id,note", f"a,{text}"]


@pytest.mark.parametrize("text", ["\ufeff", "\ufeff1", "\ufeff, x", '\ufeff"y"'])
def test_first_cell_keeps_a_byte_order_mark(form: FileFormat, text: str) -> None:
    agreed = plan(form, csv={"header": False})
    first, second = lines(agreed, workbooks.made(form, {"S": [[text, "b"], [text, "c"]]}))
    assert first.startswith('"\ufeff')
    assert csv_cells.split(first, agreed.csv) == (text, "b")
    assert csv_cells.split(second, agreed.csv) == (text, "c")


@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_formula_without_its_result_is_an_error(form: FileFormat) -> None:
    assert lines(plan(form), workbooks.made(form, {"S": [["id", "note"], ["a", "=1+1"]]}))[1] == "a,\0#NOT-CALCULATED!"


@pytest.mark.parametrize("form", ["xlsx", "xls"])
def test_workbook_tells_where_its_days_begin(form: FileFormat) -> None:
    rows: Rows = [["id", "note"], ["a", date(2024, 2, 29)]]

    assert lines(plan(form), workbooks.made(form, {"S": rows}, since_1904=True))[1] == "a,2024-02-29"


def test_agreed_null_word_may_be_an_error(form: FileFormat) -> None:
    data = workbooks.made(form, {"S": [["id", "note"], ["a", Error("#N/A")], ["b", Error("#NUM!")]]})

    assert lines(plan(form, csv={"null_values": ("", "#N/A")}), data)[1:] == ["a,#N/A", "b,\0#NUM!"]


def test_line_has_the_number_of_its_row(form: FileFormat) -> None:
    rows: Rows = [[], ["", None], [None, "id", "note"], [], ["", "a", "x"], [], [], [None, "b"], []]

    assert lines(plan(form, first_column=1, first_row=3), workbooks.made(form, {"S": rows})) == [
        *("", "", "id,note", "", "a,x", "", ""),
        "b,",
    ]


@pytest.mark.parametrize(
    ("agreed", "wanted"),
    [
        ({}, ["title,,,,", "t1,t2,t3,,", "n,id,note,,out", "0,a,x,,o", "1,b,y,,", "Sum,2,,,"]),
        ({"first_row": 3}, ["", "", "n,id,note,,out", "0,a,x,,o", "1,b,y,,", "Sum,2,,,"]),
        ({"skip_rows": 2}, ["", "", "n,id,note,,out", "0,a,x,,o", "1,b,y,,", "Sum,2,,,"]),
        ({"skip_until": r"\An,id"}, ["", "", "n,id,note,,out", "0,a,x,,o", "1,b,y,,", "Sum,2,,,"]),
        ({"first_row": 3, "last_row": 4}, ["", "", "n,id,note,,out", "0,a,x,,o"]),
        ({"first_row": 3, "first_column": 1, "last_column": 2}, ["", "", "id,note", "a,x", "b,y", "2,"]),
        ({"first_row": 3, "first_column": 4}, ["", "", "out", "o"]),
        (
            {"first_row": 2, "header_rows": (1, 2)},
            ["", "", "t1 n,t2 id,t3 note,,out", "0,a,x,,o", "1,b,y,,", "Sum,2,,,"],
        ),
        ({"first_row": 3, "comment_rows": (2,)}, ["", "", "n,id,note,,out", "", "1,b,y,,", "Sum,2,,,"]),
        ({"first_row": 3, "footer": Footer("Sum")}, ["", "", "n,id,note,,out", "0,a,x,,o", "1,b,y,,"]),
    ],
)
def test_range_and_rows_around_are_as_agreed(form: FileFormat, agreed: dict[str, Any], wanted: list[str]) -> None:
    rows: Rows = [
        *(["title"], ["t1", "t2", "t3"], ["n", "id", "note", None, "out"], [0, "a", "x", None, "o"]),
        *([1, "b", "y"], ["Sum", 2]),
    ]
    if not agreed:
        wanted = ["title", "t1,t2,t3", "n,id,note,,out", "0,a,x,,o", "1,b,y", "Sum,2"]

    assert lines(plan(form, **agreed), workbooks.made(form, {"S": rows})) == wanted


def test_cell_beside_the_header_makes_a_cell_too_many(form: FileFormat) -> None:
    assert lines(plan(form), workbooks.made(form, {"S": BESIDE})) == ["id", "a", "b,,!"]


def test_rows_without_header_are_as_wide_as_the_contract(form: FileFormat) -> None:
    data = workbooks.made(form, {"S": [["a"], ["b", "y"], ["c", "z", "!"]]})

    assert lines(plan(form, csv={"header": False}), data) == ["a,", "b,y", "c,z,!"]


def test_only_shown_sheet_needs_no_name(form: FileFormat) -> None:
    data = workbooks.made(form, {"Notes": [["?"]], "S": RECORDS}, hidden=["Notes"])

    assert lines(plan(form), data)[0] == lines(plan(form, name="S"), data)[0] == "id,note"
    assert lines(plan(form, name="Notes", csv={"header": False}), data) == ["?,"]


@pytest.mark.parametrize(
    ("agreed", "sheets", "code", "part"),
    [
        ({"name": "Umsatz"}, {"umsatz": RECORDS, "T": RECORDS}, "missing-sheet", "`umsatz`, `T`"),
        ({}, {"A": RECORDS, "B": RECORDS}, "sheet-not-named", "`A`, `B`"),
        ({}, {"S": []}, "blank-header", "row 1"),
        ({"skip_rows": 8}, {"S": RECORDS}, "blank-header", "row 9"),
        ({"first_row": 9}, {"S": RECORDS}, "range-outside-sheet", "range A9 of the sheet `S` is empty; "),
        (
            {},
            {"S": [[], [], *RECORDS]},
            "blank-header",
            "row 1 of the sheet `S`; the next row with content there is row 3.",
        ),
        ({"skip_rows": 7, "header_rows": (1, 2)}, {"S": RECORDS}, "blank-header", "rows 8 to 9"),
        ({"first_column": 5}, {"S": RECORDS}, "range-outside-sheet", "the sheet has content in A1:B"),
        ({"first_column": 1, "last_column": 3, "last_row": 2}, {"S": FAR}, "range-outside-sheet", "in C4:D5."),
        ({"first_column": 9, "skip_until": "id"}, {"S": FAR}, "range-outside-sheet", "in C4:D5."),
        ({}, {"S": [["id", Error("#REF!")], ["a", "x"]]}, "header-error", "row 1"),
        ({"skip_until": r"\Aid;"}, {"S": RECORDS}, "no-header-row", "id;"),
        ({"footer": Footer("Sum")}, {"S": RECORDS}, "footer-missing", "`Sum`"),
        ({"footer": Footer("a")}, {"S": RECORDS}, "footer-early", "Row 2"),
    ],
)
def test_sheet_that_is_not_as_agreed_is_refused(
    form: FileFormat, agreed: dict[str, Any], sheets: dict[str, Rows], code: str, part: str
) -> None:
    seen, message = fault(plan(form, **agreed), workbooks.made(form, sheets))

    assert (seen, part in message) == (code, True), message


@pytest.mark.parametrize(
    ("agreed", "rows", "code"),
    [
        ({"first_column": 5}, RECORDS, "range-outside-sheet"),
        ({"first_row": 2, "last_row": 3}, FAR, "range-outside-sheet"),
        ({"first_row": 2, "last_column": 1}, [["Title"], [None, None, "a"]], "range-outside-sheet"),
        ({"first_row": 2}, [["Title"]], None),
        ({"first_row": 2, "last_column": 1}, [["Title", "", "more"]], None),
        ({"first_column": 5}, [], None),
    ],
)
def test_range_without_column_names_is_empty_only_if_its_rows_are(
    form: FileFormat, agreed: dict[str, Any], rows: Rows, code: str | None
) -> None:
    bare, data = plan(form, csv={"header": False}, **agreed), workbooks.made(form, {"S": rows})
    if code is None:
        assert lines(bare, data) == []
    else:
        assert fault(bare, data)[0] == code


def test_extent_of_a_long_sheet_goes_on_below_the_rows_that_are_looked_at(form: FileFormat) -> None:
    rows: Rows = [["id"], *(["a"] for _ in range(reading.LOOKED_AT + 10))]
    _, message = fault(plan(form, first_column=3), workbooks.made(form, {"S": rows}))
    assert f"the sheet has content in A1:A{reading.LOOKED_AT} and below." in message


def test_first_row_of_a_range_may_have_some_of_its_cells(form: FileFormat) -> None:
    rows: Rows = [["Title"], [None, "id", "note"], [None, "a", "x"], [None, None, None, None, "aside"]]
    agreed = plan(form, first_row=2, first_column=1, last_column=4)
    assert lines(agreed, workbooks.made(form, {"S": rows})) == ["", "id,note,,", "a,x,,", ",,,aside"]


def test_sheet_is_read_though_all_are_hidden() -> None:
    data = workbooks.ods({"S": RECORDS}, hidden=["S"])
    assert lines(plan("ods"), data)[0] == lines(plan("ods", name="S"), data)[0] == "id,note"


@pytest.mark.parametrize("name", [None, "Chart1"])
def test_workbook_of_a_chart_alone_has_no_sheet_with_cells(name: str | None) -> None:
    book, links = workbooks.xlsx({"Chart1": RECORDS}), "xl/_rels/workbook.xml.rels"
    charts = workbooks.part(book, links).replace("/worksheet", "/chartsheet", 1)
    code, message = fault(plan(name=name), workbooks.with_parts(book, {links: charts}))
    assert (code, "no sheet with cells" in message) == ("missing-sheet", True)


@pytest.mark.parametrize("other", SHEETS)
def test_workbook_of_another_format_is_named(form: FileFormat, other: FileFormat) -> None:
    if form == other:
        return
    code, message = fault(plan(form), workbooks.made(other, {"S": RECORDS}))

    assert (code, f"(.{other})" in message, form.upper() in message) == ("wrong-format", True, True)


def test_damaged_workbooks_are_at_fault_and_nothing_else_happens(form: FileFormat) -> None:
    rows: Rows = [*RECORDS, *([f"k{n}", n * 1.5, date(2024, 1, 1), Error("#N/A")] for n in range(40))]
    sound, dice = workbooks.made(form, {"S": rows, "T": RECORDS}), random.Random(7)
    for n in range(150):
        data = bytearray(sound)
        for _ in range(dice.randrange(1, 6)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        cut = data[: dice.randrange(len(data))] if n % 3 == 0 else data
        reading.transcribe(plan(form, name="S"), io.BytesIO(cut), io.BytesIO())


def test_head_of_a_large_sheet_is_enough(form: FileFormat) -> None:
    data, out = workbooks.made(form, {"S": [*RECORDS, *([f"k{n}", "x" * 50] for n in range(2_000))]}), io.BytesIO()

    assert reading.transcribe(plan(form), io.BytesIO(data), out, most=1_000) is None
    assert 1_000 < len(out.getvalue()) < 1_100


def drawn(seed: int) -> Rows:
    """Rows of all kinds of values."""
    dice = random.Random(seed)
    makers: list[Any] = [
        lambda: None,
        lambda: "".join(dice.choices("abc ,;\"'=+-\n\té漢", k=dice.randrange(12))).lstrip("="),
        lambda: dice.randrange(-(10**9), 10**9),
        lambda: round(dice.uniform(-1e6, 1e6), dice.randrange(6)),
        lambda: dice.random() < 0.5,
        lambda: date(1900, 3, 1) + timedelta(days=dice.randrange(60_000)),
        lambda: MOMENT - timedelta(seconds=dice.randrange(10**9)),
    ]
    return [[dice.choice(makers)() for _ in range(dice.randrange(1, 9))] for _ in range(60)]


def shown(value: Any) -> str:
    """Return a value of another reader as our text."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return f"{value:.15g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("seed", range(8))
def test_other_reader_of_xlsx_sees_the_same(seed: int) -> None:
    data = workbooks.xlsx({"S": drawn(seed)})
    sheet = openpyxl.load_workbook(io.BytesIO(data), data_only=True)["S"]
    days = {cell.coordinate for row in sheet.iter_rows() for cell in row if cell.number_format == "yyyy-mm-dd"}

    for number, row in opened("xlsx", io.BytesIO(data)).rows("S"):
        for at, text in enumerate(row):
            cell = sheet.cell(number, at + 1)
            value = cell.value.date() if cell.coordinate in days and isinstance(cell.value, datetime) else cell.value
            assert text == shown(value), cell.coordinate


@pytest.mark.parametrize("seed", range(8))
def test_other_reader_of_xls_sees_the_same(seed: int) -> None:
    data = workbooks.xls({"S": drawn(seed)})
    book = xlrd.open_workbook(file_contents=data, formatting_info=True)
    sheet, seen = book.sheet_by_index(0), dict(opened("xls", io.BytesIO(data)).rows("S"))

    for r in range(sheet.nrows):
        for c in range(sheet.ncols):
            cell, row = sheet.cell(r, c), seen.get(r + 1, [])
            text = row[c] if c < len(row) else ""
            if cell.ctype == xlrd.XL_CELL_DATE:
                day = xlrd.xldate_as_datetime(cell.value, book.datemode)
                assert text in (day.date().isoformat(), day.isoformat(timespec="seconds"))
            else:
                assert text == shown(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value)


@pytest.mark.parametrize("seed", range(8))
def test_other_reader_of_ods_sees_the_same(seed: int) -> None:
    rows = drawn(seed)
    data = workbooks.ods({"T": [["x"]], "S": [*rows, [Error("#N/A"), "a"]]})
    other, seen = of_ods(data, "S"), dict(opened("ods", io.BytesIO(data)).rows("S"))

    for number, row in enumerate(other, 1):
        own = seen.get(number, [])
        assert [*own, *[""] * (len(row) - len(own))] == [*row, *[""] * (len(own) - len(row))], number
    assert other[len(rows)] == ["\0#N/A", "a"]
    assert max(seen) == len(rows) + 1


MARKED = """
- {name: code, logicalType: string}
- {name: price, logicalType: number}
- {name: pieces, logicalType: integer}
"""
BLOCK = "files: a/*\nproducer: a\nformat: {form}\nsheet: {{sheetName: S, header: {header}}}\n{values}"
MARKS = "values: {decimalChar: ',', groupChar: '.'}\n"


@pytest.mark.parametrize("header", [True, False])
def test_numbers_have_the_marks_of_texts_beside_them(form: FileFormat, *, header: bool) -> None:
    rows: Rows = [[1.5, 1.5, 1.5], ["1,5", "1.234,50", "1.234"], [1.234, 1.234, 1.234], ["1.234", 1234, 1234]]
    block = BLOCK.format(form=form, header=str(header).lower(), values=MARKS)
    agreed = contract(a_document(MARKED, drop=block))
    names: Rows = [["code", "price", "pieces"]] if header else []

    texts = lines(agreed, workbooks.made(form, {"S": [*names, *rows]}))[len(names) :]
    own = [csv_cells.split(line, agreed.csv) for line in texts]
    assert [row and row[0] for row in own] == ["1.5", "1,5", "1.234", "1.234"]
    price, pieces = agreed.property_named("price").form, agreed.property_named("pieces").form
    assert price is not None
    assert pieces is not None
    assert [row and published(price, row[1], "number") for row in own] == ["1.5", "1234.50", "1.234", "1234"]
    assert [row and published(pieces, row[2], "integer") for row in own] == [None, "1234", None, "1234"]
