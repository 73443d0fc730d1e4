"""Types of Parquet's columns compared with a plan: the columns that cannot be read as agreed, and their fixes. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contracts.plan import CONTAINERS, Plan, Property
from contracts.problem import Problem
from contracts.values.date_pattern import PIECE
from contracts.values.parquet_types import CLOCKS, NANOSECONDS, STORED
from functions.admission.heads.parquet import parquet_nested
from functions.admission.heads.parquet.parquet_footer import Column
from functions.admission.heads.parquet.parquet_nested import SHAPES, UNREADABLE, ListedColumn, Routes
from functions.admission.heads.parquet.parquet_types import INT96, NEWER

FITTING = {
    "string": ("string",),
    "integer": ("int", "bigint", "decimal(20,0)"),
    "number": ("int", "bigint", "float", "double"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz", *NANOSECONDS),
    "time": ("string", *CLOCKS),
}
"""The column types that a logical type may come in; of any precision, decimals are numbers, and whole ones integers."""
WRITE = {
    "string": "a string (BYTE_ARRAY, annotated as STRING)",
    "integer": "INT32 or INT64",
    "number": "DOUBLE, FLOAT, DECIMAL of at most 38 digits or an integer",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "time": "TIME, or a string (BYTE_ARRAY, annotated as STRING)",
    "timestamp": "TIMESTAMP",
    "object": "a group without annotation",
    "array": "a group annotated as LIST",
    "map": "a group annotated as MAP, with strings for keys",
}
MOMENT, LOCAL = "TIMESTAMP with isAdjustedToUTC=true", "TIMESTAMP with isAdjustedToUTC=false"
WITHIN_OTHERS = {
    "time": "a string (BYTE_ARRAY, annotated as STRING)",
    "timestamp": "TIMESTAMP in milliseconds or microseconds",
}
"""The types to write instead of those that are read only as columns of their own."""
READABLE = {
    "TIMESTAMP": WITHIN_OTHERS["timestamp"],
    "DATE": WRITE["date"],
    "FLOAT16": "FLOAT or DOUBLE",
    "DECIMAL": WRITE["number"],
}
"""The types to write instead of those that are not read within others, by the beginnings of their names."""
ANYTHING = WRITE["string"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The facts of a file outside its schema: the columns with only nulls, and whether Spark wrote it.

    INT96 does not state the zone of its times; from Spark they are moments, as TIMESTAMP adjusted to UTC.
    """

    empty: Container[str] = ()
    by_spark: bool = False


def misread(plan: Plan, listed: Sequence[ListedColumn], origin: Origin) -> dict[str, Column]:
    """Return the columns that are of another type than the properties of their names."""
    routes, named = {p.route: p for p in plan.properties}, {column.name: column for column in listed if column.prop}
    pairs = [(p, named[p.name]) for p in plan.properties if p.name in named]
    return {p.name: listing.column for p, listing in pairs if not _reads(p, listing, origin, routes)}


def _reads(prop: Property, listing: ListedColumn, origin: Origin, routes: Routes) -> bool:
    """Return True if the job can read a column as a property; a column without values is of any type."""
    column = listing.column
    if prop.type in CONTAINERS and not prop.path and column.is_empty:
        return True
    if prop.type in CONTAINERS:
        inside = column.shape == SHAPES[prop.type] and listing.type not in UNREADABLE
        return inside and (bool(prop.path) or not _unread(prop, column, routes))
    if prop.path:
        return column.type not in STORED and _takes(prop, column, origin)
    is_read = column.type not in (*UNREADABLE, *STORED)
    return _takes(prop, column, origin) or (prop.name in origin.empty and is_read)


def _takes(prop: Property, column: Column, origin: Origin) -> bool:
    """Return True if values of a column can be of a property's type, and agree with its contract's time zone."""
    if column.is_empty:
        return True
    has_zone = prop.type == "timestamp" and (prop.zone or prop.offset is not None)
    if has_zone and column.annotation == INT96 and not origin.by_spark:
        return False
    return fits(prop, column.type)


