"""A plan of JSON Lines and the keys of its objects in, the tests in Arrow that a line surely passes or fails out.

A value has the JSON type of its property, or is null; texts have no escapes, and keys come in the order of the file's
first object. Spark judges other lines, and all lines of contracts with nested values or with forms of values.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from contracts import rules
from contracts.files.columns import OURS, positions
from contracts.files.encodings import UTF_8
from contracts.plan import CONTAINERS, Plan, Property
from spark_jobs.counting import bitmask, sums
from spark_jobs.prefilter import json_objects, value_tests
from spark_jobs.prefilter.arrow_tests import PassCondition, Reading, TestedColumn
from spark_jobs.prefilter.plain_objects import Member, PlainObject
from spark_jobs.prefilter.value_tests import Untestable, keys_of, null_counted

TEXT = value_tests.characters('"', "\\", *map(chr, range(1, 32)))
LAST = (
    value_tests.characters('"', "\\", ",", *map(chr, range(1, 32))),
    value_tests.characters('"', "\\", " ", *map(chr, range(1, 32))),
)
WHOLE = rf"-?(?:0|[1-9][0-9]{{0,{value_tests.DIGITS - 1}}})"
NUMBER = rf"{WHOLE}(?:\.[0-9]{{1,{value_tests.DIGITS}}})?(?:[eE][-+]?[0-9]{{1,2}})?"
"""A number that no double is infinite for."""
SCALAR = f'"{TEXT}*"|{NUMBER}|true|false|null'


def object_condition(plan: Plan, header: tuple[str, ...]) -> PassCondition:
    """Return the condition for lines with some names to pass; raise `Untestable` or ValueError if there is none."""
    props = {p.name: p for p in plan.properties}
    if plan.csv.encoding != UTF_8 or not props.keys() <= set(header):
        raise Untestable
    if any(p.path or p.form or p.type in CONTAINERS for p in plan.properties):
        raise Untestable
    tests = [c for c in plan.row_checks() if c.scope == "row" and not isinstance(c.rule, rules.KnownKeys)]
    if any(c.property is None or c.filter for c in tests):  # the pattern has all keys that may be there
        raise Untestable
    at, keys = positions(header), keys_of(plan, header)
    checks = {name: [(n, c) for n, c in enumerate(plan.row_checks()) if c.property == name] for name in props}
    tested = [
        _read(value_tests.column_of(prop, at[name], checks[name], key=name in keys.values()), prop)
        for name, prop in props.items()
    ]
    counted = [at[name] for name in null_counted(plan)]
    kinds = {column.at: column.type for column in tested}
    ascending = [(n, at[name]) for n, name in keys.items() if kinds[at[name]] == value_tests.value_type(props[name])]
    needed = {*counted, *dict(ascending).values()}
    there = [(n, name) for n, name in enumerate(header) if name in {*props, *OURS} or plan.columns.extra == "ignore"]
    shapes = [(props[n].key, f"{_shape(props[n])}|null") if n in props else (n, SCALAR) for _, n in there]
    condition = PassCondition(
        pattern=json_objects.shape(shapes),
        delimiter=",",
        quote='"',
        width=len(header),
        nulls=(),
        header_texts=(),
        tested=tuple(c for c in tested if c.at in needed or c.tests),
        counted=tuple(counted),
        keys=tuple(ascending),
        mask_columns=len(bitmask.mask_columns(plan)),
        letters=tuple(sums.letters_tests(plan)),
        names=tuple(props[name].key if name in props else name for name in header),
        plain=PlainObject(tuple(_member(n, props.get(name), name) for n, name in there), TEXT, LAST, NUMBER),
    )
    for pattern in (condition.pattern, *value_tests.patterns_of(tested)):
        pc.match_substring_regex(pa.array([""]), pattern)
    return condition


def _member(at: int, prop: Property | None, name: str) -> Member:
    """Return the member of plain objects at a place: a property, or any other."""
    if prop is None:
        return Member(at, json_objects.written(name), "any")
    key, shape = json_objects.written(prop.key), rf"\A(?:{_shape(prop)})\z"
    match prop.type:
        case "string" | "boolean":
            return Member(at, key, "text" if prop.type == "string" else "boolean")
        case "integer" | "number" if not prop.exact:
            return Member(at, key, "integer" if prop.type == "integer" else "number", shape)
    return Member(at, key, "shape", shape)


def _shape(prop: Property) -> str:
    """Return the pattern of a JSON value that is surely of the type of a property."""
    whole, after = value_tests.digits(prop)
    match prop.type:
        case "integer" | "number" if prop.exact and whole:
            return rf"-?(?:0|[1-9][0-9]{{0,{whole - 1}}}){after}"
        case "integer" | "number" if prop.exact:
            raise Untestable
        case "integer":
            return WHOLE
        case "number":
            return NUMBER
        case "boolean":
            return "true|false"
        case "string":
            return f'"{TEXT}*"'
    return f'"(?:{value_tests.typed(prop)})"'


def _read(column: TestedColumn, prop: Property) -> TestedColumn:
    """Return a column with the type that Arrow's parser knows for its JSON values; days are read from texts."""
    if prop.type in ("integer", "number", "boolean"):
        if any(test.kind == "outside" for test in column.tests):  # a test of texts
            raise Untestable
        return replace(column, type=value_tests.value_type(prop) if prop.exact else value_tests.VALUES[prop.type])
    return column if column.type == pa.string() else replace(column, reading=Reading())
