"""Properties of dbt (`schema.yml`) in; an ODCS document of each model, seed, snapshot and table of a source out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import sqlglot
from sqlglot import exp

from contracts.authoring.document import physical_types
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, kept, lost, rest_lost, slug
from contracts.authoring.imports.suites.dbt_tests import Test, Tests, is_plain, test_of
from contracts.authoring.imports.suites.judged import Table
from contracts.authoring.imports.tables import sql_conditions, sql_types

TEXT = {"type": "string"}
NAMED = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
COLUMNS = {"type": ["array", "null"], "items": NAMED}
NODE = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "columns": COLUMNS}}
NODES = {"type": ["array", "null"], "items": NODE}
KINDS = ("models", "seeds", "snapshots")
SHAPE = {
    "type": "object",
    "properties": {
        **dict.fromkeys(KINDS, NODES),
        "sources": {
            "type": ["array", "null"],
            "items": {"type": "object", "required": ["name"], "properties": {"name": TEXT, "tables": NODES}},
        },
    },
}
TESTS = ("data_tests", "tests")
"""The keys of tests: the second was the only one before dbt 1.8."""
OF_NODE = {"name", "description", "columns", "config", "constraints", "meta", "tags", "identifier", "docs", *TESTS}
OF_COLUMN = {"name", "description", "data_type", "constraints", "meta", "tags", "quote", "config", "docs", *TESTS}
OF_SOURCE = {"name", "description", "tables", "schema", "database", "meta", "tags", "config", "freshness", "loader"}
OF_CONFIG = {"contract", "meta", "tags", "enabled", "docs", "freshness", "loaded_at_field"}
DIALECTS = ("bigquery", "snowflake", "postgres", "spark")
"""The dialects of sqlglot in which a type is tried."""
PERIODS = {"minute": "min", "hour": "h", "day": "d"}


@dataclass(slots=True)
class Node:
    """A model or another table with columns: its keys as dbt reads them, its path, and its tests."""

    id: str
    path: Path
    written: dict[str, Any]
    physical: str | None = None
    columns: list[tuple[Path, dict[str, Any]]] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    source: dict[str, Any] = field(default_factory=dict)
    notes: list[Finding] = field(default_factory=list)

    @contextmanager
    def noting(self, document: Document) -> Iterator[None]:
        """Take the findings that come up meanwhile as notes about this node."""
        before = len(document.findings)
        yield
        self.notes += document.findings[before:]

    @property
    def name(self) -> str:
        """The name by which other models refer to it."""
        return str(self.written["name"])


def recognizes(data: Any) -> bool:
    """Return True if values are a `schema.yml`: models, seeds, snapshots or sources with names."""
    if not isinstance(data, dict):
        return False
    listed = [data.get(key) for key in (*KINDS, "sources")]
    return any(isinstance(v, list) and v and all(isinstance(n, dict) and "name" in n for n in v) for v in listed)


def read(document: Document) -> list[Imported]:
    """Return the documents of all models, seeds, snapshots and tables of sources with columns."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    rest_lost(document, (), data, {"version", "sources", *KINDS}, "the file")
    nodes = [
        _node(document, (kind, n), node, node["name"]) for kind in KINDS for n, node in enumerate(data.get(kind) or ())
    ]
    for n, source in enumerate(data.get("sources") or ()):
        rest_lost(document, ("sources", n), source, OF_SOURCE, f"the source `{source['name']:.60}`")
        for m, table in enumerate(source.get("tables") or ()):
            path: Path = ("sources", n, "tables", m)
            node = _node(document, path, table, f"{source['name']}-{table['name']}")
            node.source = source
            nodes.append(node)
    return contracts(document, nodes)


def _node(document: Document, path: Path, written: dict[str, Any], name: str) -> Node:
    """Return a node with its columns and tests."""
    node = Node(name, path, written, written.get("identifier"))
    with node.noting(document):
        rest_lost(document, path, written, OF_NODE | {"freshness", "loaded_at_field"}, f"`{name:.60}`")
    node.columns = [((*path, "columns", n), column) for n, column in enumerate(written.get("columns") or ())]
    for owner, at, column in [(written, path, None), *((c, p, c["name"]) for p, c in node.columns)]:
        for key in TESTS:
            listed = owner.get(key)
            for n, test in enumerate(listed if isinstance(listed, list) else ()):
                if (read := test_of(test, (*at, key, n), column)) is not None:
                    node.tests.append(read)
    return node


