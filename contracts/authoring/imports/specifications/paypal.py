"""The data contract template of PayPal, 2.1, in; an ODCS document of each of its tables out.

ODCS grew out of this template, so most keys have a successor. Quality rules belong to another tool; rules whose
template has a metric in ODCS are imported.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document import metadata, physical_types
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import FIRST, Imported, contract, given, kept, lost, rest_lost, stem

TEXT = {"type": "string"}
MAYBE = {"type": ["string", "null"]}
FLAG = {"type": ["boolean", "null"]}
TEXTS = {"type": ["array", "null"], "items": TEXT}
SCALAR = {"type": ["string", "number", "boolean", "null"]}
LINKS = {
    "type": ["array", "null"],
    "items": {"type": "object", "required": ["url", "type"], "properties": {"url": TEXT, "type": TEXT}},
}
PAIRS = {
    "type": ["array", "null"],
    "items": {"type": "object", "required": ["property"], "properties": {"property": TEXT, "value": {}}},
}
QUALITY = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {
            "code": MAYBE, "templateName": MAYBE, "description": MAYBE, "dimension": MAYBE, "severity": MAYBE,
            "businessImpact": MAYBE, "scheduleCronExpression": MAYBE, "type": MAYBE, "column": MAYBE, "columns": TEXTS,
            "customProperties": PAIRS,
        },
    },
}  # fmt: skip
COLUMN = {
    "type": "object",
    "required": ["column"],
    "properties": {
        "column": TEXT, "isPrimary": FLAG, "isPrimaryKey": FLAG, "businessName": MAYBE, "logicalType": MAYBE,
        "physicalType": MAYBE, "isNullable": FLAG, "description": MAYBE, "partitionStatus": FLAG, "clusterStatus": FLAG,
        "criticalDataElementStatus": FLAG, "tags": TEXTS, "classification": SCALAR, "encryptedColumnName": MAYBE,
        "transformSourceTables": TEXTS, "transformLogic": MAYBE, "transformDescription": MAYBE,
        "sampleValues": {"type": ["array", "null"]}, "authoritativeDefinitions": LINKS, "quality": QUALITY,
    },
}  # fmt: skip
TABLE = {
    "type": "object",
    "required": ["table", "columns"],
    "properties": {
        "table": TEXT, "physicalName": MAYBE, "description": MAYBE, "tags": TEXTS, "dataGranularity": MAYBE,
        "columns": {"type": "array", "items": COLUMN}, "authoritativeDefinitions": LINKS, "quality": QUALITY,
    },
}  # fmt: skip
DATED = {"type": ["string", "null"]}
SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["dataset"],
    "properties": {
        "version": SCALAR, "quantumName": MAYBE, "datasetDomain": MAYBE, "tenant": MAYBE, "tags": TEXTS,
        "description": {
            "type": ["object", "null"],
            "properties": {"purpose": MAYBE, "limitations": MAYBE, "usage": MAYBE},
        },
        "productDl": MAYBE, "productSlackChannel": MAYBE, "productFeedbackUrl": MAYBE,
        "dataset": {"type": "array", "items": TABLE},
        "price": {
            "type": ["object", "null"],
            "properties": {"priceAmount": {"type": ["number", "null"]}, "priceCurrency": MAYBE, "priceUnit": MAYBE},
        },
        "stakeholders": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["username"],
                "properties": {
                    "username": TEXT, "role": MAYBE, "dateIn": DATED, "dateOut": DATED, "replacedByUsername": MAYBE,
                    "comment": MAYBE,
                },
            },
        },
        "roles": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["role"],
                "properties": {
                    "role": TEXT, "access": MAYBE, "firstLevelApprovers": MAYBE, "secondLevelApprovers": MAYBE,
                },
            },
        },
        "slaDefaultColumn": MAYBE,
        "slaProperties": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["property"],
                "properties": {
                    "property": TEXT, "value": SCALAR, "valueExt": SCALAR, "unit": MAYBE, "column": MAYBE,
                    "driver": MAYBE,
                },
            },
        },
        "customProperties": PAIRS,
    },
}  # fmt: skip
TOP = {"datasetDomain": "domain", "quantumName": "name", "tenant": "tenant", "tags": "tags"}
SUPPORT = {"productDl": "email", "productSlackChannel": "slack", "productFeedbackUrl": "other"}
"""The support channels, and the ODCS name of each tool."""
KEPT = (
    "uuid", "status", "userConsumptionMode", "sourcePlatform", "sourceSystem", "datasetProject", "datasetName", "kind",
    "type", "driver", "driverVersion", "server", "database", "schedulerAppName", "systemInstance", "contractCreatedTs",
)  # fmt: skip
"""Keys of the outermost level that stay as custom properties."""
SECRET = ("username", "password")
MEMBER = {
    "username": "username", "role": "role", "dateIn": "dateIn", "dateOut": "dateOut",
    "replacedByUsername": "replacedByUsername", "comment": "description",
}  # fmt: skip
ROLE = {k: k for k in ("role", "access", "firstLevelApprovers", "secondLevelApprovers")}
LEVEL = {
    "property": "property",
    "value": "value",
    "valueExt": "valueExt",
    "unit": "unit",
    "column": "element",
    "driver": "driver",
}
PRICE = {k: k for k in ("priceAmount", "priceCurrency", "priceUnit")}
TABLES = {
    "table": "name", "physicalName": "physicalName", "description": "description", "tags": "tags",
    "dataGranularity": "dataGranularityDescription", "authoritativeDefinitions": "authoritativeDefinitions",
}  # fmt: skip
COLUMNS = {
    "column": "name", "isPrimary": "primaryKey", "isPrimaryKey": "primaryKey", "businessName": "businessName",
    "physicalType": "physicalType", "description": "description", "partitionStatus": "partitioned",
    "criticalDataElementStatus": "criticalDataElement", "tags": "tags", "encryptedColumnName": "encryptedName",
    "transformSourceTables": "transformSourceObjects", "transformLogic": "transformLogic",
    "transformDescription": "transformDescription", "sampleValues": "examples",
    "authoritativeDefinitions": "authoritativeDefinitions",
}  # fmt: skip
"""The keys of each part, and the equivalent ODCS keys."""
CHECKS = {"nullcheck": "nullValues", "distinctcheck": "duplicateValues", "uniquecheck": "duplicateValues"}
"""Templates of rules that ODCS has a metric for; it must be 0."""
OF_RULE = {
    "code", "templateName", "description", "dimension", "severity", "businessImpact", "scheduleCronExpression", "type",
    "columns", "column",
}  # fmt: skip
"""The keys that are read of a rule."""
DIMENSIONS = ("accuracy", "completeness", "conformity", "consistency", "coverage", "timeliness", "uniqueness")
SEVERITIES = ("error", "warning")
NO_FILTER = (None, "", "1>0", "1=1")


def recognizes(data: Any) -> bool:
    """Return True if values are a contract of this template: a list of tables."""
    return isinstance(data, dict) and isinstance(data.get("dataset"), list)


def read(document: Document) -> list[Imported]:
    """Return the documents of all tables."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    head = _head(document)
    product = data.get("quantumName") or stem(document.file)
    made = []
    for n, table in enumerate(data["dataset"]):
        path: Path = ("dataset", n)
        about = _renamed(document, path, table, TABLES, "columns", "quality")
        columns = [_column(document, (*path, "columns", m), column) for m, column in enumerate(table["columns"])]
        schema_object = {**about, "properties": columns, **_quality(document, path, table, None)}
        made.append(Imported(contract(f"{product}-{table['table']}", schema_object, **head)))
    return made


