"""Table Schema and Data Package of Frictionless in, an ODCS document of each table out, with its dialect."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contracts.authoring.document import metadata
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.document.source import number_of
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import FIRST, Imported, contract, given, kept, lost, rest_lost, slug, stem
from contracts.authoring.properties import datetimes
from contracts.authoring.properties.other_patterns import translated

OPTIONS = "logicalTypeOptions"
TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "required": ["fields"],
    "properties": {
        "fields": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": TEXT, "type": TEXT, "constraints": {"type": "object"}},
            },
        },
        "missingValues": {"type": "array"},
        "foreignKeys": {"type": "array", "items": {"type": "object"}},
    },
}
PACKAGE = {
    "type": "object",
    "required": ["resources"],
    "properties": {
        "resources": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": TEXT, "encoding": TEXT, "dialect": {"type": "object"}},
            },
        },
    },
}
TYPES: dict[str, dict[str, Any]] = {
    "string": {"logicalType": "string"},
    "number": {"logicalType": "number"},
    "integer": {"logicalType": "integer"},
    "year": {"logicalType": "integer"},
    "boolean": {"logicalType": "boolean"},
    "date": {"logicalType": "date"},
    "time": {"logicalType": "time"},
    "datetime": {"logicalType": "timestamp"},
}
ALONE = {"any": "string", "duration": "string", "yearmonth": "string", "geopoint": "string", "geojson": "string"}
ALONE |= {"object": "string", "array": "string", "list": "string"}
"""Types that a cell has as a text, which is not checked for them."""
FORMATS = ("email", "uri", "uuid")
MONTH = "^[0-9]{4}-(0[1-9]|1[0-2])$"
SIMPLE = {"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
OF_FIELD = {"name", "type", "format", "title", "description", "constraints", "example", "decimalChar", "groupChar"}
OF_FIELD |= {"bareNumber", "trueValues", "falseValues", "missingValues"}
TRUE, FALSE = ["true", "True", "TRUE", "1"], ["false", "False", "FALSE", "0"]
"""The words that Table Schema reads as true and false where a field names none."""


def recognizes_schema(data: Any) -> bool:
    """Return True if values are a Table Schema."""
    fields = data.get("fields") if isinstance(data, dict) and "type" not in data else None
    return isinstance(fields, list) and bool(fields)


def recognizes_package(data: Any) -> bool:
    """Return True if values are a Data Package, or a resource with its schema."""
    return isinstance(data, dict) and (isinstance(data.get("resources"), list) or ("schema" in data and "path" in data))


def read_schema(document: Document) -> list[Imported]:
    """Return the document of a schema, named as its file."""
    if not shapes.fits(document, SCHEMA):
        return []
    name = stem(document.file)
    return [_table(document, (), document.data, name, {})]


def read_package(document: Document) -> list[Imported]:
    """Return the documents of all tabular resources."""
    whole = document.data if "resources" in document.data else {"resources": [document.data]}
    if "resources" in document.data and not shapes.fits(document, PACKAGE):
        return []
    base: Path = ("resources",) if "resources" in document.data else ()
    made = []
    for n, resource in enumerate(whole["resources"]):
        path: Path = (*base, n) if base else ()
        name = str(resource.get("name") or stem(document.file))
        schema = resource.get("schema")
        if not isinstance(schema, dict):
            lost(document, path, f"The resource `{name}` has no schema here.", on_key=False)
            continue
        if not shapes.fits(document, _at((*path, "schema"), SCHEMA)):
            continue
        made.append(_table(document, (*path, "schema"), schema, name, resource))
    if document.errors():
        return []
    version = whole.get("version")
    is_version = isinstance(version, str) and metadata.VERSION.fullmatch(version)
    about = given({"name": whole.get("title"), "description": given({"purpose": whole.get("description")})})
    handled = {"resources", "name", "title", "description", "version", "profile", "$schema"}
    if base:
        rest_lost(document, (), whole, handled, "the package")
    package = str(whole.get("name") or "")
    for imported in made:
        if package and len(made) > 1:
            imported.data["id"] = slug(f"{package}-{imported.data['id']}")
        imported.data.update({"version": version if is_version else FIRST, **(about if base else {})})
    return made


def _at(path: Path, shape: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of a document that has another shape at a path."""
    for part in reversed(path):
        shape = (
            {"properties": {part: shape}}
            if isinstance(part, str)
            else {"prefixItems": [*[{}] * part, shape], "items": [*[{}] * part, shape]}
        )
    return shape


