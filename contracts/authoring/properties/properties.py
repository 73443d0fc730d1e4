"""The properties of a contract: an ODCS property in, the plan's property and the checks of its constraints out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties import datetimes, decimals, logical_options, nesting, timezones
from contracts.authoring.properties.logical_options import row_check
from contracts.authoring.properties.nesting import PropertyNode
from contracts.authoring.properties.values import shown, text_of, type_name
from contracts.plan import Check, LogicalType, Property, Scope

BUILT = get_args(LogicalType)
DESCRIPTIVE = {
    "id", "name", "logicalType", "description", "businessName", "examples", "tags", "synonyms",
    "authoritativeDefinitions", "customProperties", "criticalDataElement", "classification", "deprecated",
    "encryptedName", "transformSourceObjects", "transformLogic", "transformDescription", "partitioned",
    "partitionKeyPosition", "physicalType", "primaryKeyPosition", "context",
}  # fmt: skip
"""Keys of a property that state no rule; `classification` decides what receipts may show."""
RULES = {"logicalTypeOptions", "required", "unique", "primaryKey", "enum", "quality", "relationships"}
WITHIN = set(nesting.WITHIN.values())
FLAGS: Mapping[str, tuple[rules.Rule, Scope, str, str]] = {
    "required": (rules.Required(), "row", "completeness", "not null"),
    "unique": (rules.Unique(), "set", "uniqueness", "no value twice"),
    "primaryKey": (rules.PrimaryKey(), "set", "uniqueness", "not null, no value twice"),
}
"""The rule, scope, dimension and expected values in words of each key."""


def read(
    document: Document, place: PropertyNode, parent: Property | None = None
) -> tuple[Property, list[Check]] | None:
    """Return a property and the checks of its constraints (without `quality`); None if its type is not supported.

    The classification of a classified parent holds; `format: password` without one hides the values from everybody.
    """
    path, kind = place.path, place.source.get("logicalType")
    if kind is None:
        message = f"`{place.name}` has no `logicalType`."
        document.error(path, "no-type", message, "Write one; `logicalType: string` takes any text.")
        return None
    if kind not in BUILT:
        message = f"`logicalType: {kind}` is not built yet."
        document.error((*path, "logicalType"), "not-built-yet", message, f"Use one of {', '.join(BUILT)}.")
        return None
    source = nesting.single(document, place, kind)
    _refuse_others(document, place, source)
    options = source.get("logicalTypeOptions") or {}
    pattern = options.get("format") if kind in logical_options.DATED else None  # of other types it is a name
    if pattern is not None and (meant := datetimes.of_examples(pattern)):
        message = f"`{pattern}` is read as `{meant}`: its T and its Z stand for themselves and for an offset."
        document.note((*path, "logicalTypeOptions", "format"), "format-meant", message, f"Write `{meant}`.")
        pattern = meant
    if pattern is not None and (wrong := datetimes.fault(pattern, kind)):
        document.error((*path, "logicalTypeOptions", "format"), "bad-format", wrong.message, wrong.fix)
        pattern = None
    exact = decimals.read(document, path, source, options)
    hidden = "confidential" if kind == "string" and options.get("format") == "password" else None
    shown_to = parent.classification if parent and parent.masked else source.get("classification") or hidden
    zone, offset = timezones.read(document, (*path, "logicalTypeOptions"), options, kind, pattern)
    required = bool(source.get("required")) or place.asked
    inner = place.route if len(place.route) > 1 else ()
    prop = Property(place.name, kind, pattern, required, shown_to, exact, zone, offset, inner)
    return prop, _checks(document, path, source | {"required": required}, prop)


def _refuse_others(document: Document, place: PropertyNode, source: dict[str, Any]) -> None:
    path = place.path
    for key, value in source.items():
        if key in WITHIN and key != nesting.WITHIN.get(source["logicalType"]):
            message = f"`{key}` says nothing of the type {source['logicalType']}."
            document.error((*path, key), "unknown-key", message, logical_options.NOT_CHECKED, on_key=True)
            continue
        if key in DESCRIPTIVE | RULES | WITHIN or (key == "semanticType" and value == "column"):
            continue
        if key != "physicalName":  # of which the drop block says if it counts
            document.error(
                (*path, key), "not-built-yet", f"`{key}` is not built yet.", logical_options.NOT_CHECKED, on_key=True
            )


def type_check(prop: Property) -> Check:
    """Return the check that a value has its logical type."""
    return row_check(prop, rules.LogicalType(prop.format or None), type_name(prop))


def _checks(document: Document, path: Path, source: dict[str, Any], prop: Property) -> list[Check]:
    """Return the checks of a property's constraints, the last of which warns of values if it is deprecated."""
    enum = []
    if "enum" in source:
        entries = [((*path, "enum", n, "value"), entry["value"]) for n, entry in enumerate(source["enum"])]
        texts = [t for at, value in entries if (t := text_of(document, at, value, prop)) is not None]
        labels = [entry.get("label") for entry in source["enum"]]
        words = [f"{text} ({label})" if label else text for text, label in zip(texts, labels, strict=False)]
        enum.append(row_check(prop, rules.Enum(tuple(texts)), shown(words)))
    checks = [] if prop.type == "string" else [type_check(prop)]  # of CSV any cell is a text
    for key, (rule, scope, dimension, expected) in FLAGS.items():
        if source.get(key):
            checks.append(Check(f"{prop.name}.{key}", rule, scope, "error", dimension, expected, prop.name))
    checks += enum
    checks += logical_options.read(
        document, (*path, "logicalTypeOptions"), source.get("logicalTypeOptions") or {}, prop
    )
    if source.get("deprecated"):
        name, expected = f"{prop.name}.deprecated.warning", "nothing, as it is deprecated"
        checks.append(Check(name, rules.Deprecated(), "row", "warning", "conformity", expected, prop.name))
    return checks
