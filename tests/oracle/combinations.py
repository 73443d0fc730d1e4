"""Every check kind with every logical type, option and place: parts of contracts out, each with likely cells.

A combination is a property of its own (and maybe an entry about records). Lint refuses it alone, or a file is judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from random import Random
from typing import Any

from contracts.authoring.compiler.compile import compile_text
from contracts.plan import Plan
from tests.oracle import files, trees
from tests.oracle.contracts import DATED, OF_FORMAT, Contract, Document, a_document
from tests.oracle.trees import Nested, Node

FORMATS: dict[str, Document] = {
    "csv": {"format": "csv"},
    "jsonl": {"format": "jsonl"},
    "parquet": {"format": "parquet"},
}
TEXTS = ("a", "ab", "abc", "A-1", "", " ", "é", "7", "ababab")
INTEGERS = ("0", "1", "-1", "7", "127", "128", "007", "x", "1.5", "9223372036854775807")
NUMBERS = ("0", "1.5", "-2.25", "100", "1e2", "0.07", "x", "99999999.99")
DAYS = ("2024-01-31", "2024-02-29", "2023-02-29", "1999-12-31", "x")
MOMENTS = ("2024-01-31T10:00:00", "2024-01-31T10:00:00Z", "2024-07-01T00:00:00+02:00", "2024-03-31T02:30:00", "x")
TIMES = ("10:00", "10:00:00", "23:59:59.5", "24:00", "x")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
PLACES = ("record", "object", "array", "array of objects", "map", "key")
DEEP: dict[str, tuple[str, ...]] = {
    "array of arrays": ("[]", "[]"),
    "array of maps": ("[]", "*"),
    "map of arrays": ("*", "[]"),
    "map of maps": ("*", "*"),
    "map of objects": ("*", ".v"),
    "object of arrays": (".v", "[]"),
    "object of maps": (".v", "*"),
    "object of objects": (".v", ".v"),
    "array of objects with arrays of objects": ("[]", ".v", "[]", ".v"),
    "map of arrays of objects": ("*", "[]", ".v"),
}
"""Places within places, by the steps that lead there."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type with one option: how it is written, likely cells, a good value as it stands in a contract."""

    name: str
    written: Document
    cells: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Combination:
    """A property at a place, entries about records, and what it is called."""

    name: str
    node: Node
    entries: tuple[Document, ...] = ()
    checks: Document = field(default_factory=dict)


def _kind(name: str, logical: str, cells: Sequence[str], value: Any, **more: Any) -> Kind:
    physical = {"physicalType": more.pop("physical")} if "physical" in more else {}
    options = {"logicalTypeOptions": more} if more else {}
    return Kind(name, {"logicalType": logical, **physical, **options}, tuple(cells), value)


BASES = (
    _kind("string", "string", TEXTS, "ab"),
    _kind("integer", "integer", INTEGERS, 7),
    _kind("long integer", "integer", (*INTEGERS, "9" * 30), 7, physical="decimal(30,0)"),
    _kind("number", "number", NUMBERS, 1.5),
    _kind("exact number", "number", (*NUMBERS, "1.125"), 1.5, physical="decimal(10,2)"),
    _kind("boolean", "boolean", ("true", "false", "TRUE", "x"), True),
    _kind("date", "date", DAYS, "2024-01-31"),
    _kind("written date", "date", ("31.01.2024", "30.02.2024", "x"), "31.01.2024", format="dd.MM.yyyy"),
    _kind("timestamp", "timestamp", MOMENTS, "2024-01-31T10:00:00Z"),
    _kind("time", "time", TIMES, "10:00"),
)
"""Types as they are crossed with every check."""


