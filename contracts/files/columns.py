"""The columns of a file against the contract's: the texts of a header in, the property of each column out. Pure.

This is the one place where a header is mapped: everything behind it has the contract's names.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from contracts.files import csv_cells, csv_top
from contracts.plan import Csv, Match, Plan

OURS = ("_record", "_reasons")
"""The last columns of a file of rejected rows; they are ignored in a corrected file."""


def sent(plan: Plan, header_line: str) -> tuple[str, ...]:
    """Return the texts of an admitted header, with those that it lacks by agreement."""
    return whole(written(plan, header_line), plan.csv)


def written(plan: Plan, header_line: str) -> tuple[str, ...]:
    """Return the texts of an admitted header line, a byte order mark and rows around it aside."""
    if plan.csv.has_top:
        return ended(csv_top.columns(plan.csv, csv_top.again(plan.csv, header_line)) or (), plan.csv)
    line = header_line.removeprefix("\ufeff")
    return ended(csv_cells.split(line, plan.csv) or (), plan.csv) if line else ()


def ended(cells: tuple[str, ...], csv: Csv, width: int | None = None) -> tuple[str, ...]:
    """Return cells without the empty one behind a trailing delimiter, if the contract allows it.

    A record of `width` columns has one cell too many then; a header itself says how many columns there are.
    """
    is_more = len(cells) == width + 1 if width is not None else len(cells) > 1
    return cells[:-1] if csv.trailing_delimiter and is_more and not cells[-1] else cells


def whole(cells: tuple[str, ...], csv: Csv) -> tuple[str, ...]:
    """Return the texts of a header with those that it lacks by agreement; the columns that dropgate adds stay last."""
    if not csv.lacking or not cells:
        return cells
    begin, end = csv.skip_columns, len(cells)
    while end > begin and cells[end - 1] in OURS:
        end -= 1
    return (*cells[:begin], *csv.lacks_first, *cells[begin:end], *csv.lacks_last, *cells[end:])


def alike(text: str, match: Match) -> str:
    """Return the form of a header's text in which it is compared with another one.

    Each way of `match` allows what the one before it allows. Caseless matching is that of Unicode, section 3.13, D145.
    A line break is one, whatever the line ends of a file are.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    if match in ("exact", "byPosition"):
        return text
    bare = unicodedata.normalize("NFC", text.strip())
    return bare if match == "trimmed" else unicodedata.normalize("NFC", unicodedata.normalize("NFD", bare).casefold())


def properties(plan: Plan, header: tuple[str, ...]) -> tuple[str | None, ...]:
    """Return the name of each column's property; None for a column that the contract has not, and for skipped cells."""
    if skipped := plan.csv.skip_columns:
        bare = replace(plan, csv=replace(plan.csv, skip_columns=0))
        return (*[None] * len(header[:skipped]), *properties(bare, header[skipped:]))
    if plan.columns.match == "byPosition":
        names = iter(plan.roots)
        return tuple(None if text in OURS or not (prop := next(names, None)) else prop.name for text in header)
    match = plan.columns.match
    by_text = {alike(text, match): p.name for p in reversed(plan.properties) for text in p.headings}
    return tuple(None if text in OURS else by_text.get(alike(text, match)) for text in header)


def of_file(plan: Plan, header_line: str) -> tuple[str, ...]:
    """Return a name for each cell of the records of an admitted file."""
    if plan.fixed:
        return plan.fixed.names
    if plan.csv.header:
        return names(plan, sent(plan, header_line))
    return (*(f"_skipped_{n}" for n in range(1, plan.csv.skip_columns + 1)), *(p.name for p in plan.roots))


def names(plan: Plan, header: tuple[str, ...]) -> tuple[str, ...]:
    """Return a name for each column: that of its property, else its own text, made unlike all others by its place."""
    taken, unlike = {p.name for p in plan.properties}, []
    for n, (text, own) in enumerate(zip(header, properties(plan, header), strict=True), 1):
        name = own or text
        while own is None and text not in OURS and (name in taken or not name.strip()):
            name = f"{name} (column {n})" if name.strip() else f"column {n}"
        taken.add(name)
        unlike.append(name)
    return tuple(unlike)


def positions(header: tuple[str, ...]) -> dict[str, int]:
    """Return the position of each column in a record, from 0, without the trailing columns that dropgate adds."""
    return {name: n for n, name in enumerate(header) if name not in OURS}
