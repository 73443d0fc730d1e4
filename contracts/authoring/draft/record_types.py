"""Types of records in a sample: its first and last text in; the first cells of leader, records and trailer out.

A file of a bank or a mainframe says in the first cell of each row what it is, as H, D and T.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.authoring.draft.cells import cells
from contracts.plan import Csv
from contracts.terms.leader import Leader
from contracts.terms.trailer import Trailer

TOKEN = re.compile(r"[A-Z0-9]{1,5}")
"""A first cell that says what a row is; all of a file have one length."""
LEAST = 2
"""Records that show what the first cell of records is."""


@dataclass(frozen=True, slots=True)
class Types:
    """The first cells of rows by what they are, and the cells of the trailer; no trailer if its cells are none."""

    delimiter: str
    leader: str
    record: str
    last: tuple[str, ...] = ()

    @property
    def signs(self) -> tuple[str, str, str]:
        """The first cells of leader, records and trailer."""
        return self.leader, self.record, self.last[0] if self.last else ""

    def body(self) -> Types:
        """Return the same for a part of the file that does not begin with its first line."""
        return replace(self, leader="")

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the records among the lines of a file, without their first cell."""
        for n, line in enumerate(lines):
            first, _, rest = line.partition(self.delimiter)
            if self.last and first.strip("\"'\r\n") == self.last[0]:
                return
            if line.strip() and not (self.leader and n == 0):
                yield rest

    def agreed(self, csv: Csv, counts: Sequence[tuple[Types, int]]) -> Csv:
        """Return a dialect with these types; `counts` are those of each sample with its number of records."""
        trailer = Trailer(self.last[0], _place(counts)) if self.last else None
        return replace(csv, leader=Leader(self.leader), record=self.record, trailer=trailer, skip_columns=1)


def seen(head: str, end: str, csv: Csv, *, whole: bool) -> Types | None:
    """Return the types of the records of a file by its first text, which may be `whole`, and its last."""
    lines = [line for line in head.split("\n") if line.strip()]
    last_line = next((line for line in reversed(end.split("\n")) if line.strip()), "")
    rows = [cells(line, csv) or [""] for line in (lines[1:-1] if whole else lines[1:])]
    first, last = ((cells(line, csv) or [""]) for line in (lines[0] if lines else "", last_line))
    if len(rows) < LEAST or len({row[0] for row in rows}) != 1:
        return None
    record, widths = rows[0][0], {len(row) for row in rows}
    if last[0] == record and len(last) in widths:
        last = []
    signs = [first[0], record, *last[:1]]
    is_typed = len({*signs}) == len(signs) and len({*map(len, signs)}) == 1 and all(map(TOKEN.fullmatch, signs))
    if not is_typed or len(widths) != 1 or len(first) in widths or (record.isdigit() and not last):
        return None
    return Types(csv.delimiter, first[0], record, tuple(last))


def _place(counts: Sequence[tuple[Types, int]]) -> int | None:
    """Return the place of the trailer's cell that is the number of records in all samples."""
    width = min(len(types.last) for types, _ in counts)
    cells = {n: [(types.last[n - 1], count) for types, count in counts] for n in range(2, width + 1)}
    return next(
        (n for n, own in cells.items() if all(cell.isdecimal() and int(cell) == count for cell, count in own)), None
    )
