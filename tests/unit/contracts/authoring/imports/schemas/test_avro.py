"""Avro imported: each row of its tables, unions and named types, parts without equivalent, unreadable schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.imports.schemas.avro import LOGICAL, PRIMITIVES
from tests.unit.contracts.authoring.imports.importing import codes, documents, notes, properties, refused

FORM = "avro"


def of(kind: Any, **more: Any) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": [{"name": "x", "type": kind, **more}]})


def made(kind: Any, **more: Any) -> dict[str, Any]:
    (prop,) = properties(FORM, of(kind, **more))
    return prop


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_primitive_makes_a_property(kind: str) -> None:
    assert made(kind) == {"name": "x", **PRIMITIVES[kind], "required": True}
    assert made({"type": kind}) == made(kind)
    assert refused(FORM, of(kind)) == []


@pytest.mark.parametrize("logical", LOGICAL)
def test_logical_type_makes_a_property(logical: str) -> None:
    bases, expected = LOGICAL[logical]
    kind = {"type": bases[0], "logicalType": logical}
    assert made(kind) == {"name": "x", **expected, "required": True}
    assert refused(FORM, of(kind)) == notes(FORM, of(kind)) == []


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "null and a type": (["null", "string"], {"logicalType": "string"}),
    "a type in a type": ({"type": {"type": "string"}}, {"logicalType": "string", "required": True}),
    "decimal": ({"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
                {"logicalType": "number", "physicalType": "decimal(10,2)", "required": True}),
    "enum": ({"type": "enum", "name": "E", "symbols": ["A", "NO"]},
             {"logicalType": "string", "enum": [{"value": "A"}, {"value": "NO"}], "required": True}),
    "list": ({"type": "array", "items": "long"},
             {"logicalType": "array", "items": {"logicalType": "integer", "required": True}, "required": True}),
    "map": (["null", {"type": "map", "values": "string"}],
            {"logicalType": "map",
             "map": {"key": {"logicalType": "string"}, "value": {"logicalType": "string", "required": True}}}),
    "record": ({"type": "record", "name": "R", "doc": "An r.", "fields": [{"name": "a", "type": "string"}]},
               {"logicalType": "object", "description": "An r.", "required": True,
                "properties": [{"name": "a", "logicalType": "string", "required": True}]}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_type_makes_a_property(case: str) -> None:
    kind, expected = CASES[case]
    assert made(kind) == {"name": "x", **expected}
    assert notes(FORM, of(kind)) == []


def test_named_types_are_used_again() -> None:
    text = json.dumps({
        "type": "record", "name": "Order", "namespace": "com.shop", "doc": "An order.",
        "fields": [
            {"name": "a", "type": {"type": "enum", "name": "Kind", "symbols": ["A"]}},
            {"name": "b", "type": ["null", "Kind"], "doc": "Again."},
            {"name": "c", "type": "com.shop.Kind"},
        ],
    })  # fmt: skip
    (document,) = documents(FORM, text)
    assert (document["id"], document["schema"][0]["name"]) == ("com.shop.Order", "Order")
    assert document["schema"][0]["description"] == "An order."
    kind = {"logicalType": "string", "enum": [{"value": "A"}]}
    assert document["schema"][0]["properties"] == [
        {"name": "a", **kind, "required": True},
        {"name": "b", **kind, "description": "Again."},
        {"name": "c", **kind, "required": True},
    ]


def test_each_outermost_record_is_a_contract() -> None:
    text = json.dumps(
        [json.loads(of("string")), {"type": "record", "name": "B", "fields": [{"name": "y", "type": "Order"}]}]
    )
    assert [d["id"] for d in documents(FORM, text)] == ["Order", "B"]


LOST = {
    "several types": (of(["string", "long"]), "A union of several types (string, long) has no equivalent."),
    "default": (of("string", default="a"), "`default` of `x` has no equivalent."),
    "order": (of("string", order="ignore"), "`order` of `x` has no equivalent."),
    "logical type unknown": (
        of({"type": "string", "logicalType": "geo"}), "`logicalType: geo` of a string has no equivalent."
    ),
    "logical type on another": (
        of({"type": "string", "logicalType": "date"}), "`logicalType: date` of a string has no equivalent."
    ),
    "fixed": (of({"type": "fixed", "name": "F", "size": 4}), "That a fixed has 4 bytes has no equivalent."),
    "aliases": (
        of({"type": "record", "name": "R", "aliases": ["S"], "fields": []}), "`aliases` of a record has no equivalent."
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LOST)
def test_what_has_no_equivalent_is_named(case: str) -> None:
    text, message = LOST[case]
    assert notes(FORM, text) == [message]


BAD = {
    "circle": (
        '{"type": "record", "name": "N", "fields": [{"name": "next", "type":\n["null", "N"]}]}',
        ("cyclic-reference", 2),
    ),
    "type misspelt": (of("strnig"), ("unknown-type", 1)),
    "no type": ('{"type": "record", "name": "N", "fields": [\n{"name": "a"}]}', ("missing-key", 2)),
    "no name": ('{"type": "record", "fields": []}', ("missing-key", 1)),
    "no fields": ('{"type": "record", "name": "N"}', ("bad-value", 1)),
    "no symbols": (of({"type": "enum", "name": "E"}), ("bad-value", 1)),
    "no items": (of({"type": "array"}), ("bad-value", 1)),
    "decimal without precision": (of({"type": "bytes", "logicalType": "decimal"}), ("bad-value", 1)),
    "a number for a type": (of(3), ("bad-value", 1)),
}


@pytest.mark.parametrize("case", BAD)
def test_schema_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, expected = BAD[case]
    assert codes(FORM, text) == [expected]


def test_types_without_end_are_a_finding() -> None:
    fields: list[Any] = [{"name": "a0", "type": {"type": "record", "name": "R0", "fields": []}}]
    for n in range(1, 30):
        inner = [{"name": side, "type": f"R{n - 1}"} for side in "lr"]
        fields.append({"name": f"a{n}", "type": {"type": "record", "name": f"R{n}", "fields": inner}})
    text = json.dumps({"type": "record", "name": "Order", "fields": fields})
    assert codes(FORM, text) == [("too-large", 1)]
