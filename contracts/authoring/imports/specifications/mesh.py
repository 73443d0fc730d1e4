"""A descriptor of a data product with input and output ports in, an ODCS document of each of their tables out.

Such a mesh checks for both kinds of ports that each column exists with its type, and for output ports also the number
of columns. So only tables of input ports may have more columns. Its test of the number of rows of a day learns what is
usual; here that is what the files of the same weekday had.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from contracts.authoring.document import metadata
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import promises
from contracts.authoring.imports import shapes, sql_types
from contracts.authoring.imports.imported import FIRST, Imported, contract, given, kept, lost, rest_lost, stem
from contracts.terms.promises import KINDS, OF_SHARES

TEXT = {"type": "string"}
MAYBE = {"type": ["string", "null"]}
COLUMN = {
    "type": "object",
    "required": ["name", "dataType"],
    "properties": {"name": TEXT, "dataType": TEXT, "description": MAYBE, "displayName": MAYBE},
}
TABLE = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": TEXT, "displayName": MAYBE, "description": MAYBE, "tableType": MAYBE,
        "columns": {"type": "array", "items": COLUMN},
        "x-tests": {"type": "array"},
    },
}  # fmt: skip
SLO = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": TEXT, "max": {"type": ["number", "string", "boolean", "null"]}, "unit": MAYBE},
}
PROMISE = {
    "type": "object",
    "required": ["api"],
    "properties": {
        "platform": MAYBE, "servicesType": MAYBE, "slo": {"type": "array", "items": SLO},
        "api": {
            "type": "object",
            "required": ["schema"],
            "properties": {
                "schema": {
                    "type": "object",
                    "required": ["tables"],
                    "properties": {
                        "databaseName": MAYBE, "databaseSchemaName": MAYBE,
                        "tables": {"type": "array", "items": TABLE},
                    },
                }
            },
        },
    },
}  # fmt: skip
PORTS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["promises"],
        "properties": {
            "name": MAYBE, "version": MAYBE, "description": MAYBE, "promises": {"type": "array", "items": PROMISE},
        },
    },
}  # fmt: skip
BOTH: dict[str, Any] = {"type": "object", "properties": {"inputPorts": PORTS, "outputPorts": PORTS}}
NAMED: dict[str, Any] = {"type": "object", "properties": {"name": MAYBE, "domain": MAYBE}}
SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {**BOTH["properties"], **NAMED["properties"], "info": NAMED, "interfaceComponents": BOTH},
}
LEVELS = {"completenessPercent": "completeness", "uptimePercent": "availability"}
"""The service level of each type of `slo` that has another name; the others keep theirs."""
ROWS_BY_DAY = "RowCountByDay"
USUAL: dict[str, Any] = {
    "metric": "rowCount",
    "mustBeBetween": [-3, 3],
    "arguments": {"relativeTo": {"of": "mean", "last": 8, "least": 4, "period": "weekday", "unit": "deviations"}},
}
"""The check of a number of rows that is usual for the day of the week."""
TABLE_KEYS = {"displayName": "businessName", "description": "description"}
"""The equivalent ODCS key of each key of tables and columns."""
READ = {
    "product": {"name", "domain", "info", "interfaceComponents", "inputPorts", "outputPorts"},
    "port": {"entityType", "name", "version", "description", "promises"},
    "promise": {"platform", "servicesType", "api", "slo", "deprecationPolicy"},
    "table": {"name", "displayName", "description", "tableType", "columns", "x-tests"},
    "column": {"name", "dataType", "displayName", "description"},
    "slo": {"type", "max", "unit"},
}


def recognizes(data: Any) -> bool:
    """Return True if values are a descriptor with ports."""
    return isinstance(data, dict) and any(key in data for key in ("interfaceComponents", "inputPorts", "outputPorts"))


def read(document: Document) -> list[Imported]:
    """Return the documents of all tables of all ports."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    base: Path = ("interfaceComponents",) if "interfaceComponents" in data else ()
    rest_lost(document, (), data, READ["product"], "the data product")
    made: list[Imported] = []
    for key in ("outputPorts", "inputPorts"):
        for n, port in enumerate(document.value((*base, key)) or ()):
            made += _port(document, (*base, key, n), port, output=key == "outputPorts")
    if made:
        message = "Names of columns are compared in any case there, and exactly here."
        lost(document, (), message, "Write them as the files have them.", on_key=False)
    return made


