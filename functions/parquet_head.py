"""The ends of a Parquet file: a plan and a way to read it in, its columns and all that is wrong with them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Sequence

from contracts import columns
from contracts.columns import MOST_COLUMNS
from contracts.datepattern import PIECE
from contracts.parquet import CLOCKS, NANOSECONDS, STORED
from contracts.plan import CONTAINERS, Plan, Property
from contracts.problem import Problem
from functions import not_parquet, parquet_footer, parquet_nested, parquet_pages
from functions.csv_head import too_wide
from functions.parquet_footer import ENCRYPTED, MAGIC, TAIL, Column, Footer, FooterInvalid
from functions.parquet_nested import SHAPES, UNREADABLE, Found
from functions.parquet_types import INT96
from functions.texts import Head

LARGEST_FOOTER = 16 << 20
LARGEST_UNPACKED = 64 << 30
"""Bytes that the pages may have once they are unpacked."""
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
    "number": "DECIMAL or an integer (or, where it need not be exact, DOUBLE or FLOAT)",
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
"""What to write instead of what is read as a column of its own alone."""


def look(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> Head:
    """The columns in the footer of a file."""
    tail = read(max(size - TAIL, 0), TAIL)
    if problem := _not_parquet(plan, size, read, tail):
        return Head((problem,))
    long = parquet_footer.length(tail)
    if not 0 < long <= min(size - TAIL - 4, LARGEST_FOOTER):
        return Head((_broken("the length of the footer cannot be right"),))
    try:
        footer = parquet_footer.parse(read(size - TAIL - long, long))
    except FooterInvalid as error:
        return Head((_broken(str(error)),))
    if footer.encrypted:
        return Head((encrypted(),))
    found = parquet_nested.listed(plan, footer.columns)
    names = tuple(one.name for one in found)
    if len(names) > MOST_COLUMNS:
        return Head((too_wide(len(names)),))
    wrong = {p.name: one.column for p, one in _misread(plan, found, _empty(footer))}
    lacking = [p for p in columns.problems(plan, names) if not _lies_in(plan, p, wrong)]
    types = [_wrong_type(plan.property_named(name), wrong[name]) for name in list(wrong)[: columns.MOST_TOLD]]
    problems = (*unreadable(footer, size - TAIL - long, read), *lacking, *types)
    if not footer.rows and plan.empty == "reject":
        problems += (Problem("no-records", "The file holds no records.", "Send the file with its records."),)
    return Head(problems, names, header_line(found), sum(chunk.unpacked for chunk in footer.chunks))


def again(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> str:
    """The header line of an admitted file again, by the schema alone."""
    long = parquet_footer.length(read(size - TAIL, TAIL))
    return header_line(parquet_nested.listed(plan, parquet_footer.columns(read(size - TAIL - long, long))))


def header_line(found: Sequence[Found]) -> str:
    """Names and types of columns as one text."""
    return json.dumps([[one.name, one.type] for one in found], ensure_ascii=False)


def _not_parquet(plan: Plan, size: int, read: Callable[[int, int], bytes], tail: bytes) -> Problem | None:
    """Why a file does not begin and end as Parquet does; None of one that does."""
    start = read(0, len(MAGIC))
    if size >= TAIL + 4 and start == MAGIC and tail.endswith(MAGIC):
        return None
    if ENCRYPTED in (start, tail[-4:]):
        return encrypted()
    if start == MAGIC:
        return _broken("it does not end as a Parquet file does; it was cut short")
    return not_parquet.problem(plan, read(0, not_parquet.ENOUGH), tail, MAGIC)


def encrypted() -> Problem:
    """Of a file that is encrypted, or a column of which is."""
    text = "The Parquet file, or a column of it, is encrypted, which is not agreed."
    return Problem("encrypted-parquet", text, "Write the file without Parquet's encryption.")


def _broken(why: str) -> Problem:
    return Problem(
        "broken-parquet", f"The Parquet file cannot be read: {why}.", "Write the file again, and send it whole."
    )


def unreadable(footer: Footer, pages: int, read: Callable[[int, int], bytes]) -> list[Problem]:
    """What a footer says that cannot be so, that nobody wants to unpack, or that is written in a way not read here."""
    chunks = footer.chunks
    packed, unpacked = (sum(getattr(one, name) for one in chunks) for name in ("packed", "unpacked"))
    if packed > pages or any(one.start + one.packed > pages for one in chunks):
        return [_broken("its footer speaks of more bytes than there are")]
    if unpacked > LARGEST_UNPACKED:
        text = f"The file would have {unpacked:,} bytes unpacked; {LARGEST_UNPACKED:,} are taken."
        return [Problem("file-too-large", text, "Send it in parts that each fit, as files of their own.")]
    if name := _uneven(footer):
        return [_broken(f"its column `{name}` has not one value for each of its rows")]
    return parquet_pages.problems(chunks, read)


def _uneven(footer: Footer) -> str | None:
    """A column of single values that has more or fewer of them, nulls among them, than its row group has rows."""
    flat = {(column.name,) for column in footer.columns if not column.shape and column.type != "nested"}
    counted = ((chunk, group.rows) for group in footer.groups for chunk in group.chunks if chunk.path in flat)
    return next((chunk.path[0] for chunk, rows in counted if chunk.values != rows), None)


def _empty(footer: Footer) -> set[str]:
    """The columns of single values of which the footer says that all are null; there are rows."""
    counts: dict[str, bool] = {}
    for chunk in footer.chunks:
        if len(chunk.path) == 1 and chunk.values:
            counts[chunk.path[0]] = counts.get(chunk.path[0], True) and chunk.nulls == chunk.values
    return {name for name, only in counts.items() if only}


def _misread(plan: Plan, found: Sequence[Found], empty: Container[str]) -> list[tuple[Property, Found]]:
    """The properties whose columns are of another type."""
    known = {one.name: one for one in found if one.prop}
    return [(p, known[p.name]) for p in plan.properties if p.name in known and not _reads(p, known[p.name], empty)]


def _lies_in(plan: Plan, problem: Problem, wrong: Container[str]) -> bool:
    """Whether it is of a property within one that is of another type, of which that is said."""
    if problem.code != "missing-column" or not problem.property:
        return False
    prop = plan.property_named(problem.property)
    return bool(prop.path) and plan.parent(prop).name in wrong


def _reads(prop: Property, found: Found, empty: Container[str]) -> bool:
    """Whether the job can read a column as a property; the values of one that has none are of any type."""
    if prop.type in CONTAINERS and not prop.path and found.column.is_empty:
        return True
    if prop.type in CONTAINERS:
        return found.column.shape == SHAPES[prop.type] and found.type not in UNREADABLE
    if prop.path:
        return found.column.type not in STORED and takes(prop, found.column)
    is_read = found.column.type not in (*UNREADABLE, *STORED)
    return takes(prop, found.column) or (prop.name in empty and is_read)


def takes(prop: Property, column: Column) -> bool:
    """Whether values of a column can be of a property's type, and mean what its contract says of time zones."""
    if column.is_empty:
        return True
    if prop.type == "timestamp" and column.said == INT96 and (prop.zone or prop.offset is not None):
        return False
    return fits(prop, column.type)


