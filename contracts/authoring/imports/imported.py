"""The output of an importer: one ODCS document for each table or record of a source, and the facts about its files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.document.upgrade import CURRENT

LONGEST_ID = 80
FIRST = "1.0.0"
"""The version of a contract whose source has none."""
BY_HAND = "Write it by hand if it matters; it is in the comment at the top."
VENDOR = "dropgate-import"
"""Whose the custom properties are that keep what ODCS has no key for."""


@dataclass(frozen=True, slots=True)
class Imported:
    """An ODCS document without `drop` block; `block` is what the source says of files, for a block to come."""

    data: dict[str, Any]
    block: dict[str, Any] = field(default_factory=dict)


def contract(called: str, one: dict[str, Any], *, version: str = FIRST, **more: Any) -> dict[str, Any]:
    """An ODCS document of one schema object; of what else is given, None is left out."""
    head = {"apiVersion": CURRENT, "kind": "DataContract", "id": slug(called), "version": version, "status": "draft"}
    return {**head, **given(more), "schema": [one]}


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Return the entries whose value is neither null nor empty."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def slug(name: str) -> str:
    """A name as a contract's id: its letters, digits, dots, `_` and `-`, what stands between them a `-`."""
    found = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:LONGEST_ID]
    return re.sub("^[^A-Za-z0-9]+|-+$", "", found) or "contract"


def stem(file: str) -> str:
    """The name of a file without its endings, for a source that has no name of its own."""
    return File(file).name.split(".", maxsplit=1)[0] or "contract"


def kept(name: str, value: Any) -> dict[str, Any]:
    """A custom property that keeps a value for which ODCS has no key."""
    return {"property": name, "vendor": VENDOR, "value": value}


def lost(document: Document, path: Path, what: str, fix: str = BY_HAND, *, on_key: bool = True) -> None:
    """Say what a source has and ODCS, or this import, has no equivalent of."""
    document.note(path, "no-equivalent", what, fix, on_key=on_key)


def rest_lost(document: Document, path: Path, value: dict[str, Any], known: set[str], of: str) -> None:
    """Name each key that nothing was made of; null and empty ones say nothing."""
    for key, inner in value.items():
        if key not in known and inner not in (None, "", [], {}):
            lost(document, (*path, key), f"`{key}` of {of} has no equivalent.")
