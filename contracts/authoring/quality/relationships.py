"""The relationships of a contract (ODCS 3.1, "References"): entries in, checks that look values up elsewhere out.

A `to` names properties of another schema object, of this document or of another contract's file, or columns of a
reference file, which `drop.references` names. Faults between two contracts are found where both are known
(`contracts.authoring.compiler.reference_checks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any

from contracts import rules
from contracts.authoring.document import source, versions
from contracts.authoring.document.blocks import alias_of
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.document.metadata import VERSION
from contracts.authoring.drop_block import values
from contracts.authoring.drop_block.block import DropBlock
from contracts.authoring.properties.nesting import PropertyNode
from contracts.authoring.quality import row_filters
from contracts.plan import CONTAINERS, OF_JSON, Check, Property, Reference
from contracts.problem import nearest
from contracts.terms.value_form import PLAIN

KEY = "relationships"
OBJECT: Path = ("schema", 0)
SECTION, INNER = "schema", "properties"
Elsewhere = Mapping[str, Any]
"""A schema object as it is written."""


@dataclass(frozen=True, slots=True)
class Target:
    """A property as a reference names it: by names, or by the ids of the standard (`by_id`); `file` is a contract's."""

    text: str
    file: str
    object: str
    steps: tuple[str, ...]
    by_id: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship as written: its place, its own properties, and the names in one reference."""

    path: Path
    entry: dict[str, Any]
    properties: tuple[Property, ...]
    targets: tuple[Target, ...]
    alone: bool


def target(text: str) -> Target | None:
    """A reference read; None where it names no property."""
    file, _, item = text.rpartition("#")
    parts = item.removeprefix("/").split("/")
    if len(parts) == 1:
        name, *steps = item.split(".")
        return Target(text, file, name, tuple(steps), by_id=False) if steps and not file else None
    rest = parts[2:]
    if parts[0] != SECTION or not rest or len(rest) % 2 or any(word != INNER for word in rest[::2]):
        return None
    return Target(text, file, parts[1], tuple(rest[1::2]), by_id=True)


def read(
    document: Document, places: Sequence[PropertyNode], props: Sequence[Property], block: DropBlock | None
) -> list[tuple[Check, Path]]:
    """The checks of all relationships of a schema object and of its properties."""
    placed = []
    for relation in relations(document, places, props):
        columns = _columns(document, relation, block)
        if not columns:
            continue
        name, there = columns
        text = ", ".join(f"{name}.{column}" for column in there)
        several = () if relation.alone else tuple(p.name for p in relation.properties)
        check = Check(
            id=identity(relation),
            rule=rules.ForeignKey(name, tuple(there), text, several),
            scope="row",
            severity="error",
            dimension="consistency",
            expected=f"found in {text}",
            property=relation.properties[0].name if relation.alone else None,
        )
        placed.append((row_filters.described(check, relation.entry), relation.path))
    return placed


def references(document: Document, checks: Sequence[Check], block: DropBlock) -> tuple[Reference, ...]:
    """Return the references that checks use, each once; report unused reference files if there is no other error."""
    names: dict[str, dict[str, None]] = {}
    for rule in (c.rule for c in checks if isinstance(c.rule, rules.ForeignKey)):
        names.setdefault(rule.to, {}).update(dict.fromkeys(rule.columns))
    for name in block.references:
        if name not in names and not document.errors():
            at = next(path for path in document.keys if path[-2:] == ("references", name))
            message = f"No relationship looks for values in `{name}`."
            document.error(at, "not-used", message, f"Write `to: {name}.<column>`, or leave it out.", on_key=True)
    made = []
    for name, columns in names.items():
        file = block.references.get(name)
        if file is None:
            made.append(Reference(name, contract=name))
            continue
        if file.values.columns:
            path = next(path for path in document.keys if path[-2:] == ("references", name))
            values.columns(document, path, file.values, tuple(columns))
        # The forms of the columns in which values are looked up; in JSON texts have the usual one only if it is stated
        every = {column: file.values.of(column) for column in columns}
        stated = every if file.values.stated else file.values.columns
        kept = stated if file.reference.file_format in OF_JSON else ()
        forms = {name: form for name, form in every.items() if form != PLAIN or name in kept}
        made.append(replace(file.reference, forms=forms or None))
    return tuple(made)


def relations(document: Document, places: Sequence[PropertyNode], props: Sequence[Property]) -> Iterator[Relation]:
    """The relationships that can be read; findings say of the others why not."""
    by_name = {p.name: p for p in props}
    for place in places:
        for n, entry in enumerate(place.source.get(KEY) or []):
            at: Path = (*place.path, KEY, n)
            prop = by_name.get(place.name)
            if isinstance(entry, dict) and prop and _is_single(document, at, prop):
                yield from _relation(document, at, entry, (prop,), alone=True)
    for n, entry in enumerate(document.data["schema"][0].get(KEY) or []):
        at = (*OBJECT, KEY, n)
        own = _own(document, at, entry, places, by_name) if isinstance(entry, dict) else None
        if own:
            yield from _relation(document, at, entry, own, alone=isinstance(entry["from"], str))


def _relation(
    document: Document, path: Path, entry: dict[str, Any], props: tuple[Property, ...], *, alone: bool
) -> Iterator[Relation]:
    at: Path = (*path, "to")
    texts = [entry["to"]] if isinstance(entry["to"], str) else entry["to"]
    targets = [target(text) for text in texts]
    for n, candidate in enumerate(targets):
        if candidate is None:
            fix = "Write `object.property`, or `file.yaml#/schema/object/properties/property` of another contract."
            document.error(_nth(entry["to"], at, n), "bad-reference", f"`{texts[n]}` names no property.", fix)
    whole = tuple(candidate for candidate in targets if candidate)
    if len(whole) < len(targets):
        return
    if len(whole) != len(props):
        fix = "Name as many properties there as here, in the same order."
        message = f"`to` names {len(whole)} properties for {len(props)}."
        document.error(at, "bad-reference", message, fix)
    elif len({(one.file, one.object) for one in whole}) > 1:
        message = "`to` names properties of several objects."
        document.error(at, "bad-reference", message, "Write an entry for each of them.")
    else:
        yield Relation(path, entry, props, whole, alone)


def _nth(value: Any, at: Path, n: int) -> Path:
    return at if isinstance(value, str) else (*at, n)


def _is_single(document: Document, path: Path, prop: Property) -> bool:
    """Return True if each record has one value of a property, which can be looked up; report a finding if not."""
    if prop.repeats or prop.type in CONTAINERS:
        message = f"`{prop.name}` is not a single value of a record: looking it up is not built yet."
        document.error(path, "not-built-yet", message, "Leave the relationship out; it would not be checked.")
        return False
    return True


def _own(
    document: Document,
    path: Path,
    entry: dict[str, Any],
    places: Sequence[PropertyNode],
    by_name: Mapping[str, Property],
) -> tuple[Property, ...] | None:
    """The properties of this object that `from` names; None, and findings, where it does not."""
    at: Path = (*path, "from")
    one = document.data["schema"][0]
    texts = [entry["from"]] if isinstance(entry["from"], str) else entry["from"]
    owned = []
    for n, text in enumerate(texts):
        here, own = _nth(entry["from"], at, n), target(text)
        if own is None or own.file or own.object not in (one.get("id"), one["name"]):
            fix = f"Write `{one['name']}.<property>`."
            document.error(here, "bad-reference", f"`{text}` names no property of `{one['name']}`.", fix)
            continue
        name = ".".join(steps_of(own, one))
        prop = by_name.get(name)
        if prop is None and any(p.name == name for p in places):
            return None  # its own finding says why it is none
        if prop is None:
            close = nearest(name, by_name)
            fix = f"Write `{one['name']}.{close}`." if close else "Write the name of a property of this schema."
            document.error(here, "unknown-property", f"`{one['name']}` has no property `{name}`.", fix)
        elif _is_single(document, here, prop):
            owned.append(prop)
    return tuple(owned) if len(owned) == len(texts) else None


def steps_of(one: Target, elsewhere: Elsewhere) -> tuple[str, ...]:
    """The names of the properties that lead to a target within a schema object; ids that it lacks stay as they are."""
    owner, names = elsewhere, []
    for step in one.steps:
        inner = mappings(owner.get(INNER))
        by_id = next((p for p in inner if one.by_id and p.get("id") == step), None)
        owner = by_id or next((p for p in inner if p.get("name") == step), {})
        names.append(str(owner.get("name", step)))
    return tuple(names)


def mappings(value: Any) -> list[dict[str, Any]]:
    """Return the mappings of a list; none of a value that is no list, as its document has errors of its own."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def is_object(one: Target, elsewhere: Elsewhere) -> bool:
    """Return True if a target is in a schema object."""
    return one.object == elsewhere.get("name") or (one.by_id and one.object == elsewhere.get("id"))


