"""The texts of a header: the physical names and aliases of a contract in, its properties or findings out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.block import DropBlock
from contracts.files.columns import OURS, alike
from contracts.plan import OF_JSON, REPEATING, FileFormat, Property
from contracts.problem import nearest, quoted, visible

PROPERTIES: Path = ("schema", 0, "properties")
KEYED: tuple[FileFormat, ...] = (*OF_JSON, "xml")
"""The formats whose records name each of their values."""


def read(document: Document, path: Path, block: DropBlock, props: Sequence[Property]) -> list[Property]:
    """Return the properties with the texts that the contract states for them; the block is at `path`."""
    columns: Path = (*path, "columns")
    if block.source == "name" and document.value((*columns, "source")) is None:
        _undecided(document, block, props)
    if block.format in KEYED:
        _siblings(document, props)
        return list(props)
    names = [p.name for p in props if not p.path]
    for name in block.aliases:
        if name not in names:
            close = nearest(name, names)
            fix = f"Write `{close}`." if close else f"The properties are {quoted(names, most=12)}."
            message = f"`columns.aliases` is about `{name}`, which is no property of the record."
            document.error((*columns, "aliases", name), "unknown-property", message, fix, on_key=True)
    stated = []
    for prop in props:
        aliases = () if prop.path else block.aliases.get(prop.name, ())
        of_prop = (s.get("physicalName") for _, s in _sources(document) if s.get("name") == prop.name)
        is_physical = block.source == "physicalName" and not prop.path
        physical = next((text for text in of_prop if text is not None), None) if is_physical else None
        texts = dict.fromkeys((physical or prop.name, *aliases))
        is_more = aliases or (physical is not None and (physical != prop.name or block.columns.match == "byPosition"))
        stated.append(replace(prop, header_names=tuple(texts)) if is_more else prop)
    over_lines = block.csv.multi_line or block.sheet is not None  # a cell of a workbook may have several lines
    for prop in stated:
        for text in prop.header_names:
            _written(document, _place(document, columns, prop, text), text, over_lines)
    if block.columns.match != "byPosition":
        _collisions(document, columns, block, stated)
    _lacking(document, (*path, "csv", "headerLacks"), block, [p for p in stated if not p.path])
    return stated


def keyed(source: Mapping[str, Any], prop: Property, block: DropBlock) -> Property:
    """Return a property with the key that it has in files of JSON and XML, if the block says that it is another."""
    physical = source.get("physicalName")
    if (
        block.format not in KEYED
        or block.source == "name"
        or prop.route[-1] in REPEATING
        or physical in (None, prop.key)
    ):
        return prop
    return replace(prop, header_names=(str(physical),))


def _siblings(document: Document, props: Sequence[Property]) -> None:
    """Report keys that no record has, or that two properties beside each other have."""
    owners: dict[tuple[tuple[str, ...], str], str] = {}
    for prop in props:
        other = owners.setdefault((prop.route[:-1], prop.key), prop.name)
        at = next((at for at, source in _sources(document) if source.get("name") == prop.name), PROPERTIES)
        at = (*at, "physicalName") if document.value((*at, "physicalName")) is not None else at
        if prop.header_names and not (prop.key.strip() and prop.key.isprintable()):
            message = f"{prop.key!r} is a name that nobody sees."
            document.error(at, "bad-name", message, "Write the name that the files have.")
        elif prop.header_names and prop.key in OURS:
            message = f"`{prop.key}` is a key that dropgate adds to rejected records."
            document.error(at, "bad-name", message, "Write the name that the files have.")
        elif other != prop.name and prop.route[-1] not in REPEATING:
            message = f"A value `{visible(prop.key)}` would be `{other}` and `{prop.name}`."
            document.error(at, "column-clash", message, "Give each property a name of its own in the files.")


def _lacking(document: Document, at: Path, block: DropBlock, props: Sequence[Property]) -> None:
    """Report names that the header is to lack and that no property has, or another one in their place."""
    csv, seen = block.csv, set[str]()
    if csv.lacking and all(csv.lacking.intersection(prop.headings) for prop in props):
        message = "The header lacks all columns of the contract, so that nothing shows that it is one."
        document.error(at, "bad-value", message, "Write `header: false` if files have no header.", on_key=True)
    owners = {alike(text, block.columns.match): n for n, prop in enumerate(props) for text in prop.headings}
    sides = (("first", csv.lacks_first, 0), ("last", csv.lacks_last, len(props) - len(csv.lacks_last)))
    for side, texts, begin in sides:
        for n, text in enumerate(texts):
            place, own = (*at, side, n), owners.get(alike(text, block.columns.match))
            if text in seen or text in OURS:
                message = f"`{visible(text)}` is the name of another column."
                document.error(place, "bad-value", message, "Give each column that the header lacks its own name.")
            elif own is None and block.columns.extra != "ignore":
                close = nearest(text, [p.name for p in props])
                fix = f"Write `{close}`." if close else "Add a property with this name."
                message = f"`{visible(text)}` is the name of no property: each file would have a column too many."
                document.error(place, "unknown-property", message, fix)
            elif own is not None and block.columns.match == "byPosition" and own != begin + n:
                message = f"`{visible(text)}` is property {own + 1}, and by its place property {begin + n + 1}."
                document.error(place, "column-clash", message, "Write the properties in the order of the columns.")
            seen.add(text)


def _sources(document: Document) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the properties of the record as they are written, with their places."""
    for n, source in enumerate(document.value(PROPERTIES) or []):
        if isinstance(source, dict):
            yield (*PROPERTIES, n), source


