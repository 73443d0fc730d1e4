"""Faults of a `drop` block in words: an error of its JSON Schema in, a finding with position and fix out."""

from __future__ import annotations

from typing import Any

from jsonschema.exceptions import ValidationError

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path, dotted
from contracts.files import encodings
from contracts.problem import nearest, quoted

LATER: dict[str, tuple[Any, ...]] = {
    "format": ("json", "orc", "avro"),
    "references.format": ("json", "orc", "avro", "xml", "xlsx", "fixed"),
    "compression": ("lz4", "snappy", "xz"),
}  # fmt: skip
"""Values that are planned and that this version does not support yet, by key."""
INSTEAD = {("compression", "zip"): 'Write `archive: {format: zip, members: "*.csv"}` in its place.'}
"""The fix for a value that belongs to another key, by key and value."""
MISSING = {
    "files": "the pattern of the keys that the contract is for, as `files: orders/*.csv`",
    "producer": "who uploads the files, as `producer: inmet`; receipts go there",
    "format": "`format: csv`, or another of docs/reference/drop-block.md",
    "tolerance.rows": '`rows: 10` or `rows: "1%"`',
    "arrival.by": 'the time by which files come, as `by: "06:00"`',
    "set.of": "the named parts of `files` that name a set, as `of: [day]`",
    "xml.record": "the path from the root to the elements that are records, as `record: orders/order`",
    "archive.format": "`format: zip`",
    "archive.members": 'the pattern of the members that are read, as `members: "orders_*.csv"`',
    "begins": "the first cell of the trailer, as `begins: T`",
    "fixed.fields": "the fields of lines, as `fields: [{property: account, length: 10}]`",
    "property": "`property:` with the name of the property that the field holds",
    "to": "`to:` with the name of a channel, or its address",
    "start": "`start:` with the first position, from 1",
    "length": "`length:` with the number of positions",
    "text": "`text:` with what stands there",
    "file": "`file:` with the path from the contract's folder to the reference file",
}
TYPES = {
    "string": "text",
    "array": "a list",
    "integer": "a whole number",
    "object": "a mapping",
    "boolean": "true or false",
}
SHAPES = {
    "minItems": ("bad-value", "names no keys", "Write the pattern of its keys, as `orders/*.csv`."),
    "anyOf": ("bad-value", "is not a tolerance", 'Write a count of rows, as `10`, or a percentage in quotes, as "1%".'),
    "minimum": ("bad-value", "must be 1 or more", "Write a whole number, as `1`."),
    "minLength": ("not-built-yet", "is empty, which is not built yet", "Write the one character that is used."),
    "maxLength": (
        "bad-value", "must be one character, not above U+FFFF", 'Write one in quotes, as ";" or "\\t".',
    ),
}  # fmt: skip
"""The finding for a keyword of the schema: its code, a clause about the value, and the fix."""
PLACE = (
    "bad-value",
    "is not the position of a cell",
    "Count the trailer's cells from 1, which is `begins`: write 2 or more.",
)
ROWS = (
    *("bad-value", "is not a list of rows, each once and from 1 to 100"),
    "Number the rows below the skipped ones from 1, as `[1, 2]`.",
)
FIRST_CELL = ("bad-value", "is not the text of a cell with 1 to 100 characters")
TIME = ("bad-value", "is not a time of day", 'Write hours and minutes in quotes, as "06:00".')
STRETCH = ("bad-value", "is not a position or a length from 1 to 16,000", "Count from 1, as layouts of lines do.")
BEGINS = ("bad-value", "is not a text with 1 to 100 characters", "Write how such a line begins, as `begins: H`.")
WRITTEN = {
    "consumers": (
        *("bad-value", "is not a list of at most 20 teams, each once"),
        "Write names of letters, digits, `.`, `_` and `-`, at most 63 of each, as `[finance, risk]`.",
    ),
    "pause": ("bad-value", "names an audience twice", "Write it once, as `pause: [producer]`."),
    "channels": ("bad-value", "has more than 20 channels", "Keep those that are read, or name one of a team."),
    "channels.to": (
        *("bad-value", "is not the name of a channel, nor an address"),
        "Write it, as `mailto:orders@example.org`.",
    ),
    "channels.on": ("bad-value", "is not a list of occasions, each once", "Write them as `on: [rejected, missing]`."),
    "fixed.fields": ("bad-value", "names no fields", "Write the field of each property, in their order."),
    "fixed.fields.padding": ("bad-value", "must be one character", 'Write the one that fills fields up, as "0".'),
    **dict.fromkeys(("fixed.length", "fixed.fields.start", "fixed.fields.length"), STRETCH),
    **dict.fromkeys(("fixed.leader.is.start", "fixed.leader.is.length"), STRETCH),
    **dict.fromkeys(("fixed.trailer.rows", "fixed.trailer.sums"), STRETCH),
    **dict.fromkeys(("fixed.leader.begins", "fixed.record.begins", "fixed.trailer.begins"), BEGINS),
    "fixed.leader.is": ("bad-value", "is longer than 1,000 characters", "Write what stands there, and no more."),
    "arrival.by": TIME,
    "arrival.from": TIME,
    "csv.trailer.begins": (
        *("bad-value", "is not the text of a cell with 1 to 100 characters"),
        "Write the first cell of the trailer, as `begins: T`.",
    ),
    "csv.skipRows": (
        *("bad-value", "is neither a number of rows, at most 1,000, nor a pattern"),
        "Write how many rows are above the header, as `2`, or how the header begins, as `{until: ^Account}`.",
    ),
    "csv.commentChar": (
        *("bad-value", "is not one printable character of ASCII"),
        'Write the one character that comments begin with, as `commentChar: "#"`.',
    ),
    "sheet.sheetName": (
        *("bad-value", "is not the name of a sheet, which has 1 to 255 characters"),
        "Write the name of the sheet, as `sheetName: Umsatz`; or leave the key out if there is one sheet.",
    ),
    "sheet.range": (
        *("bad-value", "is not a range of cells"),
        'Write its upper left cell and, if others are beside it, its last column, as `range: "B4:H"`.',
    ),
    "sheet.skipRows": (
        *("bad-value", "is neither a number of rows, at most 1,000, nor a pattern"),
        "Write how many rows are above the header, as `2`, or how the header begins, as `{until: ^Account}`.",
    ),
    "sheet.headerRows": ROWS,
    "sheet.commentRows": ROWS,
    "sheet.footer.begins": (*FIRST_CELL, "Write how the footer begins, as `begins: Total`."),
    "sheet.footer.lines": ("bad-value", "is not a number of rows from 1 to 100", "Write how many rows it has at most."),
    "csv.headerRows": ROWS,
    "csv.commentRows": ROWS,
    "csv.footer.begins": (*FIRST_CELL, "Write how the footer begins, as `begins: Total`."),
    "csv.leader.begins": (*FIRST_CELL, "Write the first cell of the leader, as `begins: H`."),
    "csv.leader.is": (
        *("bad-value", "is not the place of a cell with its text"),
        'Write places from 1 to 999 with texts in quotes, as `is: {2: "{day:%Y%m%d}"}`.',
    ),
    "csv.record.begins": (*FIRST_CELL, "Write the first cell of records, as `begins: D`."),
    "csv.skipColumns": (
        *("bad-value", "is not a number of cells from 0 to 100"),
        "Write how many first cells of each row are no columns, as `skipColumns: 1`.",
    ),
    "csv.footer.lines": ("bad-value", "is not a number of lines from 1 to 100", "Write how many lines it has at most."),
    "xml.record": (
        *("bad-value", "is not a path with 1 to 1,000 characters"),
        "Write the names from the root to the records, as `record: orders/order`.",
    ),
    "alias": ("bad-value", "cannot name files and folders", "Write letters, digits, `.`, `_` and `-`, at most 80."),
    "csv.trailer.rows": PLACE,
    "csv.trailer.sums": PLACE,
    "set.of": ("bad-value", "names no parts", "Write the named parts of `files` that the files of a set share."),
    "set.within": ("bad-value", "is not a length of time", "Write minutes, hours or days, as `30m`, `24h` or `2d`."),
    "csv.delimiter": (
        *("bad-value", "must have 1 to 8 characters, none of them a line break or above U+FFFF"),
        'Write what separates the cells, in quotes, as ";", "||" or "\\t".',
    ),
    "csv.recordDelimiter": (
        "bad-value",
        "is neither `any`, `lf`, `crlf` or `cr` nor up to eight signs of ASCII, of which one is no letter",
        'Write one of these words, or what ends a record, in quotes, as "\\u001e" or "|\\r\\n".',
    ),
    "csv.unquotedEscape": (
        *("bad-value", "is neither `none` nor one sign that is no letter, digit or blank"),
        "Write `none`, or what stands before a delimiter within a cell, as `'\\'`.",
    ),
    "arrival.days": ("bad-value", "names no days", "Write them as `[mon, tue]`, or leave it out for every day."),
}  # fmt: skip
"""The same for keys whose values have a notation of their own, by key."""


