"""The data contract format 0.1.3 in (a thesis on data contracts, its appendix A), an ODCS document out.

The import refuses what the format's validation script refuses (`data_contract_shape`). Rules are read by table 3.2 of
the thesis: each rule is checked once for each column and severity, whose tolerance widens the parameter.
"""

from __future__ import annotations

import re
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, kept, lost, rest_lost
from contracts.authoring.imports.specifications import cron, data_contract_rules
from contracts.authoring.imports.specifications.data_contract_shape import AS_PRINTED, SHAPE
from contracts.problem import nearest

OPTIONS = "logicalTypeOptions"
TYPES: dict[str, dict[str, Any]] = {
    "NUMBER": {"logicalType": "number"},
    "TINYINT": {"logicalType": "integer", OPTIONS: {"format": "i8"}},
    "SMALLINT": {"logicalType": "integer", OPTIONS: {"format": "i16"}},
    "INT": {"logicalType": "integer"},
    "BIGINT": {"logicalType": "integer"},
    "BYTEINT": {"logicalType": "integer", OPTIONS: {"format": "i8"}},
    "FLOAT": {"logicalType": "number"},
    "DOUBLE": {"logicalType": "number"},
    "DECIMAL": {"logicalType": "number"},
    "NUMERIC": {"logicalType": "number"},
    "TIMESTAMP": {"logicalType": "timestamp"},
    "DATETIME": {"logicalType": "timestamp"},
    "TIME": {"logicalType": "time"},
    "DATE": {"logicalType": "date"},
    "STRING": {"logicalType": "string"},
    "TEXT": {"logicalType": "string"},
    "MEDIUMTEXT": {"logicalType": "string"},
    "CHAR": {"logicalType": "string"},
    "VARCHAR": {"logicalType": "string"},
    "BOOLEAN": {"logicalType": "boolean"},
}
AS_TEXT = ("BYTES", "BINARY", "VARBINARY", "INTERVAL", "ENUM", "JSON")
"""Types without an equivalent; their values are text."""
CONSTRAINTS = {"NOT_NULL": "required", "UNIQUE": "unique", "PRIMARY_KEY": "primaryKey"}
AGREEMENTS = {"intendedUsage": "usage", "limitations": "limitations"}
"""The keys of `dataSharingAgreements` that become part of the description."""
LEVELS = {"intervalOfChange": "frequency", "timeliness": "latency", "upTime": "availability"}
"""The equivalent ODCS property of each key of `serviceLevelAgreements`."""
UNITS = {"Y": "y", "M": "mo", "m": "min"}
"""The units of time that have other names in a contract, where `m` could be a month."""
READ = {
    "specVersion", "id", "name", "kind", "version", "description", "ownerGroup", "tags", "consumer", "producer",
    "access", "dataSharingAgreements", "dataset", "quality", "pricing", "serviceLevelAgreements", "specific",
}  # fmt: skip


def recognizes(data: Any) -> bool:
    """Return True if values are a contract of this format, in any version of the format."""
    return isinstance(data, dict) and "specVersion" in data


def read(document: Document) -> list[Imported]:
    """Return the document of a contract that the format's own script accepts."""
    if not shapes.fits(document, SHAPE) or not _is_whole(document):
        return []
    data = document.data
    rest_lost(document, (), data, READ, "the contract")
    columns = [_column(document, n, column) for n, column in enumerate(data["dataset"]["schema"])]
    quality: list[dict[str, Any]] = []
    for n, rule in enumerate(data.get("quality", ())):
        data_contract_rules.add(document, ("quality", n), rule, columns, quality)
    schema_object = {"name": data["dataset"]["name"], "properties": columns} | given({"quality": quality})
    levels: list[dict[str, Any]] = []
    for key, name in LEVELS.items():
        if (value := (data.get("serviceLevelAgreements") or {}).get(key)) not in (None, ""):
            span = re.fullmatch("([0-9]+)(ms|[YMdhms])", value) if isinstance(value, str) else None
            length = {"value": int(span[1]), "unit": UNITS.get(span[2], span[2])} if span else {"value": value}
            levels.append({"property": name} | length)
    scheduled = _scheduled(document)
    agreed = data.get("dataSharingAgreements", {})
    about = {place: agreed.get(key) for key, place in AGREEMENTS.items()}
    made = contract(
        data["id"].removesuffix(f"-{data['version']}"),
        schema_object,
        version=data["version"],
        name=data["name"],
        tags=_tags(document, (), data),
        description=given({"purpose": data["description"], **about}),
        team=given({"name": data.get("ownerGroup")}),
        price=data.get("pricing"),
        slaProperties=levels + [level for level in scheduled if level not in levels],
        customProperties=_kept(document),
    )
    return [Imported(made, {"slo": "enforce"} if scheduled else {})]


