"""The data contract format 0.1.3 in (a thesis on data contracts, its appendix A), an ODCS document out.

What its validation script refuses is refused here (`data_contract_shape`). Rules mean what table 3.2 of the thesis
says: one is checked for each of its columns, and once for each severity, whose tolerance widens the parameter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.authoring.importing import shapes
from contracts.authoring.importing.data_contract_shape import AS_PRINTED, SHAPE
from contracts.authoring.importing.imported import Imported, contract, given, kept, lost, rest_lost
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
"""Types without an equivalent: their values are taken as text."""
CONSTRAINTS = {"NOT_NULL": "required", "UNIQUE": "unique", "PRIMARY_KEY": "primaryKey"}
DIMENSIONS = {"completeness": "completeness", "validity": "conformity", "uniqueness": "uniqueness"}
AGREEMENTS = {"intendedUsage": "usage", "limitations": "limitations"}
"""Of `dataSharingAgreements`: what goes into the description."""
LEVELS = {"intervalOfChange": "frequency", "timeliness": "latency", "upTime": "availability"}
"""Of `serviceLevelAgreements`: the property of ODCS that says the same."""
PARTS = {"%Y": "yyyy", "%m": "MM", "%d": "dd", "%H": "HH", "%M": "mm", "%S": "ss"}
"""Directives of strftime and the letters of ODCS formats."""
STRFTIME = "expect_column_values_to_match_strftime_format"
READ = {
    "specVersion", "id", "name", "kind", "version", "description", "ownerGroup", "tags", "consumer", "producer",
    "access", "dataSharingAgreements", "dataset", "quality", "pricing", "serviceLevelAgreements", "specific",
}  # fmt: skip
Entry = tuple[str, dict[str, Any]]
"""The end of a check's id, and what its quality entry says."""


def known(data: Any) -> bool:
    """Whether values are a contract of this format, whatever its edition."""
    return isinstance(data, dict) and "specVersion" in data


def read(document: Document) -> list[Imported]:
    """The document of a contract that the format's own script takes."""
    if not shapes.fits(document, SHAPE) or not _is_whole(document):
        return []
    data = document.data
    _actors(document)
    rest_lost(document, (), data, READ, "the contract")
    columns = [_column(document, n, column) for n, column in enumerate(data["dataset"]["schema"])]
    quality: list[dict[str, Any]] = []
    for n, rule in enumerate(data.get("quality", ())):
        _rule(document, ("quality", n), rule, columns, quality)
    one = {"name": data["dataset"]["name"], "properties": columns} | given({"quality": quality})
    made = contract(
        data["id"].removesuffix(f"-{data['version']}"),
        one,
        version=data["version"],
        name=data["name"],
        tags=_tags(document, (), data),
        description=_description(data),
        team=given({"name": data.get("ownerGroup")}),
        price=data.get("pricing"),
        slaProperties=list(_levels(data.get("serviceLevelAgreements") or {})),
        customProperties=_kept(document),
    )
    return [Imported(made)]


def parsed(name: str) -> str:
    """A name as it stands in an id: small letters, hyphens for blanks and `_`."""
    return name.replace(" ", "-").replace("_", "-").lower()


def _is_whole(document: Document) -> bool:
    """Whether the id is made of its parts, and rules name columns that there are; findings say where not."""
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
    return not document.errors()


def _actors(document: Document) -> None:
    """Warn of names and groups that the script takes only as we read it."""
    for actor in ("producer", "consumer"):
        for key, value in document.data.get(actor, {}).items():
            pattern, words = AS_PRINTED[key]
            if not re.fullmatch(pattern.strip("^$"), value):
                message = f"`{actor}.{key}` has more than {words}, which the format's script as printed refuses."
                fix = "It may stay; the contract in the format's own appendix has such a name, too."
                document.warning((actor, key), "as-printed", message, fix)


def _tags(document: Document, path: Path, value: dict[str, Any]) -> list[str]:
    """The names of tags; who set them, and how, is left out."""
    if value.get("tags"):
        lost(document, (*path, "tags"), "Of tags the names are kept; source, labelType and state are not.")
    return [tag["tagFQN"] for tag in value.get("tags", ())]


def _description(data: dict[str, Any]) -> dict[str, Any]:
    agreed = data.get("dataSharingAgreements", {})
    return given({"purpose": data["description"], **{place: agreed.get(key) for key, place in AGREEMENTS.items()}})


