"""Sheets of workbooks for the oracle: drawn lines of CSV in, a workbook out; a workbook in, its rows as lines out.

It is written and read by other code than the product's readers: openpyxl, xlwt, xlrd, and of ODS the tree of its XML.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import openpyxl
import xlrd

from contracts.plan import Plan, Sheet
from contracts.terms.value_form import ValueForm
from tests import workbooks
from tests.oracle import headers
from tests.workbooks import Error

WHOLE, DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})"), re.compile(r"-?(?:0|[1-9][0-9]{0,5})\.[0-9]{1,4}")
DAY = re.compile(r"(?:19[1-9][0-9]|20[0-9]{2})-[0-9]{2}-[0-9]{2}")
UNHELD = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x|\\A=")
"""What no workbook holds as it is: characters that XML lacks, their escapes, and formulas."""
ERRORS = ("#N/A", "#DIV/0!", "#REF!")
GROUPED = re.compile(r"-?(?:0|[1-9][0-9]{0,5}),[0-9]{1,4}")
DAYS = "yyyy-mm-dd"
OASIS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}%s"
ERROR = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
MOST_TIMES = 1_000
"""Times that a drawn row or cell is repeated at most; LibreOffice fills sheets up by more, with empty ones."""


class Figure(str):
    """The text of a cell that is a number."""

    __slots__ = ()


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
    read = {"xls": _of_xls, "ods": of_ods, "xlsx": _of_xlsx}[plan.file_format]
    every = _agreed(agreed, read(data, agreed.name or "S"))
    rows = [[nulls.get(text, text) for text in row] for row in every]
    commas = _commas(plan, rows[0] if rows else [])
    rows = [[_pointed(text, n in commas) for n, text in enumerate(row)] for row in rows]
    made = [row[: max((n + 1 for n, text in enumerate(row) if text), default=0)] for row in rows]
    while made and not made[-1]:
        made.pop()
    width = len(made[0]) if plan.csv.header and made else len(plan.roots)
    return [_line([*row, *[""] * (width - len(row))]) if row else "" for row in made]


def _commas(plan: Plan, first: Sequence[str]) -> set[int]:
    """Return the places of columns of numbers that have a comma before fractions, or points between groups."""
    texts = first if plan.csv.header else [p.name for p in plan.roots]
    names = headers.names(plan, texts) if plan.csv.header else texts
    forms = {p.name: p.form for p in plan.roots if p.form and p.type in ("integer", "number")}
    return {n for n, name in enumerate(names) if name in forms and "," in (forms[name].decimal, *_other(forms[name]))}


def _other(form: ValueForm) -> tuple[str, ...]:
    """Return the comma if points stand between groups."""
    return (",",) if form.group == "." else ()


def _pointed(text: str, is_comma: bool) -> str:
    return text.replace(".", ",") if is_comma and isinstance(text, Figure) else text


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
    if GROUPED.fullmatch(text):
        return float(text.replace(",", "."))
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


def of_ods(data: bytes, name: str) -> list[list[str]]:
    """Return the rows of a sheet of ODS."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        tree = ET.fromstring(archive.read("content.xml"))  # noqa: S314 (the tests' own)
        tables = tree.iter(OASIS % ("table", "table"))
    (table,) = (table for table in tables if table.get(OASIS % ("table", "name")) == name)
    rows: list[list[str]] = []
    for row in table.iter(OASIS % ("table", "table-row")):
        texts: list[str] = []
        for cell in row:
            texts += [_of_cell(cell)] * _times(cell, "number-columns-repeated")
        rows += [texts] * _times(row, "number-rows-repeated")
    return rows


def _times(element: ET.Element, key: str) -> int:
    """Return how often a row or cell is there; those that fill up the sheet are there once, and empty."""
    times = int(element.get(OASIS % ("table", key), "1"))
    return times if times <= MOST_TIMES else 1


def _of_cell(cell: ET.Element) -> str:
    """Return the text of a cell of ODS by its kind: the value that it keeps, or its paragraphs."""
    kind = cell.get(OASIS % ("office", "value-type"), "")
    text = "\n".join(_paragraph(part) for part in cell.iter(OASIS % ("text", "p")))
    if cell.get(ERROR) == "error":
        return _shown(text, True, "")
    kept = cell.get(OASIS % ("office", {"float": "value"}.get(kind, f"{kind}-value")))
    match kind:
        case "boolean":
            return _shown(kept == "true", False, "")
        case "float":
            return _shown(float(kept or ""), False, "")
        case "date":
            return _shown(datetime.fromisoformat(kept or ""), False, "" if "T" in (kept or "") else DAYS)
    return text


def _paragraph(element: ET.Element) -> str:
    """Return the text of a paragraph, in which blanks and tabs may be elements."""
    signs = {OASIS % ("text", "s"): " ", OASIS % ("text", "tab"): "\t"}
    inner = "".join(signs.get(part.tag, "") + _paragraph(part) + (part.tail or "") for part in element)
    return (element.text or "") + inner


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
        text = f"{Decimal(f'{value:.15g}'):f}"
        return Figure("0" if text == "-0" else text)
    return str(value)
