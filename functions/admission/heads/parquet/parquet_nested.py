"""Columns of Parquet within columns: a footer's columns and a plan in; each that the plan takes apart out. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from contracts.plan import CONTAINERS, Plan, Property
from contracts.values.nested import name_of
from contracts.values.parquet_types import FINE, NULLS, STORED
from contracts.values.sql_text import quoted_name
from functions.admission.heads.parquet.parquet_footer import Column
from functions.admission.heads.parquet.parquet_types import INT96, UNKNOWN

WITHIN = "within"
"""The type of a column that is read as part of the column around it."""
SHAPES = {"object": "struct", "array": "array", "map": "map"}
UNREADABLE = ("nested", UNKNOWN)
KEYS = ("string", "int", "bigint", "boolean", "decimal", "float", "double")
"""Types that keys of a map may have: Spark writes dates, moments and bytes as it holds them (`to_json`, 4.1.1)."""
Routes = Mapping[tuple[str, ...], Property]


@dataclass(frozen=True, slots=True)
class ListedColumn:
    """A column of a file, or one within it: its name in a plan, the column, and the plan's property if it has one.

    `type` is the type as which the job reads it; an inner column is read with the column around it.
    """

    name: str
    column: Column
    prop: Property | None
    type: str = WITHIN


def listed(plan: Plan, columns: tuple[Column, ...]) -> list[ListedColumn]:
    """Return all columns of a file, each before its inner columns if the plan takes it apart."""
    routes = {p.route: p for p in plan.properties}
    inner = {p.name for p in plan.properties if p.path}
    listing: list[ListedColumn] = []
    for column in columns:
        prop = routes.get((column.name,))
        name = f"[{column.name!r}]" if column.name in inner else column.name  # not what the plan calls so
        if prop and prop.type in CONTAINERS and column.is_empty:
            # Of nulls only: the object, array or map that it would be, and its inner columns
            listing.append(ListedColumn(prop.name, column, prop, NULLS + _agreed(plan, prop)))
            within = (p for p in plan.properties if p.path and p.route[0] == column.name)
            listing += (ListedColumn(part.name, column, None) for part in within)
            continue
        kind = read_as(column, (column.name,), routes) if prop else column.type
        if prop is None and kind in STORED:  # integers that mean something else
            kind = UNKNOWN
        listing.append(ListedColumn(name, column, prop, kind))
        listing += _within(column, prop, routes)
    return listing


def _agreed(plan: Plan, prop: Property) -> str:
    """Spark's type of a property, as its contract has it."""
    inner = [p for p in plan.properties if p.path and p.route[:-1] == prop.route and p.path[-1] != "~"]
    match prop.type:
        case "object":
            fields = [f"{quoted_name(p.path[-1][1:])}:{_agreed(plan, p)}" for p in inner]
            return f"struct<{','.join(fields) or '`_`:string'}>"
        case "array" | "map":
            value = _agreed(plan, inner[0]) if inner else "string"
            return f"array<{value}>" if prop.type == "array" else f"map<string,{value}>"
        case "number":
            return "decimal({},{})".format(*prop.exact) if prop.exact else "double"
    return {"integer": "bigint", "time": "string"}.get(prop.type, prop.type)


def _within(column: Column, prop: Property | None, routes: Routes) -> Iterator[ListedColumn]:
    if prop is None or column.shape != SHAPES.get(prop.type):
        return
    closed = _is_closed(prop.route, routes)
    for step, inner in zip(steps(column), column.inner, strict=True):
        listed_as = routes.get((*prop.route, step))
        if listed_as or closed:
            yield ListedColumn(name_of((*prop.route, step)), inner, listed_as)
            yield from _within(inner, listed_as, routes)


def _is_closed(route: tuple[str, ...], routes: Routes) -> bool:
    """Return True if the plan names the contents of a column."""
    return any(other[:-1] == route for other in routes)


def steps(column: Column) -> tuple[str, ...]:
    """Return the steps from a column to its inner columns, in their order."""
    if column.shape == "struct":
        return tuple(f".{inner.name}" for inner in column.inner)
    return {"array": ("[]",), "map": ("~", "*")}.get(column.shape, ())


def read_as(column: Column, route: tuple[str, ...], routes: Routes) -> str:
    """Return Spark's type of a column, with only the parts that the plan names, or the one needed to test for null."""
    prop = routes.get(route)
    if len(route) == 1 and column.annotation == INT96:
        return FINE
    if prop is None or prop.type not in CONTAINERS or column.shape != SHAPES[prop.type]:
        return whole(column) if len(route) == 1 else within_others(column)
    inner = [read_as(part, (*route, step), routes) for step, part in zip(steps(column), column.inner, strict=True)]
    if column.shape != "struct":
        return _made(column, inner)
    if not _is_closed(route, routes):
        return whole(column)
    pairs = [(part, kind) for part, kind in zip(column.inner, inner, strict=True) if kind not in UNREADABLE]
    asked = [pair for pair in pairs if (*route, f".{pair[0].name}") in routes]
    return _struct(asked or pairs[:1])


def unread(column: Column, route: tuple[str, ...], routes: Routes) -> Iterator[tuple[str, Column]]:
    """Yield the innermost columns by name that the plan names and the job does not read.

    Keys of a map that the plan names are among them if they are not texts, numbers or booleans.
    """
    closed = column.shape == "struct" and _is_closed(route, routes)
    leaves_out = column.shape == "struct" and read_as(column, route, routes) not in UNREADABLE
    for step, inner in zip(steps(column), column.inner, strict=True):
        here = (*route, step)
        is_read = read_as(inner, here, routes) not in UNREADABLE
        if (closed and here not in routes) or (leaves_out and not is_read):
            continue
        if step == "~" and route in routes and not (inner.is_empty or inner.type.startswith(KEYS)):
            yield name_of(here), inner
        elif inner.inner:
            yield from unread(inner, here, routes)
        elif not is_read:
            yield name_of(here), inner


def whole(column: Column) -> str:
    """Spark's type of a column with all that is in it and can be read; `nested` or `unknown` where nothing can."""
    if column.shape == "struct":
        return _struct([(part, kind) for part in column.inner if (kind := within_others(part)) not in UNREADABLE])
    return _made(column, [within_others(part) for part in column.inner]) if column.shape else column.type


def declared(column: Column) -> str:
    """Return the type that the file declares, for people; `null` for a column that can hold nothing else."""
    return "null" if column.is_empty else whole(column) if column.shape else column.declared


def within_others(column: Column) -> str:
    """The same of a column within another, where integers that mean something else are not read."""
    kind = whole(column)
    return UNKNOWN if kind in STORED else kind


def _made(column: Column, inner: list[str]) -> str:
    return "nested" if any(kind in UNREADABLE for kind in inner) else f"{column.shape}<{','.join(inner)}>"


def _struct(fields: list[tuple[Column, str]]) -> str:
    text = ",".join(f"{quoted_name(part.name)}:{kind}" for part, kind in fields)
    return f"struct<{text}>" if fields else "nested"
