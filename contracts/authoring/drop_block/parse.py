"""The `drop` block of a contract: the document in, the block or findings out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jsonschema.validators import Draft201909Validator

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Path, dotted
from contracts.authoring.drop_block import around, block, file_sets, header_names, trailer, values
from contracts.authoring.drop_block.block import DropBlock, ReferenceFile
from contracts.authoring.drop_block.block_errors import report
from contracts.authoring.drop_block.forms import archive, elements, fixed, sheet
from contracts.authoring.properties import timezones
from contracts.errors import PatternInvalid
from contracts.files import csv_cells, encodings
from contracts.plan import READ_AS, RECODED, Csv
from contracts.terms.key_pattern import literal_folder

VENDOR = "dropgate"
LONGEST_KEY = 1024
OF_HEADERS = ("match", "source", "aliases")
"""The keys of `columns` about the texts of a header."""


def is_block(entry: Mapping[str, Any]) -> bool:
    """Return True if a custom property is the `drop` block."""
    return entry.get("vendor", VENDOR) == VENDOR and entry.get("property") == "drop"


def find(document: Document) -> Path | None:
    """Return the path of the block's value; None, and a finding, if there is no block."""
    entries = [e if isinstance(e, dict) else {} for e in document.data.get("customProperties") or []]
    ours = [n for n, entry in enumerate(entries) if is_block(entry)]
    for n, entry in enumerate(entries):
        if entry.get("vendor") == VENDOR and n not in ours:
            message = f"`{entry.get('property')}` is not a property of dropgate."
            document.error(("customProperties", n, "property"), "unknown-value", message, "Write `drop`.")
    if len(ours) > 1:
        message = "This is a second `drop` block."
        document.error(("customProperties", ours[1]), "two-blocks", message, "Keep one; its `files` may be a list.")
    if ours:
        return ("customProperties", ours[0], "value") if "value" in entries[ours[0]] else None
    whose = f"The object `{document.part}`" if document.part else "The contract"
    message = f"{whose} has no `drop` block; it matches no files."
    document.note((), "matches-nothing", message, "Add one under `customProperties` (docs/reference/drop-block.md).")
    return None


def read(document: Document, path: Path) -> DropBlock | None:
    """Return the block at a path; None, and findings, if anything in it is wrong."""
    value = document.data["customProperties"][path[1]]["value"]
    if not isinstance(value, dict):
        document.wrong_type(path, "a mapping")
        return None
    before = document.errors()
    value = block.normalized(value)
    for error in Draft201909Validator(block.schema()).iter_errors(value):
        report(document, path, error)
    drop_block = block.from_value(value) if document.errors() == before else None
    if drop_block:
        if drop_block.format == "fixed":
            fixed.read(document, path, drop_block)
        else:
            drop_block = _csv(document, (*path, "csv"), drop_block)
        texts = drop_block.xml.null_values if drop_block.xml else drop_block.csv.null_values
        cells = replace(drop_block.csv, null_values=texts)
        values.read(document, path, drop_block.format, cells, drop_block.values)
        archive.read(document, path, drop_block)
        elements.read(document, path, drop_block)
        drop_block = replace(drop_block, sheet=sheet.read(document, path, drop_block))
        _meaningless(document, path, drop_block)
        window = drop_block.arrival  # which may never open
        at: Path = (*path, "arrival")
        if window and timezones.is_known(document, (*at, "zone"), window.zone) and window.since >= window.by:
            message = f"Files are to come from {window.since} and by {window.by} of the same day."
            fix = "Write a later `by`; for a window over midnight write only `by`, for each day."
            document.error((*at, "by"), "bounds-crossed", message, fix)
        file_sets.read(document, (*path, "set"), drop_block)
        references: dict[str, ReferenceFile] = {}
        for name, of_reference in drop_block.references.items():
            reference, at = of_reference.reference, (*path, "references", name, "csv")
            values.read(document, at[:-1], reference.file_format, reference.csv, of_reference.values)
            _dialect(document, at, reference.csv)
            whole = replace(reference, csv=around.read(document, at, reference.csv))
            references[name] = replace(of_reference, reference=whole)
            own = (
                ("leader", reference.csv.leader),
                ("record", reference.csv.record),
                (trailer.key_of(reference.csv), reference.csv.ending),
            )
            for what in (key for key, rule in own if rule):
                message = f"A reference file is not compared with its {what}."
                document.error((*at, what), "bad-value", message, "Leave it out, in the file as well.", on_key=True)
            for key, is_meant in (("csv", reference.file_format == "csv"), ("json", reference.json is not None)):
                if not is_meant and document.value((*at[:-1], key)) is not None:
                    message = f"`{key}` means nothing for the format {reference.file_format}."
                    document.error((*at[:-1], key), "bad-value", message, "Leave it out.", on_key=True)
        drop_block = replace(drop_block, references=references)
    return drop_block if document.errors() == before else None


