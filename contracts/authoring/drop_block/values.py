"""Forms of values in a `drop` block: the block and the properties in; properties with their forms, or findings, out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import date_formats
from contracts.authoring.drop_block.block import FIELDS, DropBlock, Values
from contracts.authoring.properties.decimals import MOST
from contracts.files import encodings
from contracts.plan import CONTAINERS, OF_JSON, READ_AS, Csv, FileFormat, Property
from contracts.problem import nearest, visible
from contracts.terms.value_form import NUMBERS, OF_TYPES, PLAIN, ValueForm

NO_SIGN = "\0"
"""A delimiter that no text has."""
OF_NUMBERS = "+-eE%()"
"""Signs within numbers, which mark neither fractions nor groups."""
Fault = tuple[str, str, str]
"""The key at fault, what is wrong, and how to mend it."""


def read(document: Document, at: Path, file_format: FileFormat, csv: Csv, values: Values) -> None:
    """Report settings, at `at` beside `csv`, that mean nothing for a format or contradict each other.

    Of the dialect of XML and JSON only the null values count: their texts are cells with nothing between them.
    """
    own: Path = (*at, "values")
    if document.value(own) is None:
        return
    if file_format == "parquet":
        message = f"`values` means nothing for the format {file_format}, whose values have types."
        document.error(own, "bad-value", message, "Leave it out.", on_key=True)
        return
    if all(document.value((*at, key, "nullValues")) is not None for key in ("csv", "values")):
        message = "`nullValues` is in `csv` and in `values`."
        document.error((*own, "nullValues"), "bad-value", message, "Leave out the one in `csv`.", on_key=True)
    if READ_AS[file_format] == "jsonl":
        nulls = values.every.nulls or () if file_format in OF_JSON else csv.null_values
        csv = Csv(delimiter=NO_SIGN, quote="", null_values=nulls)
    faults = list(_faults(csv, replace(values.every, nulls=csv.null_values)))
    _report(document, csv, own, own, faults)
    date_formats.read(document, own, values.every, values.columns)
    for name, form in values.columns.items():
        nulls = csv.null_values if form.nulls is None else form.nulls
        more = [fault for fault in _faults(csv, replace(form, nulls=nulls)) if fault not in faults]
        _report(document, csv, own, (*own, "columns", name), more)


def _report(document: Document, csv: Csv, every: Path, own: Path, faults: Sequence[Fault]) -> None:
    """Report faults at their keys: at those of a column, if it has them, else at those of all columns."""
    if isinstance(stated := document.value(own), dict) and {"decimals", "decimalChar"} <= stated.keys():
        message = "`decimals` is for numbers without a decimal mark, and `decimalChar` is one."
        document.error((*own, "decimals"), "bad-value", message, "Leave out one of the two.", on_key=True)
    for key in ("decimalChar", "groupChar"):
        if csv.quote and document.value((*own, key)) == csv.delimiter:
            message = f"`{csv.delimiter}` is also the delimiter: each number with it must stand in quotes."
            fix = "Write the delimiter that the files really have, or leave it so if such numbers are quoted."
            document.note((*own, key), "mark-is-delimiter", message, fix, on_key=True)
    for key, message, fix in faults:
        place = next((at for at in ((*own, key), (*every, key)) if document.value(at) is not None), own)
        document.error(place, "bad-value", message, fix, on_key=True)


def _faults(csv: Csv, form: ValueForm) -> Iterator[Fault]:
    """Yield what no cell can be, or what could be read in two ways; null values are those that count."""
    texts = {"nullValues": form.nulls or (), "trueValues": form.true, "falseValues": form.false}
    for key, words in texts.items():
        if text := next((text for text in words if form.cell(text) != text), None):
            message = f"No cell is `{visible(text, 40)}`, as `trim` takes away the blanks around it."
            yield key, message, "Write it without blanks around it."
    yield from _words(form)
    yield from _marks(csv, form)
    yield from _beside(form)
    parts = texts | {"prefixes": form.prefixes, "suffixes": form.suffixes}
    parts |= {"decimalChar": (form.decimal,), "groupChar": (form.group,), "formats": form.formats}
    for key, words in parts.items():
        if text := next((text for text in words if not csv.quote and csv.delimiter in text), None):
            message = f"`{visible(text, 40)}` has the delimiter in it, and no cell is quoted."
            yield key, message, "Write what the cells really hold, or let `csv.quote` be."
        if text := next((text for text in words if not encodings.fits(text, csv.encoding)), None):
            message = f"`{visible(text, 40)}` cannot be written in {csv.encoding}: no file can have it."
            yield key, message, f"Write what {csv.encoding} has, or let `csv.encoding` be another."


def _words(form: ValueForm) -> Iterator[Fault]:
    """Yield faults of the words for true and false."""
    if bool(form.true) != bool(form.false):
        there, missing = ("trueValues", "falseValues") if form.true else ("falseValues", "trueValues")
        yield there, f"`{there}` stands without `{missing}`.", f"Write `{missing}` as well, each with its words."
    for key, other, words, others in (
        ("falseValues", "trueValues", form.false, form.true),
        ("trueValues", "nullValues", form.true, form.nulls or ()),
        ("falseValues", "nullValues", form.false, form.nulls or ()),
    ):
        if both := next((text for text in words if text in others), None):
            message = f"`{visible(both, 40)}` is in `{key}` and in `{other}`."
            yield key, message, "Write each word in one of them."
        elif "" in words and "" in others:
            fix = "Write `nullValues` without the empty text, if an empty cell is a value."
            yield key, f"The empty cell is in `{key}` and in `{other}`.", fix


def _marks(csv: Csv, form: ValueForm) -> Iterator[Fault]:
    """Yield faults of the marks within numbers."""
    for key, mark in (("decimalChar", form.decimal), ("groupChar", form.group)):
        if mark and (mark.isalnum() or mark in OF_NUMBERS):
            yield key, f"`{visible(mark)}` is a part of numbers, or a letter: it cannot be a mark in them.", MARK
        elif mark and mark in {csv.quote, csv.escape} - {""}:
            yield key, f"`{mark}` is also the quote or the escape of the file.", MARK
    if not form.decimal.strip():
        yield "decimalChar", "Neither a blank nor nothing can stand before fractions.", MARK
    if form.decimals is not None and not 0 <= form.decimals <= MOST:
        yield "decimals", f"No number has {form.decimals} decimals.", f"Write a number from 0 to {MOST}."
    if form.group and form.group == form.decimal:
        message = f"`{form.group}` stands both before fractions and between groups of digits."
        yield "groupChar", message, "Write `decimalChar` and `groupChar` as the files have them."


MARK = "Write the one sign that the files have, as `,` or `.`."


def _beside(form: ValueForm) -> Iterator[Fault]:
    """Yield faults of the texts that stand beside numbers: such as could be a part of a number."""
    reserved = ("-+" if "trailing" in form.negatives else "") + ("()" if "brackets" in form.negatives else "")
    reserved += "%" if form.percent else ""
    for key, texts, signs in (("prefixes", form.prefixes, f"{reserved}+-"), ("suffixes", form.suffixes, reserved)):
        if text := next((text for text in texts if re.search("[0-9]", text) or set(text) & set(signs)), None):
            message = f"`{visible(text, 40)}` has digits or signs that may be a part of the number."
            yield key, message, "Write only what stands beside numbers, as a currency or unit."
        if "" in texts:
            yield key, "An empty text stands beside every number.", "Leave it out: a number may also stand alone."
    outer = [("prefixes", text, f"{text}5") for text in form.prefixes]
    outer += [("suffixes", text, f"5{text}") for text in form.suffixes]
    for key, text, cell in outer:
        if form.cell(cell) != cell:
            message = f"No cell has `{visible(text, 40)}`, as `trim` takes away the blanks around a cell."
            yield key, message, "Write it without the blank at its outer end."
            return
    marks = [mark for mark in (form.decimal, form.group) if mark]
    longer = {f"{text}{mark}" for text in ("", *form.prefixes) for mark in marks}
    if text := next((text for text in form.prefixes if text in longer), None):
        message = f"`{visible(text, 40)}` ends with a mark of numbers, so that a cell can be read in two ways."
        yield "prefixes", message, "Write only one of the two prefixes."


def columns(document: Document, at: Path, values: Values, names: Collection[str]) -> None:
    """Report settings of columns that are not names."""
    for name in values.columns:
        if name not in names:
            close = nearest(name, names)
            fix = f"Write `{close}`." if close else "Write the name of a property."
            place: Path = (*at, "values", "columns", name)
            document.error(place, "unknown-property", f"There is no property `{name}`.", fix, on_key=True)


def formed(document: Document, path: Path, block: DropBlock, props: Sequence[Property]) -> list[Property]:
    """Return the properties of a block's files with the form of their cells."""
    if block.format == "parquet":
        return list(props)
    columns(document, path, block.values, {p.name for p in props})
    forms = {p.name: block.values.of(p.name).of_type(p.type) for p in props}
    for prop in props:
        at = (*path, "values", "columns", prop.name)
        _of_property(document, at, prop, forms[prop.name], document.value(at) or {})
        date_formats.typed(document, at, prop, forms[prop.name])
        if block.xml and prop.format and forms[prop.name].dates:
            message = f"`values.formats` beside `logicalTypeOptions.format` of `{prop.name}` is not built yet for XML."
            document.error((*path, "values"), "not-built-yet", message, "Leave out the property's format.", on_key=True)
    usual: ValueForm | None = replace(PLAIN, trim=block.xml.trim) if block.xml else PLAIN
    inner = {p.name for p in props if p.type in CONTAINERS}
    if block.format in OF_JSON:  # where texts are values of other types only if so agreed, even in the usual form
        inner |= {p.name for p in props if not block.values.concern(p.name, p.type)}
        inner |= {p.name for p in props if p.type == "string" and forms[p.name] == PLAIN}
        usual = None
    own = ((p, None if forms[p.name] == usual or p.name in inner else forms[p.name]) for p in props)
    return [p if form == p.form else replace(p, form=form) for p, form in own]


