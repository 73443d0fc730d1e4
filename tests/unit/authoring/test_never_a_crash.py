"""Whatever stands in a contract file, the answer is findings: values and keys are changed at random, bytes too."""

from __future__ import annotations

import copy
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.authoring.compiling import compile_text
from tests.unit.authoring.documents import a_document

RICH = a_document(
    """
    - name: id
      logicalType: integer
      primaryKey: true
      logicalTypeOptions: {minimum: 1, maximum: 9}
    - name: day
      logicalType: date
      logicalTypeOptions: {format: dd.MM.yyyy, minimum: 01.01.2020}
      enum: [{value: 31.01.2026}]
    - name: code
      logicalType: string
      required: true
      logicalTypeOptions: {pattern: "^[A-Z]{2}$", maxLength: 2}
      quality:
        - {metric: invalidValues, arguments: {validValues: [AB], pattern: A}, mustBeBetween: [1, 5.5], unit: percent}
        - {metric: nullValues, mustBe: 0, severity: warning}
        - {metric: missingValues, arguments: {missingValues: [null, N/A]}, mustBeLessThan: 5}
        - type: custom
          engine: dropgate
          implementation: {metric: regex, pattern: A, mustBeBetween: [1, 5], unit: percent}
    - name: price
      logicalType: number
      physicalType: decimal(10,2)
      logicalTypeOptions: {exclusiveMinimum: 0, maximum: 1e3, multipleOf: 0.05, format: f32}
    - name: at
      logicalType: time
      logicalTypeOptions: {format: HH:mm, minimum: 08:00}
    - name: mail
      logicalType: string
      logicalTypeOptions: {format: email}
    """,
    quality="- {metric: rowCount, mustBeGreaterThan: 5}",
    drop="""
    files: ["shop/{day:%Y-%m-%d}*.csv", shop/b/**]
    producer: shop
    format: csv
    csv: {delimiter: ";", nullValues: [NA]}
    columns: {extra: warn}
    tolerance: {rows: 1%}
    checks: {code.pattern: {severity: warning, tolerance: 5}}
    """,
)
DOCUMENT = yaml.safe_load(RICH)
WORDS = ["", "no", "percent", "nullValues", "rowCount", "date", "(", "{x", "1%", "NA", "é", "active", "mustBe", "\\"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=4,
)


def test_document_to_be_changed_is_right() -> None:
    assert compile_text(RICH.encode(), "x.v1.yaml").plan


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys or positions."""
    if isinstance(value, dict):
        return [(value, k) for k in value] + [p for v in value.values() for p in _places(v)]
    if isinstance(value, list):
        return [(value, n) for n in range(len(value))] + [p for v in value for p in _places(v)]
    return []


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_value_in_any_place_is_answered(data: st.DataObject) -> None:
    document = copy.deepcopy(DOCUMENT)
    for _ in range(data.draw(st.integers(1, 3))):
        owner, key = data.draw(st.sampled_from(_places(document)))
        owner[key] = data.draw(VALUES)
        if isinstance(owner, dict) and data.draw(st.booleans()):
            owner[data.draw(st.sampled_from(WORDS))] = owner.pop(key)
    result = compile_text(yaml.safe_dump(document, allow_unicode=True).encode(), "x.v1.yaml")
    assert result.plan or result.findings


@given(st.integers(0, 10_000), st.integers(0, 40), st.binary(max_size=8))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_answered(at: int, length: int, instead: bytes) -> None:
    raw = RICH.encode()
    at %= len(raw)
    result = compile_text(raw[:at] + instead + raw[at + length :], "x.v1.yaml")
    assert result.plan or result.findings
