"""The first bytes of a CSV file: a plan and the bytes in, the header and all that is wrong with it out. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from contracts.files import column_problems, columns, csv_cells, csv_top, encodings, header, record_ends
from contracts.files.columns import OURS, alike
from contracts.files.header import MOST_COLUMNS
from contracts.messages import LAST_EMPTY
from contracts.place import FIRST, HEADER
from contracts.plan import Plan
from contracts.problem import Problem, quoted, visible
from contracts.terms.trailer import is_first_cell
from functions.admission.heads import foreign_forms
from functions.admission.heads.problems import (
    Head,
    may_be_lost,
    other_text,
    seeming,
    undecodable,
    wrong_encoding,
    wrong_format,
)
from functions.admission.heads.text_forms import DELIMITERS

LONG, RARE = ("||", "~|~", "|~|", "\t|\t", ";;", "::", "^|^"), ("\\", "^", "~", "\x01", "\x1f")
"""Other delimiters that are looked for in a file without a header."""
SEPARATORS = ("\r\n", "\n", "\r", "\x1e")
"""Ends of records that are looked for; the last one also where each line end is one."""
MOST_SEARCHED = 100
"""Names of columns by which the delimiter of a header is looked for."""

ALLOWED_END = "csv.trailingDelimiter: true"
"""The setting of a contract that allows a delimiter at the end of each line."""
OPEN_QUOTE = Problem(
    "header-quotes",
    "A quote in the header is not closed in its line, or is in a name that is not wholly quoted.",
    "Write each column name plain, or wholly between two quotes.",
    place=HEADER,
)
NOT_AGREED = Problem(
    "header-not-agreed",
    "The first line holds the names of the columns; the contract requires a file without them.",
    "Begin the file with its first record.",
    place=FIRST,
)
COMMENTS = {"#", "%", "!"}
"""Signs that comments usually begin with."""
NO_NAMES = (0, 0)
"""The fit of a line that has none of the contract's names: no delimiter fits less."""
MOST_ABOVE = 30
"""Lines in which a header is looked for."""
LONGEST_NAME = 20
"""Lines that a column name with line breaks may have, to be recognised as one."""


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """Return the header in the first bytes of a file."""
    end = _end(plan, sample)
    if problem := _other_end(plan, sample):
        return Head((problem,))
    if end < 0 and len(sample) < size:
        # The first line goes on: no header, but a record like any other where none is agreed
        if plan.csv.header:
            text = f"The first line does not end within {header.LONGEST_HEADER:,} bytes, so it is not a header."
            endless = Problem("header-too-long", text, "Check that this is the CSV file, with one record on each line.")
            return Head((other_text(plan, _readable(plan, sample)) or endless,))
        problem = other_text(plan, _readable(plan, sample)) or bad_body(plan, sample, 0, whole=False)
        return Head((problem,) if problem else (), tuple(p.name for p in plan.properties), "")
    line = sample if end < 0 else sample[:end]
    return _header(plan, size, sample, line)


def _end(plan: Plan, sample: bytes) -> int:
    """Return the end of the first line; of the header where its names may have line breaks; -1 if it does not end."""
    first, csv = record_ends.of_bytes(plan.csv.record_delimiter).search(sample), plan.csv
    end = first.start() if first else -1
    if end < 0 or not (csv.header and csv.multi_line):
        return end
    encoding = encodings.read_as(csv.encoding)
    whole = csv_cells.first_line(sample.decode(encoding, "surrogateescape"), csv)
    return end if whole is None else len(whole.encode(encoding, "surrogateescape"))


def _other_end(plan: Plan, sample: bytes) -> Problem | None:
    """Return the problem of a file whose records end otherwise than agreed, if its first line is a better one then."""
    agreed = plan.csv.record_delimiter
    if not agreed and SEPARATORS[-1].encode() not in sample:
        return None
    text = sample[: 64 * foreign_forms.HEAD].decode(encodings.read_as(plan.csv.encoding), "replace")
    best, wrong = _likeness(plan, record_ends.first(text, plan.csv)), ""
    for other in (end for end in (SEPARATORS if agreed else SEPARATORS[-1:]) if end in text and end != agreed):
        likeness = _likeness(plan, text.partition(other)[0])
        if likeness > best:
            best, wrong = likeness, other
    if not wrong:
        return None
    seen, wanted = record_ends.in_words(wrong), record_ends.in_words(agreed)
    message = f"The records end with {seen}, but the contract requires {wanted}."
    return Problem("wrong-record-delimiter", message, f"Write the file with {wanted} at the end of each record.")


