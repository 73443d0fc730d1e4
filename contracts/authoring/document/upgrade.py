"""Upgrade of ODCS 3.0 and 3.1 documents to 3.2: a document in, changed in place to the current keys.

Only differences that concern contracts for files are handled (from the standard's changelog); 3.2 still allows
everything else that older versions allow.
"""

from __future__ import annotations

from contracts.authoring.document import odcs_3_0, walking
from contracts.authoring.document.document import Document

CURRENT = "v3.2.0"
OLDER = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0")
METRIC_BEFORE = "rule"
"""ODCS 3.1 deprecates `rule` for `metric`; 3.2 refuses it."""
METRICS_BEFORE = {"duplicateCount": "duplicateValues", "nullCheck": "nullValues", "validValues": "invalidValues"}
"""Example names of a `rule` in ODCS 3.0, and the equivalent metric of 3.1."""


def upgrade(document: Document) -> None:
    """Upgrade an older document to 3.2 in place, and add a note."""
    data = document.data
    odcs_version = data.get("apiVersion")
    if odcs_version not in OLDER:
        return
    data["apiVersion"] = CURRENT
    owners = [*walking.entries(data.get("schema"), ("schema",)), *walking.properties(data)]
    for path, owner in owners:
        for at, entry in walking.entries(owner.get("quality"), (*path, "quality")):
            if METRIC_BEFORE in entry and "metric" not in entry:
                entry["metric"] = entry.pop(METRIC_BEFORE)
                walking.copy_positions(document, (*at, METRIC_BEFORE), (*at, "metric"))
            if isinstance(entry.get("metric"), str):
                entry["metric"] = METRICS_BEFORE.get(entry["metric"], entry["metric"])
            if "validValues" in entry and "arguments" not in entry:
                entry["arguments"] = {"validValues": entry.pop("validValues")}
                walking.copy_positions(document, (*at, "validValues"), (*at, "arguments", "validValues"))
            if odcs_version < "v3.1":
                odcs_3_0.rule(document, at, entry)
    if odcs_version < "v3.1":
        for path, prop in walking.properties(data):
            odcs_3_0.options(document, path, prop)
    message = f"The document is written in ODCS {odcs_version}; it is read as {CURRENT}."
    document.note(("apiVersion",), "older-odcs", message, f"Write `apiVersion: {CURRENT}` when it is changed next.")
