"""The table within a sheet of a sample: its rows in; its range, header and the rows around it out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.authoring.draft import around, dialect
from contracts.files import csv_cells
from contracts.plan import Csv, Sheet, column_letters
from contracts.terms.trailer import Footer

Row = tuple[int, list[str]]
"""The number of a row that has content, and its texts from column A on."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a sheet: its place, and the pattern of the row of its column names."""

    sheet: Sheet
    header: bool = True
    until: str = ""

    @property
    def place(self) -> str:
        """Return its upper left cell."""
        return f"{column_letters(self.sheet.first_column)}{self.sheet.first_row}"


def seen(rows: Sequence[Row]) -> Table:
    """Return the table in the rows of a sheet; all are needed, as a footer may end it."""
    head = rows[: dialect.LINES]
    begin, end = (Counter(map(side, (row for _, row in head))).most_common(1)[0][0] for side in (_first, _last))
    for at, (number, row) in enumerate(head):
        first, last = _first(row), _last(row)
        if first > begin or last < end or not all(text.strip() for text in row[first : last + 1]):
            continue
        records = [_part(other, first, last) for _, other in head[at:]]
        if dialect.has_header(records) and len(records) > 1:
            beside = any(_last(other) > last for _, other in rows[at + 1 :])
            place = Sheet(first_column=first, last_column=last if beside else None, first_row=number)
            return _around(place, rows[at + 1 :], last, _pattern(row[first : last + 1]))
    if head and dialect.has_header([_part(row, begin, end) for _, row in head]):
        return _around(Sheet(first_column=begin, first_row=head[0][0]), rows[1:], end, "")
    return Table(Sheet(first_column=begin, first_row=head[0][0]), header=False)


def agreed(every: Sequence[Table]) -> Table:
    """Return what the tables of all samples have in common; they may begin in different rows."""
    first = every[0]
    rows = {one.sheet.first_row for one in every}
    begins = {one.sheet.footer.begins if one.sheet.footer else "" for one in every}
    lines = max((one.sheet.footer.lines for one in every if one.sheet.footer), default=1)
    whole = replace(
        first.sheet,
        first_row=1 if len(rows) > 1 else first.sheet.first_row,
        skip_until=first.until or None if len(rows) > 1 else None,
        comment_rows=first.sheet.comment_rows if len({one.sheet.comment_rows for one in every}) == 1 else (),
        last_column=max((one.sheet.last_column for one in every if one.sheet.last_column is not None), default=None),
        footer=Footer(begins.pop(), lines) if len(begins) == 1 and begins != {""} else None,
    )
    return replace(first, sheet=whole)


def _around(place: Sheet, below: Sequence[Row], last: int, until: str) -> Table:
    """Return a table with the rows among and below its records that are none."""
    records = [_part(row, place.first_column, last) for _, row in below]
    units = (2,) if records and around.is_units(records[: dialect.LINES]) else ()
    return Table(replace(place, comment_rows=units, footer=_footer(records)), until=until)


def _footer(records: Sequence[Sequence[str]]) -> Footer | None:
    """Return the footer that the last rows are, if no record begins like it."""
    last = records[-around.LONGEST_FOOTER :]
    for n, record in enumerate(last):
        word = around.TOTALS.match(record[0]) if record else None
        if word and sum(other[0].startswith(word[0]) for other in records) == 1:
            return Footer(word[0], len(last) - n)
    return None


def _pattern(names: Sequence[str]) -> str:
    """Return a pattern of the row of column names: its first two cells."""
    begin = csv_cells.joined(names[:2], Csv())
    return "^" + re.sub(r"[\\^$.|?*+()\[\]{}/]", lambda sign: f"\\{sign[0]}", begin)


def _part(row: Sequence[str], first: int, last: int) -> list[str]:
    own = list(row[first : last + 1])
    return own + [""] * (last + 1 - first - len(own))


def _first(row: Sequence[str]) -> int:
    return next(n for n, text in enumerate(row) if text)


def _last(row: Sequence[str]) -> int:
    return len(row) - 1