def _scheduled(document: Document) -> list[dict[str, Any]]:
    """Return the service levels of the times at which rules run, each once, with a note on each schedule."""
    levels: list[dict[str, Any]] = []
    seen: set[str] = set()
    for n, rule in enumerate(document.data.get("quality", ())):
        expression, at = rule.get("scheduleCronExpression"), ("quality", n, "scheduleCronExpression")
        if not expression or expression in seen:
            continue
        seen.add(expression)
        level = cron.level_of(expression)
        if level is None:
            fix = "Write the days and the time by hand, as `arrival: {by: '20:00', days: [mon, fri]}`."
            lost(document, at, f"The schedule `{expression}` is kept; no service level says the same.", fix)
            continue
        held = f"{level['property']} {level['value']} {level.get('unit', 'UTC')}"
        message = f"Rules run when a file comes; the schedule `{expression}` is the promise `{held}`, which is held."
        lost(document, at, message, "Write `sloZone` if its times are of another zone, or leave `slo` out.")
        levels += [level] if level not in levels else []
    return levels


def parsed(name: str) -> str:
    """Return a name as part of an id: lower case, hyphens for blanks and `_`."""
    return name.replace(" ", "-").replace("_", "-").lower()


def _is_whole(document: Document) -> bool:
    """Return True if the id matches its parts and the rules name existing columns; report findings otherwise.

    A whole contract has warnings of names and groups that the script as printed refuses.
    """
    data = document.data
    parts = [data["name"], data["producer"]["name"], *([data["consumer"]["name"]] if "consumer" in data else [])]
    wanted = "-".join([*map(parsed, parts), data["version"]])
    if data["id"] != wanted:
        message = "The `id` is made of name, producer, consumer and version."
        document.error(("id",), "bad-value", message, f"Write `{wanted}`.")
    names = [column["name"] for column in data["dataset"]["schema"]]
    for n, rule in enumerate(data.get("quality", ())):
        for m, name in enumerate(rule.get("columns") or ()):
            if name not in names:
                close = nearest(name, names)
                fix = f"Write `{close}`." if close else "Write the name of a column of `dataset.schema`."
                message = f"The dataset has no column `{name}`."
                document.error(("quality", n, "columns", m), "unknown-property", message, fix)
    if document.errors():
        return False
    actors = [(actor, key, value) for actor in ("producer", "consumer") for key, value in data.get(actor, {}).items()]
    for actor, key, value in actors:
        pattern, words = AS_PRINTED[key]
        if not re.fullmatch(pattern.strip("^$"), value):
            message = f"`{actor}.{key}` has more than {words}, which the format's script as printed refuses."
            fix = "It may stay; the contract in the format's own appendix also has such a name."
            document.warning((actor, key), "as-printed", message, fix)
    return True


def _tags(document: Document, path: Path, value: dict[str, Any]) -> list[str]:
    """Return the names of tags, without their source and state."""
    if value.get("tags"):
        lost(document, (*path, "tags"), "Of tags the names are kept; source, labelType and state are not.")
    return [tag["tagFQN"] for tag in value.get("tags", ())]


def _kept(document: Document) -> list[dict[str, Any]]:
    """Return the values that ODCS has no key for, as custom properties; a token is left out."""
    data = document.data
    agreed = {k: v for k, v in data.get("dataSharingAgreements", {}).items() if k not in AGREEMENTS}
    access = {k: v for k, v in data["access"].items() if k != "security"}
    if "security" in data["access"]:
        lost(
            document,
            ("access", "security"),
            "A token may be a secret, and does not belong into a contract.",
            "Leave it out.",
        )
    message = "Where files are taken from is kept, but not used; it is not a pattern of keys."
    lost(document, ("access",), message, "Write the pattern of their keys with --files.")
    values = {
        "id": data["id"], "producer": data["producer"], "consumer": data.get("consumer"), "access": access,
        "dataSharingAgreements": given(agreed), "specific": data.get("specific"),
    }  # fmt: skip
    return [kept(name, value) for name, value in given(values).items()]


def _column(document: Document, n: int, column: dict[str, Any]) -> dict[str, Any]:
    path: Path = ("dataset", "schema", n)
    kind = column["dataType"].upper()
    prop: dict[str, Any] = {"name": column["name"], **TYPES.get(kind, {"logicalType": "string", "physicalType": kind})}
    if kind in AS_TEXT:
        lost(
            document, (*path, "dataType"), f"The type {kind} of `{column['name']}` has no equivalent; it is text here."
        )
    if kind in {"CHAR", "VARCHAR"}:
        prop[OPTIONS] = {"maxLength": int(column["dataLength"])}
    if constraint := column.get("constraint"):
        prop[CONSTRAINTS[constraint.upper()]] = True
    prop |= given({"description": column.get("description"), "tags": _tags(document, path, column)})
    read_keys = {"name", "dataType", "constraint", "description", "tags"}
    read_keys |= {"dataLength"} if kind in {"CHAR", "VARCHAR"} else set()
    rest_lost(document, path, column, read_keys, f"`{column['name']}`")
    return prop
