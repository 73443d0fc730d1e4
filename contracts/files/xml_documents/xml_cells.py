"""Texts of XML as values of JSON: a text and the shape that the contract wants in, JSON out. Pure.

XML has only texts. One that reads as a value of its type, in the form of its property, is written as such a value, with
exactly its digits; any other is written as a text, so that it is judged to be the wrong value that it is.
"""

from __future__ import annotations

import json
import re

from contracts.files.xml_documents.xml_shape import Shape
from contracts.plan import LogicalType, Xml
from contracts.terms.value_form import BLANKS, published

SPACES = " \t\r\n"
"""The white space of XML (XML 1.0, 2.3)."""
BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
"""The texts of a boolean (XML Schema, part 2, 3.2.2)."""
NUMBER = re.compile(r"([+-]?)(?=\.?[0-9])0*([0-9]{0,300})(?:\.([0-9]{0,300}))?([eE][+-]?[0-9]{1,4})?")
INTEGER = re.compile(r"([+-]?)0*([0-9]{1,300})")
ISO_BEGIN = re.compile("[0-9]{4}-|[0-9]{2}:")
"""The beginning of a date or time in ISO 8601: if another form is agreed, its text must not be read as a value."""
LONGEST_NUMBER = 700
"""Characters; JSON's reader gives up at 1,000 digits."""

quoted = json.JSONEncoder(ensure_ascii=False).encode
"""Return a text as JSON."""


def value(text: str, shape: Shape | None, xml: Xml) -> str:
    """Return the JSON of a text; blanks around it are a part of texts alone, unless the contract trims them."""
    form, kind = (shape.form, shape.kind) if shape else (None, None)
    cell = text.strip(BLANKS) if (form.trim if form else xml.trim) else text
    if kind not in ("string", None):
        cell = cell.strip(SPACES)
    if cell in (xml.null_values if form is None or form.nulls is None else form.nulls):
        return "null"
    if len(cell) > LONGEST_NUMBER or not shape or not kind:
        return quoted(cell)
    meant = published(form, cell, kind, exponent=shape.is_double) if form else cell
    if meant is None:
        return f"[{quoted(cell)}]" if ISO_BEGIN.match(cell) else quoted(cell)
    return _typed(meant, kind) or quoted(meant)


def _typed(cell: str, kind: LogicalType) -> str | None:
    match kind:
        case "integer":
            whole = INTEGER.fullmatch(cell)
            return whole and _sign(whole) + whole[2]
        case "number":
            if (parts := NUMBER.fullmatch(cell)) is None:
                return None
            fraction = f".{parts[3]}" if parts[3] else ""
            return f"{_sign(parts)}{parts[2] or '0'}{fraction}{parts[4] or ''}"
        case "boolean":
            return BOOLEANS.get(cell)
    return None


def _sign(match: re.Match[str]) -> str:
    return "-" if match[1] == "-" else ""
