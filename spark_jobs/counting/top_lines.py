"""The lines above and below the records of a file: a plan and a drop in, their texts and cells out."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.files import csv_cells, csv_top, fixed_cells
from contracts.job import JobDrop
from contracts.plan import Csv, Plan
from contracts.terms.trailer import LONGEST_LINE, Last

MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""A byte order mark, in UTF-8 and read as ISO-8859-1: Hadoop's line reader drops its bytes at the start of a file."""


def above(plan: Plan, drop: JobDrop) -> tuple[str, ...]:
    """Return the lines above the records of a file that have ids, as its header and agreed title lines.

    JSON and Parquet have none: their records name their columns, or a footer does.
    """
    if not plan.has_cells:
        return ()
    if plan.csv.has_top:
        return csv_top.again(plan.csv, drop.header_line).filled
    return (drop.header_line,) if plan.csv.header else ()


def as_read(line: str) -> tuple[str, ...]:
    """Return the possible texts of a first line in Spark: as it is, or without its byte order mark."""
    return (line, *(line.removeprefix(mark) for mark in MARKS if line.startswith(mark)))


def header_texts(plan: Plan, drops: Iterable[JobDrop]) -> list[str]:
    """List the possible texts of the lines above the records of files."""
    return sorted({text for drop in drops for line in above(plan, drop) for text in as_read(line)})


def trailer_cells(raw: bytes, plan: Plan) -> Last:
    """Return the cells of a trailer from its raw text in UTF-8, or why they cannot be read."""
    try:
        line = raw.decode()
    except UnicodeDecodeError:
        return "bytes"
    if plan.read_as != "fixed":
        return cells_of(line, plan.csv)
    if len(line) > LONGEST_LINE:
        return "long"
    return "bytes" if "\0" in line else fixed_cells.trailer(plan, line)


def cells_of(line: str, csv: Csv) -> Last:
    """Return the cells of a trailer's text, or why they cannot be read."""
    if len(line) > LONGEST_LINE:
        return "long"
    if "\0" in line:
        return "bytes"
    cells = csv_cells.split(line, csv)
    return "quotes" if cells is None else cells
