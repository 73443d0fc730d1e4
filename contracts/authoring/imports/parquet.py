"""The columns of a Parquet file in, an ODCS document for files like it out.

Who calls reads the footer: names and Spark's types of the outermost columns, as
`functions.admission.heads.parquet_footer` tells them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Mark
from contracts.authoring.imports.imported import Imported, contract, lost, stem
from contracts.authoring.imports.spark_types import OPTIONS, Refused, Tokens, property_of
from contracts.values.parquet_types import CLOCKS

LOST = {
    "nested": "The column `{}` is nested; what is in it is not read.",
    "unknown": "The column `{}` is of a type that is not read, or of one in nanoseconds within another column.",
    "null": "The column `{}` holds only nulls; its type is not known.",
    "binary": "The column `{}` holds bytes that are not marked as text; no type of a contract takes them yet.",
}
"""What is said of a column whose type makes no property's type."""
LIKE = {"timestamp_ns": "timestamp", "timestamp_ntz_ns": "timestamp_ntz"}
"""Types of `contracts.values.parquet_types` that are as one of Spark's, but for their unit."""


def document(file: str, columns: Iterable[tuple[str, str]]) -> Document:
    """The name and type of each column as a document to bring in."""
    found = [{"name": name, "type": kind} for name, kind in columns]
    return Document(file, found, {(): Mark(1, 1)})


def known(data: Any) -> bool:
    """Return True if values are columns with a name and a type."""
    return isinstance(data, list) and all(
        isinstance(one, dict) and isinstance(one.get("name"), str) and isinstance(one.get("type"), str) for one in data
    )


def read(document: Document) -> list[Imported]:
    """The document that the columns make."""
    if not document.data:
        return []
    properties = [_property(document, n, one["name"], one["type"]) for n, one in enumerate(document.data)]
    message = "Whether a column may be null is not read from the footer; no property is `required`."
    lost(document, (), message, "Write `required: true` where no null may be.", on_key=False)
    name = stem(document.file)
    return [Imported(contract(name, {"name": name, "properties": properties}))]


def _property(document: Document, n: int, name: str, kind: str) -> dict[str, Any]:
    """A column as a property; that an integer has 32 bits holds by its type, and needs no check."""
    if kind in LOST:
        lost(document, (n,), LOST[kind].format(name), on_key=False)
        return {"name": name, "physicalType": kind}
    if kind in CLOCKS:
        return {"name": name, "logicalType": "time"}
    try:
        found = property_of(Tokens(LIKE.get(kind, kind)))
    except Refused:
        lost(document, (n,), LOST["unknown"].format(name), on_key=False)
        return {"name": name}
    options = {key: value for key, value in found.pop(OPTIONS, {}).items() if key != "format"}
    return {"name": name, **found, **({OPTIONS: options} if options else {})}