def _port(document: Document, path: Path, port: dict[str, Any], *, output: bool) -> Iterator[Imported]:
    info = document.data.get("info") or {}
    product = document.data.get("name") or info.get("name") or stem(document.file)
    name = f"{product}{'' if output else '-input'}-{port.get('name') or 'port'}"
    rest_lost(document, path, port, READ["port"], f"the port `{port.get('name')}`")
    version = port.get("version")
    if not isinstance(version, str) or not metadata.VERSION.fullmatch(version):
        if version is not None:
            lost(document, (*path, "version"), f"`{version!s:.40}` is not a version; the contract has {FIRST}.")
        version = FIRST
    head: dict[str, Any] = {
        "domain": document.data.get("domain") or info.get("domain"),
        "description": given({"purpose": port.get("description")}),
    }
    for n, promise in enumerate(port["promises"]):
        at: Path = (*path, "promises", n)
        rest_lost(document, at, promise, READ["promise"], "the promise")
        levels = []
        for k, level in enumerate(promise.get("slo", ())):
            rest_lost(document, (*at, "slo", k), level, READ["slo"], f"`{level['type']}`")
            if level["type"] == "uptimePercent":
                message = "`uptimePercent` is `availability` in ODCS; nothing that files show says whether it is kept."
                lost(document, (*at, "slo", k), message, "It stays, for people and tools.", on_key=False)
            unit = given({"unit": level.get("unit")})
            kind = LEVELS.get(level["type"], level["type"])
            levels.append({"property": kind, "value": level.get("max"), **unit})
        more = {
            **head,
            "servers": _servers(document, at, promise, port),
            "customProperties": [
                kept(key, promise[key]) for key in ("servicesType", "deprecationPolicy") if promise.get(key)
            ],
        }
        for m, table in enumerate(promise["api"]["schema"]["tables"]):
            schema_object = _table(document, (*at, "api", "schema", "tables", m), table)
            block: dict[str, Any] = {} if output else {"columns": {"extra": "ignore"}}
            slo: Path = (*at, "slo")
            promised = [_of_table(document, (*slo, k), level, table, schema_object) for k, level in enumerate(levels)]
            if any(level["property"] in KINDS for level in levels) and all(map(_can_be_held, levels)):
                block |= {"slo": "enforce"}
            more |= {"slaProperties": promised, "name": table.get("displayName")}
            yield Imported(contract(f"{name}-{table['name']}", schema_object, version=version, **more), block)


def _can_be_held(level: dict[str, Any]) -> bool:
    """Return True if lint lets a contract with a service level hold its promises."""
    value, unit = level.get("value"), level.get("unit")
    if level["property"] not in KINDS:
        return True
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value <= 0:
        return False
    if level["property"] in OF_SHARES:
        return unit in promises.PERCENT and value <= 100
    return unit is None or any(unit in words for words in promises.OF_UNIT.values())


def _of_table(
    document: Document, path: Path, level: dict[str, Any], table: dict[str, Any], schema_object: dict[str, Any]
) -> dict[str, Any]:
    """Return a service level of a table: `factDate` with the column that it is about, if the descriptor tells."""
    if level["property"] != "factDate":
        return level
    tests = (test for test in table.get("x-tests", ()) if isinstance(test, dict))
    named = [str(test["date-field"]) for test in tests if test.get("date-field")]
    columns = schema_object.get("properties", ())
    moments = [column["name"] for column in columns if column.get("logicalType") in ("date", "timestamp")]
    fitting = [name for name in named if name in moments] or moments
    if len(set(fitting)) == 1:
        return {**level, "element": fitting[0]}
    message = f"`factDate` does not say which column of `{table['name']}` it is about."
    lost(document, path, message, "Write it as `element` of the service level.", on_key=False)
    return level


def _servers(document: Document, path: Path, promise: dict[str, Any], port: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the servers that hold the tables; ODCS has the keys of Snowflake."""
    schema, platform = promise["api"]["schema"], promise.get("platform")
    database, inside = schema.get("databaseName"), schema.get("databaseSchemaName")
    is_snowflake = "snowflake" in f"{platform} {port.get('name')}".casefold()
    if platform and database and inside and is_snowflake:
        place = {"account": platform, "database": database, "schema": inside}
        return [{"server": "snowflake", "type": "snowflake", **place}]
    if platform or database or inside:
        lost(
            document,
            (*path, "platform"),
            f"Where the tables lie ({platform}, {database}, {inside}) is not carried over.",
        )
    return []


def _table(document: Document, path: Path, table: dict[str, Any]) -> dict[str, Any]:
    rest_lost(document, path, table, READ["table"], f"`{table['name']}`")
    tests = table.get("x-tests", ())
    checks = [check for n, test in enumerate(tests) if (check := _test(document, (*path, "x-tests", n), test))]
    if not table.get("columns"):
        lost(document, path, f"`{table['name']}` names no columns.", "Write its `properties` by hand.", on_key=False)
    columns = []
    for n, column in enumerate(table.get("columns", ())):
        at: Path = (*path, "columns", n)
        rest_lost(document, at, column, READ["column"], f"`{column['name']}`")
        prop = sql_types.property_or_loss(document, (*at, "dataType"), column["dataType"], column["name"])
        columns.append({"name": column["name"], **_described(column), **prop})
    custom = [kept("x-tests", tests)] if tests else []
    quality = [check | {"id": f"rows-{n}"} for n, check in enumerate(checks, 1)] if len(checks) > 1 else checks
    kind = str(table.get("tableType") or "").lower()
    return {
        "name": table["name"],
        **_described(table),
        **given({"physicalType": kind, "properties": columns, "quality": quality, "customProperties": custom}),
    }


def _test(document: Document, path: Path, test: Any) -> dict[str, Any] | None:
    """Return the check of a test; None, and a finding, if it has no equivalent."""
    test_type = test.get("test-type") if isinstance(test, dict) else test
    if not isinstance(test, dict) or test_type != ROWS_BY_DAY:
        message = f"The test `{test_type!s:.60}` has no equivalent; it is kept as a custom property."
        lost(document, path, message, on_key=False)
        return None
    message = f"`{ROWS_BY_DAY}` counts rows of a day, here those of a file; usual is what 8 files of the weekday had."
    lost(document, path, message, "Change the limits of its `rowCount` if others are agreed.", on_key=False)
    warns = str(test.get("test-severity", "warning")).casefold() in ("warning", "warn", "info")
    return USUAL | ({"severity": "warning"} if warns else {})


def _described(value: dict[str, Any]) -> dict[str, Any]:
    return given({place: value.get(key) for key, place in TABLE_KEYS.items()})