def _likeness(plan: Plan, line: str) -> int:
    """Return how many of the contract's names a first line has; without a header, whether it has as many cells."""
    names = split(plan, line)
    if isinstance(names, Problem):
        return 0
    whole = [name for name in names if name == name.strip("\r\n")]
    return matching_names(plan, whole) if plan.csv.header else int(len(names) == len(whole) == len(plan.roots))


def _header(plan: Plan, size: int, sample: bytes, line: bytes) -> Head:
    may_break = not plan.csv.header and may_be_lost(plan, "text")  # the line is a record as any other
    if not may_break and (problem := undecodable(plan, line, whole=True)):
        return Head((problem,))
    text = line.decode(encodings.read_as(plan.csv.encoding), "replace")
    if not plan.csv.header:
        return _without(plan, size, sample, text)
    names = split(plan, text)
    matching = 0 if isinstance(names, Problem) else matching_names(plan, names)
    as_utf8 = _as_utf8(plan, text)
    if as_utf8 is not None and matching_names(plan, as_utf8) > matching:
        return Head(
            (wrong_encoding(plan, f"The file is written in UTF-8; the contract requires {plan.csv.encoding.upper()}."),)
        )
    note = _separator_line(plan, text.removeprefix("\ufeff").strip())  # by its place it could be a header
    if problem := note if matching else _other(plan, sample, text):
        return Head((problem,), (), text)
    if isinstance(names, Problem):
        wrong, _ = otherwise(plan, text, ())
        return Head((separated(plan, wrong) if wrong else _broken_name(plan, sample) or names,), (), text)
    if len(names) > MOST_COLUMNS:
        return Head((too_wide(len(names)),), (), text)
    problems = [*name_problems(plan, names, text), *no_records(plan, size, sample, line)]
    if problem := bad_body(plan, sample, len(line), whole=len(sample) == size):
        problems.append(problem)
    return Head(tuple(problems), columns.names(plan, names), text)


def _other(plan: Plan, sample: bytes, line: str) -> Problem | None:
    """Return the problem if the first line names no column: another format, or something above the header."""
    bare = line.removeprefix("\ufeff").strip()
    if problem := _separator_line(plan, bare):
        return problem
    if problem := other(plan, sample):
        return problem
    if not plan.csv.header or not bare:
        return None
    # Below a title, a comment or empty lines the header is the first line with all of its names
    text = sample[: 64 * foreign_forms.HEAD].decode(encodings.read_as(plan.csv.encoding), "replace")
    for number, below in enumerate(record_ends.records(text, plan.csv)[1:MOST_ABOVE], 2):
        names = split(plan, record_ends.first(below, plan.csv))
        if not isinstance(names, Problem) and matching_names(plan, names) == most_names(plan):
            above = "the line" if number == 2 else f"the {number - 1} lines"
            signs = {line[:1] for line in record_ends.records(text.removeprefix("\ufeff"), plan.csv)[: number - 1]}
            is_comment = len(signs) == 1 and signs <= COMMENTS
            key = f'csv.commentChar: "{signs.pop()}"' if is_comment else f"csv.skipRows: {number - 1}"
            fix = f"Leave out {above} above the header, or ask for `{key}` in the contract."
            message = f"The first line is not the header; the column names are in line {number}."
            return Problem("missing-header", message, fix, place=HEADER)
    return None


def other(plan: Plan, sample: bytes) -> Problem | None:
    """Return the problem of a text in another format, as its beginning shows."""
    text = _readable(plan, sample)
    if problem := other_text(plan, text):
        return problem
    form = None if plan.sheet else seeming(plan, text, whole=len(text) < 4 * foreign_forms.HEAD)
    return wrong_format(plan, form) if form else None


def _separator_line(plan: Plan, line: str) -> Problem | None:
    """Return the problem of a first line that names the delimiter for spreadsheets."""
    if not csv_top.is_separator(line):
        return None
    stands, first = ("the column names", "header") if plan.csv.header else ("a record", "first record")
    text = f"The first line is `{visible(line)}`, a note for spreadsheets; {stands} must be there."
    fix = f"Leave that line out, and begin the file with the {first}"
    fix += ", or ask for `csv.separatorLine: true` in the contract." if csv_top.names_delimiter(plan.csv, line) else "."
    return Problem("separator-line", text, fix, place=HEADER if plan.csv.header else FIRST)


def _as_utf8(plan: Plan, line: str) -> tuple[str, ...] | None:
    """Return the names in a header that is UTF-8 although another encoding is agreed; None if it is not."""
    if encodings.read_as(plan.csv.encoding) == encodings.UTF_8 or line.isascii():
        return None
    try:
        names = split(plan, line.encode(plan.csv.encoding).decode())
    except UnicodeDecodeError:
        return None
    return names if isinstance(names, tuple) else None