CHANNELS = {"notify": 2, "contracts": 3, "operator": 1}
"""The number of keys that lead to the channels of an audience, by the first of them."""


def report(document: Document, path: Path, error: ValidationError, whole: str = "The drop block") -> None:
    """Report one schema error of the block at `path`, or of another document with parts of it."""
    inner: Path = tuple(error.absolute_path)
    at: Path = (*path, *(p for n, p in enumerate(inner) if (*path, *inner[: n + 1]) in document.positions))
    name, kind = dotted(inner), str(error.validator)
    if kind == "additionalProperties":
        allowed = list(_mapping(error.schema)["properties"])
        where = f"`{name}`" if inner else whole
        for key in (key for key in _mapping(error.instance) if key not in allowed):
            close = nearest(key, allowed)
            fix = f"Write `{close}`." if close else f"Leave it out; the keys are {quoted(allowed, most=12)}."
            document.error((*at, key), "unknown-key", f"{where} has no key `{key}`.", fix, on_key=True)
    elif kind == "required":
        allowed = list(_mapping(error.schema)["properties"])
        misspelt = {nearest(key, allowed) for key in _mapping(error.instance) if key not in allowed}
        lacking = [key for key in _mapping(error.schema)["required"] if key not in _mapping(error.instance)]
        for key in (key for key in lacking if key not in misspelt):
            missing = dotted((*inner, key))
            fix = f"Add {MISSING.get(missing) or MISSING[key]}."
            document.error(at, "missing-key", f"{whole} lacks `{missing}`.", fix)
    elif kind in {"enum", "const"}:
        _unknown_value(document, at, name, error)
    elif kind == "type":
        wanted = str(error.validator_value)
        is_channel = bool(inner) and inner[0] in CHANNELS and isinstance(inner[-1], int)
        expected = "text or a list" if name == "files" else "the name of a channel" if is_channel else TYPES[wanted]
        document.wrong_type(at, expected, text=wanted == "string" or is_channel)
    elif name == "producer":
        fix = "Write letters, digits, `.`, `_` and `-`, at most 63."
        document.error(at, "bad-value", f"`{error.instance!s:.70}` cannot be a folder of receipts.", fix)
    else:
        own = inner[2:] if inner[:1] == ("references",) else inner
        if own and own[0] in CHANNELS:
            own = ("channels", *own[CHANNELS[str(own[0])] :])
        own = tuple(part for part in own if isinstance(part, str))
        code, message, fix = (
            WRITTEN.get(dotted(own))
            or WRITTEN.get(dotted(own[:-1]))
            or WRITTEN.get(dotted(own[:-2]))
            or SHAPES["maxLength" if kind == "pattern" else kind]
        )
        document.error(at, code, f"`{name}` {message}.", fix)


