"""The columns of a Parquet file in, an ODCS document for files like it out.

The caller reads the footer: names and Spark's types of the outermost columns, as
`functions.admission.heads.parquet.parquet_footer` returns them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Position
from contracts.authoring.imports.imported import Imported, contract, lost, stem
from contracts.authoring.imports.schemas.spark_types import OPTIONS, DdlInvalid, Tokens, property_of
from contracts.values.parquet_types import CLOCKS

LOST = {
    "nested": "The column `{}` is nested; what is in it is not read.",
    "unknown": "The column `{}` is of a type that is not read, or of one in nanoseconds within another column.",
    "null": "The column `{}` holds only nulls; its type is not known.",
    "binary": "The column `{}` holds bytes that are not marked as text; no type of a contract takes them yet.",
}
"""The note about a column whose type has no equivalent."""
LIKE = {"timestamp_ns": "timestamp", "timestamp_ntz_ns": "timestamp_ntz"}
"""Types of `contracts.values.parquet_types` that differ from one of Spark's only by their unit."""


def document(file: str, columns: Iterable[tuple[str, str]]) -> Document:
    """Return the name and type of each column as a document to import."""
    listed = [{"name": name, "type": kind} for name, kind in columns]
    return Document(file, listed, {(): Position(1, 1)})


def recognizes(data: Any) -> bool:
    """Return True if values are columns with a name and a type."""
    return isinstance(data, list) and all(
        isinstance(column, dict) and isinstance(column.get("name"), str) and isinstance(column.get("type"), str)
        for column in data
    )


def read(document: Document) -> list[Imported]:
    """Return the document of the columns."""
    if not document.data:
        return []
    properties = []
    for n, column in enumerate(document.data):
        name, kind = column["name"], column["type"]
        prop: dict[str, Any] = {}
        if kind in LOST:
            lost(document, (n,), LOST[kind].format(name), on_key=False)
            prop = {"physicalType": kind}
        elif kind in CLOCKS:
            prop = {"logicalType": "time"}
        else:
            try:
                prop = property_of(Tokens(LIKE.get(kind, kind)))
            except DdlInvalid:
                lost(document, (n,), LOST["unknown"].format(name), on_key=False)
            # the type of the column already limits an integer, so its format is left out
            options = {key: value for key, value in prop.pop(OPTIONS, {}).items() if key != "format"}
            prop |= {OPTIONS: options} if options else {}
        properties.append({"name": name, **prop})
    message = "Whether a column may be null is not read from the footer; no property is `required`."
    lost(document, (), message, "Write `required: true` where no null may be.", on_key=False)
    name = stem(document.file)
    return [Imported(contract(name, {"name": name, "properties": properties}))]
