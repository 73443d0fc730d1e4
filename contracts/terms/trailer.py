"""The last record of a file that tells what it holds: a contract's rule for it and what was found in; what it says out.

Pure. A trailer is known by its first cell, and is no record of the data. Places of cells count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from contracts import codec
from contracts.place import Place
from contracts.problem import Problem, visible
from contracts.terms.file_sets import Totals

LONGEST = 60
"""Characters of a number."""
LONGEST_LINE = 100_000
"""Characters of a trailer; of a longer one no cell is read."""
COUNT, NUMBER = re.compile("[0-9]+"), re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
MISSING, EARLY, BAD = "trailer-missing", "trailer-early", "bad-trailer"
Unread = Literal["long", "bytes", "quotes"]
"""Why no cell of a trailer is read: it is too long, holds what is no text, or a quote in it that is not closed."""
UNREAD: dict[Unread, tuple[str, str]] = {
    "long": (
        f"The trailer is longer than {LONGEST_LINE:,} characters, and was not read.",
        "Write the trailer as it is agreed, without anything else behind its figures.",
    ),
    "bytes": (
        "The trailer holds NUL, or bytes that are not text in the agreed encoding, and was not read.",
        "Write the trailer in the agreed encoding, as the other records.",
    ),
    "quotes": (
        "A quote in the trailer is never closed, or text follows a closed one: its cells cannot be separated.",
        "Write each cell of the trailer plain, or wholly between two quotes.",
    ),
}


@dataclass(frozen=True, slots=True)
class Trailer:
    """The text that a trailer `begins` with, and the places of its cells that say how many records there are, and sums.

    `sums` are places by property; what is not said is not compared.
    """

    begins: str
    rows: int | None = None
    sums: dict[str, int] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The number of its cells that are read."""
        return max(1, self.rows or 1, *self.sums.values())


@dataclass(frozen=True, slots=True)
class Ending:
    """The trailers found in a file: the needed cells of the last record, if it is one.

    `early` is the number of the first record before the last that begins as a trailer. `unread` says why `cells` are
    empty though there is a trailer.
    """

    cells: tuple[str, ...] | None = None
    early: int | None = None
    unread: Unread | None = field(default=None, metadata=codec.SPARSE)


Last = tuple[str, ...] | Unread
"""The cells of a trailer, or why they are not read."""


def seen(rule: Trailer, last: Last | None, early: int | None = None) -> Ending:
    """Return the facts to keep of a file's last record (None: not a trailer) and of the first early trailer."""
    if last is None or isinstance(last, str):
        return Ending(None if last is None else (), early, last)
    return Ending(tuple(cell[: LONGEST + 1] for cell in last[: rule.width]), early)


def told(rule: Trailer, ending: Ending | None, masked: Sequence[str] = ()) -> Totals | tuple[Problem, ...]:
    """The totals that a file's trailer says, or why there are none; of `masked` properties no cell is shown."""
    if ending is None or ending.cells is None:
        return (_missing(rule, ending),)
    if ending.unread:
        return (Problem(BAD, *UNREAD[ending.unread]),)
    rows = _cell(ending.cells, rule.rows, COUNT, "the number of records", masked=False)
    wrong = [rows] if isinstance(rows, Problem) else []
    sums = {}
    for name, place in rule.sums.items():
        found = _cell(ending.cells, place, NUMBER, f"the sum of `{name}`", masked=name in masked)
        if isinstance(found, Decimal):
            sums[name] = found
        elif found:
            wrong.append(found)
    if wrong:
        return tuple(wrong)
    return Totals(int(rows) if isinstance(rows, Decimal) else None, sums)


def _missing(rule: Trailer, ending: Ending | None) -> Problem:
    """That a file does not end with its trailer; where one stands before, nobody has cut it off."""
    if ending and ending.early is not None:
        text = "The file does not end with its trailer: its last record begins otherwise."
        fix = "Write the trailer as the last record; only empty lines without blanks may follow it."
        return Problem(MISSING, text, fix)
    text = f"The file does not end with its trailer, a record whose first cell is `{visible(rule.begins, 40)}`."
    fix = "Send the file whole, with its trailer as the last record: it may have been cut short."
    return Problem(MISSING, text, fix)


def early(rule: Trailer, ending: Ending | None) -> tuple[Problem, ...]:
    """Return the problems of records that begin like the trailer and are not the last record."""
    if ending is None or ending.early is None:
        return ()
    begins = visible(rule.begins, 40)
    text = f"Record {ending.early:,} begins with `{begins}` as the trailer does, and is not the last of the file."
    fix = "Send each file by itself, with one trailer, as its last record."
    return (Problem(EARLY, text, fix, place=Place(ending.early)),)


def _cell(
    cells: Sequence[str], place: int | None, shape: re.Pattern[str], what: str, *, masked: bool
) -> Decimal | Problem | None:
    """The number that a cell says; None where none is asked for."""
    if place is None:
        return None
    fix = "Write the trailer as it is agreed, its numbers with only digits and a point for fractions."
    if place > len(cells):
        return Problem(BAD, f"The trailer has no cell {place}, which says {what}.", fix)
    text = cells[place - 1]
    if len(text) > LONGEST or not shape.fullmatch(text):
        shown = "no number" if masked else f"`{visible(text, 40)}`, which is none"
        return Problem(BAD, f"Cell {place} of the trailer, {what}, is {shown}.", fix)
    return Decimal(text)