def _head(document: Document) -> dict[str, Any]:
    data = document.data
    for key in SECRET:
        if data.get(key):
            lost(document, (key,), f"`{key}` may be a secret, and does not belong into a contract.", "Leave it out.")
    sections = {"version", "description", "dataset", "price", "stakeholders", "roles", "slaDefaultColumn"}
    more = {"slaProperties", "customProperties", *TOP, *SUPPORT, *KEPT, *SECRET}
    rest_lost(document, (), data, sections | more, "the contract")
    custom = [kept(key, data[key]) for key in KEPT if data.get(key) not in (None, "")]
    pairs = [{"property": pair["property"], "value": pair.get("value")} for pair in data.get("customProperties") or ()]
    members = [_renamed(document, ("stakeholders", n), m, MEMBER) for n, m in enumerate(data.get("stakeholders") or ())]
    roles = [_renamed(document, ("roles", n), role, ROLE) for n, role in enumerate(data.get("roles") or ())]
    levels = [_renamed(document, ("slaProperties", n), x, LEVEL) for n, x in enumerate(data.get("slaProperties") or ())]
    default = given({"element": data.get("slaDefaultColumn")})
    version = FIRST
    if metadata.VERSION.fullmatch(str(data.get("version"))):
        version = document.text(("version",)) or str(data["version"])
    elif data.get("version") is not None:
        lost(document, ("version",), f"`{data['version']!s:.40}` is not a version; the contract has {FIRST}.")
    return {
        "version": version,
        **{place: data.get(key) for key, place in TOP.items()},
        "description": given({k: (data.get("description") or {}).get(k) for k in ("purpose", "limitations", "usage")}),
        "support": [
            {"channel": "feedback", "tool": tool, "url": data[key]}
            if tool == "other"
            else {"channel": data[key], "tool": tool}
            for key, tool in SUPPORT.items()
            if data.get(key)
        ],
        "price": _renamed(document, ("price",), data.get("price") or {}, PRICE),
        "team": given({"members": members}),
        "roles": roles,
        "slaProperties": [
            {"property": level["property"], "value": None, **level, **default, **level} for level in levels
        ],
        "customProperties": [*pairs, *custom],
    }


