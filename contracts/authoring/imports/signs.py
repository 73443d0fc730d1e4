"""The format that a source resembles: its bytes or values in, the name of a format out, for a fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from contracts.authoring.imports.schemas import spark_ddl
from contracts.authoring.imports.specifications import odcs_2
from contracts.authoring.imports.suites import dbt, dbt_manifest, great_expectations
from contracts.authoring.imports.tables import csvw

MAGIC = b"PAR1"
DDL = re.compile(r"(?>\s|--[^\n]*\n|/\*(?>[^*]|\*(?!/))*\*/)*+(create\b|struct\s*<)", re.IGNORECASE)
CREATES = re.compile(r"^[ \t]*create\s+(?:\w+\s+){0,4}table\b", re.IGNORECASE | re.MULTILINE)
LITERAL = re.compile(r"'(?>[^']|'')*+(?:'|\Z)|--[^\n]*|/\*(?>[^*]|\*(?!/))*+(?:\*/|\Z)")
"""Texts and comments, whose words are no signs; each pattern reads a text once, as sources are of anybody."""
DIALECTS = (
    (
        "sqlserver-ddl",
        re.compile(
            r"(?im)^[ \t]*go[ \t]*\r?$|\[\w+\]\s*(?:\[|\.|\()"
            r"|\b(?:nvarchar|datetime2|uniqueidentifier|bit)\b|\bidentity\s*\("
        ),
    ),
    (
        "bigquery-ddl",
        re.compile(r"(?i)\b(?:int64|float64|bignumeric)\b|\boptions\s*\(\s*description|`[\w-]+\.[\w.-]+`"),
    ),
    (
        "snowflake-ddl",
        re.compile(
            r"(?i)\b(?:variant|timestamp_tz|autoincrement|cluster by|transient table|use (?:role|warehouse))\b"
            r"|\bnumber\s*[(,)]|\bnumber (?:not null|default)\b|\bstage\b"
        ),
    ),
    (
        "postgres-ddl",
        re.compile(
            r"(?i)\b(?:(?:big|small)?serial|jsonb|timestamptz|bytea|citext|character varying|double precision)\b|::"
            r"|with(?:out)? time zone|\bcomment on\b|\bowner to\b|\btext\b|\bcheck\s*\("
        ),
    ),
)
"""Words that only one database's DDL has, by format; the first of these counts."""
SUBSCHEMA = (
    "type", "$ref", "enum", "const", "properties", "items", "format", "pattern", "description", "title", "oneOf",
    "anyOf", "allOf", "minimum", "maximum", "minLength", "maxLength",
)  # fmt: skip
"""Keys of a property in JSON Schema."""
PLAIN = {
    "string", "number", "integer", "boolean", "date", "time", "datetime", "year", "yearmonth", "any", "object", "array",
    "duration", "geopoint", "geojson", "list",
}  # fmt: skip
"""The types of Frictionless."""
KEYS = (
    ("odcs", ("apiVersion", "kind")),
    ("data-contract-specification", ("dataContractSpecification",)),
    ("csvw", ("@context",)),
    ("glue", ("StorageDescriptor",)),
    ("glue", ("TableList",)),
    ("glue", ("TableInput",)),
    ("glue", ("Table",)),
    ("data-package", ("resources",)),
    ("data-package", ("schema", "path")),
    ("data-contract-0.1.3", ("specVersion",)),
    ("mesh", ("interfaceComponents",)),
    ("mesh", ("inputPorts",)),
    ("mesh", ("outputPorts",)),
    ("paypal-2.1", ("quantumName",)),
    ("paypal-2.1", ("datasetDomain",)),
    ("paypal-2.1", ("dataset",)),
    ("clouddq", ("rule_bindings",)),
    ("clouddq", ("entities",)),
    ("clouddq", ("rules",)),
    ("json-schema", ("$schema",)),
    ("json-schema", ("properties",)),
    ("json-schema", ("$ref",)),
    ("json-schema", ("allOf",)),
    ("avro", ("type", "fields", "name")),
    ("spark-json", ("type", "fields")),
    ("table-schema", ("fields", "missingValues")),
    ("table-schema", ("fields", "primaryKey")),
    ("table-schema", ("fields", "foreignKeys")),
)
"""Keys of the outermost mapping that identify a format; the first format with all its keys counts."""


