"""The records of a file: its bytes and a plan in, its records out, each with its cells or with why it is none.

Written from docs/reference/semantics.md, "Which checks there are", "Cells" and "File formats".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from contracts.plan import CONTAINERS, Csv, Plan, Property
from contracts.terms.trailer import LONGEST, Footer, Trailer, TrailerReading, Unread
from contracts.terms.value_form import ValueForm
from tests.oracle import documents, elements, fixed, headers, leaders, nested, sheets
from tests.oracle.forms import bare, plain
from tests.oracle.nested import Number, Pairs
from tests.oracle.values import value_of, value_of_cell
from tests.packing import unpacked

OURS = ("_record", "_reasons")
CONTROLS = "".join(map(chr, range(33)))
"""Blanks and control characters, which may stand behind a closing quote."""
LONGEST_NUMBER = 1_000
"""Characters of a number of JSON."""
BOM = "\ufeff"
BAD = "\udc80-\udcff"
"""What Python's `surrogateescape` makes of bytes that are no text."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it stands (None: null), and the value that it is of its type (None: none).

    `number` is the text of a number as a contract writes it, if files write it otherwise.
    """

    text: str | None
    value: Any
    number: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A record by its cells; one that is malformed fails `broken`, kinds of record checks, and has none.

    `inner` has the cells of nested properties, of which there may be several or none. `letters` is its encoding, where
    that is another than the agreed one.
    """

    cells: Mapping[str, Cell] = field(default_factory=dict)
    inner: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    unknown: bool = False
    letters: str = ""

    @property
    def scope(self) -> dict[str, Cell]:
        """The cells that an expression may name: one of each property."""
        return {**self.cells, **{name: self.cell(name) for name in self.inner}}

    def cell(self, name: str) -> Cell:
        """The one cell of a property; null where it would lie in something that is not there."""
        if name not in self.inner:
            return self.cells[name]
        return next(iter(self.inner[name]), Cell(None, None))


@dataclass(frozen=True, slots=True)
class Content:
    """The records of a file and how many empty lines stand among them; `refused` where it cannot be read as one.

    `marks` are those that watermarks must be above, by property; `keys` are the keys that stand in the references of
    checks, by their ids. `ending` is what was found of a trailer.
    """

    records: tuple[Record, ...] = ()
    blank: int = 0
    names: frozenset[str] = frozenset()
    refused: bool = False
    marks: Mapping[str, Fraction] = field(default_factory=dict)
    keys: Mapping[str, frozenset[tuple[Any, ...]]] = field(default_factory=dict)
    ending: TrailerReading | None = None


def content(plan: Plan, header: tuple[str, ...], data: bytes) -> Content:
    """The records of a text file; `header` are the columns of CSV without a first line that names them."""
    raw = unpacked(plan, data)
    if plan.sheet:
        return _below(plan, header, sheets.lines(plan, raw))
    if plan.file_format == "xml":
        every = elements.records(plan, raw)
        return Content(
            tuple(Record(broken=frozenset({"object"})) if one is None else _members(plan, dict(one)) for one in every),
            names=frozenset(p.name for p in plan.properties),
        )
    text = _text(plan, raw)
    if plan.json:
        records = tuple(_object(plan, element) for element in documents.elements(text, plan.json.keys))
        return Content(records, 0, frozenset(p.name for p in plan.properties))
    if plan.file_format == "jsonl":
        lines = [line for line in _lines("", text) if line]
        names = frozenset(p.name for p in plan.properties)
        return Content(tuple(_object(plan, line) for line in lines), len(_lines("", text)) - len(lines), names)
    if plan.fixed:
        return _slices(plan, _lines("", text))
    if plan.csv.multi_line:
        return _over_lines(plan, header, text)
    return _below(plan, header, _lines(plan.csv.record_delimiter, text))


def _text(plan: Plan, raw: bytes) -> str:
    """The text of a file without its mark; what is no text in its encoding stands as surrogates."""
    encoding = "utf-8" if plan.read_as == "jsonl" else plan.csv.encoding
    text = raw.decode(encoding, errors(encoding))
    if plan.csv.encoding == "gb18030":  # which has the sign for bytes that are no text
        text = text.replace("\ufffd", "\udcff")
    return text.removeprefix(BOM)


