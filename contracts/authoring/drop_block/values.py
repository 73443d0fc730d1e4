"""Forms of values in a `drop` block: the block and the properties in; properties with their forms, or findings, out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.block import DropBlock, Values
from contracts.plan import Csv, FileFormat, Property
from contracts.problem import nearest, visible
from contracts.terms.value_form import PLAIN, ValueForm


def read(document: Document, at: Path, file_format: FileFormat, csv: Csv, values: Values) -> None:
    """Report settings, at `at` beside `csv`, that mean nothing for a format or contradict each other."""
    own: Path = (*at, "values")
    if document.value(own) is None:
        return
    if file_format != "csv":
        message = f"`values` means nothing for the format {file_format}, whose values have types."
        document.error(own, "bad-value", message, "Leave it out.", on_key=True)
        return
    if all(document.value((*at, key, "nullValues")) is not None for key in ("csv", "values")):
        message = "`nullValues` is in `csv` and in `values`."
        document.error((*own, "nullValues"), "bad-value", message, "Leave out the one in `csv`.", on_key=True)
    _nulls(document, (*own, "nullValues"), values.every, csv.null_values)
    for name, form in values.columns.items():
        _nulls(document, (*own, "columns", name, "nullValues"), form, form.nulls or ())


def _nulls(document: Document, at: Path, form: ValueForm, nulls: Sequence[str]) -> None:
    """Report null values that no cell is, as blanks around it are no part of a cell."""
    for n, text in enumerate(nulls):
        if form.cell(text) != text:
            message = f"No cell is `{visible(text, 40)}`, as `trim` takes away the blanks around it."
            document.error((*at, n), "cannot-hold", message, "Write it without blanks around it.")


def columns(document: Document, at: Path, values: Values, known: Collection[str]) -> None:
    """Report settings of columns that are not known."""
    for name in values.columns:
        if name not in known:
            close = nearest(name, known)
            fix = f"Write `{close}`." if close else "Write the name of a property."
            place: Path = (*at, "values", "columns", name)
            document.error(place, "unknown-property", f"There is no property `{name}`.", fix, on_key=True)


def formed(document: Document, path: Path, block: DropBlock, props: Sequence[Property]) -> list[Property]:
    """Return the properties of a block's files with the form of their cells."""
    if block.format != "csv":
        return list(props)
    columns(document, path, block.values, {p.name for p in props})
    forms = {p.name: block.values.of(p.name).of_type(p.type) for p in props}
    return [replace(p, form=None if forms[p.name] == PLAIN else forms[p.name]) for p in props]
