"""All checks of a contract: its schema object in, the plan's properties and checks with ids of their own out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from contracts.authoring import conditions, custom, keys, properties, quality, queries
from contracts.authoring.block import DropBlock
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.columns import OURS
from contracts.plan import Check, Property, record_checks
from contracts.problem import nearest

OBJECT: Path = ("schema", 0)


def schema_object(document: Document, *, whole: bool) -> dict[str, Any] | None:
    """The one schema object of a contract; None, and a finding if the document is `whole`, where there is none."""
    objects = document.data.get("schema") or []
    if len(objects) > 1:
        message = "Several schema objects in one contract are not built yet."
        document.error(("schema", 1), "not-built-yet", message, "Write one contract for each.")
    one = objects[0] if objects else None
    if not isinstance(one, dict) or not one.get("properties") or "name" not in one:
        fix = "Write a `schema` with one object and its `properties`."
        if whole:
            document.error(OBJECT, "no-properties", "The contract names no properties.", fix)
        return None
    if "relationships" in one:
        fix = "Leave them out; they would not be checked."
        document.error(
            (*OBJECT, "relationships"), "not-built-yet", "Relationships are not built yet.", fix, on_key=True
        )
    return one


def read(document: Document, one: dict[str, Any], block: DropBlock | None) -> tuple[list[Property], list[Check]]:
    """The properties of a schema object and the checks of their constraints and metrics, each with an id of its own.

    The block says in which format the records come: what a record is, and whether a text can be anything else.
    """
    first = record_checks(block.format, block.columns.extra) if block else ()
    placed: list[tuple[Check, Path]] = [(check, ()) for check in first]
    sources: list[tuple[Path, Any]] = [((*OBJECT, "properties", n), s) for n, s in enumerate(one["properties"])]
    known = [(path, s, properties.read(document, path, s)) for path, s in sources if isinstance(s, dict)]
    props = [found[0] for _, _, found in known if found]
    for path, source, found in known:
        if found:
            if found[0].type == "string" and block and block.format != "csv":
                placed.append((properties.type_check(found[0]), path))
            placed += [(check, path) for check in found[1]]
            placed += _quality(document, path, source, found[0], props)
    placed = keys.together(document, (*OBJECT, "properties"), one["properties"], placed)
    placed += _quality(document, OBJECT, one, None, props)
    _names(document, one["properties"])
    _clashes(document, placed)
    return props, [check for check, _ in placed]


def _quality(
    document: Document, path: Path, owner: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> list[tuple[Check, Path]]:
    placed: list[tuple[Check, Path]] = []
    for n, entry in enumerate(owner.get("quality") or []):
        at: Path = (*path, "quality", n)
        if not isinstance(entry, dict):
            continue
        filled = conditions.filled(document, at, *conditions.apart(entry, at), prop)
        check = _entry(document, at, filled[0], prop, props) if filled else None
        made = conditions.joined(document, check, filled[1], props) if check and filled else None
        placed += [(conditions.told(made, filled[0]), at)] if made and filled else []
    return placed


def _entry(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Check | None:
    """The check of one entry, by its type."""
    match entry.get("type"):
        case "custom" if entry["engine"] == custom.ENGINE:
            return custom.read(document, path, entry, prop, props)
        case "custom":
            return queries.of_another(document, path, entry, prop)
        case "sql":
            return queries.sql(document, path, entry, prop, props)
        case "text":
            return queries.for_people(document, path, entry, prop)
    return quality.read(document, path, entry, prop)


def _names(document: Document, sources: list[Any]) -> None:
    """Refuse names that stand twice, and those that no column can have."""
    seen: set[str] = set()
    for n, source in enumerate(sources):
        path: Path = (*OBJECT, "properties", n)
        if not isinstance(source, dict):
            continue
        if source["name"] in seen:
            message = f"The property `{source['name']}` stands twice."
            document.error((*path, "name"), "duplicate-property", message, "Keep one of them.")
        if wrong := _unusable(source["name"]):
            document.error((*path, "name"), "bad-name", wrong, "Give the column another name.")
        seen.add(source["name"])


def _unusable(name: str) -> str | None:
    if name in OURS:
        return f"`{name}` is a column that dropgate adds to `rejected.csv`, and takes away when the file comes back."
    return None if name.isprintable() else f"{name!r} has characters that cannot be printed."


def _clashes(document: Document, placed: list[tuple[Check, Path]]) -> None:
    """Refuse two checks of one id: history is joined on them."""
    seen: set[str] = set()
    for check, path in placed:
        if check.id in seen and not _is_twice(document, check.property):
            message = f"Two checks have the id `{check.id}`."
            document.error(path, "check-id-clash", message, "Give a quality entry an `id:` of its own.")
        if not check.id.isprintable() and (check.property or "").isprintable():
            message = f"The id {check.id!r} has characters that cannot be printed."
            document.error(path, "bad-name", message, "Give the entry an `id:` of one line.")
        seen.add(check.id)


def _is_twice(document: Document, name: str | None) -> bool:
    return any(f.code == "duplicate-property" and f"`{name}`" in f.message for f in document.findings)


def never_missing(document: Document, one: dict[str, Any], nulls: Collection[str]) -> None:
    """Refuse missing values of properties that the dialect of the file makes null."""
    for n, source in enumerate(one["properties"]):
        if isinstance(source, dict):
            quality.never_missing(document, source, (*OBJECT, "properties", n), nulls)


def overridden(
    document: Document, path: Path, block: DropBlock, checks: list[Check], props: Sequence[Property]
) -> list[Check]:
    """The checks with what `drop.checks` says of them, which stands at `path`; ids never change by it."""
    by_id = {c.id: c for c in checks}
    for name, wanted in block.checks.items():
        check = by_id.get(name)
        if check is None:
            close = nearest(name, by_id)
            fix = f"Write `{close}`." if close else "`dropgate lint --format json` lists the ids."
            document.error((*path, name), "unknown-check", f"The contract has no check `{name}`.", fix, on_key=True)
            continue
        if check.scope == "record" and wanted.severity == "warning":
            message = f"`{name}` cannot be a warning: such a line is no record."
            document.error((*path, name, "severity"), "bad-value", message, "Write `tolerance:` if some may be lost.")
        if check.threshold and (wanted.tolerance or wanted.quiet):
            message = f"`{name}` has a threshold of its own in its quality entry."
            document.error((*path, name, "tolerance"), "bad-value", message, "Change the entry's operator.")
        severity, tolerance = wanted.severity or check.severity, wanted.tolerance or check.tolerance
        told = {"quiet": {"value": str(wanted.quiet.value), "unit": wanted.quiet.unit}} if wanted.quiet else {}
        made = replace(check, severity=severity, tolerance=tolerance, arguments=check.arguments | told)
        said = {key: ((*path, name, key), value) for key, value in wanted.said.items()}
        by_id[name] = conditions.joined(document, made, said, props) or made
    return list(by_id.values())