def _columns(document: Document, relation: Relation, block: DropBlock | None) -> tuple[str, list[str]] | None:
    """The name of the reference, and its columns in the order of the properties; None, and a finding, if not."""
    first, at = relation.targets[0], (*relation.path, "to")
    if first.file:
        return _of_another(document, relation)
    here = document.data["schema"][0]
    if is_object(first, here):
        message = f"`{here['name']}` would be held against itself, that is against what was promoted before."
        fix = "Use a `statement` with a join, which reads only the file."
        document.error(at, "not-built-yet", message, fix)
        return None
    sibling = next((one for one in document.siblings if is_object(first, one)), None)
    if sibling is None and block is None:
        return None  # what is wrong with the block is said, and it may name a file
    if sibling is None and block and first.object not in block.references:
        names = [*(str(one.get("name")) for one in document.siblings), *block.references]
        close = nearest(first.object, names)
        fix = (
            f"Write `{close}`."
            if close
            else "Name it under `references` of the `drop` block, or write the contract's file."
        )
        message = f"There is neither a schema object nor a reference file `{first.object}`."
        document.error(at, "unknown-object", message, fix)
        return None
    steps = [one.steps for one in relation.targets]
    name = first.object
    if sibling is not None:
        steps = [steps_of(one, sibling) for one in relation.targets]
        name = f"{document.data['id']}.{sibling['name']}.v{_major(document.data)}"
    return (name, [s[0] for s in steps]) if _are_flat(document, relation, steps) else None