def _table(document: Document, path: Path, schema: dict[str, Any], name: str, resource: dict[str, Any]) -> Imported:
    rest_lost(
        document,
        path,
        schema,
        {"fields", "primaryKey", "missingValues", "foreignKeys", "uniqueKeys", "$schema", "profile"},
        "the schema",
    )
    forms: dict[str, Any] = {}
    properties = [_field(document, (*path, "fields", n), field, forms) for n, field in enumerate(schema["fields"])]
    keys = schema.get("primaryKey")
    names = [keys] if isinstance(keys, str) else keys if isinstance(keys, list) else []
    for n, prop in ((n, p) for n, key in enumerate(names, 1) for p in properties if p["name"] == key):
        prop |= {"primaryKey": True, "required": True, **({"primaryKeyPosition": n} if len(names) > 1 else {})}
    quality = []
    for unique in _listed(schema.get("uniqueKeys")):
        columns = [unique] if isinstance(unique, str) else unique
        if isinstance(columns, list) and columns and set(map(str, columns)) <= {p["name"] for p in properties}:
            quality.append({"metric": "duplicateValues", "arguments": {"properties": columns}, "mustBe": 0})
    if schema.get("foreignKeys"):
        lost(
            document, (*path, "foreignKeys"), "Foreign keys are carried over as they are; no file is held against them."
        )
    custom = [kept("foreignKeys", schema["foreignKeys"])] if schema.get("foreignKeys") else []
    nulls = [str(value) for value in schema.get("missingValues", [""]) if isinstance(value, (str, int))]
    values = given({"nullValues": nulls if nulls != [""] else None, "columns": forms})
    about = given(
        {"description": resource.get("description"), "businessName": resource.get("title"), "quality": quality}
    )
    data = contract(name, {"name": name, **about, "properties": properties}, customProperties=custom)
    return Imported(data, given({"csv": _dialect(resource), "values": values}))


def _field(document: Document, path: Path, field: dict[str, Any], forms: dict[str, Any]) -> dict[str, Any]:
    """Return the property of a field; add the form of its cells to `forms`."""
    name, kind = field["name"], field.get("type", "string")
    rest_lost(document, path, field, OF_FIELD, f"`{name}`")
    typed = TYPES.get(kind)
    if typed is None:
        typed = {"logicalType": ALONE.get(kind, "string")}
        if kind != "any":
            lost(document, (*path, "type"), f"The type `{kind:.40}` of `{name}` is a text here, and not checked.")
    prop: dict[str, Any] = {"name": name, **typed}
    options = _format(document, path, field, kind)
    limits = field.get("constraints") or {}
    rest_lost(
        document,
        (*path, "constraints"),
        limits,
        {*SIMPLE, "required", "unique", "enum"},
        f"the constraints of `{name}`",
    )
    logical = prop["logicalType"]
    allowed = {"string": {"minLength", "maxLength", "pattern"}, "boolean": set()}.get(
        logical, SIMPLE - {"minLength", "maxLength", "pattern"}
    )
    for key in sorted(SIMPLE & limits.keys()):
        if key not in allowed:
            lost(document, (*path, "constraints", key), f"`{key}` of `{name}` means nothing for its type here.")
        else:
            value = limits[key]
            options[key] = f"^(?:{value})$" if key == "pattern" and isinstance(value, str) else value
    prop |= given({"logicalTypeOptions": options})
    prop |= {key: True for key in ("required", "unique") if limits.get(key) is True}
    if isinstance(limits.get("enum"), list) and logical in ("string", "integer", "number"):
        values = limits["enum"] if logical == "string" else map(_number, limits["enum"])
        prop["enum"] = [{"value": value} for value in values]
    title = field.get("title")
    described = {"businessName": title if title != name else None, "description": field.get("description")}
    prop |= given({key: value for key, value in described.items() if isinstance(value, str)})
    if "example" in field:
        prop["examples"] = [field["example"]]
    form = {
        key: field[key] for key in ("decimalChar", "groupChar") if isinstance(field.get(key), str) and kind == "number"
    }
    if form.get("decimalChar") == ".":
        del form["decimalChar"]
    if kind == "boolean":
        form = {"trueValues": field.get("trueValues", TRUE), "falseValues": field.get("falseValues", FALSE)}
    if form:
        forms[name] = form
    return prop


def _format(document: Document, path: Path, field: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the options that say how values are written."""
    form, name = field.get("format", "default"), field["name"]
    if kind == "yearmonth":
        return {"pattern": MONTH}
    if form == "default" or not isinstance(form, str):
        return {}
    if kind == "string" and form in FORMATS:
        return {"format": form}
    logical = {"date": "date", "time": "time", "datetime": "timestamp"}.get(kind)
    meant = translated(form.removeprefix("fmt:"), logical) if logical and form != "any" else None
    if logical and meant and datetimes.fault(meant, logical) is None:
        return {"format": meant}
    lost(document, (*path, "format"), f"The format `{form:.40}` of `{name}` has no equivalent.")
    return {}


def _dialect(resource: dict[str, Any]) -> dict[str, Any]:
    """Return the dialect of CSV."""
    own: dict[str, Any] = dialect if isinstance(dialect := resource.get("dialect"), dict) else {}
    encoding = resource.get("encoding")
    csv = {
        "delimiter": own.get("delimiter") if own.get("delimiter") != "," else None,
        "quote": own.get("quoteChar") if own.get("quoteChar") != '"' else None,
        "escape": own.get("escapeChar"),
        "commentChar": own.get("commentChar"),
        "encoding": encoding if isinstance(encoding, str) and encoding.casefold() not in ("utf-8", "utf8") else None,
        "header": False if own.get("header") is False else None,
    }
    return {key: value for key, value in csv.items() if value is not None}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> Any:
    """Return the number that a text is, as a Table Schema may write the numbers of a list as cells have them."""
    number = number_of(value) if isinstance(value, str) else value
    if number is None:
        return value
    return int(number) if isinstance(number, Decimal) and number == int(number) else number
