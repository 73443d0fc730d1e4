"""Expectations by their names in Great Expectations, which packages of dbt share, as checks of a table."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contracts.authoring.imports.suites.judged import Manner, Table, bounds, limits
from contracts.authoring.properties import datetimes
from contracts.authoring.properties.other_patterns import translated

VALUES = "expect_column_values_to_"
FIGURES = {"min": "min", "max": "max", "mean": "mean", "stdev": "stdev", "sum": "sum"}
"""The figures of a column, with the metric for each."""
TYPES = {
    **dict.fromkeys(("string", "stringtype", "str", "object", "text", "varchar", "string_"), "string"),
    **dict.fromkeys(("int", "int64", "int32", "int16", "integer", "bigint", "smallint", "integertype"), "integer"),
    **dict.fromkeys(("longtype", "shorttype", "bytetype"), "integer"),
    **dict.fromkeys(("float", "float64", "float32", "double", "number", "numeric", "decimal"), "number"),
    **dict.fromkeys(("doubletype", "floattype", "decimaltype"), "number"),
    **dict.fromkeys(("bool", "boolean", "booleantype", "bool_"), "boolean"),
    **dict.fromkeys(("date", "datetype"), "date"),
    **dict.fromkeys(("timestamp", "timestamptype", "datetime64", "datetime", "datetime64[ns]"), "timestamp"),
}
"""Types of pandas, Spark and databases, in small letters."""
TYPED = (f"{VALUES}be_of_type", f"{VALUES}be_in_type_list", "expect_column_type_to_be")
STRFTIME = f"{VALUES}match_strftime_format"


def of_type(table: Table, name: str, arguments: dict[str, Any]) -> bool:
    """Give a column the type that an expectation names; return False if it names none that is certain."""
    column = arguments.get("column")
    if name == STRFTIME:
        return _of_format(table, column, arguments.get("strftime_format"))
    if name not in TYPED or not isinstance(column, str):
        return False
    listed = arguments.get("type_list") or [arguments.get("type_") or arguments.get("column_type")]
    kinds = {TYPES.get(str(kind).casefold()) for kind in listed} - {None} if isinstance(listed, list) else set()
    kind = next(iter(kinds)) if len(kinds) == 1 else "number" if kinds == {"integer", "number"} else None
    if kind is None:
        return False
    table.column(column)["logicalType"] = kind
    if column in table.untyped:
        table.untyped.remove(column)
    return True


def _of_format(table: Table, column: Any, written: Any) -> bool:
    if not isinstance(column, str) or not isinstance(written, str):
        return False
    for logical in ("date", "timestamp"):
        meant = translated(written, logical)
        if meant and datetimes.fault(meant, logical) is None and ("HH" in meant) == (logical == "timestamp"):
            table.column(column).update({"logicalType": logical, "logicalTypeOptions": {"format": meant}})
            if column in table.untyped:
                table.untyped.remove(column)
            return True
    return False


def applied(  # noqa: C901, PLR0912 (a case for each)
    table: Table, name: str, arguments: dict[str, Any], manner: Manner
) -> bool:
    """Add the checks that say the same as an expectation; return False if there are none."""
    column, share = arguments.get("column"), arguments.get("mostly")
    low, high = arguments.get("min_value"), arguments.get("max_value")
    strict = arguments.get("strictly") is True
    above, below = strict or arguments.get("strict_min") is True, strict or arguments.get("strict_max") is True
    if not all(value is None or _is_number(value) for value in (low, high)):
        return False
    if share is not None and share != 1:
        return name == f"{VALUES}not_be_null" and _share(table, column, share, manner)
    match name:
        case "expect_table_row_count_to_be_between":
            return table.rows(limits(low, high, above=above, below=below), manner)
        case "expect_table_row_count_to_equal" if _is_number(arguments.get("value")):
            return table.rows([{"mustBe": arguments["value"]}], manner)
        case "expect_compound_columns_to_be_unique" if _are_names(arguments.get("column_list")):
            return table.unique_together(arguments["column_list"], manner)
    if not isinstance(column, str) or not column:
        return False
    match name.removeprefix(VALUES):
        case "not_be_null":
            return table.required(column, manner)
        case "be_unique":
            return table.unique(column, manner)
        case "be_in_set" if isinstance(arguments.get("value_set"), list):
            return table.among(column, arguments["value_set"], manner)
        case "be_between":
            return table.between(column, bounds(low, high, above=above, below=below), manner)
        case "match_regex" if isinstance(arguments.get("regex"), str):
            return table.matches(column, arguments["regex"], manner)
        case "expect_column_value_lengths_to_be_between" if not (above or below) and _are_lengths(low, high):
            sizes = {key: value for key, value in (("minLength", low), ("maxLength", high)) if value is not None}
            return table.sized(column, sizes, manner)
        case "expect_column_value_lengths_to_equal" if _are_lengths(arguments.get("value"), 0):
            return table.sized(column, dict.fromkeys(("minLength", "maxLength"), arguments["value"]), manner)
    figure = name.removeprefix("expect_column_").removesuffix("_to_be_between")
    if f"expect_column_{figure}_to_be_between" == name and figure in FIGURES:
        return table.figure(column, FIGURES[figure], limits(low, high, above=above, below=below), manner)
    return False


def _share(table: Table, column: Any, share: Any, manner: Manner) -> bool:
    """Add the share of nulls that a column may have."""
    if not isinstance(column, str) or not _is_number(share) or not 0 <= share <= 1 or manner.limit != {"mustBe": 0}:
        return False
    most = (100 - Decimal(str(share)) * 100).normalize()
    entry = {"mustBeLessOrEqualTo": int(most) if most == int(most) else most, "unit": "percent"}
    return table.nulls(column, entry, manner)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _are_lengths(*values: Any) -> bool:
    return all(value is None or (isinstance(value, int) and value >= 0) for value in values)


def _are_names(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)
