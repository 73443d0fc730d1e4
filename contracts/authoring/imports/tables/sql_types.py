"""Types of columns as sqlglot reads them: a type of any dialect in, an ODCS property without its name out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

OPTIONS = "logicalTypeOptions"
LONGEST = 1 << 20
"""A longer length, as 16,777,216 of Snowflake's VARCHAR, is that of the database and not of the values."""
MOST_DIGITS = 38
LOCAL: dict[str, Any] = {"logicalType": "timestamp", OPTIONS: {"timezone": False}}
ZONED: dict[str, Any] = {"logicalType": "timestamp", OPTIONS: {"timezone": True}}
INTEGER: dict[str, Any] = {"logicalType": "integer"}
SERIAL: dict[str, Any] = {**INTEGER, "required": True}
NUMBER: dict[str, Any] = {"logicalType": "number"}
BOOLEAN: dict[str, Any] = {"logicalType": "boolean"}
UUID: dict[str, Any] = {"logicalType": "string", OPTIONS: {"format": "uuid"}}
TYPES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "INT128", "UTINYINT"), INTEGER),
    **dict.fromkeys(("SERIAL", "SMALLSERIAL", "BIGSERIAL"), SERIAL),
    **dict.fromkeys(("FLOAT", "DOUBLE", "MONEY", "SMALLMONEY"), NUMBER),
    **dict.fromkeys(("BOOLEAN", "BIT"), BOOLEAN),
    **dict.fromkeys(("UUID", "UNIQUEIDENTIFIER"), UUID),
    "DATE": {"logicalType": "date"},
    "TIME": {"logicalType": "time"},
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ", "DATETIME", "DATETIME2", "SMALLDATETIME"), LOCAL),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMPLTZ"), ZONED),
}
TEXTS = ("TEXT", "VARCHAR", "CHAR", "NCHAR", "NVARCHAR", "BPCHAR", "LONGTEXT", "MEDIUMTEXT", "TINYTEXT", "NAME")
DECIMALS = ("DECIMAL", "BIGDECIMAL", "BIGNUM", "DECIMAL32", "DECIMAL64", "DECIMAL128")


def property_of(kind: exp.DataType, field: Callable[[exp.ColumnDef], dict[str, Any]]) -> dict[str, Any] | None:
    """Return the property of a type; None without an equivalent. `field` reads a column within a struct."""
    name = kind.this.name if isinstance(kind.this, exp.DataType.Type) else str(kind.this)
    figures = [int(p.this.name) for p in kind.expressions if isinstance(p, exp.DataTypeParam) and p.this.name.isdigit()]
    if name in TYPES:
        return {key: dict(value) if isinstance(value, dict) else value for key, value in TYPES[name].items()}
    if name in TEXTS:
        length = {OPTIONS: {"maxLength": figures[0]}} if figures and figures[0] < LONGEST else {}
        return {"logicalType": "string", **length}
    if name in DECIMALS:
        precision, scale = (*figures, 0, 0)[:2]
        exact = {"physicalType": f"decimal({precision},{scale})"} if 0 < precision <= MOST_DIGITS else {}
        return {"logicalType": "number", **exact}
    if name == "ARRAY" and kind.expressions:
        element = property_of(kind.expressions[0], field)
        return element and {"logicalType": "array", "items": element}
    if name in ("STRUCT", "OBJECT") and all(isinstance(inner, exp.ColumnDef) for inner in kind.expressions):
        return (
            {"logicalType": "object", "properties": [field(inner) for inner in kind.expressions]}
            if kind.expressions
            else None
        )
    if name == "MAP" and len(kind.expressions) == 2:
        key, value = (property_of(inner, field) for inner in kind.expressions)
        return {"logicalType": "map", "map": {"key": key, "value": value}} if key and value else None
    return None
