"""Whatever stands in a contract file, the answer is findings: values and keys are changed at random, bytes too."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.compiler.lint import lint
from infra.packaging.bundles import ROOT
from tests.unit.contracts.authoring.documents import a_document

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
CODED = a_document(
    """
    - name: id
      logicalType: integer
      quality:
        - {metric: duplicateValues, mustBe: 0}
        - {type: custom, engine: dropgate, implementation: {metric: quantile, quantile: 0.5, mustBeLessThan: 9}}
    - name: day
      logicalType: timestamp
      logicalTypeOptions: {defaultTimezone: Europe/Berlin}
    - name: to
      logicalType: object
      logicalTypeOptions: {required: [city], maxProperties: 2}
      properties:
        - {name: city, logicalType: string, classification: secret}
        - name: tags
          logicalType: array
          logicalTypeOptions: {uniqueItems: true}
          items: {logicalType: string, required: true}
    - name: words
      logicalType: map
      map: {key: {logicalType: string}, value: {logicalType: number}}
    - {name: point, logicalType: vector, logicalTypeOptions: {dimensions: 2, elementType: int8}}
    """,
    quality="""
    - id: open
      type: custom
      engine: dropgate
      implementation: {metric: expression, expression: "id > ${least} or day is null", parameters: {least: 3}}
    - {id: many, type: sql, query: "select count(*) from ${object} where id > 1", mustBeLessThan: 3}
    - id: twice
      type: custom
      engine: dropgate
      implementation: {metric: statement, statement: "select id from data group by id having count(*) > 1"}
    - type: custom
      engine: greatExpectations
      implementation: {type: expect_column_values_to_not_be_null, kwargs: {column: id}}
    - {type: text, description: For people}
    """,
    drop="""
    files: shop/*.jsonl
    producer: shop
    format: jsonl
    checks: {many: {filter: "id < 100"}, id.duplicateValues: {severity: warning}}
    """,
)
SHIPPED = ROOT / "contracts"
TEXTS = {"rich": RICH, "coded": CODED}
TEXTS |= {path.stem: path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*/*.v*.yaml"))}
SHORT, LONG = 200, 10_000
"""Documents in the test command, and in `make torture`."""
WORDS = ["", "no", "percent", "nullValues", "rowCount", "date", "(", "{x", "1%", "NA", "é", "active", "mustBe", "\\"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.parametrize("name", TEXTS)
def test_document_to_be_changed_is_right(name: str) -> None:
    assert compile_text(TEXTS[name].encode(), "x.v1.yaml").plan


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys or positions."""
    if isinstance(value, dict):
        return [(value, k) for k in value] + [p for v in value.values() for p in _places(v)]
    if isinstance(value, list):
        return [(value, n) for n in range(len(value))] + [p for v in value for p in _places(v)]
    return []


def _is_answered(raw: bytes) -> bool:
    result = compile_text(raw, "x.v1.yaml")
    is_complete = all(f.line > 0 and f.code and f.message and f.fix for f in result.findings)
    return is_complete and bool(result.plan or result.findings)


def _changed(data: st.DataObject) -> bytes:
    """A document with another value, or key, in some places, or a part of it in another place."""
    document = yaml.safe_load(TEXTS[data.draw(st.sampled_from(sorted(TEXTS)))])
    for _ in range(data.draw(st.integers(1, 3))):
        owner, key = data.draw(st.sampled_from(_places(document)))
        other, part = data.draw(st.sampled_from(_places(document)))
        owner[key] = copy.deepcopy(other[part]) if data.draw(st.booleans()) else data.draw(VALUES)
        if isinstance(owner, dict) and data.draw(st.booleans()):
            owner[data.draw(st.sampled_from(WORDS))] = owner.pop(key)
    return yaml.safe_dump(document, allow_unicode=True).encode()


def _damaged(data: st.DataObject) -> bytes:
    """The bytes of a document with others in place of some."""
    raw = TEXTS[data.draw(st.sampled_from(sorted(TEXTS)))].encode()
    at = data.draw(st.integers(0, len(raw)))
    return raw[:at] + data.draw(st.binary(max_size=8)) + raw[at + data.draw(st.integers(0, 40)) :]


@given(st.data())
@settings(max_examples=SHORT, deadline=None)
def test_any_value_in_any_place_is_answered(data: st.DataObject) -> None:
    assert _is_answered(_changed(data))


@given(st.data())
@settings(max_examples=SHORT, deadline=None)
def test_any_bytes_are_answered(data: st.DataObject) -> None:
    assert _is_answered(_damaged(data))


@pytest.mark.torture
@given(st.data())
@settings(max_examples=LONG, deadline=None, suppress_health_check=list(HealthCheck))
def test_thousands_of_values_are_answered(data: st.DataObject) -> None:
    assert _is_answered(_changed(data))


@pytest.mark.torture
@given(st.data())
@settings(max_examples=LONG, deadline=None, suppress_health_check=list(HealthCheck))
def test_thousands_of_damaged_texts_are_answered(data: st.DataObject) -> None:
    assert _is_answered(_damaged(data))


def _keys(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all keys."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        if isinstance(value, dict):
            yield (*path, key)
        yield from _keys(one, (*path, key))


@pytest.mark.parametrize("name", TEXTS)
def test_every_mistyped_key_is_told(name: str) -> None:
    document = yaml.safe_load(TEXTS[name])
    alike = {tuple(part for part in path if isinstance(part, str)): path for path in _keys(document)}
    before = {f.message for f in compile_text(TEXTS[name].encode(), "x.v1.yaml").findings}
    assert [path for path in alike.values() if _messages(_mistyped(document, path)) <= before] == []


def _mistyped(document: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(document)
    owner = reduce(getitem, path[:-1], changed)
    owner[f"{path[-1]}x"] = owner.pop(path[-1])
    return changed


def _messages(document: Any) -> set[str]:
    raw = yaml.safe_dump(document, allow_unicode=True).encode()
    return {f.message for f in compile_text(raw, "x.v1.yaml").findings}


def test_ten_thousand_properties_are_answered_within_seconds() -> None:
    each = "- {{name: p{n}, logicalType: integer, required: true, logicalTypeOptions: {{minimum: {n}}}}}"
    started = time.process_time()
    result = compile_text(a_document("\n".join(each.format(n=n) for n in range(10_000))).encode(), "x.v1.yaml")
    assert result.plan or result.findings
    assert time.process_time() - started < 30


REFERRING = a_document(
    """
    - {name: x, logicalType: string, relationships: [{to: others.v1.yaml#/schema/others/properties/y}]}
    - {name: z, logicalType: string, relationships: [{to: sibling.y}]}
    - {name: w, logicalType: string, relationships: [{to: lands.code}]}
    """,
    drop="{files: a/*.csv, producer: shop, format: csv, references: {lands: {file: lands.csv}}}",
).replace("customProperties:", "  - {name: sibling, properties: [{name: y, logicalType: string}]}\ncustomProperties:")
OTHERS = a_document("- {name: y, logicalType: string}").replace("orders", "others")
ENDLESS = "9" * 5_000
STRANGE = st.sampled_from(["a" * 5_000, "a/" * 5_000, "\0", f"1.{ENDLESS}", f"1.0.0-{ENDLESS}", "", "/", "~", "é"])


@pytest.mark.parametrize("version", [f"1.{ENDLESS}", f"1.0.0-{ENDLESS}", ENDLESS, f"v1+{ENDLESS}"])
def test_endless_version_is_told(version: str) -> None:
    result = compile_text(a_document().replace("1.0.0", version).encode(), "x.v1.yaml")
    assert [f.code for f in result.findings if f.level == "error"] == ["bad-version"]


@given(data=st.data())
@settings(max_examples=SHORT, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_in_documents_that_refer_to_each_other_is_answered(data: st.DataObject, tmp_path: Path) -> None:
    documents = [yaml.safe_load(text) for text in (REFERRING, OTHERS)]
    for _ in range(data.draw(st.integers(1, 2))):
        owner, key = data.draw(st.sampled_from([place for document in documents for place in _places(document)]))
        owner[key] = data.draw(STRANGE | VALUES)
    for name, document in zip(("orders", "others"), documents, strict=True):
        (tmp_path / f"{name}.v1.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    (tmp_path / "lands.csv").write_text("code\n", encoding="utf-8")
    assert lint((tmp_path,)).contracts
    assert lint((tmp_path / "orders.v1.yaml",)).contracts
