"""Metadata of CSV on the Web in, an ODCS document of each table out, with its dialect for the block.

Tabular metadata of W3C (tabular-metadata, 2015): tables, columns with their datatypes, keys and dialects.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, lost, rest_lost, stem
from contracts.authoring.properties import datetimes

CONTEXT = "http://www.w3.org/ns/csvw"
OPTIONS = "logicalTypeOptions"
TEXT = {"type": "string"}
TABLE = {
    "type": "object",
    "required": ["tableSchema"],
    "properties": {
        "url": TEXT,
        "dialect": {"type": "object"},
        "tableSchema": {
            "type": "object",
            "required": ["columns"],
            "properties": {
                "columns": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"name": TEXT}}}
            },
        },
    },
}
INTEGERS = (
    *("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger"),
    *("negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "gYear"),
)
TYPES = {
    **dict.fromkeys(INTEGERS, "integer"),
    **dict.fromkeys(("number", "decimal", "double", "float"), "number"),
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    **dict.fromkeys(("datetime", "dateTime", "dateTimeStamp"), "timestamp"),
    **dict.fromkeys(("string", "normalizedString", "token", "anyURI", "any", "language", "Name"), "string"),
}
LEAST = {"nonNegativeInteger": {"minimum": 0}, "positiveInteger": {"minimum": 1}, "anyURI": {}}
LEAST |= {"unsignedLong": {"minimum": 0}, "unsignedInt": {"minimum": 0}, "unsignedShort": {"minimum": 0}}
LIMITS = {
    "minimum": "minimum", "minInclusive": "minimum", "maximum": "maximum", "maxInclusive": "maximum",
    "minExclusive": "exclusiveMinimum", "maxExclusive": "exclusiveMaximum",
}  # fmt: skip
LENGTHS = {"minLength": "minLength", "maxLength": "maxLength"}
OF_COLUMN = {"name", "titles", "datatype", "required", "null", "dc:description", "dc:title", "description", "virtual"}


def recognizes(data: Any) -> bool:
    """Return True if values are metadata of CSV on the Web."""
    context = data.get("@context") if isinstance(data, dict) else None
    return CONTEXT in (context if isinstance(context, list) else [context])


def read(document: Document) -> list[Imported]:
    """Return the documents of all tables."""
    several = isinstance(document.data.get("tables"), list)
    shape = {"properties": {"tables": {"type": "array", "items": TABLE}}} if several else TABLE
    if not shapes.fits(document, shape):
        return []
    group = document.data.get("dialect") if several and isinstance(document.data.get("dialect"), dict) else {}
    tables = (
        [(("tables", n), table) for n, table in enumerate(document.data["tables"])]
        if several
        else [((), document.data)]
    )
    return [_table(document, path, table, group or {}) for path, table in tables]


def _table(document: Document, path: Path, table: dict[str, Any], group: dict[str, Any]) -> Imported:
    schema, at = table["tableSchema"], (*path, "tableSchema")
    rest_lost(document, at, schema, {"columns", "primaryKey", "@id", "@type"}, "the schema")
    name = stem(table.get("url") or document.file)
    nulls: list[str] = []
    properties = [
        _column(document, (*at, "columns", n), column, f"_col.{n + 1}", nulls)
        for n, column in enumerate(schema["columns"])
        if column.get("virtual") is not True
    ]
    keys = schema.get("primaryKey")
    names = [keys] if isinstance(keys, str) else keys if isinstance(keys, list) else []
    for n, prop in ((n, p) for n, key in enumerate(names, 1) for p in properties if p["name"] == key):
        prop |= {"primaryKey": True, **({"primaryKeyPosition": n} if len(names) > 1 else {})}
    about = given({key: table.get(f"dc:{key}") for key in ("title", "description")})
    described = {"businessName": about.get("title"), "description": about.get("description")}
    head = {"name": name, **given({key: value for key, value in described.items() if isinstance(value, str)})}
    block = {"csv": _dialect(document, path, {**group, **(table.get("dialect") or {})})}
    if any("physicalName" in prop for prop in properties):
        block["columns"] = {"source": "physicalName"}
    if nulls:
        block["values"] = {"nullValues": list(dict.fromkeys(["", *nulls]))}
    return Imported(contract(name, {**head, "properties": properties}), given(block))


def _column(document: Document, path: Path, column: dict[str, Any], number: str, nulls: list[str]) -> dict[str, Any]:
    title = _first(column.get("titles"))
    name = column.get("name") or title or number
    rest_lost(document, path, column, OF_COLUMN, f"`{name}`")
    datatype = column.get("datatype", "string")
    typed = datatype if isinstance(datatype, dict) else {"base": datatype}
    base = str(typed.get("base", "string"))
    logical = TYPES.get(base)
    if logical is None:
        lost(document, (*path, "datatype"), f"The datatype `{base:.40}` of `{name}` is a text here, and not checked.")
        logical = "string"
    options: dict[str, Any] = dict(LEAST.get(base, {}))
    bounds = LENGTHS if logical == "string" else LIMITS if logical != "boolean" else {}
    options |= {bounds[key]: value for key, value in typed.items() if key in bounds}
    if isinstance(typed.get("length"), int) and logical == "string":
        options |= {"minLength": typed["length"], "maxLength": typed["length"]}
    form = typed.get("format")
    if isinstance(form, str) and logical == "string":
        options["pattern"] = f"^(?:{form})$"
    elif isinstance(form, str) and logical in ("date", "time", "timestamp") and datetimes.fault(form, logical) is None:
        options["format"] = form
    elif form is not None:
        lost(document, (*path, "datatype"), f"The format `{form!s:.40}` of `{name}` has no equivalent.")
    if isinstance(datatype, dict):
        rest_lost(
            document,
            (*path, "datatype"),
            typed,
            {"base", "format", "length", *LIMITS, *LENGTHS},
            f"the datatype of `{name}`",
        )
    null = column.get("null")
    nulls += [text for text in (null if isinstance(null, list) else [null]) if isinstance(text, str) and text]
    text = _first(column.get("dc:description")) or _first(column.get("description"))
    prop = {"name": name, "logicalType": logical, **given({"physicalName": title if title != name else None})}
    prop |= given({"description": text, OPTIONS: options})
    return prop | ({"required": True} if column.get("required") is True else {})


def _dialect(document: Document, path: Path, own: dict[str, Any]) -> dict[str, Any]:
    """Return the dialect of CSV."""
    handled = {"delimiter", "quoteChar", "encoding", "header", "commentPrefix", "skipRows", "doubleQuote", "@type"}
    rest_lost(document, (*path, "dialect"), own, handled, "the dialect")
    encoding = own.get("encoding")
    csv = {
        "delimiter": own.get("delimiter") if own.get("delimiter") != "," else None,
        "quote": own.get("quoteChar") if own.get("quoteChar") != '"' else None,
        "escape": "\\" if own.get("doubleQuote") is False else None,
        "encoding": encoding if isinstance(encoding, str) and encoding.casefold() not in ("utf-8", "utf8") else None,
        "header": False if own.get("header") is False else None,
        "skipRows": own.get("skipRows") or None,
        "commentChar": own.get("commentPrefix") if own.get("commentPrefix") != "#" else None,
    }
    return {key: value for key, value in csv.items() if value is not None}


def _first(written: Any) -> str | None:
    """Return the first text of titles: one, a list, or lists by language."""
    if isinstance(written, dict):
        written = written.get("value") or next(iter(written.values()), None)
    if isinstance(written, list):
        written = written[0] if written else None
    return written if isinstance(written, str) else None
