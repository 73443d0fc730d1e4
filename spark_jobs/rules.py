"""Checks as columns: a check, its cell and its typed value in, a column out that is true where the row fails.

A null cell fails only the rules that forbid nulls; a value that is null (no cell, or not of its type) fails no other.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from contracts.plan import Check, Csv, Property
from spark_jobs.schema import date, timestamp, typed

LEAST, GREATEST = -(2**63), 2**63 - 1


def record_rules(line: Column, fits: Column, csv: Csv) -> dict[str, Column]:
    """What a line must be before it is a record, by kind of check; `fits` tells whether it has as many cells as the header."""
    return {"fields": ~fits, "quotes": _odd_quotes(line, csv), "text": _not_text(line, csv)}


def failing(check: Check, prop: Property, cell: Column, value: Column) -> Column:
    """True where the row fails the check; null or false where it does not, or is not evaluated."""
    known: dict[str, Any] = check.arguments
    match check.kind:
        case "logicalType":
            return F.lit(False) if prop.type == "string" else cell.isNotNull() & value.isNull()
        case "required" | "nullValues" | "missingValues":
            return cell.isNull()
        case "format":
            return cell.isNotNull() & _by_format(cell, prop, known.get("format")).isNull()
        case "enum":
            return ~_among(value, known["values"], prop)
        case "minimum":
            return value < _bound(known["value"], prop, math.ceil)
        case "maximum":
            return value > _bound(known["value"], prop, math.floor)
        case "minLength":
            return F.char_length(value) < int(known["value"])
        case "maxLength":
            return F.char_length(value) > int(known["value"])
        case "pattern":
            return ~value.rlike(known["pattern"])
        case "invalidValues":
            return _invalid(value, prop, known)
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def constant(text: str, prop: Property) -> Column:
    """A contract's text as a value of the property's type; read like a cell, so that both mean the same."""
    return typed(F.lit(text), prop)


def _invalid(value: Column, prop: Property, known: dict[str, Any]) -> Column:
    values, pattern = known.get("values"), known.get("pattern")
    outside = ~_among(value, values, prop) if values is not None else F.lit(False)
    return outside | ~value.rlike(pattern) if pattern is not None else outside


def _among(value: Column, texts: list[str], prop: Property) -> Column:
    return value.isin(*(constant(text, prop) for text in texts))


def _bound(text: str, prop: Property, towards: Any) -> Column:
    """A bound as a constant; for integers the nearest whole number that means the same, within 64 bits."""
    if prop.type == "integer":
        whole = towards(Decimal(text))
        return F.lit(whole) if LEAST <= whole <= GREATEST else F.lit(Decimal(whole))
    return F.lit(float(text)) if prop.type == "number" else constant(text, prop)


def _by_format(cell: Column, prop: Property, pattern: str | None) -> Column:
    return (date if prop.type == "date" else timestamp)(cell, pattern)


def _odd_quotes(line: Column, csv: Csv) -> Column:
    """An odd number of quotes: one was never closed. Escaped quotes do not count where the escape is another character."""
    text = line
    if csv.escape != csv.quote:
        for pair in (csv.escape * 2, csv.escape + csv.quote):
            text = F.replace(text, F.lit(pair), F.lit(""))
    quotes = F.length(text) - F.length(F.replace(text, F.lit(csv.quote), F.lit("")))
    return F.contains(line, F.lit(csv.quote)) & (quotes % 2 == 1)


def _not_text(line: Column, csv: Csv) -> Column:
    nul = F.contains(line, F.lit("\x00"))
    return nul | ~F.is_valid_utf8(line) if csv.encoding.lower() in ("utf-8", "utf8") else nul
