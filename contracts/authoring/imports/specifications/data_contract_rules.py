"""The rules of the data contract format 0.1.3: a rule and its columns in, quality entries of ODCS out.

Table 3.2 of the thesis that defines the format gives the check of each type of rule, and the effect of a tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports.imported import lost

OPTIONS = "logicalTypeOptions"
DIMENSIONS = {"completeness": "completeness", "validity": "conformity", "uniqueness": "uniqueness"}
PARTS = {"%Y": "yyyy", "%m": "MM", "%d": "dd", "%H": "HH", "%M": "mm", "%S": "ss"}
"""Directives of strftime and the letters of ODCS formats."""
STRFTIME = "expect_column_values_to_match_strftime_format"
Entry = tuple[str, dict[str, Any]]
"""The end of a check's id, and the keys of its quality entry."""
LEVELS_OF = (("warn", "warning"), ("fail", "error"))
WITHOUT_TOLERANCE = ("allowedValues", "custom")


def add(
    document: Document, path: Path, rule: dict[str, Any], columns: list[dict[str, Any]], quality: list[dict[str, Any]]
) -> None:
    """Add the checks of a rule to its columns, or to the table."""
    if rule["type"] == "custom" and _is_format(document, path, rule, columns):
        return
    owners = [column for column in columns if column["name"] in (rule.get("columns") or ())]
    if rule["type"] == "size":
        targets: list[tuple[str, list[dict[str, Any]]]] = [("", quality)]
    else:
        targets = [(f"-{column['name']}", column.setdefault("quality", [])) for column in owners]
    if not targets:
        lost(document, path, f"The rule `{rule['id']}` names no columns; nothing is made of it.", on_key=False)
    cron = rule.get("scheduleCronExpression")
    schedule = {"schedule": cron, "scheduler": "cron"} if cron else {}
    about = {"name": rule["name"], "dimension": DIMENSIONS[rule["dimension"]]}
    for name, into in targets:
        for severity, tolerance in _severities(document, path, rule):
            only_warns = {"severity": "warning"} if severity == "warning" else {}
            for end, entry in _entries(rule, tolerance, name.removeprefix("-")):
                tail = f"{name}{end}{'-warning' if only_warns else ''}"
                identity = re.sub("[^A-Za-z0-9_-]", "_", f"{rule['id']}{tail}")
                into.append({"id": identity, **about, **only_warns, **entry, **schedule})


def _severities(document: Document, path: Path, rule: dict[str, Any]) -> list[tuple[str, Decimal]]:
    """Return the severities of a rule with their tolerances; without any it has no tolerance."""
    severities = rule.get("severity") or {}
    tolerances = [(name, Decimal(severities[key]["tolerance"])) for key, name in LEVELS_OF if key in severities]
    if tolerances and rule["type"] in WITHOUT_TOLERANCE:
        lost(document, (*path, "severity"), f"A rule of type {rule['type']} has no tolerance, says the format.")
        return [(tolerances[-1][0], Decimal(0))]
    if rule["type"] == "unique" and any(tolerance for _, tolerance in tolerances):
        message = "Repeated values are counted with the first of them here, and without it there: this is stricter."
        lost(document, (*path, "severity"), message)
    return tolerances or [("error", Decimal(0))]


def _number(value: Decimal) -> int | Decimal:
    """Return a number as a person would write it."""
    return int(value) if value == value.to_integral_value() else value.normalize()


def _of_metric(metric: str, **limit: Any) -> dict[str, Any]:
    """Return an entry of a library or custom metric."""
    if metric == "rowCount":
        return {"metric": metric, **limit}
    return {"type": "custom", "engine": "dropgate", "implementation": {"metric": metric, **limit}}


def _entries(rule: dict[str, Any], tolerance: Decimal, column: str) -> Iterator[Entry]:
    """Yield the entries of a rule of one severity, by its type (table 3.2)."""
    match rule["type"]:
        case "complete":
            missing = _number(100 * (1 - (Decimal(rule["parameter"]) - tolerance)))
            limit = {"mustBeLessOrEqualTo": missing, "unit": "percent"} if missing else {"mustBe": 0}
            yield "", {"metric": "nullValues", **limit}
        case "unique":
            limit = {"mustBeLessOrEqualTo": _number(100 * tolerance), "unit": "percent"} if tolerance else {"mustBe": 0}
            yield "", {"metric": "duplicateValues", **limit}
        case "min":
            least = _number(Decimal(rule["parameter"]) * (1 - tolerance))
            yield "", _of_metric("min", mustBeGreaterOrEqualTo=least)
        case "max":
            most = _number(Decimal(rule["parameter"]) * (1 + tolerance))
            yield "", _of_metric("max", mustBeLessOrEqualTo=most)
        case "allowedValues":
            yield "", {"metric": "invalidValues", "arguments": {"validValues": rule["parameter"]}, "mustBe": 0}
        case "custom":  # a rule of another tool, with the arguments of its call
            engine = "greatExpectations" if _is_expectation(rule) else rule["technology"]
            inside = {"type": rule.get("call", rule["id"]), "kwargs": {"column": column, **(rule.get("args") or {})}}
            yield "", {"type": "custom", "engine": engine, "implementation": inside}
        case "size":
            yield from _equal("rowCount", Decimal(rule["parameter"]), tolerance)
        case "mean" | "stdev" as metric:
            yield from _equal(metric, Decimal(rule["parameter"]), tolerance)


def _equal(metric: str, wanted: Decimal, tolerance: Decimal) -> Iterator[Entry]:
    """Yield the entries of a metric that must be the parameter, or within its tolerance."""
    if not tolerance:
        yield "", _of_metric(metric, mustBe=_number(wanted))
        return
    low, high = sorted((wanted * (1 - tolerance), wanted * (1 + tolerance)))
    yield "-least", _of_metric(metric, mustBeGreaterOrEqualTo=_number(low))
    yield "-most", _of_metric(metric, mustBeLessOrEqualTo=_number(high))


def _is_expectation(rule: dict[str, Any]) -> bool:
    return re.sub("[^a-z]", "", rule["technology"].lower()) == "greatexpectations"


def _is_format(document: Document, path: Path, rule: dict[str, Any], columns: list[dict[str, Any]]) -> bool:
    """Return True if a rule defines how dates or times are written; it then becomes the format of its columns."""
    written = (rule.get("args") or {}).get("strftime_format")
    owners = [column for column in columns if column["name"] in (rule.get("columns") or ())]
    dated = all(column["logicalType"] in {"date", "time", "timestamp"} for column in owners)
    if not _is_expectation(rule) or rule.get("call") != STRFTIME or not isinstance(written, str) or not dated:
        return False
    pattern = re.sub("%.", lambda directive: PARTS.get(directive[0], "%"), written)
    if "%" in pattern or re.search("[A-Za-z]", re.sub("%.", "", written)):
        return False
    for column in owners:
        column.setdefault(OPTIONS, {})
        column[OPTIONS] = {**column[OPTIONS], "format": pattern}
    names = ", ".join(f"`{column['name']}.logicalType`" for column in owners) or "no check"
    lost(document, path, f"The rule `{rule['id']}` is the format of its columns; the check is {names}.", on_key=False)
    return True
