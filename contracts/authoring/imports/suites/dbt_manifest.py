"""The manifest of dbt, of schema 4 to 12, in; an ODCS document of each model, seed, snapshot and source out.

A manifest has everything that a project says: models with columns, and tests as nodes of their own.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path, Position
from contracts.authoring.document.source import MOST_DEPTH, number_of
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported
from contracts.authoring.imports.suites import dbt
from contracts.authoring.imports.suites.dbt_tests import REF, Test

TEXT = {"type": "string"}
NODE = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": TEXT,
        "resource_type": TEXT,
        "columns": {"type": ["object", "null"], "additionalProperties": {"type": "object"}},
        "config": {"type": ["object", "null"]},
        "depends_on": {
            "type": ["object", "null"],
            "properties": {"nodes": {"type": ["array", "null"], "items": TEXT}},
        },
        "test_metadata": {
            "type": ["object", "null"],
            "properties": {"kwargs": {"type": ["object", "null"]}},
        },
    },
}
NODES = {"type": "object", "additionalProperties": NODE}
SHAPE = {
    "type": "object",
    "required": ["metadata", "nodes"],
    "properties": {"metadata": {"type": "object"}, "nodes": NODES, "sources": NODES},
}
KINDS = ("model", "seed", "snapshot")
OF_MODEL = ("name", "description", "constraints", "meta", "tags", "config")
OF_COLUMN = ("name", "description", "data_type", "constraints", "meta", "tags")


SIGN = b'"dbt_schema_version"'
HEAD = 4096
"""Bytes in which a manifest says what it is: its metadata come first."""
MOST_BYTES = 64 << 20


def document(raw: bytes, file: str) -> Document:
    """Read a manifest, which is larger than any contract, and mostly on one line: findings have no lines."""
    made = Document(file, positions={(): Position(1, 1)})
    if len(raw) > MOST_BYTES:
        message = f"The file has {len(raw):,} bytes; a manifest has at most {MOST_BYTES:,}."
        made.error((), "too-large", message, "Import the `schema.yml` of the models.")
        return made
    try:
        made.data = json.loads(raw.decode("utf-8-sig"), parse_float=_number, parse_constant=str)
    except (ValueError, RecursionError) as error:
        made.error((), "json-syntax", f"This is no JSON: {error!s:.120}.", "Let dbt write the manifest again.")
    if _depth(made.data) > MOST_DEPTH:
        made.data = None
        made.error(
            (), "too-deep", f"Values are nested more than {MOST_DEPTH} deep.", "Check that it is the right file."
        )
    return made


def _number(text: str) -> Decimal | int | str:
    return text if (number := number_of(text)) is None else number


def _depth(value: Any) -> int:
    """Return how deep values are nested, up to one level more than is allowed."""
    level, depth = [value], 0
    while level and depth <= MOST_DEPTH:
        depth += 1
        inner = [v.values() if isinstance(v, dict) else v for v in level if isinstance(v, (dict, list))]
        level = [each for values in inner for each in values]
    return depth


def recognizes(data: Any) -> bool:
    """Return True if values are a manifest."""
    about = data.get("metadata") if isinstance(data, dict) else None
    return isinstance(about, dict) and "/manifest/" in str(about.get("dbt_schema_version")) and "nodes" in data


def read(document: Document) -> list[Imported]:
    """Return the documents of the project's own models, seeds and snapshots, and of its sources."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    project = data["metadata"].get("project_name")
    nodes: dict[str, dbt.Node] = {}
    for section, kinds in (("nodes", KINDS), ("sources", ("source",))):
        for uid, written in (data.get(section) or {}).items():
            of_project = project is None or written.get("package_name") in (None, project)
            if written.get("resource_type") in kinds and of_project:
                nodes[uid] = _node((section, uid), written)
    for uid, written in data["nodes"].items():
        if written.get("resource_type") == "test" and isinstance(written.get("test_metadata"), dict):
            owner = nodes.get(_owner(written, nodes))
            if owner is not None:
                owner.tests.append(_test(("nodes", uid), written))
    return dbt.contracts(document, [node for node in nodes.values() if node.columns or node.tests])


def _node(path: Path, written: dict[str, Any]) -> dbt.Node:
    """Return a model with the keys that a `schema.yml` has."""
    own = {key: written[key] for key in OF_MODEL if written.get(key) is not None}
    config = own.get("config") or {}
    own["config"] = {key: config[key] for key in ("contract", "enabled") if key in config}
    source = written.get("source_name")
    name = f"{source}-{written['name']}" if source else str(written["name"])
    physical = written.get("identifier") or written.get("alias")
    node = dbt.Node(name, path, own, physical if isinstance(physical, str) and physical != written["name"] else None)
    if source and written.get("freshness"):
        own["freshness"] = written["freshness"]
    for key, column in (written.get("columns") or {}).items():
        kept = {k: column[k] for k in OF_COLUMN if column.get(k) is not None} | {"name": str(column.get("name", key))}
        node.columns.append(((*path, "columns", key), kept))
    return node


def _owner(test: dict[str, Any], nodes: dict[str, dbt.Node]) -> str:
    """Return the node that a test is about: the one that it names, or the model in its arguments."""
    if isinstance(attached := test.get("attached_node"), str) and attached:
        return attached
    depends = test.get("depends_on")
    listed = [uid for uid in (depends.get("nodes") or ()) if isinstance(uid, str)] if isinstance(depends, dict) else []
    model = str((test["test_metadata"].get("kwargs") or {}).get("model"))
    named = next((call[5] or call[3] for call in REF.finditer(model)), None)
    return next((uid for uid in listed if uid in nodes and nodes[uid].name == named), listed[-1] if listed else "")


def _test(path: Path, written: dict[str, Any]) -> Test:
    about = written["test_metadata"]
    own = about.get("kwargs") if isinstance(about.get("kwargs"), dict) else {}
    own = {**own, **(own["arguments"] if isinstance(own.get("arguments"), dict) else {})}
    column = written.get("column_name") or own.get("column_name")
    package = about.get("namespace")
    arguments = {key: value for key, value in own.items() if key not in ("column_name", "model", "arguments")}
    config = {
        k: v for k, v in (written.get("config") or {}).items() if k in ("severity", "where", "error_if", "warn_if")
    }
    is_default = config.get("error_if") == "!= 0" and config.get("warn_if") == "!= 0"
    config = {k: v for k, v in config.items() if v is not None and not (is_default and k in ("error_if", "warn_if"))}
    name = f"{package}.{about.get('name')}" if package else str(about.get("name"))
    description = written.get("description")
    plain = {k: v for k, v in config.items() if (k, str(v).casefold()) != ("severity", "error")}
    named = column.strip('"`') if isinstance(column, str) else None
    return Test(
        name, arguments, plain, path, named, description if isinstance(description, str) and description else None
    )
