"""ODCS 3.0 and 3.1 documents lifted to 3.2: a document in, changed in place to today's words.

The differences that concern a contract for files, from the standard's changelog; what else older editions allow, 3.2
still allows.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path

CURRENT = "v3.2.0"
OLDER = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0")
METRIC_BEFORE = "rule"
"""3.1 deprecates `rule` for `metric`; 3.2 refuses it."""
METRICS_BEFORE = {"duplicateCount": "duplicateValues", "nullCheck": "nullValues", "validValues": "invalidValues"}
"""The names that 3.0 gave as examples of a `rule`, and the metric of 3.1 that says the same."""
TIME_LETTERS = "HhKkmsSAnN"
DATE_LETTERS = "yuMLdD"
"""Before 3.1 there was no `timestamp` and no `time`: a `date` whose format holds a time of day was one of them."""


def lift(document: Document) -> None:
    """Bring an older document to 3.2, and say so."""
    data = document.data
    found = data.get("apiVersion")
    if found not in OLDER:
        return
    data["apiVersion"] = CURRENT
    for path, entry in _qualities(data):
        _metric(document, path, entry)
    if found < "v3.1":
        for _, prop in _properties(data):
            _timestamp(prop)
    message = f"The document is written in ODCS {found}; it is read as {CURRENT}."
    document.note(("apiVersion",), "older-odcs", message, f"Write `apiVersion: {CURRENT}` when it is changed next.")


def _entries(value: Any, path: Path) -> list[tuple[Path, dict[str, Any]]]:
    return [((*path, n), v) for n, v in enumerate(value) if isinstance(v, dict)] if isinstance(value, list) else []


def _properties(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    objects = _entries(data.get("schema"), ("schema",))
    return [found for path, one in objects for found in _within(one, path)]


def _within(owner: dict[str, Any], path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The properties of an object, or of an array's elements, and all within them."""
    items, at = owner.get("items"), (*path, "items")
    own = _entries(owner.get("properties"), (*path, "properties"))
    own += [(at, items)] if isinstance(items, dict) else []
    return [found for here, one in own for found in ((here, one), *_within(one, here))]


def _qualities(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    owners = [*_entries(data.get("schema"), ("schema",)), *_properties(data)]
    return [found for path, one in owners for found in _entries(one.get("quality"), (*path, "quality"))]


def _metric(document: Document, path: Path, entry: dict[str, Any]) -> None:
    if METRIC_BEFORE in entry and "metric" not in entry:
        entry["metric"] = entry.pop(METRIC_BEFORE)
        _move(document, (*path, METRIC_BEFORE), (*path, "metric"))
    if isinstance(entry.get("metric"), str):
        entry["metric"] = METRICS_BEFORE.get(entry["metric"], entry["metric"])
    if "validValues" in entry and "arguments" not in entry:
        entry["arguments"] = {"validValues": entry.pop("validValues")}
        _move(document, (*path, "validValues"), (*path, "arguments", "validValues"))


def _move(document: Document, old: Path, new: Path) -> None:
    """Let the places of a value be found under its new path, too."""
    for marks in (document.marks, document.keys):
        marks |= {(*new, *p[len(old) :]): mark for p, mark in marks.items() if p[: len(old)] == old}


def _timestamp(prop: dict[str, Any]) -> None:
    options = prop.get("logicalTypeOptions")
    pattern = options.get("format") if isinstance(options, dict) else None
    if prop.get("logicalType") == "date" and isinstance(pattern, str) and any(c in pattern for c in TIME_LETTERS):
        prop["logicalType"] = "timestamp" if any(c in pattern for c in DATE_LETTERS) else "time"