def _mapping(value: Any) -> dict[str, Any]:
    """Return a value as a mapping; the types of jsonschema leave open that it is one."""
    assert isinstance(value, dict)
    return value


def _unknown_value(document: Document, at: Path, name: str, error: ValidationError) -> None:
    value, wanted = error.instance, error.validator_value
    first, _, last = name.partition(".")
    later = LATER.get(f"references.{last.rpartition('.')[2]}" if first == "references" else name, ())
    words = [str(w) for w in wanted] if isinstance(wanted, list) else []
    only = quoted(words) if words else f"`{str(wanted).lower()}`"
    near = encodings.nearest(value) if last.rpartition(".")[2] == "encoding" and isinstance(value, str) else None
    if near:
        fix = f"Write `{near}`, which is nearest to it."
        document.error(at, "not-built-yet", f"`{name}: {value}` is not built yet.", fix)
    elif value in later and (isinstance(value, str) or document.word(at) is None):
        shown = str(value).lower() if isinstance(value, bool) else value
        document.error(at, "not-built-yet", f"`{name}: {shown}` is not built yet.", f"Write {only}.")
    elif not isinstance(value, str):
        document.wrong_type(at, f"one of {only}" if words else "true or false", text=bool(words))
    else:
        close = nearest(value, [*words, *(v for v in later if isinstance(v, str))])
        fix = f"Write `{close}`." if close in words else f"Write one of {only}." if words else f"Write {only}."
        fix = INSTEAD.get((name, value), fix)
        document.error(at, "unknown-value", f"`{value:.60}` is not a value of `{name}`.", fix)
