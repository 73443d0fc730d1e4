"""Cells cast to their logical types, strictly: text columns in, typed columns out, null where the text is not of the type.

Spark's casts accept much that no contract means (blanks around, `1d`, `0x1p3`, `NaN`, `2024-1-5`, `today`). Each cast is
therefore fenced by the cheapest test that closes exactly those doors; tests hold the two against a table of texts.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from contracts.plan import Property

GREATEST_DOUBLE = 1.7976931348623157e308
TIMESTAMP = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?\z"


def typed(cell: Column, prop: Property) -> Column:
    """The cell as a value of its property's logical type; null where it is null or not of that type."""
    match prop.type:
        case "string":
            return cell
        case "integer":
            return _integer(cell)
        case "number":
            return _number(cell)
        case "boolean":
            return _boolean(cell)
        case "date":
            return date(cell, prop.format)
        case "timestamp":
            return timestamp(cell, prop.format)


def date(cell: Column, pattern: str | None) -> Column:
    """A date by its java.time pattern, ISO 8601 (yyyy-MM-dd) by default."""
    if pattern not in (None, "yyyy-MM-dd"):
        return F.try_to_timestamp(cell, F.lit(pattern)).cast("date")
    day = cell.try_cast("date")
    return F.when(day.cast("string") == cell, day)  # a round trip: no other text stands for the day


def timestamp(cell: Column, pattern: str | None) -> Column:
    """A moment by its java.time pattern; by default ISO 8601 with seconds, UTC where no offset stands."""
    if pattern is not None:
        return F.try_to_timestamp(cell, F.lit(pattern))
    return F.when(cell.rlike(TIMESTAMP), cell.try_cast("timestamp"))


def _integer(cell: Column) -> Column:
    """Sign and digits, 64 bits. The cast refuses all else but blanks around, which sort before `+` and `0`."""
    return F.when((cell >= "+") & (_last(cell) >= "0"), cell.try_cast("bigint"))


def _number(cell: Column) -> Column:
    """Sign, digits, point, exponent, as a double.

    What else Java reads as a number begins with a blank (sorts before `+`), ends in a blank or a suffix (outside `.` to
    `9`), is hexadecimal (has an x), or is not finite (above the greatest double; so is NaN for Spark).
    """
    value = cell.try_cast("double")
    plain = (cell >= "+") & _last(cell).between(".", "9") & ~F.contains(cell, F.lit("x")) & ~F.contains(cell, F.lit("X"))
    return F.when(plain & (F.abs(value) <= GREATEST_DOUBLE), value)


def _boolean(cell: Column) -> Column:
    word = F.lower(cell)
    return F.when(word == "true", True).when(word == "false", False)


def _last(cell: Column) -> Column:
    return F.substring(cell, -1, 1)
