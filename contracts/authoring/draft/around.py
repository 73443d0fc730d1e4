"""Rows around the records of a sample: its first and last text in; the rows that a contract should allow, out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from contracts.authoring.draft import dialect, record_types
from contracts.authoring.draft.cells import cells
from contracts.authoring.draft.columns.column import WORDS
from contracts.authoring.draft.record_types import Types
from contracts.files import csv_cells, csv_top
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
"""Records below a row of units, or of names, that show that its columns hold values."""
MOST_NAMES = 4
"""Rows that may name the columns together."""


@dataclass(frozen=True, slots=True)
class Around:
    """The rows around the records of a sample.

    `above` is the number of lines above the header, `titles` of those that are neither comments nor `sep=`; `units` is
    the number of lines between the header and the records; `until` is a pattern of the header, if there are titles.
    A header of several rows has `names` lines and `rows` rows, and `header` is one line with the names. `tables`
    is what shows that the file holds several tables. `blank` is how many of the first records have no value, `total`
    is a text of the last line by which it may be none. With `types` the first cells say what rows are, and nothing else
    is around the records.
    """

    above: int = 0
    titles: int = 0
    units: int = 0
    until: str = ""
    separator: bool = False
    comment: str = ""
    footer: Footer | None = None
    names: int = 1
    rows: int = 1
    header: str = ""
    tables: str = ""
    blank: int = 0
    total: str = ""
    types: Types | None = None

    def body(self) -> Around:
        """Return the same for a part of the file that does not begin with its first line."""
        return replace(self, above=0, units=0, names=0, header="", types=self.types and self.types.body())

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of a file, with its header in one, that are not around its records."""
        if self.types:
            yield from self.types.lines(lines)
            return
        begin = self.above + self.names
        for n, line in enumerate(lines):
            if self.header and n == self.above:
                yield self.header + ("\n" if line.endswith("\n") else "")
            if n < self.above or (self.header and n < begin) or begin <= n < begin + self.units:
                continue
            if self.footer and n >= begin and line.lstrip("\"'").startswith(self.footer.begins):
                return
            if not (self.comment and line.startswith(self.comment)):
                yield line


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file: its first line, from 0, how many lines it has, its text, and its cells if they can be read."""

    at: int
    lines: int
    text: str
    cells: list[str] | None

    @property
    def filled(self) -> list[str]:
        """The cells that are not blank."""
        return [cell for cell in self.cells or () if cell.strip()]

    @property
    def has_value(self) -> bool:
        """Return True if a cell is a value, which no name of a column is."""
        return bool(self.filled) and not dialect.are_names(self.filled)


def seen(head: str, end: str, encoding: str, *, whole: bool = False) -> Around:
    """Return the rows around the records of a file, by its first text, which may be `whole`, and its last."""
    signs = (sign for sign in dialect.DELIMITERS if sign in head)
    every = (record_types.seen(head, end, Csv(sign, encoding), whole=whole) for sign in signs)
    if types := next(filter(None, every), None):
        return Around(types=types)
    lines = head.split("\n")[: dialect.LINES]
    separator = bool(lines) and csv_top.is_separator(lines[0])
    comment = _comment(lines[separator:], encoding)
    plain = [n for n, line in enumerate(lines) if n >= separator and not (comment and line.startswith(comment))]
    guess = dialect.guessed("\n".join(lines[n] for n in plain), encoding, titled=True)
    base = Around(above=plain[0] if plain else 0, separator=separator, comment=comment)
    rows = list(_rows(lines, separator, replace(guess, comment_char=comment)))
    width = dialect.usual_width([row.cells for row in rows if row.cells and row.text])
    if width == 1:
        return base
    if tables := _of_two_widths(rows):
        return replace(base, tables=tables)
    begins = [n for n, row in enumerate(rows) if _is_wide(row, width) and len(row.filled) > 1]
    begin = next((n for n in begins if _names_all(rows[n], rows[n + 1 :], width)), begins[0] if begins else None)
    if begin is None or rows[begin].has_value:
        return base
    return _below(base, rows, begin, guess, end)


def _rows(lines: Sequence[str], start: int, csv: Csv) -> Iterator[Row]:
    """Yield the rows of lines that are no comments."""
    at = start
    for text in csv_top.rows_of(csv, "\n".join(lines[start:])):
        bare, count = text.rstrip("\n"), text.count("\n")
        if not csv_top.is_comment(csv, text):
            yield Row(at, max(1, count), bare, cells(bare, csv))
        at += count


def _is_wide(row: Row, width: int) -> bool:
    return row.cells is not None and len(row.cells) == width


def _has_own_width(rows: Sequence[Row], width: int) -> bool:
    """Return True if the first row is a header of more names than all others have cells, or of one fewer, as R's."""
    own = rows[0].cells or []
    is_full = 1 < len(own) == len(rows[0].filled) and (len(own) > width or len(own) == width - 1)
    return is_full and all(_is_wide(row, width) for row in rows[1:])


