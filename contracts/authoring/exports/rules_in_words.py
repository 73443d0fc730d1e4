"""Rules in plain words, for people who do not write contracts: a check of the plan in, a sentence about it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from contracts.authoring.properties.values import type_name
from contracts.messages import BOUNDS, LIMITS, NAMES, limit_in_words, tolerated_in_words
from contracts.plan import EXPECTATION, FOREIGN_KEY, UNCHECKED, Check, Plan, Property
from contracts.values.text_formats import INTEGERS, TEXT

AILING = {
    "nullValues": "empty",
    "missingValues": "missing",
    "invalidValues": "invalid",
    "notBlank": "blank",
    "regex": "invalid",
    "duplicateValues": "repeated",
    "expression": "false",
}
"""The fault that each metric counts, as an adjective."""
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "array": "list",
    "map": "map",
}


def in_words(check: Check) -> str:
    """Return a check in words: a phrase without the name for a column, a sentence for the whole file."""
    if check.filter:
        rule = in_words(replace(check, filter=None, expected=check.expected.removesuffix(check.where)))
        return f"{rule.removesuffix('.')} (only rows {_which(check)})"
    if check.kind in NAMES:
        return f"The {NAMES[check.kind]} of all values is {how_limited(check)}"
    if check.kind == "rowCount":
        return f"The file has {how_limited(check)} rows."
    if check.kind == EXPECTATION:
        return f"This Great Expectations expectation is met: {check.expected}"
    if check.threshold:
        return _counted(check)
    if check.kind in BOUNDS and "value" in check.arguments:
        return BOUNDS[check.kind].format(value=check.arguments["value"])
    said = SAID.get(check.kind)
    return said(check) if said else check.expected


def _which(check: Check) -> str:
    """Return the words for the rows that a check is limited to."""
    only = [f"where {check.arguments['filter']['text']}"] if check.arguments["filter"]["text"] else []
    only += [f"whose {check.watermark} is newer than in every file accepted before"] if check.watermark else []
    return " and ".join(only)


def type_in_words(prop: Property) -> str:
    """Return the type of a column in words."""
    if prop.exact or prop.type not in TYPES:
        return type_name(prop).removeprefix("a ").removeprefix("an ")
    return TYPES[prop.type]


def of_breaking(plan: Plan, check: Check) -> str:
    """Return the consequence of breaking a rule; empty if one bad row rejects the file."""
    if check.kind in UNCHECKED:
        return "not checked by dropgate: people check it" if check.kind == "forPeople" else "checked by another tool"
    limit = check.tolerance or (plan.tolerance if check.scope != "set" and check.severity == "error" else None)
    if check.severity == "warning":
        return "only a warning" if not limit else f"only a warning, if more than {tolerated_in_words(limit)} break it"
    return f"up to {tolerated_in_words(limit)} may break this" if limit and limit.value else ""


def how_many(check: Check) -> str:
    """Return in words how many rows may fail a check that has a threshold."""
    threshold = check.threshold
    assert threshold is not None
    of = "of the rows" if threshold.unit == "percent" else "row" if threshold.values[-1] == 1 else "rows"
    return f"{limit_in_words(threshold)} {of}"


def _counted(check: Check) -> str:
    about = f" ({check.expected.partition(' (')[2]}" if " (" in check.expected else ""
    return f"{AILING.get(check.kind, 'invalid')} in {how_many(check)}{about}"


def how_limited(check: Check) -> str:
    """Return the threshold of a figure in words."""
    assert check.threshold is not None
    if limits := check.arguments.get("limits"):
        return LIMITS[check.threshold.operator].format(*limits)
    return limit_in_words(check.threshold)


def _key(check: Check) -> str:
    return f"{' and '.join(check.properties())} are filled in, and their combination is different in every row."


def _listed(texts: list[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


def _some(check: Check, noun: str) -> str:
    count = check.arguments["value"]
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _or_empty(check: Check) -> str:
    return ", and never empty" if check.arguments["null"] else ""


def _found(check: Check) -> str:
    there = check.arguments["text"]
    if check.property:
        return f"one of the values in {there}"
    return f"{' and '.join(check.properties())} are a combination that is in {there}."


def _format(check: Check) -> str:
    name = check.arguments["format"]
    if name in TEXT:
        return f"{TEXT[name].words}, like {TEXT[name].example}"
    if name in INTEGERS:
        least, most = INTEGERS[name]
        return f"from {least:,} to {most:,}"
    return check.expected


SAID: dict[str, Callable[[Check], str]] = {
    "required": lambda _: "always filled in",
    "nullValues": lambda _: "always filled in",
    "notBlank": lambda _: "not blank",
    "unique": lambda _: "different in every row of a file",
    "primaryKey": lambda check: "filled in and different in every row" if check.property else _key(check),
    "enum": lambda check: f"one of {_listed(check.arguments['values'])}",
    "multipleOf": lambda check: f"a multiple of {check.arguments['value']}",
    "missingValues": lambda check: f"never written as {_listed(check.arguments['values'])}{_or_empty(check)}",
    "format": _format,
    FOREIGN_KEY: _found,
    "minItems": lambda check: f"at least {_some(check, 'element')}",
    "maxItems": lambda check: f"at most {_some(check, 'element')}",
    "uniqueItems": lambda _: "no element twice",
    "minProperties": lambda check: f"at least {_some(check, 'key')} with a value",
    "maxProperties": lambda check: f"at most {_some(check, 'key')} with a value",
    "deprecated": lambda _: "left empty: it is deprecated, and the next version may drop it",
    "fields": lambda _: "Every row has as many cells as the first line.",
    "quotes": lambda _: "Every quote is closed on its line.",
    "text": lambda _: "The file is text in the agreed encoding.",
    "object": lambda _: "Every line is one JSON object.",
    "keys": lambda _: "Every key occurs once in its object.",
    "knownKeys": lambda _: "Every key is one of the columns below.",
}
"""The words for each kind of row check; bounds, lengths and patterns use the text of the plan."""
