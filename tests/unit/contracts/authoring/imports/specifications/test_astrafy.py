"""Schemas of Astrafy imported: nested and repeated fields, the path that names them, types without equivalent."""

from __future__ import annotations

import pytest

from tests.unit.contracts.authoring.imports.importing import codes, documents, imported, notes, properties

FORM = "astrafy"
SCHEMA = """\
fields:
  - name: id
    type: STRING
    description: An id.
  - name: tags
    type: string
    repeated: "yes"
  - name: address
    type:
      fields:
        - name: city
          type: STRING
        - name: lines
          repeated: "yes"
          type:
            fields:
              - {name: nr, type: INT64, repeated: "no"}
"""


def test_fields_make_properties_nested_and_repeated() -> None:
    string, integer = {"logicalType": "string"}, {"logicalType": "integer"}
    assert properties(FORM, SCHEMA) == [
        {"name": "id", "description": "An id.", **string},
        {"name": "tags", "logicalType": "array", "items": string},
        {
            "name": "address",
            "logicalType": "object",
            "properties": [
                {"name": "city", **string},
                {
                    "name": "lines",
                    "logicalType": "array",
                    "items": {"logicalType": "object", "properties": [{"name": "nr", **integer}]},
                },
            ],
        },
    ]
    assert notes(FORM, SCHEMA) == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("contracts/1.2.0/shop/orders.yaml", ("shop-orders", "1.2.0")),
        ("v2/shop/orders.yaml", ("shop-orders", "v2")),
        ("shop/orders.yaml", ("orders", "1.0.0")),
        ("/latest/shop/orders.yaml", ("orders", "1.0.0")),
        ("orders.yaml", ("orders", "1.0.0")),
    ],
)
def test_path_tells_data_product_and_version(file: str, expected: tuple[str, str]) -> None:
    (document,) = documents(FORM, SCHEMA, file)
    assert (document["id"], document["version"]) == expected


def test_more_columns_are_let_through() -> None:
    assert "columns: {extra: ignore}" in imported(FORM, SCHEMA).contracts[0].text


def test_bare_yes_is_a_list_with_a_warning() -> None:
    text = "fields: [{name: x, type: DATE, repeated: yes}]"
    assert properties(FORM, text)[0]["logicalType"] == "array"
    assert ("as-printed", "warning") in [(f.code, f.level) for f in imported(FORM, text).findings]


def test_what_has_no_equivalent_is_named() -> None:
    text = "fields: [{name: x, type: GEOGRAPHY, mode: REQUIRED, repeated: maybe}]"
    assert sorted(notes(FORM, text)) == [
        "The type `GEOGRAPHY` of `x` has no equivalent.",
        "`mode` of `x` has no equivalent.",
        "`repeated: maybe` says nothing; `yes` makes a list.",
    ]


BAD = {
    "no type": ("fields:\n  - name: x", ("missing-key", 2)),
    "a type of a list": ("fields:\n  - name: x\n    type: [STRING]", ("wrong-type", 3)),
    "a nested type without fields": ("fields:\n  - name: x\n    type:\n      a: 1", ("missing-key", 4)),
    "fields of a mapping": ("fields:\n  x: STRING", ("wrong-type", 2)),
}


@pytest.mark.parametrize("case", BAD)
def test_schema_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, expected = BAD[case]
    assert codes(FORM, text) == [expected]