def errors(encoding: str) -> str:
    """Return Python's way to keep what is no text in an encoding: single bytes, in UTF-16 single surrogates."""
    return "surrogatepass" if encoding.startswith("utf-16") else "surrogateescape"


def typed(plan: Plan, rows: list[Mapping[str, Any]]) -> Content:
    """The records of a Parquet file, from the Python values that were written."""
    records = tuple(Record({p.name: _typed(row[p.name], p) for p in plan.properties if p.name in row}) for row in rows)
    return Content(records, 0, frozenset(p.name for p in plan.properties if not rows or p.name in rows[0]))


def _lines(end: str, text: str) -> list[str]:
    """Lines end at LF, CR or CRLF, or at what is agreed; the last one needs no end."""
    lines = text.split(end) if end else re.split("\r\n|\r|\n", text)
    return lines[:-1] if not lines[-1] else lines


def _broken_text(text: str) -> bool:
    return re.search(f"[\0{BAD}]", text) is not None


# ---- CSV


def _is_comment(csv: Csv, line: str) -> bool:
    return csv.comment_char != "" and line[:1] == csv.comment_char


def _header(plan: Plan, rows: Sequence[str]) -> tuple[str, ...]:
    """The columns that rows name together; those that are skipped have names that no property has."""
    csv = plan.csv
    cells = [split(csv, rows[n - 1])[0] if rows[n - 1] else [] for n in csv.header_rows]
    width, count = max(map(len, cells)), plan.csv.skip_columns
    texts = [" ".join(row[n] for row in cells if n < len(row) and row[n]) for n in range(width)]
    if plan.csv.trailing_delimiter and len(texts) > 1 and not texts[-1]:
        del texts[-1]
    ours = [text for text in texts if text in ("_record", "_reasons")]
    texts = [*texts[:count], *csv.lacks_first, *texts[count : len(texts) - len(ours)], *csv.lacks_last, *ours]
    return (*(f"?skipped{n}" for n in range(count)), *headers.names(plan, texts[count:]))


def _below(plan: Plan, header: tuple[str, ...], lines: Sequence[str]) -> Content:
    """The records below the header and all that is agreed to stand above it; empty lines above count as empty."""
    csv = plan.csv
    rows, above = _rows_above(csv, lines)
    if csv.header:
        header = _header(plan, rows[csv.leader is not None :])
    table = _table(plan, header, lines[above:])
    blank = sum(line == "" or _is_comment(csv, line) for line in lines[:above])
    return replace(table, blank=table.blank + blank)


def _rows_above(csv: Csv, lines: Sequence[str]) -> tuple[list[str], int]:
    """The leader and the rows of the header, and how many lines are above the records."""
    above = int(csv.separator_line and lines[:1] == [f"sep={csv.delimiter}"])
    above += csv.skip_rows
    if csv.skip_until is not None:
        above += next(n for n, line in enumerate(lines[above:]) if re.search(csv.skip_until, line))
    wanted, rows = len({*csv.header_rows, *csv.comment_rows}) if csv.header else 0, list[str]()
    wanted += csv.leader is not None
    while len(rows) < wanted:
        rows += [] if _is_comment(csv, lines[above]) else [lines[above]]
        above += 1
    return rows, above


def leader_fault(plan: Plan, data: bytes) -> str | None:
    """The code of the problem with the leader that a file has; None if there is none.

    The file has all agreed lines above its records.
    """
    text = _text(plan, unpacked(plan, data))
    if plan.fixed:
        return leaders.fault(plan.csv, fixed.leader(plan, _lines("", text)[0]))
    lines = list(_spans(plan.csv, text)) if plan.csv.multi_line else _lines(plan.csv.record_delimiter, text)
    return leaders.fault(plan.csv, _leader_cells(plan.csv, _rows_above(plan.csv, lines)[0][0]))


