"""Differences that no plan holds, such as service levels and descriptions: two documents in, the differences out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.authoring.diff.change_kinds import ENUM, OBJECT, PROPERTY, QUALITY, TOP, Kind
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.parse import is_block
from contracts.plan import OPERATORS

NAMES = ("id", "name", "property", "username", "channel", "server", "role", "element", "synonym", "url")
"""Keys that identify the entries of a list, if all entries have one and no two the same; else their positions do."""
INNER = (("items",), ("map", "key"), ("map", "value"))
"""Where a property has one within it."""
GONE = object()


@dataclass(frozen=True, slots=True)
class Described:
    """One difference: its place in the new document, the former value and the new one."""

    kind: Kind
    path: Path
    before: Any
    now: Any


def differences(old: Document, new: Document) -> Iterator[Described]:
    """Yield the differences that no plan holds, of the properties and quality entries that both documents have."""
    yield from _keys(TOP, old.data, new.data, ())
    customs = [d.data.get("customProperties") or [] for d in (old, new)]
    before, now = ([e for e in several if not is_block(e)] for several in customs)  # the block is part of plans
    for one in _walk("words", before, now, ("customProperties",)):
        yield Described(one.kind, ("customProperties",), one.before, one.now)
    descriptions = [next((e.get("description") for e in several if is_block(e)), None) for several in customs]
    if descriptions[0] != descriptions[1]:
        yield Described("words", ("customProperties",), *descriptions)
    at: Path = ("schema", 0)
    objects = old.data["schema"][0], new.data["schema"][0]
    yield from _keys(OBJECT, *objects, at)
    yield from _quality(*objects, at)
    yield from _properties(*objects, at)


def _properties(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Described]:
    for n, prop, other in _pairs(old.get("properties"), new.get("properties"), "name"):
        yield from _property(prop, other, (*path, "properties", n))


def _property(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Described]:
    """Yield the descriptive differences between two versions of a property and of all properties within it."""
    yield from _keys(PROPERTY, old, new, path)
    yield from _quality(old, new, path)
    for k, value, label in _pairs(old.get("enum"), new.get("enum"), "value"):
        yield from _keys(ENUM, value, label, (*path, "enum", k))
    yield from _properties(old, new, path)
    for steps in INNER:
        before, now = (_at(side, steps) for side in (old, new))
        if before is not None and now is not None:
            yield from _property(before, now, (*path, *steps))


def _at(source: Any, steps: tuple[str, ...]) -> Mapping[str, Any] | None:
    for step in steps:
        source = source.get(step) if isinstance(source, dict) else None
    return source if isinstance(source, dict) else None


def entry_name(entry: Mapping[str, Any]) -> str:
    """Return the name that identifies a quality entry among the entries of its property."""
    inner = entry.get("implementation")
    metric = entry.get("metric") or (inner.get("metric") if isinstance(inner, dict) else None)
    severity = "" if entry.get("severity", "error") == "error" else f".{entry['severity']}"
    return str(entry.get("id") or entry.get("name") or f"{metric}{severity}")


def _quality(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Described]:
    before = {entry_name(e): e for e in old.get("quality") or []}
    for n, entry in enumerate(new.get("quality") or []):
        if (name := entry_name(entry)) in before:
            yield from _keys(QUALITY, before[name], entry, (*path, "quality", n))


def _keys(table: Mapping[str, Kind], old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Described]:
    for key in dict.fromkeys((*old, *new)):
        kind = "plan" if key in OPERATORS else table.get(key, "words")
        if kind != "plan":
            yield from _walk(kind, old.get(key, GONE), new.get(key, GONE), (*path, key))


def _pairs(old: Any, new: Any, name: str) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """The entries of two lists that have the same name, and the place in the new one."""
    before = {repr(e[name]): e for e in old or []}
    for n, entry in enumerate(new or []):
        if repr(entry[name]) in before:
            yield n, before[repr(entry[name])], entry


def _walk(kind: Kind, old: Any, new: Any, path: Path) -> Iterator[Described]:
    """The parts that differ, as deep as both have them; entries of lists go by a key that names each of them."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _walk(kind, old.get(key, GONE), new.get(key, GONE), (*path, key))
        return
    for name in NAMES if isinstance(old, list) and isinstance(new, list) else ():
        named = [[e.get(name) for e in v if isinstance(e, dict) and isinstance(e.get(name), str)] for v in (old, new)]
        if [len(set(v)) for v in named] != [len(old), len(new)]:
            continue  # some entries have no such key, or share a name
        before, now = ({e[name]: (n, e) for n, e in enumerate(v)} for v in (old, new))
        for key in dict.fromkeys((*before, *now)):
            n = now[key][0] if key in now else len(new)
            yield from _walk(kind, before.get(key, (0, GONE))[1], now.get(key, (0, GONE))[1], (*path, n))
        return
    if old is not new and old != new:
        yield Described(kind, path, None if old is GONE else old, None if new is GONE else new)
