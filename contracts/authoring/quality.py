"""The quality entries of a contract: ODCS library metrics in, the plan's checks out."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from contracts.authoring import regex
from contracts.authoring.finding import Path
from contracts.authoring.schema import OPERATORS, wrong_type
from contracts.authoring.source import Document
from contracts.authoring.values import shown, text_of
from contracts.plan import Check, Property, Severity, Threshold
from contracts.problem import nearest

BUILT = ("nullValues", "invalidValues", "rowCount")
NOUNS = {"nullValues": "nulls", "invalidValues": "invalid values", "rowCount": "records"}
DIMENSIONS = {"nullValues": "completeness", "invalidValues": "conformity", "rowCount": "coverage"}
SIGNS = {
    "mustBe": "=", "mustNotBe": "!=", "mustBeGreaterThan": ">", "mustBeGreaterOrEqualTo": ">=", "mustBeLessThan": "<", "mustBeLessOrEqualTo": "<=",
}  # fmt: skip
DESCRIPTIVE = {"id", "name", "type", "metric", "description", "dimension", "severity", "unit", "arguments", "businessImpact", "tags", "method", "authoritativeDefinitions", "customProperties"}
UNUSED = ("schedule", "scheduler")


def read(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> Check | None:
    """The check that an entry means, of a property or (None) of the whole file; None where a finding says why not."""
    if not _is_built(document, path, entry, prop):
        return None
    metric: str = entry["metric"]
    arguments = _arguments(document, path, entry, prop)
    severity = _severity(document, path, entry)
    threshold = _threshold(document, path, entry)
    if arguments is None or severity is None or threshold is None:
        return None
    is_row = metric != "rowCount" and threshold.operator == "mustBe" and threshold.values == (0,)
    name = metric if prop is None else f"{prop.name}.{metric}"
    return Check(
        id=entry.get("id") or entry.get("name") or (name if severity == "error" else f"{name}.warning"),
        kind=metric,
        scope="row" if is_row else "set",
        severity=severity,
        dimension=entry.get("dimension") or DIMENSIONS[metric],
        expected=_expected(metric, None if is_row else threshold, _valid_words(entry, arguments)),
        property=prop.name if prop else None,
        arguments=arguments,
        threshold=None if is_row else threshold,
        description=entry.get("description"),
    )


def _is_built(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> bool:
    kind = entry.get("type", "library")
    metric = entry.get("metric")
    if kind != "library":
        document.error((*path, "type"), "not-built-yet", f"Quality entries of type `{kind}` are not built yet.", f"Use `metric:` with one of {', '.join(BUILT)}.")
        return False
    if metric is None:
        close = next((c for k in entry if k not in DESCRIPTIVE and (c := nearest(k, ("metric",)))), None)
        document.error(path, "missing-key", "The entry names no `metric`.", f"Write `{close}`." if close else f"Add `metric:` with one of {', '.join(BUILT)}.")
        return False
    if metric not in BUILT:
        fix = "Write `unique: true` on the property." if metric == "duplicateValues" else f"Use one of {', '.join(BUILT)}."
        document.error((*path, "metric"), "not-built-yet", f"The metric `{metric}` is not built yet.", fix)
        return False
    if (metric == "rowCount") == (prop is not None):
        where = "under `quality` of the schema object, beside `properties`" if prop else "under `quality` of the property that it is about"
        document.error((*path, "metric"), "wrong-place", f"`{metric}` {'counts the records of a file' if prop else 'is about one property'}.", f"Write it {where}.")
        return False
    return True


def _severity(document: Document, path: Path, entry: dict[str, Any]) -> Severity | None:
    found = entry.get("severity", "error")
    if found == "error" or found == "warning":
        severity: Literal["error", "warning"] = found
        return severity
    close = {"info": "warning", "warn": "warning", "critical": "error", "fatal": "error", "high": "error", "low": "warning"}.get(found.casefold())
    close = close or nearest(found, ("error", "warning"))
    fix = f"Write `{close}`." if close else "Write `error`, which rejects, or `warning`, which tells."
    document.error((*path, "severity"), "unknown-severity", f"`{found}` is not a severity.", fix)
    return None


def _threshold(document: Document, path: Path, entry: dict[str, Any]) -> Threshold | None:
    operator = next((o for o in OPERATORS if o in entry), None)
    unit = entry.get("unit", "rows")
    if operator is None:
        return None
    if unit not in ("rows", "percent"):
        close = "percent" if unit == "%" else nearest(unit, ("rows", "percent"))
        document.error((*path, "unit"), "unknown-unit", f"`{unit}` is not a unit.", f"Write `{close}`." if close else "Write `rows` or `percent`.")
        return None
    if unit == "percent" and entry["metric"] == "rowCount":
        document.error((*path, "unit"), "unknown-unit", "A percentage of records has nothing to be a part of.", "Leave `unit` out; rowCount is a number of records.")
        return None
    raw = entry[operator] if isinstance(entry[operator], list) else [entry[operator]]
    at: Path = (*path, operator)
    if not all(isinstance(v, (int, Decimal)) and not isinstance(v, bool) for v in raw):
        document.findings.append(wrong_type(document, at, "a number", text=False))
        return None
    made = Threshold(operator, tuple(Decimal(v) for v in raw), unit)
    return made if _can_hold(document, at, made) else None


def _can_hold(document: Document, path: Path, made: Threshold) -> bool:
    """Whether some file can meet the threshold; a finding says if none can."""
    low, high = made.values[0], made.values[-1]
    most = 100 if made.unit == "percent" else None
    wrong, fix = None, ""
    if low < 0 or high < 0:
        wrong, fix = "A count is never below 0", "Write 0 or more."
    elif most is not None and high > most:
        wrong, fix = "A percentage is never above 100", "Write at most 100."
    elif low > high:
        wrong, fix = "The greater number stands first", f"Write [{high}, {low}]."
    elif made.operator == "mustBeBetween" and made.unit == "rows" and int(low) + 1 >= high:
        wrong, fix = f"No count lies between {low} and {high}, the ends are excluded", "Write a wider range, or `mustBe`."
    elif made.operator == "mustBeLessThan" and low == 0:
        wrong, fix = "A count is never below 0", "Write `mustBe: 0`."
    elif made.unit == "rows" and made.operator == "mustBe" and low != low.to_integral_value():
        wrong, fix = "A count is a whole number", "Write one."
    if wrong:
        document.error(path, "cannot-hold", f"{wrong}.", fix)
    return wrong is None


def _arguments(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> dict[str, Any] | None:
    found = entry.get("arguments") or {}
    known = ("validValues", "pattern") if entry["metric"] == "invalidValues" else ()
    unknown = [k for k in found if k not in known]
    for key in unknown:
        close = nearest(key, known)
        fix = f"Write `{close}`." if close else "Leave it out." if not known else "The arguments are `validValues` and `pattern`."
        document.error((*path, "arguments", key), "unknown-argument", f"`{entry['metric']}` has no argument `{key}`.", fix, on_key=True)
    if unknown:
        return None
    if prop is None or not known:
        return {}
    if not found:
        document.error(path, "no-argument", "`invalidValues` does not say which values are valid.", "Add `arguments: {validValues: [...]}` or `arguments: {pattern: ...}`.")
        return None
    return _valid(document, (*path, "arguments"), found, prop)


def _valid(document: Document, path: Path, found: dict[str, Any], prop: Property) -> dict[str, Any] | None:
    made: dict[str, Any] = {}
    before = len(document.findings)
    if "validValues" in found:
        values = found["validValues"]
        if not isinstance(values, list) or not values:
            document.findings.append(wrong_type(document, (*path, "validValues"), "a list of values", text=False))
            return None
        made["values"] = [t for n, v in enumerate(values) if (t := text_of(document, (*path, "validValues", n), v, prop)) is not None]
    if "pattern" in found:
        made["pattern"] = _pattern(document, (*path, "pattern"), found["pattern"], prop)
    return made if len(document.findings) == before else None


def _pattern(document: Document, path: Path, value: Any, prop: Property) -> str | None:
    if not isinstance(value, str):
        document.findings.append(wrong_type(document, path, "text", text=True))
        return None
    if prop.type != "string":
        document.error(path, "wrong-type", f"`pattern` is for text; `{prop.name}` is {prop.type}.", "Write `logicalType: string`, or leave the pattern out.")
        return None
    java = regex.to_java(value)
    if isinstance(java, regex.Refused):
        document.error(path, "bad-pattern", java.message, java.fix)
        return None
    return java


def _expected(metric: str, threshold: Threshold | None, valid: str) -> str:
    if threshold is None:
        return valid or "not null"
    noun, unit = NOUNS[metric], " %" if threshold.unit == "percent" else ""
    figures = [f"{v:,}" for v in threshold.values]
    if threshold.operator in ("mustBeBetween", "mustNotBeBetween"):
        negated, ends = ("not ", "allowed") if threshold.operator == "mustNotBeBetween" else ("", "excluded")
        words = f"{negated}between {figures[0]} and {figures[1]}"
        words = f"{words} {noun}, ends {ends}" if metric == "rowCount" else f"{noun} {words}{unit}, ends {ends}"
        return f"{words} ({valid})" if valid else words
    sign = SIGNS[threshold.operator]
    words = f"{sign} {figures[0]} {noun}" if metric == "rowCount" else f"{noun} {sign} {figures[0]}{unit}"
    return f"{words} ({valid})" if valid else words


def _valid_words(entry: dict[str, Any], arguments: dict[str, Any]) -> str:
    parts = [shown(arguments["values"])] if "values" in arguments else []
    return " and ".join(parts + ([f"matching {entry['arguments']['pattern']}"] if "pattern" in arguments else []))
