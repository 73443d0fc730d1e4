"""Nested properties: the properties of a schema object in, all properties at any depth out, with their paths.

Properties of an object are under `properties`, elements of an array under `items`, keys and values of a map under
`map`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import CONTAINERS, Property
from contracts.problem import nearest
from contracts.values.nested import name_of

MOST_DEPTH = 10
"""Levels of nesting within a property of the record: each level adds a step to every query."""
WITHIN = {"object": "properties", "array": "items", "map": "map"}
SIDES = {"key": "~", "value": "*"}
ELEMENTS: dict[str, dict[str, Any]] = {
    "float32": {"logicalType": "number", "logicalTypeOptions": {"format": "f32"}},
    "int8": {"logicalType": "integer", "logicalTypeOptions": {"format": "i8"}},
    "uint8": {"logicalType": "integer", "logicalTypeOptions": {"format": "u8"}},
    "binary": {"logicalType": "integer", "logicalTypeOptions": {"minimum": 0, "maximum": 1}},
}
"""The element property of a vector, by its element type; other types are numbers."""
DESCRIBING = ("distanceMetric", "embeddingModel", "embeddingModelVersion", "normalized")
OF_SINGLE = ("enum", "unique", "primaryKey")
"""Keys of a property that compare single values."""
OF_ONE = ("unique", "primaryKey")
"""Keys that compare records, and so need one value for each record."""
INSTEAD = "Leave it out; it would not be checked."
OF_SEVERAL = ": a record may have several, and may repeat its own"
EACH = "Leave it out; bounds, as `minimum`, hold of each of the values."
UNIQUE = "Leave it out; `logicalTypeOptions: {uniqueItems: true}` of an array forbids repeated elements."


@dataclass(frozen=True, slots=True)
class PropertyNode:
    """A property of the document: its path, source and steps; `asked` if the object that holds it requires it."""

    path: Path
    source: dict[str, Any]
    route: tuple[str, ...]
    asked: bool = False

    @property
    def name(self) -> str:
        """The name of the property in the plan."""
        return name_of(self.route)


def places(document: Document, path: Path, sources: list[Any]) -> Iterator[PropertyNode]:
    """Yield every property of the list at a path, each before the properties within it."""
    yield from _listed(document, path, sources, (), ())


def _listed(
    document: Document, path: Path, sources: list[Any], route: tuple[str, ...], asked: tuple[str, ...]
) -> Iterator[PropertyNode]:
    for n, source in enumerate(sources):
        if isinstance(source, dict):
            step = f".{source['name']}" if route else source["name"]
            place = PropertyNode((*path, n), source, (*route, step), source["name"] in asked)
            yield from _with_inner(document, place)


def _with_inner(document: Document, place: PropertyNode) -> Iterator[PropertyNode]:
    if place.source.get("logicalType") == "vector":  # an array with a fixed number of elements
        options = place.source.get("logicalTypeOptions") or {}
        for option in (option for option in DESCRIBING if option in options):
            message = f"`{option}` of a vector is not checked."
            at: Path = (*place.path, "logicalTypeOptions", option)
            document.note(at, "not-checked", message, "It may stay, for people and tools.")
        element = ELEMENTS.get(options.get("elementType", "float32"), {"logicalType": "number"}) | {"required": True}
        size = options.get("dimensions", 0)
        length = {"minItems": size, "maxItems": size}
        array = {"logicalType": "array", "logicalTypeOptions": length, "items": element}
        place = replace(place, source=place.source | array)
    yield place
    key = WITHIN.get(place.source.get("logicalType", ""), "")
    inner = place.source.get(key)
    if not inner:
        _asked(document, place)
        return
    if len(place.route) > MOST_DEPTH:
        message = f"`{place.name}` is {MOST_DEPTH} levels deep; properties within it are not built."
        document.error((*place.path, key), "not-built-yet", message, "Write flatter records.", on_key=True)
    elif key == "properties":
        yield from _listed(document, (*place.path, key), inner, place.route, _asked(document, place))
    elif key == "items":
        yield from _with_inner(document, PropertyNode((*place.path, key), inner, (*place.route, "[]")))
    else:
        for side, step in SIDES.items():
            if isinstance(inner.get(side), dict):
                yield from _with_inner(
                    document, PropertyNode((*place.path, key, side), inner[side], (*place.route, step))
                )


def _asked(document: Document, place: PropertyNode) -> tuple[str, ...]:
    """Return the keys in `logicalTypeOptions.required` of an object; report keys for which it has no property."""
    if place.source.get("logicalType") != "object":
        return ()
    wanted = (place.source.get("logicalTypeOptions") or {}).get("required") or []
    names = [s["name"] for s in place.source.get("properties") or [] if isinstance(s, dict)]
    for n, name in enumerate(wanted):
        if name not in names:
            close = nearest(name, names)
            fix = f"Write `{close}`." if close else f"Add a property `{name}` to `{place.name}`."
            message = f"`{place.name}` has no property `{name}`."
            document.error((*place.path, "logicalTypeOptions", "required", n), "unknown-property", message, fix)
    return tuple(wanted)


def single(document: Document, place: PropertyNode, kind: str) -> dict[str, Any]:
    """Return the source without keys that its kind of values does not support; report each of these keys."""
    keys = (
        OF_SINGLE if kind in CONTAINERS else OF_ONE if _repeats(place) else OF_ONE[1:] if len(place.route) > 1 else ()
    )
    source = dict(place.source)
    for key in keys:
        if source.pop(key, None):
            within = "values within an array or a map" if _repeats(place) else "a property within an object"
            what = {"object": "an object", "array": "an array", "map": "a map"}.get(kind, within)
            fix = UNIQUE if key == "unique" else INSTEAD
            why = OF_SEVERAL if kind not in CONTAINERS and _repeats(place) else ""
            document.error(
                (*place.path, key), "not-built-yet", f"`{key}` of {what} is not built{why}.", fix, on_key=True
            )
    if place.route[1:][-1:] == ("~",) and kind != "string":
        message = f"Keys of maps are text here; `{place.name}` is {kind}."
        document.error((*place.path, "logicalType"), "not-built-yet", message, "Write `logicalType: string`.")
    return source


def _repeats(place: PropertyNode) -> bool:
    return not {"[]", "*", "~"}.isdisjoint(place.route[1:])


def is_for(document: Document, path: Path, entry: dict[str, Any], prop: Property) -> bool:
    """Return True if a quality entry can be about a property; report a finding if not."""
    inner = entry.get("implementation")
    at, definition = ((*path, "implementation"), inner) if isinstance(inner, dict) else (path, entry)
    metric = definition.get("metric")
    if metric is None:
        return True  # the reader of the entry checks the properties that it names
    several = "values within an array or a map"
    if prop.type in CONTAINERS and metric != "nullValues":
        what = f"an {prop.type}" if prop.type != "map" else "a map"
        why, fix = "", "Write it under a property within it that has single values."
    elif prop.repeats and metric == "duplicateValues":
        what, why, fix = several, OF_SEVERAL, UNIQUE
    elif prop.repeats and metric == "quantile":
        what, why, fix = several, "", EACH
    else:
        return True
    message = f"The metric `{metric}` of {what} is not built{why}."
    document.error((*at, "metric"), "not-built-yet", message, fix)
    return False


def in_format(document: Document, place: PropertyNode, kind: str, file_format: str) -> None:
    """Report a property that the cells of a file format cannot hold."""
    if file_format in ("csv", "fixed") and kind in CONTAINERS and len(place.route) == 1:
        what = f"an {kind}" if kind != "map" else "a map"
        holder, part = ("a cell of CSV", "column") if file_format == "csv" else ("a field of a line", "field")
        message = f"`{place.name}` is {what}, and {holder} is one text."
        fix = f"Write a {part} for each value in it, or agree on `format: jsonl` or `parquet`."
        document.error((*place.path, "logicalType"), "bad-value", message, fix)