def options() -> Iterator[Kind]:
    """Types with each of their options."""
    for key, value in {"minLength": 2, "maxLength": 2}.items():
        yield _kind(f"string {key}", "string", TEXTS, "ab", **{key: value})
    for pattern in ("^[a-z]+$", "b", "^(ab)+$", "^.*-.*$", r"\S", "^a*b*$"):
        yield _kind(f"string {pattern}", "string", TEXTS, "ab", pattern=pattern)
    for name in (*OF_FORMAT, "binary", "password"):
        yield _kind(f"string {name}", "string", OF_FORMAT.get(name, TEXTS), OF_FORMAT.get(name, TEXTS)[0], format=name)
    for key in (*BOUNDS, "multipleOf"):
        for physical in ({}, {"physical": "decimal(12,0)"}):
            yield _kind(f"integer {key} {physical}", "integer", INTEGERS, 7, **{key: 7}, **physical)
        for physical in ({}, {"physical": "decimal(12,3)"}):
            yield _kind(f"number {key} {physical}", "number", NUMBERS, 1.5, **{key: 1.5}, **physical)
    for name in (f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64, 128)):
        for physical in ({}, {"physical": "decimal(38,0)"}):
            yield _kind(f"integer {name} {physical}", "integer", INTEGERS, 7, format=name, **physical)
    for name in ("f32", "f64"):
        yield _kind(f"number {name}", "number", (*NUMBERS, "1e39"), 1.5, format=name)
        yield _kind(f"exact number {name}", "number", NUMBERS, 1.5, format=name, physical="decimal(38,18)")
    yield from _dated()


def _dated() -> Iterator[Kind]:
    for key in BOUNDS:
        yield _kind(f"date {key}", "date", DAYS, "2024-01-31", **{key: "2024-01-31"})
        yield _kind(f"time {key}", "time", TIMES, "10:00", **{key: "10:00:00"})
        yield _kind(f"timestamp {key}", "timestamp", MOMENTS, "2024-01-31T10:00:00Z", **{key: "2024-01-31T10:00:00Z"})
    for form, cell in {"yyyyMMdd": "20240131", "MM/dd/yyyy": "01/31/2024"}.items():
        yield _kind(f"date {form}", "date", (cell, "x", "2024-13-01"), cell, format=form)
        yield _kind(f"date {form} minimum", "date", (cell, "x"), cell, format=form, minimum=cell)
    for form, cell in {"yyyy-MM-dd HH:mm": "2024-01-31 10:00", "yyyyMMdd'T'HHmmssX": "20240131T100000Z"}.items():
        yield _kind(f"timestamp {form}", "timestamp", (cell, "x"), cell, format=form)
    for zone in ({"timezone": True}, {"timezone": False}, {"timezone": False, "defaultTimezone": "Europe/Berlin"}):
        yield _kind(f"timestamp {zone}", "timestamp", MOMENTS, MOMENTS[1 if zone["timezone"] is True else 0], **zone)
    yield _kind("timestamp zone", "timestamp", MOMENTS, MOMENTS[0], defaultTimezone="America/Sao_Paulo")
    for form, cell in {"HH'h'mm": "10h00", "HHmmss": "100000"}.items():
        yield _kind(f"time {form}", "time", (cell, "x"), cell, format=form)


# ---- checks


@dataclass(frozen=True, slots=True)
class Rule:
    """A check: keys of the property, its entries, and entries about records that name it as `@`."""

    name: str
    keys: Document = field(default_factory=dict)
    quality: tuple[Document, ...] = ()
    entries: tuple[Document, ...] = ()


OPERATORS: tuple[Document, ...] = ({"mustBe": 0}, {"mustBeLessThan": 3}, {"mustBeLessThan": 60, "unit": "percent"})
FILTER = {"filter": "@ is not null"}


