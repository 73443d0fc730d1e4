"""The form of values in a file's cells: the text of a cell in; the text that the contract means, or none, out.

A contract publishes values in one form: numbers with a point, `true` and `false`, dates in the property's format.
Files may write them in another one. A form is read here, in plain Python, and by `spark_jobs.rules.value_forms` in the
job; texts of the contract (bounds, allowed values) are always in the published form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from contracts import codec

BLANKS = (
    "\t\n\x0b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that `trim` takes away: white space as patterns and `notBlank` mean it (ECMA-262)."""

OF_TYPES: Mapping[str, tuple[str, ...]] = {}
"""The fields of a form that mean something for the cells of single types; all others are of any type."""


@dataclass(frozen=True, slots=True)
class ValueForm:
    """The form in which cells hold values of a property.

    With `trim` blanks around a cell are no part of it. `nulls` are the cells that are null; None if they are those of
    the dialect.
    """

    trim: bool = field(default=False, metadata=codec.SPARSE)
    nulls: tuple[str, ...] | None = field(default=None, metadata=codec.SPARSE)

    def cell(self, text: str) -> str:
        """Return the text of a cell without the blanks that do not belong to it."""
        return text.strip(BLANKS) if self.trim else text

    def words(self) -> str:
        """Return in words what of the form differs from the contract's own."""
        empty = ("an empty cell" if text == "" else f"“{text}”" for text in self.nulls or ())
        words = ["blanks around it do not count"] if self.trim else []
        words += [f"null is {' or '.join(empty) or 'not written'}"] if self.nulls is not None else []
        return "; ".join(words)

    def of_type(self, kind: str) -> ValueForm:
        """Return what of the form matters for cells of a type."""
        own = {"trim", "nulls", *OF_TYPES.get(kind, ())}
        return replace(PLAIN, **{f.name: getattr(self, f.name) for f in fields(self) if f.name in own})


PLAIN = ValueForm()
"""The form of cells that are written as the contract writes values."""
