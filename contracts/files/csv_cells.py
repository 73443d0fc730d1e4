"""The one rule of CSV's quotes: the text of a record in, its cells out (None if its quotes break the rule).

RFC 4180, section 2, with the dialect's signs, and no more lenient: a cell that begins with a quote ends at
its closing quote, which only blanks and control characters may follow; any other cell holds no quote.
A quote within a quoted cell is escaped (by default: written twice). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from contracts.plan import Csv

LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
"""The characters for letters behind a backslash in cells without quotes, in dumps of databases."""
NULL = "\\N"
"""The null word of dumps, which stays as it is."""


def split(record: str, csv: Csv) -> tuple[str, ...] | None:
    """Return the cells of a record, or None if a quote is open or in a place where the rule allows none.

    A delimiter of several characters is the first one from the left: `a|||b` with `||` is `a` and `|b`.
    """
    if not csv.quote and not csv.unquoted_escape:
        return tuple(record.split(csv.delimiter))
    shape, cells, at = _compiled(*signs(csv)), [], 0
    while at <= len(record):
        match = shape.match(record, at)
        if match is None:
            return None
        if match[1] is None:
            cells.append(_meant(match[2], csv.unquoted_escape))
        else:
            escaped = rf"{re.escape(csv.escape)}([{re.escape(csv.quote + csv.escape)}])"
            cells.append(re.sub(escaped, r"\1", match[1]))
        at = match.end() + len(csv.delimiter)
    return tuple(cells)


def first_line(text: str, csv: Csv) -> str | None:
    """Return a text up to its first line end; where quoted cells may hold line ends, up to the first outside quotes.

    None if a quote is still open where the text ends.
    """
    followed = csv.quote if csv.multi_line else ""
    ends = re.escape(csv.record_delimiter) or r"\r\n|\r|\n"
    for end in re.finditer(rf"{ends}|\Z", text):
        line = text[: end.start()]
        bare = line if csv.escape == csv.quote else re.sub(rf"{re.escape(csv.escape)}[\s\S]", "", line)
        if not followed or bare.count(followed) % 2 == 0:
            return line
    return None


def _meant(plain: str, escape: str) -> str:
    """Return the text of a cell without quotes: what the escape stands before stands for another character."""
    if not escape or plain == NULL:
        return plain
    letters = LETTERS if escape == "\\" else {}
    return re.sub(rf"{re.escape(escape)}([\s\S])", lambda match: letters.get(match[1], match[1]), plain)


def is_usual(csv: Csv) -> bool:
    """Return True if the parsers of Spark and Arrow read the dialect by this rule: one plain sign, no line ends."""
    one_sign = len(csv.delimiter) == 1 and csv.delimiter != "\\"
    return one_sign and not csv.record_delimiter and not csv.unquoted_escape


def is_flat(line: str, csv: Csv) -> bool:
    """Return True if a line has neither quotes nor escapes: it is its cells with delimiters between them."""
    return not any(sign and sign in line for sign in (csv.quote, csv.unquoted_escape))


def signs(csv: Csv) -> tuple[str, str, str, str]:
    """Return the signs by which the cells of a dialect are found."""
    return csv.delimiter, csv.quote, csv.escape, csv.unquoted_escape


def run_on(csv: Csv) -> str:
    """Return a pattern, for Java and Python, of an end that makes a delimiter with the beginning of the next one.

    It is empty if there is none: `a|` before `||` is `a` before `||` and `|`.
    """
    sign = csv.delimiter
    ends = [sign[:n] for n in range(1, len(sign)) if (sign[:n] + sign).startswith(sign)]
    return rf"(?:{'|'.join(map(re.escape, ends))})(?![\s\S])" if ends else ""


def joined(cells: Iterable[str], csv: Csv) -> str:
    """Return cells as a record, with quotes around those that need them.

    These are all with a character of the delimiter: a cell that ends with one could make another delimiter.
    """
    return csv.delimiter.join(_written(cell, csv) for cell in cells)


def _written(cell: str, csv: Csv) -> str:
    if not csv.quote:
        escape = csv.unquoted_escape
        if not escape or cell == NULL:
            return cell
        text = re.sub(f"[{re.escape(escape + csv.delimiter)}]", lambda sign: escape + sign[0], cell)
        return text.replace("\n", "\\n").replace("\r", "\\r") if escape == "\\" else text
    is_like_comment = csv.comment_char != "" and cell.startswith(csv.comment_char)
    signs = {*csv.delimiter, csv.quote, csv.escape, csv.unquoted_escape, "\r", "\n"}
    if not (is_like_comment or {*cell} & signs):
        return cell
    inner = re.sub(f"[{re.escape(csv.quote + csv.escape)}]", lambda sign: csv.escape + sign[0], cell)
    return f"{csv.quote}{inner}{csv.quote}"


def dropped(csv: Csv) -> str:
    """Return a pattern, for Java and Python, of the blanks and control characters allowed after a closing quote."""
    return _dropped(csv.delimiter)


def _dropped(delimiter: str) -> str:
    return "[" + "".join(rf"\x{n:02x}" for n in range(0x21) if chr(n) != delimiter) + "]*"


def other_sign(delimiter: str, signs: str) -> str:
    """Return a pattern, for Java and Python, of a character that begins no delimiter and is none of the signs."""
    sign = re.escape(delimiter)
    return f"[^{sign}{re.escape(signs)}]" if len(delimiter) == 1 else f"(?!{sign})[^{re.escape(signs)}]"


@lru_cache
def cell(delimiter: str, quote: str, escape: str, unquoted_escape: str) -> str:
    """Return a pattern, for Java and Python, of a cell that is wholly quoted (group 1), or plain (group 2)."""
    sign, escapes, end = re.escape(quote), re.escape(escape), rf"(?={re.escape(delimiter)}|(?![\s\S]))"
    escaped, text = f"{escapes}[{sign}{escapes}]", other_sign(delimiter, quote)
    if escape == quote:
        inner, plain = f"{escaped}|[^{sign}]", text
    else:
        inner, plain = f"{escaped}|(?!{escaped})[^{sign}]", f"{escaped}|(?!{escaped}){text}"
    plain = f"(?:{plain})*+"
    if unquoted_escape:
        own, letters = re.escape(unquoted_escape), "".join(LETTERS) if unquoted_escape == "\\" else ""
        signs = re.escape(unquoted_escape + quote + delimiter)
        plain = f"(?:{own}[{signs}{letters}]|{other_sign(delimiter, quote + unquoted_escape)})*+"
        if letters:  # an escaped escape before an N would be the null word without being null: no cell is these alone
            plain = rf"(?:\\N{end}|(?!\\\\N{end}){plain})"
    quoted = f"{sign}((?:{inner})*+){sign}{_dropped(delimiter)}" if quote else "((?!))"
    return f"(?:{quoted}|({plain})){end}"


@lru_cache
def _compiled(*signs: str) -> re.Pattern[str]:
    return re.compile(cell(*signs))
