"""A workbook and a plan in, the text of CSV that its sheet becomes out, or the problem of the workbook. Pure.

A line of the text is a row of the sheet, with the same number: rows without content, and those above the column
names, are empty lines.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import IO

from contracts.files import columns, csv_cells, csv_top
from contracts.files.sheets import cells
from contracts.files.sheets.book import Row, SheetEntry
from contracts.files.sheets.faults import Faulty, broken, too_large
from contracts.files.sheets.opening import opened
from contracts.plan import ROW_END, Plan, Property, Sheet, column_letters
from contracts.problem import Problem, nearest, quoted, visible
from contracts.terms.trailer import FOOTER_EARLY, FOOTER_MISSING

MOST_CELLS = 50_000_000
"""Cells of all rows together, empty ones before the last filled one of a row included."""
ABOVE = 100_000
"""Rows in which the end of the skipped ones is looked for."""
LOOKED_AT = 10_000
"""Rows that show where a sheet has content, if its range has none."""
MARK = "\ufeff"


def text(plan: Plan, file: IO[bytes]) -> Iterator[str]:
    """Yield the lines of a workbook's sheet, with their ends; raise Faulty where the workbook is at fault."""
    agreed = plan.sheet or Sheet()
    book = opened(plan.file_format, file)
    name = chosen(agreed, book.sheets)
    width = None if agreed.last_column is None else agreed.last_column - agreed.first_column + 1
    if width is None and not plan.csv.header:
        width = len(plan.roots)
    rows, written, kept = _within(agreed, _bounded(book.rows(name))), 1, set(plan.csv.null_values)
    if (begin := next(rows, None)) is None:
        _refuse_outside(plan, agreed, name, book.rows(name))
    filled = rows if begin is None else _behind(begin, rows)
    points = None if plan.csv.header else _points(plan.roots)
    for number, row in _below_top(plan, agreed, name, filled, width):
        width = len(row) if width is None else width
        if points is None:
            points = _points(_properties(plan, row))
        elif points:
            row = _pointed(row, points)  # noqa: PLW2901 (the same row)
        own = [cell[1:] if cell[:1] == cells.FAULT and cell[1:] in kept else cell for cell in row]
        own += [""] * (width - len(own))
        line = csv_cells.joined(own, plan.csv)
        if line.startswith(MARK):  # which readers would drop at the start of the text; a cell that has quotes keeps it
            line = f'"{own[0]}"{line[len(own[0]) :]}'
        yield f"{ROW_END * (number - written)}{line}{ROW_END}"
        written = number + 1


def _properties(plan: Plan, names: Sequence[str]) -> list[Property | None]:
    """Return the properties of columns with some names."""
    by_name = {prop.name: prop for prop in plan.roots}
    return [by_name.get(name or "") for name in columns.properties(plan, tuple(names))]


def _points(props: Sequence[Property | None]) -> dict[int, str]:
    """Return the sign before fractions of columns whose texts have other marks than a point alone, by their place.

    A whole number with a fraction is none: it must not be read as one with groups.
    """
    forms = {n: prop.form for n, prop in enumerate(props) if prop and prop.form and prop.type in ("integer", "number")}
    signs = {n: "," if form.decimal == form.group == "." else form.decimal for n, form in forms.items()}
    return {n: sign for n, sign in signs.items() if sign != "."}


def _pointed(row: Sequence[str], points: Mapping[int, str]) -> list[str]:
    """Return a row in which numbers are written as the texts of their columns are."""
    return [
        text.replace(".", points[n]) if n in points and isinstance(text, cells.Number) else text
        for n, text in enumerate(row)
    ]


def chosen(agreed: Sheet, sheets: Sequence[SheetEntry]) -> str:
    """Return the name of the agreed sheet; raise Faulty if it is not there, or several could be meant."""
    names = [sheet.name for sheet in sheets]
    if agreed.name in names:
        return str(agreed.name)
    if agreed.name is None:
        shown = [sheet.name for sheet in sheets if not sheet.hidden] or names
        if len(shown) == 1:
            return shown[0]
        if not shown:
            fix = "Send a workbook that has the records in the cells of a sheet."
            raise Faulty(Problem("missing-sheet", "The workbook has no sheet with cells; a chart has none.", fix))
        what = f"The workbook has several sheets: {quoted(map(visible, shown))}."
        fix = "Send a workbook with one sheet, or ask for `sheet.sheetName` in the contract."
        raise Faulty(Problem("sheet-not-named", what, fix))
    close = nearest(agreed.name, names)
    there = f"the workbook has {quoted(map(visible, names))}" if names else "the workbook has no sheet with cells"
    hint = f"Rename the sheet `{visible(close)}`" if close else "Name the sheet"
    what = f"There is no sheet `{agreed.name}`; {there}."
    raise Faulty(Problem("missing-sheet", what, f"{hint} `{agreed.name}`, and send the workbook again."))


def _refuse_outside(plan: Plan, agreed: Sheet, name: str, rows: Iterator[Row]) -> None:
    """Raise Faulty for a sheet with content, none of it in its range; rows above a range without names may have any."""
    least = 1 if plan.csv.header else agreed.first_row
    places, numbers = set[int](), list[int]()
    for number, row in islice(rows, LOOKED_AT):
        if number >= least and any(row):
            numbers.append(number)
            places.update(at for at, cell in enumerate(row) if cell)
    if not numbers:
        return
    extent = f"{column_letters(min(places))}{numbers[0]}:{column_letters(max(places))}{numbers[-1]}"
    below = " and below" if next(rows, None) else ""
    what = f"The agreed range {agreed.range} of the sheet `{visible(name)}` is empty"
    what += f"; the sheet has content in {extent}{below}."
    fix = "Write the records into the agreed range, or ask for another `sheet.range` in the contract."
    raise Faulty(Problem("range-outside-sheet", what, fix))


