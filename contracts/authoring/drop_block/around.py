"""Rows around the records in a `drop` block: the block in; findings, and the dialect with patterns for the job, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.patterns import regex
from contracts.authoring.patterns.regex import PatternRefused
from contracts.errors import PatternInvalid
from contracts.plan import Csv, Property, Sheet
from contracts.problem import visible
from contracts.terms.key_pattern import tokens
from contracts.terms.leader import PART
from contracts.terms.trailer import is_first_cell


def read(document: Document, at: Path, csv: Csv) -> Csv:
    """Report rows above the records that contradict the rest of the dialect; return it with patterns for the job."""
    if csv.separator_line and len(csv.delimiter) > 1:
        message = f"A line `sep=` names one character; `{csv.delimiter}` has {len(csv.delimiter)}."
        document.error((*at, "separatorLine"), "bad-value", message, "Leave `separatorLine` out.", on_key=True)
    if csv.comment_char:
        sign, place = csv.comment_char, (*at, "commentChar")
        if sign in {*csv.delimiter, csv.quote, csv.escape}:
            message = f"`{sign}` is the delimiter, the quote or the escape, so that no comment can be recognised."
            document.error(place, "bad-value", message, "Write the character that comments really begin with, as `#`.")
        elif sign.isalnum() or sign in "+-.":
            message = f"`{sign}` may begin a record, which would be taken for a comment."
            document.error(place, "bad-value", message, "Write a character that no record begins with, as `#`.")
    rows(document, at, csv, header=csv.header)
    return replace(csv, skip_until=until(document, at, csv.skip_until, header=csv.header))


def rows(document: Document, at: Path, agreed: Csv | Sheet, *, header: bool) -> None:
    """Report rows above the records that contradict each other."""
    if header:
        _numbers(document, at, agreed)
    else:
        fix = (
            "Let the header stay (`header: true`), or write `skipRows: {until: ...}` with how the first record begins."
        )
        if agreed.skip_rows:
            message = "Without a header nothing shows that the skipped rows are no records."
            document.error((*at, "skipRows"), "bad-value", message, fix)
        keys = {"headerRows": agreed.header_rows != (1,), "commentRows": bool(agreed.comment_rows)}
        keys |= {"headerLacks": bool(agreed.lacking)} if isinstance(agreed, Csv) else {}
        for key, given in keys.items():
            if given:
                message = f"`{key}` means nothing for a file without a header."
                document.error((*at, key), "bad-value", message, "Leave it out.", on_key=True)


def until(document: Document, at: Path, wanted: str | None, *, header: bool) -> str | None:
    """Return the pattern of the row to which others are skipped, for the job; report a faulty one."""
    if wanted is None:
        return None
    pattern, place = regex.to_java(wanted), (*at, "skipRows", "until")
    if isinstance(pattern, PatternRefused):
        document.error(place, "bad-pattern", pattern.message, pattern.fix)
        return wanted
    if regex.matches(pattern, ""):
        what = "header" if header else "first record"
        message = "`until` matches any row, so that no row is skipped."
        document.error(place, "bad-value", message, f"Write how the {what} begins, as `^Account;`.")
    return pattern


def types(document: Document, at: Path, csv: Csv, files: Sequence[str]) -> None:
    """Report first cells of leader, records and trailer that no line has or that are alike, and parts of no key."""
    rules = {"leader": csv.leader.begins if csv.leader else "", "record": csv.record}
    for key, begins in rules.items():
        place = (*at, key, "begins")
        if any(sign and sign in begins for sign in (csv.delimiter, csv.quote, csv.escape)):
            message = f"`{visible(begins, 40)}` holds the delimiter, the quote or the escape: no line has such a cell."
            document.error(place, "bad-value", message, "Write only the first cell, without quotes.")
        elif begins and csv.comment_char and begins.startswith(csv.comment_char):
            message = f"`{visible(begins, 40)}` begins like a comment, which is not read."
            document.error(place, "bad-value", message, "Write another `commentChar`, or leave it out.")
    alike = csv.ending is not None and any(text and is_first_cell(csv.ending, text) for text in rules.values())
    if alike or (csv.record and rules["leader"] == csv.record):
        message = "Leader, records and the lines below them have one first cell."
        document.error(
            (*at, "record" if csv.record else "leader"), "bad-value", message, "Write what each begins with."
        )
    for position, text in csv.leader.cells.items() if csv.leader else ():
        parts(document, (*at, "leader", "is", position), text, files)


def parts(document: Document, at: Path, text: str, files: Sequence[str]) -> None:
    """Report named parts in the text of a cell of a leader that a key may lack."""
    if fault := _unknown_part(text, files):
        fix = "Name a part of all patterns of `files`, as `{day}`; a date may have a form, as `{day:%Y%m%d}`."
        document.error(at, "bad-value", fault, fix)


def _unknown_part(text: str, files: Sequence[str]) -> str | None:
    """Return the fault of the first part in a text that a key may lack, or that is no date but has a form."""
    rest = PART.sub("", text)
    if "{" in rest or "}" in rest:
        return f"`{visible(text, 40)}` has a brace without its other half."
    for part in PART.finditer(text):
        try:
            kinds = {next((t.kind for t in tokens(pattern) if t.name == part["name"]), None) for pattern in files}
            form = None if part["form"] is None else tokens(part[0])
        except PatternInvalid as error:
            return f"{str(error)[:1].upper()}{str(error)[1:]}."
        if None in kinds:
            return f"`files` has a pattern without the part `{part['name']}`."
        if form and kinds != {"date"}:
            return f"`{part['name']}` is no date in `files`, so that it has no form."
    return None


def _numbers(document: Document, at: Path, csv: Csv | Sheet) -> None:
    """Report rows that are both header and comment, and rows between them that are neither."""
    numbers = sorted((*csv.header_rows, *csv.comment_rows))
    twice = sorted(set(csv.header_rows) & set(csv.comment_rows))
    if twice:
        message = f"Row {twice[0]} is a row of column names and a comment row."
        document.error((*at, "commentRows"), "bad-value", message, "Write each row in one of the two lists.")
        return
    missing = next((n for n in range(1, numbers[-1]) if n not in numbers), None)
    if missing is not None:
        key = "headerRows" if numbers[-1] in csv.header_rows else "commentRows"
        message = f"Row {missing} is above row {numbers[-1]}, and is neither a row of column names nor a comment row."
        fix = "Number the rows from 1, which is the first below those that `skipRows` skips; add that row to a list."
        document.error((*at, key), "bad-value", message, fix)


def comments(document: Document, at: Path, csv: Csv, props: Sequence[Property]) -> None:
    """Warn where a file without its comment row would lose its first record unnoticed: every text could be a unit."""
    if csv.comment_rows and all(prop.type == "string" for prop in props):
        message = "All columns are texts: if a file comes without its comment row, its first record is not read."
        fix = "Give a column its type, as `integer` or `date`: a value of it in the comment row then refuses the file."
        document.warning((*at, "commentRows"), "comment-row-unseen", message, fix)
