"""Nested contracts and records by chance: what the flat generators make, laid into objects, arrays and maps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from contracts.plan import Plan, Property
from tests.oracle import contracts, files, tables
from tests.oracle.contracts import Column, Contract, Document
from tests.oracle.files import Pools

Route = tuple[str, ...]
OF_ALL = ("duplicateValues", "mean", "stdev", "min", "max", "sum", "quantile")
"""Metrics that a property within an array or a map cannot have."""
KEYS = ("de", "en", "x y", "")
WRONG = ("5", '"x"', "[1]", '{"a": 1}', "true")
"""Values of JSON in place of objects, arrays and maps."""
SHARE = 0.03
"""Of the values that hold others, how many are of another type."""


@dataclass(frozen=True, slots=True)
class Node:
    """A property as it is written, its likely cells, and what lies in it by step: `.name`, `[]`, `*`."""

    written: Document
    cells: tuple[str, ...] = ()
    inner: tuple[tuple[str, Node], ...] = ()

    @property
    def type(self) -> str:
        """The logical type as it is written."""
        return str(self.written["logicalType"])

    def leaves(self, route: Route) -> Iterator[tuple[Route, Node]]:
        """The properties that hold no others, with where they are."""
        if not self.inner:
            yield route, self
        for step, node in self.inner:
            yield from node.leaves((*route, step))


@dataclass(frozen=True, slots=True)
class Nested:
    """A contract, and its properties as trees, by name."""

    contract: Contract
    roots: Mapping[str, Node]


def a_contract(chance: Random, form: Document) -> Nested:
    """A contract for files of a form, in which half of the properties lie in others."""
    while True:
        columns = [contracts._column(chance, n, form) for n in range(chance.randint(4, 8))]
        flat = columns[: chance.randint(1, 3)]
        if form.get("columns", {}).get("source") == "physicalName":
            for n, column in enumerate(columns[len(flat) :]):
                column.written["physicalName"] = f"in {n}"
        roots = [Node(c.written, c.cells) for c in flat] + _grown(chance, columns[len(flat) :])
        chance.shuffle(roots)
        document = contracts._document(chance, flat, form)
        document["schema"][0]["properties"] = [node.written for node in roots]
        if (plan := contracts.compiled(document)) is None:
            continue
        kinds = {c.written["name"]: c.written["logicalType"] for c in flat}
        document["customProperties"][0]["value"]["checks"] = contracts._overrides(chance, plan, kinds)
        if plan := contracts.compiled(document):
            by_name = {node.written["name"]: node for node in roots}
            return Nested(Contract(document, plan, _cells(plan, by_name)), by_name)


def _cells(plan: Plan, roots: Mapping[str, Node]) -> dict[str, tuple[str, ...]]:
    names = {p.route: p.name for p in plan.properties}
    return {names[route]: leaf.cells for name, node in roots.items() for route, leaf in node.leaves((name,))}


def _grown(chance: Random, columns: Sequence[Column]) -> list[Node]:
    """Columns in objects, arrays and maps of their own."""
    nodes = []
    left = list(columns)
    while left:
        taken, left = left[: (size := chance.randint(1, 3))], left[size:]
        nodes.append(_held(chance, f"n{len(left)}", taken))
    return nodes


def _held(chance: Random, name: str, columns: Sequence[Column], depth: int = 0) -> Node:
    kind = chance.choice(("object", "array", "array of objects", "map")) if len(columns) == 1 else "object"
    if kind == "object" and depth == 0 and chance.random() < 0.4:
        kind = "array of objects"
    required = {"required": True} if chance.random() < 0.2 else {}
    written: Document = {"name": name, "logicalType": kind.split()[0], **required}
    if kind == "object":
        return _object(chance, written, columns, depth)
    if kind == "array of objects":
        inner = _repeated(_object(chance, {"logicalType": "object"}, columns, depth + 1))
        _sized(chance, written, inner)
        return Node(written | {"items": inner.written}, inner=(("[]", inner),))
    leaf = _repeated(Node(_nameless(columns[0].written), columns[0].cells))
    if kind == "map":
        return Node(written | {"map": {"key": {"logicalType": "string"}, "value": leaf.written}}, inner=(("*", leaf),))
    _sized(chance, written, leaf)
    return Node(written | {"items": leaf.written}, inner=(("[]", leaf),))


def _object(chance: Random, written: Document, columns: Sequence[Column], depth: int) -> Node:
    nodes = [Node(_inner(c.written), c.cells) for c in columns]
    if depth < 2 and len(nodes) > 1 and chance.random() < 0.5:
        nodes[-1] = _held(chance, "deep", columns[-1:], depth + 1)
    if chance.random() < 0.3:
        written["logicalTypeOptions"] = {
            chance.choice(("minProperties", "maxProperties")): chance.randint(1, len(nodes))
        }
    inner = tuple((f".{node.written['name']}", node) for node in nodes)
    return Node(written | {"properties": [node.written for node in nodes]}, inner=inner)


def _sized(chance: Random, written: Document, inner: Node) -> None:
    options: Document = {k: n for k, n in (("minItems", 1), ("maxItems", 2)) if chance.random() < 0.3}
    if inner.type in ("string", "boolean") and chance.random() < 0.3:
        options["uniqueItems"] = True
    if options:
        written["logicalTypeOptions"] = options


def _inner(written: Document) -> Document:
    """A property as it may stand within an object."""
    return {k: v for k, v in written.items() if not k.startswith("primaryKey")}


def _nameless(written: Document) -> Document:
    return {k: v for k, v in _inner(written).items() if k not in ("name", "physicalName")}


def _repeated(node: Node) -> Node:
    """A property, and what is in it, as they may stand within an array or a map."""
    written = {k: v for k, v in node.written.items() if k not in ("unique", "quality")}
    entries = [e for e in node.written.get("quality", ()) if _metric(e) not in OF_ALL]
    inner = tuple((step, _repeated(one)) for step, one in node.inner)
    if "properties" in written:
        written["properties"] = [one.written for _, one in inner]
    elif "items" in written:
        written["items"] = inner[0][1].written
    elif "map" in written:
        written["map"] = written["map"] | {"value": inner[0][1].written}
    return Node(written | ({"quality": entries} if entries else {}), node.cells, inner)


def _metric(entry: Document) -> str:
    return str(entry.get("metric") or entry["implementation"]["metric"])


# ---- records


def lines(chance: Random, nested: Nested, pools: Mapping[str, Pools], *, typed: bool) -> list[str]:
    """Records as JSON, some with bad cells; `typed`: such as a table can hold, each value of its type."""
    writer = Writer(chance, nested.contract.plan, pools, chance.choice(files.SHARES), typed)
    return [writer.record(nested.roots) for _ in range(chance.choice((1, 2, 5, 12, 30)))]


class Writer:
    """A writer of the records of a file."""

    def __init__(self, chance: Random, plan: Plan, pools: Mapping[str, Pools], share: float, typed: bool) -> None:
        self._chance, self._pools, self._share, self._typed = chance, pools, share, typed
        self._props = {p.route: p for p in plan.properties}

    def record(self, roots: Mapping[str, Node]) -> str:
        """A record as an object of JSON."""
        return self._object({name: ((name,), node) for name, node in roots.items()})

    def _object(self, members: Mapping[str, tuple[Route, Node]]) -> str:
        keys = {key: self._props[route].header_names or (key,) for key, (route, _) in members.items()}
        texts = {keys[key][0]: self._value(route, node) for key, (route, node) in members.items()}
        if not self._typed and self._chance.random() < SHARE / 4:
            texts["other"] = "[1]"
        here = {key: text for key, text in texts.items() if text != "null" or self._chance.random() < 0.5}
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {text}" for k, text in here.items()) + "}"

    def _value(self, route: Route, node: Node) -> str:
        if not node.inner:
            return self._leaf(self._props[route])
        if self._chance.random() < 0.1:
            return "null"
        if not self._typed and self._chance.random() < SHARE:
            return self._chance.choice(WRONG)
        if node.type == "object":
            return self._object({step[1:]: ((*route, step), one) for step, one in node.inner})
        ((step, one),) = node.inner
        several = [self._value((*route, step), one) for _ in range(self._chance.choice((0, 1, 1, 2, 3)))]
        if node.type == "array":
            return "[" + ", ".join(several) + "]"
        pairs = zip(KEYS, several, strict=False)
        return "{" + ", ".join(f"{json.dumps(key)}: {text}" for key, text in pairs) + "}"

    def _leaf(self, prop: Property) -> str:
        text = files._cell(self._chance, self._pools[prop.name], self._share)
        if text == "":
            return "null"
        if not self._typed:
            return files._token(self._chance, prop, text)
        return _typed(text, prop)


def _typed(text: str, prop: Property) -> str:
    """A cell as JSON from which Spark makes a value of the type; null where there is none."""
    value: Any = tables._value(text, prop)
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "null"
    if prop.type in ("integer", "number"):
        return text if files._is_json(text) else str(value)
    if prop.type == "timestamp":
        return _utc(value)
    return text.lower() if prop.type == "boolean" else json.dumps(text, ensure_ascii=False)


def _utc(moment: int) -> str:
    """Microseconds as a timestamp; null beyond the years that Spark reads."""
    try:
        shown = datetime(1970, 1, 1) + timedelta(microseconds=moment)  # noqa: DTZ001 (in UTC, as it says)
        return f'"{shown.isoformat(timespec="microseconds")}Z"'
    except OverflowError:
        return "null"
