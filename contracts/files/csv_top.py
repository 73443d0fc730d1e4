"""The rows above the records of a CSV file: its first text in; these rows, and the column names among them, out.

A row is a line; with `multi_line` the lines of a quoted cell are one row. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from contracts.files import csv_cells
from contracts.plan import Csv

LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
SEPARATOR = re.compile(r"(?P<quote>\"?)sep=(?P<sign>.|\\t)?(?P=quote)[,;]*", re.IGNORECASE)
"""A first line that names the delimiter for spreadsheets."""
MARK = "\ufeff"
"""A byte order mark, which readers drop at the start of a file."""
Fault = Literal["endless", "short", "until", "separator"]
"""The reason that a text does not have the agreed rows: they do not end within it, the file ends before, no row matches
the pattern, or the first line names another delimiter."""


@dataclass(frozen=True, slots=True)
class Top:
    """The rows above the records with their line ends; `names` are the places of those with column names.

    `units` are the places of agreed comment rows, `leader` is that of a leader. `comment` is the character that
    comments begin with.
    """

    rows: tuple[str, ...] = ()
    names: tuple[int, ...] = ()
    units: tuple[int, ...] = ()
    leader: int | None = None

    @property
    def text(self) -> str:
        """The text of all rows, with their line ends."""
        return "".join(self.rows)

    comment: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The rows without line ends, and without a byte order mark."""
        return tuple(row.rstrip("\r\n") for row in (self.rows and (self.rows[0].removeprefix(MARK), *self.rows[1:])))

    @property
    def filled(self) -> tuple[str, ...]:
        """The rows that are neither empty nor comments: readers number no others."""
        return tuple(text for text in self.texts if text and not self.is_comment(text))

    def is_comment(self, row: str) -> bool:
        """Return True if a row is a comment."""
        return bool(self.comment) and row.startswith(self.comment)


def read(csv: Csv, text: str, *, whole: bool) -> Top | Fault:
    """Return the rows above the records in the first text of a file, or why it does not have them."""
    rows = list(rows_of(csv, text))
    if rows and not whole and rows[-1][-1:] != "\n":  # it may go on, or an LF may follow its CR
        del rows[-1]
    begin = int(csv.separator_line and bool(rows) and is_separator(rows[0]))
    if begin and not names_delimiter(csv, rows[0]):
        return "separator"
    end = begin + csv.skip_rows
    if csv.skip_until is not None:
        pattern = python(csv.skip_until)
        hits = (
            n for n, row in enumerate(rows) if n >= begin and not is_comment(csv, row) and pattern.search(_bare(row))
        )
        if (hit := next(hits, None)) is None:
            return "until"
        end = hit
    if not (agreed := _agreed(csv)):
        return _arranged(csv, rows[:end]) if end <= len(rows) else _cut(whole=whole)
    below = [n for n, row in enumerate(rows) if n >= end and not is_comment(csv, row)]
    return _arranged(csv, rows[: below[agreed - 1] + 1]) if len(below) >= agreed else _cut(whole=whole)


def _cut(*, whole: bool) -> Fault:
    return "short" if whole else "endless"


def is_comment(csv: Csv, row: str) -> bool:
    """Return True if a row is a comment, a byte order mark aside."""
    return bool(csv.comment_char) and row.removeprefix(MARK).startswith(csv.comment_char)


def again(csv: Csv, text: str) -> Top:
    """Return the same rows out of their own text; of plain CSV this is the header line."""
    return _arranged(csv, list(rows_of(csv, text)))


def columns(csv: Csv, top: Top) -> tuple[str, ...] | None:
    """Return the names of the columns: the cells of the header's rows, joined by blanks; None if quotes are broken."""
    rows = [csv_cells.split(text, csv) if text else () for text in (top.texts[n] for n in top.names)]
    if any(row is None for row in rows):
        return None
    cells = [row for row in rows if row is not None]
    joined = (" ".join(part for part in parts if part) for parts in zip_longest(*cells, fillvalue=""))
    return tuple(joined)


def leader_cells(csv: Csv, top: Top) -> tuple[str, ...] | None:
    """Return the cells of the leader; none if there is no leader, None if its quotes are broken."""
    return () if top.leader is None else csv_cells.split(top.texts[top.leader], csv)


def is_separator(row: str) -> bool:
    """Return True if a row names the delimiter for spreadsheets."""
    return SEPARATOR.fullmatch(_bare(row)) is not None


def names_delimiter(csv: Csv, row: str) -> bool:
    """Return True if such a row names the delimiter of the dialect."""
    match = SEPARATOR.fullmatch(_bare(row))
    sign = match["sign"] if match else None
    return ("\t" if sign == r"\t" else sign) == csv.delimiter


@lru_cache
def python(java: str) -> re.Pattern[str]:
    """Return a pattern of a plan, which is written for Java, for Python."""
    return re.compile(java.replace(r"\z", r"\Z"), re.ASCII)


def _bare(row: str) -> str:
    return row.removeprefix(MARK).rstrip("\r\n")


def _agreed(csv: Csv) -> int:
    """Return the number of agreed rows below those that are skipped."""
    named = len(csv.header_rows) + len(csv.comment_rows) if csv.header else 0
    return named + (csv.leader is not None)


def _arranged(csv: Csv, rows: list[str]) -> Top:
    agreed = _agreed(csv)
    below = [n for n, row in enumerate(rows) if not is_comment(csv, row)][-agreed:]
    if not agreed or len(below) < agreed:
        return Top(tuple(rows), comment=csv.comment_char)
    leader = below.pop(0) if csv.leader else None
    if not csv.header:
        return Top(tuple(rows), leader=leader, comment=csv.comment_char)
    names, units = (tuple(below[n - 1] for n in numbers) for numbers in (csv.header_rows, csv.comment_rows))
    return Top(tuple(rows), names, units, leader, csv.comment_char)


def rows_of(csv: Csv, text: str) -> Iterator[str]:
    """Yield the rows of a text with their line ends; the last may have none."""
    held, is_open = list[str](), False
    for line in LINE.findall(text):
        held.append(line)
        if is_open or not is_comment(csv, line):
            is_open ^= csv.multi_line and _quotes(csv, line) % 2 == 1
        if not is_open:
            yield "".join(held)
            held = []
    if held:
        yield "".join(held)


def _quotes(csv: Csv, line: str) -> int:
    """Return the number of quotes in a line; quotes escaped by another character do not count."""
    if not csv.quote:
        return 0
    if csv.escape != csv.quote:
        line = line.replace(csv.escape * 2, "").replace(csv.escape + csv.quote, "")
    return line.count(csv.quote)
