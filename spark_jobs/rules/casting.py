"""Cells cast to their logical types, strictly: text columns in, typed columns out, null if a text does not fit.

Spark's casts accept texts that no contract means (blanks around, `1d`, `0x1p3`, `NaN`, `2024-1-5`, `today`). Each cast
therefore has a fence: a pattern that refuses exactly those texts, held by a table of texts in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.plan import Property
from contracts.values.date_pattern import PIECE, literal
from spark_jobs.counting.spark_types import ISO, is_double, numeric
from spark_jobs.rules import value_forms

GREATEST_DOUBLE = 1.7976931348623157e308
NUMERAL = r"[0123456789+\-.eE]"
"""If Java reads a text of these characters as a number, its signs, digits, point and exponent are in their places."""
CHAIN = 100
"""Conditions in one chain; Java's stack is too short to follow a long one."""
TIMESTAMP = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?"
OFFSET = r"(Z|[+-]\d{2}:\d{2})"
OFFSET_WANTED = {None: f"{OFFSET}?", True: OFFSET, False: ""}
TIME = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
FIRST_DAY = "1970-01-01T"
"""A time is a moment of this day: Spark's own type for times needs a setting, and few functions accept it."""
OFFSETS = {"X": r"(?:Z|[+-]\d{2}(?:\d{2})?)", "XXX": OFFSET}


def typed(cell: Column, prop: Property) -> Column:
    """Return a cell as a value of its property's logical type; null if it is null or not of that type.

    A cell is read in the form of the property's cells (`value_forms`).
    """
    if prop.form:
        cell, prop = value_forms.published(cell, prop, prop.form), prop.published
    value, allowed = cast(cell, prop), fence(prop)
    tests = [cell.rlike(rf"^{allowed}\z")] if allowed else []
    if is_double(prop):
        tests.append(sf.abs(value) <= GREATEST_DOUBLE)
    return sf.when(reduce(Column.__and__, tests), value) if tests else value


def in_zone(value: Column, cell: Column, prop: Property) -> Column:
    """Move a timestamp that was read as UTC to its property's zone, if its text has no offset."""
    local = clock_in_zone(value, prop)
    return local if prop.format else sf.when(cell.rlike(rf"{OFFSET}\z"), value).otherwise(local)


def clock_in_zone(value: Column, prop: Property) -> Column:
    """Return the moment at which clocks of a property's zone (UTC if it has none) show the digits of a timestamp.

    It is null if no clock of the zone ever showed them: Spark would move the hour that is left out in spring to the
    next. If an hour is shown twice, the first one is returned, as in Java.
    """
    if not prop.zone:
        return value
    moment = sf.to_utc_timestamp(value, sf.lit(prop.zone))
    return sf.when(sf.from_utc_timestamp(moment, sf.lit(prop.zone)) == value, moment)


def or_infinite(odd: Column, doubles: Sequence[Column]) -> Column:
    """Return a column that is true if another one is, or if a double is infinite; false where that is unknown."""
    tests = [sf.abs(value) > GREATEST_DOUBLE for value in doubles]
    first, rest = tests[:CHAIN], tests[CHAIN:]
    chains = [reduce(Column.__or__, rest[n : n + CHAIN]) for n in range(0, len(rest), CHAIN)]
    return sf.coalesce(reduce(Column.__or__, [*first, *chains], odd), sf.lit(False))


def fence(prop: Property) -> str | None:
    """Return a pattern of the texts that `cast` reads correctly (or as infinite); None if it reads all texts so."""
    match prop.type:
        case "string" | "boolean":
            return None
        case "integer" | "number":
            return digits(prop.type, *prop.exact) if prop.exact else f"{NUMERAL}*"
        case "date":
            return shape(prop.format or ISO)
        case "timestamp":
            return shape(prop.format) if prop.format else TIMESTAMP + OFFSET_WANTED[prop.offset]
        case "time":
            return shape(prop.format) if prop.format else TIME
        case "object" | "array" | "map":
            raise NotImplementedError(f"{prop.type} is no type of single values")


def cast(cell: Column, prop: Property) -> Column:
    """Cast a cell that is null or within the fence: with Spark's cast only, which costs nothing else."""
    match prop.type:
        case "string":
            return cell
        case "integer" | "number":
            return cell.try_cast(numeric(prop))
        case "boolean":
            word = sf.lower(cell)
            return sf.when(word == "true", True).when(word == "false", False)
        case "date":
            if prop.format not in (None, ISO):
                return sf.try_to_timestamp(cell, sf.lit(prop.format)).cast(prop.type)
            return cell.try_cast(prop.type)
        case "timestamp":
            value = sf.try_to_timestamp(cell, sf.lit(prop.format)) if prop.format else cell.try_cast("timestamp")
            return in_zone(value, cell, prop) if prop.zone else value
        case "time":
            if prop.format:
                return sf.try_to_timestamp(cell, sf.lit(prop.format))
            return sf.concat(sf.lit(FIRST_DAY), cell).try_cast("timestamp")
        case "object" | "array" | "map":
            raise NotImplementedError(f"{prop.type} is no type of single values")


def digits(kind: str, precision: int, scale: int) -> str:
    """Return a pattern of the texts that a decimal represents exactly: Spark's cast would round others silently.

    Its quantifiers are possessive, so that a line of many such cells takes linear time.
    """
    after = "" if kind == "integer" else rf"(?:\.[0-9]{{0,{scale}}}+)?"
    return rf"[+\-]?0*+[0-9]{{0,{precision - scale}}}+{after}"


def shape(pattern: str) -> str:
    """Return a regular expression of the texts of a date or timestamp pattern: as many digits as letters.

    Without it java.time's `yyyy` accepts a sign, and more digits than a long holds.
    """
    return "".join(
        OFFSETS.get(piece[0], rf"\d{{{len(piece[0])}}}") if piece[2] else re.escape(literal(piece))
        for piece in PIECE.finditer(pattern)
    )