def _of_two_widths(rows: Sequence[Row]) -> str:
    """Return which rows have other numbers of cells than those before, if both are many; empty if none have."""
    filled = [row for row in rows if row.text and row.cells and len(row.cells) > 1]
    runs = [(width, list(run)) for width, run in groupby(filled, key=lambda row: len(row.cells or ()))]
    long = [(width, run) for width, run in runs if len(run) >= TYPED + 1 and 5 * len(run) >= len(filled)]
    for (before, _), (width, run) in pairwise(long):
        if abs(width - before) > 1:
            return f"from line {run[0].at + 1} on it has {width} cells, and {before} above"
    return ""


def _below(base: Around, rows: Sequence[Row], begin: int, guess: Csv, end: str) -> Around:
    """Return the rows around the records of a table whose header begins with a row."""
    width = len(rows[begin].cells or ())
    count = _names(rows, begin, width)
    last = rows[begin + count - 1]
    wide = [row for row in rows[begin + count :] if _is_wide(row, width)]
    below = [row.cells for row in wide if row.cells is not None]
    titles = rows[:begin]
    names = _joined(rows[begin : begin + count])
    if _has_own_width(rows, width) and not _is_typed(last, below):
        return base
    is_titled = bool(titles) and all(len(row.filled) <= 1 for row in titles)
    if (is_titled or _is_typed(last, below)) and (tables := _several(last, wide, names, below)):
        return replace(base, tables=tables)
    if not dialect.has_header([names, *below]) and not is_titled:
        return base
    units = int(is_units(below))
    footer = _footer(end, below, guess)
    return replace(
        base,
        above=rows[begin].at,
        titles=len(titles),
        until=_until(rows[begin], titles, guess) if titles else "",
        units=wide[0].lines if units else 0,
        footer=footer,
        names=last.at + last.lines - rows[begin].at,
        rows=count,
        header=csv_cells.joined(names, guess) if count > 1 else "",
        blank=sum(not row.filled for row in wide),
        total="" if footer else _total(end, guess),
    )


