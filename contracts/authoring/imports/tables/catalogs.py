"""Schemas of Spark as JSON and tables of AWS Glue in, an ODCS document of each table out."""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, lost, rest_lost, stem
from contracts.authoring.imports.schemas.spark_types import DdlInvalid, Tokens, property_of

TEXT = {"type": "string"}
COLUMNS = {
    "type": "array",
    "items": {"type": "object", "required": ["Name", "Type"], "properties": {"Name": TEXT, "Type": TEXT}},
}
GLUE = {
    "type": "object",
    "required": ["Name", "StorageDescriptor"],
    "properties": {
        "Name": TEXT,
        "DatabaseName": TEXT,
        "PartitionKeys": COLUMNS,
        "Parameters": {"type": "object"},
        "StorageDescriptor": {
            "type": "object",
            "required": ["Columns"],
            "properties": {
                "Columns": COLUMNS,
                "SerdeInfo": {"type": "object", "properties": {"Parameters": {"type": "object"}}},
            },
        },
    },
}
DEEPEST = 40


def recognizes_spark(data: Any) -> bool:
    """Return True if values are a schema that Spark wrote as JSON."""
    return isinstance(data, dict) and data.get("type") == "struct" and isinstance(data.get("fields"), list)


def read_spark(document: Document) -> list[Imported]:
    """Return the document of a schema, named as its file."""
    properties = _fields(document, document.data, (), 0)
    name = stem(document.file)
    return [] if document.errors() else [Imported(contract(name, {"name": name, "properties": properties}))]


def _fields(document: Document, struct: dict[str, Any], path: Path, depth: int) -> list[dict[str, Any]]:
    made = []
    for n, field in enumerate(fields if isinstance(fields := struct.get("fields"), list) else ()):
        at: Path = (*path, "fields", n)
        if not isinstance(field, dict) or not isinstance(field.get("name"), str) or "type" not in field:
            document.error(
                at, "missing-key", "A field has a `name` and a `type`.", "Write both, as Spark's `json()` does."
            )
            continue
        about: dict[str, Any] = own if isinstance(own := field.get("metadata"), dict) else {}
        rest_lost(document, (*at, "metadata"), about, {"comment"}, f"the metadata of `{field['name']}`")
        prop = _type(document, field["type"], (*at, "type"), depth)
        comment = about.get("comment")
        required = {"required": True} if field.get("nullable") is False else {}
        described = {"description": comment} if isinstance(comment, str) and comment else {}
        made.append({"name": field["name"], **prop, **described, **required})
    return made


def _type(document: Document, kind: Any, path: Path, depth: int) -> dict[str, Any]:
    """Return the property of a type: a name, or a mapping of an array, a map or a struct."""
    if depth > DEEPEST:
        document.error(
            path, "too-large", f"Types are nested more than {DEEPEST} deep.", "Check that it is the right file."
        )
        return {}
    if isinstance(kind, str):
        return _by_name(document, kind, path)
    match kind:
        case {"type": "struct"}:
            return {"logicalType": "object", "properties": _fields(document, kind, path, depth + 1)}
        case {"type": "array", "elementType": element}:
            required = {"required": True} if kind.get("containsNull") is False else {}
            return {
                "logicalType": "array",
                "items": _type(document, element, (*path, "elementType"), depth + 1) | required,
            }
        case {"type": "map", "keyType": key, "valueType": value}:
            required = {"required": True} if kind.get("valueContainsNull") is False else {}
            of_value = _type(document, value, (*path, "valueType"), depth + 1) | required
            return {
                "logicalType": "map",
                "map": {"key": _type(document, key, (*path, "keyType"), depth + 1), "value": of_value},
            }
    shown = kind.get("type") if isinstance(kind, dict) else kind
    lost(document, path, f"The type `{shown!s:.40}` has no equivalent.", on_key=False)
    return {"physicalType": f"{shown!s:.40}"}


def _by_name(document: Document, kind: str, path: Path) -> dict[str, Any]:
    """Return the property of a type in Spark's or Hive's notation; one without an equivalent keeps its name."""
    text = Tokens(kind)
    prop: dict[str, Any] | None
    try:
        prop = property_of(text)
    except DdlInvalid:
        prop = None
    if prop is None or text.next.kind != "end":
        lost(document, path, f"The type `{kind:.60}` has no equivalent.", on_key=False)
        return {"physicalType": kind}
    for _, message in text.lost:
        lost(document, path, message, on_key=False)
    return prop


def _tables(data: Any) -> list[tuple[Path, Any]]:
    """Return the tables of an answer of Glue, or of a definition of one table."""
    if not isinstance(data, dict):
        return []
    if isinstance(data.get("TableList"), list):
        return [(("TableList", n), table) for n, table in enumerate(data["TableList"])]
    key = next((key for key in ("Table", "TableInput") if isinstance(data.get(key), dict)), None)
    return [((key,), data[key])] if key else [((), data)]


def recognizes_glue(data: Any) -> bool:
    """Return True if values are a table of Glue, as `aws glue get-table` and `get-tables` write it."""
    tables = _tables(data)
    return bool(tables) and all(isinstance(table, dict) and "StorageDescriptor" in table for _, table in tables)


def read_glue(document: Document) -> list[Imported]:
    """Return the documents of all tables."""
    tables = _tables(document.data)
    if not shapes.fits(document, _shape(document.data)):
        return []
    return [_glue_table(document, path, table) for path, table in tables]


def _shape(data: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of an answer with the key that it has around its tables."""
    if isinstance(data.get("TableList"), list):
        return {"properties": {"TableList": {"type": "array", "items": GLUE}}}
    key = next((key for key in ("Table", "TableInput") if isinstance(data.get(key), dict)), None)
    return {"properties": {key: GLUE}} if key else GLUE


def _glue_table(document: Document, path: Path, table: dict[str, Any]) -> Imported:
    stored = table["StorageDescriptor"]
    properties = []
    for n, column in enumerate(stored["Columns"]):
        at: Path = (*path, "StorageDescriptor", "Columns", n, "Type")
        comment = column.get("Comment")
        described = {"description": comment} if isinstance(comment, str) and comment else {}
        properties.append({"name": column["Name"], **_by_name(document, column["Type"], at), **described})
    for n, column in enumerate(table.get("PartitionKeys") or ()):
        message = f"`{column['Name']}` is a part of the keys, and not a column of the files."
        lost(document, (*path, "PartitionKeys", n), message, "Name it in `files`, as `{day}`.", on_key=False)
    about = given({"name": table["Name"], "description": table.get("Description")})
    full = ".".join(part for part in (table.get("DatabaseName"), table["Name"]) if part)
    return Imported(contract(full, {**about, "properties": properties}), _dialect(table))


def _dialect(table: dict[str, Any]) -> dict[str, Any]:
    """Return the dialect of CSV by the table's reader (SerDe)."""
    reader = table["StorageDescriptor"].get("SerdeInfo") or {}
    own = {**(table.get("Parameters") or {}), **(reader.get("Parameters") or {})}
    delimiter = own.get("separatorChar") or own.get("field.delim")
    quote, skipped = own.get("quoteChar"), str(own.get("skip.header.line.count", ""))
    is_csv = "csv" in str(own.get("classification", "")).casefold() or "CSV" in str(reader.get("SerializationLibrary"))
    if not delimiter and not is_csv:
        return {}
    dialect = {"delimiter": delimiter, "quote": quote if quote != '"' else None}
    return {"csv": {**given(dialect), "header": skipped == "1"}} if is_csv or delimiter else {}
