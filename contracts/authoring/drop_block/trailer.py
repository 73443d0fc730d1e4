"""Trailers and footers in a `drop` block: the block in; findings about those that no file can have, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import file_sets
from contracts.plan import Check, Columns, Csv, Property
from contracts.problem import visible
from contracts.terms.trailer import Ending, is_first_cell

MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""A byte order mark, decoded as UTF-8 and as ISO-8859-1; readers drop it at the start of a file."""


def read(document: Document, at: Path, csv: Csv) -> None:
    """Report a trailer or footer that looks like records or that no file can have, and two figures in one cell."""
    if csv.trailer and csv.footer:
        message = "A file ends with a trailer or with a footer, not with both."
        document.error((*at, "footer"), "bad-value", message, "Keep the one that files have.", on_key=True)
    if rule := csv.ending:
        _beginning(document, (*at, key_of(csv), "begins"), csv, rule)
    rule = csv.trailer
    if rule is None:
        return
    places = [*([rule.rows] if rule.rows else []), *rule.sums.values()]
    for place, times in Counter(places).items():
        if times > 1:
            message = f"Cell {place} of the trailer cannot say {times} things."
            document.error(
                (*at, "trailer"), "bad-value", message, "Write the place of each; `begins` is cell 1.", on_key=True
            )


def key_of(csv: Csv) -> str:
    """Return the key of the lines below the records."""
    return "trailer" if csv.trailer else "footer"


def _beginning(document: Document, at: Path, csv: Csv, rule: Ending) -> None:
    """Report a first cell that no line can have."""
    what = key_of(csv)
    if any(sign and sign in rule.begins for sign in (csv.delimiter, csv.quote, csv.escape)):
        message = (
            f"`{_shown(rule)}` holds the delimiter, the quote or the escape, so that it cannot be a cell of a line."
        )
        document.error(at, "bad-value", message, "Write only the first cell, without quotes.")
    if csv.comment_char and rule.begins.startswith(csv.comment_char):
        message = f"`{_shown(rule)}` begins like a comment, which is not read."
        document.error(at, "bad-value", message, "Write another `commentChar`, or leave it out.")
    try:
        rule.begins.encode(csv.encoding)
    except UnicodeEncodeError as error:
        sign, agreed = visible(rule.begins[error.start]), csv.encoding.upper()
        message = f"`{_shown(rule)}` holds `{sign}`, which cannot be written in {agreed}: no file has such a {what}."
        fix = f"Write what {agreed} has, or let `encoding` be another."
        document.error(at, "bad-value", message, fix)
    else:
        if rule.begins.startswith(MARKS):
            message = "`begins` starts with a byte order mark, which a cell cannot contain."
            fix = f"Write the first cell of the {what} without it, as `begins: T`."
            document.error(at, "bad-value", message, fix)


def _shown(rule: Ending) -> str:
    return visible(rule.begins, 40)


def sums(document: Document, at: Path, csv: Csv, columns: Columns, props: Sequence[Property]) -> None:
    """Report sums of properties that have none, and a first cell that the header may also begin with."""
    rule, what = csv.ending, key_of(csv)
    if rule is None:
        return
    by_name = {prop.name: prop for prop in props}
    is_placed = columns.order == "exact" or columns.match == "byPosition"
    named = [prop for prop in props if not csv.lacking.intersection(prop.headings)]
    first = named[:1] if is_placed and columns.extra == columns.missing == "reject" else named
    headings = [text for prop in first for text in prop.headings]
    for name in csv.trailer.sums if csv.trailer else ():
        file_sets.has_sum(document, (*at, what, "sums", name), name, by_name)
    if csv.header and (same := next((text for text in headings if is_first_cell(rule, text)), None)):
        message = f"`{same}` is a column, so that the header may also begin with it."
        fix = f"Let the {what} begin with what no column is called"
        fix += "." if len(first) == 1 else ", or write `columns: {order: exact}` if it is never the first column."
        document.error((*at, what, "begins"), "bad-value", message, fix)


def first_cells(document: Document, at: Path, csv: Csv, props: Sequence[Property], checks: Sequence[Check]) -> None:
    """Warn if an allowed value of the first property is the first cell of a trailer or footer."""
    rule, first = csv.ending, next(iter(props), None)
    if rule is None or first is None:
        return
    enums = [c.rule for c in checks if isinstance(c.rule, rules.Enum) and c.property == first.name]
    values = (value for enum in enums for value in enum.values)
    if (same := next((value for value in values if is_first_cell(rule, str(value))), None)) is not None:
        message = (
            f"`{visible(str(same), 40)}` is an allowed value of `{first.name}`: a file with such a record is rejected."
        )
        fix = f"Let the {key_of(csv)} begin with what `{first.name}` never is, or take the value out of its `enum`."
        document.warning((*at, key_of(csv), "begins"), "begins-as-records", message, fix)
