"""The Data Contract Specification, 0.9 to 1.2, in; an ODCS document of each of its models out.

Its fields have JSON Schema's words for values, its quality entries those of ODCS. `definitions` are written out where a
field refers to them.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from contracts.authoring.document import metadata
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import FIRST, Imported, contract, given, kept, lost, rest_lost, slug
from contracts.plan import OPERATORS

KEY = "dataContractSpecification"
OPTIONS = "logicalTypeOptions"
MAP = {"type": "object", "additionalProperties": {"type": "object"}}
SHAPE = {
    "type": "object",
    "required": ["models"],
    "properties": {
        "id": {"type": "string"},
        "info": {"type": "object", "properties": {"version": {"type": "string"}, "title": {"type": "string"}}},
        "models": {"type": "object", "additionalProperties": {"type": "object", "properties": {"fields": MAP}}},
        "definitions": MAP,
        "terms": {"type": "object"},
        "servicelevels": MAP,
    },
}
TEXT: dict[str, Any] = {"logicalType": "string"}
NUMBER: dict[str, Any] = {"logicalType": "number"}
INTEGER: dict[str, Any] = {"logicalType": "integer"}
ZONED: dict[str, Any] = {"logicalType": "timestamp", OPTIONS: {"timezone": True}}
OBJECT: dict[str, Any] = {"logicalType": "object"}
TYPES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("string", "text", "varchar"), TEXT),
    **dict.fromkeys(("number", "decimal", "numeric", "float", "double"), NUMBER),
    **dict.fromkeys(("integer", "int", "long", "bigint"), INTEGER),
    "boolean": {"logicalType": "boolean"},
    **dict.fromkeys(("timestamp", "timestamp_tz"), ZONED),
    "timestamp_ntz": {"logicalType": "timestamp", OPTIONS: {"timezone": False}},
    "date": {"logicalType": "date"},
    "time": {"logicalType": "time"},
    **dict.fromkeys(("object", "record", "struct"), OBJECT),
    "array": {"logicalType": "array"},
    "map": {"logicalType": "map"},
}
RULES = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "date": ("minimum", "maximum"),
    "array": ("minItems", "maxItems", "uniqueItems"),
}
"""The words for values by type, which are those of ODCS."""
EVERY_RULE = {key for rules in RULES.values() for key in rules}
READ = {
    *(
        "type",
        "required",
        "unique",
        "primaryKey",
        "primary",
        "description",
        "title",
        "enum",
        "examples",
        "example",
        "pii",
    ),
    *(
        "classification",
        "tags",
        "precision",
        "scale",
        "fields",
        "items",
        "keys",
        "values",
        "references",
        "$ref",
        "quality",
    ),
    *("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minItems", "maxItems", "uniqueItems", "businessName", "nullable"),
}
ENTRY = ("type", "description", "query", "metric", "rule", "engine", "implementation", "arguments", "unit", "name",
         "dimension", "severity", *OPERATORS)  # fmt: skip
DURATION = re.compile(r"(?:P(?=\d)|PT)?(\d+)\s*(Y|M|W|D|d|H|h|m|s|S|months?|years?|days?|hours?|minutes?)", re.ASCII)
UNITS = {"Y": "y", "M": "min", "W": "w", "D": "d", "H": "h", "S": "s"}
DEEPEST = 20


def recognizes(data: Any) -> bool:
    """Return True if values are a contract of this specification."""
    return isinstance(data, dict) and KEY in data


def read(document: Document) -> list[Imported]:
    """Return the documents of all models."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    info, terms = data.get("info") or {}, data.get("terms") or {}
    rest_lost(
        document,
        (),
        data,
        {KEY, "id", "info", "models", "definitions", "terms", "servicelevels", "tags"},
        "the contract",
    )
    rest_lost(document, ("info",), info, {"title", "version", "description", "owner", "status"}, "`info`")
    rest_lost(document, ("terms",), terms, {"usage", "limitations"}, "`terms`")
    version = info.get("version", FIRST)
    if not metadata.VERSION.fullmatch(version):
        lost(document, ("info", "version"), f"The version `{version:.40}` is none; the contract begins with {FIRST}.")
        version = FIRST
    description = {
        "purpose": info.get("description"),
        "usage": terms.get("usage"),
        "limitations": terms.get("limitations"),
    }
    name = str(data.get("id") or info.get("title") or "contract")
    base = metadata.readable(name) if not metadata.ID.fullmatch(name) else name
    made = []
    for model_name, model in data["models"].items():
        full = base if len(data["models"]) == 1 else f"{base}-{model_name}"
        about = {
            "name": info.get("title"),
            "description": given({key: value for key, value in description.items() if isinstance(value, str)}),
            "tags": _texts(data.get("tags")),
            "slaProperties": _levels(document),
            "customProperties": [
                kept(key, value)
                for key, value in (("id", name if name != base else None), ("owner", info.get("owner")))
                if value
            ],
        }
        schema_object = _Model(document, model_name, base).read(model)
        made.append(Imported(contract(full, schema_object, version=version, **about)))
    return [] if document.errors() else made


