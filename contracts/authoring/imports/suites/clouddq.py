"""Configuration of CloudDQ in, from one file or many; an ODCS document of each entity out, with the rules bound to it.

Rules without SQL become checks. Rules in BigQuery's SQL become the equivalent `expression` or `statement` in Spark's
SQL, if there is one, with row filters, parameters and reference columns. All other rules are kept as custom
properties, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlglot

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Level, Path
from contracts.authoring.imports import shapes, sql_types
from contracts.authoring.imports.imported import BY_HAND, Imported, contract, dimension, given, kept, lost, rest_lost
from contracts.authoring.imports.suites import bigquery, clouddq_references
from contracts.authoring.properties import decimals
from contracts.authoring.quality import watermarks
from contracts.authoring.sql import expressions, statements
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import Property
from contracts.problem import nearest

TEXT = {"type": "string"}
MAYBE = {"type": ["string", "null"]}


def _each(*required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of a mapping from names to objects with some keys."""
    entry = {"type": "object", "required": list(required), "properties": properties}
    return {"type": ["object", "null"], "additionalProperties": entry}


SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entities": _each(
            table_name=MAYBE,
            columns=_each(name=MAYBE, data_type=MAYBE, description=MAYBE),
        ),
        "row_filters": _each(
            "filter_sql_expr", filter_sql_expr={"type": ["string", "boolean"], "description": "an SQL expression"}
        ),
        "reference_columns": _each(include_reference_columns={"type": ["array", "null"], "items": TEXT}),
        "rules": _each("rule_type", rule_type=TEXT, dimension=MAYBE, params={"type": ["object", "null"]}),
        "rule_bindings": _each(
            "column_id",
            "rule_ids",
            entity_id=MAYBE,
            entity_uri=MAYBE,
            column_id=TEXT,
            row_filter_id=MAYBE,
            reference_columns_id=MAYBE,
            incremental_time_filter_column_id=MAYBE,
            metadata={"type": ["object", "null"]},
            rule_ids={
                "type": "array",
                "items": {"type": ["string", "object"], "maxProperties": 1, "description": "the id of a rule"},
            },
        ),
    },
}
SECTIONS = ("entities", "row_filters", "rules", "rule_bindings", "reference_columns")
OTHERS = ("rule_dimensions", "metadata_registry_defaults")
"""Sections that make no check."""
READ = {
    "entity": {"table_name", "columns"},
    "column": {"name", "data_type", "description"},
    "rule": {"rule_type", "dimension", "params"},
    "binding": {
        "entity_id",
        "entity_uri",
        "column_id",
        "row_filter_id",
        "rule_ids",
        "metadata",
        "reference_columns_id",
        "incremental_time_filter_column_id",
    },
}
CHECKS: dict[str, dict[str, Any]] = {
    "NOT_NULL": {"metric": "nullValues", "mustBe": 0},
    "NOT_BLANK": {"type": "custom", "engine": "dropgate", "implementation": {"metric": "notBlank", "mustBe": 0}},
    "REGEX": {"type": "custom", "engine": "dropgate", "implementation": {"metric": "regex", "mustBe": 0}},
}
"""The equivalent check of each type of rule; the pattern of a REGEX is added."""
SQL = {"CUSTOM_SQL_EXPR": "expression", "CUSTOM_SQL_STATEMENT": "statement"}
"""The equivalent metric of each type of rule in SQL; the type is also the key of its text."""
ALL_ROWS = "true"
INCREMENTAL = "incremental_time_filter_column_id"
"""The key of a binding's watermark: its rules check only rows that are newer in this column than the last run."""
OF_PERIODS = {"avg_from_ts", "N_periods_back"}
"""The arguments of CloudDQ's rules about volumes: since when a mean is taken, or how many periods back is compared."""
DAYS_OF_A_WEEK = 7


@dataclass(slots=True)
class Table:
    """An entity while its rules are bound: properties by column id, checks of the table, custom properties."""

    properties: dict[str, dict[str, Any]]
    quality: list[dict[str, Any]] = field(default_factory=list)
    custom: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class MergedDocument(Document):
    """Several files as one document; a finding names the file of its path."""

    files: dict[Path, str] = field(default_factory=dict)

    def finding(self, level: Level, path: Path, code: str, message: str, fix: str, *, on_key: bool = False) -> Finding:
        """Return a finding about the value, or the key, at a path."""
        position = self.place(path, on_key=on_key)
        return Finding(self.files.get(path[:2], self.file), position.line, position.column, level, code, message, fix)


