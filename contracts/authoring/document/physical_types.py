"""Column types of SQL databases, `physicalType` of the standard: a name with its digits in, a property's type out."""

from __future__ import annotations

import re
from typing import Any

OPTIONS = "logicalTypeOptions"
NUMBER: dict[str, Any] = {"logicalType": "number"}
INTEGER: dict[str, Any] = {"logicalType": "integer"}
STRING: dict[str, Any] = {"logicalType": "string"}
BOOLEAN: dict[str, Any] = {"logicalType": "boolean"}
TIMESTAMP: dict[str, Any] = {"logicalType": "timestamp"}
LOCAL: dict[str, Any] = {**TIMESTAMP, OPTIONS: {"timezone": False}}
ZONED: dict[str, Any] = {**TIMESTAMP, OPTIONS: {"timezone": True}}
TYPES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("number", "numeric", "decimal", "dec", "bignumeric", "bigdecimal"), NUMBER),
    **dict.fromkeys(("float", "float4", "float8", "float64", "double", "double precision", "real"), NUMBER),
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "tinyint", "byteint", "int64", "long", "short"), INTEGER),
    **dict.fromkeys(("int2", "int4", "int8", "int16", "int32", "mediumint", "serial", "bigserial"), INTEGER),
    **dict.fromkeys(("string", "varchar", "text", "char", "character", "nvarchar", "nchar", "bpchar"), STRING),
    **dict.fromkeys(
        ("varchar2", "nvarchar2", "character varying", "clob", "citext", "uuid", "uniqueidentifier"), STRING
    ),
    **dict.fromkeys(("boolean", "bool", "bit"), BOOLEAN),
    "float32": NUMBER,
    "date": {"logicalType": "date"},
    "time": {"logicalType": "time"},
    "timestamp": TIMESTAMP,
    **dict.fromkeys(("datetime2", "smalldatetime"), LOCAL),
    "datetimeoffset": ZONED,
    **dict.fromkeys(("datetime", "timestamp_ntz", "timestampntz", "timestamp without time zone"), LOCAL),
    **dict.fromkeys(("timestamp_tz", "timestamp_ltz", "timestamptz", "timestamp with time zone"), ZONED),
}
"""The property of each type, by its lower-case name; names in one row are aliases."""
WITHOUT = (
    "binary", "varbinary", "bytes", "variant", "object", "array", "geography", "geometry", "json", "interval", "vector",
)  # fmt: skip
"""Types that have no equivalent, or do not define their content."""
WRITTEN = re.compile(
    r"\s*([a-z_][a-z0-9_]*(?: [a-z]+)*)\s*(?:\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\)\s*)?", re.IGNORECASE
)


def property_of(written: str) -> dict[str, Any] | None:
    """Return the ODCS property for a SQL type; None if the type has no equivalent."""
    match = WRITTEN.fullmatch(written)
    base = TYPES.get(re.sub(" +", " ", match[1]).lower()) if match else None
    if match is None or base is None:
        return None
    prop = dict(base)
    if match[2] and base is NUMBER:
        prop["physicalType"] = f"decimal({int(match[2])},{int(match[3] or 0)})"
    elif match[2] and base is STRING:
        prop[OPTIONS] = {"maxLength": int(match[2])}
    return prop