def _leader_cells(csv: Csv, line: str) -> list[str]:
    return [] if _is_torn(csv, line) else split(csv, line)[0]


def _table(plan: Plan, header: tuple[str, ...], lines: Sequence[str]) -> Content:
    """The records of lines without the header's; the last one is none where it is the trailer."""
    full = [line for line in lines if line and not _is_comment(plan.csv, line)]
    blank = len(lines) - len(full)
    ending = _ending(plan.csv, plan.csv.trailer, full) if plan.csv.trailer else None
    if ending and ending.cells is not None:
        del full[-1]
    if plan.csv.footer:
        ending, full = _without_footer(plan.csv, plan.csv.footer, full)
    return Content(tuple(_row(plan, header, line) for line in full), blank, frozenset(header), ending=ending)


def _without_footer(csv: Csv, rule: Footer, full: list[str]) -> tuple[TrailerReading, list[str]]:
    """What was found of a footer, and the lines above it; all of them if it is missing or too long."""
    begins = [n for n, line in enumerate(full) if split(csv, line)[0][0].startswith(rule.begins)]
    if not begins:
        return TrailerReading(), full
    if len(full) - begins[0] > rule.lines:
        return TrailerReading(None, begins[0] + 1), full
    return TrailerReading(()), full[: begins[0]]


def _ending(csv: Csv, rule: Trailer, lines: Sequence[str]) -> TrailerReading:
    """The last line, if its first cell is that of the trailer, and the number of the first other one like it."""
    like = [n for n, line in enumerate(lines, 1) if split(csv, line)[0][0] == rule.begins]
    is_last = bool(like) and like[-1] == len(lines)
    early = next((n for n in like if n < len(lines) or not is_last), None)
    if not is_last:
        return TrailerReading(None, early)
    if why := _unread(csv, lines[-1]):
        return TrailerReading((), early, why)
    places = [1, rule.rows or 1, *rule.sums.values()]
    return TrailerReading(tuple(cell[: LONGEST + 1] for cell in split(csv, lines[-1])[0][: max(places)]), early)


def _unread(csv: Csv, line: str) -> Unread | None:
    """Why nothing of a trailer is read."""
    if len(line) > 100_000:
        return "long"
    if _broken_text(line):
        return "bytes"
    return "quotes" if _is_torn(csv, line) else None


def _is_torn(csv: Csv, line: str) -> bool:
    """Return whether a quote is open, is in a cell that does not begin with one, or has text behind it in its cell."""
    if csv.unquoted_escape:
        return _by_escapes(csv, line)[1]
    if not csv.quote:
        return False
    text = line if csv.escape == csv.quote else _without_escaped(csv, line)
    quote, delimiter = re.escape(csv.quote), re.escape(csv.delimiter)
    inner = f"(?:[^{quote}]|{quote}{quote})*" if csv.escape == csv.quote else f"[^{quote}]*"
    dropped = re.escape(CONTROLS.replace(csv.delimiter, ""))
    cell = f"(?:{quote}{inner}{quote}[{dropped}]*|(?:(?!{delimiter})[^{quote}])*)(?={delimiter}|\\Z)"
    return not re.fullmatch(f"{cell}(?:{delimiter}{cell})*", text)


def _row(plan: Plan, header: tuple[str, ...], line: str) -> Record:
    cells = split(plan.csv, line)[0]
    if plan.csv.trailing_delimiter and line.endswith(plan.csv.delimiter) and len(cells) == len(header) + 1:
        cells = cells[:-1]
    broken = {"quotes"} if _is_torn(plan.csv, line) else set() if len(cells) == len(header) else {"fields"}
    if _broken_text(line):
        broken.add("text")
    if plan.csv.record and cells[0] != plan.csv.record:
        broken.add("recordType")
    if broken:
        return Record(broken=frozenset(broken))
    by_name = dict(zip(header, cells, strict=True))
    own = {p.name: _cell(by_name[p.name], p, plan.csv) for p in plan.properties if p.name in by_name}
    return Record(own, letters=_letters(line, plan.csv.encoding))