def together(documents: Sequence[Document]) -> Document:
    """Return the sections of some files as one document; a name in two files is an error in the second."""
    merged = MergedDocument(documents[0].file, {})
    for document in documents:
        is_empty = document.data is None and {finding.code for finding in document.findings} <= {"empty-file"}
        if is_empty and len(documents) > 1:
            continue  # CloudDQ reads all files of a folder, of which some may hold only comments
        merged.findings += document.findings
        if not recognizes(document.data):
            if not document.findings:
                document.error((), "wrong-format", "The file is not a configuration of CloudDQ.", "Leave it out.")
                merged.findings += document.findings
            continue
        for section, things in document.data.items():
            into = merged.data.setdefault(section, {})
            if not isinstance(things, dict) or not isinstance(into, dict):
                merged.data[section] = things
                continue
            for name, thing in things.items():
                if name in into:
                    message = f"`{name}` is also in {merged.files[section, name]}."
                    document.findings.clear()
                    document.error((section, name), "duplicate-key", message, "Keep one of them.", on_key=True)
                    merged.findings += document.findings
                into[name] = thing
                merged.files[section, name] = document.file
        merged.positions |= document.positions
        merged.keys |= document.keys
    return merged


def recognizes(data: Any) -> bool:
    """Return True if values are a configuration of CloudDQ: some of its sections."""
    return isinstance(data, dict) and any(key in data for key in (*SECTIONS, *OTHERS))


def read(document: Document) -> list[Imported]:
    """Return the documents of all entities; none, and findings, if ids refer to nothing."""
    if not shapes.fits(document, SHAPE) or not _is_whole(document):
        return []
    rest_lost(document, (), document.data, {*SECTIONS, "rule_dimensions"}, "the configuration")
    for name, rule in _section(document, "rules").items():
        rest_lost(document, ("rules", name), rule, READ["rule"], f"the rule `{name}`")
    return [_entity(document, name, entity) for name, entity in _section(document, "entities").items()]


def _section(document: Document, name: str) -> dict[str, Any]:
    return document.data.get(name) or {}


def _is_whole(document: Document) -> bool:
    """Return True if all ids refer to something that exists; report findings about the others."""
    for name, binding in _section(document, "rule_bindings").items():
        at: Path = ("rule_bindings", name)
        for n, rule in enumerate(binding["rule_ids"]):
            _exists(document, (*at, "rule_ids", n), _rule_id(rule), _section(document, "rules"), "rule")
        if (row_filter := binding.get("row_filter_id")) is not None:
            _exists(document, (*at, "row_filter_id"), row_filter, _section(document, "row_filters"), "row filter")
        if (reference := binding.get("reference_columns_id")) is not None:
            _exists(document, (*at, "reference_columns_id"), reference, _section(document, "reference_columns"), "list")
        if (entity_id := binding.get("entity_id")) is not None:
            entities = _section(document, "entities")
            if _exists(document, (*at, "entity_id"), entity_id, entities, "entity"):
                columns = entities[entity_id].get("columns") or {}
                for key in ("column_id", INCREMENTAL):
                    if binding.get(key) is not None:
                        _exists(document, (*at, key), binding[key], columns, "column")
    return not document.errors()


def _exists(document: Document, path: Path, name: str, things: dict[str, Any], what: str) -> bool:
    if name in things:
        return True
    close = nearest(name, things)
    fix = f"Write `{close}`." if close else "Define it, or also give the file that defines it."
    document.error(path, "unknown-id", f"There is no {what} `{name:.60}`.", fix)
    return False


def _rule_id(rule: Any) -> str:
    """Return the id of a rule: the rule is only an id, or the id is the key of its arguments."""
    return rule if isinstance(rule, str) else next(iter(rule), "")