def _csv(document: Document, at: Path, block: DropBlock) -> DropBlock:
    """Report a dialect of CSV that contradicts itself; return the block with patterns for the job."""
    _dialect(document, at, block.csv)
    if block.archive and block.csv.record_delimiter and not block.sheet:
        message = "`recordDelimiter` in an archive is not built yet."
        document.error((*at, "recordDelimiter"), "not-built-yet", message, "Leave one of them out.", on_key=True)
    csv = around.read(document, at, block.csv)
    trailer.read(document, at, csv)
    around.types(document, at, csv, block.files)
    return replace(block, csv=csv)


def _meaningless(document: Document, path: Path, block: DropBlock) -> None:
    """Report settings that mean nothing for the file format."""
    csv = READ_AS[block.format] == "csv"
    parts: list[tuple[str, ...]] = [] if block.format == "csv" else [("csv",)]
    parts += [] if block.json else [("json",)]
    parts += [] if block.format == "fixed" else [("fixed",)]
    parts += [] if block.sheet else [("sheet",)]
    if block.format == "parquet":
        parts += [("compression",), ("archive",)]
    if READ_AS[block.format] in ("jsonl", "fixed") or not block.csv.header:
        parts += [("columns", "missing"), ("columns", "order")]
    if block.format == "fixed" or not block.csv.header:
        parts += [("columns", key) for key in ("extra", *OF_HEADERS)]
    for inner in parts:
        if document.value((*path, *inner)) is not None:
            why = "a file without a header" if csv and inner[0] == "columns" else f"the format {block.format}"
            message = f"`{dotted(inner)}` means nothing for {why}."
            document.error((*path, *inner), "bad-value", message, "Leave it out.", on_key=True)
    if not (csv or block.format == "fixed"):
        _names(document, (*path, "columns"), block)
    if block.promote == "rows" and (READ_AS[block.format] != block.format or block.format == "fixed"):
        message = f"Valid rows of the format {block.format} as a file of their own are not built yet."
        fix = "Write `promote: object` or `promote: table`."
        document.error((*path, "promote"), "not-built-yet", message, fix, on_key=True)
    if block.columns.match == "byPosition" and document.value((*path, "columns", "order")) is not None:
        message = "`columns.order` means nothing where columns are found by their places."
        document.error((*path, "columns", "order"), "bad-value", message, "Leave it out.", on_key=True)


def _names(document: Document, at: Path, block: DropBlock) -> None:
    """Report ways to find columns that a format without a header does not have."""
    for key in (key for key in OF_HEADERS if key != "source" or block.format == "parquet"):
        if (stated := document.value((*at, key))) is None:
            continue
        code, message = "not-built-yet", f"`columns.{key}` is not built yet for the format {block.format}."
        fix = "Leave it out; columns are found by the names of the properties."
        if block.format in header_names.KEYED:
            fix = "Leave it out; write each key as files have it in `physicalName`, and `source: physicalName`."
        if stated == "byPosition":
            code, message = "bad-value", f"Values of the format {block.format} have names and no places."
        document.error((*at, key), code, message, fix, on_key=True)


def _dialect(document: Document, at: Path, csv: Csv) -> None:
    """Report characters that readers could not distinguish in a file."""
    if csv.trailing_delimiter and len(csv.delimiter) > 1:
        message = "`csv.trailingDelimiter` is not built yet for a delimiter of several characters."
        document.error((*at, "trailingDelimiter"), "not-built-yet", message, "Leave it out.", on_key=True)
    if {*csv.delimiter} & {csv.quote, csv.escape}:
        message = "`csv` has one character for the delimiter and for the quote or escape."
        document.error(at, "bad-value", message, "Write the characters that the file really uses.")
    _record_delimiter(document, at, csv)
    _unquoted_escape(document, at, csv)
    if csv.has_top or csv.footer or csv.record:
        for key, sign in (("recordDelimiter", csv.record_delimiter), ("unquotedEscape", csv.unquoted_escape)):
            if sign:
                message = f"`{key}` beside rows that are no records is not built yet."
                document.error((*at, key), "not-built-yet", message, "Leave one of them out.", on_key=True)


def _unquoted_escape(document: Document, at: Path, csv: Csv) -> None:
    """Report an escape outside quotes that is another sign as well, or that a line end may stand behind."""
    if not csv.unquoted_escape:
        return
    at = (*at, "unquotedEscape")
    if csv.unquoted_escape in {*csv.delimiter, csv.quote} or csv.unquoted_escape in csv.record_delimiter:
        message = "`unquotedEscape` is also the quote, or a part of the delimiter or record delimiter."
        document.error(at, "bad-value", message, "Write the characters that the file really uses.")
    if csv.unquoted_escape == "\\" and {*csv.delimiter} & {"N", *csv_cells.LETTERS}:
        message = "`delimiter` holds a letter that has a meaning behind a backslash."
        document.error(at, "bad-value", message, "Write the characters that the file really uses.")
    for key, is_set in (("multiLine", csv.multi_line), ("trailingDelimiter", csv.trailing_delimiter)):
        if is_set:
            message = f"`unquotedEscape` beside `{key}` is not built yet."
            document.error(at, "not-built-yet", message, "Leave one of them out.", on_key=True)


