"""Cells in the form of a file: a cell and its property in; the text that the contract means, or null, out.

The same as `contracts.terms.value_form`, as columns. A text that does not have the form becomes null: it is no value.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.plan import Property
from contracts.terms.value_form import BLANKS, ValueForm


def trimmed(cell: Column, prop: Property) -> Column:
    """Return a cell without the blanks that are no part of it."""
    return sf.trim(cell, sf.lit(BLANKS)) if prop.form and prop.form.trim else cell


def published(cell: Column, prop: Property, _form: ValueForm) -> Column:
    """Return a trimmed cell in the form in which the contract writes values of its type."""
    match prop.type:
        case _:
            return cell
