"""The ends of a Parquet file: a plan and a way to read it in, its columns and all that is wrong with them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Sequence

from contracts.files import header
from contracts.files.column_problems import MOST_NAMED
from contracts.files.header import MOST_COLUMNS
from contracts.plan import Plan
from contracts.problem import Problem
from functions.admission.heads import job_limits
from functions.admission.heads.csv_head import too_wide
from functions.admission.heads.parquet import not_parquet, parquet_fit, parquet_footer, parquet_nested, parquet_pages
from functions.admission.heads.parquet.parquet_footer import ENCRYPTED, MAGIC, TAIL, Footer, FooterInvalid
from functions.admission.heads.parquet.parquet_nested import ListedColumn
from functions.admission.heads.problems import NO_RECORDS, Head

LARGEST_FOOTER = 16 << 20
LARGEST_UNPACKED = 64 << 30
"""Bytes that the pages may have once they are unpacked."""


def look(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> Head:
    """Return the columns in the footer of a file."""
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
    listed = parquet_nested.listed(plan, footer.columns)
    names = tuple(column.name for column in listed)
    if len(names) > MOST_COLUMNS:
        return Head((too_wide(len(names)),))
    of_nulls: dict[str, bool] = {}  # whether a column of single values is all null by the footer
    for chunk in footer.chunks:
        if len(chunk.path) == 1 and chunk.values:
            of_nulls[chunk.path[0]] = of_nulls.get(chunk.path[0], True) and chunk.nulls == chunk.values
    origin = parquet_fit.Origin({name for name, only in of_nulls.items() if only}, footer.by_spark)
    wrong = parquet_fit.misread(plan, listed, origin)
    lacking = [p for p in header.problems(plan, names) if not _lies_in(plan, p, wrong)]
    types = [*parquet_fit.newer(footer.columns), *parquet_fit.problems(plan, wrong)][:MOST_NAMED]
    problems = (*unreadable(footer, size - TAIL - long, read), *lacking, *types)
    if not footer.rows and plan.empty == "reject":
        problems += (NO_RECORDS,)
    # At least what the records weigh, as those of nulls take next to none
    unpacked = max(sum(chunk.unpacked for chunk in footer.chunks), footer.rows * job_limits.RECORD)
    return Head(problems, names, header_line(listed), unpacked)


def again(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> str:
    """Return the header line of an admitted file again, from the schema only."""
    long = parquet_footer.length(read(size - TAIL, TAIL))
    return header_line(parquet_nested.listed(plan, parquet_footer.columns(read(size - TAIL - long, long))))


def header_line(listed: Sequence[ListedColumn]) -> str:
    """Names and types of columns as one text."""
    return json.dumps([[column.name, column.type] for column in listed], ensure_ascii=False)


def _not_parquet(plan: Plan, size: int, read: Callable[[int, int], bytes], tail: bytes) -> Problem | None:
    """Return the problem of a file that does not begin and end like Parquet; None if it does."""
    start = read(0, len(MAGIC))
    if size >= TAIL + 4 and start == MAGIC and tail.endswith(MAGIC):
        return None
    if ENCRYPTED in (start, tail[-4:]):
        return encrypted()
    if start == MAGIC:
        return _broken("it does not end as a Parquet file does; it was cut short")
    return not_parquet.problem(plan, read(0, not_parquet.ENOUGH), tail, MAGIC)


def encrypted() -> Problem:
    """Return the problem of a file that is encrypted, or has an encrypted column."""
    text = "The Parquet file, or a column of it, is encrypted, which is not agreed."
    return Problem("encrypted-parquet", text, "Write the file without Parquet's encryption.")


def _broken(why: str) -> Problem:
    return Problem(
        "broken-parquet", f"The Parquet file cannot be read: {why}.", "Write the file again, and send it whole."
    )


def unreadable(footer: Footer, pages: int, read: Callable[[int, int], bytes]) -> list[Problem]:
    """Return the problems of a footer that is impossible or too large, or uses unsupported encodings.

    Too large is what unpacks to too much, or what a job does not read in its time; one core reads a row group.
    """
    chunks = footer.chunks
    packed, unpacked = (sum(getattr(chunk, name) for chunk in chunks) for name in ("packed", "unpacked"))
    if packed > pages or any(chunk.start + chunk.packed > pages for chunk in chunks):
        return [_broken("its footer speaks of more bytes than there are")]
    if unpacked > LARGEST_UNPACKED:
        text = f"The file would have {unpacked:,} bytes unpacked; {LARGEST_UNPACKED:,} are taken."
        return [Problem("file-too-large", text, "Send it in parts that each fit, as files of their own.")]
    largest, rows = max((group.rows for group in footer.groups), default=0), footer.rows
    if rows > (most := job_limits.most_records()):
        text = f"The file has {rows:,} records; a job reads {most:,} in its time, with {job_limits.CORES} cores."
        return [Problem("file-too-large-for-job", text, "Send it in parts that each fit, as files of their own.")]
    if largest > (most := job_limits.most_records(1)):
        text = f"A row group of the file has {largest:,} records; a job reads {most:,} in its time, with one core."
        return [Problem("file-too-large-for-job", text, "Write the file in row groups of some million records.")]
    flat = [column.name for column in footer.columns if not column.shape and column.type != "nested"]
    for group in footer.groups:
        values = {chunk.path: chunk.values for chunk in group.chunks}  # nulls included
        if name := next((name for name in flat if values.get((name,), 0) != group.rows), None):
            return [_broken(f"its column `{name}` has not one value for each of its rows")]
    return parquet_pages.problems(chunks, read)


def _lies_in(plan: Plan, problem: Problem, wrong: Container[str]) -> bool:
    """Return True if a problem is about a property within one of a wrong type, which has its own problem."""
    if problem.code != "missing-column" or not problem.property:
        return False
    prop = plan.property_named(problem.property)
    return bool(prop.path) and plan.parent(prop).name in wrong
