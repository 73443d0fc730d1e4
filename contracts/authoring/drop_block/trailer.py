"""Trailers in a `drop` block: the block in, findings about a trailer that cannot be recognised or compared out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import file_sets
from contracts.plan import Check, Csv, Property
from contracts.problem import visible
from contracts.terms.trailer import Trailer

MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""A byte order mark, decoded as UTF-8 and as ISO-8859-1; readers drop it at the start of a file."""


def read(document: Document, at: Path, csv: Csv) -> None:
    """Report a trailer that looks like other records or that no file can have, and two figures in one cell."""
    rule = csv.trailer
    if rule is None:
        return
    if any(sign and sign in rule.begins for sign in (csv.delimiter, csv.quote, csv.escape)):
        message = (
            f"`{_shown(rule)}` holds the delimiter, the quote or the escape, so that it cannot be a cell of a line."
        )
        document.error((*at, "begins"), "bad-value", message, "Write only the first cell, without quotes.")
    try:
        rule.begins.encode(csv.encoding)
    except UnicodeEncodeError as error:
        sign, agreed = visible(rule.begins[error.start]), csv.encoding.upper()
        message = f"`{_shown(rule)}` holds `{sign}`, which cannot be written in {agreed}: no file has such a trailer."
        fix = f"Write what {agreed} has, or let `encoding` be another."
        document.error((*at, "begins"), "bad-value", message, fix)
    else:
        if rule.begins.startswith(MARKS):
            message = "`begins` starts with a byte order mark, which a cell cannot contain."
            fix = "Write the first cell of the trailer without it, as `begins: T`."
            document.error((*at, "begins"), "bad-value", message, fix)
    places = [*([rule.rows] if rule.rows else []), *rule.sums.values()]
    for place, times in Counter(places).items():
        if times > 1:
            message = f"Cell {place} of the trailer cannot say {times} things."
            document.error(at, "bad-value", message, "Write the place of each; `begins` is cell 1.", on_key=True)


def _shown(rule: Trailer) -> str:
    return visible(rule.begins, 40)


def sums(document: Document, at: Path, csv: Csv, props: Sequence[Property]) -> None:
    """Report sums of properties that have none, and a first cell that the header may also begin with."""
    rule = csv.trailer
    if rule is None:
        return
    by_name = {prop.name: prop for prop in props}
    for name in rule.sums:
        file_sets.has_sum(document, (*at, "sums", name), name, by_name)
    if csv.header and any(rule.begins in prop.headings for prop in props):
        message = f"`{_shown(rule)}` is a column, so that the header may also begin with it."
        document.error((*at, "begins"), "bad-value", message, "Let the trailer begin with what no column is called.")


def first_cells(document: Document, at: Path, csv: Csv, props: Sequence[Property], checks: Sequence[Check]) -> None:
    """Warn if an allowed value of the first property is the trailer's first cell."""
    rule, first = csv.trailer, next(iter(props), None)
    if rule is None or first is None:
        return
    enums = [c.rule for c in checks if isinstance(c.rule, rules.Enum) and c.property == first.name]
    if any(rule.begins in enum.values for enum in enums):
        message = f"`{_shown(rule)}` is an allowed value of `{first.name}`: a file with such a record is rejected."
        fix = f"Let the trailer begin with what `{first.name}` never is, or take the value out of its `enum`."
        document.warning((*at, "begins"), "begins-as-records", message, fix)
