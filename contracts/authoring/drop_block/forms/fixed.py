"""The layout of lines of fixed width in a `drop` block: the block and the properties in, findings out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import around
from contracts.authoring.drop_block.block import DropBlock
from contracts.files import encodings
from contracts.plan import RECODED, Property
from contracts.problem import nearest, quoted, visible
from contracts.terms.fixed_width import ZERO, Field, Fixed

OF_NUMBERS = "123456789+-.,eE"
"""Characters that fill no number up: they would be parts of it."""
OF_ZEROS = ("string", "integer", "number")
"""The types whose values zeros may fill up."""


def read(document: Document, path: Path, block: DropBlock) -> None:
    """Report a layout that contradicts itself, or other keys of the block at `path`."""
    fixed, at = block.fixed, (*path, "fixed")
    if fixed is None:
        message = "`format: fixed` has no layout of its lines."
        fix = "Add `fixed: {fields: [{property: account, length: 10}]}`, with the field of each property."
        document.error((*path, "format"), "missing-key", message, fix)
        return
    _unit(document, at, block, fixed)
    for before, after in pairwise(fixed.fields):
        if after.start <= before.slice.end:
            message = f"The fields of `{before.name}` and `{after.name}` have position {after.start} in common."
            document.error((*at, "fields"), "fields-overlap", message, "Write `start` and `length` as the layout does.")
    end = max(field.slice.end for field in fixed.fields)
    if end > fixed.length:
        message = f"The fields end at position {end:,}, and lines have {fixed.length:,} {fixed.unit}."
        document.error((*at, "length"), "bad-value", message, f"Write {end} or more, or mend the fields.")
    _beginnings(document, at, block)
    for n, text in enumerate(block.csv.leader.cells.values() if block.csv.leader else ()):
        around.parts(document, (*at, "leader", "is", n, "text"), text, block.files)
    if fixed.short and not any(field.may_be_cut for field in fixed.fields):
        message = "`shortLines: accept` allows nothing: a line may end within a field of `align: left` alone."
        fix = "Write `align: left` at the fields whose values stand there, or leave `shortLines` out."
        document.error((*at, "shortLines"), "bad-value", message, fix, on_key=True)


def _unit(document: Document, at: Path, block: DropBlock, fixed: Fixed) -> None:
    if fixed.unit == "bytes" and block.csv.encoding in RECODED:
        message = f"Positions in bytes of {block.csv.encoding} are not built yet."
        document.error((*at, "unit"), "not-built-yet", message, "Count characters, with `unit: characters`.")
    for n, one in enumerate(_written(document, at)):
        padding = one.get("padding", " ")
        if not encodings.fits(padding, block.csv.encoding):
            message = f"`{visible(padding)}` cannot be written in {block.csv.encoding}: no file can have it."
            document.error((*at, "fields", n, "padding"), "bad-value", message, "Write what fills the field up.")
        elif padding != " " and "align" not in one:
            message = f"The field of `{one['property']}` is filled up with `{visible(padding)}` on no stated side."
            fix = "Write `align: right` if the value stands at the end of the field, else `align: left`."
            document.error((*at, "fields", n), "bad-value", message, fix)


def _beginnings(document: Document, at: Path, block: DropBlock) -> None:
    """Report beginnings of leader, records and trailer by which one line would be two of them."""
    csv = block.csv
    begins = {
        "leader": csv.leader.begins if csv.leader else "",
        "record": csv.record,
        "trailer": csv.trailer.begins if csv.trailer else "",
    }
    there = {key: text for key, text in begins.items() if text}
    for key, text in there.items():
        if not encodings.fits(text, csv.encoding):
            message = f"`{visible(text, 40)}` cannot be written in {csv.encoding}: no line begins so."
            document.error((*at, key, "begins"), "bad-value", message, "Write how such lines begin.")
    for (key, text), (other, theirs) in pairwise([*there.items(), *list(there.items())[:1]]):
        if key != other and (text.startswith(theirs) or theirs.startswith(text)):
            shown = visible(max(text, theirs, key=len), 40)
            message = f"A line that begins with `{shown}` would be both {key} and {other}."
            document.error((*at, other, "begins"), "bad-value", message, "Write more of how each begins.")
            return


def of_properties(document: Document, at: Path, block: DropBlock, props: Sequence[Property]) -> None:
    """Report fields of no property, properties without a field or with two, and padding that is part of values."""
    if block.fixed is None:
        return
    names, seen = [p.name for p in props if not p.path], set[str]()
    for n, one in enumerate(_written(document, at)):
        name, place = one["property"], (*at, "fields", n, "property")
        if name not in names:
            close = nearest(name, names)
            fix = f"Write `{close}`." if close else f"The properties are {quoted(names, most=12)}."
            message = f"There is no property `{name}`."
            document.error(place, "unknown-property", message, f"{fix} Leave out fields that are not to be read.")
        elif name in seen:
            document.error(place, "bad-value", f"`{name}` has a second field.", "Write one field for each property.")
        seen.add(name)
    if missing := [name for name in names if name not in seen]:
        message = f"{quoted(missing, most=12)} {'have' if len(missing) > 1 else 'has'} no field."
        fix = "Add where it stands in a line, or leave the property out of the contract."
        document.error((*at, "fields"), "property-without-field", message, fix, on_key=True)
    places = {one["property"]: n for n, one in enumerate(_written(document, at))}
    by_name = {p.name: p for p in props}
    for field in block.fixed.fields:
        if field.name in by_name and (fault := _padding(field, by_name[field.name])):
            fix = "Write what fills the field up, as a blank or 0."
            document.error((*at, "fields", places[field.name], "padding"), "bad-value", fault, fix)


def _padding(field: Field, prop: Property) -> str | None:
    """Return what is wrong with the padding of a field: it would be a part of its values."""
    shown = visible(field.padding)
    if field.padding == ZERO and field.align != "right":
        return f"`{shown}` behind the value of `{field.name}` could be a part of it."
    if prop.type not in OF_ZEROS and (field.padding.isalnum() or field.padding in OF_NUMBERS):
        return f"`{shown}` could be a part of a value of `{field.name}`."
    if prop.type != "string" and field.padding in OF_NUMBERS:
        return f"`{shown}` could be a part of a value of `{field.name}`."
    return None


def _written(document: Document, at: Path) -> Iterator[dict[str, Any]]:
    """Yield the fields as they are written."""
    yield from document.value((*at, "fields"))