def _readable(plan: Plan, sample: bytes) -> str:
    """Return the first bytes as text, with replacements for bytes that are not text."""
    return sample[: 4 * foreign_forms.HEAD].decode(encodings.read_as(plan.csv.encoding), "replace")


def _broken_name(plan: Plan, sample: bytes) -> Problem | None:
    """A header with a line break in a column name, where the lines behind the first one close its quote."""
    lines = record_ends.records(
        sample[: 64 * foreign_forms.HEAD].decode(encodings.read_as(plan.csv.encoding), "replace"), plan.csv
    )
    for most in range(2, min(len(lines), LONGEST_NAME) + 1):
        names = split(plan, "".join(lines[:most]).rstrip("\r\n"))
        name = next((n for n in names if "\n" in n or "\r" in n), None) if isinstance(names, tuple) else None
        if name is not None:
            text = f"The column name `{visible(name)}` in the header has a line break."
            fix = column_problems.asked(plan, "Write each column name in one line.", "csv.multiLine: true")
            return Problem("header-line-break", text, fix, place=HEADER)
    return None


def _without(plan: Plan, size: int, sample: bytes, first: str) -> Head:
    """Return the head of a file without a header: the contract's columns; the first line must have as many cells."""
    names = tuple(p.name for p in plan.properties)
    own = split(plan, first)
    own = columns.ended(own, plan.csv, len(names)) if isinstance(own, tuple) else own
    fits = isinstance(own, tuple) and len(own) == len(names)
    line = first.removeprefix("\ufeff").strip()
    if problem := _separator_line(plan, line) if fits else _other(plan, sample, first):
        return Head((problem,))
    problems = no_records(plan, size, sample, b"")
    if problem := bad_body(plan, sample, 0, whole=len(sample) == size):
        problems.append(problem)
    if matching_names(plan, own if isinstance(own, tuple) else ()) == len(names):
        problems.append(NOT_AGREED)
    elif isinstance(own, tuple) and len(own) != len(names) and first:
        is_trailer = plan.csv.ending is not None and is_first_cell(plan.csv.ending, *own[:1])
        if not may_be_lost(plan, "fields") and not is_trailer:
            problems.append(other_count(plan, first, own))
    return Head(tuple(problems), names, "")


def other_count(plan: Plan, first: str, own: tuple[str, ...]) -> Problem:
    """A first record with more or fewer cells than the contract has columns."""
    names = [p.name for p in plan.properties]
    for delimiter in _others(plan, (*LONG, *DELIMITERS, *RARE)):
        if not isinstance(cells := split(plan, first, delimiter), Problem) and 1 < len(cells) == len(names):
            return separated(plan, delimiter)
    cells_there = "1 cell" if len(own) == 1 else f"{len(own):,} cells"
    columns_agreed = "1 column" if len(names) == 1 else f"{len(names):,} columns"
    empty = len(own) == len(names) + 1 and not own[-1]
    text = f"The first line has {cells_there}{LAST_EMPTY if empty else ''}; the contract has {columns_agreed}."
    fix = f"Leave out the `{visible(plan.csv.delimiter)}` at the end of each row." if empty else ""
    fix = f"{column_problems.asked(plan, fix, ALLOWED_END)} " if fix and len(plan.csv.delimiter) == 1 else fix
    return Problem("column-count", text, f"{fix}Write these columns, in this order: {quoted(names, 40)}.", place=FIRST)


def separated(plan: Plan, delimiter: str) -> Problem:
    """A file whose cells are separated otherwise."""
    seen, agreed = (DELIMITERS.get(sign, f"`{visible(sign)}`") for sign in (delimiter, plan.csv.delimiter))
    text = f"The columns are separated by {seen}, but the contract requires {agreed}."
    return Problem("wrong-delimiter", text, f"Write the file with {agreed} between the cells.")


def split(plan: Plan, header_line: str, delimiter: str | None = None) -> tuple[str, ...] | Problem:
    """The column names in a header line, a byte order mark aside; a problem if its quotes do not close."""
    line = header_line.removeprefix("\ufeff")
    dialect = replace(plan.csv, delimiter=delimiter) if delimiter else plan.csv
    names = csv_cells.split(line, dialect) if line else ()
    if names is not None:
        return columns.whole(columns.ended(names, plan.csv), plan.csv) if plan.csv.header else names
    return OPEN_QUOTE