def contracts(document: Document, nodes: list[Node]) -> list[Imported]:
    """Return the documents of nodes that have columns; a note names the others."""
    tables = {}
    for node in nodes:
        table = Table(node.name)
        with node.noting(document):
            for path, column in node.columns:
                _column(document, path, column, table)
        for test in node.tests:
            if test.column is not None:
                table.column(test.column)
        if table.properties:
            tables[node.id] = table
        else:
            lost(
                document, node.path, f"`{node.name:.60}` has no columns here.", "Name its columns there.", on_key=False
            )
    targets = {
        (node.id, name): (
            f"{slug(node.id)}.v1.yaml#/schema/{node.name}/properties/{name}",
            prop.get("logicalType", ""),
        )
        for node in nodes
        if node.id in tables
        for name, prop in tables[node.id].properties.items()
    }
    made = []
    for node in nodes:
        if node.id in tables:
            with node.noting(document):
                imported = _imported(document, node, tables[node.id], targets)
            made.append(replace(imported, notes=tuple(node.notes)))
    return made


def _imported(
    document: Document, node: Node, table: Table, targets: dict[tuple[str, str], tuple[str, str]]
) -> Imported:
    written, config = node.written, node.written.get("config") or {}
    config = config if isinstance(config, dict) else {}
    tests = Tests(document, table, targets)
    for test in sorted(node.tests, key=lambda test: test.column is None):
        tests.apply(test)
    for path, owner, column in [(node.path, written, None), *((p, c, str(c["name"])) for p, c in node.columns)]:
        _constraints(document, path, owner, column, table)
    if others := [str(key) for key in config if key not in OF_CONFIG]:
        message = f"The `config` of `{node.name:.60}` says how dbt builds it ({', '.join(others):.80})."
        lost(document, (*node.path, "config"), message)
    if table.untyped:
        listed = ", ".join(f"`{column}`" for column in table.untyped[:20])
        message = f"Without `data_type` in `{node.name:.60}`: {listed}. They are text, or what a test says of them."
        lost(document, node.path, message, "Write the types that their values have.", on_key=False)
    enforced = config.get("contract")
    is_closed = isinstance(enforced, dict) and enforced.get("enforced") is True
    tags = [*_texts(node.source.get("tags")), *_texts(written.get("tags")), *_texts(config.get("tags"))]
    meta = {**_mapping(config.get("meta")), **_mapping(written.get("meta"))}
    head: dict[str, Any] = {"physicalName": node.physical, "description": _text(document, node.path, written)}
    head |= {"quality": table.quality, "tags": list(dict.fromkeys(tags))}
    head |= {"customProperties": [*table.custom, *(kept(str(key), value) for key, value in meta.items())]}
    levels = _freshness(document, node)
    data = contract(
        node.id, {"name": node.name, **given(head), "properties": list(table.properties.values())}, slaProperties=levels
    )
    return Imported(data, {} if is_closed else {"columns": {"extra": "ignore"}})


def _column(document: Document, path: Path, column: dict[str, Any], table: Table) -> None:
    """Add the property of a column."""
    name, written = column["name"], column.get("data_type")
    rest_lost(document, path, column, OF_COLUMN, f"`{name:.60}`")
    typed = property_of(written) if isinstance(written, str) and is_plain(written) else None
    if typed is None and written:
        lost(document, (*path, "data_type"), f"The type `{written!s:.60}` of `{name:.60}` has no equivalent.")
        typed = {"physicalType": str(written)}
    prop = table.column(name, typed)
    config = _mapping(column.get("config"))
    meta = {**_mapping(config.get("meta")), **_mapping(column.get("meta"))}
    tags = [*_texts(column.get("tags")), *_texts(config.get("tags"))]
    custom = [kept(str(key), value) for key, value in meta.items()]
    prop |= given({"description": _text(document, path, column), "tags": tags, "customProperties": custom})


