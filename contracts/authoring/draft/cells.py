"""CSV lines split into columns: a piece of text in, the cells of each column and the number of broken lines out.

Lines without quotes, nearly all lines of most files, are split all at once; other lines one by one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import methodcaller

from contracts.files import csv_cells
from contracts.files.columns import ended
from contracts.plan import Csv

Columns = list[list[str]]


def columns(text: str, dialect: Csv, width: int) -> tuple[Columns, int, int]:
    """Return the cells of each column of whole lines, and the numbers of records and of broken lines."""
    lines = text.split("\n")
    if not csv_cells.is_usual(dialect):  # which Python's reader has not
        return by_record((cells(line, dialect) for line in lines if line), width, dialect)
    if "\0" not in text and (not dialect.quote or dialect.quote not in text):
        if not lines[-1]:
            lines.pop()
        if set(map(methodcaller("count", dialect.delimiter), lines)) == {width - 1} and (width > 1 or all(lines)):
            flat = dialect.delimiter.join(lines).split(dialect.delimiter)
            return [flat[n::width] for n in range(width)], len(lines), 0
    full = [line for line in lines if line]
    if not any("\0" in line or (dialect.quote and _is_torn(line, dialect)) for line in full):
        with suppress(csv.Error):
            records = list(csv.reader(full, strict=True, **dialect.for_python))
            if len(records) == len(full):  # each line is a record
                return by_record(records, width, dialect)
    return by_record((cells(line, dialect) for line in full), width, dialect)


def by_record(records: Iterable[Sequence[str] | None], width: int, dialect: Csv) -> tuple[Columns, int, int]:
    """Return the same for given records; None stands for a line that is not a record."""
    good, broken = [], 0
    for record in records:
        own = record and ended(tuple(record), dialect, width)
        if not own or len(own) != width:
            broken += 1
        else:
            good.append(own)
    return [list(column) for column in zip(*good, strict=True)] or [[] for _ in range(width)], len(good), broken


def cells(line: str, dialect: Csv) -> list[str] | None:
    """Return the cells of a line; None if its quotes do not enclose whole cells, or it has a NUL."""
    if "\0" in line:
        return None
    if csv_cells.is_flat(line, dialect):
        return line.split(dialect.delimiter)
    if not csv_cells.is_usual(dialect):
        kept = csv_cells.split(line, dialect)
        return None if kept is None else [*kept]
    if _is_torn(line, dialect):
        return None
    try:
        return next(csv.reader([line], strict=True, **dialect.for_python))
    except csv.Error:
        return None


def over_lines(lines: Iterable[str], dialect: Csv) -> Iterator[list[str]]:
    """Yield the records of lines with their line ends, which quoted cells may contain.

    Raise csv.Error if quotes do not close or do not enclose whole cells.
    """
    whole, read = _whole(dialect), []

    def noted() -> Iterator[str]:
        for line in lines:
            read.append(line)
            yield line

    for record in csv.reader(noted(), strict=True, **dialect.for_python):
        raw = "".join(read)
        read.clear()
        if dialect.quote in raw and not whole.fullmatch(raw):
            raise csv.Error("a quote is within a cell")
        if record:
            yield record


def _whole(dialect: Csv) -> re.Pattern[str]:
    """Return the pattern of records whose quotes enclose whole cells."""
    quote, escape, delimiter = (re.escape(c) for c in (dialect.quote, dialect.escape, dialect.delimiter))
    inner = f"[^{quote}]|{quote}{quote}" if escape == quote else rf"[^{quote}{escape}]|{escape}[\s\S]"
    cell = f"(?:{quote}(?:{inner})*+{quote}|[^{quote}{delimiter}\n]*+)"
    return re.compile(rf"{cell}(?:{delimiter}{cell})*+\n?")


def _is_torn(line: str, dialect: Csv) -> bool:
    """Return True if a line has quotes that do not enclose whole cells."""
    return dialect.quote in line and not _whole(dialect).fullmatch(line)
