"""The quality entries of a contract: an ODCS library metric in, the plan's check out."""

from __future__ import annotations

from typing import Any

from contracts.authoring import custom, thresholds
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.authoring.values import pattern_of, shown, text_of
from contracts.plan import OPERATORS, Check, Property, Severity, Threshold
from contracts.problem import nearest

BUILT = ("nullValues", "invalidValues", "duplicateValues", "rowCount")
DIMENSIONS = {
    "nullValues": "completeness",
    "invalidValues": "conformity",
    "duplicateValues": "uniqueness",
    "rowCount": "coverage",
}
OF_ROWS = ("nullValues", "invalidValues")
"""The metrics that say which records they count: of `mustBe: 0` they are row checks."""
OF_FILES = ("duplicateValues", "rowCount")
"""The metrics that may stand beside the properties."""
SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}
MEANT = {"info": "warning", "warn": "warning", "low": "warning", "critical": "error", "fatal": "error", "high": "error"}


READ = {"id", "name", "type", "metric", "arguments", "unit", "severity", "dimension", "description", *OPERATORS}
CUSTOM = {"id", "name", "type", "engine", "implementation", "severity", "dimension", "description"}
DESCRIPTIVE = {"businessImpact", "tags", "method", "authoritativeDefinitions", "customProperties"}
TIMES = {"schedule", "scheduler"}


