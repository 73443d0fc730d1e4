"""Changes of nested properties: literal edits of one contract, and what each of them is."""

from __future__ import annotations

import pytest

from contracts.authoring.diff.compare import compare
from tests.unit.contracts.authoring.documents import a_document, compiled

PROPERTIES = """\
- name: to
  logicalType: object
  logicalTypeOptions: {required: [city], maxProperties: 3}
  properties:
    - {name: city, logicalType: string, logicalTypeOptions: {maxLength: 10}}
    - name: geo
      logicalType: object
      properties: [{name: lat, logicalType: number, logicalTypeOptions: {minimum: 0}}]
- name: lines
  logicalType: array
  logicalTypeOptions: {minItems: 1, uniqueItems: true}
  items:
    logicalType: object
    required: true
    properties:
      - {name: sku, logicalType: string}
      - {name: words, logicalType: map, map: {key: {logicalType: string}, value: {logicalType: integer}}}
"""
TEXT = a_document(PROPERTIES, drop="files: shop/*.jsonl\nproducer: shop\nformat: jsonl\n")
EDITS: dict[tuple[str, str], list[tuple[str, str, str]]] = {
    ("maxLength: 10", "maxLength: 12"): [("rule", "to.city.maxLength", "loosens")],
    ("minimum: 0", "minimum: 1"): [("rule", "to.geo.lat.minimum", "tightens")],
    ("maxProperties: 3", "maxProperties: 2"): [("rule", "to.maxProperties", "tightens")],
    ("required: [city], ", ""): [("required", "to.city.required", "loosens")],
    ("minItems: 1", "minItems: 0"): [("rule", "lines.minItems", "loosens")],
    (", uniqueItems: true", ""): [("check-removed", "lines.uniqueItems", "loosens")],
    ("          required: true\n", ""): [("required", "lines[].required", "loosens")],
    ("value: {logicalType: integer}", "value: {logicalType: number}"): [
        ("type", "lines[].words.*.logicalType", "both")
    ],
    ("value: {logicalType: integer}", "value: {logicalType: integer, description: x}"): [
        ("words", "lines.items.words.map.value.description", "none")
    ],
    ("      - {name: sku, logicalType: string}\n", ""): [("property-removed", "lines[].sku", "both")],
    ("{name: sku, logicalType: string}", "{name: skus, logicalType: string}"): [
        ("property-renamed", "lines[].skus", "both")
    ],
    ("{name: sku, logicalType: string}", "{name: sku, logicalType: string, deprecated: true}"): [
        ("check-added", "lines[].sku.deprecated.warning", "none")
    ],
    ("- name: geo\n", "- name: geo\n            classification: restricted\n"): [
        ("classification", "to.geo.classification", "none"),
        ("classification", "to.geo.lat.classification", "none"),
    ],
}


@pytest.mark.parametrize("edit", EDITS, ids=[f"{new or 'no ' + old}" for old, new in EDITS])
def test_nested_change_is_what_it_is(edit: tuple[str, str]) -> None:
    assert edit[0] in TEXT
    changes = compare(compiled(TEXT), compiled(TEXT.replace(*edit))).changes
    assert sorted((c.kind, c.path, c.direction) for c in changes) == sorted(EDITS[edit])
