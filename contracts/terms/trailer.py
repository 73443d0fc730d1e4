"""Trailers and footers, the last lines of files: the rule and what was read in, the totals or problems out.

Pure. Both are recognised by a first cell, and are no records of the data. Positions of cells count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from contracts import codec
from contracts.place import Place
from contracts.problem import Problem, visible
from contracts.terms.file_sets import Totals
from contracts.terms.value_form import PLAIN, ValueForm, published, words

LONGEST = 60
"""Characters of a number."""
LONGEST_LINE = 100_000
"""Characters of a trailer; the cells of a longer one are not read."""
COUNT, NUMBER = re.compile("[0-9]+"), re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
FOOTER_MISSING, FOOTER_EARLY = "footer-missing", "footer-early"
MISSING, EARLY, BAD = "trailer-missing", "trailer-early", "bad-trailer"
Unread = Literal["long", "bytes", "quotes"]
"""The reason for not reading a trailer's cells: it is too long, has bytes that are not text, or an open quote."""
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
    """The rule of a trailer: its first cell (`begins`), and the positions of the cells with record count and sums.

    `sums` are positions by property; figures that are not given are not compared.
    """

    begins: str
    rows: int | None = None
    sums: dict[str, int] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The number of cells that are read."""
        return max(1, self.rows or 1, *self.sums.values())


@dataclass(frozen=True, slots=True)
class Footer:
    """The rule of a footer: what the first cell of its first line begins with, and how many lines it may have."""

    begins: str
    lines: int = 1


Ending = Trailer | Footer
"""The rule of the lines below the records."""


def is_first_cell(rule: Ending, cell: str = "") -> bool:
    """Return True if a first cell is that of a trailer, or begins like that of a footer."""
    return cell.startswith(rule.begins) if isinstance(rule, Footer) else cell == rule.begins


@dataclass(frozen=True, slots=True)
class TrailerReading:
    """The trailers of a file: the needed cells of the last record, if it is a trailer.

    `early` is the number of the first earlier record that begins like a trailer. `unread` is the reason if `cells`
    are empty although there is a trailer. Of a footer no cells are needed: they are empty if it has the agreed length.
    """

    cells: tuple[str, ...] | None = None
    early: int | None = None
    unread: Unread | None = field(default=None, metadata=codec.SPARSE)


Last = tuple[str, ...] | Unread
"""The cells of a trailer, or the reason for not reading them."""


def reading_of(rule: Trailer, last: Last | None, early: int | None = None) -> TrailerReading:
    """Return the facts to keep of a file's last record (None: not a trailer) and of the first early trailer."""
    if last is None or isinstance(last, str):
        return TrailerReading(None if last is None else (), early, last)
    return TrailerReading(tuple(cell[: LONGEST + 1] for cell in last[: rule.width]), early)


def totals_of(
    rule: Trailer,
    reading: TrailerReading | None,
    masked: Sequence[str] = (),
    forms: Mapping[str, ValueForm] | None = None,
    names: Sequence[str] = (),
) -> Totals | tuple[Problem, ...]:
    """Return the totals that a trailer states, or the problems with it; cells of `masked` properties stay hidden.

    Sums are written in the `forms` of their properties. `names` are those of the cells behind the first one for
    people, of lines that have positions and no cells.
    """
    if reading and reading.cells is None and reading.early is not None:  # so it was not cut off
        text = "The file does not end with its trailer: its last record begins otherwise."
        fix = "Write the trailer as the last record; only empty lines without blanks may follow it."
        return (Problem(MISSING, text, fix),)
    if reading is None or reading.cells is None:
        what = "a line that begins with" if names else "a record whose first cell is"
        text = f"The file does not end with its trailer, {what} `{visible(rule.begins, 40)}`."
        fix = "Send the file whole, with its trailer as the last record: it may have been cut short."
        return (Problem(MISSING, text, fix),)
    if reading.unread:
        return (Problem(BAD, *UNREAD[reading.unread]),)
    shown = names or [f"Cell {n}" for n in range(2, rule.width + 1)]
    rows = _cell(reading.cells, rule.rows, shown, COUNT, "the number of records", PLAIN, masked=False)
    wrong = [rows] if isinstance(rows, Problem) else []
    sums = {}
    for name, place in rule.sums.items():
        form = (forms or {}).get(name, PLAIN)
        amount = _cell(reading.cells, place, shown, NUMBER, f"the sum of `{name}`", form, masked=name in masked)
        if isinstance(amount, Decimal):
            sums[name] = amount
        elif amount:
            wrong.append(amount)
    if wrong:
        return tuple(wrong)
    return Totals(int(rows) if isinstance(rows, Decimal) else None, sums)


def early(rule: Trailer, reading: TrailerReading | None) -> tuple[Problem, ...]:
    """Return the problems of records that begin like the trailer and are not the last record."""
    if reading is None or reading.early is None:
        return ()
    begins = visible(rule.begins, 40)
    text = f"Record {reading.early:,} begins with `{begins}` as the trailer does, and is not the last of the file."
    fix = "Send each file by itself, with one trailer, as its last record."
    return (Problem(EARLY, text, fix, place=Place(reading.early)),)


def footer_problems(rule: Footer, reading: TrailerReading | None) -> tuple[Problem, ...]:
    """Return the problem of a footer that is missing, or that begins too early, so that records may be behind it."""
    begins = visible(rule.begins, 40)
    if reading is not None and reading.early is not None:
        agreed = "1 line, the last" if rule.lines == 1 else f"at most {rule.lines} lines, the last"
        text = (
            f"The footer, whose first cell begins with `{begins}`, begins at record {reading.early:,}; it has {agreed}."
        )
        fix = "Write the footer behind all records and nothing behind it; let no record begin like it."
        return (Problem(FOOTER_EARLY, text, fix, place=Place(reading.early)),)
    if reading is None or reading.cells is None:
        text = f"The file does not end with its footer, whose first cell begins with `{begins}`."
        fix = "Send the file whole, with its footer: it may have been cut short."
        return (Problem(FOOTER_MISSING, text, fix),)
    return ()


def _cell(
    cells: Sequence[str],
    place: int | None,
    names: Sequence[str],
    shape: re.Pattern[str],
    what: str,
    form: ValueForm,
    *,
    masked: bool,
) -> Decimal | Problem | None:
    """Return the number in a cell, or the problem with it; None if the rule has no such cell."""
    if place is None:
        return None
    fix = "Write the trailer as it is agreed, its numbers with only digits and a point for fractions."
    if agreed := words(form.of_values):
        fix = f"Write the trailer as it is agreed, and {what} so: {agreed}."
    if place > len(cells):
        return Problem(BAD, f"The trailer has no cell {place}, which says {what}.", fix)
    text = cells[place - 1]
    number = published(form, form.cell(text), "number", exponent=False)
    if len(text) > LONGEST or number is None or not shape.fullmatch(number):
        shown = "no number" if masked else f"`{visible(text, 40)}`, which is none"
        return Problem(BAD, f"{names[place - 2]} of the trailer, {what}, is {shown}.", fix)
    return Decimal(number)