def rules(kind: Kind) -> Iterator[Rule]:
    """Every check that a property may have."""
    for key in ("required", "unique", "primaryKey", "deprecated"):
        yield Rule(key, {key: True})
    yield Rule("enum", {"enum": [{"value": kind.value}]})
    yield Rule("classified", {"classification": "confidential"}, ({"metric": "nullValues", "mustBe": 0},))
    for operator in OPERATORS:
        for metric, arguments in _arguments(kind).items():
            for more in ({}, FILTER):
                given = {"arguments": {**arguments, **more}} if arguments or more else {}
                name = f"{metric} {operator} {more}"
                yield Rule(name, {}, ({"metric": metric, **given, **operator},))
        for more in ({}, FILTER):
            yield Rule(f"notBlank {operator} {more}", {}, (_ours(metric="notBlank", **operator, **more),))
            regex = _ours(metric="regex", pattern="^(ab)+$", **operator, **more)
            yield Rule(f"regex {operator} {more}", {}, (regex,))
    for more in ({}, FILTER):
        for metric in ("mean", "stdev", "min", "max", "sum"):
            for value in (kind.value, 5):
                yield Rule(f"{metric} {value} {more}", {}, (_ours(metric=metric, mustBeLessThan=value, **more),))
        quantile = _ours(metric="quantile", quantile=0.5, mustBeLessThan=kind.value, **more)
        yield Rule(f"quantile {more}", {}, (quantile,))
    shown = {"metric": "nullValues", "mustBe": 0, "arguments": {"referenceColumns": ["@"]}}
    yield Rule("shown", {}, (shown,))
    yield from _of_records()


def _arguments(kind: Kind) -> dict[str, Document]:
    return {
        "nullValues": {},
        "duplicateValues": {},
        "rowCount": {},
        "missingValues": {"missingValues": ["x", None]},
        "invalidValues": {"validValues": [kind.value], "pattern": "^a"}
        if kind.written["logicalType"] == "string"
        else {"validValues": [kind.value]},
    }


def _of_records() -> Iterator[Rule]:
    for operator in OPERATORS:
        for more in ({}, FILTER):
            arguments = {"arguments": {"properties": ["@name", "line"], **more}}
            yield Rule(
                f"duplicates {operator} {more}", entries=({"metric": "duplicateValues", **arguments, **operator},)
            )
            alone = {"metric": "duplicateValues", "arguments": {"properties": ["@name"], **more}, **operator}
            yield Rule(f"duplicates alone {operator} {more}", entries=(alone,))
        expression = _ours(metric="expression", expression="@ is not null", **operator)
        yield Rule(f"expression {operator}", entries=(expression,))


def _ours(**implementation: Any) -> Document:
    return {"type": "custom", "engine": "dropgate", "implementation": implementation}


CONTAINED = (
    ("object", {"properties": [{"name": "v", "logicalType": "string"}]}),
    ("array", {"items": {"logicalType": "string"}}),
    ("map", {"map": {"key": {"logicalType": "string"}, "value": {"logicalType": "string"}}}),
)
SIZES = {
    "object": {"minProperties": 1, "maxProperties": 1},
    "array": {"minItems": 1, "maxItems": 1, "uniqueItems": True},
    "map": {},
}


# ---- combinations


def every(form: str, places: Sequence[str] = PLACES) -> Iterator[Combination]:
    """All combinations of a format."""
    for place in places if form != "csv" else PLACES[:1]:
        crossed = ((kind, rule) for kind in BASES for rule in rules(kind))
        plain = ((kind, Rule("")) for kind in options())
        required = ((kind, Rule("required", {"required": True})) for kind in options())
        for kind, rule in chain(crossed, plain, required):
            if form == "parquet" and is_text(kind):
                continue
            leaf = Node({**kind.written, **rule.keys, **_quality(rule)}, kind.cells)
            yield placed(place, f"{place}: {kind.name} {rule.name}", leaf, rule)
        for logical, inner in CONTAINED:
            for name, sized in [("", {}), *((k, {"logicalTypeOptions": {k: v}}) for k, v in SIZES[logical].items())]:
                for rule in rules(Kind(logical, {"logicalType": logical}, (), "x")):
                    written = {"logicalType": logical, **inner, **sized, **rule.keys, **_quality(rule)}
                    step = {"object": ".v", "array": "[]", "map": "*"}[logical]
                    value = Node({"name": "v", "logicalType": "string"}, TEXTS)
                    yield placed(
                        place, f"{place}: {logical} {name} {rule.name}", Node(written, (), ((step, value),)), rule
                    )
    yield from prefixes(form)


