"""The properties of a contract: an ODCS property in, the plan's property and the checks of its constraints out."""

from __future__ import annotations

from typing import Any, get_args

from contracts.authoring import datetimes
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.authoring.values import order_of, pattern_of, shown, text_of, type_name
from contracts.plan import Check, LogicalType, Property

BUILT = get_args(LogicalType)
DESCRIPTIVE = {
    "id", "name", "logicalType", "description", "businessName", "examples", "tags", "synonyms",
    "authoritativeDefinitions", "customProperties", "criticalDataElement", "classification", "deprecated",
    "encryptedName", "transformSourceObjects", "transformLogic", "transformDescription", "partitioned",
    "partitionKeyPosition", "physicalType", "primaryKeyPosition", "context",
}  # fmt: skip
"""Keys of a property that state no rule; classification says what receipts may show."""
RULES = {"logicalTypeOptions", "required", "unique", "primaryKey", "enum", "quality"}
FLAGS = {
    "required": ("completeness", "not null"),
    "unique": ("uniqueness", "no value twice"),
    "primaryKey": ("uniqueness", "not null, no value twice"),
}
BOUNDS = ("minimum", "maximum")
OPTIONS = {
    "string": ("minLength", "maxLength", "pattern"),
    "integer": BOUNDS,
    "number": BOUNDS,
    "date": BOUNDS,
    "timestamp": BOUNDS,
}
AS_WE_DO = (("integer", "i64"), ("number", "f64"))
"""Formats of numbers that are what is checked anyway."""
INSTEAD = {
    "exclusiveMinimum": "Write `minimum` with the first value that is allowed.",
    "exclusiveMaximum": "Write `maximum` with the last value that is allowed.",
}
NOT_CHECKED = "Leave it out; it would not be checked."


def read(document: Document, path: Path, source: dict[str, Any]) -> tuple[Property, list[Check]] | None:
    """A property and the checks of its constraints (not of its `quality`); None if its type is none of ours."""
    kind = source.get("logicalType")
    if kind is None:
        message = f"`{source['name']}` has no `logicalType`."
        document.error(path, "no-type", message, "Write one; `logicalType: string` takes any text.")
        return None
    if kind not in BUILT:
        message = f"`logicalType: {kind}` is not built yet."
        document.error((*path, "logicalType"), "not-built-yet", message, f"Use one of {', '.join(BUILT)}.")
        return None
    _refuse_others(document, path, source)
    options = source.get("logicalTypeOptions") or {}
    pattern = _format(document, (*path, "logicalTypeOptions", "format"), options.get("format"), kind)
    prop = Property(source["name"], kind, pattern, bool(source.get("required")), source.get("classification"))
    enum = _enum(document, path, source, prop)
    types = [] if prop.type == "string" else [type_check(prop)]  # of CSV any cell is a text
    return prop, [*types, *_flags(prop, source), *enum, *_options(document, path, options, prop)]


def _refuse_others(document: Document, path: Path, source: dict[str, Any]) -> None:
    for key, value in source.items():
        if key in DESCRIPTIVE | RULES or (key == "semanticType" and value == "column"):
            continue
        if key != "physicalName":
            document.error((*path, key), "not-built-yet", f"`{key}` is not built yet.", NOT_CHECKED, on_key=True)
        elif value != source["name"]:
            message = f"`physicalName` of `{source['name']}` is another name; columns are found by `name`."
            fix = f"Write `name: {value}` if that is the name in the file's header; else leave `physicalName` out."
            document.error((*path, key), "not-built-yet", message, fix)


def _check(prop: Property, kind: str, expected: str, arguments: dict[str, Any] | None = None) -> Check:
    name = f"{prop.name}.{kind}"
    return Check(name, kind, "row", "error", "conformity", expected, prop.name, arguments or {})


def type_check(prop: Property) -> Check:
    """Whether a value is of its type."""
    return _check(prop, "logicalType", type_name(prop), {"format": prop.format} if prop.format else {})


def _flags(prop: Property, source: dict[str, Any]) -> list[Check]:
    return [
        Check(f"{prop.name}.{kind}", kind, "row" if kind == "required" else "set", "error", dimension, said, prop.name)
        for kind, (dimension, said) in FLAGS.items()
        if source.get(kind)
    ]


def _enum(document: Document, path: Path, source: dict[str, Any], prop: Property) -> list[Check]:
    if "enum" not in source:
        return []
    entries = [((*path, "enum", n, "value"), entry["value"]) for n, entry in enumerate(source["enum"])]
    texts = [t for at, value in entries if (t := text_of(document, at, value, prop)) is not None]
    return [_check(prop, "enum", shown(texts), {"values": texts})]


def _format(document: Document, path: Path, pattern: str | None, kind: LogicalType) -> str | None:
    if pattern is None or (kind, pattern) in AS_WE_DO:
        return None
    if kind not in {"date", "timestamp"}:
        fix = "Leave it out, or write a `pattern`." if kind == "string" else "Write `minimum` and `maximum`."
        document.error(path, "not-built-yet", f"`format: {pattern}` of a {kind} is not built yet.", fix)
        return None
    if wrong := datetimes.fault(pattern, kind):
        document.error(path, "bad-format", wrong.message, wrong.fix)
        return None
    return pattern


def _options(document: Document, path: Path, options: dict[str, Any], prop: Property) -> list[Check]:
    found: dict[str, Check] = {}
    for key, value in options.items():
        at: Path = (*path, "logicalTypeOptions", key)
        if key == "format":
            continue
        if key not in OPTIONS.get(prop.type, ()):
            message = f"`{key}` of a {prop.type} is not built yet."
            document.error(at, "not-built-yet", message, INSTEAD.get(key, NOT_CHECKED), on_key=True)
        elif check := _option(document, at, key, value, prop):
            found[key] = check
    _in_order(document, (*path, "logicalTypeOptions"), found, prop)
    return list(found.values())


def _option(document: Document, path: Path, key: str, value: Any, prop: Property) -> Check | None:
    if key == "pattern":
        java = pattern_of(document, path, value)
        return None if java is None else _check(prop, key, f"matching {value}", {"pattern": java})
    if key in {"minLength", "maxLength"}:
        return _check(
            prop,
            key,
            f"at {key[:3]} {value} characters".replace("min", "least").replace("max", "most"),
            {"value": int(value)},
        )
    text = text_of(document, path, value, prop)
    return None if text is None else _check(prop, key, f"{'>=' if key == 'minimum' else '<='} {text}", {"value": text})


def _in_order(document: Document, path: Path, found: dict[str, Check], prop: Property) -> None:
    for low, high in (BOUNDS, ("minLength", "maxLength")):
        if low in found and high in found:
            least, most = found[low].arguments["value"], found[high].arguments["value"]
            crossed = least > most if low == "minLength" else order_of(least, prop) > order_of(most, prop)
            if crossed:
                message = f"`{low}` {least} is above `{high}` {most}; no value fits."
                document.error((*path, low), "bounds-crossed", message, "Exchange them, or mend one.")
