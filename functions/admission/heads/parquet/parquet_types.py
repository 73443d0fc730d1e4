"""The types of Parquet: an element of a schema in, the type that the job reads it as and its name in Parquet out. Pure.

Source: `parquet.thrift` (Type, ConvertedType, LogicalType) and LogicalTypes.md of apache/parquet-format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNKNOWN = "unknown"
"""The type of a column that the job cannot read."""
ALWAYS_NULL = "UNKNOWN (always null)"
"""The name of the logical type of columns without a value."""
INT96 = "INT96"
MOST_DIGITS = 38
"""Digits of a DECIMAL that Spark holds."""
TOO_LONG = f", of more than {MOST_DIGITS} digits"
LEAST_OF_BYTES = 19
"""Digits of a DECIMAL in BYTE_ARRAY below which Spark's reader fails (NullPointerException, 4.1.1): it is asked for so
many."""
NAMES = {
    0: "BOOLEAN", 1: "INT32", 2: "INT64", 3: INT96, 4: "FLOAT", 5: "DOUBLE", 6: "BYTE_ARRAY", 7: "FIXED_LEN_BYTE_ARRAY",
}  # fmt: skip
PLAIN = {
    0: "boolean", 1: "int", 2: "bigint", 3: "timestamp", 4: "float", 5: "double", 6: "binary", 7: "binary",
}  # fmt: skip
"""Spark's type of a column without annotation, by its physical type."""
BARE = {3: INT96, 6: "BYTE_ARRAY without annotation", 7: "FIXED_LEN_BYTE_ARRAY without annotation"}
"""Columns without annotation whose Spark type says less than Parquet's."""
TEXTS = {1: "STRING", 4: "ENUM", 12: "JSON"}
UNREAD = {13: "BSON", 14: "UUID", 15: "FLOAT16", 16: "VARIANT", 17: "GEOMETRY", 18: "GEOGRAPHY"}
"""Logical types that no property's type takes, by their number."""
NEWER = "with a logical type that is newer than this reader"
UNITS = {1: ("ms", "milliseconds"), 2: ("us", "microseconds"), 3: ("ns", "nanoseconds")}
INTEGERS = {(8, True), (16, True), (32, True), (64, True), (8, False), (16, False), (32, False), (64, False)}
UNSIGNED = {8: "int", 16: "int", 32: "bigint", 64: "decimal(20,0)"}
ADJUSTED = {True: "isAdjustedToUTC=true", False: "isAdjustedToUTC=false"}
CONVERTED: dict[int, tuple[int, dict[int, Any]]] = {
    0: (1, {}), 4: (4, {}), 6: (6, {}), 7: (7, {1: True, 2: {1: {}}}), 8: (7, {1: True, 2: {2: {}}}),
    9: (8, {1: True, 2: {1: {}}}), 10: (8, {1: True, 2: {2: {}}}),
    **{11 + n: (10, {1: 8 << n, 2: False}) for n in range(4)}, **{15 + n: (10, {1: 8 << n, 2: True}) for n in range(4)},
    19: (12, {}), 20: (13, {}),
}  # fmt: skip
"""The older annotations as the logical types that they are: number and parameters."""

Typed = tuple[str, str]
"""The type that the job reads, and Parquet's name where that says more."""


def typed(element: Mapping[int, Any]) -> Typed:
    """The type of a column of single values and its name; raises what damaged bytes lead to."""
    physical, logical, converted = element[1], element.get(10), element.get(6)
    if logical:
        number, parameters = next(iter(logical.items()))
        return _annotated(number, parameters, element)
    if converted == 5:
        return _decimal(element, element[8], element.get(7, 0))
    if converted == 21:
        return UNKNOWN, "INTERVAL"
    if converted in CONVERTED:
        number, parameters = CONVERTED[converted]
        return _annotated(number, parameters, element)
    if converted is not None:
        return UNKNOWN, f"{NAMES[physical]} with the annotation number {int(converted)}"
    return PLAIN[physical], BARE.get(physical, "")


def group_named(element: Mapping[int, Any]) -> str:
    """The name of a logical type that a group has and that is not read; empty of all others."""
    annotation = element.get(10)
    number = next(iter(annotation), 0) if isinstance(annotation, dict) else 0
    return f"a group {NEWER}" if number > max(UNREAD) else UNREAD.get(number, "")


def _annotated(number: int, parameters: Any, element: Mapping[int, Any]) -> Typed:
    physical = element[1]
    match number:
        case 1 | 4 | 12:
            return _if(physical == 6, "string", TEXTS[number], physical)
        case 5:
            return _decimal(element, parameters[2], parameters[1])
        case 6:
            return _if(physical == 1, "date", "DATE", physical)
        case 7:
            short, unit = _unit(parameters)
            return _if(physical == (1 if short == "ms" else 2), f"time_{short}", f"TIME in {unit}", physical)
        case 8:
            short, unit = _unit(parameters)
            kind = "timestamp" if parameters[1] else "timestamp_ntz"
            name = f"TIMESTAMP in {unit} with {ADJUSTED[bool(parameters[1])]}"
            return _if(physical == 2, f"{kind}_ns" if short == "ns" else kind, name, physical)
        case 10:
            width, signed = parameters[1] & 0xFF, parameters[2]
            name = f"{'INT' if signed else 'UINT'}{width}"
            if (width, signed) not in INTEGERS or physical != (2 if width == 64 else 1):
                return UNKNOWN, f"{name} in {NAMES[physical]}, where it cannot be"
            return ("bigint" if width == 64 else "int") if signed else UNSIGNED[width], name
        case 11:
            return PLAIN[physical], ALWAYS_NULL
    if number in UNREAD:
        return UNKNOWN, UNREAD[number]
    return UNKNOWN, f"{NAMES[physical]} {NEWER}"


def _unit(parameters: Any) -> tuple[str, str]:
    """The unit of a TIME or TIMESTAMP; KeyError where it is none that Parquet has."""
    return UNITS[next(iter(parameters[2]), 0)]


def _if(fits: bool, kind: str, name: str, physical: int) -> Typed:
    return (kind, name) if fits else (UNKNOWN, f"{name} in {NAMES[physical]}, where it cannot be")


def _decimal(element: Mapping[int, Any], precision: Any, scale: Any) -> Typed:
    """A decimal of so many digits, some after the point; TypeError where that are no numbers."""
    physical, name = element[1], f"DECIMAL({precision},{scale})"
    if type(precision) is not int or type(scale) is not int:
        raise TypeError
    if not 0 <= scale <= precision or precision == 0:
        return UNKNOWN, f"{name}, which cannot be"
    if precision > MOST_DIGITS:
        return UNKNOWN, name + TOO_LONG
    room = {1: 9, 2: 18, 6: MOST_DIGITS}.get(physical, 0)
    if physical == 7 and 0 < (length := element.get(2, 0)) <= 1024:
        room = len(str(2 ** (8 * length - 1) - 1)) - 1
    if precision > room:
        return UNKNOWN, f"{name} in {NAMES[physical]}, where it cannot be"
    if physical == 6:
        precision = max(precision, LEAST_OF_BYTES)
    return f"decimal({precision},{scale})", name
