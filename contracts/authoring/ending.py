"""Trailers in a `drop` block: the block in; findings about one that nobody could tell apart or compare out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contracts.authoring import grouping
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.plan import Csv, Property


def read(document: Document, at: Path, csv: Csv) -> None:
    """Refuse a trailer that could not be told from other records, or two of whose figures are one cell."""
    rule = csv.trailer
    if rule is None:
        return
    if any(sign and sign in rule.begins for sign in (csv.delimiter, csv.quote, csv.escape)):
        message = f"`{rule.begins}` holds the delimiter, the quote or the escape, so that it is no cell of a line."
        document.error((*at, "begins"), "bad-value", message, "Write the first cell alone, without quotes.")
    places = [*([rule.rows] if rule.rows else []), *rule.sums.values()]
    for place, times in Counter(places).items():
        if times > 1:
            message = f"Cell {place} of the trailer cannot say {times} things."
            document.error(at, "bad-value", message, "Write the place of each; `begins` is cell 1.", on_key=True)


def sums(document: Document, at: Path, csv: Csv, props: Sequence[Property]) -> None:
    """Refuse sums of what has none, and a text that the header begins with, too."""
    rule = csv.trailer
    if rule is None:
        return
    known = {prop.name: prop for prop in props}
    for name in rule.sums:
        grouping.added(document, (*at, "sums", name), name, known)
    if csv.header and rule.begins in known:
        message = f"`{rule.begins}` is a column, so that the header may begin with it, too."
        document.error((*at, "begins"), "bad-value", message, "Let the trailer begin with what no column is called.")