def _entity(document: Document, name: str, entity: dict[str, Any]) -> Imported:
    path: Path = ("entities", name)
    rest_lost(document, path, entity, READ["entity"], f"the entity `{name}`")
    properties = {}
    for key, column in (entity.get("columns") or {}).items():
        at: Path = (*path, "columns", key)
        rest_lost(document, at, column, READ["column"], f"the column `{key}`")
        prop = sql_types.property_or_loss(document, (*at, "data_type"), column.get("data_type") or "string", key)
        about = given({"description": column.get("description")})
        properties[key] = {"name": column.get("name") or key, **prop, **about}
    table = Table(properties)
    for binding, values in _section(document, "rule_bindings").items():
        if values.get("entity_id") == name:
            _bind(document, binding, values, table)
        elif values.get("entity_id") is None:
            lost(document, ("rule_bindings", binding), f"`{binding}` is bound to no entity of these files.")
    head: dict[str, Any] = {"name": entity.get("table_name") or name, "properties": list(properties.values())}
    lists = given({"quality": table.quality, "customProperties": table.custom})
    return Imported(contract(name, head | lists), {"columns": {"extra": "ignore"}})


def _bind(document: Document, name: str, binding: dict[str, Any], table: Table) -> None:
    """Add the rules of a binding to its property or its table; keep rules that cannot be checked."""
    prop = table.properties[binding["column_id"]]
    path: Path = ("rule_bindings", name)
    rest_lost(document, path, binding, READ["binding"], f"`{name}`")
    where = _section(document, "row_filters").get(binding.get("row_filter_id") or "", {}).get("filter_sql_expr", "true")
    newer = _newer(document, path, binding, table)
    reference = _reference(document, binding, table)
    for n, entry_id in enumerate(binding["rule_ids"]):
        rule_id = _rule_id(entry_id)
        rule = _section(document, "rules")[rule_id]
        at: Path = (*path, "rule_ids", n)
        arguments = entry_id[rule_id] if isinstance(entry_id, dict) else None
        bound = Bound(rule, arguments or {}, prop["name"], table, str(where))
        entry, only = bound.entry(), bound.filter()
        identity = {"id": re.sub("[^A-Za-z0-9_-]", "_", f"{name}-{rule_id}")}
        lookup = clouddq_references.looked_up(bound.expression()) if isinstance(entry, str) else None
        place = clouddq_references.target(_section(document, "entities"), *lookup) if lookup else None
        if place and not newer and only == {}:
            prop.setdefault("relationships", []).append({**identity, "to": place, **_about(rule, binding)})
            continue
        if isinstance(entry, str) or isinstance(only, str):
            fix = clouddq_references.ELSEWHERE if lookup and not place else BY_HAND
            why = entry if isinstance(entry, str) else f"its row filter `{where!s:.80}`: {only}"
            lost(document, at, f"`{rule_id}` is a rule of type {rule['rule_type']:.40}, which is not built: {why}", fix)
            value = {"column": prop["name"], "where": where, "rule": rule, "arguments": arguments}
            table.custom.append(kept(f"{name}-{rule_id}", given(value)))
            continue
        of_rows = entry.get("implementation", {}).get("metric") != "statement"
        if reference and not of_rows and any(c not in entry["implementation"]["statement"] for c in reference):
            lost(document, at, f"The reference columns of `{rule_id}`, which is about no record.")
        if not of_rows and arguments and OF_PERIODS & arguments.keys():
            message = f"`{rule_id}` compares periods of one table; here it sees only the rows of one file."
            fix = f"Where each file is a period of its own, write `{_relative(arguments)}` in its place."
            lost(document, at, message, fix, on_key=False)
        if also := only | newer | ({"referenceColumns": reference} if reference and of_rows else {}):
            inside = "implementation" if "implementation" in entry else "arguments"
            entry = {**entry, inside: {**entry.get(inside, {}), **also}}
        owner = prop.setdefault("quality", []) if rule["rule_type"].upper() in CHECKS else table.quality
        more = [kept(str(key), value) for key, value in (binding.get("metadata") or {}).items()]
        about = dimension(rule.get("dimension"))
        more = [*about.pop("customProperties", ()), *more]
        owner.append({**identity, **about, **entry, **given({"customProperties": more})})


def _about(rule: dict[str, Any], binding: dict[str, Any]) -> dict[str, Any]:
    """Return what a relationship keeps of its rule, which has no keys for it."""
    about = {"dimension": rule.get("dimension"), **(binding.get("metadata") or {})}
    return given({"customProperties": [kept(str(key), value) for key, value in given(about).items()]})


