"""The last record of a file that tells what it holds: a contract's rule for it and what was found in; what it says out.

Pure. A trailer is known by its first cell, and is no record of the data. Places of cells count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from contracts.problem import Problem, visible
from contracts.sets import Totals

LONGEST = 60
"""Characters of a number."""
COUNT, NUMBER = re.compile("[0-9]+"), re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
MISSING, EARLY, BAD = "trailer-missing", "trailer-early", "bad-trailer"


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
        """How many cells of it matter."""
        return max(1, self.rows or 1, *self.sums.values())


@dataclass(frozen=True, slots=True)
class Ending:
    """What was found of trailers in a file: the cells of the last record, if it is one, as far as they matter.

    `early` is the number of the first record before the last that begins as a trailer.
    """

    cells: tuple[str, ...] | None = None
    early: int | None = None


def seen(rule: Trailer, cells: Sequence[str]) -> tuple[str, ...]:
    """Of the cells of a trailer what has to be kept of them."""
    return tuple(cell[: LONGEST + 1] for cell in cells[: rule.width])


def told(rule: Trailer, ending: Ending | None, masked: Sequence[str] = ()) -> Totals | tuple[Problem, ...]:
    """The totals that a file's trailer says, or why there are none; of `masked` properties no cell is shown."""
    if ending is None or ending.cells is None:
        text = f"The file does not end with its trailer, a record whose first cell is `{rule.begins}`."
        fix = "Send the file whole, with its trailer as the last record: it may have been cut short."
        return (Problem(MISSING, text, fix),)
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


def early(rule: Trailer, ending: Ending | None) -> tuple[Problem, ...]:
    """What is wrong with records that begin as the trailer and are not the last."""
    if ending is None or ending.early is None:
        return ()
    text = f"Record {ending.early:,} begins with `{rule.begins}` as the trailer does, and is not the last of the file."
    fix = "Send each file by itself, with one trailer, as its last record."
    return (Problem(EARLY, text, fix, record=ending.early),)


def _cell(
    cells: Sequence[str], place: int | None, shape: re.Pattern[str], what: str, *, masked: bool
) -> Decimal | Problem | None:
    """The number that a cell says; None where none is asked for."""
    if place is None:
        return None
    fix = "Write the trailer as it is agreed, its numbers with digits alone and a point for fractions."
    if place > len(cells):
        return Problem(BAD, f"The trailer has no cell {place}, which says {what}.", fix)
    text = cells[place - 1]
    if len(text) > LONGEST or not shape.fullmatch(text):
        shown = "no number" if masked else f"`{visible(text, 40)}`, which is none"
        return Problem(BAD, f"Cell {place} of the trailer, {what}, is {shown}.", fix)
    return Decimal(text)
