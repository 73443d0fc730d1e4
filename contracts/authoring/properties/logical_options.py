"""The logicalTypeOptions of a property: bounds, lengths and patterns of a document in, row checks of the plan out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties import value_formats
from contracts.authoring.properties.values import order_of, pattern_of, text_of
from contracts.plan import Check, Property

SIGNS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
WORDS = SIGNS | {"multipleOf": "a multiple of"}
LOWER, UPPER = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
BOUNDS = tuple(SIGNS)
OPTIONS = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": (*BOUNDS, "multipleOf", "format"),
    "number": (*BOUNDS, "multipleOf", "format"),
    "date": BOUNDS,
    "timestamp": BOUNDS,
    "time": BOUNDS,
    "object": ("minProperties", "maxProperties"),
    "array": ("minItems", "maxItems", "uniqueItems"),
    "map": (),
}
DATED = ("date", "timestamp", "time")
OF_THE_TYPE = {*((kind, "format") for kind in DATED), ("timestamp", "timezone"), ("timestamp", "defaultTimezone")}
OF_THE_TYPE |= {("object", "required")}
"""Options that describe how values of a type are written or composed, and are no rule of their own."""
COUNTED = {"Length": "characters", "Items": "elements", "Properties": "keys that are not null"}
"""The units that `min` and `max` options count."""
COUNTS: Mapping[str, Callable[[int], rules.Count]] = {
    "minLength": rules.MinLength,
    "maxLength": rules.MaxLength,
    "minItems": rules.MinItems,
    "maxItems": rules.MaxItems,
    "minProperties": rules.MinProperties,
    "maxProperties": rules.MaxProperties,
}
LIMITS: Mapping[str, Callable[[str], rules.Bound | rules.MultipleOf]] = {
    "minimum": rules.Minimum,
    "exclusiveMinimum": rules.ExclusiveMinimum,
    "maximum": rules.Maximum,
    "exclusiveMaximum": rules.ExclusiveMaximum,
    "multipleOf": rules.MultipleOf,
}
MOST = 2**31 - 1
"""Characters of a text, elements of an array, keys of an object: Spark counts no more."""
NOT_CHECKED = "Leave it out; it would not be checked."


def read(document: Document, path: Path, options: dict[str, Any], prop: Property) -> list[Check]:
    """Return the checks of a property's options; refuse two counts, or two bounds, between which no value lies."""
    checks: dict[str, Check] = {}
    for key, value in options.items():
        if (prop.type, key) in OF_THE_TYPE:
            continue
        if key not in OPTIONS.get(prop.type, ()):
            message = f"`{key}` of a {prop.type} is not built yet."
            document.error((*path, key), "not-built-yet", message, NOT_CHECKED, on_key=True)
        elif check := _option(document, (*path, key), key, value, prop, options.get("maxLength")):
            checks[key] = check
    sizes = {key: check.rule.value for key, check in checks.items() if isinstance(check.rule, rules.Count)}
    for what, noun in COUNTED.items():
        low, high = f"min{what}", f"max{what}"
        if low in sizes and high in sizes and sizes[low] > sizes[high]:
            message = f"Nothing has at least {sizes[low]} and at most {sizes[high]} {noun}."
            _crossed(document, (*path, low), message)
    bounds = {key: check.rule.value for key, check in checks.items() if isinstance(check.rule, rules.Bound)}
    for low, high in ((low, high) for low, high in product(LOWER, UPPER) if low in bounds and high in bounds):
        least, most = order_of(bounds[low], prop), order_of(bounds[high], prop)
        excluded = (low != "minimum") + (high != "maximum")
        if isinstance(least, int) and isinstance(most, int):  # only integers have a next value
            is_empty = least + excluded > most
        else:
            is_empty = least > most or (least == most and excluded > 0)
        if is_empty:
            message = f"Nothing is {SIGNS[low]} {bounds[low]} and {SIGNS[high]} {bounds[high]}."
            _crossed(document, (*path, low), message)
    return list(checks.values())


def row_check(prop: Property, rule: rules.ValueRule, expected: str) -> Check:
    """Return a row check of a property's values, with an id made of property and kind."""
    return Check(f"{prop.name}.{rule.kind}", rule, "row", "error", "conformity", expected, prop.name)


def _option(document: Document, path: Path, key: str, value: Any, prop: Property, most: int | None) -> Check | None:
    """Return the check of one option; `most` is the greatest length of the property's texts."""
    if key == "pattern":
        rule = pattern_of(document, path, value, most)
        return None if rule is None else row_check(prop, rule, f"matching {value}")
    if noun := COUNTED.get(key[3:]):
        if int(value) > MOST:
            message = f"No value has {value!s:.40} {noun}: there are at most {MOST:,}."
            document.error(path, "cannot-hold", message, "Leave it out, or write the number that is meant.")
            return None
        words = f"at {'least' if key.startswith('min') else 'most'} {value} {noun}"
        return row_check(prop, COUNTS[key](int(value)), words)
    if key == "uniqueItems":
        return row_check(prop, rules.UniqueItems(), "no element twice") if value else None
    if key == "format":
        expected = value_formats.read(document, path, value, prop)
        return None if expected is None else row_check(prop, rules.Format(value), expected)
    text = text_of(document, path, value, prop)
    return None if text is None else row_check(prop, LIMITS[key](text), f"{WORDS[key]} {text}")


def _crossed(document: Document, path: Path, message: str) -> None:
    document.error(path, "bounds-crossed", message, "Exchange the two, or correct one.")
