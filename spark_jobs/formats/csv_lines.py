"""CSV, a record on each line: lines in, cells and values of the contract's properties out.

Most lines of most files are plain: no quotes, and only characters that their cells may hold. One pattern tests the
whole line. A plain line is split at its delimiters and cast without further tests, so that its failing checks are clear
at once. Any other line is odd, and is parsed in the second pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.files import csv_cells
from contracts.files.columns import positions
from contracts.plan import Csv, Plan, Property
from contracts.values import sql_text
from spark_jobs.counting.spark_types import ISO, OF_VALUES, is_double
from spark_jobs.formats import text_lines
from spark_jobs.rules import csv_quotes, row_checks
from spark_jobs.rules.casting import NUMERAL, cast, fence, or_infinite, typed

UNPLAIN = "\0\ufffd"
WIDE = 400
"""Columns up to which the pattern is used: Java's regular expressions use the stack for each group."""


load = text_lines.load
fault = text_lines.no_fault
refusals = text_lines.no_refusals
as_written = text_lines.as_written
record_lines = text_lines.record_lines
without_header = text_lines.without_header
is_trailer = text_lines.is_trailer


def first_pass(
    source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]
) -> tuple[DataFrame, Column]:
    """Read the records of files with one header: file, block, id, line, c<n> and v<n>, odd; and their raw text.

    Other columns of lines that were read before are kept.
    """
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    line = sf.col("line")
    lines = text_lines.as_lines(source, plan.csv)
    if not may_be_plain(plan, header):
        return lines.select("*", sf.lit(True).alias("odd")), line
    own = text_lines.ended(line, plan.csv, len(header))
    lines = lines.select("*", (row_checks.is_read(line) & own.rlike(plain(plan, header))).alias("plain"))
    split = lines.select("*", sf.when(sf.col("plain"), text_lines.split(own, plan.csv)).alias("texts"))
    cells = {n: sf.expr(text_lines.or_null(f"get(texts, {at[p.name]})", plan.csv, p)) for n, p in here}
    values = {n: cast(cells[n], p) if _is_fenced(p) else typed(cells[n], p) for n, p in here}
    uneven = sf.expr(f"not plain or size(texts) != {len(header)}") | line.isin(*header_texts)
    uneven = uneven | text_lines.is_trailer(line, plan) if plan.csv.ending else uneven
    uneven = uneven | ~csv_quotes.begins_with(line, plan.csv.record, plan.csv) if plan.csv.record else uneven
    doubles = [values[n] for n, p in here if is_double(p)]
    judged = split.select(
        "*",
        *(cell.alias(f"c{n}") for n, cell in cells.items()),
        *(value.alias(f"v{n}") for n, value in values.items()),
        or_infinite(uneven, doubles).alias("odd"),
    )
    return judged, line


def may_be_plain(plan: Plan, header: tuple[str, ...]) -> bool:
    """Return False if no pattern tests the lines of files with a header."""
    return len(header) <= WIDE and (len(plan.csv.delimiter) == 1 or not OF_VALUES.search(plan.csv.delimiter))


