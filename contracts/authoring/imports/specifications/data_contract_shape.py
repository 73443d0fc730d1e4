"""The validation script of the data contract format 0.1.3 (its appendix B, in CUE) as a JSON Schema.

Keys that a closed definition of the script does not name are refused, as in the script; its outermost level is open.
`data_contract` compares values with each other: the id, and the columns of rules.
"""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
MAYBE_TEXT = {"type": ["string", "null"]}
MAYBE_NULL = {"type": "null", "description": "null; rules of this dimension are checked without a tool"}
NUMBER = {"type": "number"}


def _words(*words: str) -> dict[str, Any]:
    """Return the schema of one of some words, in any case."""
    description = f"one of {', '.join(words)}"
    return {"type": "string", "pattern": rf"(?i)^({'|'.join(words)})\Z", "description": description}


def _closed(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that also allows null; its other keywords do not apply to null."""
    return {**schema, "type": [schema["type"], "null"]}


DATA_TYPES = (
    "NUMBER", "TINYINT", "SMALLINT", "INT", "BIGINT", "BYTEINT", "BYTES", "FLOAT", "DOUBLE", "DECIMAL", "NUMERIC",
    "TIMESTAMP", "TIME", "DATE", "DATETIME", "INTERVAL", "STRING", "MEDIUMTEXT", "TEXT", "CHAR", "VARCHAR", "BOOLEAN",
    "BINARY", "VARBINARY", "ENUM", "JSON",
)  # fmt: skip
WITH_LENGTH = ("CHAR", "VARCHAR", "BINARY", "VARBINARY")
INTERVAL = {
    "type": "string",
    "pattern": r"^([0-9]+Y)?([0-9]+M)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\Z",
    "description": "a time span, as `1h30m`",
}
CRON = {
    "type": ["string", "null"],
    "pattern": r"^(?:[0-9,*\/-LW?]+ ){5}[0-9,*\/-LW?]+\Z",
    "description": "a cron expression of six fields, as `0 0 20 * * ?`",
}
TAG = _closed(
    ("tagFQN", "source", "labelType", "state"),
    tagFQN=TEXT,
    description=MAYBE_TEXT,
    source=_words("Tag", "Glossary"),
    labelType=_words("Manual", "Propagated", "Automated", "Derived"),
    state=_words("Suggested", "Confirmed"),
    href=MAYBE_TEXT,
)
TAGS = {"type": "array", "items": TAG}
ACTOR = _closed(
    ("name", "group"),
    name={"type": "string", "pattern": r"^[A-Za-z0-9 _@.-]+\Z", "description": "a name of letters, digits and hyphens"},
    group={
        "type": "string",
        "pattern": r"^[A-Za-z0-9 _@.-]+\Z",
        "description": "a group of letters, digits, `-` and `.`",
    },
)
ACCESS = _closed(
    ("eventType", "protocol", "location"),
    eventType={"const": "push"},
    protocol={"enum": ["FTP", "HTTP", "HTTPS"]},
    location=TEXT,
    security=_closed(("token",), token=TEXT),
    accessConfiguration={"type": "object"},
)
COLUMN: dict[str, Any] = {
    **_closed(
        ("name", "dataType"),
        name=TEXT,
        dataType=_words(*DATA_TYPES),
        dataLength=NUMBER,
        description=MAYBE_TEXT,
        fullyQualifiedName=MAYBE_TEXT,
        tags=TAGS,
        constraint=_or_null(_words("NOT_NULL", "UNIQUE", "PRIMARY_KEY")),
        jsonSchema=TEXT,
    ),
    "allOf": [
        {
            "if": {"required": ["dataType"], "properties": {"dataType": _words(*WITH_LENGTH)}},
            "then": {"required": ["dataLength"]},
            "else": {"properties": {"dataLength": False}},
        },
        {
            "if": {"required": ["dataType"], "properties": {"dataType": _words("JSON")}},
            "then": {"required": ["jsonSchema"]},
            "else": {"properties": {"jsonSchema": False}},
        },
    ],
}
TOLERANCE = _closed(("tolerance",), tolerance=NUMBER)
LIST = {
    "anyOf": [{"type": "array", "items": TEXT}, {"type": "array", "items": NUMBER}],
    "description": "a list of texts or of numbers",
}
PARAMETER = {
    "anyOf": [{"type": "null"}, TEXT, NUMBER, *LIST["anyOf"]],
    "description": "a text, a number, a list of them, or null",
}


def _rule(dimension: str, types: tuple[str, ...], *cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the JSON Schema that the rules of a dimension must meet besides that of every rule."""
    rest = {"properties": {"type": {"enum": list(types)}, **more}, "allOf": list(cases)}
    return {"if": {"required": ["dimension"], "properties": {"dimension": {"const": dimension}}}, "then": rest}


def _case(kind: str, required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    is_so = {"required": ["type"], "properties": {"type": {"const": kind}}}
    return {"if": is_so, "then": {"required": list(required), "properties": properties}}


PARTS = {"type": "object", "additionalProperties": PARAMETER}
RULE: dict[str, Any] = {
    **_closed(
        ("id", "name", "dimension", "type"),
        id=TEXT,
        name=TEXT,
        columns={"type": ["array", "null"], "items": TEXT},
        dimension={"enum": ["completeness", "validity", "uniqueness"]},
        type=TEXT,
        scheduleCronExpression=CRON,
        severity=_closed((), warn=TOLERANCE, fail=TOLERANCE),
        parameter={},
        technology={},
        call={},
        args={},
    ),
    "allOf": [
        _rule(
            "completeness",
            ("size", "complete"),
            _case("size", ("parameter",), parameter={"type": "integer"}),
            _case("complete", ("parameter",), parameter=NUMBER),
            technology=MAYBE_NULL,
            call=MAYBE_NULL,
        ),
        _rule(
            "validity",
            ("min", "max", "mean", "stdev", "custom", "allowedValues"),
            _case("custom", ("technology",), technology=TEXT, call=TEXT, args=PARTS),
            _case("allowedValues", ("parameter",), parameter=LIST),
            *(_case(kind, ("parameter",), parameter=NUMBER) for kind in ("min", "max", "mean", "stdev")),
        ),
        _rule("uniqueness", ("unique",), technology=MAYBE_NULL, call=MAYBE_NULL, parameter=MAYBE_NULL),
    ],
}
SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["specVersion", "id", "name", "kind", "version", "description", "producer", "access", "dataset"],
    "properties": {
        "specVersion": {"const": "0.1.3"},
        "id": TEXT,
        "name": {
            "type": "string",
            "pattern": r"^[a-zA-Z _-]+\Z",
            "description": "a name of letters, blanks, `_` and `-`",
        },
        "kind": {"const": "DataContract"},
        "version": {
            "type": "string",
            "pattern": r"^[0-9]+\.[0-9]+\..+",
            "description": "a semantic version in quotes, as `1.0.0`",
        },
        "description": TEXT,
        "ownerGroup": MAYBE_TEXT,
        "tags": TAGS,
        "consumer": ACTOR,
        "producer": ACTOR,
        "access": ACCESS,
        "dataSharingAgreements": _closed(
            (),
            **dict.fromkeys(
                ("purpose", "billing", "security", "intendedUsage", "limitations", "lifeCycle", "confidentiality"),
                MAYBE_TEXT,
            ),
        ),
        "dataset": _closed(("name", "schema"), name=TEXT, schema={"type": "array", "items": COLUMN}),
        "quality": {"type": "array", "items": RULE},
        "pricing": _or_null(
            _closed(
                ("priceAmount", "priceCurrency", "priceUnit"),
                priceAmount={"type": "number", "minimum": 0, "description": "a number, 0 or more"},
                priceCurrency=TEXT,
                priceUnit={"enum": ["KB", "MB", "GB", "TB", "PB", "fullScan"]},
            )
        ),
        "serviceLevelAgreements": _or_null(
            _closed(
                ("intervalOfChange", "timeliness", "upTime"),
                intervalOfChange=INTERVAL,
                timeliness=INTERVAL,
                upTime={"type": "number", "minimum": 0, "maximum": 1, "description": "a number from 0 to 1"},
            )
        ),
    },
}
AS_PRINTED = {
    "name": ("^[A-Za-z0-9-]+$", "letters, digits and hyphens"),
    "group": ("^[A-Za-z0-9.-]+$", "letters, digits, hyphens and points"),
}
"""The names and groups of actors that the script as printed accepts.

It refuses the contract of its own appendix A ("weather domain", "inmet_mail.com": a mail address whose `@` was lost in
print), so the import accepts blanks, `_` and `@`, with a warning.
"""
