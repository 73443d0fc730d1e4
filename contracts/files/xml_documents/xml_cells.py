"""Texts of XML as values of JSON: a text and the type that the contract wants in, JSON out. Pure.

XML has only texts. One that reads as a value of its type is written as such a value, with exactly its digits; any
other is written as a text, so that it is judged to be the wrong value that it is.
"""

from __future__ import annotations

import json
import re

from contracts.plan import LogicalType, Xml
from contracts.terms.value_form import BLANKS

SPACES = " \t\r\n"
"""The white space of XML (XML 1.0, 2.3)."""
BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
"""The texts of a boolean (XML Schema, part 2, 3.2.2)."""
NUMBER = re.compile(r"([+-]?)(?=\.?[0-9])0*([0-9]{0,300})(?:\.([0-9]{0,300}))?([eE][+-]?[0-9]{1,4})?")
INTEGER = re.compile(r"([+-]?)0*([0-9]{1,300})")
LONGEST_NUMBER = 700
"""Characters; JSON's reader gives up at 1,000 digits."""

quoted = json.JSONEncoder(ensure_ascii=False).encode
"""Return a text as JSON."""


def value(text: str, kind: LogicalType | None, xml: Xml) -> str:
    """Return the JSON of a text; blanks around it are a part of texts alone, unless the contract trims them."""
    cell = text.strip(BLANKS) if xml.trim else text
    if kind not in ("string", None):
        cell = cell.strip(SPACES)
    if cell in xml.null_values:
        return "null"
    typed = None
    if len(cell) <= LONGEST_NUMBER:
        match kind:
            case "integer":
                typed = _integer(cell)
            case "number":
                typed = _number(cell)
            case "boolean":
                typed = BOOLEANS.get(cell)
    return typed or quoted(cell)


def _integer(text: str) -> str | None:
    match = INTEGER.fullmatch(text)
    return None if match is None else _sign(match) + match[2]


def _number(text: str) -> str | None:
    match = NUMBER.fullmatch(text)
    if match is None:
        return None
    fraction = f".{match[3]}" if match[3] else ""
    return f"{_sign(match)}{match[2] or '0'}{fraction}{match[4] or ''}"


def _sign(match: re.Match[str]) -> str:
    return "-" if match[1] == "-" else ""
