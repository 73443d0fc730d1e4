"""Cells in the form of a file: a cell and its property in; the text that the contract means, or null, out.

The same as `contracts.terms.value_form`, as columns. A text that does not have the form becomes null: it is no value.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.plan import Property
from contracts.terms.value_form import BLANKS, ValueForm, number_pattern
from spark_jobs.rules import file_dates


def trimmed(cell: Column, prop: Property) -> Column:
    """Return a cell without the blanks that are no part of it."""
    return sf.trim(cell, sf.lit(BLANKS)) if prop.form and prop.form.trim else cell


def published(cell: Column, prop: Property, form: ValueForm) -> Column:
    """Return a trimmed cell as cells of `Property.published` are."""
    match prop.type:
        case "integer" | "number" if not form.plain_numbers:
            return _number(cell, prop, form)
        case "boolean" if form.true:
            return sf.when(cell.isin(*form.true), "true").when(cell.isin(*form.false), "false")
        case "date" | "timestamp" | "time" if form.dates:
            return file_dates.iso(cell, form.dates, prop.type)
        case _:
            return cell


def _number(cell: Column, prop: Property, form: ValueForm) -> Column:
    """Return a number with a point: its sign in front, no marks between its digits, nothing beside them."""
    pattern = number_pattern(form, prop.type, exponent=prop.type == "number" and prop.exact is None)
    whole = rf"^(?:{pattern.text})\z"
    text = cell
    if pattern.has_more:
        text = sf.regexp_replace(text, whole, "".join(f"${n}" for n in (*pattern.signs, *pattern.digits)))
    if marks := form.marks:
        kept = "".join(mark for mark in marks if marks[mark])
        dropped = "".join(mark for mark in marks if not marks[mark])
        text = sf.translate(text, kept + dropped, "".join(marks[mark] for mark in kept))
    if form.shift:
        padded = sf.regexp_replace(text, "^([+-]?)", "$1" + r"\0" * form.shift)
        text = sf.regexp_replace(padded, rf"([0-9]{{{form.shift}}})(?:\.([0-9]*))?\z", ".$1$2")
    return sf.when(cell.rlike(whole), text)
