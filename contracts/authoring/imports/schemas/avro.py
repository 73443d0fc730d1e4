"""An Avro schema (`.avsc`) in, an ODCS document of each outermost record out.

Names, primitive and logical types are those of the Avro specification, 1.12. A union of null and one type is that type,
without `required`; everything that cannot be null is required.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports.imported import Imported, contract, given, lost, rest_lost
from contracts.problem import nearest, quoted

MOST = 10_000
DEEPEST = 40
OPTIONS = "logicalTypeOptions"
PRIMITIVES: dict[str, dict[str, Any]] = {
    "boolean": {"logicalType": "boolean"},
    "int": {"logicalType": "integer", OPTIONS: {"format": "i32"}},
    "long": {"logicalType": "integer"},
    "float": {"logicalType": "number", OPTIONS: {"format": "f32"}},
    "double": {"logicalType": "number"},
    "bytes": {"logicalType": "string", "physicalType": "bytes"},
    "string": {"logicalType": "string"},
}
LOGICAL: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "uuid": (("string", "fixed"), {"logicalType": "string", OPTIONS: {"format": "uuid"}}),
    "date": (("int",), {"logicalType": "date"}),
    "time-millis": (("int",), {"logicalType": "time"}),
    "time-micros": (("long",), {"logicalType": "time"}),
    "timestamp-millis": (("long",), {"logicalType": "timestamp"}),
    "timestamp-micros": (("long",), {"logicalType": "timestamp"}),
    "local-timestamp-millis": (("long",), {"logicalType": "timestamp", OPTIONS: {"timezone": False}}),
    "local-timestamp-micros": (("long",), {"logicalType": "timestamp", OPTIONS: {"timezone": False}}),
}
"""The underlying types of each logical type, and its property; on other types the specification ignores it."""
COMPLEX = ("record", "enum", "array", "map", "fixed")
READ = {
    "record": {"type", "name", "namespace", "doc", "fields"},
    "enum": {"type", "name", "namespace", "doc", "symbols"},
    "array": {"type", "items"},
    "map": {"type", "values"},
    "fixed": {"type", "name", "namespace", "size", "logicalType", "precision", "scale"},
    "field": {"name", "type", "doc"},
}
"""The keys that are read of each kind of schema."""
NullableProperty = tuple[dict[str, Any], bool]
"""A property without its name, and True if it may be null."""


def recognizes(data: Any) -> bool:
    """Return True if values are an Avro record, or a list with one."""
    if isinstance(data, list):
        return any(recognizes(inner) for inner in data)
    return isinstance(data, dict) and data.get("type") in ("record", "error") and "properties" not in data


def read(document: Document) -> list[Imported]:
    """Return the documents of the outermost records; none, and findings, if one cannot be read."""
    listed = isinstance(document.data, list)
    tops = [((n,), top) for n, top in enumerate(document.data)] if listed else [((), document.data)]
    reading = _Reading(document)
    made = []
    for path, top in tops:
        if recognizes(top):
            made += reading.top(top, path)
        elif isinstance(top, dict):
            reading.type(top, path, "", (), 0)  # later records may use its name
            lost(document, path, "An outermost type makes a contract only if it is a record.", on_key=False)
    return [] if document.errors() else made


class _Reading:
    """The reading of one file: its named types, and the findings about it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.named: dict[str, tuple[dict[str, Any], Path, str]] = {}
        self.count = 0

    def top(self, record: dict[str, Any], path: Path) -> list[Imported]:
        prop, _ = self.type(record, path, "", (), 0)
        if self.document.errors():
            return []
        full = self._name(record, "")
        head = given({"name": record["name"], "description": prop.get("description")})
        return [Imported(contract(full, head | {"properties": prop.get("properties", [])}))]

    def type(self, schema: Any, path: Path, space: str, inside: tuple[str, ...], depth: int) -> NullableProperty:
        """Return the property of a schema; `space` is the namespace around it, `inside` the records that contain it."""
        self.count += 1
        if self.count > MOST or depth > DEEPEST:
            if self.count <= MOST + 1 and not self.document.errors():
                message = f"The schema unfolds into more than {MOST:,} types, or {DEEPEST} levels."
                self.document.error(path, "too-large", message, "Write a schema of its own for what is in it.")
            return {}, False
        if isinstance(schema, list):
            return self._union(schema, path, space, inside, depth)
        if isinstance(schema, str):
            return self._by_name(schema, path, space, inside, depth)
        if not isinstance(schema, dict) or "type" not in schema:
            self.document.error(path, "bad-value", "This is not an Avro type.", "Write a type's name, or `type: ...`.")
            return {}, False
        kind = schema["type"]
        if not isinstance(kind, str):
            return self.type(kind, (*path, "type"), space, inside, depth + 1)
        if kind in PRIMITIVES:
            rest_lost(self.document, path, schema, {"type", "logicalType", "precision", "scale"}, f"a {kind}")
            return self._simple(schema, path, kind), False
        if kind == "null":
            return {}, True
        if kind in {*COMPLEX, "error"}:
            return self._complex(schema, path, "record" if kind == "error" else kind, space, inside, depth), False
        return self._by_name(kind, (*path, "type"), space, inside, depth)

    def _union(
        self, branches: list[Any], path: Path, space: str, inside: tuple[str, ...], depth: int
    ) -> NullableProperty:
        others = [n for n, branch in enumerate(branches) if branch not in ("null", {"type": "null"})]
        nullable = len(others) < len(branches)
        if len(others) == 1:
            prop, _ = self.type(branches[others[0]], (*path, others[0]), space, inside, depth + 1)
            return prop, nullable
        for n in others:  # report their faults, and define the types that they name
            self.type(branches[n], (*path, n), space, inside, depth + 1)
        names = ", ".join(str(b.get("name", b.get("type")) if isinstance(b, dict) else b)[:40] for b in branches)
        lost(self.document, path, f"A union of several types ({names}) has no equivalent.", on_key=False)
        return {}, nullable

    def _by_name(self, name: str, path: Path, space: str, inside: tuple[str, ...], depth: int) -> NullableProperty:
        if name in PRIMITIVES:
            return dict(PRIMITIVES[name]), False
        if name == "null":
            return {}, True
        full = name if "." in name or not space else f"{space}.{name}"
        full = full if full in self.named else name
        if full in inside:
            message = f"The record `{name}` holds itself; a contract cannot go on without end."
            fix = "Write out as many levels as there are, or leave the field out."
            self.document.error(path, "cyclic-reference", message, fix)
            return {}, False
        if full not in self.named:
            close = nearest(name, [*PRIMITIVES, *COMPLEX, *self.named])
            fix = f"Write `{close}`." if close else "Define it in this file, before it is used."
            self.document.error(path, "unknown-type", f"`{name:.60}` is not a type of Avro or of this file.", fix)
            return {}, False
        schema, _, around = self.named[full]
        return self.type(schema, path, around, inside, depth + 1)

    def _simple(self, schema: dict[str, Any], path: Path, kind: str) -> dict[str, Any]:
        """Return the property of a primitive type or a fixed, by its logical type if it has one."""
        logical = schema.get("logicalType")
        if logical == "decimal" and kind in ("bytes", "fixed"):
            precision, scale = schema.get("precision"), schema.get("scale", 0)
            whole = isinstance(precision, int) and isinstance(scale, int)
            if not whole or isinstance(precision, bool) or isinstance(scale, bool) or not 0 <= scale <= precision:
                message = "A decimal has a `precision`, and a `scale` that is not greater."
                self.document.error(path, "bad-value", message, "Write them, as `precision: 10, scale: 2`.")
            return {"logicalType": "number", "physicalType": f"decimal({precision},{scale})"}
        logical_type = LOGICAL.get(logical) if isinstance(logical, str) else None
        if logical_type and kind in logical_type[0]:
            return dict(logical_type[1])
        if kind == "fixed":
            size = schema.get("size")
            nor = f", nor `{logical!s:.60}`." if logical else "."
            lost(self.document, path, f"That a fixed has {size!s:.20} bytes has no equivalent{nor}", on_key=False)
            return {"logicalType": "string", "physicalType": f"fixed({size!s:.20})"}
        if logical is not None:
            what = f"`logicalType: {logical!s:.60}` of a {kind} has no equivalent."
            lost(self.document, (*path, "logicalType"), what)
        return dict(PRIMITIVES[kind])

    def _complex(
        self, schema: dict[str, Any], path: Path, kind: str, space: str, inside: tuple[str, ...], depth: int
    ) -> dict[str, Any]:
        rest_lost(self.document, path, schema, READ[kind], f"{'an' if kind[0] in 'ae' else 'a'} {kind}")
        doc = schema.get("doc")
        description = {"description": doc} if isinstance(doc, str) and doc else {}
        if kind in {"record", "enum", "fixed"}:
            full = self._name(schema, space)
            if not full:
                self.document.error(path, "missing-key", f"The {kind} has no `name`.", "Add `name: ...`.")
                return {}
            space = full.rpartition(".")[0]
            self.named[full] = schema, path, space
            inside = (*inside, full)
        match kind:
            case "record":
                fields = self._fields(schema, path, space, inside, depth)
                return {"logicalType": "object", **description, "properties": fields}
            case "enum":
                symbols = schema.get("symbols")
                if not isinstance(symbols, list) or not symbols or not all(isinstance(s, str) for s in symbols):
                    message, fix = "An enum has `symbols`, a list of texts.", "Write them, as `symbols: [A, B]`."
                    self.document.error((*path, "symbols"), "bad-value", message, fix)
                    symbols = []
                allowed = [{"value": symbol} for symbol in dict.fromkeys(symbols)]
                return {"logicalType": "string", **description, "enum": allowed}
            case "array":
                inner = self._each(schema.get("items"), (*path, "items"), space, inside, depth)
                return {"logicalType": "array", "items": inner}
            case "map":
                inner = self._each(schema.get("values"), (*path, "values"), space, inside, depth)
                return {"logicalType": "map", "map": {"key": {"logicalType": "string"}, "value": inner}}
        return self._simple(schema, path, kind)

    def _each(self, schema: Any, path: Path, space: str, inside: tuple[str, ...], depth: int) -> dict[str, Any]:
        """Return the property for each value of an array or a map, with `required` if it cannot be null."""
        prop, nullable = self.type(schema, path, space, inside, depth + 1)
        return prop if nullable or not prop else prop | {"required": True}

    def _fields(
        self, schema: dict[str, Any], path: Path, space: str, inside: tuple[str, ...], depth: int
    ) -> list[dict[str, Any]]:
        fields = schema.get("fields")
        if not isinstance(fields, list):
            self.document.error((*path, "fields"), "bad-value", "A record has `fields`, a list.", "Write them.")
            return []
        made = []
        for n, field in enumerate(fields):
            at: Path = (*path, "fields", n)
            if not isinstance(field, dict) or not isinstance(field.get("name"), str) or "type" not in field:
                message = "A field has a `name` and a `type`."
                self.document.error(at, "missing-key", message, f"Write both; known are {quoted(PRIMITIVES)}.")
                continue
            # the specification ignores a logicalType that is wrongly placed next to the field's type
            prop, nullable = self.type(field["type"], (*at, "type"), space, inside, depth + 1)
            rest_lost(self.document, at, field, READ["field"], f"`{field['name']}`")
            doc = {"description": field["doc"]} if isinstance(field.get("doc"), str) and field["doc"] else {}
            made.append({"name": field["name"], **prop, **doc, **({} if nullable else {"required": True})})
        return made

    def _name(self, schema: dict[str, Any], space: str) -> str:
        """Return the full name of a named type, with its own namespace or the one around it."""
        name, own = schema.get("name"), schema.get("namespace", space)
        if not isinstance(name, str) or not name:
            return ""
        return name if "." in name or not isinstance(own, str) or not own else f"{own}.{name}"