def _of_another(document: Document, relation: Relation) -> tuple[str, list[str]] | None:
    """The contract of another file, and the columns.

    Where the file cannot be read (`contracts.authoring.compiler.reference_checks` says so), it is taken to be named as
    it should be.
    """
    first, at = relation.targets[0], (*relation.path, "to")
    if first.file.startswith(("http:", "https:")):
        message = f"`{first.file}` is on the web: contracts are read only from their folder."
        document.error(at, "bad-reference", message, "Write the path from this file to that of the contract.")
        return None
    file = file_of(document, first)
    try:
        read_data = None if document.alone else source.read(file.read_bytes(), str(file)).data
    except (OSError, ValueError):  # the last is of a name with a null character
        read_data = None
    data: dict[str, Any] = read_data if isinstance(read_data, dict) else {}
    objects = mappings(data.get(SECTION))
    schema_object = next((one for one in objects if is_object(first, one)), {})
    steps = [steps_of(one, schema_object) for one in relation.targets]
    if not _are_flat(document, relation, steps):
        return None
    own = alias_of(data) or data.get("id")
    product = f"{own}.{schema_object.get('name', first.object)}" if len(objects) > 1 else own
    name = f"{product}.v{_major(data)}" if objects else File(first.file).stem
    return name, [s[0] for s in steps]


def file_of(document: Document, one: Target) -> File:
    """Return the path of the contract file that a target names."""
    return File(document.file).parent / one.file


def _major(data: dict[str, Any]) -> str:
    """Return the first number of a version; of one that is none, as its document has errors of its own, the text."""
    version = str(data.get("version"))
    return str(versions.numbers(version)[0]) if VERSION.fullmatch(version) else version.partition(".")[0]


def _are_flat(document: Document, relation: Relation, steps: Sequence[tuple[str, ...]]) -> bool:
    deep = next((".".join(s) for s in steps if len(s) > 1), None)
    if deep:
        message = f"`{deep}` is within another property: looking up values there is not built yet."
        document.error((*relation.path, "to"), "not-built-yet", message, "Name a property of the record itself.")
    return deep is None


def identity(relation: Relation) -> str:
    """The author's id of a relationship's check, else one of its own."""
    kind = rules.ForeignKey.kind
    own = f"{relation.properties[0].name}.{kind}" if relation.alone else kind
    return str(relation.entry.get("id") or own)
