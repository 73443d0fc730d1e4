"""JSON Schema imported: each row of its table, parts without equivalent, and unreadable schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.imports.schemas.json_schema_shape import FORMATS, KEYWORDS
from tests.unit.contracts.authoring.imports.importing import codes, documents, imported, notes, properties, refused

FORM = "json-schema"


def of(schema: dict[str, Any], **more: Any) -> str:
    return json.dumps({"type": "object", "properties": {"x": schema}, **more})


def made(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    (prop,) = properties(FORM, of(schema, **more))
    return prop


VALUE = {
    "title": "X", "description": "An x.", "examples": [1], "deprecated": True, "pattern": "^a$", "uniqueItems": True,
    "multipleOf": 5,
}  # fmt: skip


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_keyword_keeps_its_value(keyword: str) -> None:
    row, value = KEYWORDS[keyword], VALUE.get(keyword, 3)
    kind = (row.of or ("string",))[0]
    inside: dict[str, Any] = {"type": kind, keyword: value}
    part_of_property: Any = made(inside)
    for part in row.place:
        part_of_property = part_of_property[part]
    assert part_of_property == value
    assert notes(FORM, of(inside)) == []


@pytest.mark.parametrize("keyword", [key for key, row in KEYWORDS.items() if row.of])
def test_keyword_of_another_type_is_named(keyword: str) -> None:
    inside = {"type": "boolean", keyword: VALUE.get(keyword, 3)}
    assert notes(FORM, of(inside)) == [f"`{keyword}` of `x` says nothing of a value of type boolean."]


@pytest.mark.parametrize("form", FORMATS)
def test_format_makes_type_and_options(form: str) -> None:
    kind, options = FORMATS[form]
    prop = made({"type": kind if kind in {"integer", "number"} else "string", "format": form})
    assert (prop["logicalType"], prop.get("logicalTypeOptions", {})) == (kind, options)
    assert refused(FORM, of({"format": form})) == []


TYPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "null among types": ({"type": ["string", "null"]}, {"logicalType": "string"}),
    "whole and other numbers": ({"type": ["integer", "number"]}, {"logicalType": "number"}),
    "null among alternatives": ({"anyOf": [{"type": "null"}, {"type": "string"}]},
                                {"logicalType": "string"}),
    "one value": ({"const": "a"}, {"logicalType": "string", "enum": [{"value": "a"}]}),
    "null among values": ({"enum": [1, 2, None, 1]}, {"logicalType": "integer", "enum": [{"value": 1}, {"value": 2}]}),
    "bound of draft 4": ({"type": "number", "minimum": 1, "exclusiveMinimum": True},
                         {"logicalType": "number", "logicalTypeOptions": {"exclusiveMinimum": 1}}),
    "count as a float": ({"type": "string", "minLength": 2.0},
                         {"logicalType": "string", "logicalTypeOptions": {"minLength": 2}}),
    "bounds without a type": ({"minimum": 1}, {"logicalType": "number", "logicalTypeOptions": {"minimum": 1}}),
    "map": ({"type": "object", "additionalProperties": {"type": "integer"}},
            {"logicalType": "map",
             "map": {"key": {"logicalType": "string"}, "value": {"logicalType": "integer", "required": True}}}),
    "list": ({"type": "array", "items": {"type": "string"}, "minItems": 1},
             {"logicalType": "array", "items": {"logicalType": "string", "required": True},
              "logicalTypeOptions": {"minItems": 1}}),
    "object": ({"properties": {"a": {"type": "string"}}, "required": ["a"]},
               {"logicalType": "object",
                "properties": [{"name": "a", "logicalType": "string", "required": True}]}),
    "required as of draft 3": ({"type": "string", "required": True}, {"logicalType": "string", "required": True}),
    "anything": (True, {}),  # type: ignore[dict-item]
}  # fmt: skip


@pytest.mark.parametrize("case", TYPES)
def test_schema_makes_a_property(case: str) -> None:
    schema, expected = TYPES[case]
    assert made(schema) == {"name": "x", **expected}
    assert notes(FORM, of(schema)) == []


def test_required_is_what_is_not_null() -> None:
    assert made({"type": "string"}, required=["x"])["required"] is True
    text = of({"type": ["string", "null"]}, required=["x"])
    assert "required" not in properties(FORM, text)[0]
    assert notes(FORM, text) == ["`x` must be there and may be null; in ODCS `required` also forbids null."]


def test_references_and_all_of_are_put_in() -> None:
    prop = made(
        {"allOf": [{"$ref": "#/$defs/code"}, {"maxLength": 3}], "description": "Ours."},
        **{"$defs": {"code": {"$ref": "#/definitions/a~1b"}}, "definitions": {"a/b": {"type": "string"}}},
    )
    assert prop == {
        "name": "x",
        "description": "Ours.",
        "logicalType": "string",
        "logicalTypeOptions": {"maxLength": 3},
    }


def test_one_definition_may_be_used_twice() -> None:
    a = {"$ref": "#/$defs/a"}
    both = {"properties": {"left": a, "right": {"allOf": [a, a]}}}
    text = of({"$ref": "#/$defs/both"}, **{"$defs": {"a": {"type": "string"}, "both": both}})
    assert codes(FORM, text) == []


def test_base_of_a_schema_may_be_used_in_it() -> None:
    base = {"properties": {"name": {"type": "string"}}}
    text = of({"$ref": "#/$defs/base"}, **{"allOf": [{"$ref": "#/$defs/base"}], "$defs": {"base": base}})
    assert [p["name"] for p in properties(FORM, text)] == ["x", "name"]


def test_head_comes_from_title_and_id() -> None:
    (document,) = documents(FORM, of({}, title="Shop orders", **{"$id": "https://example.org/o"}), "o.schema.json")
    assert (document["id"], document["name"], document["schema"][0]["name"]) == (
        "Shop-orders",
        "Shop orders",
        "Shop orders",
    )
    assert document["authoritativeDefinitions"] == [{"url": "https://example.org/o", "type": "canonicalUrl"}]
    (document,) = documents(FORM, of({}), "folder/o.schema.json")
    assert document["id"] == "o"


def test_further_keys_are_ignored_unless_forbidden() -> None:
    assert "columns: {extra: ignore}" in imported(FORM, of({})).contracts[0].text
    assert "extra" not in imported(FORM, of({}, additionalProperties=False)).contracts[0].text


LOST = {
    "several types": ({"type": ["string", "integer"]}, "Several types (string, integer) have no equivalent."),
    "alternatives": ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "`oneOf` of `x` has no equivalent."),
    "condition": ({"type": "string", "if": {"minLength": 1}}, "`if` of `x` has no equivalent."),
    "default": ({"type": "string", "default": "a"}, "`default` of `x` has no equivalent."),
    "format": ({"type": "string", "format": "duration"}, "`format: duration` has no equivalent."),
    "always null": ({"type": "null"}, "A value that is always null has no equivalent."),
    "items by place": ({"type": "array", "items": [{}]}, "Items that differ by their place have no equivalent."),
    "values of two kinds": ({"enum": ["a", [1]]}, "Lists and mappings among the allowed values have no equivalent."),
    "items of a text": ({"type": "string", "items": {"type": "string"}},
                        "`items` has no equivalent for type string."),
    "no items at all": ({"type": "array", "items": False}, "`items` has no equivalent for type array."),
    "properties of a text": ({"type": "string", "properties": {"a": {}}},
                             "`properties` say nothing of a value of type string."),
    "a closed object": ({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
                        "What further keys of a nested object may be has no equivalent."),
    "nothing allowed": (False, "The schema `false` allows no value; that has no equivalent."),
    "said twice": ({"type": "string", "maxLength": 1, "allOf": [{"maxLength": 2}]},
                   "`maxLength` is said twice; `1` is kept."),
}  # fmt: skip


@pytest.mark.parametrize("case", LOST)
def test_what_has_no_equivalent_is_named(case: str) -> None:
    schema, message = LOST[case]
    assert notes(FORM, of(schema)) == [message]  # type: ignore[arg-type]


CIRCLE_OF_TWO = """\
{"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {
"a": {"properties": {"b": {"$ref": "#/$defs/b"}}},
"b": {"properties": {"a": {"$ref": "#/$defs/a"}}}}}
"""
TWICE = {f"a{n}": {"properties": {side: {"$ref": f"#/$defs/a{n + 1}"} for side in "lr"}} for n in range(30)}
BAD: dict[str, tuple[str, tuple[str, int]]] = {
    "circle": ('{"properties": {"x":\n {"$ref": "#"}}}', ("cyclic-reference", 2)),
    "circle of two": (CIRCLE_OF_TWO, ("cyclic-reference", 3)),
    "circle of alternatives": (
        '{"properties": {"x":\n{"anyOf": [{"$ref": "#/properties/x"}]}}}',
        ("cyclic-reference", 2),
    ),
    "reference elsewhere": ('{"properties": {"x":\n {"$ref": "other.json#/a"}}}', ("unknown-reference", 2)),
    "reference to no schema": ('{"properties": {"x":\n {"$ref": "#/title"}}, "title": "a"}', ("unknown-reference", 2)),
    "type misspelt": ('{"properties": {"x":\n {"type": "strnig"}}}', ("bad-value", 2)),
    "length of text": ('{"properties": {"x":\n {"minLength": "1"}}}', ("bad-value", 2)),
    "required of a number": ('{"properties": {},\n "required": 3}', ("wrong-type", 2)),
    "no properties": ('{"properties": {}}', ("nothing-there", 1)),
    "references without end": (
        of({"$ref": "#/$defs/a0"}, **{"$defs": {f"a{n}": {"$ref": f"#/$defs/a{n + 1}"} for n in range(2000)}}),
        ("too-large", 1),
    ),
    "properties without end": (of({"$ref": "#/$defs/a0"}, **{"$defs": {**TWICE, "a30": {}}}), ("too-large", 1)),
}


@pytest.mark.parametrize("case", BAD)
def test_schema_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, expected = BAD[case]
    assert codes(FORM, text) == [expected]


def test_json_may_have_tabs_and_pairs_of_escapes() -> None:
    text = '{\n\t"properties": {\n\t\t"x": {"type": "string", "description": "\\ud83d\\ude00 \\\\ud83d\\\\ude00"}}}'
    assert properties(FORM, text)[0]["description"] == "😀 \\ud83d\\ude00"


@pytest.mark.parametrize("word", ["items", "not", "additionalProperties"])
def test_deepest_document_is_read(word: str) -> None:
    inner: dict[str, Any] = {"type": "array"}
    for _ in range(46):
        inner = {"type": "object" if word == "additionalProperties" else "array", word: inner}
    assert codes(FORM, of(inner)) in ([], [("too-large", 1)])


def test_list_of_objects_is_its_objects() -> None:
    text = json.dumps({"type": "array", "items": {"properties": {"x": {"type": "string"}}}})
    assert properties(FORM, text) == [{"name": "x", "logicalType": "string"}]
    assert len(notes(FORM, text)) == 1
