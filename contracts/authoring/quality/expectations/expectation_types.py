"""The types of an expectation's columns and values: arguments in; findings where every file would end in an error.

Great Expectations leaves types to Spark, which stops at a pair that it cannot compare, or to Python, where such values
are never equal. `expectations.json` has the types of each expectation, as they were tried with the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.quality.expectations.core_expectations import TYPES, Core, fits
from contracts.plan import Property

OF_JSON, OF_PAIRS = "expect_column_values_to_match_json_schema", "expect_column_pair_values_to_be_in_set"
FAMILIES = {
    "integer": "numbers",
    "number": "numbers",
    "boolean": "booleans",
    "string": "texts",
    "time": "texts",
    "date": "moments",
    "timestamp": "moments",
}
"""Types that can be compared with each other have one family."""
KINDS = {"numbers": "number", "booleans": "boolean", "texts": "text"}
"""The kinds of values that can be compared with those of a family; moments have notations."""
WORDS = {
    "numbers": "a number",
    "booleans": "true or false",
    "texts": "text",
    "date": "a day, as `2026-01-31`",
    "timestamp": "a moment, as `2026-01-31T10:00:00`",
}
MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?", re.ASCII)
"""A day, maybe with a time of day, maybe with an offset, as both Spark and Python read it."""


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument: its place, its value, and the property whose values it is held against."""

    path: Path
    value: Any
    prop: Property
    null: bool = False


def hold(
    document: Document, path: Path, name: str, core: Core, kwargs: dict[str, Any], props: Sequence[Property]
) -> None:
    """Hold the types of columns and values, whose shapes are right, against those that an expectation takes."""
    # Arguments that the library takes, and does not heed
    if name == OF_JSON and kwargs.get("mostly", 1) != 1:
        message = f"`{name}` stops at a text that is not JSON, so the number of other texts that match is unknown."
        fix = "Leave `mostly` out, or use `expect_column_values_to_be_json_parseable`."
        document.error((*path, "mostly"), "wrong-type", message, fix)
    if name == OF_PAIRS and kwargs.get("row_condition") is not None:
        message = f"`{name}` reads all records, with or without `row_condition`."
        fix = "Leave it out, or say all of it in SQL: `metric: expression`."
        document.error((*path, "row_condition"), "wrong-type", message, fix)
    by_name = {p.name: p for p in props}
    columns: list[tuple[Path, Property]] = []
    for key, kind in core.arguments.items():
        if kind in ("column", "columns") and kwargs.get(key) is not None:
            names = [kwargs[key]] if isinstance(kwargs[key], str) else kwargs[key]
            columns += (((*path, key), by_name[one]) for one in names)
    for at, prop in columns:
        if prop.type not in TYPES[core.types]:
            *most, last = TYPES[core.types]
            message = f"`{name}` takes {', '.join(most)} or {last}; `{prop.name}` is {prop.type}."
            fix = "Name a property of such a type, or say it in SQL: `metric: expression`."
            document.error(at, "wrong-type", message, fix)
            return
    if core.alike and (
        other := next((c for c in columns if FAMILIES[c[1].type] != FAMILIES[columns[0][1].type]), None)
    ):
        first, (at, prop) = columns[0][1], other
        message = f"`{name}` compares values: `{first.name}` is {first.type}, but `{prop.name}` is {prop.type}."
        fix = "Name properties of one type, or say it in SQL with a `cast`: `metric: expression`."
        document.error(at, "wrong-type", message, fix)
        return
    for given in _given(path, core, kwargs, [prop for _, prop in columns]):
        _hold_value(document, given, core)


def _given(path: Path, core: Core, kwargs: dict[str, Any], props: Sequence[Property]) -> Iterator[_Given]:
    """Yield the values that are compared with those of columns."""
    for key, kind in core.arguments.items():
        value, at = kwargs.get(key), (*path, key)
        if value is None or not props:
            continue
        if kind == "bound":
            yield _Given(at, value, props[0])
        elif key == "value_pairs_set":
            pairs = ((n, side, one) for n, pair in enumerate(value) for side, one in enumerate(pair))
            yield from (_Given((*at, n, side), one, props[side], null=True) for n, side, one in pairs)
        elif kind == "list":
            yield from (_Given((*at, n), one, props[0]) for n, one in enumerate(value))
        elif key == "partition_object":
            values = value.get("values", ())
            yield from (_Given((*at, "values", n), one, props[0]) for n, one in enumerate(values))


def _hold_value(document: Document, given: _Given, core: Core) -> None:
    key = next(step for step in given.path[::-1] if isinstance(step, str) and step != "values")
    if given.value is None:
        if not given.null:
            message = f"Great Expectations finds every value in a `{key}` that has a null."
            fix = "Leave the null out: records without a value are not checked."
            document.error(given.path, "wrong-type", message, fix)
        return
    prop, written = given.prop, given.value.isoformat() if isinstance(given.value, date) else given.value
    shape = MOMENT.fullmatch(written) if isinstance(written, str) else None
    if FAMILIES[prop.type] == "moments":
        is_of = shape is not None and not (prop.type == "date" and shape[2]) and fits("bound", written)
    else:
        is_of = fits(KINDS[FAMILIES[prop.type]], written)
    if not is_of:
        message = f"`{key}` has `{written!s:.40}`, and `{prop.name}` is {prop.type}."
        word = WORDS[prop.type if prop.type in WORDS else FAMILIES[prop.type]]
        document.error(given.path, "wrong-type", message, f"Write {word}.")
        return
    compares_moments = core.about == "column" and prop.type == "timestamp" and key in ("min_value", "max_value")
    if compares_moments and shape and shape[5]:
        message = f"Great Expectations compares `{key}` without an offset, and cannot compare `{written}`."
        document.error(given.path, "wrong-type", message, "Write the moment in UTC, without an offset.")
    elif core.types == "plain" and prop.exact and Decimal(float(written)) != Decimal(str(written)):
        message = f"`{prop.name}` is exact, and Great Expectations compares it with `{written}` as a double."
        fix = "Say it in SQL: a query over `data`, or use a number that is not exact."
        document.error(given.path, "wrong-type", message, fix)
