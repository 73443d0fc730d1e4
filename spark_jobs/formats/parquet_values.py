"""Columns of Parquet as texts and values: a column, the name of its type and a property in, the text or value out.

A value that is not of the property's type becomes null, as in all formats.
"""

from __future__ import annotations

import math

from pyspark.sql import Column
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, FloatType, MapType, StructType

from contracts.plan import Property
from contracts.values.parquet_types import CLOCKS, NANOSECONDS, STORED
from spark_jobs.counting.floats import DIGITS
from spark_jobs.rules.casting import GREATEST_DOUBLE, clock_in_zone, typed

TAKEN = {
    "string": ("string",),
    "integer": ("int", "bigint", "decimal"),
    "number": ("int", "bigint", "float", "double", "decimal"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz", *NANOSECONDS),
    "time": ("string", *CLOCKS),
}
"""The types of columns whose values a property accepts; admission lets others through only if all are null."""
DAY = {"time_ms": 86_400_000, "time_us": 86_400_000_000, "time_ns": 86_400_000_000_000}
"""Units of a type in a day."""
AT_DAY = len("1970-01-01 ") + 1
"""The position of the time in the text of a moment, counted from 1."""
POWERS = tuple(10.0**n for n in range(23))
"""The powers of ten that a double represents exactly."""


def value(column: Column, kind: str, prop: Property) -> Column:
    """Return the value of a property; null if the column has none, or none of the property's type."""
    if kind.split("(", maxsplit=1)[0] not in TAKEN[prop.type]:
        return typed(sf.lit(None).cast("string"), prop)
    if kind in CLOCKS:  # as a moment of the first day; null if finer than a microsecond, or beyond a day
        fits = _in_day(column, kind) & _is_whole(column, kind)
        return sf.when(fits, sf.timestamp_micros(_micros_of_day(column, kind)))
    if kind in STORED:
        moment = sf.when(_is_whole(column, kind), _micros(column))
        return clock_in_zone(moment, prop) if kind.startswith("timestamp_ntz") else moment
    match prop.type:
        case "integer" | "number" if prop.exact:
            return typed(text(column, kind, prop), prop)
        case "time":
            return typed(column, prop)
        case "integer":
            return column.try_cast("bigint")
        case "number":
            double = decimal_of_float(column) if kind == "float" else column.cast("double")
            return sf.when(sf.abs(double) <= GREATEST_DOUBLE, double) if kind in ("float", "double") else double
        case "string":
            return sf.when(sf.is_valid_utf8(column), column)
        case "timestamp":
            moment = column.cast("timestamp")
            return clock_in_zone(moment, prop) if kind == "timestamp_ntz" else moment
        case _:
            return column


def text(column: Column, kind: str, prop: Property) -> Column:
    """Return the text of a column, as a cell of CSV would have it."""
    if kind in CLOCKS:
        return _time_text(column, kind)
    if kind == "float":
        return decimal_of_float(column).cast("string")
    if kind.startswith("timestamp"):
        shown = _nanosecond_text(column) if kind in STORED else column.cast("string")
        zoned = prop.type == "timestamp" and (prop.zone or prop.offset)
        return sf.concat(shown, sf.lit("Z")) if zoned and not kind.startswith("timestamp_ntz") else shown
    if kind.startswith("decimal") and prop.exact:
        scale = prop.exact[1]
        kept, dropped = (rf"\.[0-9]{{{scale}}}", "0+") if scale else ("", r"\.0+")
        return sf.regexp_replace(column.cast("string"), rf"^(-?[0-9]+{kept}){dropped}$", "$1")
    return column.cast("string")


def plain(column: Column, kind: str) -> Column:
    """Return a column in a type of Spark's own."""
    if kind in CLOCKS:
        return _time_text(column, kind)
    if kind in NANOSECONDS:
        return _micros(column).cast(kind.removesuffix("_ns"))
    return column


def with_floats(column: Column, kind: DataType) -> Column:
    """Return a nested column with each float in it as the decimal that it stands for."""
    if isinstance(kind, FloatType):
        return decimal_of_float(column)
    if "float" not in kind.simpleString():
        return column
    if isinstance(kind, ArrayType):
        return sf.transform(column, lambda element: with_floats(element, kind.elementType))
    if isinstance(kind, MapType):
        return sf.transform_values(column, lambda _, inner: with_floats(inner, kind.valueType))
    if isinstance(kind, StructType):
        inner = (with_floats(column.getField(f.name), f.dataType).alias(f.name) for f in kind.fields)
        return sf.when(column.isNotNull(), sf.struct(*inner))
    return column


def _in_day(column: Column, kind: str) -> Column:
    return (column >= 0) & (column < DAY[kind])


def _is_whole(column: Column, kind: str) -> Column:
    """Return a column that is true if a value is not finer than a microsecond."""
    return column % 1000 == 0 if kind.endswith("_ns") else sf.lit(True)


def _micros_of_day(column: Column, kind: str) -> Column:
    if kind == "time_ms":
        return column.cast("bigint") * 1000
    return _div(column) if kind == "time_ns" else column


def _div(column: Column) -> Column:
    """Divide by a thousand, towards zero."""
    return sf.call_function("div", column, sf.lit(1000))


def _micros(column: Column) -> Column:
    """Return nanoseconds as a moment, cut to microseconds."""
    return sf.timestamp_micros(_div(column) - sf.when(column % 1000 < 0, 1).otherwise(0))


def _time_text(column: Column, kind: str) -> Column:
    shown = sf.substr(sf.timestamp_micros(_micros_of_day(column, kind)).cast("string"), sf.lit(AT_DAY))
    if kind == "time_ns":
        shown = sf.substr(_nanosecond_text(column), sf.lit(AT_DAY))
    return sf.when(_in_day(column, kind), shown).otherwise(column.cast("string"))


def _nanosecond_text(column: Column) -> Column:
    """Return nanoseconds as text, with all nine digits if six are not enough."""
    moment, rest = _micros(column), sf.pmod(column, sf.lit(1000))
    fine = sf.concat(sf.date_format(moment, "yyyy-MM-dd HH:mm:ss.SSSSSS"), sf.lpad(rest.cast("string"), 3, "0"))
    return sf.when(rest == 0, moment.cast("string")).otherwise(fine)


def decimal_of_float(column: Column) -> Column:
    """Return a float as the double of the decimal that it stands for: 1.1, not 1.10000002384185791015625.

    Java's texts do not show it: Java 17 writes 9E9 as 8.9999995E9. A whole number of at most 9 digits, multiplied or
    divided by a power of ten up to 22, is the double nearest to the decimal; others are read from a text.
    """
    wide = column.cast("double")
    magnitude = sf.floor(sf.log10(sf.abs(wide))).try_cast("int")
    *shorter, last = (_rounded(wide, magnitude, digits) for digits in DIGITS)
    shortest = last
    for rounded in reversed(shorter):
        shortest = sf.when(rounded.cast("float") == column, rounded).otherwise(shortest)
    cents = sf.rint(wide * 100) / 100  # of at most 6 digits, and much the cheapest
    is_short = (sf.abs(wide) < 10_000) & (cents.cast("float") == column)
    is_endless = sf.isnan(wide) | wide.isin(math.inf, -math.inf)
    return sf.when(is_short, cents).when(is_endless, wide).otherwise(shortest)


def _rounded(wide: Column, magnitude: Column, digits: int) -> Column:
    """Round a double to some digits, the first of which is worth 10 to the power of `magnitude`."""
    places = digits - 1 - magnitude
    powers = sf.array(*map(sf.lit, POWERS))

    def power(n: Column) -> Column:
        return sf.get(powers, n)

    up, down = power(places), power(-places)
    far = sf.concat(sf.rint(wide * sf.pow(sf.lit(10.0), places)).cast("bigint"), sf.lit("E"), -places).cast("double")
    near = sf.when(places >= 0, sf.rint(wide * up) / up).otherwise(sf.rint(wide / down) * down)
    return sf.when(sf.abs(places) < len(POWERS), near).otherwise(far)