def prefixes(form: str) -> Iterator[Combination]:
    """Combinations of allowed prefixes with every type, behind all others: what is drawn of these stays as it was."""
    for kind, operator, more in product(BASES, OPERATORS, ({}, FILTER)):
        if form != "parquet" or not is_text(kind):
            entry = _ours(metric="allowedPrefixes", prefixes=["a", "2"], **operator, **more)
            rule = Rule("allowedPrefixes", {}, (entry,))
            leaf = Node({**kind.written, **_quality(rule)}, kind.cells)
            yield placed(PLACES[0], f"{kind.name} allowedPrefixes {operator} {more}", leaf, rule)


def is_text(kind: Kind) -> bool:
    """Return whether values are texts where a table has dates."""
    return kind.written["logicalType"] in DATED and "format" in kind.written.get("logicalTypeOptions", {})


def _quality(rule: Rule) -> Document:
    return {"quality": list(rule.quality)} if rule.quality else {}


def placed(place: str, name: str, leaf: Node, rule: Rule) -> Combination:
    """Return a property that lies at a place; `@name` is its whole name, `@` that in backquotes, `#` the root's."""
    entries = tuple(rule.entries)
    if place in DEEP:
        return _deep(name, DEEP[place], leaf, entries)
    if place == "record":
        return Combination(
            name, _filled(Node({"name": "#", **leaf.written}, leaf.cells, leaf.inner), "#"), _named(entries, "#")
        )
    if place == "object":
        inner = Node({"name": "v", **leaf.written}, leaf.cells, leaf.inner)
        node = Node({"name": "#", "logicalType": "object", "properties": [inner.written]}, (), ((".v", inner),))
        return Combination(name, _filled(node, "#.v"), _named(entries, "#.v"))
    if place == "array":
        node = Node({"name": "#", "logicalType": "array", "items": leaf.written}, (), (("[]", leaf),))
        return Combination(name, _filled(node, "#[]"), _named(entries, "#[]"))
    if place == "array of objects":
        inner = Node({"name": "v", **leaf.written}, leaf.cells, leaf.inner)
        element = Node({"logicalType": "object", "properties": [inner.written]}, (), ((".v", inner),))
        node = Node({"name": "#", "logicalType": "array", "items": element.written}, (), (("[]", element),))
        return Combination(name, _filled(node, "#[].v"), _named(entries, "#[].v"))
    if place == "map":
        sides = {"key": {"logicalType": "string"}, "value": leaf.written}
        node = Node({"name": "#", "logicalType": "map", "map": sides}, (), (("*", leaf),))
        return Combination(name, _filled(node, "#.*"), _named(entries, "#.*"))
    sides = {"key": leaf.written, "value": {"logicalType": "string"}}
    node = Node({"name": "#", "logicalType": "map", "map": sides}, (), (("*", Node({"logicalType": "string"}, TEXTS)),))
    return Combination(name, _filled(node, "#.~"), _named(entries, "#.~"))


def _deep(name: str, steps: Sequence[str], leaf: Node, entries: tuple[Document, ...]) -> Combination:
    node = leaf
    for step in reversed(steps):
        written = {"name": "v", **node.written} if step == ".v" else node.written
        node = Node(_around(step, written), (), ((step, Node(written, node.cells, node.inner)),))
    whole = "#" + "".join("." + step if step == "*" else step for step in steps)
    return Combination(
        name, _filled(Node({"name": "#", **node.written}, (), node.inner), whole), _named(entries, whole)
    )


def _around(step: str, inner: Document) -> Document:
    """Return the type that holds another one."""
    if step == ".v":
        return {"logicalType": "object", "properties": [inner]}
    if step == "[]":
        return {"logicalType": "array", "items": inner}
    return {"logicalType": "map", "map": {"key": {"logicalType": "string"}, "value": inner}}