def _entries(*keys: str) -> Callable[[Any], bool]:
    """Return the test of a mapping of mappings, one of which has one of some keys."""
    return lambda value: (
        isinstance(value, dict)
        and any(isinstance(entry, dict) and not entry.keys().isdisjoint(keys) for entry in value.values())
    )


def _list_of(kind: type) -> Callable[[Any], bool]:
    """Return the test of a list of values of one type."""
    return lambda value: isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


VALUES: Mapping[str, Callable[[Any], bool]] = {
    "@context": lambda value: csvw.recognizes({"@context": value}),
    "Table": lambda value: isinstance(value, dict) and "StorageDescriptor" in value,
    "resources": _list_of(dict),
    "dataset": lambda value: isinstance(value, dict) or _list_of(dict)(value),
    "entities": _entries("columns", "table_name", "source_database"),
    "rules": _entries("rule_type"),
    "properties": _entries(*SUBSCHEMA),
    "$ref": lambda value: isinstance(value, str),
    "allOf": _list_of(dict),
}
"""The values of keys that other tools have as well, as the rules of a linter and the resources of a cluster."""
CERTAIN = (
    ("odcs-2.2", odcs_2.recognizes_standard),
    ("dbt-manifest", dbt_manifest.recognizes),
    ("great-expectations", great_expectations.recognizes),
    ("dbt", dbt.recognizes),
)
"""The formats that more than their keys identify."""
INSTEAD = {
    "odcs": "It is ODCS already: `dropgate lint` reads it as it is.",
}
"""The fix for a format that `--from` does not support."""


def format_of(data: Any) -> str | None:
    """Return the format that values, or the text of a source, resemble; None if there is none."""
    if isinstance(data, bytes):
        return "parquet" if data.startswith(MAGIC) else None
    if isinstance(data, str):
        return _dialect(data) if DDL.match(data) or CREATES.search(data) else None
    if isinstance(data, list):
        return "avro" if any(format_of(inner) == "avro" for inner in data) else None
    if not isinstance(data, dict):
        return None
    if name := next((name for name, recognizes in CERTAIN if recognizes(data)), None):
        return name
    name = next((name for name, keys in KEYS if all(_identifies(key, data) for key in keys)), None)
    return name or (_of_fields(data["fields"]) if "fields" in data else None)


def _identifies(key: str, data: dict[str, Any]) -> bool:
    """Return True if a mapping has a key, with a value as the format of this key has it."""
    return key in data and (key not in VALUES or VALUES[key](data[key]))


def _dialect(text: str) -> str:
    """Return the format of DDL by the words that one database alone has; else Spark's if that reads it."""
    bare = LITERAL.sub(" ", text)
    if name := next((name for name, words in DIALECTS if words.search(bare)), None):
        return name
    return "spark-ddl" if not CREATES.search(text) or spark_ddl.reads(text) else "postgres-ddl"


def _of_fields(fields: Any) -> str:
    """Return the format of a list of fields, whose types BigQuery writes in capitals and Frictionless does not."""
    listed = [field for field in (fields if isinstance(fields, list) else ()) if isinstance(field, dict)]
    kinds = {field.get("type") for field in listed if isinstance(field.get("type"), str)}
    are_plain = bool(kinds) and kinds <= PLAIN and not any("repeated" in field for field in listed)
    return "table-schema" if are_plain or any("constraints" in field for field in listed) else "astrafy"


def fix(resembled: str | None, importable: tuple[str, ...]) -> str:
    """Return the fix for a source that is not of the requested format."""
    if resembled in importable:
        return f"Write `--from {resembled}`."
    return INSTEAD.get(str(resembled), f"Name its format with `--from`: {', '.join(importable)}.")
