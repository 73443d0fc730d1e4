"""The output of an importer: one ODCS document for each table or record of a source, and the facts about its files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Path
from contracts.authoring.document.upgrade import CURRENT

LONGEST_ID = 80
FIRST = "1.0.0"
"""The version of a contract whose source has none."""
BY_HAND = "Write it by hand if it matters; it is in the comment at the top."
VENDOR = "dropgate-import"
"""The vendor of the custom properties that keep values for which ODCS has no key."""

DIMENSIONS = ("accuracy", "completeness", "conformity", "consistency", "coverage", "timeliness", "uniqueness")
"""The dimensions of ODCS."""
LIKE = {"validity": "conformity"}
"""Dimensions that ODCS has under another word."""


@dataclass(frozen=True, slots=True)
class Imported:
    """An ODCS document without `drop` block; `block` holds the source's settings for a later block.

    `notes` are the findings about it; None if those about other documents of the source are not told apart.
    """

    data: dict[str, Any]
    block: dict[str, Any] = field(default_factory=dict)
    notes: tuple[Finding, ...] | None = None

    @property
    def names(self) -> set[str]:
        """The names by which it is chosen: its id, and that of its table."""
        return {str(self.data["id"]), str(self.data["schema"][0]["name"])}


def contract(full_name: str, schema_object: dict[str, Any], *, version: str = FIRST, **more: Any) -> dict[str, Any]:
    """Return an ODCS document of one schema object; empty values of other keys are left out."""
    head = {"apiVersion": CURRENT, "kind": "DataContract", "id": slug(full_name), "version": version, "status": "draft"}
    return {**head, **given(more), "schema": [schema_object]}


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Return the entries whose value is neither null nor empty."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def slug(name: str) -> str:
    """Return a name as a contract's id: all but letters, digits, dots, `_` and `-` becomes `-`."""
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:LONGEST_ID]
    return re.sub("^[^A-Za-z0-9]+|-+$", "", text) or "contract"


def stem(file: str) -> str:
    """Return the name of a file without its endings, for a source without a name."""
    return File(file).name.split(".", maxsplit=1)[0] or "contract"


def kept(name: str, value: Any) -> dict[str, Any]:
    """Return a custom property that keeps a value for which ODCS has no key."""
    return {"property": name, "vendor": VENDOR, "value": value}


def dimension(written: str | None) -> dict[str, Any]:
    """Return the dimension of a check; one that ODCS does not have is kept as a custom property."""
    word = (written or "").casefold()
    word = LIKE.get(word, word)
    if word in DIMENSIONS:
        return {"dimension": word}
    return {"customProperties": [kept("dimension", written)]} if written else {}


def lost(document: Document, path: Path, what: str, fix: str = BY_HAND, *, on_key: bool = True) -> None:
    """Add a note about a part of a source that has no equivalent in ODCS or in this import."""
    document.note(path, "no-equivalent", what, fix, on_key=on_key)


def rest_lost(document: Document, path: Path, value: dict[str, Any], handled: set[str], of: str) -> None:
    """Add a note for each key that the import did not use; null and empty values do not count."""
    for key, inner in value.items():
        if key not in handled and inner not in (None, "", [], {}):
            lost(document, (*path, key), f"`{key}` of {of} has no equivalent.")