def fits(prop: Property, kind: str) -> bool:
    """Return whether values of a column type can be of a property's type."""
    if kind.startswith("decimal"):
        return prop.type == "number" or (prop.type == "integer" and kind.endswith(",0)"))
    if prop.exact and kind in ("float", "double"):
        return False
    if kind.startswith("timestamp") and has_offset(prop) is not None:
        return prop.type == "timestamp" and has_offset(prop) is not kind.startswith("timestamp_ntz")
    return kind in FITTING[prop.type]


def has_offset(prop: Property) -> bool | None:
    """Return whether timestamps of a property have an offset: by `timezone`, or as its format asks; else None."""
    if prop.format and any(piece[2] == "X" for piece in PIECE.finditer(prop.format)):
        return True
    return prop.offset


def problems(plan: Plan, wrong: Mapping[str, Column]) -> Iterator[Problem]:
    """Yield the problems of columns' types; of a nested column those of its inner columns that are not read."""
    routes = {p.route: p for p in plan.properties}
    for name, column in wrong.items():
        prop = plan.property_named(name)
        inner = _unread(prop, column, routes)
        yield from (_unread_within(prop, *pair) for pair in inner if pair[0] not in wrong)
        if not inner:
            kinds = {"nested": "is nested", "unknown": "is of a type that is not read here"}
            if prop.type in CONTAINERS and column.type == "nested":
                same = column.shape in ("", SHAPES[prop.type])
                kinds["nested"] = (
                    "is nested in a way that is not read here" if same else f"is of the type {column.shape}"
                )
            is_what = (
                f"is of the type {column.annotation}"
                if column.annotation
                else kinds.get(column.type, f"is of the type {column.type}")
            )
            agreed, instead = _agreed(prop)
            text = f"The column `{prop.name}` {is_what}; the contract requires {agreed}."
            yield Problem("wrong-type", text, f"Write it as {instead}.", property=prop.name)


def newer(columns: Sequence[Column]) -> Iterator[Problem]:
    """Yield the problems of columns, inner ones included, whose logical type keeps Spark from reading the file."""
    for column in columns:
        if column.annotation.endswith(NEWER):
            text = (
                f"The column `{column.name}` is of the type {column.annotation}; no column of such a file can be read."
            )
            yield Problem("wrong-type", text, "Write it without that logical type, or leave it out.")
        yield from newer(column.inner)


def _unread(prop: Property, column: Column, routes: Routes) -> list[tuple[str, Column]]:
    """Return the inner columns of a column of the right shape that are not read, by name."""
    return [*parquet_nested.unread(column, prop.route, routes)] if column.shape == SHAPES.get(prop.type) else []


def _unread_within(prop: Property, name: str, column: Column) -> Problem:
    """Return the problem of a column that the contract does not name and that blocks the reading of its parent."""
    if name.endswith(".~"):
        text = f"The keys of the map `{name.removesuffix('.~')}` are of the type {column.annotation or column.type}"
        return Problem(
            "wrong-type", f"{text}; the contract requires strings.", f"Write them as {ANYTHING}.", property=prop.name
        )
    what = "is nested in a way that" if column.type == "nested" else f"is of the type {column.annotation}, which"
    text = f"The column `{name}` within `{prop.name}` {what} is not read within other columns."
    readable = (write for begin, write in READABLE.items() if column.annotation.startswith(begin))
    return Problem("wrong-type", text, f"Write it as {next(readable, ANYTHING)}.", property=prop.name)


def _agreed(prop: Property) -> tuple[str, str]:
    """Return the type of a property, with its contract's time zone, and the type that a column may have for it."""
    if prop.type == "timestamp" and (offset := has_offset(prop)) is not None:
        return f"{prop.type} {'with' if offset else 'without'} an offset", MOMENT if offset else LOCAL
    if prop.type == "timestamp" and prop.zone:
        return f"{prop.type}, local times in {prop.zone}", f"{MOMENT}, or local times as {LOCAL}"
    if prop.exact:
        return prop.type, "DECIMAL, such as DECIMAL({},{}), or an integer".format(*prop.exact)
    return prop.type, WITHIN_OTHERS.get(prop.type, WRITE[prop.type]) if prop.path else WRITE[prop.type]
