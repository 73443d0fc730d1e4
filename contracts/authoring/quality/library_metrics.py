"""The quality entries of a contract: an ODCS library metric in, the plan's check out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties.values import pattern_of, shown, text_of
from contracts.authoring.quality import history, thresholds
from contracts.plan import CONTAINERS, OPERATORS, Check, Property, Severity, Threshold
from contracts.problem import nearest

DIMENSIONS = {
    "nullValues": "completeness",
    "missingValues": "completeness",
    "duplicateValues": "uniqueness",
    "rowCount": "coverage",
    "notBlank": "completeness",
    "expression": "consistency",
}
"""The dimensions of metrics, where they are not `conformity`."""
Read = tuple[rules.Rule, str]
"""The rule of a metric, and a description of its valid values, for people."""
BUILT = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount")
OF_FILES = ("duplicateValues", "rowCount")
"""The metrics that are also allowed at the level of `properties`."""
ARGUMENTS = {"invalidValues": ("validValues", "pattern"), "missingValues": ("missingValues",)}
BARE: Mapping[str, rules.Rule] = {
    "nullValues": rules.NullValues(),
    "duplicateValues": rules.DuplicateValues(),
    "rowCount": rules.RowCount(),
}
"""The rules of metrics without arguments."""
SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}
MEANT = {"info": "warning", "warn": "warning", "low": "warning", "critical": "error", "fatal": "error", "high": "error"}


READ = {"id", "name", "type", "metric", "arguments", "unit", "severity", "dimension", "description", *OPERATORS}
CUSTOM = {"id", "name", "type", "engine", "implementation", "severity", "dimension", "description"}
DESCRIPTIVE = {"businessImpact", "tags", "method", "authoritativeDefinitions", "customProperties"}
TIMES = {"schedule", "scheduler"}


def read(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Check | None:
    """The check that an entry means, of a property or (None) of the whole file; None where a finding says why not.

    `props` are all of the record.
    """
    metric, use = entry.get("metric"), f"Use `metric:` with one of {', '.join(BUILT)}."
    if metric is None:
        document.error(path, "missing-key", "The entry names no `metric`.", use)
        return None
    if metric not in BUILT:
        document.error((*path, "metric"), "not-built-yet", f"The metric `{metric}` is not built yet.", use)
        return None
    if prop and metric == "rowCount":
        fix = "Write it under `quality` of the schema object, next to its `properties`."
        document.error((*path, "metric"), "wrong-place", "`rowCount` counts the records of a file.", fix)
        return None
    if prop is None and metric not in OF_FILES:
        fix = "Write it under `quality` of the property."
        document.error((*path, "metric"), "wrong-place", f"`{metric}` is about one property.", fix)
        return None
    others(document, path, entry, READ, "a `metric`")
    rule = _rule(document, path, entry, prop, props)
    weight = severity(document, path, entry)
    threshold = thresholds.read(document, path, entry)
    if rule is None or weight is None or threshold is None:
        return None
    return check(entry, prop, rule, weight, threshold)


def identity(entry: dict[str, Any], prop: Property | None, kind: str, severity: Severity) -> str:
    """The author's id or name of a check, else an id made of its property, kind and severity."""
    name = f"{prop.name}.{kind}" if prop else kind
    return entry.get("id") or entry.get("name") or (name if severity == "error" else f"{name}.warning")


def check(entry: dict[str, Any], prop: Property | None, read: Read, severity: Severity, threshold: Threshold) -> Check:
    """The check of a metric, from its rule and the description of its valid values."""
    rule, valid = read
    is_zero = threshold.operator == "mustBe" and not threshold.values[0] and not threshold.relative
    by_row = rule.kind not in OF_FILES and is_zero
    limit = "" if by_row else thresholds.words(threshold, rule.kind)
    return Check(
        id=identity(entry, prop, rule.kind, severity),
        rule=rule,
        scope="row" if by_row else "set",
        severity=severity,
        dimension=entry.get("dimension") or DIMENSIONS.get(rule.kind, "conformity"),
        expected=(f"{limit} ({valid})" if valid else limit) if limit else valid or "not null",
        property=prop.name if prop else None,
        threshold=None if by_row else threshold,
        description=entry.get("description"),
    )