def _within(agreed: Sheet, rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the parts of rows that are within the agreed range, if they have content."""
    begin, end = agreed.first_column, None if agreed.last_column is None else agreed.last_column + 1
    for number, row in rows:
        if agreed.last_row is not None and number > agreed.last_row:
            return
        part = row[begin:end] if begin or end is not None else row
        if number >= agreed.first_row and any(part):
            yield number, part


def _bounded(rows: Iterator[Row]) -> Iterator[Row]:
    count = 0
    for number, row in rows:
        count += len(row)
        if count > MOST_CELLS:
            raise too_large(f"its sheet has more than {MOST_CELLS:,} cells")
        yield number, row


def _below_top(plan: Plan, agreed: Sheet, name: str, rows: Iterator[Row], width: int | None) -> Iterator[Row]:
    """Yield the column names as one row, if there are any, and the rows of records."""
    first = agreed.first_row + agreed.skip_rows
    if agreed.skip_until is not None:
        pattern = csv_top.python(agreed.skip_until)
        hit = next(((n, row) for n, row in rows if pattern.search(csv_cells.joined(row, plan.csv))), None)
        if hit is None:
            what = f"No row of the sheet `{visible(name)}` matches `{agreed.skip_until}`"
            what += ", where the column names should begin."
            raise Faulty(Problem("no-header-row", what, "Send the sheet with the agreed rows above its records."))
        first, rows = hit[0], _behind(hit, rows)
    if not plan.csv.header:
        yield from _above_footer(agreed, name, (row for row in rows if row[0] >= first))
        return
    last = first + max((*agreed.header_rows, *agreed.comment_rows)) - 1
    named: dict[int, list[str]] = {}
    below: Row | None = None
    for number, row in rows:
        if number > last:
            below = (number, row)
            break
        if number - first + 1 in agreed.header_rows:
            named[number] = row
    if not any(named.values()):
        where = f"row {first:,}" if first == last else f"rows {first:,} to {last:,}"
        what = f"There are no column names in {where} of the sheet `{visible(name)}`"
        there = f"; the next row with content there is row {below[0]:,}" if below else ""
        fix = "Write the column names there, one in each cell; or ask for another `sheet.range` in the contract."
        raise Faulty(Problem("blank-header", f"{what}{there}.", fix))
    yield _names(agreed, name, first, named, width)
    yield from _above_footer(agreed, name, rows if below is None else _behind(below, rows))


def _behind(row: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield row
    yield from rows


def _names(agreed: Sheet, name: str, first: int, named: dict[int, list[str]], width: int | None) -> Row:
    """Return the column names: the texts of the header's rows, joined by blanks."""
    last = first + max(agreed.header_rows) - 1
    longest = max(len(row) for row in named.values())
    every = [[row[at] for row in named.values() if at < len(row) and row[at]] for at in range(longest)]
    if any(part[:1] == cells.FAULT for column in every for part in column):
        what = f"A column name in row {last:,} of the sheet `{visible(name)}` is an error of a formula."
        raise Faulty(Problem("header-error", what, "Write the column names as texts."))
    names = [" ".join(column) for column in every]
    return last, names if width is None else names[:width]


def _above_footer(agreed: Sheet, name: str, rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the rows above the footer; raise Faulty if it is missing, or has more rows than agreed."""
    if agreed.footer is None:
        yield from rows
        return
    beside = ""
    for number, row in rows:
        if not row[0].startswith(agreed.footer.begins):
            place = next((n for n, cell in enumerate(row) if cell.startswith(agreed.footer.begins)), None)
            beside = beside if place is None else agreed.cell(number, place)
            yield number, row
            continue
        more = sum(1 for _ in rows)
        if more >= agreed.footer.lines:
            what = f"Row {number:,} of the sheet `{visible(name)}` begins with `{agreed.footer.begins}`, as its footer"
            what += f" does, and {more:,} more rows follow; {agreed.footer.lines:,} are agreed for all of it."
            raise Faulty(Problem(FOOTER_EARLY, what, "Write the footer once, below all records."))
        return
    what = f"The sheet `{visible(name)}` has no footer: no row begins with `{agreed.footer.begins}`"
    fix = "Send the sheet whole, with its last rows."
    if beside:
        what, first = f"{what}, which is in {beside}", column_letters(agreed.first_column)
        fix = f"Move the table so that it begins in column {first}, or ask for another `sheet.range` in the contract."
    raise Faulty(Problem(FOOTER_MISSING, f"{what}.", fix))


def transcribe(plan: Plan, source: IO[bytes], target: IO[bytes], most: int | None = None) -> Problem | None:
    """Write the lines of a workbook's sheet, about `most` bytes of them at most; return the problem of the workbook."""
    written = 0
    try:
        for line in text(plan, source):
            written += target.write(line.encode("utf-8", "replace"))
            if most is not None and written > most:
                return None
    except Faulty as fault:
        return fault.problem
    except (struct.error, IndexError):
        return broken("its records are not as long as they must be").problem
    return None
