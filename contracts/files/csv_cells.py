"""The one rule of CSV's quotes: the text of a record in, its cells out (None if its quotes break the rule).

RFC 4180, section 2, with the dialect's signs, and no more lenient: a cell that begins with a quote ends at
its closing quote, which only blanks and control characters may follow; any other cell holds no quote.
A quote within a quoted cell is escaped (by default: written twice). Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from contracts.plan import Csv


def split(record: str, csv: Csv) -> tuple[str, ...] | None:
    """Return the cells of a record, or None if a quote is open or in a place where the rule allows none."""
    if not csv.quote:
        return tuple(record.split(csv.delimiter))
    shape, cells, at = _cell(csv.delimiter, csv.quote, csv.escape), [], 0
    while at <= len(record):
        match = shape.match(record, at)
        if match is None:
            return None
        if match["quoted"] is None:
            cells.append(match["plain"])
        else:
            escaped = rf"{re.escape(csv.escape)}([{re.escape(csv.quote + csv.escape)}])"
            cells.append(re.sub(escaped, r"\1", match["quoted"]))
        at = match.end() + 1
    return tuple(cells)


def dropped(csv: Csv) -> str:
    """Return a pattern, for Java and Python, of the blanks and control characters allowed after a closing quote."""
    return _dropped(csv.delimiter)


def _dropped(delimiter: str) -> str:
    return "[" + "".join(rf"\x{n:02x}" for n in range(0x21) if chr(n) != delimiter) + "]*"


@lru_cache
def _cell(*signs: str) -> re.Pattern[str]:
    """Return the pattern of a cell that is wholly `quoted`, or `plain`."""
    delimiter, quote, escape = map(re.escape, signs)
    escaped = f"{escape}[{quote}{escape}]"
    if escape == quote:
        inner, plain = f"{escaped}|[^{quote}]", f"[^{delimiter}{quote}]"
    else:
        inner, plain = f"{escaped}|(?!{escaped})[^{quote}]", f"{escaped}|(?!{escaped})[^{delimiter}{quote}]"
    quoted = f"{quote}(?P<quoted>(?:{inner})*+){quote}{_dropped(signs[0])}"
    return re.compile(rf"(?:{quoted}|(?P<plain>(?:{plain})*+))(?={delimiter}|\Z)")