def _of_property(document: Document, at: Path, prop: Property, form: ValueForm, own: Mapping[str, Any]) -> None:
    """Report what cannot be for a property, and settings of its own that mean nothing for its type."""
    for key in own:
        name = FIELDS.get(key, "")
        if name in BY_TYPE and name not in OF_TYPES.get(prop.type, ()):
            message = f"`{key}` means nothing for `{prop.name}`, whose type is {prop.type}."
            document.error((*at, key), "bad-value", message, "Leave it out.", on_key=True)
        elif prop.type == "integer" and (key == "decimals" or own[key] == "divide"):
            message = f"`{prop.name}` is an integer, which has no fraction."
            document.error((*at, key), "bad-value", message, "Leave it out, or write `logicalType: number`.")
    if prop.exact and prop.type == "number" and form.shift > prop.exact[1]:
        scale = f"{prop.exact[1]} after the point" if prop.exact[1] else "none after the point"
        message = f"`{prop.name}` has {scale}, and its form gives each number {form.shift}."
        fix = "Write a `physicalType` with more digits after the point."
        place = at if document.value(at) is not None else at[:-2]
        document.error(place, "cannot-hold", message, fix, on_key=True)


BY_TYPE = {*NUMBERS, *(name for names in OF_TYPES.values() for name in names)}
"""The fields of a form that mean nothing for some types."""
