"""All checks of a contract: its schema object in, the plan's properties and checks with ids of their own out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import header_names
from contracts.authoring.drop_block.block import DropBlock
from contracts.authoring.drop_block.forms import elements
from contracts.authoring.properties import nesting, primary_key, properties
from contracts.authoring.properties.nesting import PropertyNode
from contracts.authoring.properties.values import cell_type
from contracts.authoring.quality import (
    custom,
    history,
    library_metrics,
    queries,
    relationships,
    row_filters,
)
from contracts.authoring.quality.expectations import expectations
from contracts.files.columns import OURS
from contracts.plan import CONTAINERS, READ_AS, Check, Csv, Property, record_checks
from contracts.problem import nearest

OBJECT: Path = ("schema", 0)


def schema_object(document: Document, *, whole: bool) -> dict[str, Any] | None:
    """The one schema object of a contract; None, and a finding if the document is `whole`, where there is none."""
    objects = document.data.get("schema") or []
    if len(objects) > 1:
        message = "The contract has several schema objects, and `drop` does not say which of them its files are."
        fix = "Make `drop` a list, with `object: <name>` first in each entry."
        document.error(("schema", 1), "no-object", message, fix)
    one = objects[0] if objects else None
    if not isinstance(one, dict) or not one.get("properties") or "name" not in one:
        fix = "Write a `schema` with one object and its `properties`."
        if whole:
            document.error(OBJECT, "no-properties", "The contract names no properties.", fix)
        return None
    return one


def read(document: Document, one: dict[str, Any], block: DropBlock | None) -> tuple[list[Property], list[Check]]:
    """The properties of a schema object and the checks of their constraints and metrics, each with an id of its own.

    The block names the format of the records. The format decides the record checks, and which texts need a type check.
    """
    first = record_checks(block.format, block.columns.extra, block.csv.record, block.fixed) if block else ()
    placed: list[tuple[Check, Path]] = [(check, ()) for check in first]
    places = list(nesting.places(document, (*OBJECT, "properties"), one["properties"]))
    by_route: dict[tuple[str, ...], tuple[Property, list[Check]]] = {}
    for place in places:
        above = by_route.get(place.route[:-1])
        if property_checks := properties.read(document, place, above[0] if above else None):
            prop, own = property_checks
            by_route[place.route] = header_names.keyed(place.source, prop, block) if block else prop, own
    props = [prop for prop, _ in by_route.values()]
    for place, (prop, own) in ((p, by_route[p.route]) for p in places if p.route in by_route):
        if block:
            nesting.in_format(document, place, prop.type, READ_AS[block.format])
        if block and block.xml:
            elements.property_at(document, place.path, prop, block.xml)
        if prop.type == "string" and block and READ_AS[block.format] not in ("csv", "fixed"):
            placed.append((properties.type_check(prop), place.path))
        placed += [(check, place.path) for check in own]
        placed += _quality(document, place.path, place.source, prop, props)
    placed = primary_key.together(document, (*OBJECT, "properties"), one["properties"], placed)
    placed += _quality(document, OBJECT, one, None, props)
    placed += relationships.read(document, places, props, block)
    _names(document, places, placed)
    zone = block.arrival.zone if block and block.arrival else "UTC"
    return props, history.in_zone(document, (*OBJECT, "quality"), [check for check, _ in placed], zone)


def _quality(
    document: Document, path: Path, owner: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> list[tuple[Check, Path]]:
    """The checks of the `quality` entries of a property or of the schema object, each read by its type."""
    placed: list[tuple[Check, Path]] = []
    for n, written in enumerate(owner.get("quality") or []):
        at: Path = (*path, "quality", n)
        if not isinstance(written, dict) or (prop and not nesting.is_for(document, at, written, prop)):
            continue
        filled = row_filters.filled(document, at, *row_filters.apart(written, at), prop)
        if filled is None:
            continue
        entry, settings = filled
        match entry.get("type"):
            case "custom" if entry["engine"] == custom.ENGINE:
                check = custom.read(document, at, entry, prop, props)
            case "custom" if entry["engine"] in expectations.ENGINES:
                flat = [p for p in props if not p.path and p.type not in CONTAINERS]
                check = expectations.read(document, at, entry, prop, flat)
            case "custom":
                check = queries.of_another(document, at, entry, prop)
            case "sql":
                check = queries.sql(document, at, entry, prop, props)
            case "text":
                check = queries.for_people(document, at, entry, prop)
            case _:
                check = library_metrics.read(document, at, entry, prop, props)
        fits = check is not None and history.fits(document, at, check, props)
        made = row_filters.joined(document, check, settings, props) if check and fits else None
        placed += [(row_filters.described(made, entry), at)] if made else []
    return placed


def _names(document: Document, places: Sequence[PropertyNode], placed: Sequence[tuple[Check, Path]]) -> None:
    """Refuse names and ids of checks that occur twice or cannot be printed, and names that no column can have."""
    names: set[str] = set()
    for place in places:
        at, fix = (*place.path, "name"), "Give the column another name."
        if place.name in names:
            document.error(at, "duplicate-property", f"The property `{place.name}` occurs twice.", "Keep one of them.")
        if place.name in OURS:
            what = "is a column that dropgate adds to `rejected.csv`, and takes away when the file comes back"
            document.error(at, "bad-name", f"`{place.name}` {what}.", fix)
        elif not place.name.strip():
            document.error(at, "bad-name", f"{place.name!r} is a name that nobody sees.", fix)
        elif not place.name.isprintable():
            document.error(at, "bad-name", f"{place.name!r} has characters that cannot be printed.", fix)
        names.add(place.name)
    ids: set[str] = set()
    for check, path in placed:
        if check.id in ids:  # history is joined on them
            named = [f.message for f in document.findings if f.code == "duplicate-property"]
            if not any(f"`{check.property}`" in message for message in named):
                fix = "Give a quality entry an `id:` of its own."
                document.error(path, "check-id-clash", f"Two checks have the id `{check.id}`.", fix)
        if not check.id.isprintable() and (check.property or "").isprintable():
            message = f"The id {check.id!r} has characters that cannot be printed."
            document.error(path, "bad-name", message, "Give the entry an `id:` of one line.")
        ids.add(check.id)


def never_missing(document: Document, one: dict[str, Any], csv: Csv, props: Sequence[Property]) -> None:
    """Refuse missing values of properties that the dialect of the file makes null."""
    nulls = {prop.name: csv.nulls_of(prop) for prop in props}
    for n, source in enumerate(one["properties"]):
        if isinstance(source, dict):
            own = nulls.get(str(source.get("name")), csv.null_values)
            library_metrics.never_missing(document, source, (*OBJECT, "properties", n), own)


def of_forms(checks: Sequence[Check], props: Sequence[Property]) -> list[Check]:
    """Return the checks with the types of their properties as files write them."""
    types = {prop.name: cell_type(prop) for prop in props if prop.form}
    return [
        replace(check, expected=types[check.property])
        if isinstance(check.rule, rules.LogicalType) and check.property in types
        else check
        for check in checks
    ]


def overridden(
    document: Document, path: Path, block: DropBlock, checks: list[Check], props: Sequence[Property]
) -> list[Check]:
    """The checks with their settings of `drop.checks`, which is at `path`; ids never change by it."""
    by_id = {c.id: c for c in checks}
    are_complete = document.errors() == 0  # else a check may be one that has errors of its own
    for name, wanted in block.checks.items():
        check = by_id.get(name)
        if check is None and (close := nearest(name, by_id)) is None and not are_complete:
            continue
        if check is None:
            fix = f"Write `{close}`." if close else "`dropgate lint --format json` lists the ids."
            document.error((*path, name), "unknown-check", f"The contract has no check `{name}`.", fix, on_key=True)
            continue
        if check.scope == "record" and wanted.severity == "warning":
            message = f"`{name}` cannot be a warning: such a line is not a record."
            document.error((*path, name, "severity"), "bad-value", message, "Write `tolerance:` if some may be lost.")
        if check.threshold and (wanted.tolerance or wanted.quiet):
            message = f"`{name}` has a threshold of its own in its quality entry."
            document.error((*path, name, "tolerance"), "bad-value", message, "Change the entry's operator.")
        changed = replace(
            check,
            severity=wanted.severity or check.severity,
            tolerance=wanted.tolerance or check.tolerance,
            quiet=wanted.quiet or check.quiet,
        )
        settings = {key: ((*path, name, key), value) for key, value in wanted.other_keys.items()}
        by_id[name] = row_filters.joined(document, changed, settings, props) or changed
    return list(by_id.values())
