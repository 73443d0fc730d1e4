"""Upgrade of ODCS 3.0 and 3.1 documents to 3.2: a document in, changed in place to the current keys.

Only differences that concern contracts for files are handled (from the standard's changelog); 3.2 still allows
everything else that older versions allow.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path

CURRENT = "v3.2.0"
OLDER = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0")
METRIC_BEFORE = "rule"
"""ODCS 3.1 deprecates `rule` for `metric`; 3.2 refuses it."""
METRICS_BEFORE = {"duplicateCount": "duplicateValues", "nullCheck": "nullValues", "validValues": "invalidValues"}
"""Example names of a `rule` in ODCS 3.0, and the equivalent metric of 3.1."""
TIME_LETTERS = "HhKkmsSAnN"
DATE_LETTERS = "yuMLdD"
"""ODCS before 3.1 had no `timestamp` and no `time`: a `date` with a time of day in its format stands for them."""


def upgrade(document: Document) -> None:
    """Upgrade an older document to 3.2 in place, and add a note."""
    data = document.data
    odcs_version = data.get("apiVersion")
    if odcs_version not in OLDER:
        return
    data["apiVersion"] = CURRENT
    owners = [*_entries(data.get("schema"), ("schema",)), *_properties(data)]
    for path, owner in owners:
        for at, entry in _entries(owner.get("quality"), (*path, "quality")):
            if METRIC_BEFORE in entry and "metric" not in entry:
                entry["metric"] = entry.pop(METRIC_BEFORE)
                _copy_positions(document, (*at, METRIC_BEFORE), (*at, "metric"))
            if isinstance(entry.get("metric"), str):
                entry["metric"] = METRICS_BEFORE.get(entry["metric"], entry["metric"])
            if "validValues" in entry and "arguments" not in entry:
                entry["arguments"] = {"validValues": entry.pop("validValues")}
                _copy_positions(document, (*at, "validValues"), (*at, "arguments", "validValues"))
    if odcs_version < "v3.1":
        for _, prop in _properties(data):
            options = prop.get("logicalTypeOptions")
            pattern = options.get("format", "") if isinstance(options, dict) else ""
            has_time = isinstance(pattern, str) and any(c in pattern for c in TIME_LETTERS)
            if prop.get("logicalType") == "date" and has_time:
                prop["logicalType"] = "timestamp" if any(c in pattern for c in DATE_LETTERS) else "time"
    message = f"The document is written in ODCS {odcs_version}; it is read as {CURRENT}."
    document.note(("apiVersion",), "older-odcs", message, f"Write `apiVersion: {CURRENT}` when it is changed next.")


def _entries(value: Any, path: Path) -> list[tuple[Path, dict[str, Any]]]:
    return [((*path, n), v) for n, v in enumerate(value) if isinstance(v, dict)] if isinstance(value, list) else []


def _properties(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    objects = _entries(data.get("schema"), ("schema",))
    return [pair for path, schema_object in objects for pair in _within(schema_object, path)]


def _within(owner: dict[str, Any], path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the properties of an object, or of an array's elements, and all properties within them."""
    items, at = owner.get("items"), (*path, "items")
    own = _entries(owner.get("properties"), (*path, "properties"))
    own += [(at, items)] if isinstance(items, dict) else []
    return [pair for here, prop in own for pair in ((here, prop), *_within(prop, here))]


def _copy_positions(document: Document, old: Path, new: Path) -> None:
    """Copy the positions of a value to its new path."""
    for positions in (document.positions, document.keys):
        positions |= {(*new, *p[len(old) :]): position for p, position in positions.items() if p[: len(old)] == old}