def fits(prop: Property, kind: str) -> bool:
    """Whether values of a column type can be of a property's type."""
    if kind.startswith("decimal"):
        return prop.type == "number" or (prop.type == "integer" and kind.endswith(",0)"))
    if prop.exact and kind in ("float", "double"):
        return False
    if kind.startswith("timestamp") and has_offset(prop) is not None:
        return prop.type == "timestamp" and has_offset(prop) is not kind.startswith("timestamp_ntz")
    return kind in FITTING[prop.type]


def has_offset(prop: Property) -> bool | None:
    """Whether timestamps of a property have an offset: by `timezone`, or as texts in its format must; else None."""
    if prop.format and any(piece[2] == "X" for piece in PIECE.finditer(prop.format)):
        return True
    return prop.offset


def _wrong_type(prop: Property, column: Column) -> Problem:
    said = {"nested": "is nested", "unknown": "is of a type that is not read here"}
    if prop.type in CONTAINERS and column.type == "nested":
        same = column.shape in ("", SHAPES[prop.type])
        said["nested"] = "is nested in a way that is not read here" if same else f"is of the type {column.shape}"
    is_what = f"is of the type {column.said}" if column.said else said.get(column.type, f"is of the type {column.type}")
    text = f"The column `{prop.name}` {is_what}; agreed is {_agreed(prop)}."
    return Problem("wrong-type", text, f"Write it as {_instead(prop)}.", property=prop.name)


def _agreed(prop: Property) -> str:
    """The type of a property, with what its contract says of time zones."""
    if prop.type != "timestamp":
        return prop.type
    if (offset := has_offset(prop)) is not None:
        return f"{prop.type} {'with' if offset else 'without'} an offset"
    return f"{prop.type}, local times in {prop.zone}" if prop.zone else prop.type


def _instead(prop: Property) -> str:
    """The type that a column may have for a property."""
    if prop.type == "timestamp" and (offset := has_offset(prop)) is not None:
        return MOMENT if offset else LOCAL
    if prop.type == "timestamp" and prop.zone:
        return f"{MOMENT}, or local times as {LOCAL}"
    return WITHIN_OTHERS.get(prop.type, WRITE[prop.type]) if prop.path else WRITE[prop.type]
