"""ODCS 2.2, and PayPal's template 2.1 that it grew out of, in; an ODCS document of each of their tables out.

Most keys have a successor in ODCS 3. Quality rules belong to another tool: those whose template has a metric are
imported, the others stay rules of their tool.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document import metadata, physical_types
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import FIRST, Imported, contract, given, kept, lost, rest_lost, stem
from contracts.authoring.imports.specifications import odcs_2_rules
from contracts.authoring.imports.specifications.odcs_2_shape import SHAPE

KIND = "DataContract"
VERSIONS = ("apiVersion", "standardVersion")
"""The keys that name the version of the standard; 2.2.0 has the second in one of its own examples."""
TOP = {"datasetDomain": "domain", "quantumName": "name", "tenant": "tenant", "tags": "tags"}
SUPPORT = {"productDl": "email", "productSlackChannel": "slack", "productFeedbackUrl": "other"}
"""The support channels, and the ODCS name of each tool."""
KEPT = (
    "uuid", "status", "userConsumptionMode", "sourcePlatform", "sourceSystem", "project", "datasetProject",
    "datasetName", "datasetKind", "type", "driver", "driverVersion", "server", "database", "schedulerAppName",
    "systemInstance", "contractCreatedTs",
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
    "column": "name", "isPrimary": "primaryKey", "isPrimaryKey": "primaryKey", "primary": "primaryKey",
    "isUnique": "unique", "primaryKeyPosition": "primaryKeyPosition", "partitionKeyPosition": "partitionKeyPosition",
    "businessName": "businessName",
    "physicalType": "physicalType", "description": "description", "partitionStatus": "partitioned",
    "criticalDataElementStatus": "criticalDataElement", "tags": "tags", "encryptedColumnName": "encryptedName",
    "transformSourceTables": "transformSourceObjects", "transformLogic": "transformLogic",
    "transformDescription": "transformDescription", "sampleValues": "examples",
    "authoritativeDefinitions": "authoritativeDefinitions",
}  # fmt: skip
"""The keys of each part, and the equivalent ODCS keys."""

OWN = {"logicalType", "isNullable", "nullable", "classification", "clusterStatus", "clusterKeyPosition", "quality"}
"""The keys of a column that are read by themselves."""
POSITIONS = ("primaryKeyPosition", "partitionKeyPosition")
"""The positions, which begin with 1; -1 is none."""


def recognizes(data: Any) -> bool:
    """Return True if values are a contract of the template: a list of tables."""
    return isinstance(data, dict) and isinstance(data.get("dataset"), list)


def recognizes_standard(data: Any) -> bool:
    """Return True if values are a document of ODCS 2: tables, and the kind or the version of the standard."""
    if not isinstance(data, dict) or not isinstance(data.get("dataset"), (list, dict)) or "templateVersion" in data:
        return False
    version = next((str(data[key]) for key in VERSIONS if key in data), "")
    return version.removeprefix("v").startswith("2.") or (not version and data.get("kind") == KIND)


def read(document: Document) -> list[Imported]:
    """Return the documents of all tables."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    head = _head(document)
    product = data.get("quantumName") or data.get("datasetName") or stem(document.file)
    inside = isinstance(data["dataset"], dict)
    base: Path = ("dataset", "tables") if inside else ("dataset",)
    return [
        Imported(contract(f"{product}-{table['table']}", _table(document, (*base, n), table), **head))
        for n, table in enumerate(document.value(base) or ())
    ]


def _table(document: Document, path: Path, table: dict[str, Any]) -> dict[str, Any]:
    about = _renamed(document, path, table, TABLES, "columns", "quality", "priorTableName")
    before = given({"priorTableName": table.get("priorTableName")})
    custom = given({"customProperties": [kept(key, value) for key, value in before.items()]})
    columns = [_column(document, (*path, "columns", m), column) for m, column in enumerate(table["columns"])]
    if document.data.get("kind") == KIND and not all({"isNullable", "nullable"} & c.keys() for c in table["columns"]):
        message = (
            f"Columns of `{table['table']:.60}` without `isNullable` may be null here; ODCS 2.2 says they may not."
        )
        lost(document, path, message, "Write `required: true` where no value may be missing.", on_key=False)
    return {**about, "properties": columns, **odcs_2_rules.quality(document, path, table, None), **custom}


def _head(document: Document) -> dict[str, Any]:
    data = document.data
    for key in SECRET:
        if data.get(key):
            lost(document, (key,), f"`{key}` may be a secret, and does not belong into a contract.", "Leave it out.")
    sections = {"version", "description", "dataset", "price", "stakeholders", "roles", "slaDefaultColumn", *VERSIONS}
    more = {"slaProperties", "customProperties", "kind", *TOP, *SUPPORT, *KEPT, *SECRET}
    rest_lost(document, (), data, sections | more, "the contract")
    custom = [kept(key, data[key]) for key in KEPT if data.get(key) not in (None, "")]
    custom += [kept("kind", data["kind"])] if data.get("kind") not in (None, "", KIND) else []
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
    prop = _renamed(document, path, column, COLUMNS, *OWN)
    prop["name"] = column["column"]
    prop = {key: value for key, value in prop.items() if key not in POSITIONS or value >= 1}
    if "primaryKeyPosition" in prop and not prop.get("primaryKey"):
        del prop["primaryKeyPosition"]
        message = f"`{prop['name']}` has a position in a key that it is no part of."
        lost(document, (*path, "primaryKeyPosition"), message)
    logical, physical = column.get("logicalType") or "", column.get("physicalType") or ""
    typed = physical_types.property_of(logical) or physical_types.property_of(physical)
    if typed is None:
        message = f"The type `{logical or physical:.60}` of `{prop['name']}` has no equivalent."
        lost(document, (*path, "logicalType"), message)
    else:
        prop |= {"logicalType": typed["logicalType"]}
    if False in (column.get("isNullable"), column.get("nullable")):
        prop["required"] = True
    if column.get("classification") is not None:
        prop["classification"] = str(column["classification"])
    place = column.get("clusterKeyPosition") or 0
    cluster = {"clusterStatus": column.get("clusterStatus") or None, "clusterKeyPosition": place if place > 0 else None}
    prop |= given({"customProperties": [kept(key, value) for key, value in given(cluster).items()]})
    return prop | odcs_2_rules.quality(document, path, column, prop["name"])
