"""Cells cast to their logical types, strictly: text columns in, typed columns out, null where a text does not fit.

Spark's casts accept much that no contract means (blanks around, `1d`, `0x1p3`, `NaN`, `2024-1-5`, `today`). Each cast
is therefore fenced by a test that closes exactly those doors; a table of texts holds them to it.
"""

from __future__ import annotations

import re
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.datepattern import PIECE, literal
from contracts.plan import Property

GREATEST_DOUBLE = 1.7976931348623157e308
NUMERAL = r"[0123456789+\-.eE]"
"""Texts of these characters alone that Java reads as a number are signs, digits, point and exponent in their places."""
ISO = "yyyy-MM-dd"
TIMESTAMP = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?"
TIME = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
FIRST_DAY = "1970-01-01T"
"""A time is a moment of this day: Spark's own type for times needs a setting, and no function would tell them apart."""
OFFSETS = {"X": r"(?:Z|[+-]\d{2}(?:\d{2})?)", "XXX": r"(?:Z|[+-]\d{2}:\d{2})"}


def typed(cell: Column, prop: Property) -> Column:
    """The cell as a value of its property's logical type; null where it is null or not of that type."""
    value, allowed = cast(cell, prop), fence(prop)
    tests = [cell.rlike(rf"^{allowed}\z")] if allowed else []
    if prop.type == "number":
        tests.append(sf.abs(value) <= GREATEST_DOUBLE)
    return sf.when(reduce(Column.__and__, tests), value) if tests else value


def fence(prop: Property) -> str | None:
    """A regular expression of the texts that `cast` reads rightly (or as infinite); None where that are all."""
    match prop.type:
        case "string" | "boolean":
            return None
        case "integer" | "number":
            return f"{NUMERAL}*"
        case "date":
            return shape(prop.format or ISO)
        case "timestamp":
            return shape(prop.format) if prop.format else TIMESTAMP
        case "time":
            return shape(prop.format) if prop.format else TIME


def cast(cell: Column, prop: Property) -> Column:
    """The same for a cell that is null or within the fence: Spark's cast alone, so that it costs nothing else."""
    match prop.type:
        case "string":
            return cell
        case "integer":
            return cell.try_cast("bigint")
        case "number":
            return cell.try_cast("double")
        case "boolean":
            word = sf.lower(cell)
            return sf.when(word == "true", True).when(word == "false", False)
        case "date" | "timestamp":
            if prop.format not in (None, ISO):
                return sf.try_to_timestamp(cell, sf.lit(prop.format)).cast(prop.type)
            return cell.try_cast(prop.type)
        case "time":
            if prop.format:
                return sf.try_to_timestamp(cell, sf.lit(prop.format))
            return sf.concat(sf.lit(FIRST_DAY), cell).try_cast("timestamp")


def shape(pattern: str) -> str:
    """A regular expression of the texts that a date or timestamp pattern stands for: as many digits as letters.

    Without it java.time's `yyyy` takes a sign and more digits than a long holds.
    """
    return "".join(_piece(piece) for piece in PIECE.finditer(pattern))


def _piece(piece: re.Match[str]) -> str:
    return OFFSETS.get(piece[0], rf"\d{{{len(piece[0])}}}") if piece[2] else re.escape(literal(piece))
