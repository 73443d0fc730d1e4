"""The entries and properties of a document as it is written: plain values in, each with its path out."""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path


def entries(value: Any, path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the mappings of a list at a path."""
    return [((*path, n), v) for n, v in enumerate(value) if isinstance(v, dict)] if isinstance(value, list) else []


def properties(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    """Return all properties of all schema objects, each before those within it."""
    objects = entries(data.get("schema"), ("schema",))
    return [pair for path, schema_object in objects for pair in _within(schema_object, path)]


def _within(owner: dict[str, Any], path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the properties of an object, or of an array's elements, and all properties within them."""
    items, at = owner.get("items"), (*path, "items")
    own = entries(owner.get("properties"), (*path, "properties"))
    own += [(at, items)] if isinstance(items, dict) else []
    return [pair for here, prop in own for pair in ((here, prop), *_within(prop, here))]


def copy_positions(document: Document, old: Path, new: Path) -> None:
    """Copy the positions of a value to its new path."""
    for positions in (document.positions, document.keys):
        positions |= {(*new, *p[len(old) :]): position for p, position in positions.items() if p[: len(old)] == old}