def second_pass(singles: DataFrame, plan: Plan, header: tuple[str, ...]) -> tuple[DataFrame, row_checks.RecordTests]:
    """Parse odd lines (column `raw`): add c<n> and v<n>; return the tests of the record checks, by rule."""
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    raw, parsed = sf.col("raw"), sf.col("parsed")
    with_fields = singles.select("*", text_lines.parsed(raw, plan.csv, len(header)).alias("parsed"))
    cells = [sf.expr(text_lines.cell(f"parsed.c{at[p.name]}", plan.csv, p)).alias(f"c{n}") for n, p in here]
    values = [typed(sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here]
    return with_fields.select("*", *cells).select("*", *values), row_checks.record_tests(
        raw, text_lines.fits(parsed), plan.csv
    )


def records(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    wanted: Sequence[str],
    aside: Sequence[int],
    malformed: bool,
) -> DataFrame:
    """Read the records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties."""
    lines = text_lines.as_lines(source, plan.csv).where(sf.col("id").isNotNull() & ~sf.col("id").isin(*aside))
    line, places = sf.col("line"), [header.index(name) for name in wanted]
    parsed, quoted = text_lines.parsed(line, plan.csv, len(header)), csv_quotes.has_quote(line, plan.csv)
    if malformed:
        even = text_lines.is_even(line, plan.csv, len(header))
        fits = sf.when(quoted, text_lines.fits(parsed)).otherwise(even)
        lines = lines.where(row_checks.is_record(line, fits, plan.csv))
    # A line without quotes is split at its delimiters: three times faster than parsing all its cells.
    pieces = text_lines.split(line, plan.csv, max(places, default=-1) + 2)
    split = lines.select(
        *("file", "block", "id"),
        sf.when(quoted, parsed).alias("fields"),
        sf.when(~quoted, pieces).alias("pieces"),
    )
    texts = [
        sf.expr(f"if(pieces is null, fields.c{at}, get(pieces, {at}))").alias(f"t{n}") for n, at in enumerate(places)
    ]
    as_texts = split.select("file", "block", "id", *texts)
    props = map(plan.property_named, wanted)
    cells = as_texts.select(
        *("file", "block", "id"),
        *(sf.expr(text_lines.cell(f"t{n}", plan.csv, prop)).alias(f"t{n}") for n, prop in enumerate(props)),
    )
    return cells.select("*", *text_lines.values(plan, wanted))


def with_cells(rows: DataFrame, plan: Plan, header: tuple[str, ...], malformed: Column) -> DataFrame:
    """Add `cells`, the texts by column, to lines (column `raw`); malformed ones have none."""
    at = positions(header)
    split = text_lines.with_texts(rows, sf.when(~malformed, sf.col("raw")), plan.csv, len(header), list(at.values()))
    names = sf.expr(f"array({', '.join(map(sql_text.literal, at))})")  # every call into the JVM takes time
    cells = sf.map_from_arrays(names, sf.col("texts"))
    return split.select("*", sf.when(~malformed, cells).alias("cells")).drop("texts")


def plain(plan: Plan, header: tuple[str, ...]) -> str:
    """Return a pattern of plain lines: no quote, no NUL, valid text, and fenced cells within their fences.

    Invalid bytes reach a pattern as U+FFFD. A line that does not match is not wrong: the second pass parses it. The
    longest run of cells of plain numbers is one piece of the pattern, which is faster; the cells are counted, so that
    all others are in their places nevertheless.
    """
    by_name = {p.name: p for p in plan.properties}
    cells = [_shape(by_name.get(name), plan.csv) for name in header]
    delimiter = re.escape(plan.csv.delimiter)
    start = length = at = 0
    for shape, run in groupby(cells):
        cells_here = len(list(run))
        if shape == f"{NUMERAL}*" and cells_here > length:
            start, length = at, cells_here
        at += cells_here
    if length > 1 and not re.fullmatch(NUMERAL, plan.csv.delimiter):
        cells[start : start + length] = [f"[{NUMERAL[1:-1]}{delimiter}]*"]
    return "^" + delimiter.join(cells) + r"\z"


def _shape(prop: Property | None, csv: Csv) -> str:
    """Return the pattern of a cell: any text, or a text within its fence, or a null value."""
    signs = csv.quote + csv.unquoted_escape
    text = rf"[^{re.escape(csv.delimiter)}{re.escape(signs)}\x00\ufffd]*"
    if len(csv.delimiter) > 1:
        text = f"(?:{csv_cells.other_sign(csv.delimiter, UNPLAIN + signs)})*+"
    allowed = fence(prop) if prop is not None and _is_fenced(prop) else None
    if allowed is None:
        return text
    words = [re.escape(w) for w in csv.null_values if not re.fullmatch(allowed, w) and re.fullmatch(text, w)]
    return f"(?:{'|'.join([allowed, *words])})" if words else allowed


def _is_fenced(prop: Property) -> bool:
    """Return True if the line's pattern includes a cell's type. Types with many wrong texts are tested one by one."""
    if prop.form:
        return False
    return prop.type in ("integer", "number") or (prop.type == "date" and prop.format in (None, ISO))
