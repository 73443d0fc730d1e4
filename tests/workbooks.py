"""Workbooks for tests: rows of values in, the bytes of XLSX, XLS and ODS out, by other code than reads them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import openpyxl
import xlwt
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900

Rows = Sequence[Sequence[Any]]
SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
NAMESPACES = "".join(
    f' xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
        "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
        "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
    }.items()
)
CODES = {"#NULL!": 0, "#DIV/0!": 7, "#VALUE!": 15, "#REF!": 23, "#NAME?": 29, "#NUM!": 36, "#N/A": 42}
FORMATS = {datetime: "yyyy-mm-dd hh:mm:ss", date: "yyyy-mm-dd", time: "hh:mm:ss", timedelta: "[h]:mm:ss"}


@dataclass(frozen=True)
class Error:
    """A cell with an error, such as #N/A."""

    text: str


@dataclass(frozen=True)
class Shown:
    """A number in a format."""

    number: float
    format: str


def made(form: str, sheets: Mapping[str, Rows], hidden: Sequence[str] = (), **more: Any) -> bytes:
    """Return a workbook in a format."""
    return {"xlsx": xlsx, "xls": xls, "ods": ods}[form](sheets, hidden, **more)


def xlsx(sheets: Mapping[str, Rows], hidden: Sequence[str] = (), *, since_1904: bool = False) -> bytes:
    """Return an XLSX workbook."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    book.epoch = CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900

    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for r, row in enumerate(rows, 1):
            for c, value in enumerate(row, 1):
                if value is not None:
                    _write(sheet.cell(r, c), value)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _write(cell: Any, value: Any) -> None:
    if isinstance(value, Error):
        cell.value, cell.data_type = value.text, "e"
    elif isinstance(value, Shown):
        cell.value, cell.number_format = value.number, value.format
    elif isinstance(value, str) and not value.startswith("="):
        cell.value, cell.data_type = value, "s"
    else:
        cell.value = value
        if type(value) in FORMATS:
            cell.number_format = FORMATS[type(value)]


def xls(sheets: Mapping[str, Rows], hidden: Sequence[str] = (), *, since_1904: bool = False) -> bytes:
    """Return an XLS workbook (BIFF8)."""
    book = xlwt.Workbook()
    book.dates_1904 = since_1904
    styles = {form: xlwt.easyxf(num_format_str=form) for form in FORMATS.values()}
    for name, rows in sheets.items():
        sheet = book.add_sheet(name)
        sheet.visibility = 1 if name in hidden else 0
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                if isinstance(value, Error):
                    sheet.row(r).set_cell_error(c, CODES[value.text])
                elif isinstance(value, Shown):
                    sheet.write(r, c, value.number, xlwt.easyxf(num_format_str=value.format))
                elif type(value) in FORMATS:
                    days = value / timedelta(days=1) if isinstance(value, timedelta) else value
                    sheet.write(r, c, days, styles[FORMATS[type(value)]])
                elif isinstance(value, str) and value.startswith("="):
                    sheet.write(r, c, xlwt.Formula(value[1:]))
                elif value is not None:
                    sheet.write(r, c, value)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def ods(sheets: Mapping[str, Rows], hidden: Sequence[str] = ()) -> bytes:
    """Return an ODS workbook, as LibreOffice writes it."""
    tables = "".join(
        f'<table:table table:name={quoteattr(name)} table:style-name="{"ta2" if name in hidden else "ta1"}">'
        + "".join(f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows)
        + '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row></table:table>'
        for name, rows in sheets.items()
    )
    styles = "".join(
        f'<style:style style:name="{name}" style:family="table"><style:table-properties table:display="{shown}"/>'
        "</style:style>"
        for name, shown in (("ta1", "true"), ("ta2", "false"))
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content{NAMESPACES}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    return zipped({"mimetype": SPREADSHEET, "content.xml": content, "META-INF/manifest.xml": manifest})


def ods_cell(value: Any) -> str:
    """Return the element of a cell."""
    kinds: dict[type, tuple[str, str]] = {
        bool: ("boolean", f'office:boolean-value="{str(value).lower()}"'),
        int: ("float", f'office:value="{value}"'),
        float: ("float", f'office:value="{value!r}"'),
        datetime: ("date", f'office:date-value="{value.isoformat() if isinstance(value, date) else ""}"'),
        date: ("date", f'office:date-value="{value}"'),
        time: ("time", f'office:time-value="{value:PT%HH%MM%SS}"' if isinstance(value, time) else ""),
    }
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, Error):
        attributes = 'office:value-type="string" office:string-value="" calcext:value-type="error"'
        return f"<table:table-cell {attributes}><text:p>{escape(value.text)}</text:p></table:table-cell>"
    if isinstance(value, Shown):
        return f'<table:table-cell office:value-type="float" office:value="{value.number!r}"/>'
    if isinstance(value, timedelta):
        seconds = int(value.total_seconds())
        written = f"PT{seconds // 3600:02}H{seconds // 60 % 60:02}M{seconds % 60:02}S"
        return f'<table:table-cell office:value-type="time" office:time-value="{written}"/>'
    if isinstance(value, str) and value.startswith("="):
        return f'<table:table-cell table:formula="of:{escape(value)}"/>'
    if isinstance(value, str):
        paragraphs = "".join(f"<text:p>{_with_blanks(line)}</text:p>" for line in value.split("\n"))
        return f'<table:table-cell office:value-type="string">{paragraphs}</table:table-cell>'
    kind, attribute = kinds[type(value)]
    return f'<table:table-cell office:value-type="{kind}" {attribute}><text:p>shown</text:p></table:table-cell>'


def _with_blanks(text: str) -> str:
    return escape(text).replace(" ", "<text:s/>").replace("\t", "<text:tab/>")


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a zip archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():  # a program finds the type of a document where it is not compressed
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()


def with_parts(workbook: bytes, changed: Mapping[str, str | bytes | None]) -> bytes:
    """Return a workbook with some parts replaced, added or, by None, left out."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        parts: dict[str, Any] = {name: archive.read(name) for name in archive.namelist()}
    return zipped({name: content for name, content in {**parts, **changed}.items() if content is not None})


def part(workbook: bytes, name: str) -> str:
    """Return the text of a part of a workbook."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return archive.read(name).decode()
