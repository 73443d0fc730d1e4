"""Words of ODCS 3.0 that 3.1 has changed: rules with names of their tools, bounds excluded by `true`, dated times.

The standard's JSON Schemas of 3.0.0 to 3.0.2 leave the name and the arguments of a rule free (DataQualityLibrary), and
give `exclusiveMaximum` as true or false.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document import walking
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import OPERATORS
from contracts.problem import nearest

METRICS = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount")
FOR_PEOPLE = ("id", "name", "severity", "dimension", "description")
"""The keys of an entry of `type: text`."""
EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
TIME_LETTERS = "HhKkmsSAnN"
DATE_LETTERS = "yuMLdD"
"""ODCS before 3.1 had no `timestamp` and no `time`: a `date` with a time of day in its format stands for them."""


def rule(document: Document, path: Path, entry: dict[str, Any]) -> None:
    """Make an entry for people of one whose rule has no operator, or a name that only its tool knows."""
    metric = entry.get("metric")
    if entry.get("type", "library") != "library" or not isinstance(metric, str):
        return
    is_known = metric in METRICS
    if (not is_known and nearest(metric, METRICS)) or (is_known and any(operator in entry for operator in OPERATORS)):
        return  # a slip has a finding of its own
    reason = "says not what it is held against" if is_known else "is no metric of the standard"
    fix = "Write a `metric` and an operator, as `mustBe: 0`. Until then results name it as a rule for people."
    document.note(
        (*path, "metric"), "not-checked", f"The rule `{metric:.40}` {reason}; no file is held against it.", fix
    )
    kept = {key: entry[key] for key in FOR_PEOPLE if key in entry}
    entry.clear()
    entry |= {"description": f"the rule {metric}", **kept, "type": "text"}


def options(document: Document, path: Path, prop: dict[str, Any]) -> None:
    """Write the options of a property as 3.1 has them."""
    written = prop.get("logicalTypeOptions")
    if not isinstance(written, dict):
        return
    _exclusive_bounds(document, (*path, "logicalTypeOptions"), written)
    pattern = written.get("format", "")
    has_time = isinstance(pattern, str) and any(c in pattern for c in TIME_LETTERS)
    if prop.get("logicalType") == "date" and has_time:
        prop["logicalType"] = "timestamp" if any(c in pattern for c in DATE_LETTERS) else "time"


def _exclusive_bounds(document: Document, path: Path, written: dict[str, Any]) -> None:
    for exclusive, bound in EXCLUSIVE.items():
        if not isinstance(written.get(exclusive), bool):
            continue
        is_excluded = written.pop(exclusive)
        if is_excluded and bound in written:
            written[exclusive] = written.pop(bound)
            walking.copy_positions(document, (*path, bound), (*path, exclusive))
        elif is_excluded:
            message = f"`{exclusive}: true` excludes a bound that is not there; no value is held against it."
            document.note((*path, exclusive), "not-checked", message, f"Add `{bound}`, or leave it out.", on_key=True)