class _Model:
    """The reading of one model."""

    def __init__(self, document: Document, name: str, base: str) -> None:
        self.document, self.name, self.base = document, name, base

    def read(self, model: dict[str, Any]) -> dict[str, Any]:
        """Return the schema object of the model."""
        at: Path = ("models", self.name)
        handled = {"fields", "description", "title", "type", "quality", "primaryKey"}
        rest_lost(self.document, at, model, handled, f"the model `{self.name}`")
        properties = self._fields(model.get("fields") or {}, (*at, "fields"), 0)
        if not properties:
            self.document.error(
                at, "missing-key", f"The model `{self.name}` has no `fields`.", "Add them.", on_key=True
            )
        keys = model.get("primaryKey")
        names = [keys] if isinstance(keys, str) else keys if isinstance(keys, list) else []
        for n, prop in ((n, p) for n, key in enumerate(names, 1) for p in properties if p["name"] == key):
            prop |= {"primaryKey": True, **({"primaryKeyPosition": n} if len(names) > 1 else {})}
        about = {"description": model.get("description"), "businessName": model.get("title")}
        quality = self._quality(model.get("quality"), (*at, "quality"))
        return {"name": self.name, **given(about), **given({"quality": quality}), "properties": properties}

    def _fields(self, fields: dict[str, Any], path: Path, depth: int) -> list[dict[str, Any]]:
        return [
            {"name": name, **self._field(field, (*path, name), depth, name)}
            for name, field in fields.items()
            if isinstance(field, dict)
        ]

    def _field(self, written: dict[str, Any], path: Path, depth: int, name: str) -> dict[str, Any]:
        """Return the property of a field without its name."""
        field = self._whole(written, path)
        if depth > DEEPEST:
            self.document.error(path, "too-large", f"Fields are nested more than {DEEPEST} deep.", "Check the file.")
            return {}
        rest_lost(self.document, path, written, READ, f"`{name}`")
        kind = str(field.get("type", "")).casefold()
        base, _, figures = kind.partition("(")
        typed = TYPES.get(base.strip())
        if typed is None and kind:
            lost(self.document, (*path, "type"), f"The type `{kind:.40}` of `{name}` has no equivalent.")
        prop: dict[str, Any] = {key: dict(v) if isinstance(v, dict) else v for key, v in (typed or {}).items()}
        if not typed and kind:
            prop["physicalType"] = kind
        if base in ("decimal", "numeric", "number") and (exact := _digits(field, figures)):
            prop["physicalType"] = exact
        self._values(prop, field, written, path, name)
        self._flags(prop, field)
        prop |= given({"quality": self._quality(field.get("quality"), (*path, "quality"))})
        self._relate(prop, field.get("references"), (*path, "references"), name)
        return prop | self._inner(prop, field, path, depth, name)

    def _values(
        self, prop: dict[str, Any], field: dict[str, Any], written: dict[str, Any], path: Path, name: str
    ) -> None:
        """Add the rules about the values of a field."""
        logical = prop.get("logicalType", "")
        rules = RULES.get(logical, ())
        options = {key: field[key] for key in rules if field.get(key) is not None}
        if options:
            prop[OPTIONS] = prop.get(OPTIONS, {}) | options
        for key in EVERY_RULE - set(rules):
            if written.get(key) is not None:
                lost(self.document, (*path, key), f"`{key}` of `{name}` means nothing for its type.")
        if isinstance(values := field.get("enum"), list) and logical in ("string", "integer", "number"):
            allowed = [value for value in values if isinstance(value, (str, int, Decimal))]
            prop |= given({"enum": [{"value": value} for value in dict.fromkeys(allowed)]})

    def _flags(self, prop: dict[str, Any], field: dict[str, Any]) -> None:
        """Add that a field is required, unique or a key, and the texts about it."""
        if field.get("required") is True or field.get("nullable") is False:
            prop["required"] = True
        if field.get("unique") is True:
            prop["unique"] = True
        if field.get("primaryKey") is True or field.get("primary") is True:
            prop["primaryKey"] = True
        examples = field["examples"] if isinstance(field.get("examples"), list) else [field.get("example")]
        about = {
            "description": field.get("description"),
            "businessName": field.get("title") or field.get("businessName"),
            "classification": field.get("classification") or ("personal" if field.get("pii") is True else None),
        }
        prop |= given({key: value for key, value in about.items() if isinstance(value, str)})
        shown = [value for value in examples if isinstance(value, (str, int, Decimal))]
        prop |= given({"tags": _texts(field.get("tags")), "examples": shown})

    def _inner(self, prop: dict[str, Any], field: dict[str, Any], path: Path, depth: int, name: str) -> dict[str, Any]:
        """Return the properties within an object, an array or a map."""
        match prop.get("logicalType"):
            case "object" if isinstance(field.get("fields"), dict):
                return given({"properties": self._fields(field["fields"], (*path, "fields"), depth + 1)})
            case "array" if isinstance(field.get("items"), dict):
                return {"items": self._field(field["items"], (*path, "items"), depth + 1, name)}
            case "map":
                ends = {"key": field.get("keys"), "value": field.get("values")}
                return {
                    "map": {
                        end: self._field(own, (*path, f"{end}s"), depth + 1, name) if isinstance(own, dict) else TEXT
                        for end, own in ends.items()
                    }
                }
        return {}

    def _whole(self, field: dict[str, Any], path: Path) -> dict[str, Any]:
        """Return a field with the keys of its definition, which its own override."""
        ref = field.get("$ref")
        if not isinstance(ref, str):
            return field
        name = ref.removeprefix("#/definitions/")
        definition = (self.document.data.get("definitions") or {}).get(name)
        if definition is None or name == ref:
            lost(self.document, (*path, "$ref"), f"The definition `{ref:.80}` is not in this file.")
            return field
        return {key: value for key, value in definition.items() if key in READ and key != "$ref"} | field

    def _relate(self, prop: dict[str, Any], to: Any, path: Path, name: str) -> None:
        """Add a relationship to a field of another model of the file."""
        if to is None:
            return
        model, _, column = str(to).partition(".")
        models = self.document.data["models"]
        if model in models and column in (models[model].get("fields") or {}):
            prop["relationships"] = [
                {"to": f"{slug(f'{self.base}-{model}')}.v1.yaml#/schema/{model}/properties/{column}"}
            ]
        else:
            lost(self.document, path, f"`{name}` refers to `{to!s:.60}`, which is not in this file.")

    def _quality(self, entries: Any, path: Path) -> list[dict[str, Any]]:
        """Return the quality entries that ODCS has as well."""
        made = []
        for n, entry in enumerate(entries if isinstance(entries, list) else ()):
            kind = entry.get("type", "library") if isinstance(entry, dict) else None
            needs = {"text": "description", "sql": "query", "custom": "implementation", "library": "metric"}.get(
                str(kind)
            )
            if not isinstance(entry, dict) or needs is None or (needs not in entry and "rule" not in entry):
                lost(
                    self.document,
                    (*path, n),
                    "A quality entry that says not what is checked has no equivalent.",
                    on_key=False,
                )
                continue
            own = {key: value for key, value in entry.items() if key in ENTRY}
            rest_lost(self.document, (*path, n), entry, set(ENTRY), "a quality entry")
            if "rule" in own:
                own = {
                    **{key: value for key, value in own.items() if key != "rule"},
                    "metric": own.get("metric", own["rule"]),
                }
            if isinstance(own.get("query"), str):
                own["query"] = own["query"].replace("{field}", "{property}")
            if kind == "custom" and "engine" not in own:
                own["engine"] = "custom"
            made.append(own)
        return made


