"""Properties without a `logicalType`: a document in, changed in place to types that their `physicalType` names.

The standard lets a property do without (odcs-json-schema, SchemaProperty). A CSV cell is a text in any case, so a
property of which nothing is known is a text there; a value of JSON or Parquet has a type that nobody agreed on.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document import walking
from contracts.authoring.document.blocks import blocks
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.document.physical_types import OPTIONS, property_of
from contracts.problem import quoted

WITH_TYPES = ("json", "jsonl", "parquet")
"""Formats of files whose values have types."""
WITHIN = ("properties", "items", "map", OPTIONS)
"""Keys that say more than that a property is some text."""


def fill(document: Document) -> None:
    """Give each property without a type the one of its `physicalType`, or that of text, and say so."""
    typed: dict[Path, str] = {}
    for path, prop in walking.properties(document.data):
        if "logicalType" in prop or not isinstance(prop.get("name", ""), str):
            continue
        physical = prop.get("physicalType")
        meant = property_of(physical) if isinstance(physical, str) else None
        if meant:
            prop["logicalType"] = meant["logicalType"]
            options = {key: value for key, value in meant.get(OPTIONS, {}).items() if key != "maxLength"}
            if options and isinstance(prop.get(OPTIONS, {}), dict):
                prop[OPTIONS] = options | prop.get(OPTIONS, {})
            typed[path] = f"{prop.get('name', 'items')} ({prop['logicalType']})"
        elif not any(key in prop for key in WITHIN) and _format(document.data) not in WITH_TYPES:
            prop["logicalType"] = "string"
            named = f"`{prop.get('name', 'items')}` has no `logicalType`" + (
                f", and `{physical:.40}` names none" if isinstance(physical, str) else ""
            )
            fix = "Write `logicalType: string` if that is meant, or the type that its values have."
            document.warning(path, "no-type", f"{named}; it is read as text, of which any passes.", fix)
    if typed:
        message = f"{quoted(typed.values())} without a `logicalType` have the type of their `physicalType`."
        document.note(next(iter(typed)), "no-type", message, "Write `logicalType` as well.")


def _format(data: dict[str, Any]) -> Any:
    """Return the format that the drop block names; None if there is no block yet."""
    return next((block.get("format") for block in blocks(data)), None)