def _inner(at: Path, source: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the properties within another one as they are written, with their places."""
    listed = source.get("properties")
    parts: list[tuple[Path, Any]] = [
        ((*at, "properties", n), part) for n, part in enumerate(listed if isinstance(listed, list) else ())
    ]
    of_map = source.get("map")
    parts += [((*at, "items"), source.get("items"))]
    parts += [((*at, "map", "value"), of_map.get("value") if isinstance(of_map, dict) else None)]
    for place, part in parts:
        if isinstance(part, dict):
            yield place, part
            yield from _inner(place, part)


def _undecided(document: Document, block: DropBlock, props: Sequence[Property]) -> None:
    """Report physical names that are others than the names, where the contract does not say which the header has."""
    names = {p.name for p in props}
    every = [(at, source) for at, source in _sources(document) if source.get("name") in names]
    if block.format in (*KEYED, "parquet"):
        every += [inner for outer in _sources(document) for inner in _inner(*outer)]
    for at, source in every:
        name, physical = source.get("name"), source.get("physicalName")
        if physical in (None, name) or name is None or not block.csv.header:
            continue
        if block.format != "parquet":
            message = f"`physicalName` of `{name}` is another name, and the contract does not say which the files have."
            fix = "Write `columns: {source: physicalName}` in the `drop` block, or `source: name`."
            document.error((*at, "physicalName"), "no-source", message, fix)
        else:
            message = f"`physicalName` of `{name}` is another name; columns are found by `name`."
            fix = f"Write `name: {physical}` if that is the name in the file; else leave `physicalName` out."
            document.error((*at, "physicalName"), "not-built-yet", message, fix)


def _place(document: Document, columns: Path, prop: Property, text: str) -> Path:
    """Return the place of a text in the document: in the aliases, or at the property."""
    aliases: Path = (*columns, "aliases", prop.name)
    written = document.value(aliases)
    if isinstance(written, list) and text in written:
        return (*aliases, written.index(text))
    at = next((at for at, source in _sources(document) if source.get("name") == prop.name), PROPERTIES)
    return (*at, "physicalName") if document.value((*at, "physicalName")) is not None else (*at, "name")


def _written(document: Document, at: Path, text: str, over_lines: bool) -> None:
    """Report a text that no header has as the name of a column."""
    if text in OURS:
        message = f"`{text}` is a column that dropgate adds to `rejected.csv`, and takes away when the file comes back."
        document.error(at, "bad-name", message, "Write the text that the header has.")
    elif not text.strip():
        document.error(at, "bad-name", f"{text!r} is a name that nobody sees.", "Write the text that the header has.")
    elif "\0" in text:
        message = f"`{visible(text)}` has a NUL, which no header has."
        document.error(at, "bad-name", message, "Write the text that the header has.")
    elif not over_lines and any(sign in text for sign in "\r\n"):
        message = f"`{visible(text)}` has a line break, which no header has without `csv.multiLine`."
        document.error(at, "bad-name", message, "Write `csv: {multiLine: true}`, or the text in one line.")


def _collisions(document: Document, columns: Path, block: DropBlock, props: Sequence[Property]) -> None:
    """Report texts by which one column would be two properties."""
    owners: dict[str, tuple[str, str]] = {}
    for prop in (p for p in props if not p.path):
        for text in prop.headings:
            other, theirs = owners.setdefault(alike(text, block.columns.match), (prop.name, text))
            if other != prop.name:
                same = f"`{visible(text)}`" if text == theirs else f"`{visible(text)}`, like `{visible(theirs)}`,"
                message = f"A column {same} would be `{other}` and `{prop.name}`."
                fix = "Give each property texts of its own, or find the columns with `match: byPosition`."
                document.error(_place(document, columns, prop, text), "column-clash", message, fix)