def _slices(plan: Plan, lines: Sequence[str]) -> Content:
    """The records of lines of fixed width."""
    full = [line for line in lines if line][plan.csv.leader is not None :]
    blank = sum(line == "" for line in lines)
    ending = fixed.ending(plan, full, lambda line: not _broken_text(line))
    if ending and ending.cells is not None:
        del full[-1]
    return Content(
        tuple(_slice(plan, line) for line in full), blank, frozenset(p.name for p in plan.roots), ending=ending
    )


def _slice(plan: Plan, line: str) -> Record:
    if broken := fixed.faults(plan, line, is_text=not _broken_text(line)):
        return Record(broken=frozenset(broken))
    texts = fixed.cells(plan, line)
    own = {p.name: _cell(texts[p.name], p, plan.csv) for p in plan.properties}
    return Record(own, letters=_letters(line, plan.csv.encoding))


def _letters(line: str, encoding: str) -> str:
    """The encoding that the bytes of a line are in, if it is or may be another than the agreed one; else `own`."""
    if encoding.startswith("utf-") or line.isascii():
        return ""
    raw = line.encode(encoding)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        if encoding != "iso-8859-1":
            return "own"
        return "ansi" if any(0x80 <= byte < 0xA0 for byte in raw) else ""
    if encoding != "iso-8859-1":
        return "utf8"
    french = {bytes([lead, tail]).decode() for lead in range(0xC4, 0xE0) for tail in (0xA0, 0xBB)}
    return "utf8" if any(c > "\x7f" and c not in french for c in text) else ""


def _cell(text: str, prop: Property, csv: Csv) -> Cell:
    text = bare(text, prop)
    return Cell(None, None) if text in csv.nulls_of(prop) else agreed(text, prop)


def agreed(text: str, prop: Property) -> Cell:
    """A bare cell that is not null, with the value that it has in the form of the file."""
    published = plain(text, prop)
    value = None if published is None else value_of_cell(published, prop)
    return Cell(text, value, published if published != text else None)


def split(csv: Csv, line: str) -> tuple[list[str], bool]:
    """The cells of a line, and whether the last one takes in all that follows its quote."""
    if csv.unquoted_escape:
        return _by_escapes(csv, line)[0], False
    if not csv.quote:
        return line.split(csv.delimiter), False
    cells: list[str] = []
    at, closed = 0, True
    while at <= len(line):
        text, at, closed = _next(csv, line, at)
        cells.append(text)
        at += len(csv.delimiter)
    return cells, not closed


def _by_escapes(csv: Csv, line: str) -> tuple[list[str], bool]:
    """The cells of a line without quotes in which a backslash escapes others, and whether one escapes nothing."""
    cells, cell, rest, torn = [], "", line, False
    while rest:
        if rest.startswith(csv.delimiter):
            cells.append(cell)
            cell, rest = "", rest[len(csv.delimiter) :]
        elif rest[0] == "\\":
            begins, sign, rest = not cell, rest[1:2], rest[2:]
            if begins and sign in ("N", "\\") and (rest == "" or rest.startswith(csv.delimiter)) and sign == "N":
                cell = "\\N"
            elif sign in "nrtbfv" and sign:
                cell += "\n\r\t\b\f\v"["nrtbfv".index(sign)]
            else:
                torn = torn or sign not in ("\\", *csv.delimiter)
                cell += sign
                own = rest.partition(csv.delimiter)[0]
                torn = torn or (begins and sign == "\\" and own == "N")
        else:
            cell, rest = cell + rest[0], rest[1:]
    return [*cells, cell], torn


def _is_odd(csv: Csv, line: str) -> bool:
    if not csv.quote:
        return False
    if csv.escape != csv.quote:
        line = re.sub(re.escape(csv.escape) + "[\\s\\S]", "", line)
    return line.count(csv.quote) % 2 == 1


def _without_escaped(csv: Csv, text: str) -> str:
    """A text with letters in place of what another character escapes: quotes and that character."""
    return re.sub(re.escape(csv.escape) + "[" + re.escape(csv.escape + csv.quote) + "]", "x", text)


