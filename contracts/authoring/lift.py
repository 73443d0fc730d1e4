"""ODCS 3.0 and 3.1 documents lifted to 3.2: a document in, the same document in today's words out.

The differences that concern a contract for files, from the standard's changelog; whatever else older editions allowed, 3.2 still allows.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.finding import Finding, Path
from contracts.authoring.source import Document

CURRENT = "v3.2.0"
OLDER = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0")
RENAMED_IN_QUALITY = {"rule": "metric"}
"""3.1 deprecates `rule` for `metric`; 3.2 refuses it."""
RENAMED_METRICS = {"duplicateCount": "duplicateValues", "nullCheck": "nullValues", "validValues": "invalidValues"}
"""The names that 3.0 gave as examples of a `rule`, and the metric of 3.1 that says the same."""
TIME_LETTERS = "HhKkmsSAnN"
"""Before 3.1 there was no `timestamp`: a `date` whose format holds one of these was one."""


def lift(document: Document) -> list[Finding]:
    """Bring an older document to 3.2 in place, and say so."""
    data = document.data
    found = data.get("apiVersion") if isinstance(data, dict) else None
    if found not in OLDER:
        return []
    data["apiVersion"] = CURRENT
    for path, entry in _qualities(data):
        _rename(document, path, entry)
    if found < "v3.1":
        for path, prop in _properties(data):
            _date_to_timestamp(document, path, prop)
    message = f"The document is written in ODCS {found}; it is read as {CURRENT}."
    return [document.finding("note", ("apiVersion",), "older-odcs", message, f"Write `apiVersion: {CURRENT}` when it is changed next.")]


def _entries(value: Any, path: Path) -> list[tuple[Path, dict[str, Any]]]:
    return [((*path, n), v) for n, v in enumerate(value) if isinstance(v, dict)] if isinstance(value, list) else []


def _properties(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    objects = _entries(data.get("schema"), ("schema",))
    return [found for path, one in objects for found in _entries(one.get("properties"), (*path, "properties"))]


def _qualities(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    owners = [*_entries(data.get("schema"), ("schema",)), *_properties(data)]
    return [found for path, one in owners for found in _entries(one.get("quality"), (*path, "quality"))]


def _rename(document: Document, path: Path, entry: dict[str, Any]) -> None:
    for old, new in RENAMED_IN_QUALITY.items():
        if old in entry and new not in entry:
            entry[new] = entry.pop(old)
            for marks in (document.marks, document.keys):
                if (*path, old) in marks:
                    marks[(*path, new)] = marks[(*path, old)]
    if isinstance(entry.get("metric"), str):
        entry["metric"] = RENAMED_METRICS.get(entry["metric"], entry["metric"])
    if "validValues" in entry and "arguments" not in entry:
        entry["arguments"] = {"validValues": entry.pop("validValues")}
        moved = {p: m for p, m in document.marks.items() if p[: len(path) + 1] == (*path, "validValues")}
        document.marks |= {(*path, "arguments", *p[len(path) :]): m for p, m in moved.items()}


def _date_to_timestamp(document: Document, path: Path, prop: dict[str, Any]) -> None:
    options = prop.get("logicalTypeOptions")
    pattern = options.get("format") if isinstance(options, dict) else None
    if prop.get("logicalType") == "date" and isinstance(pattern, str) and any(c in pattern for c in TIME_LETTERS):
        prop["logicalType"] = "timestamp"
