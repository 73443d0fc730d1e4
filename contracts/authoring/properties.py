"""The properties of a contract: ODCS properties in, the plan's properties and the checks that their constraints mean out."""

from __future__ import annotations

from typing import Any, get_args

from contracts.authoring import datetimes, regex
from contracts.authoring.finding import Path
from contracts.authoring.source import Document
from contracts.authoring.values import order_of, shown, text_of, type_name
from contracts.plan import Check, LogicalType, Property

BUILT = get_args(LogicalType)
DESCRIPTIVE = {
    "id", "name", "logicalType", "description", "businessName", "examples", "tags", "synonyms", "authoritativeDefinitions", "customProperties",
    "criticalDataElement", "classification", "deprecated", "encryptedName", "transformSourceObjects", "transformLogic", "transformDescription",
    "partitioned", "partitionKeyPosition", "physicalType", "primaryKeyPosition", "context",
}  # fmt: skip
"""Keys of a property that state no rule; classification says what receipts may show."""
RULES = {"logicalTypeOptions", "required", "unique", "primaryKey", "enum", "quality"}
DIMENSIONS = {"required": "completeness", "unique": "uniqueness", "primaryKey": "uniqueness"}
OPTIONS = {
    "string": ("minLength", "maxLength", "pattern"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "date": ("minimum", "maximum"),
    "timestamp": ("minimum", "maximum"),
}


def read(document: Document, path: Path, prop: dict[str, Any]) -> tuple[Property, list[Check]] | None:
    """A property and the checks of its constraints (not of its `quality`); None if it cannot be read at all."""
    kind = prop.get("logicalType")
    if kind is None:
        document.error(path, "no-type", f"`{prop['name']}` has no `logicalType`.", "Write one; `logicalType: string` takes any text.")
        return None
    if kind not in BUILT:
        document.error((*path, "logicalType"), "not-built-yet", f"`logicalType: {kind}` is not built yet.", f"Use one of {', '.join(BUILT)}.")
        return None
    _refuse_others(document, path, prop)
    options = prop.get("logicalTypeOptions") or {}
    pattern = _format(document, (*path, "logicalTypeOptions", "format"), options, kind)
    one = Property(prop["name"], kind, pattern, bool(prop.get("required")), prop.get("classification"))
    return one, [*_type_check(one), *_flags(one, prop), *_enum(document, path, prop, one), *_options(document, path, options, one)]


def _refuse_others(document: Document, path: Path, prop: dict[str, Any]) -> None:
    name = prop["name"]
    for key in prop:
        at: Path = (*path, key)
        if key in DESCRIPTIVE | RULES or (key == "semanticType" and prop[key] == "column"):
            continue
        if key == "physicalName":
            if prop[key] != name:
                fix = f"Write `name: {prop[key]}` if that is the name in the file's header; else leave `physicalName` out."
                document.error(at, "not-built-yet", f"`physicalName` of `{name}` is another name; columns are found by `name`.", fix)
            continue
        document.error(at, "not-built-yet", f"`{key}` is not built yet.", "Leave it out; it would not be checked.", on_key=True)


def _check(prop: Property, kind: str, expected: str, arguments: dict[str, Any] | None = None) -> Check:
    scope: Any = "set" if kind in ("unique", "primaryKey") else "row"
    dimension = DIMENSIONS.get(kind, "conformity")
    return Check(f"{prop.name}.{kind}", kind, scope, "error", dimension, expected, prop.name, arguments or {})


def _type_check(prop: Property) -> list[Check]:
    if prop.type == "string":
        return []
    return [_check(prop, "logicalType", type_name(prop), {"format": prop.format} if prop.format else {})]


def _flags(prop: Property, source: dict[str, Any]) -> list[Check]:
    words = {"required": "not null", "unique": "no value twice", "primaryKey": "not null, no value twice"}
    return [_check(prop, kind, words[kind]) for kind in words if source.get(kind)]


def _enum(document: Document, path: Path, source: dict[str, Any], prop: Property) -> list[Check]:
    if not source.get("enum"):
        return []
    entries = [((*path, "enum", n, "value"), e["value"]) for n, e in enumerate(source["enum"]) if "value" in e]
    texts = [t for at, value in entries if (t := text_of(document, at, value, prop)) is not None]
    return [_check(prop, "enum", shown(texts), {"values": texts})]


def _format(document: Document, path: Path, options: dict[str, Any], kind: str) -> str | None:
    pattern = options.get("format")
    if pattern is None or (kind, pattern) in (("integer", "i64"), ("number", "f64")):
        return None
    if kind not in ("date", "timestamp"):
        document.error(path, "not-built-yet", f"`format: {pattern}` of a {kind} is not built yet.", "Leave it out, or write a `pattern`." if kind == "string" else "Write `minimum` and `maximum`.")
        return None
    if wrong := datetimes.fault(pattern, kind):
        document.error(path, "bad-format", wrong.message, wrong.fix)
        return None
    return str(pattern)


def _options(document: Document, path: Path, options: dict[str, Any], prop: Property) -> list[Check]:
    found: dict[str, Check] = {}
    for key, value in options.items():
        at: Path = (*path, "logicalTypeOptions", key)
        if key == "format":
            continue
        if key not in OPTIONS.get(prop.type, ()):
            instead = {"exclusiveMinimum": "Write `minimum` with the first value that is allowed.", "exclusiveMaximum": "Write `maximum` with the last value that is allowed."}
            fix = instead.get(key, "Leave it out; it would not be checked.")
            document.error(at, "not-built-yet", f"`{key}` of a {prop.type} is not built yet.", fix, on_key=True)
        elif check := _option(document, at, key, value, prop):
            found[key] = check
    _in_order(document, path, found, prop)
    return list(found.values())


def _option(document: Document, path: Path, key: str, value: Any, prop: Property) -> Check | None:
    if key == "pattern":
        java = regex.to_java(value)
        if isinstance(java, regex.Refused):
            document.error(path, "bad-pattern", java.message, java.fix)
            return None
        return _check(prop, key, f"matching {value}", {"pattern": java})
    if key in ("minLength", "maxLength"):
        return _check(prop, key, f"at {'least' if key == 'minLength' else 'most'} {value} characters", {"value": int(value)})
    text = text_of(document, path, value, prop)
    return None if text is None else _check(prop, key, f"{'>=' if key == 'minimum' else '<='} {text}", {"value": text})


def _in_order(document: Document, path: Path, found: dict[str, Check], prop: Property) -> None:
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength")):
        if low not in found or high not in found:
            continue
        least, most = found[low].arguments["value"], found[high].arguments["value"]
        in_order = least <= most if low == "minLength" else order_of(least, prop) <= order_of(most, prop)
        if not in_order:
            document.error((*path, "logicalTypeOptions", low), "bounds-crossed", f"`{low}` {least} is above `{high}` {most}; no value fits.", "Exchange them, or mend one.")