def name_problems(plan: Plan, names: tuple[str, ...], line: str) -> list[Problem]:
    """Return the problems of the column names in a header line."""
    if not line.removeprefix("\ufeff").strip():
        text = "The first line is blank; the column names must be there."
        agreed = quoted((p.headings[0] for p in plan.roots), most=40)
        fix = f"Leave out blank lines above the header, and begin the file with it: {agreed}."
        return [Problem("blank-header", text, fix, place=HEADER)]
    if "\0" in line:
        text = "The header holds NUL characters."
        return [Problem("header-nul", text, "Write the file again as plain text, without NUL.", place=HEADER)]
    wrong, cells = otherwise(plan, line, names)
    problems = [separated(plan, wrong)] if wrong else []
    return [*problems, *header.problems(plan, cells)]


def otherwise(plan: Plan, line: str, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter by which a header has more of the contract's names, and its names; empty if none is."""
    best, wrong, cells = max(_fit(plan, names), NO_NAMES), "", names
    least = len(columns.whole(("",), plan.csv))  # of a line without the delimiter
    # The text that most often stands between two of the contract's names, unless it is a word
    agreed = sorted((text for p in plan.roots[:MOST_SEARCHED] for text in p.headings), key=len, reverse=True)
    between = re.split(rf"(?<!\w)(?:{'|'.join(map(re.escape, agreed))})(?!\w)", line, flags=re.IGNORECASE)[1:-1]
    signs = Counter(sign for text in between if (sign := text.strip(plan.csv.quote)))
    often = [sign for sign, _ in signs.most_common(1) if re.fullmatch(r"[^\w \r\n]{1,8}", sign) and sign.isascii()]
    for delimiter in _others(plan, (*often, *DELIMITERS)):
        apart = split(plan, line, delimiter)
        if not isinstance(apart, Problem) and len(apart) > least and _fit(plan, apart) > best:
            best, wrong, cells = _fit(plan, apart), delimiter, apart
    return wrong, cells


def _others(plan: Plan, delimiters: Iterable[str]) -> list[str]:
    """Return the delimiters that a file of the contract could have instead of the agreed one."""
    signs = {plan.csv.quote, plan.csv.escape, plan.csv.unquoted_escape}
    nameless = plan.columns.extra == "ignore" or plan.sheet  # several in a row are then columns without a name
    own = [sign for sign in delimiters if not (nameless and not sign.strip(plan.csv.delimiter))]
    return [sign for sign in own if sign != plan.csv.delimiter and not signs & {*sign}]


def _fit(plan: Plan, names: Sequence[str]) -> tuple[int, int]:
    """Return how well names fit the contract: those that it has; of as many, fewer columns, unless places count."""
    return matching_names(plan, names), 0 if plan.columns.match == "byPosition" else -len(names)


def matching_names(plan: Plan, names: Sequence[str]) -> int:
    """Return the number of the contract's columns that a line seems to name, whatever the case of its letters.

    Columns that a header lacks by agreement do not count, and neither do cells that are no columns.
    """
    own = [name for name in names[plan.csv.skip_columns :] if name not in OURS and name not in plan.csv.lacking]
    if plan.columns.match == "byPosition":
        return min(len(own), most_names(plan)) if len(own) > 1 or most_names(plan) == 1 else 0
    there = {alike(name, "anyCase") for name in own}
    return sum(any(alike(text, "anyCase") in there for text in p.headings) for p in plan.properties)


def most_names(plan: Plan) -> int:
    """Return the number of the contract's columns that a header names."""
    return sum(not plan.csv.lacking.intersection(p.headings) for p in plan.roots)


def no_records(plan: Plan, size: int, sample: bytes, line: bytes) -> list[Problem]:
    """Return the problem of a file without records if the contract requires rows; blanks are a record here."""
    rest = record_ends.of_bytes(plan.csv.record_delimiter).sub(b"", sample[len(line) :])
    if plan.empty != "reject" or len(sample) < size or rest:
        return []
    text = f"The file holds {'a header and ' if plan.csv.header else ''}no records."
    return [Problem("no-records", text, "Send the file with its records.")]


def bad_body(plan: Plan, sample: bytes, begin: int, *, whole: bool) -> Problem | None:
    """The first bytes of the rows that are no text: without a tolerance the job would reject the file for them."""
    if may_be_lost(plan, "text"):
        return None
    return undecodable(plan, sample, begin, whole=whole)


def too_wide(count: int) -> Problem:
    """A file with more columns than any table has."""
    text = f"The file has {count:,} columns; files of more than {MOST_COLUMNS:,} are not taken."
    return Problem("too-many-columns", text, "Check the delimiter, and send only the contract's columns.")