def property_of(written: str) -> dict[str, Any] | None:
    """Return the property of a type of any database that dbt writes to; None without an equivalent."""
    if (prop := physical_types.property_of(written)) is not None:
        return prop
    for dialect in DIALECTS:
        try:
            kind = exp.DataType.build(written, dialect=dialect)
        except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
            continue
        if (prop := sql_types.property_of(kind, _field)) is not None:
            return prop
    return None


def _field(column: exp.ColumnDef) -> dict[str, Any]:
    """Return the property of a field within a struct."""
    kind = column.args.get("kind")
    typed = sql_types.property_of(kind, _field) if isinstance(kind, exp.DataType) else None
    return {"name": column.name, **(typed or {"physicalType": kind.sql() if isinstance(kind, exp.DataType) else ""})}


def _constraints(document: Document, path: Path, owner: dict[str, Any], column: str | None, table: Table) -> None:
    """Read the constraints of a model or a column."""
    listed = owner.get("constraints")
    for n, each in enumerate(listed if isinstance(listed, list) else ()):
        at: Path = (*path, "constraints", n)
        kind = each.get("type") if isinstance(each, dict) else None
        names = [column] if column else _texts(each.get("columns")) if isinstance(each, dict) else []
        props = [table.properties[name] for name in names if name in table.properties]
        if kind in ("not_null", "unique", "primary_key") and props and (kind != "unique" or len(props) == 1):
            key = {"not_null": "required", "unique": "unique", "primary_key": "primaryKey"}[kind]
            for position, prop in enumerate(props, 1):
                places = {"primaryKeyPosition": position} if kind == "primary_key" and len(props) > 1 else {}
                prop |= {key: True, **places}
        elif kind == "unique" and props:
            entry = {"metric": "duplicateValues", "arguments": {"properties": names}, "mustBe": 0}
            table.quality.append(entry)
        elif kind != "check" or not _check(each.get("expression"), table):
            lost(document, at, f"The constraint `{kind!s:.40}` has no equivalent.", on_key=False)


def _check(expression: Any, table: Table) -> bool:
    """Add a condition of a constraint; return False if it has no equivalent."""
    if not isinstance(expression, str) or not is_plain(expression):
        return False
    try:
        condition = sqlglot.parse_one(expression)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return False
    props = {name.casefold(): prop for name, prop in table.properties.items()}
    if sql_conditions.applied(condition, props):
        return True
    written = sql_conditions.expression(condition, props)
    if written is None:
        return False
    number = sum(str(entry.get("id")).startswith("check-") for entry in table.quality) + 1
    inner = {"metric": "expression", "expression": written}
    table.quality.append({"id": f"check-{number}", "type": "custom", "engine": "dropgate", "implementation": inner})
    return True


def _freshness(document: Document, node: Node) -> list[dict[str, Any]]:
    """Return the freshness of a source's table as its latency."""
    config = _mapping(node.written.get("config"))
    written = node.written.get("freshness") or config.get("freshness") or node.source.get("freshness")
    late = _mapping(written).get("error_after") or _mapping(written).get("warn_after")
    count, period = _mapping(late).get("count"), PERIODS.get(str(_mapping(late).get("period")))
    if written and (not isinstance(count, int) or isinstance(count, bool) or period is None):
        lost(document, node.path, f"The freshness of `{node.name:.60}` has no equivalent.", on_key=False)
        return []
    return [{"property": "latency", "value": count, "unit": period}] if written else []


def _text(document: Document, path: Path, owner: dict[str, Any]) -> str | None:
    """Return a description; one that dbt fills in from elsewhere is a note."""
    text = owner.get("description")
    if isinstance(text, str) and not is_plain(text):
        lost(document, (*path, "description"), "The description is filled in by dbt; it is not carried over.")
        return None
    return text.rstrip("\n") if isinstance(text, str) and text.strip() else None


def _texts(values: Any) -> list[str]:
    if isinstance(values, str):
        return [values]
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
