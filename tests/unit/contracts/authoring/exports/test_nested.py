"""Nested properties in other formats and back: each importer reads the output of the exporter as the same."""

from __future__ import annotations

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read
from contracts.plan import Plan
from tests.unit.contracts.authoring.documents import a_document
from tests.unit.contracts.authoring.exports.test_page import words
from tests.unit.contracts.authoring.imports.importing import imported

PROPERTIES = """\
- {name: id, logicalType: integer, required: true}
- name: to
  logicalType: object
  required: true
  properties:
    - {name: city, logicalType: string, required: true, logicalTypeOptions: {maxLength: 5}}
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
      - {name: sku, logicalType: string, required: true}
      - {name: days, logicalType: array, items: {logicalType: date}}
- name: words
  logicalType: map
  map: {key: {logicalType: string, required: true}, value: {logicalType: integer}}
- name: to_geo
  logicalType: object
  properties: [{name: a, logicalType: boolean}]
"""
DROP = "files: shop/*.jsonl\nproducer: shop\nformat: jsonl\n"
BLOCK = """\
customProperties:
- property: drop
  vendor: dropgate
  value: {files: a/b.jsonl, producer: a, format: jsonl}
"""


GOOD_ROW = (
    '{"id": 12, "to": {"city": "to ci", "geo": {"lat": 12.5}}, "lines": [{"sku": "lines sku", "days": ["2026-01-31"]}],'
    ' "words": {"words": 12}, "to_geo": {"a": true}}'
)


def a_plan(text: str) -> Plan:
    compiled = compile_text(text.encode(), "orders.v1.yaml")
    assert compiled.plan, compiled.findings
    return compiled.plan


def shape(plan: Plan) -> list[tuple[str, str]]:
    return [(p.name, p.type) for p in plan.properties]


@pytest.mark.parametrize("form", ["json-schema", "avro", "spark-ddl"])
def test_nested_properties_come_back(form: str) -> None:
    contract = read(a_document(PROPERTIES, drop=DROP).encode(), "orders.v1.yaml").contract
    assert contract
    exported = FORMATS[form].write(contract)
    (again,) = imported(form, exported.text).contracts
    plan = a_plan(again.text.replace("status: draft", "status: active") + BLOCK)
    assert shape(plan) == shape(contract.plan)
    required = {p.name for p in plan.properties if p.required and "~" not in p.path}
    assert required == {"id", "to", "to.city", "lines[].sku"} | ({"lines[]"} if form != "spark-ddl" else set())


@pytest.mark.parametrize("form", ["json-schema", "avro", "spark", "spark-ddl", "dbt", "great-expectations"])
def test_every_check_of_a_row_is_carried_or_named(form: str) -> None:
    contract = read(a_document(PROPERTIES, drop=DROP).encode(), "orders.v1.yaml").contract
    assert contract
    exported = FORMATS[form].write(contract)
    for check in contract.plan.checks:
        if check.scope != "record" and check.id not in exported.carried:
            assert any(f"`{check.id}`" in line for line in exported.losses)


@pytest.mark.parametrize(
    "phrase",
    [
        "to.geo.lat number at least 0",
        "lines list at least 1 element no element twice",
        "lines[].days[] date like 2026-01-31",
        "words.* whole number may be empty",
        "its fields and elements are not required.",
        GOOD_ROW,
    ],
)
def test_page_tells_of_what_lies_within(phrase: str) -> None:
    assert phrase in words(a_document(PROPERTIES, drop=DROP))


@pytest.mark.parametrize("options", ["minItems: 2, uniqueItems: true", "maxItems: 0, minItems: 0"])
def test_good_row_is_left_out_where_a_list_asks_for_too_much(options: str) -> None:
    body = f"- {{name: x, logicalType: array, logicalTypeOptions: {{{options}}}, items: {{logicalType: integer}}}}"
    text = words(a_document(body, drop=DROP))
    assert ('"x": []' in text, "Example row" in text) == ("maxItems" in options,) * 2


def test_dbt_names_what_it_cannot_say_of_what_lies_within() -> None:
    body = "- {name: x, logicalType: object, properties: [{name: y, logicalType: string, description: Why.}]}"
    contract = read(a_document(body, drop=DROP).encode(), "orders.v1.yaml").contract
    assert contract
    assert "Descriptions and tags of `x.y`." in FORMATS["dbt"].write(contract).losses
