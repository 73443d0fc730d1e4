"""What an entry of `quality`, or `drop.checks`, says of a check of any kind: which records it looks at.

It stands in `implementation` of our own entries and in `arguments` of the standard's metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.authoring import expressions
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.plan import UNCHECKED, Check, Property

OF_ANY = ("filter",)
"""The keys that entries of all kinds have."""
ALWAYS = ("logicalType", "knownKeys")
"""Kinds of row checks that all others rest on."""


def apart(entry: dict[str, Any]) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """An entry without what any kind may say; where that stands, and what it is."""
    place = "implementation" if entry.get("type") == "custom" else "arguments"
    inner = entry.get(place)
    if not isinstance(inner, dict) or not any(key in inner for key in OF_ANY):
        return entry, place, {}
    rest = {key: value for key, value in inner.items() if key not in OF_ANY}
    return {**entry, place: rest}, place, {key: value for key, value in inner.items() if key in OF_ANY}


def joined(
    document: Document, path: Path, check: Check, said: dict[str, Any], props: Sequence[Property]
) -> Check | None:
    """A check with what was said of it at a path; None, and findings, where that cannot be."""
    if "filter" not in said:
        return check
    found = _filter(document, (*path, "filter"), said["filter"], check, props)
    if found is None:
        return None
    made = replace(check, arguments={**check.arguments, "filter": found})
    return replace(made, expected=f"{check.expected}{made.where}")


def _filter(
    document: Document, path: Path, text: Any, check: Check, props: Sequence[Property]
) -> dict[str, Any] | None:
    if check.kind in UNCHECKED:
        document.error(path, "wrong-place", f"`{check.id}` is not checked at all.", "Leave `filter` out.", on_key=True)
        return None
    if check.scope == "record" or check.kind in ALWAYS:
        message = f"`{check.id}` looks at every record: what other checks see rests on it."
        document.error(path, "wrong-place", message, "Leave `filter` out.", on_key=True)
        return None
    if check.filter:
        message = f"`{check.id}` has a filter in its quality entry."
        document.error(path, "bad-value", message, "Keep one of them.", on_key=True)
        return None
    if not isinstance(text, str):
        document.wrong_type(path, "an expression, as `country = 'BR'`", text=True)
        return None
    try:
        found = expressions.read(text, props, constant=True)
    except expressions.Refused as refused:
        document.error(path, "bad-expression", refused.message, refused.fix)
        return None
    return {"sql": found.sql, "text": " ".join(text.split()), "properties": list(found.properties)}
