"""Variables of ODCS 3.2, as `${BUCKET:-landing}`: a document and the values of names in, the document without them out.

The standard allows them in every text (docs/variables.md of v3.2.0, RFC 0050). Values come from a file that a person
names, never from the environment, so that one text gives one plan. The resolved text is what is published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from contracts.authoring.document import source
from contracts.authoring.document.blocks import blocks
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path

REFERENCE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""Signs that JSON writes as they are, and YAML reads as line ends or not at all."""
SINCE = "v3.2"
OF_QUERIES = ("object", "table", "model", "property", "column")
"""Placeholders of the standard, which stand for parts of the contract in queries."""


def read(raw: bytes, file: str) -> tuple[dict[str, str], Document]:
    """Read a file of names and texts; the document has the findings about it."""
    document = source.read(raw, file)
    written = document.data
    if document.data is not None and not isinstance(written, dict):
        document.error((), "wrong-type", "The file of variables has no names.", "Write lines, as `BUCKET: landing`.")
    values: dict[str, str] = {}
    for name in written if isinstance(written, dict) else ():
        text = document.text((name,))
        if not NAME.fullmatch(name):
            fix = "Write letters, digits and `_`, the first no digit."
            document.error((name,), "bad-value", f"`{name:.40}` is not a name of a variable.", fix, on_key=True)
        elif text is None:
            document.wrong_type((name,), "text")
        else:
            values[name] = text
    return values, document


def resolve(document: Document, values: Mapping[str, str]) -> None:
    """Put values in the place of variables, in the data and in the text; report those without a value.

    A contract without a `drop` block is left as it is: nothing of it is published.
    """
    if str(document.data.get("apiVersion")) < SINCE or not any(True for _ in blocks(document.data)):
        return
    if b"${" not in document.raw and b"\\" not in document.raw:  # which may write a `$` otherwise
        return
    texts: dict[tuple[int, int], str] = {}
    for path, text in list(_texts(document.data, ())):
        kept = _kept(document, path, values)
        unset = [m[0] for m in REFERENCE.finditer(text) if m["name"] not in kept and _value(m, values) is None]
        for reference in unset:
            name = reference[2:-1]
            message = f"The variable `{reference:.60}` has no value."
            fix = f"Give it one in the file of `--variables`, or a default, as `${{{name:.40}:-...}}`."
            document.error(path, "unset-variable", message, fix)
        resolved = _resolved(text, kept, values)
        if resolved != text:  # an unset one is its name from here on, so that nothing else is wrong with it
            document.value(path[:-1])[path[-1]] = resolved
            place = document.place(path)
            texts[place.line, place.column] = resolved
    if texts:
        document.raw = _rewritten(document.raw, texts)


def _resolved(text: str, kept: set[str], values: Mapping[str, str]) -> str:
    """Return a text with values in place of variables; one without a value becomes its name."""

    def value_of(reference: re.Match[str]) -> str:
        name = reference["name"]
        return reference[0] if name in kept else _value(reference, values) or name

    return REFERENCE.sub(value_of, text)


def _value(reference: re.Match[str], values: Mapping[str, str]) -> str | None:
    """Return the value of a reference: an empty one counts as none, and then the default is taken."""
    return values.get(reference["name"]) or reference["default"]


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the texts with variables in a value, each with its path."""
    if isinstance(value, str) and REFERENCE.search(value):
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _texts(each, (*path, key))


def _kept(document: Document, path: Path, values: Mapping[str, str]) -> set[str]:
    """Return the names at a path that a query fills in: the standard's, the parameters of its entry, and unset ones.

    The reader of queries has a finding for each name that is neither.
    """
    if "quality" not in path:
        return set()
    end = path.index("quality") + 2
    unset = {m["name"] for m in REFERENCE.finditer(document.value(path)) if _value(m, values) is None}
    return {*OF_QUERIES, *_parameters(document.value(path[:end])), *unset}


def _parameters(entry: Any) -> Iterator[str]:
    """Yield the names of the parameters within a quality entry."""
    if isinstance(entry, dict):
        named = entry.get("value") if entry.get("property") == "parameters" else entry.get("parameters")
        yield from named if isinstance(named, dict) else ()
    inner = entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    for each in inner:
        yield from _parameters(each)


def _rewritten(raw: bytes, texts: Mapping[tuple[int, int], str]) -> bytes:
    """Return a YAML text with other scalars, written in double quotes, at some lines and columns."""
    whole = raw.decode("utf-8-sig")
    pieces, end = [], 0
    events: Iterator[Any] = yaml.parse(whole, Loader=source.LOADER)
    for event in events:
        start = event.start_mark
        text = texts.get((start.line + 1, start.column + 1)) if isinstance(event, yaml.ScalarEvent) else None
        if text is not None:
            anchor = f"&{event.anchor} " if event.anchor else ""
            after = "\n" if event.style in ("|", ">") else ""
            quoted = LINE_ENDS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(text, ensure_ascii=False))
            pieces += [whole[end : start.index], anchor, quoted, after]
            end = event.end_mark.index
    return "".join([*pieces, whole[end:]]).encode()
