"""Column types of Snowflake, BigQuery and others: a name with its digits in, a property's type, or a note, out."""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.document.physical_types import property_of
from contracts.authoring.imports.imported import lost


def property_or_loss(document: Document, path: Path, written: str, name: str) -> dict[str, Any]:
    """Return the ODCS property for the SQL type of a named column; a type without equivalent stays, with a note."""
    prop = property_of(written)
    if prop is None:
        lost(document, path, f"The type `{written:.60}` of `{name}` has no equivalent.")
        return {"physicalType": written}
    return prop
