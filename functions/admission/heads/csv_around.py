"""The first bytes of CSV with agreed rows above its records: a plan and bytes in; header or problems out. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from contracts.files import columns, csv_cells, csv_top, encodings
from contracts.files.csv_top import Top
from contracts.files.header import MOST_COLUMNS
from contracts.place import HEADER, Place
from contracts.plan import Plan, Property
from contracts.problem import Problem, visible
from contracts.terms.leader import Leader, differences, missing
from contracts.terms.trailer import is_first_cell
from functions.admission.heads import csv_head
from functions.admission.heads.problems import Head, may_be_lost, undecodable
from functions.admission.heads.text_forms import DELIMITERS

ANY = "surrogateescape"
"""How bytes that are no text are kept, so that the text has the bytes that it came from."""
NUMBER = re.compile(r"[-+(]?[0-9](?:[0-9.,' ]*[0-9.])?[)-]?")
BOOLEAN = re.compile(r"true|false", re.IGNORECASE)
DIGITS_OF_TIMES = 3
"""Digits from which a cell of a date or a time is one: `3-Jul-24` has three, a unit such as `24 h` fewer."""


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """Return the header below the agreed rows in the first bytes of a file."""
    text, whole = sample.decode(encodings.read_as(plan.csv.encoding), ANY), len(sample) == size
    top = csv_top.read(plan.csv, text, whole=whole)
    if not isinstance(top, Top):
        return Head((csv_head.other(plan, sample) or _fault(plan, top, text, len(sample)),))
    raw = top.text.encode(encodings.read_as(plan.csv.encoding), ANY)
    if problem := undecodable(plan, raw, whole=True):
        return Head((replace(problem, place=HEADER),))
    if plan.csv.leader and (problem := missing(plan.csv.leader, csv_top.leader_cells(plan.csv, top))):
        return Head((csv_head.other(plan, sample) or _apart(plan, plan.csv.leader, top) or problem,))
    if not plan.csv.header:
        return _without(plan, size, sample, top, raw)
    written = csv_top.columns(plan.csv, top)
    names = written and columns.whole(columns.ended(written, plan.csv), plan.csv)
    is_foreign = not csv_head.matching_names(plan, names or ())
    if is_foreign and (problem := csv_head.other(plan, sample) or _elsewhere(plan, text, top)):
        return Head((problem,), (), top.text)
    if written is None or names is None:
        return Head((csv_head.OPEN_QUOTE,), (), top.text)
    if len(names) > MOST_COLUMNS:
        return Head((csv_head.too_wide(len(names)),), (), top.text)
    line = plan.csv.delimiter.join(written) if len(top.names) > 1 else top.texts[top.names[0]]
    problems = [*csv_head.name_problems(plan, names, line), *_comments(plan, top, columns.names(plan, names))]
    problems += csv_head.no_records(plan, size, sample, raw)
    if problem := bad_body(plan, sample, raw, top, whole=whole):
        problems.append(problem)
    return Head(tuple(problems), columns.names(plan, names), top.text)


def _apart(plan: Plan, leader: Leader, top: Top) -> Problem | None:
    """Return the problem of a leader whose cells are separated otherwise."""
    line = "" if top.leader is None else top.texts[top.leader].replace(plan.csv.quote or "\0", "")
    signs = (sign for sign in DELIMITERS if sign != plan.csv.delimiter)
    return next((csv_head.separated(plan, sign) for sign in signs if line.startswith(f"{leader.begins}{sign}")), None)


def _without(plan: Plan, size: int, sample: bytes, top: Top, raw: bytes) -> Head:
    """Return the head of a file whose first record comes below skipped rows."""
    names = columns.of_file(plan, "")
    for number, text in enumerate(top.texts, 1):
        if top.is_comment(text) or number - 1 == top.leader:
            continue
        cells = csv_cells.split(text, plan.csv)
        if cells and 1 < len(cells) == len(names) and all(cells):
            message = f"Line {number} is above the first record that the contract describes, and has as many cells."
            fix = f"Begin each record as the contract requires, so that it matches `{_until(plan)}`."
            return Head((Problem("record-above", message, fix, place=Place(1, number)),), names, top.text)
    problems = csv_head.no_records(plan, size, sample, raw)
    if problem := bad_body(plan, sample, raw, top, whole=len(sample) == size):
        problems.append(problem)
    if problem := _first_record(plan, names, sample[len(raw) :], top):
        problems.append(problem)
    return Head(tuple(problems), names, top.text)


def _first_record(plan: Plan, names: tuple[str, ...], below: bytes, top: Top) -> Problem | None:
    """Return the problem of a first record that holds the names of the columns, or has too few or too many cells."""
    lines = csv_top.LINE.findall(below.decode(encodings.read_as(plan.csv.encoding), "replace"))
    line, first = next(
        ((n, row) for n, text in enumerate(lines, 1) if (row := text.rstrip("\r\n")) and not top.is_comment(row)),
        (0, ""),
    )
    own, place = csv_head.split(plan, first), Place(1, len(top.rows) + line)
    if not first or isinstance(own, Problem):
        return None
    if csv_head.matching_names(plan, own) == len(plan.roots):
        text = f"Line {place.line} holds the names of the columns; the contract requires a file without them."
        return replace(csv_head.NOT_AGREED, message=text, place=place)
    is_end = plan.csv.ending is not None and is_first_cell(plan.csv.ending, own[0])
    is_other = plan.csv.record not in ("", own[0])
    if len(own) == len(names) or is_end or is_other or may_be_lost(plan, "fields"):
        return None
    return replace(csv_head.other_count(plan, first, own[plan.csv.skip_columns :]), place=place)


def leader_problems(plan: Plan, key: str, header_line: str) -> list[Problem]:
    """Return the problems of a leader whose cells are not those that the contract has for a key."""
    cells = csv_top.leader_cells(plan.csv, csv_top.again(plan.csv, header_line))
    return differences(plan.csv.leader, plan.files, key, cells) if plan.csv.leader and cells else []


def _fault(plan: Plan, fault: csv_top.Fault, text: str, read: int) -> Problem:
    """Return the problem of a file that does not have the agreed rows."""
    what = "header" if plan.csv.header else "first record"
    if fault == "separator":
        first = visible(text.splitlines()[0].removeprefix(csv_top.MARK))
        message = f"The first line is `{first}`; the contract requires `{plan.csv.delimiter}` between the cells."
        fix = f"Write `sep={plan.csv.delimiter}` and separate the cells so, or leave that line out."
        return Problem("separator-line", message, fix, place=HEADER)
    if problem := _elsewhere(plan, text, Top()):
        return problem
    if fault == "until":
        message = f"No line of the first {read:,} bytes matches `{_until(plan)}`, which shows where the {what} is."
        return Problem("top-missing", message, f"Write the {what} as agreed, below its title lines.", place=HEADER)
    if fault == "short":
        message = f"The file ends before its {what}: {_rows(plan)} are to be above the records."
        return Problem("top-missing", message, "Send the file whole, with the agreed lines at its head.", place=HEADER)
    message = f"The lines above the records do not end within {read:,} bytes."
    return Problem("header-too-long", message, "Check that this is the CSV file, with one record on each line.")


def _elsewhere(plan: Plan, text: str, top: Top) -> Problem | None:
    """Return the problem of a header in another line than the agreed one, or with another delimiter."""
    if not plan.csv.header:
        return None
    wanted = top.names[0] + 1 if top.names else None
    for number, line in enumerate(csv_top.LINE.findall(text)[: csv_head.MOST_ABOVE], 1):
        text_line = line.rstrip("\r\n")
        own = csv_head.split(plan, text_line)
        delimiter, names = csv_head.otherwise(plan, text_line, own if isinstance(own, tuple) else ())
        if csv_head.matching_names(plan, names) < csv_head.most_names(plan):
            continue
        if delimiter:
            return csv_head.separated(plan, delimiter)
        if number == wanted:
            return None
        agreed = f", not in line {wanted}" if wanted else f"; {_rows(plan)} are to be above the records"
        message = f"The column names are in line {number}{agreed} (`csv.skipRows`)."
        fix = "Write as many lines above the column names as agreed, or ask for the contract to be changed."
        return Problem("missing-header", message, fix, place=HEADER)
    return None


def _until(plan: Plan) -> str:
    return visible(plan.csv.skip_until or "", 80)


def _rows(plan: Plan) -> str:
    """The agreed rows above the records, for people."""
    csv = plan.csv
    parts = [f"{csv.skip_rows} skipped lines"] if csv.skip_rows else []
    parts += ["a leader"] if csv.leader else []
    parts += [f"{len(csv.header_rows)} lines of column names"] if csv.header else []
    parts += [f"{len(csv.comment_rows)} comment lines"] if csv.comment_rows else []
    return " and ".join(parts)


def _comments(plan: Plan, top: Top, names: tuple[str, ...]) -> list[Problem]:
    """Return the problem of a record where a comment row is agreed: it would be lost unnoticed."""
    types = {p.name: p for p in plan.roots}
    for row in top.units:
        cells = csv_cells.split(top.texts[row], plan.csv) or ()
        for name, cell in zip(names, cells, strict=False):
            if (prop := types.get(name)) and cell not in plan.csv.null_values and _is_value(prop, cell):
                shown = "" if plan.hides(prop) else f", `{visible(cell, 40)}`"
                message = f"Line {row + 1} is to be a comment row, as units; it has a value of `{name}`{shown}."
                fix = "Write the comment row below the column names, and the records below it."
                return [Problem("comment-row-missing", message, fix, place=HEADER, property=name)]
    return []


def _is_value(prop: Property, cell: str) -> bool:
    """Return True if a cell looks like a value of its type, however it is written."""
    text = cell.strip()
    match prop.type:
        case "integer" | "number":
            return NUMBER.fullmatch(text) is not None
        case "date" | "timestamp" | "time":
            return sum(c.isdecimal() for c in text) >= DIGITS_OF_TIMES
        case "boolean":
            return BOOLEAN.fullmatch(text) is not None
        case _:
            return False


def bad_body(plan: Plan, sample: bytes, raw: bytes, top: Top, *, whole: bool) -> Problem | None:
    """Return the problem of the first bytes below the agreed rows that are no text, with its place."""
    problem = csv_head.bad_body(plan, sample, len(raw), whole=whole)
    if problem is None or problem.place is None or problem.place.line is None:
        return problem
    before = csv_top.LINE.findall(sample.decode(encodings.read_as(plan.csv.encoding), ANY))[: problem.place.line - 1]
    filled = [line for line in before if line.strip("\r\n") and not csv_top.is_comment(plan.csv, line)]
    return replace(problem, place=replace(problem.place, record=len(filled) - len(top.filled) + 1))