def _relative(arguments: dict[str, Any]) -> str:
    """Return the check of a number of records that compares files as a rule compares periods."""
    back, off = arguments.get("N_periods_back"), arguments.get("deviation_threshold_pct", 10)
    of_weekday = back == DAYS_OF_A_WEEK and str(arguments.get("interval")).casefold() == "day"
    last = f"last: {1 if back == 1 or of_weekday else 8}{', period: weekday' if of_weekday else ''}"
    limits = f"mustBeBetween: [-{off}, {off}]"
    return f"{{metric: rowCount, {limits}, arguments: {{relativeTo: {{of: mean, {last}}}}}}}"


@dataclass(frozen=True, slots=True)
class Bound:
    """A rule with its arguments, the column and table that it is bound to, and its row filter."""

    rule: dict[str, Any]
    arguments: dict[str, Any]
    column: str
    table: Table
    where: str

    def properties(self) -> list[Property]:
        """Return the properties that its SQL may name."""
        return [Property(p["name"], p.get("logicalType", "string")) for p in self.table.properties.values()]

    def filter(self) -> dict[str, Any] | str:
        """Return the filter of a check of some rows, or the reason that it cannot be built."""
        if self.where.strip().lower() == ALL_ROWS:
            return {}
        try:
            text = bigquery.transpiled(self.where)
            expressions.read(text, self.properties(), constant=True)
        except (sqlglot.errors.SqlglotError, RecursionError):
            return "its SQL cannot be read."
        except SqlRefused as refused:
            return refused.message
        return {"filter": text}

    def expression(self) -> str:
        """Return its expression as it is written; empty without one."""
        return str((self.rule.get("params") or {}).get("custom_sql_expr") or "")

    def entry(self) -> dict[str, Any] | str:
        """Return the check of a rule, or the reason that there is none; SQL has parameters if possible, else values."""
        params, kind = self.rule.get("params") or {}, self.rule["rule_type"].upper()
        if kind == "REGEX":
            pattern = params.get("pattern")
            if not isinstance(pattern, str):
                return "it has no pattern."
            inner = {"metric": "regex", "pattern": bigquery.pattern(pattern), "mustBe": 0}
            return {**CHECKS[kind], "implementation": inner}
        if kind in CHECKS:
            return CHECKS[kind]
        metric = SQL.get(kind)
        text = params.get(kind.lower()) if metric else None
        if metric is None or not isinstance(text, str):
            return "it has no SQL."
        why = "its SQL cannot be read."
        try:
            for written, whole, values in bigquery.spark(text, self.column, self.arguments):
                try:
                    if metric == "expression":
                        expressions.read(whole, self.properties())
                    else:
                        statements.read(whole, self.properties(), ("data",))
                except SqlRefused as refused:
                    why = refused.message
                    continue
                inner = {"metric": metric, metric: written, **({"parameters": values} if values else {})}
                return {"type": "custom", "engine": "dropgate", "implementation": inner}
        except (sqlglot.errors.SqlglotError, RecursionError):
            pass
        return why


def _reference(document: Document, binding: dict[str, Any], table: Table) -> list[str]:
    """Return the names of the columns to report of a failing record; none for `*`, as evidence has all columns."""
    name = binding.get("reference_columns_id") or ""
    listed = (_section(document, "reference_columns").get(name) or {}).get("include_reference_columns") or ()
    names = []
    for n, column in enumerate(listed):
        key = next((k for k in (str(column), str(column).upper()) if k in table.properties), None)
        if key is not None:
            names.append(table.properties[key]["name"])
        elif column != "*":
            at: Path = ("reference_columns", name, "include_reference_columns", n)
            lost(document, at, f"The reference column `{column!s:.60}`, which the entity does not have.")
    return names


def _newer(document: Document, path: Path, binding: dict[str, Any], table: Table) -> dict[str, Any]:
    """Return the watermark of a binding's checks if they only check newer rows."""
    if (column := binding.get(INCREMENTAL)) is None:
        return {}
    source: dict[str, Any] = {"logicalType": "string"} | table.properties[column]
    exact = decimals.read(document, path, source, {})
    if why := watermarks.unfit(Property(source["name"], source["logicalType"], exact=exact)):
        lost(document, (*path, INCREMENTAL), f"`{INCREMENTAL}` of `{path[-1]}`: {why[1]}")
        return {}
    return {"watermark": source["name"]}