def _renamed(
    document: Document, path: Path, value: dict[str, Any], keys: dict[str, str], *others: str
) -> dict[str, Any]:
    """Return a part with the keys of ODCS; report keys without equivalent as lost."""
    rest_lost(document, path, value, {*keys, *others}, f"`{document.name(path)}`")
    return given({place: value[key] for key, place in keys.items() if value.get(key) is not False and key in value})


def _column(document: Document, path: Path, column: dict[str, Any]) -> dict[str, Any]:
    others = ("logicalType", "isNullable", "classification", "clusterStatus", "quality")
    prop = _renamed(document, path, column, COLUMNS, *others)
    prop["name"] = column["column"]
    logical, physical = column.get("logicalType") or "", column.get("physicalType") or ""
    typed = physical_types.property_of(logical) or (None if logical else physical_types.property_of(physical))
    if typed is None:
        lost(
            document,
            (*path, "logicalType"),
            f"The type `{logical or physical:.60}` of `{prop['name']}` has no equivalent.",
        )
    else:
        prop |= {"logicalType": typed["logicalType"]}
    if column.get("isNullable") is False:
        prop["required"] = True
    if column.get("classification") is not None:
        prop["classification"] = str(column["classification"])
    if column.get("clusterStatus"):
        prop["customProperties"] = [kept("clusterStatus", value=True)]
    return prop | _quality(document, path, column, prop["name"])


def _quality(document: Document, path: Path, owner: dict[str, Any], column: str | None) -> dict[str, Any]:
    """Return the rules of a table (`column` is None) or a column that have a metric; report the others as lost."""
    made = []
    for n, rule in enumerate(owner.get("quality") or ()):
        at: Path = (*path, "quality", n)
        template = rule.get("templateName") or rule.get("code") or ""
        pairs = {pair["property"]: pair.get("value") for pair in rule.get("customProperties") or ()}
        metric = CHECKS.get(template.casefold())
        columns = rule.get("columns") or ([rule["column"]] if rule.get("column") else [])
        # about columns that its place in ODCS cannot refer to
        is_elsewhere = columns not in ([], [column]) if column else metric == "nullValues" or not columns
        if metric is None or pairs.get("FILTER_CONDITIONS") not in NO_FILTER or is_elsewhere:
            lost(document, at, f"The rule `{template:.60}` has no equivalent.", on_key=False)
            continue
        rest_lost(document, at, rule, OF_RULE, f"the rule `{rule.get('code') or rule.get('templateName')}`")
        entry = given({
            "description": rule.get("description"), "businessImpact": rule.get("businessImpact"),
            "schedule": rule.get("scheduleCronExpression"), "method": rule.get("type"),
        })  # fmt: skip
        for key, words in (("dimension", DIMENSIONS), ("severity", SEVERITIES)):
            value = rule.get(key) or ""
            if value.casefold() in words:
                entry[key] = value.casefold()
            elif value:
                lost(document, (*at, key), f"`{key}: {value:.40}` has no equivalent; it is left out.")
        entry |= {"scheduler": "cron"} if "schedule" in entry else {}
        about = {} if column else {"arguments": {"properties": columns}}
        made.append({**entry, "metric": metric, **about, "mustBe": 0})
    return {"quality": made} if made else {}
