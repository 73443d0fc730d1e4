"""Nested properties in other formats and back: what one writes, the importer of that format reads as the same."""

from __future__ import annotations

import pytest

from contracts.authoring.compiling import compile_text
from contracts.authoring.exporting.formats import FORMATS
from contracts.authoring.exporting.reading import read
from contracts.plan import Plan
from tests.unit.authoring.bringing import brought
from tests.unit.authoring.documents import a_document

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
    (again,) = brought(form, exported.text).contracts
    plan = a_plan(again.text.replace("status: draft", "status: active") + BLOCK)
    assert shape(plan) == shape(contract.plan)
    required = {p.name for p in plan.properties if p.required and "~" not in p.path}
    assert required == {"id", "to", "to.city", "lines[].sku"} | ({"lines[]"} if form != "spark-ddl" else set())


@pytest.mark.parametrize("form", ["json-schema", "avro", "spark", "spark-ddl"])
def test_every_check_of_a_row_is_carried_or_named(form: str) -> None:
    contract = read(a_document(PROPERTIES, drop=DROP).encode(), "orders.v1.yaml").contract
    assert contract
    exported = FORMATS[form].write(contract)
    for check in contract.plan.checks:
        if check.scope != "record" and check.id not in exported.carried:
            assert any(f"`{check.id}`" in line for line in exported.losses)