def _several(header: Row, wide: Sequence[Row], names: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """Return what shows that several tables are below a header: it again, or blank rows where all cells are words."""
    if again := next((row.at + 1 for row in wide if row.cells == header.cells), 0):
        return f"line {again} has the names of the columns again"
    if dialect.has_header([names, *below]) and any(map(dialect.is_value, (cell for row in below for cell in row))):
        return ""
    filled = [n for n, row in enumerate(wide) if row.filled]
    inner = next((wide[n].at + 1 for n in range(filled[-1] if filled else 0) if n not in filled), 0)
    return f"line {inner} has no value in any cell, as between two tables" if inner else ""


def _names(rows: Sequence[Row], begin: int, width: int) -> int:
    """Return how many rows name the columns together: words below blanks, and values below these words."""
    for count in range(1, MOST_NAMES + 1):
        some, rest = rows[begin : begin + count], [row for row in rows[begin + count :] if _is_wide(row, width)]
        below = [row.cells for row in rest if row.cells is not None]
        if not all(_is_wide(row, width) and not row.has_value for row in some):
            return 1
        lacking = [n for n, name in enumerate(_joined(some)) if not name and any(row[n].strip() for row in below)]
        if not lacking:
            return count if count == 1 or _is_typed(some[-1], below) else 1
    return 1


def _names_all(row: Row, rest: Sequence[Row], width: int) -> bool:
    """Return True if a row has another word for each column that rows below have cells in, and values are there.

    Titles of a spreadsheet are as wide as its table, and have a word or two.
    """
    below = [other.cells for other in rest if _is_wide(other, width) and other.cells is not None]
    lacks = any(not name.strip() and any(cells[n].strip() for cells in below) for n, name in enumerate(row.cells or ()))
    distinct = len(row.filled) == len({*row.filled})
    return not row.has_value and distinct and not lacks and _is_typed(row, below)


def _joined(rows: Sequence[Row]) -> list[str]:
    """Return the names of columns that rows have together."""
    every = zip(*(row.cells or () for row in rows), strict=True)
    return [" ".join(part for part in parts if part) for parts in every]


def _is_typed(row: Row, below: Sequence[Sequence[str]]) -> bool:
    """Return True if a row has a word in a column in which all others, some at least, are values."""
    for n, name in enumerate(row.cells or ()):
        texts = [record[n] for record in below if record[n].strip() and record[n] not in WORDS and record[n] != name]
        if name.strip() and len(texts) >= TYPED and all(map(dialect.is_value, texts)):
            return True
    return False


def agreed(csv: Csv, every: Sequence[Around]) -> Csv:
    """Return a dialect with what the rows around the records of all samples have in common."""
    return replace(
        csv,
        skip_until=next((one.until for one in every if one.until), None),
        header_rows=tuple(range(1, every[0].rows + 1)),
        comment_rows=(every[0].rows + 1,) if every[0].units else (),
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
    is_typed = len({one.types.signs if one.types else () for one in every}) == 1
    return [replace(one, units=units, footer=footer, types=one.types if is_typed else None) for one in every]


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


def _until(row: Row, titles: Sequence[Row], guess: Csv) -> str:
    """Return a pattern of the header: its first cells as they are written, so many that no title begins so."""
    line = row.text.split("\n")[0]
    parts = line.split(guess.delimiter)
    for count in range(2, len(parts) + 1):
        begin = guess.delimiter.join(parts[:count])
        if not any(title.text.startswith(begin) for title in titles):
            return "^" + re.sub(r"[\\^$.|?*+()\[\]{}/]", lambda sign: f"\\{sign[0]}", begin)
    return "^" + re.sub(r"[\\^$.|?*+()\[\]{}/]", lambda sign: f"\\{sign[0]}", line)


def is_units(below: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row below the header has words where the others have values."""
    if len(below) <= TYPED or any(cell in WORDS or dialect.is_value(cell) for cell in below[0] if cell):
        return False
    typed = (
        below[0][n].strip()
        and all(dialect.is_value(row[n]) for row in below[1:] if row[n].strip() and row[n] not in WORDS)
        and any(row[n].strip() and row[n] not in WORDS for row in below[1:])
        for n in range(len(below[0]))
    )
    return any(typed)


def _footer(end: str, below: Sequence[Sequence[str]], guess: Csv) -> Footer | None:
    """Return the footer that the last lines are, if no record begins like it."""
    most = min(LONGEST_FOOTER, len(below))  # not the header, of which `below` has the records
    last = [line for line in end.split("\n") if line.strip()][-most:] if most else []
    for n, line in enumerate(last):
        record = cells(line, guess) or [""]
        word = TOTALS.match(record[0])
        if word and not any(row[0].startswith(word[0]) for row in below if list(row) != record):
            return Footer(word[0], len(last) - n)
    return None


def _total(end: str, guess: Csv) -> str:
    """Return the text in a last line that seems to be a total, which no footer is."""
    last = [line for line in end.split("\n") if line.strip(f"{guess.delimiter} ")][-1:]
    texts = [cell for line in last for cell in cells(line, guess) or ()]
    return next((text for text in texts if TOTALS.match(text.strip())), "")