def _record_delimiter(document: Document, at: Path, csv: Csv) -> None:
    """Report a record delimiter that other parts of the dialect also have, or that a character may hold."""
    end = csv.record_delimiter
    if not end:
        return
    at = (*at, "recordDelimiter")
    if csv.multi_line:
        message = "`recordDelimiter` ends records everywhere, also within the quotes of `multiLine`."
        document.error(at, "bad-value", message, "Keep one of them.", on_key=True)
    if {*end} & {csv.quote, csv.escape} or end in csv.delimiter or (csv.trailer and end in csv.trailer.begins):
        message = "`recordDelimiter` is a part of the delimiter or of the trailer, or holds the quote or the escape."
        document.error(at, "bad-value", message, "Write the characters that the file really uses.")
    if csv.encoding in RECODED:
        message = f"`recordDelimiter` in {csv.encoding} is not built yet."
        document.error(at, "not-built-yet", message, "Leave it out, or send the file in UTF-8.", on_key=True)
    if len({*end}) < len(end):
        message = "`recordDelimiter` has a sign twice: Spark would cut such records wrongly where it divides a file."
        document.error(at, "not-built-yet", message, "Let each sign of it be another one.")
    if encodings.is_wide(csv.encoding) and any(sign >= "0" for sign in end):
        message = f"`recordDelimiter` holds a sign that may be a part of a character in {csv.encoding}."
        document.error(at, "not-built-yet", message, "Write `lf`, `crlf` or `cr`, or send the file in UTF-8.")


HIDDEN = re.compile(r"\.(?!\.?$)|_[^=]*$")
"""Parts of a pattern whose keys Spark and Hive ignore (`functions.keys.HIDDEN`)."""
OF_TRIALS = "_trial/"
"""The folder of files that are only tried (`functions.keys.TRIAL`); their keys match without it."""


def _hidden(pattern: str, block: Mapping[str, Any]) -> str | None:
    """Return the part of a pattern that readers of promoted files leave out; None if there is none, or a table."""
    if block.get("promote") == "table":
        return None
    parts = pattern.split("/")  # of which only the last matters with `sameKey: version`
    seen = parts[-1:] if block.get("sameKey") == "version" else parts
    return next((part for part in seen if HIDDEN.match(part)), None)


def places(document: Document, path: Path) -> tuple[Finding, ...]:
    """Report faulty key patterns, and return the place of each pattern as an `overlap` finding."""
    value = document.data["customProperties"][path[1]]["value"]
    written = value.get("files") if isinstance(value, dict) else None
    listed = written if isinstance(written, list) else []
    at: Path = (*path, "files")
    patterns = [(at, written)] if isinstance(written, str) else [((*at, n), p) for n, p in enumerate(listed)]
    for place, pattern in patterns:
        if not isinstance(pattern, str):
            continue
        try:
            folder = literal_folder(pattern)
        except PatternInvalid as error:
            message = f"{str(error)[:1].upper()}{str(error)[1:]}."
            document.error(place, "bad-pattern", message, "See the patterns in docs/reference/drop-block.md.")
        else:
            if pattern.startswith("/") or "//" in pattern:
                fix = f"Write `{re.sub('/+', '/', pattern).lstrip('/')}`."
                document.error(place, "bad-pattern", f"`{pattern}` has a folder without a name.", fix)
            elif not folder:
                fix = f"Write the producer's folder first, as `{value.get('producer')}/{pattern}`."
                document.error(place, "no-folder", f"`{pattern}` does not begin with a folder.", fix)
            elif pattern.startswith(OF_TRIALS):
                fix = f"Write `{pattern.removeprefix(OF_TRIALS)}`: files that are tried there match it."
                document.error(place, "bad-pattern", f"Keys below `{OF_TRIALS}` are of files that are only tried.", fix)
                continue
            elif len(pattern.encode()) > LONGEST_KEY:
                message = f"The pattern is longer than any key ({LONGEST_KEY:,} bytes)."
                document.error(place, "bad-pattern", message, "Shorten it.")
        if hidden := _hidden(pattern, value):
            message = f"`{hidden}` begins with `_` or `.`: Spark and Hive ignore such files, so admission refuses them."
            document.error(place, "bad-pattern", message, "Write another first character, or `promote: table`.")
    listed = [place for place, _ in patterns]
    rule = value.get("set") if isinstance(value, dict) else None
    listed += [(*path, "set", key) for key in ("marker", "manifest") if isinstance(rule, dict) and key in rule]
    return tuple(document.finding("error", place, "overlap", "", "") for place in listed)
