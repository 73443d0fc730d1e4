"""Schemas of Astrafy's data contracts in (`fields` with name, type and `repeated`), an ODCS document of the table out.

Files are under `<version>/<data product>/<table>`, so the path gives what the file lacks. All contracted fields must
exist with their type; more columns are allowed.
"""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

from contracts.authoring.document import metadata
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes, sql_types
from contracts.authoring.imports.imported import FIRST, Imported, contract, given, lost, rest_lost, stem

SHAPE: dict[str, Any] = {
    "$ref": "#/$defs/record",
    "$defs": {
        "record": {
            "type": "object",
            "required": ["fields"],
            "properties": {"fields": {"type": "array", "items": {"$ref": "#/$defs/field"}}},
        },
        "field": {
            "type": "object",
            "required": ["name", "type"],
            "properties": {
                "name": {"type": "string"},
                "type": {"if": {"type": "object"}, "then": {"$ref": "#/$defs/record"}, "else": {"type": "string"}},
                "repeated": {"type": ["string", "boolean"]},
                "description": {"type": ["string", "null"]},
            },
        },
    },
}
READ = {"name", "type", "repeated", "description"}
REPEATED = "yes"


def recognizes(data: Any) -> bool:
    """Return True if values are a schema of fields."""
    return isinstance(data, dict) and "fields" in data and "type" not in data


def read(document: Document) -> list[Imported]:
    """Return the document of a table."""
    if not shapes.fits(document, SHAPE):
        return []
    table = stem(document.file)
    folders = [part for part in File(document.file).parent.parts if part not in {"/", "..", "."}]
    version = folders[-2] if len(folders) > 1 and metadata.VERSION.fullmatch(folders[-2]) else None
    name = f"{folders[-1]}-{table}" if version else table
    rest_lost(document, (), document.data, {"fields"}, "the schema")
    schema_object = {"name": table, "properties": _fields(document, (), document.data)}
    return [Imported(contract(name, schema_object, version=version or FIRST), {"columns": {"extra": "ignore"}})]


def _fields(document: Document, path: Path, record: dict[str, Any]) -> list[dict[str, Any]]:
    made = []
    for n, field in enumerate(record["fields"]):
        at: Path = (*path, "fields", n)
        rest_lost(document, at, field, READ, f"`{field['name']}`")
        kind, of_type = field["type"], (*at, "type")
        if isinstance(kind, dict):
            rest_lost(document, of_type, kind, {"fields"}, f"the type of `{field['name']}`")
            prop: dict[str, Any] = {"logicalType": "object", "properties": _fields(document, of_type, kind)}
        else:
            prop = sql_types.property_or_loss(document, of_type, kind, field["name"])
        repeated = field.get("repeated", "no")
        if repeated is True:  # as YAML reads `yes`
            message = f"`repeated` of `{field['name']}` is true, which their validation does not take for a list."
            document.warning((*at, "repeated"), "as-printed", message, 'Write `repeated: "yes"`, in quotes.')
        elif repeated not in {REPEATED, "no", False}:
            lost(document, (*at, "repeated"), f"`repeated: {repeated:.40}` says nothing; `yes` makes a list.")
        if repeated is True or repeated == REPEATED:
            prop = {"logicalType": "array", "items": prop}
        made.append({"name": field["name"], **given({"description": field.get("description")}), **prop})
    return made
