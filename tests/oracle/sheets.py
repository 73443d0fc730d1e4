"""Sheets of workbooks for the oracle: drawn lines of CSV in, a workbook out; a workbook in, its rows as lines out.

It is written and read by other libraries than the product's readers: openpyxl, xlwt and xlrd.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import date, datetime
from random import Random
from typing import Any

import openpyxl
import xlrd

from contracts.plan import Plan, Sheet
from tests import workbooks
from tests.workbooks import Error

WHOLE, DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})"), re.compile(r"-?(?:0|[1-9][0-9]{0,5})\.[0-9]{1,4}")
DAY = re.compile(r"(?:19[1-9][0-9]|20[0-9]{2})-[0-9]{2}-[0-9]{2}")
UNHELD = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x|\\A=")
"""What no workbook holds as it is: characters that XML lacks, their escapes, and formulas."""
ERRORS = ("#N/A", "#DIV/0!", "#REF!")
DAYS = "yyyy-mm-dd"


def drawn(chance: Random, plan: Plan, lines: Sequence[str]) -> bytes:
    """Return a workbook of lines of CSV; those that are no such line, or that no sheet holds, are left out."""
    rows: list[list[Any]] = []
    for line in lines:
        cells = _cells(line)
        if cells is None or any(UNHELD.search(cell) for cell in cells):
            continue
        is_header = plan.csv.header and not rows
        rows.append([cell if is_header else _value(chance, cell) for cell in cells])
    return workbooks.made(plan.file_format, {"Notes": [["x"]], "S": rows})


def lines(plan: Plan, data: bytes) -> list[str]:
    """Return the rows of a workbook's sheet as lines of CSV, by another reader."""
    nulls = {f"\0{text}": text for text in plan.csv.null_values}
    agreed = plan.sheet or Sheet()
    every = _agreed(agreed, (_of_xls if plan.file_format == "xls" else _of_xlsx)(data, agreed.name or "S"))
    rows = [[nulls.get(text, text) for text in row] for row in every]
    made = [row[: max((n + 1 for n, text in enumerate(row) if text), default=0)] for row in rows]
    while made and not made[-1]:
        made.pop()
    width = len(made[0]) if plan.csv.header and made else len(plan.roots)
    return [_line([*row, *[""] * (width - len(row))]) if row else "" for row in made]


def _agreed(agreed: Sheet, rows: list[list[str]]) -> list[list[str]]:
    """Return the rows of a range from its column names on, without those that comment on them and the footer."""
    end = None if agreed.last_column is None else agreed.last_column + 1
    within = [row[agreed.first_column : end] for row in rows[agreed.first_row - 1 : agreed.last_row]][
        agreed.skip_rows :
    ]
    own = [row for n, row in enumerate(within, 1) if n not in agreed.comment_rows]
    if agreed.footer is None:
        return own
    begins = agreed.footer.begins
    return own[: next(n for n, row in enumerate(own) if "".join(row[:1]).startswith(begins))]


def _cells(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return None


def _value(chance: Random, text: str) -> Any:
    """Return a value of which a cell has this text: the text itself, or a number, a day or a boolean."""
    if chance.random() < 0.02:
        return Error(chance.choice(ERRORS))
    if not text or chance.random() < 0.3:
        return text or None
    if WHOLE.fullmatch(text) and text != "-0":
        return chance.choice((int(text), float(text)))
    if DECIMAL.fullmatch(text):
        return float(text)
    if DAY.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return text
    return {"true": True, "false": False}.get(text, text)


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()


def _of_xlsx(data: bytes, name: str) -> list[list[str]]:
    sheet = openpyxl.load_workbook(io.BytesIO(data), data_only=True)[name]
    return [
        [_shown(cell.value, cell.data_type == "e", cell.number_format) for cell in row] for row in sheet.iter_rows()
    ]


def _of_xls(data: bytes, name: str) -> list[list[str]]:
    book = xlrd.open_workbook(file_contents=data)
    sheet, rows = book.sheet_by_name(name), list[list[str]]()
    for r in range(sheet.nrows):
        rows.append([])
        for cell in sheet.row(r):
            value: Any = cell.value
            if cell.ctype == xlrd.XL_CELL_DATE:
                value = xlrd.xldate_as_datetime(value, book.datemode)
            if cell.ctype == xlrd.XL_CELL_BOOLEAN:
                value = bool(value)
            is_error = cell.ctype == xlrd.XL_CELL_ERROR
            rows[-1].append(_shown(xlrd.error_text_from_code[value] if is_error else value, is_error, DAYS))
    return rows


def _shown(value: Any, is_error: bool, form: str) -> str:
    """Return the text of a value; an error has NUL before it, which no text has."""
    if value is None:
        return ""
    if is_error:
        return f"\0{value}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.date().isoformat() if form == DAYS else value.isoformat()
    if isinstance(value, int | float):
        text = f"{value:.10f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)
