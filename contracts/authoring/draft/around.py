"""Rows around the records of a sample: its first and last text in; the rows that a contract should allow, out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.authoring.draft import dialect
from contracts.authoring.draft.cells import cells
from contracts.files import csv_top
from contracts.plan import Csv
from contracts.terms.trailer import Footer

COMMENTS = ("#", "%", "!")
TOTALS = re.compile(
    r"(?:grand |sub)?totals?|sum(?:me|ma|a)?|gesamt(?:summe|betrag)?|tot(?:al|aal|ale|aux)|ensemble|итого|всего|"
    r"razem|łącznie|celkem|összesen|toplam",
    re.IGNORECASE,
)
"""Words that the line below the records of a table begins with."""
LONGEST_FOOTER = 5
"""Lines at the end of a file that may be its footer."""
TYPED = 2
"""Records below a row of units that show that its columns hold values."""


@dataclass(frozen=True, slots=True)
class Around:
    """The rows around the records of a sample.

    `above` is the number of lines above the header, `titles` of those that are neither comments nor `sep=`; `units` is
    the number of lines between the header and the records; `until` is a pattern of the header, if there are titles.
    """

    above: int = 0
    titles: int = 0
    units: int = 0
    until: str = ""
    separator: bool = False
    comment: str = ""
    footer: Footer | None = None

    def body(self) -> Around:
        """Return the same for a part of the file that does not begin with its first line."""
        return replace(self, above=0, units=0)

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of a file, with its header, that are not around its records."""
        for n, line in enumerate(lines):
            if n < self.above or self.above < n <= self.above + self.units:
                continue
            if self.footer and line.lstrip("\"'").startswith(self.footer.begins):
                return
            if not (self.comment and line.startswith(self.comment)):
                yield line


def seen(head: str, end: str, encoding: str) -> Around:
    """Return the rows around the records of a file, by its first text and its last."""
    lines = head.split("\n")[: dialect.LINES]
    separator = bool(lines) and csv_top.is_separator(lines[0])
    comment = _comment(lines[separator:], encoding)
    plain = [n for n, line in enumerate(lines) if n >= separator and not (comment and line.startswith(comment))]
    guess = dialect.guessed("\n".join(lines[n] for n in plain), encoding)
    found_above = plain[0] if plain else 0
    base = Around(above=found_above, separator=separator, comment=comment)
    if guess.multi_line:
        return base
    records = {n: cells(lines[n], guess) for n in plain}
    width = dialect.usual_width([record for n, record in records.items() if record and lines[n]])
    if width == 1:
        return base
    begin = _header(records, width)
    if begin is None:
        return base
    titles = [n for n in plain if n < begin]
    below = [r for n in plain if n > begin and (r := records[n]) is not None and len(r) == width]
    return replace(
        base,
        above=begin,
        titles=len(titles),
        until=_until(lines[begin], guess) if titles else "",
        units=int(_is_units(below)),
        footer=_footer(end, below, guess),
    )


def agreed(csv: Csv, every: Sequence[Around]) -> Csv:
    """Return a dialect with what the rows around the records of all samples have in common."""
    return replace(
        csv,
        skip_until=next((one.until for one in every if one.until), None),
        comment_rows=(2,) if every[0].units else (),
        separator_line=any(one.separator for one in every),
        comment_char=next((one.comment for one in every if one.comment), ""),
        footer=every[0].footer,
    )


def alike(every: Sequence[Around]) -> list[Around]:
    """Return the same without units and footers that not all samples have."""
    units = every[0].units if len({one.units for one in every}) == 1 else 0
    begins = {one.footer.begins if one.footer else "" for one in every}
    longest = max((one.footer.lines for one in every if one.footer), default=1)
    footer = Footer(begins.pop(), longest) if len(begins) == 1 and begins != {""} else None
    return [replace(one, units=units, footer=footer) for one in every]


def _comment(lines: Sequence[str], encoding: str) -> str:
    """Return the sign of comments, if the first line begins with one and has not as many cells as the others."""
    sign = next((sign for sign in COMMENTS if lines and lines[0].startswith(sign)), "")
    rest = [line for line in lines if line and not line.startswith(sign)] if sign else []
    if not rest:
        return ""
    guess = dialect.guessed("\n".join(rest), encoding)
    width = dialect.usual_width([record for line in rest if (record := cells(line, guess))])
    own = cells(lines[0], guess)
    return "" if own is not None and len(own) == width and (width > 1 or len(rest) == len(lines) - 1) else sign


def _header(records: dict[int, list[str] | None], width: int) -> int | None:
    """Return the line of the header, if all lines above it are titles; None if there is none."""
    for n, record in records.items():
        if record is not None and len(record) == width and all(cell.strip() for cell in record):
            below = [r for k, r in records.items() if k >= n and r is not None and len(r) == width]
            return n if dialect.has_header(below) else None
        if record is not None and len(record) == width and sum(bool(cell.strip()) for cell in record) > 1:
            return None
    return None


def _until(line: str, guess: Csv) -> str:
    """Return a pattern of the header: its first two cells as they are written."""
    begin = guess.delimiter.join(line.split(guess.delimiter)[:2])
    return "^" + re.sub(r"[\\^$.|?*+()\[\]{}/]", lambda sign: f"\\{sign[0]}", begin)


def _is_units(below: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row below the header has words where the others have values."""
    if len(below) <= TYPED or any(dialect.is_value(cell) for cell in below[0] if cell):
        return False
    typed = (
        below[0][n].strip()
        and all(dialect.is_value(row[n]) for row in below[1:] if row[n])
        and any(row[n] for row in below[1:])
        for n in range(len(below[0]))
    )
    return any(typed)


def _footer(end: str, below: Sequence[Sequence[str]], guess: Csv) -> Footer | None:
    """Return the footer that the last lines are, if no record begins like it."""
    last = [line for line in end.split("\n") if line.strip()][-LONGEST_FOOTER:]
    for n, line in enumerate(last):
        record = cells(line, guess) or [""]
        word = TOTALS.match(record[0])
        if word and not any(row[0].startswith(word[0]) for row in below if list(row) != record):
            return Footer(word[0], len(last) - n)
    return None
