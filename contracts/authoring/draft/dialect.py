"""The dialect of a CSV file: its first lines in; delimiter, quotes and presence of a header out."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from contracts.authoring.draft import headings
from contracts.authoring.draft.cells import cells, over_lines
from contracts.authoring.draft.columns.column import WORDS
from contracts.authoring.draft.columns.kinds import Kinds
from contracts.authoring.draft.headings import Headings
from contracts.files import csv_cells
from contracts.files.columns import ended, whole
from contracts.plan import Csv
from contracts.terms.value_form import BLANKS

DELIMITERS = (",", ";", "\t", "|", "\x01", "\x1f")
RARE = (":", "^", "~", "\\")
"""Delimiters that are tried only if none of the others occurs."""
DELIMITER_LIKE = re.compile(r"[;\t|]")
"""Characters that are rare within cells: if a cell often has one, it is probably the delimiter."""
QUOTED_LIKE = re.compile(r"[;\t|\"]")
"""The same where cells are not quoted: if a cell often has quotes, they probably enclose it."""
LONG = re.compile(r"[^\w \r\n\"'.+$%()-]{2,8}", re.ASCII)
"""Characters between two names that may be a delimiter together, but signs that stand beside numbers; alike ones of
spreadsheets are empty cells."""
LEAST_ALIKE = 0.95
"""Share of like records under a delimiter of several characters: by one of these characters they are alike as well."""
LINES = 300


def guessed(head: str, encoding: str, *, titled: bool = False) -> Csv:
    """Return the dialect under which most of the first lines have the same number of cells, and many of them.

    The first line must be like the others unless it may be a title.
    """
    quotes = [('"', '"')]
    quotes += [('"', "\\")] if '\\"' in head else []
    quotes += [("'", "'")] if re.search(r"(^|[,;\t|])'[^'\n]*'([,;\t|]|$)", head, re.MULTILINE) else []
    quotes += [("", '"')] if '"' in head else []
    present = [delimiter for delimiter in DELIMITERS if delimiter in head]
    if long := _long(head, encoding, quotes):
        return long
    candidates = []
    for delimiter in present or [*(delimiter for delimiter in RARE if delimiter in head), ","]:
        for quote, escape in quotes:
            candidates.append(Csv(delimiter, encoding, quote, escape))
            if quote:
                candidates.append(Csv(delimiter, encoding, quote, escape, multi_line=True))
    return _dumped(
        head,
        max(candidates, key=lambda candidate: (*_score(head, candidate, titled), -candidates.index(candidate))),
    )


def _dumped(head: str, best: Csv) -> Csv:
    """Return the dialect as dumps of databases have it, if a cell is their null word and no line speaks against it."""
    sign = re.escape(best.delimiter)
    other = replace(best, quote="", escape='"', multi_line=False, unquoted_escape="\\")
    is_dump = re.search(rf"(?:^|{sign})\\N(?:{sign}|$)", head, re.MULTILINE) and best.delimiter != "\\"
    return other if is_dump and _score(head, other)[0] >= _score(head, best)[0] else best


def _long(head: str, encoding: str, quotes: Sequence[tuple[str, str]]) -> Csv | None:
    """Return the dialect with a delimiter of several characters, if the first line and nearly all others have it."""
    first = next((line for line in head.split("\n") if line), "")
    signs = Counter(sign for sign in LONG.findall(first) if sign.isascii() and {*sign} not in ({","}, {";"}, {"\t"}))
    for delimiter, _ in signs.most_common(1):
        candidates = [Csv(delimiter, encoding, *pair) for pair in quotes if not {*delimiter} & {*pair}]
        best = max(candidates, key=lambda candidate: _score(head, candidate)[0], default=None)
        if best and _score(head, best)[0] >= LEAST_ALIKE and len(cells(first, best) or ()) > 1:
            return best
    return None


def others(first: Csv) -> Iterator[Csv]:
    """Yield other dialects to try if some lines of a file are not records."""
    for quote, escape, multi_line in (('"', '"', True), ('"', "\\", False), ("", '"', False), ('"', '"', False)):
        if multi_line and not csv_cells.is_usual(first):
            continue
        other = replace(
            first,
            quote=quote,
            escape=escape,
            multi_line=multi_line,
            null_values=("",),
            header=True,
            unquoted_escape="",
        )
        if other != first:
            yield other


def first_records(head: str, dialect: Csv) -> list[list[str]]:
    """Return the first records with the usual number of cells, with a header; none if the first record has another."""
    every = _records(head, dialect)
    if every and every[0]:
        every[0] = [*whole(ended(tuple(every[0]), dialect), dialect)]
        every = _ended(every, dialect, len(every[0]))
    records = [record for record in every if record]
    width = usual_width(records)
    return [record for record in records if len(record) == width] if every and _fits(every[0], width) else []


def widths(head: str, dialect: Csv) -> tuple[int, int]:
    """Return the number of cells of the first record, 0 if it cannot be read, and that of most others."""
    first, *others = _records(head, dialect) or [None]
    return len(first or ()), usual_width([record for record in others if record])


def has_trailing_delimiters(head: str, dialect: Csv) -> bool:
    """Return True if the first line or many others end with a delimiter too many, and no cell is behind it."""
    first, *others = _records(head, dialect) or [None]
    rest = [record for record in others if record]
    if not first or not rest or len(dialect.delimiter) > 1:
        return False
    as_agreed = replace(dialect, trailing_delimiter=True)
    own = ended(tuple(first), as_agreed)
    if not own[-1].strip():  # columns without a name, one of which may have values
        return False
    fitting = [record for record in _ended(rest, as_agreed, len(own)) if record and len(record) == len(own)]
    longer = sum(len(record) == len(own) + 1 and not record[-1] for record in rest)
    return 10 * len(fitting) >= 9 * len(rest) and (len(own) < len(first) or 10 * longer >= len(rest))


def _ended(records: Sequence[list[str] | None], dialect: Csv, width: int) -> list[list[str] | None]:
    return [record and [*ended(tuple(record), dialect, width)] for record in records]


def lacking(head: str, dialect: Csv) -> Csv:
    """Return the dialect with names for columns that the header lacks, if it lacks any and they have one place.

    R writes row names, no two of which are alike, in front of the columns, and no name above them. Cells without a
    text, and several more than the header has names, are at the end.
    """
    first, *others = _records(head, dialect) or [None]
    rest = [record for record in others if record]
    own, width = first or [], usual_width(rest)
    alike = [record for record in rest if len(record) == width]
    is_short = len(own) < width and _is_other(own, width, len(alike), len(others))
    if not is_short or dialect.trailing_delimiter:
        return dialect
    more = width - len(own)
    blank = not any(cell.strip() for record in alike for cell in record[-more:])
    if more > 1 or blank:
        return replace(dialect, lacks_last=tuple(_free(f"column_{n}", own) for n in range(len(own) + 1, width + 1)))
    is_name = len({record[0] for record in alike}) == len(alike) > 1 and all(record[0].strip() for record in alike)
    return replace(dialect, lacks_first=(_free("row_name", own),)) if is_name else dialect


def _is_other(header: Sequence[str], width: int, alike: int, of: int) -> bool:
    """Return True if a first record has several names, and another number of them than nearly all others have cells."""
    return len(header) not in (0, 1, width) and all(name.strip() for name in header) and 10 * alike >= 9 * of


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Return True if the first record is a header: words, no values, none repeated in its column.

    If columns have no name, or several have one, a named column must have values below its name.
    """
    first, rest = records[0], records[1:]
    if not are_names(first):
        return False
    named = {n: name for n, name in enumerate(first) if name.strip()}
    if len({*named.values()}) < len(first) and not any(is_value(record[n]) for record in rest for n in named):
        return False
    return not any(name in {record[n] for record in rest} for n, name in named.items())


