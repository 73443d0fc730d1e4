"""The ends of a Parquet file: a plan and a way to read it in, its columns and all that is wrong with them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Sequence

from contracts import columns
from contracts.columns import MOST_COLUMNS
from contracts.plan import CONTAINERS, Plan, Property
from contracts.problem import Problem
from functions import parquet_footer, parquet_nested
from functions.csv_head import too_wide
from functions.parquet_footer import ENCRYPTED, MAGIC, TAIL, Column, Footer, FooterInvalid
from functions.parquet_nested import SHAPES, UNREADABLE, Found
from functions.texts import Head

LARGEST_FOOTER = 16 << 20
LARGEST_UNPACKED = 64 << 30
"""Bytes that the pages may have once they are unpacked."""
KNOWN_CODECS = frozenset({0, 1, 2, 5, 6, 7})
"""What Spark reads without more libraries: none, Snappy, gzip, LZ4, Zstandard, LZ4_RAW; not LZO and Brotli."""
FITTING = {
    "string": ("string",),
    "integer": ("int", "bigint", "decimal(20,0)"),
    "number": ("int", "bigint", "float", "double"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz"),
    "time": ("string",),
}
"""The column types that a logical type may come in; of any precision, decimals are numbers, and whole ones integers."""
WRITE = {
    "string": "a string (BYTE_ARRAY, annotated as STRING)",
    "integer": "INT32 or INT64",
    "number": "DECIMAL or an integer (or, where it need not be exact, DOUBLE or FLOAT)",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "time": "a string (BYTE_ARRAY, annotated as STRING)",
    "timestamp": "TIMESTAMP in milliseconds or microseconds",
    "object": "a group without annotation",
    "array": "a group annotated as LIST",
    "map": "a group annotated as MAP, with strings for keys",
}


def look(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> Head:
    """The columns in the footer of a file."""
    tail = read(max(size - TAIL, 0), TAIL)
    if problem := _not_parquet(size, read(0, 4), tail):
        return Head((problem,))
    long = parquet_footer.length(tail)
    if not 0 < long <= min(size - TAIL - 4, LARGEST_FOOTER):
        return Head((_broken("the length of the footer cannot be right"),))
    try:
        footer = parquet_footer.parse(read(size - TAIL - long, long))
    except FooterInvalid as error:
        return Head((_broken(str(error)),))
    found = parquet_nested.listed(plan, footer.columns)
    names = tuple(one.name for one in found)
    if len(names) > MOST_COLUMNS:
        return Head((too_wide(len(names)),))
    wrong = {p.name: one.column for p, one in _misread(plan, found)}
    lacking = [p for p in columns.problems(plan, names) if not _lies_in(plan, p, wrong)]
    types = [_wrong_type(plan.property_named(name), wrong[name]) for name in list(wrong)[: columns.MOST_TOLD]]
    problems = (*_untrue(footer, size - TAIL - long), *lacking, *types)
    if not footer.rows and plan.empty == "reject":
        problems += (Problem("no-records", "The file holds no records.", "Send the file with its records."),)
    return Head(problems, names, header_line(found))


def again(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> str:
    """The header line of an admitted file again, by the schema alone."""
    long = parquet_footer.length(read(size - TAIL, TAIL))
    return header_line(parquet_nested.listed(plan, parquet_footer.columns(read(size - TAIL - long, long))))


def header_line(found: Sequence[Found]) -> str:
    """Names and types of columns as one text."""
    return json.dumps([[one.name, one.type] for one in found], ensure_ascii=False)


def _not_parquet(size: int, start: bytes, tail: bytes) -> Problem | None:
    if size >= TAIL + 4 and start == MAGIC and tail.endswith(MAGIC):
        return None
    if ENCRYPTED in (start, tail[-4:]):
        text = "The Parquet file is encrypted, which is not agreed."
        return Problem("encrypted-parquet", text, "Write the file without Parquet's encryption.")
    if start == MAGIC:
        return _broken("it does not end as a Parquet file does; it was cut short")
    text = "The file is no Parquet file, whatever its name says."
    return Problem("not-parquet", text, "Write the file as Apache Parquet.")


def _broken(why: str) -> Problem:
    return Problem(
        "broken-parquet", f"The Parquet file cannot be read: {why}.", "Write the file again, and send it whole."
    )


def _untrue(footer: Footer, pages: int) -> list[Problem]:
    """What a footer says that cannot be so, or that nobody wants to unpack."""
    if footer.end > pages or footer.packed > pages:
        return [_broken("its footer speaks of more bytes than there are")]
    if footer.unpacked > LARGEST_UNPACKED:
        text = f"The file would have {footer.unpacked:,} bytes unpacked; {LARGEST_UNPACKED:,} are taken."
        return [Problem("file-too-large", text, "Send it in parts that each fit, as files of their own.")]
    if footer.codecs - KNOWN_CODECS:
        text = "The file is compressed in a way that is not read here."
        return [Problem("unknown-codec", text, "Compress it with Snappy, Zstandard or gzip, or not at all.")]
    return []


def _misread(plan: Plan, found: Sequence[Found]) -> list[tuple[Property, Found]]:
    """The properties whose columns are of another type."""
    known = {one.name: one for one in found if one.prop}
    return [(p, known[p.name]) for p in plan.properties if p.name in known and not _reads(p, known[p.name])]


def _lies_in(plan: Plan, problem: Problem, wrong: Container[str]) -> bool:
    """Whether it is of a property within one that is of another type, of which that is said."""
    if problem.code != "missing-column" or not problem.property:
        return False
    prop = plan.property_named(problem.property)
    return bool(prop.path) and plan.parent(prop).name in wrong


def _reads(prop: Property, found: Found) -> bool:
    """Whether the job can read a column as a property."""
    if prop.type in CONTAINERS:
        return found.column.shape == SHAPES[prop.type] and found.type not in UNREADABLE
    return fits(prop, found.column.type)


def fits(prop: Property, kind: str) -> bool:
    """Whether values of a column type can be of a property's type."""
    if kind.startswith("decimal"):
        return prop.type == "number" or (prop.type == "integer" and kind.endswith(",0)"))
    if prop.exact and kind in ("float", "double"):
        return False
    return kind in FITTING[prop.type]


def _wrong_type(prop: Property, column: Column) -> Problem:
    said = {"nested": "is nested", "unknown": "is of a type that is not read here"}
    if prop.type in CONTAINERS and column.type == "nested":
        same = column.shape in ("", SHAPES[prop.type])
        said["nested"] = "is nested in a way that is not read here" if same else f"is of the type {column.shape}"
    is_what = said.get(column.type, f"is of the type {column.type}")
    text = f"The column `{prop.name}` {is_what}; agreed is {prop.type}."
    return Problem("wrong-type", text, f"Write it as {WRITE[prop.type]}.", property=prop.name)
