"""A document with several schema objects: the document in, a document for each single object out.

`drop` is then a list, and each entry names its `object`. A document that comes out is read like any other, and its
places are those of the file.
"""

from __future__ import annotations

from contracts.authoring.document.blocks import alias_of
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path, Position
from contracts.authoring.document.metadata import ID
from contracts.authoring.drop_block.parse import is_block
from contracts.problem import nearest, quoted

KEY = "object"


def parts(document: Document) -> list[Document]:
    """The documents of the objects; the document itself where `drop` is no list; none, and findings, if it is wrong."""
    listed, schema = document.data.get("customProperties"), document.data.get("schema")
    customs = enumerate(listed if isinstance(listed, list) else [])
    at = next((("customProperties", n) for n, one in customs if isinstance(one, dict) and is_block(one)), None)
    names = [one.get("name") if isinstance(one, dict) else None for one in (schema if isinstance(schema, list) else [])]
    objects = {name: n for n, name in enumerate(names) if isinstance(name, str)}
    are_named_apart = bool(objects) and len(objects) == len(names)
    entries = document.value((*at, "value")) if at else None
    if at is None or not are_named_apart or not isinstance(entries, list):
        return [document]
    before = document.errors()
    by_object: dict[str, int] = {}
    for n, entry in enumerate(entries):
        here: Path = (*at, "value", n)
        name = entry.get(KEY) if isinstance(entry, dict) else None
        if not isinstance(entry, dict):
            document.wrong_type(here, "a mapping")
        elif not isinstance(name, str):
            fix = f"Write `object:` with one of {quoted(objects, most=12)}."
            document.error(here, "missing-key", "The entry does not say which schema object it is about.", fix)
        elif name not in objects:
            close = nearest(name, objects)
            fix = f"Write `{close}`." if close else f"Write one of {quoted(objects, most=12)}."
            document.error((*here, KEY), "unknown-object", f"The contract has no schema object `{name}`.", fix)
        elif "alias" in entry and entry["alias"] != alias_of(document.data):
            message = f"The contract has another name above, `{alias_of(document.data)}`."
            document.error((*here, "alias"), "two-names", message, "Keep one; it is that of all objects.", on_key=True)
        elif name in by_object:
            fix = "Keep one; its `files` may be a list."
            document.error((*here, KEY), "two-blocks", f"`{name}` has a second entry here.", fix)
        elif len(objects) > 1 and not ID.fullmatch(f"{document.id}.{name}"):
            message = f"The object `{name}` cannot be part of a key; with the id it names the contract."
            fix = "Write letters, digits, `.`, `_` and `-`, at most 80 together with the id."
            document.error((*here, KEY), "bad-id", message, fix)
        else:
            by_object[name] = n
    if document.errors() > before:
        return []
    return [_part(document, n, at, by_object.get(name), several=len(objects) > 1) for name, n in objects.items()]


def _part(document: Document, n: int, block: Path, entry: int | None, *, several: bool) -> Document:
    """The document with only one object and its entry."""
    owner: Path = (*block, "value", entry) if entry is not None else ()
    data = {**document.data, "schema": [document.data["schema"][n]]}
    listed = list(document.data["customProperties"])
    if entry is None:
        del listed[int(block[1])]
    else:
        value = {key: one for key, one in document.value(owner).items() if key != KEY}
        listed[int(block[1])] = {**listed[int(block[1])], "value": value}
    data["customProperties"] = listed
    moves: dict[Path, Path] = {("schema", n): ("schema", 0)}
    if owner:
        moves[owner] = (*block, "value")
    return Document(
        document.file,
        data,
        _moved(document.positions, moves),
        _moved(document.keys, moves),
        list(document.findings),
        document.raw,
        data["schema"][0]["name"] if several else None,
        tuple(one for other, one in enumerate(document.data["schema"]) if other != n),
        document.alone,
        alias_of(document.data),
    )


def _moved(positions: dict[Path, Position], moves: dict[Path, Path]) -> dict[Path, Position]:
    """Places with those of the object and its entry where a document of one object has them."""
    moved = {
        path: position
        for path, position in positions.items()
        if not any(path[: len(to)] == to for to in moves.values())
    }
    for old, new in moves.items():
        moved |= {
            (*new, *path[len(old) :]): position for path, position in positions.items() if path[: len(old)] == old
        }
    return moved