def _named(entries: Sequence[Document], name: str) -> tuple[Document, ...]:
    return tuple(json.loads(json.dumps(entry).replace("@name", name).replace("@", f"`{name}`")) for entry in entries)


def _filled(node: Node, name: str) -> Node:
    """A tree whose entries name the property."""
    text = json.dumps(node.written).replace('"@"', json.dumps(name)).replace("@ is", f"`{name}` is")
    return Node(json.loads(text), node.cells, node.inner)


def numbered(combination: Combination, number: int) -> Combination:
    """A combination whose root has a name of its own, and whose entries have ids."""
    name = f"p{number}"
    written = json.loads(json.dumps(combination.node.written).replace("#", name))
    entries = [json.loads(json.dumps(entry).replace("#", name)) for entry in combination.entries]
    for n, entry in enumerate(entries):
        entry["id"] = f"{name}-{n}"
    inner = tuple((step, node) for step, node in combination.node.inner)
    return replace(combination, node=Node(written, combination.node.cells, inner), entries=tuple(entries))


# ---- contracts


def compiled(form: str, combinations: Sequence[Combination], references: Document | None = None) -> Nested | None:
    """Return a contract of some combinations, with reference files; None if lint refuses it."""
    roots = {one.node.written["name"]: one.node for one in combinations}
    line = Node({"name": "line", "logicalType": "integer"}, ("1", "2", "3"))
    properties = [line.written, *(node.written for node in roots.values())]
    block = {"files": "maker/things/*", "producer": "maker", **FORMATS[form], "references": references or {}}
    block["checks"] = {name: wanted for one in combinations for name, wanted in one.checks.items()}
    entries = [entry for one in combinations for entry in one.entries]
    document = a_document(properties, block, [entry for entry in entries if "from" not in entry])
    document["schema"][0]["relationships"] = [entry for entry in entries if "from" in entry]
    plan = compile_text(json.dumps(document, ensure_ascii=False).encode(), "things.v1.yaml").plan
    if plan is None:
        return None
    everything = {"line": line, **roots}
    return Nested(Contract(document, plan, trees._cells(plan, everything)), everything)


def accepted(form: str, combinations: Sequence[Combination], references: Document | None = None) -> list[Combination]:
    """Return those that lint lets pass, each alone, with names of their own."""
    named = [numbered(one, n) for n, one in enumerate(combinations)]
    return [one for one in named if compiled(form, [one], references)]


def overridden(form: str, combinations: Sequence[Combination], overrides: Sequence[Document]) -> list[Combination]:
    """Return them with something that `drop.checks` says of each of their checks, as far as lint lets it pass."""
    overriding = []
    for n, one in enumerate(combinations):
        nested = compiled(form, [one])
        assert nested
        own = [c for c in nested.contract.plan.checks if c.scope != "record" and c.property != "line"]
        checks: Document = {}
        for m, check in enumerate(own):
            more = {**checks, check.id: overrides[(n + m) % len(overrides)]}
            checks = more if compiled(form, [replace(one, checks=more)]) else checks
        overriding.append(replace(one, checks=checks))
    return overriding


def lines(chance: Random, nested: Nested, *, typed: bool) -> list[str]:
    """Records as objects of JSON, bad cells among them."""
    writer = trees.Writer(chance, nested.contract.plan, files.pools(nested.contract), 0.2, typed)
    return [writer.record(nested.roots) for _ in range(14)]


def flat(chance: Random, nested: Nested) -> bytes:
    """The same as a file of CSV."""
    plan: Plan = nested.contract.plan
    header = tuple(p.name for p in plan.properties)
    made = files.rows(chance, header, files.pools(nested.contract), 14, 0.2)
    rows = [",".join(header), *files._csv(chance, plan, made)]
    return "".join(f"{row}\n" for row in rows).encode()