def _is_stray(csv: Csv, text: str) -> bool:
    """Return whether a quote is anywhere but around a whole cell."""
    if not csv.quote:
        return False
    text = text if csv.escape == csv.quote else _without_escaped(csv, text)
    quote, ends = re.escape(csv.quote), f"{re.escape(csv.delimiter)}|[\r\n]"
    inner = f"(?:[^{quote}]|{quote}{quote})*" if csv.escape == csv.quote else f"[^{quote}]*"
    dropped = re.escape(CONTROLS.replace("\r", "").replace("\n", ""))
    whole = f"(?:{quote}{inner}{quote}[{dropped}]*|(?:(?!{ends})[^{quote}])*)(?={ends}|\\Z)"
    cell, at = re.compile(f"{whole}|{quote}{inner}\\Z"), 0
    while match := cell.match(text, at):
        if match.end() == len(text):
            return False
        end = re.compile(ends).match(text, match.end())
        at = end.end() if end else len(text)
    return True


def _next(csv: Csv, line: str, at: int) -> tuple[str, int, bool]:
    """The cell that begins at a place, where it ends, and whether its quotes are closed."""
    if line[at : at + 1] != csv.quote:
        end = _end(csv, line, at)
        return line[at:end], end, True
    parts, n = [], at + 1
    signs = re.compile(f"[{re.escape(csv.quote + csv.escape)}]")
    while sign := signs.search(line, n):
        parts.append(line[n : sign.start()])
        after = line[sign.end() : sign.end() + 1]
        if sign[0] == csv.escape and after and after in (csv.quote, csv.escape):
            parts.append(after)
            n = sign.end() + 1
        elif sign[0] != csv.quote:
            parts.append(sign[0])
            n = sign.end()
        else:
            return _closed(csv, line, sign.start(), "".join(parts))
    return "".join(parts) + line[n:], len(line), False


def _closed(csv: Csv, line: str, at: int, text: str) -> tuple[str, int, bool]:
    """The cell whose quotes hold a text and close at a place."""
    end = _end(csv, line, at)
    if line[at + 1 : end].strip(CONTROLS):  # text behind a quote: the cell is no quoted one, its quotes belong to it
        text = csv.quote + text + line[at:end]
    return text, end, True


def _end(csv: Csv, line: str, at: int) -> int:
    place = line.find(csv.delimiter, at)
    return len(line) if place < 0 else place


def _over_lines(plan: Plan, header: tuple[str, ...], text: str) -> Content:
    rows = list(_spans(plan.csv, text))
    held = text if not plan.csv.comment_char else "".join(f"{r}\n" for r in rows if not _is_comment(plan.csv, r))
    if _is_odd(plan.csv, held) or _is_stray(plan.csv, held):
        return Content(refused=True)
    return _below(plan, header, rows)


def _spans(csv: Csv, text: str) -> Iterator[str]:
    """The lines of a file, those within quotes left in one; its quotes stand around whole cells."""
    held, before = "", ""
    parts = re.split("(\r\n|\r|\n)", text)
    for line, end in zip(parts[::2], [*parts[1::2], ""], strict=True):
        if not held and _is_comment(csv, line):
            yield line
            continue
        held, before = held + before + line, end
        if not _is_odd(csv, held):
            if end or held:
                yield held
            held, before = "", ""
    if held:  # a quote is open
        yield held


# ---- JSON Lines


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _number(text: str) -> Number:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(text)
    return Number(text)


DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_int=_number, parse_float=_number, parse_constant=_no_constant)


def _object(plan: Plan, line: str) -> Record:
    broken = {"text"} if _broken_text(line) else set()
    try:
        parsed = DECODER.decode(line.strip(" \t")) if line.lstrip(" \t").startswith("{") else None
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, Pairs) or any(_repeats(value) for _, value in parsed):
        return Record(broken=frozenset({*broken, "object"}))
    members = dict(parsed)
    if any(_broken_string(text) for text in _strings(parsed)):
        broken.add("text")
    if len(members) < len(parsed):
        broken.add("keys")
    if broken:
        return Record(broken=frozenset(broken))
    return _members(plan, members)