def are_names(cells: Sequence[str]) -> bool:
    """Return True if cells are words and none is a value; `na` or `none` may be a name beside other words."""
    words = [cell for cell in cells if cell not in WORDS]
    is_null = any(cell in WORDS and not cell.isalpha() for cell in cells)
    return any(word.strip() for word in words) and not is_null and not any(map(is_value, words))


def padded(records: Sequence[Sequence[str]], header: Headings | None) -> frozenset[str]:
    """Return the columns whose cells are all values without the blanks around them, and not as they are."""
    columns = [[cell for cell in column if cell.strip()] for column in zip(*records, strict=True)]
    names = header.names if header else headings.numbered(len(columns)).names
    pairs = {name: (cells, [cell.strip(BLANKS) for cell in cells]) for name, cells in zip(names, columns, strict=False)}
    return frozenset(
        name
        for name, (cells, bare) in pairs.items()
        if cells != bare and all(text in WORDS or is_value(text) for text in bare) and not all(map(is_value, cells))
    )


def is_value(text: str) -> bool:
    """Return True if a text is a number, a boolean, a date or time, or has another notation."""
    kinds = Kinds()
    kinds.fold([text])
    typed = kinds.numbers or kinds.booleans or kinds.notations or kinds.of_files or kinds.formats
    return bool(typed) or next(kinds.written.forms(), None) is not None


def _score(head: str, dialect: Csv, titled: bool = False) -> tuple[float, float, int, bool]:
    """Return a score: share of like records, share of cells without another delimiter (negative), width, quotes."""
    records = _records(head, dialect)
    good = [record for record in records if record]
    if not good:
        return 0.0, 0.0, 0, False
    width = usual_width(good)
    count = sum(len(record) == width for record in good)
    alike = count / len(records)
    sign = DELIMITER_LIKE if dialect.quote else QUOTED_LIKE
    mixed = [sum(sign.search(record[n]) is not None for record in good if len(record) == width) for n in range(width)]
    share = sum(count * 2 > len(good) for count in mixed) / width
    alike = alike if width > 1 else alike / 2
    if not _fits(records[0], width) and not titled:
        alike *= 3 / 4 if _is_other(records[0] or (), width, count, len(records) - 1) else 1 / 4
    return alike, -share, width, bool(dialect.quote)


def _fits(record: list[str] | None, width: int) -> bool:
    return record is not None and len(record) == width


def usual_width(records: Sequence[Sequence[str]]) -> int:
    """Return the number of cells that most records have."""
    return Counter(len(record) for record in records).most_common(1)[0][0] if records else 0


def _records(head: str, dialect: Csv) -> list[list[str] | None]:
    if not dialect.multi_line:
        return [cells(line, dialect) for line in head.split("\n")[:LINES] if line]
    records: list[list[str] | None] = []
    try:
        for record in over_lines([f"{line}\n" for line in head.split("\n")[:LINES]], dialect):
            records.append(record)  # noqa: PERF402 (what was read before a fault counts)
    except csv.Error:
        records.append(None)
    return records
