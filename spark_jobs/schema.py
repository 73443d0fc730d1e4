"""Cells cast to their logical types, strictly: text columns in, typed columns out, null where a text does not fit.

Spark's casts accept much that no contract means (blanks around, `1d`, `0x1p3`, `NaN`, `2024-1-5`, `today`). Each cast
is therefore fenced by a test that closes exactly those doors; a table of texts holds them to it.
"""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.datepattern import PIECE, literal
from contracts.plan import Property

GREATEST_DOUBLE = 1.7976931348623157e308
NUMERALS = r"^[0-9+\-.eE]*\z"
"""Texts of these characters alone that Java reads as a number are signs, digits, point and exponent in their places."""
TIMESTAMP = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?\z"
OFFSETS = {"X": r"(?:Z|[+-]\d{2}(?:\d{2})?)", "XXX": r"(?:Z|[+-]\d{2}:\d{2})"}


def typed(cell: Column, prop: Property) -> Column:
    """The cell as a value of its property's logical type; null where it is null or not of that type."""
    numeral = cell.rlike(NUMERALS)
    match prop.type:
        case "string":
            return cell
        case "integer":
            return sf.when(numeral, cell.try_cast("bigint"))
        case "number":
            value = cell.try_cast("double")
            return sf.when(numeral & (sf.abs(value) <= GREATEST_DOUBLE), value)
        case "boolean":
            word = sf.lower(cell)
            return sf.when(word == "true", True).when(word == "false", False)
        case "date":
            return _date(cell, prop.format)
        case "timestamp":
            return _timestamp(cell, prop.format)


def _date(cell: Column, pattern: str | None) -> Column:
    if pattern not in (None, "yyyy-MM-dd"):
        return _by_pattern(cell, pattern).cast("date")
    day = cell.try_cast("date")
    return sf.when(day.cast("string") == cell, day)  # a round trip: no other text stands for the day


def _timestamp(cell: Column, pattern: str | None) -> Column:
    if pattern is not None:
        return _by_pattern(cell, pattern)
    return sf.when(cell.rlike(TIMESTAMP), cell.try_cast("timestamp"))


def _by_pattern(cell: Column, pattern: str) -> Column:
    """A timestamp of a java.time pattern, whose `yyyy` alone would take a sign and more digits than a long holds."""
    return sf.when(cell.rlike(shape(pattern)), sf.try_to_timestamp(cell, sf.lit(pattern)))


def shape(pattern: str) -> str:
    """A regular expression of the texts that a date or timestamp pattern stands for: as many digits as letters."""
    return "^" + "".join(_piece(piece) for piece in PIECE.finditer(pattern)) + r"\z"


def _piece(piece: re.Match[str]) -> str:
    return OFFSETS.get(piece[0], rf"\d{{{len(piece[0])}}}") if piece[2] else re.escape(literal(piece))