def others(document: Document, path: Path, entry: dict[str, Any], read: set[str], beside: str) -> None:
    """Refuse keys of other types of entries; note that no schedule is followed."""
    for key in set(entry) - read - DESCRIPTIVE:
        at: Path = (*path, key)
        if key in TIMES:
            message = f"`{key}` is not used; every file is checked when it arrives."
            document.note(at, "not-used", message, "It may stay, for people and tools.", on_key=True)
        else:
            message = f"`{key}` has no effect next to {beside}."
            document.error(at, "unknown-key", message, "Leave it out; it would not be checked.", on_key=True)


def severity(document: Document, path: Path, entry: dict[str, Any]) -> Severity | None:
    """The severity of an entry; None, and a finding, if it is none."""
    word = entry.get("severity", "error")
    if word not in SEVERITIES:
        close = MEANT.get(word.casefold()) or nearest(word, SEVERITIES)
        fix = f"Write `{close}`." if close else "Write `error`, which rejects, or `warning`, which tells."
        document.error((*path, "severity"), "unknown-severity", f"`{word}` is not a severity.", fix)
    return SEVERITIES.get(word)


def _rule(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Read | None:
    """The rule of a metric and its valid values in words; None, and findings, if its arguments cannot be used."""
    metric, arguments = entry["metric"], entry.get("arguments") or {}
    arguments = {key: value for key, value in arguments.items() if key != history.KEY}
    takes = ("properties",) if prop is None and metric == "duplicateValues" else ARGUMENTS.get(metric, ())
    unknown = [k for k in arguments if k not in takes]
    for key in unknown:
        close = nearest(key, takes)
        fix = f"Write `{close}`." if close else f"It takes {' and '.join(takes) or 'none'}."
        message = f"`{metric}` has no argument `{key}`."
        document.error((*path, "arguments", key), "unknown-argument", message, fix, on_key=True)
    if unknown:
        return None
    if not takes:
        return BARE[metric], ""
    if prop is None:
        return _properties(document, path, arguments, props)
    if not arguments:
        fix = f"Add {' or '.join(f'`arguments: {{{k}: ...}}`' for k in takes)}."
        what = "valid" if metric == "invalidValues" else "missing"
        document.error(path, "no-argument", f"`{metric}` does not say which values are {what}.", fix)
        return None
    return _of_values(document, (*path, "arguments"), arguments, prop)


def _properties(document: Document, path: Path, arguments: dict[str, Any], props: Sequence[Property]) -> Read | None:
    """The properties whose values are compared together: only single values of a record compare."""
    names, at = arguments.get("properties"), (*path, "arguments", "properties")
    if names is None:
        message = "`duplicateValues` does not say of which properties."
        fix = "Add `arguments: {properties: [...]}`, or write the entry under one property."
        document.error(path, "no-argument", message, fix)
        return None
    if not isinstance(names, list) or not names:
        document.wrong_type(at, "a list of names of properties")
        return None
    if not are_properties(document, at, names, [p.name for p in props]):
        return None
    before = document.errors()
    for n, name in enumerate(names):
        prop = next(p for p in props if p.name == name)
        if not prop.repeats and prop.type not in CONTAINERS:
            continue
        several = "may have several values in a record" if prop.repeats else f"is of the type {prop.type}"
        if prop.type == "object" and not prop.repeats:
            fix = f"Name properties with single values within it, as `{prop.name}.id`."
        else:
            fix = "Leave it out; `logicalTypeOptions: {uniqueItems: true}` of an array forbids repeated elements."
        message = f"`duplicateValues` compares single values of records; `{prop.name}` {several}."
        document.error((*at, n), "not-built-yet", message, fix)
    return (rules.DuplicateValues(tuple(names)), "of " + ", ".join(names)) if document.errors() == before else None


def are_properties(document: Document, path: Path, names: list[Any], properties: list[str]) -> bool:
    """Return True if a list names properties, each once; report findings where it does not."""
    before = document.errors()
    for n, name in enumerate(names):
        is_property(document, (*path, n), name, properties, names[:n])
    return document.errors() == before


def is_property(document: Document, path: Path, name: Any, properties: list[str], before: Sequence[Any] = ()) -> None:
    """Refuse anything but the name of a property, and a name that is among those before it."""
    if not isinstance(name, str):
        document.wrong_type(path, "the name of a property", text=True)
    elif name not in properties:
        close = nearest(name, properties)
        fix = f"Write `{close}`." if close else "Write the name of a property of this schema."
        document.error(path, "unknown-property", f"The contract has no property `{name}`.", fix)
    elif name in before:
        document.error(path, "duplicate-property", f"The property `{name}` occurs twice.", "Keep one of them.")


def _of_values(document: Document, path: Path, arguments: dict[str, Any], prop: Property) -> Read | None:
    """The texts that count as missing, and whether null cells do, as cells are written; or the valid values."""
    before = document.errors()
    if "missingValues" in arguments:
        values, at = arguments["missingValues"], (*path, "missingValues")
        if not isinstance(values, list) or not values:
            document.wrong_type(at, "a list of texts and null")
            return None
        for n, value in enumerate(values):
            if value is not None and not isinstance(value, str):
                document.wrong_type((*at, n), "text or null", text=True)
        if document.errors() > before:
            return None
        missing = rules.MissingValues(tuple(dict.fromkeys(v for v in values if v is not None)), null=None in values)
        named = ["null"] * missing.null + [text or '""' for text in missing.values]
        return missing, "none" + shown(named).removeprefix("one")
    texts: tuple[str, ...] | None = None
    if "validValues" in arguments:
        values, at = arguments["validValues"], (*path, "validValues")
        texts = _valid(document, at, values, prop) if isinstance(values, list) else ()
        if not texts:
            document.wrong_type(at, "a list of values")
    matching = pattern(document, (*path, "pattern"), arguments["pattern"], prop) if "pattern" in arguments else None
    if document.errors() > before:
        return None
    words = [shown(texts)] if texts is not None else []
    if matching is None:
        return rules.InvalidValues(texts), " and ".join(words)
    words.append(f"matching {arguments['pattern']}")
    return rules.InvalidValues(texts, matching.pattern, matching.longest), " and ".join(words)


def _valid(document: Document, path: Path, values: list[Any], prop: Property) -> tuple[str, ...]:
    """Return the valid values of a list in the plan's notation; null, which is never invalid, is left out."""
    if None in values:
        message = "`null` is not invalid in any case, so that it need not be listed."
        document.note((*path, values.index(None)), "not-used", message, "It may stay; `required` refuses nulls.")
    present = [(n, value) for n, value in enumerate(values) if value is not None]
    return tuple(text_of(document, (*path, n), value, prop) or "" for n, value in present)


def never_missing(document: Document, owner: dict[str, Any], path: Path, nulls: Collection[str]) -> None:
    """Refuse missing values that no cell has, as the cell is null by then."""
    for n, entry in enumerate(owner.get("quality") or []):
        arguments = entry.get("arguments") if isinstance(entry, dict) else None
        texts = arguments.get("missingValues") if isinstance(arguments, dict) else None
        if not isinstance(texts, list) or None in texts:
            continue
        for k, value in enumerate(texts):
            if value in nulls:
                message = f"No cell is `{value}`: it is among the `nullValues`, so that the cell is null."
                at: Path = (*path, "quality", n, "arguments", "missingValues", k)
                document.error(at, "never-missing", message, "Add `null` to the list, or take it from `nullValues`.")


def is_text(document: Document, path: Path, prop: Property, what: str) -> bool:
    """Return True if a property is text, which `what` requires; report a finding if not."""
    if prop.type != "string":
        message = f"`{what}` is for text; `{prop.name}` is {prop.type}."
        document.error(path, "wrong-type", message, f"Write `logicalType: string`, or leave `{what}` out.")
    return prop.type == "string"


def pattern(document: Document, path: Path, value: Any, prop: Property) -> rules.Pattern | None:
    """The rule of a property's pattern; None, and a finding, if it cannot be used."""
    if not isinstance(value, str):
        document.wrong_type(path, "text", text=True)
        return None
    return pattern_of(document, path, value) if is_text(document, path, prop, "pattern") else None