def _members(plan: Plan, members: dict[str, Any]) -> Record:
    """The record of the members of an object."""
    keys = {p.name: p.header_names[0] if p.header_names else p.name for p in plan.roots}
    cells = {p.name: _member(members.get(keys[p.name]), p) for p in plan.roots}
    inner = {p.name: [_member(raw, p) for raw in nested.raws(plan, p, members)] for p in plan.properties if p.path}
    unknown = any(key not in keys.values() and key not in OURS for key in members) or nested.has_unknown(plan, members)
    return Record(cells, inner, unknown=unknown)


def _repeats(value: Any) -> bool:
    """Return whether an object within a value has a key twice."""
    if isinstance(value, Pairs):
        return len(dict(value)) < len(value) or any(_repeats(inner) for _, inner in value)
    return isinstance(value, list) and any(_repeats(inner) for inner in value)


def _broken_string(text: str) -> bool:
    return re.search("[\ud800-\udfff]", text) is not None


def _strings(value: Any) -> Iterator[str]:
    """All texts within a value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Pairs):
        for key, inner in value:
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _member(value: Any, prop: Property) -> Cell:
    """A member as a cell: its text, and the value if it has the JSON type of the property."""
    if value is None:
        return Cell(None, None)
    if prop.type in CONTAINERS:
        return Cell("", nested.container(value, prop))
    if prop.form and isinstance(value, (bool, Number, str)):
        return _formed(value, prop, prop.form)
    if isinstance(value, bool):
        return Cell(str(value).lower(), value if prop.type == "boolean" else None)
    if isinstance(value, Number):
        text = _shortest(value.text, within=bool(prop.path))
        written = value.text if prop.type == "integer" else text
        return Cell(text, value_of(written, prop) if prop.type in ("integer", "number") else None)
    if isinstance(value, str):
        fits = prop.type in ("string", "date", "timestamp", "time")
        return Cell(value, value_of(value, prop) if fits else None)
    return Cell("{}", None)


def _formed(value: bool | Number | str, prop: Property, form: ValueForm) -> Cell:
    """A member of a property with a form: a text as a cell of CSV, or a value as JSON has it."""
    if isinstance(value, str):
        text = bare(value, prop)
        if text in (form.nulls or ()):
            return Cell(None, None)
        published = plain(text, prop)
        return Cell(text, None if published is None else value_of_cell(published, prop))
    own = _member(value, replace(prop, form=None))
    if own.text in (form.nulls or ()):
        return Cell(None, None)
    if isinstance(value, bool):
        return own
    is_whole = value.text.removeprefix("-").isdigit()
    if prop.type in ("integer", "number") and (form.decimals is not None or form.percent == "divide"):
        number = plain(value.text, replace(prop, form=replace(form, decimal=".", group=""))) if is_whole else None
        return Cell(own.text, None if number is None else value_of(number, prop))
    if prop.type == "boolean" and form.true and is_whole:
        words = plain(own.text or "", prop)
        return Cell(own.text, None if words is None else value_of(words, prop))
    if form.formats and "e" not in value.text.lower():
        return Cell(own.text, value_of_cell(own.text or "", prop))
    return own


def _shortest(text: str, *, within: bool) -> str:
    """A number of JSON without zeros at its end; one that is not within another value keeps a digit after the point."""
    if text == "-0":
        return "0"
    short = re.sub(r"(\.[0-9]+?)0+$", r"\1", text)
    return short.removesuffix(".0") if within else short


# ---- Parquet


def _typed(value: Any, prop: Property) -> Cell:
    """A value as Parquet holds it: days and microseconds for dates and timestamps."""
    if value is None or prop.type in ("boolean", "date", "timestamp"):
        return Cell(None if value is None else str(value), value)
    if isinstance(value, float):
        return Cell(str(value), value if math.isfinite(value) else None)
    text = f"{value:f}" if isinstance(value, Decimal) else str(value)
    return Cell(text, value_of(text, prop))