def _levels(agreed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key, name in LEVELS.items():
        if (value := agreed.get(key)) not in (None, ""):
            span = re.fullmatch("([0-9]+)(ms|[YMdhms])", value) if isinstance(value, str) else None
            yield {"property": name} | ({"value": int(span[1]), "unit": span[2]} if span else {"value": value})


def _kept(document: Document) -> list[dict[str, Any]]:
    """What ODCS has no key for, as custom properties; a token stays out."""
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
    message = "Where files are taken from is kept, but not used; it is no pattern of keys."
    lost(document, ("access",), message, "Write the pattern of their keys with --files.")
    found = {
        "id": data["id"], "producer": data["producer"], "consumer": data.get("consumer"), "access": access,
        "dataSharingAgreements": given(agreed), "specific": data.get("specific"),
    }  # fmt: skip
    return [kept(name, value) for name, value in given(found).items()]


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
    known_keys = {"name", "dataType", "constraint", "description", "tags"}
    known_keys |= {"dataLength"} if kind in {"CHAR", "VARCHAR"} else set()
    rest_lost(document, path, column, known_keys, f"`{column['name']}`")
    return prop


def _rule(
    document: Document, path: Path, rule: dict[str, Any], columns: list[dict[str, Any]], quality: list[dict[str, Any]]
) -> None:
    """Add the checks of a rule to its columns, or to those of the whole."""
    if rule["type"] == "custom" and _is_format(document, path, rule, columns):
        return
    owners = [column for column in columns if column["name"] in (rule.get("columns") or ())]
    if rule["type"] == "size":
        targets: list[tuple[str, list[dict[str, Any]]]] = [("", quality)]
    else:
        targets = [(f"-{column['name']}", column.setdefault("quality", [])) for column in owners]
    if not targets:
        lost(document, path, f"The rule `{rule['id']}` names no columns; nothing is made of it.", on_key=False)
    for name, into in targets:
        for severity, tolerance in _severities(document, path, rule):
            for end, entry in ENTRIES[rule["type"]](rule, tolerance, name.removeprefix("-")):
                tail = f"{name}{end}{'-warning' if severity == 'warning' else ''}"
                into.append(_entry(rule, tail, severity, entry))


def _entry(rule: dict[str, Any], tail: str, severity: str, entry: dict[str, Any]) -> dict[str, Any]:
    cron = rule.get("scheduleCronExpression")
    return {
        "id": re.sub("[^A-Za-z0-9_-]", "_", f"{rule['id']}{tail}"),
        "name": rule["name"],
        "dimension": DIMENSIONS[rule["dimension"]],
        **({"severity": "warning"} if severity == "warning" else {}),
        **entry,
        **({"schedule": cron, "scheduler": "cron"} if cron else {}),
    }


def _severities(document: Document, path: Path, rule: dict[str, Any]) -> list[tuple[str, Decimal]]:
    """The severities of a rule with their tolerances; without any it fails as soon as it does not hold."""
    said = rule.get("severity") or {}
    found = [(name, Decimal(said[key]["tolerance"])) for key, name in LEVELS_OF if key in said]
    if found and rule["type"] in WITHOUT_TOLERANCE:
        lost(document, (*path, "severity"), f"A rule of type {rule['type']} has no tolerance, says the format.")
        return [(found[-1][0], Decimal(0))]
    if rule["type"] == "unique" and any(tolerance for _, tolerance in found):
        message = "Repeated values are counted with the first of them here, and without it there: this is stricter."
        lost(document, (*path, "severity"), message)
    return found or [("error", Decimal(0))]


LEVELS_OF = (("warn", "warning"), ("fail", "error"))
WITHOUT_TOLERANCE = ("allowedValues", "custom")


def _number(value: Decimal) -> int | Decimal:
    """A number as a person would write it."""
    return int(value) if value == value.to_integral_value() else value.normalize()


def _of_metric(metric: str) -> Callable[..., dict[str, Any]]:
    """A metric of the library, or one of our own."""

    def made(**limit: Any) -> dict[str, Any]:
        if metric == "rowCount":
            return {"metric": metric, **limit}
        return {"type": "custom", "engine": "dropgate", "implementation": {"metric": metric, **limit}}

    return made


def _equal(metric: str) -> Callable[[dict[str, Any], Decimal, str], Iterator[Entry]]:
    """A metric that is the parameter, or lies within its tolerance, ends included."""
    made = _of_metric(metric)

    def entries(rule: dict[str, Any], tolerance: Decimal, _: str) -> Iterator[Entry]:
        wanted = Decimal(rule["parameter"])
        if not tolerance:
            yield "", made(mustBe=_number(wanted))
            return
        low, high = sorted((wanted * (1 - tolerance), wanted * (1 + tolerance)))
        yield "-least", made(mustBeGreaterOrEqualTo=_number(low))
        yield "-most", made(mustBeLessOrEqualTo=_number(high))

    return entries


def _complete(rule: dict[str, Any], tolerance: Decimal, _: str) -> Iterator[Entry]:
    missing = _number(100 * (1 - (Decimal(rule["parameter"]) - tolerance)))
    limit = {"mustBeLessOrEqualTo": missing, "unit": "percent"} if missing else {"mustBe": 0}
    yield "", {"metric": "nullValues", **limit}


def _unique(_: dict[str, Any], tolerance: Decimal, __: str) -> Iterator[Entry]:
    limit = {"mustBeLessOrEqualTo": _number(100 * tolerance), "unit": "percent"} if tolerance else {"mustBe": 0}
    yield "", {"metric": "duplicateValues", **limit}


def _least(rule: dict[str, Any], tolerance: Decimal, _: str) -> Iterator[Entry]:
    yield "", _of_metric("min")(mustBeGreaterOrEqualTo=_number(Decimal(rule["parameter"]) * (1 - tolerance)))


def _most(rule: dict[str, Any], tolerance: Decimal, _: str) -> Iterator[Entry]:
    yield "", _of_metric("max")(mustBeLessOrEqualTo=_number(Decimal(rule["parameter"]) * (1 + tolerance)))


def _allowed(rule: dict[str, Any], _: Decimal, __: str) -> Iterator[Entry]:
    yield "", {"metric": "invalidValues", "arguments": {"validValues": rule["parameter"]}, "mustBe": 0}


def _custom(rule: dict[str, Any], _: Decimal, column: str) -> Iterator[Entry]:
    """A rule of another tool: kept as the standard keeps it, with what the tool is to be called with."""
    engine = "greatExpectations" if _is_expectation(rule) else rule["technology"]
    inside = {"type": rule.get("call", rule["id"]), "kwargs": {"column": column, **(rule.get("args") or {})}}
    yield "", {"type": "custom", "engine": engine, "implementation": inside}


ENTRIES: dict[str, Callable[[dict[str, Any], Decimal, str], Iterator[Entry]]] = {
    "size": _equal("rowCount"),
    "complete": _complete,
    "unique": _unique,
    "min": _least,
    "max": _most,
    "allowedValues": _allowed,
    "mean": _equal("mean"),
    "stdev": _equal("stdev"),
    "custom": _custom,
}
"""By type of rule: the entries that it makes of a column, for a tolerance (table 3.2)."""


def _is_expectation(rule: dict[str, Any]) -> bool:
    return re.sub("[^a-z]", "", rule["technology"].lower()) == "greatexpectations"


def _is_format(document: Document, path: Path, rule: dict[str, Any], columns: list[dict[str, Any]]) -> bool:
    """Whether a rule says how dates or times are written; then it is the format of its columns."""
    written = (rule.get("args") or {}).get("strftime_format")
    owners = [column for column in columns if column["name"] in (rule.get("columns") or ())]
    dated = all(column["logicalType"] in {"date", "time", "timestamp"} for column in owners)
    if not _is_expectation(rule) or rule.get("call") != STRFTIME or not isinstance(written, str) or not dated:
        return False
    pattern = re.sub("%.", lambda found: PARTS.get(found[0], "%"), written)
    if "%" in pattern or re.search("[A-Za-z]", re.sub("%.", "", written)):
        return False
    for column in owners:
        column.setdefault(OPTIONS, {})
        column[OPTIONS] = {**column[OPTIONS], "format": pattern}
    names = ", ".join(f"`{column['name']}.logicalType`" for column in owners) or "no check"
    lost(document, path, f"The rule `{rule['id']}` is the format of its columns; the check is {names}.", on_key=False)
    return True