def read(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> Check | None:
    """The check that an entry means, of a property or (None) of the whole file; None where a finding says why not."""
    if entry.get("type") == "custom":
        return _custom(document, path, entry, prop)
    if not _is_built(document, path, entry, prop):
        return None
    _others(document, path, entry, READ)
    arguments = _arguments(document, path, entry, prop)
    severity = _severity(document, path, entry)
    threshold = thresholds.read(document, path, entry)
    if arguments is None or severity is None or threshold is None:
        return None
    return _made(entry, prop, arguments, severity, threshold)


def _custom(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> Check | None:
    """The check of an entry for our own engine."""
    _others(document, path, entry, CUSTOM)
    meaning = custom.read(document, path, entry, prop)
    severity = _severity(document, path, entry)
    if meaning is None or severity is None:
        return None
    return Check(
        id=_id(entry, prop, meaning.kind, severity),
        kind=meaning.kind,
        scope="set" if meaning.threshold else "row",
        severity=severity,
        dimension=entry.get("dimension") or meaning.dimension,
        expected=meaning.expected,
        property=prop.name if prop else None,
        arguments=meaning.arguments,
        threshold=meaning.threshold,
        description=entry.get("description"),
    )


def _id(entry: dict[str, Any], prop: Property | None, kind: str, severity: Severity) -> str:
    """The author's id or name of a check, else one of its own that says where and what it is."""
    name = f"{prop.name}.{kind}" if prop else kind
    return entry.get("id") or entry.get("name") or (name if severity == "error" else f"{name}.warning")


def _made(
    entry: dict[str, Any], prop: Property | None, arguments: dict[str, Any], severity: Severity, threshold: Threshold
) -> Check:
    metric: str = entry["metric"]
    by_row = metric in OF_ROWS and threshold.operator == "mustBe" and not threshold.values[0]
    valid = _valid_words(entry, arguments)
    said = [] if by_row else [thresholds.words(threshold, metric)]
    return Check(
        id=_id(entry, prop, metric, severity),
        kind=metric,
        scope="row" if by_row else "set",
        severity=severity,
        dimension=entry.get("dimension") or DIMENSIONS[metric],
        expected=(f"{said[0]} ({valid})" if valid else said[0]) if said else valid or "not null",
        property=prop.name if prop else None,
        arguments=arguments,
        threshold=None if by_row else threshold,
        description=entry.get("description"),
    )


def _valid_words(entry: dict[str, Any], arguments: dict[str, Any]) -> str:
    if "properties" in arguments:
        return "of " + ", ".join(arguments["properties"])
    parts = [shown(arguments["values"])] if "values" in arguments else []
    return " and ".join(parts + ([f"matching {entry['arguments']['pattern']}"] if "pattern" in arguments else []))


def _is_built(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> bool:
    kind, metric = entry.get("type", "library"), entry.get("metric")
    use = f"Use `metric:` with one of {', '.join(BUILT)}."
    if kind != "library":
        message = f"Quality entries of type `{kind}` are not built yet."
        document.error((*path, "type"), "not-built-yet", message, use)
        return False
    if metric is None:
        document.error(path, "missing-key", "The entry names no `metric`.", use)
        return False
    if metric not in BUILT:
        document.error((*path, "metric"), "not-built-yet", f"The metric `{metric}` is not built yet.", use)
        return False
    if prop and metric == "rowCount":
        fix = "Write it under `quality` of the schema object, beside its `properties`."
        document.error((*path, "metric"), "wrong-place", "`rowCount` counts the records of a file.", fix)
        return False
    if prop is None and metric not in OF_FILES:
        fix = "Write it under `quality` of the property."
        document.error((*path, "metric"), "wrong-place", f"`{metric}` is about one property.", fix)
        return False
    return True


def _others(document: Document, path: Path, entry: dict[str, Any], read_keys: set[str]) -> None:
    """Refuse keys of other types of entries; note that nobody goes by a schedule."""
    for key in set(entry) - read_keys - DESCRIPTIVE:
        at: Path = (*path, key)
        if key in TIMES:
            message = f"`{key}` is not used; every file is checked when it arrives."
            document.note(at, "not-used", message, "It may stay, for people and tools.", on_key=True)
        else:
            message = f"`{key}` says nothing beside {'a `metric`' if read_keys is READ else 'an `implementation`'}."
            document.error(at, "unknown-key", message, "Leave it out; it would not be checked.", on_key=True)


def _severity(document: Document, path: Path, entry: dict[str, Any]) -> Severity | None:
    found = entry.get("severity", "error")
    if found not in SEVERITIES:
        close = MEANT.get(found.casefold()) or nearest(found, SEVERITIES)
        fix = f"Write `{close}`." if close else "Write `error`, which rejects, or `warning`, which tells."
        document.error((*path, "severity"), "unknown-severity", f"`{found}` is not a severity.", fix)
    return SEVERITIES.get(found)


def _arguments(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> dict[str, Any] | None:
    """The arguments of a metric for the plan; None, and findings, if they cannot be used."""
    metric, found = entry["metric"], entry.get("arguments") or {}
    known = _known_arguments(metric, prop)
    unknown = [k for k in found if k not in known]
    for key in unknown:
        close = nearest(key, known)
        fix = f"Write `{close}`." if close else f"It takes {' and '.join(known) or 'none'}."
        message = f"`{metric}` has no argument `{key}`."
        document.error((*path, "arguments", key), "unknown-argument", message, fix, on_key=True)
    if unknown:
        return None
    if not known:
        return {}
    if prop is None:
        return _properties(document, path, found)
    if not found:
        fix = "Add `arguments: {validValues: [...]}` or `arguments: {pattern: ...}`."
        document.error(path, "no-argument", "`invalidValues` does not say which values are valid.", fix)
        return None
    return _valid(document, (*path, "arguments"), found, prop)


def _known_arguments(metric: str, prop: Property | None) -> tuple[str, ...]:
    if metric == "invalidValues":
        return ("validValues", "pattern")
    return ("properties",) if metric == "duplicateValues" and prop is None else ()


def _properties(document: Document, path: Path, found: dict[str, Any]) -> dict[str, Any] | None:
    """The properties whose values are compared together."""
    names, at = found.get("properties"), (*path, "arguments", "properties")
    if names is None:
        message = "`duplicateValues` does not say of which properties."
        fix = "Add `arguments: {properties: [...]}`, or write the entry under one property."
        document.error(path, "no-argument", message, fix)
        return None
    if not isinstance(names, list) or not names:
        document.wrong_type(at, "a list of names of properties")
        return None
    sources = document.value((*path[:2], "properties"))
    known = [s["name"] for s in sources if isinstance(s, dict)]
    before = document.errors()
    for n, name in enumerate(names):
        _is_property(document, (*at, n), name, known, names[:n])
    return {"properties": names} if document.errors() == before else None


def _is_property(document: Document, path: Path, name: Any, known: list[str], before: list[Any]) -> None:
    if not isinstance(name, str):
        document.wrong_type(path, "the name of a property", text=True)
    elif name not in known:
        close = nearest(name, known)
        fix = f"Write `{close}`." if close else "Write the name of a property of this schema."
        document.error(path, "unknown-property", f"The contract has no property `{name}`.", fix)
    elif name in before:
        document.error(path, "duplicate-property", f"The property `{name}` stands twice.", "Keep one of them.")


def _valid(document: Document, path: Path, found: dict[str, Any], prop: Property) -> dict[str, Any] | None:
    made: dict[str, Any] = {}
    before = document.errors()
    if "validValues" in found:
        values, at = found["validValues"], (*path, "validValues")
        if isinstance(values, list) and values:
            made["values"] = [text_of(document, (*at, n), value, prop) for n, value in enumerate(values)]
        else:
            document.wrong_type(at, "a list of values")
    if "pattern" in found:
        made["pattern"] = _pattern(document, (*path, "pattern"), found["pattern"], prop)
    return made if document.errors() == before else None


def _pattern(document: Document, path: Path, value: Any, prop: Property) -> str | None:
    if not isinstance(value, str):
        document.wrong_type(path, "text", text=True)
        return None
    if prop.type != "string":
        message = f"`pattern` is for text; `{prop.name}` is {prop.type}."
        document.error(path, "wrong-type", message, "Write `logicalType: string`, or leave the pattern out.")
        return None
    return pattern_of(document, path, value)