def _levels(document: Document) -> list[dict[str, Any]]:
    """Return the service levels that are lengths of time or shares."""
    made = []
    for name, level in (document.data.get("servicelevels") or {}).items():
        length = next(
            (level[key] for key in ("threshold", "period", "interval") if isinstance(level.get(key), str)), ""
        )
        share = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", str(level.get("percentage", "")))
        match = DURATION.fullmatch(length)
        if share and name == "availability":
            made.append({"property": name, "value": Decimal(share[1]), "unit": "percent"})
        elif match and name in ("retention", "latency", "frequency"):
            word = match[2]
            unit = "mo" if word.startswith("month") or (word == "M" and "T" not in length) else UNITS[word[0].upper()]
            made.append({"property": name, "value": int(match[1]), "unit": unit})
        else:
            lost(document, ("servicelevels", name), f"The service level `{name}` has no equivalent.")
    return made


def _digits(field: dict[str, Any], figures: str) -> str | None:
    """Return the exact type of a decimal with a precision of at most 38."""
    written: list[Any] = [int(part) for part in re.findall(r"\d{1,9}", figures)] or [
        field.get("precision"),
        field.get("scale", 0),
    ]
    precision, scale = [*written, 0][:2]
    if not isinstance(precision, int) or isinstance(precision, bool) or not isinstance(scale, int):
        return None
    return f"decimal({precision},{scale})" if 0 <= scale <= precision and 0 < precision <= 38 else None


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
