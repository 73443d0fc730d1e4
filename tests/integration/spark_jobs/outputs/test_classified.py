"""Values of classified properties: only in evidence and in the producer's own rows; masked in evidence where asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.job import JobResult
from contracts.plan import Plan
from spark_jobs.validate import run
from tests.integration.spark_jobs.world import Judged, a_request
from tests.unit.contracts.authoring.documents import a_document

SECRET = "Xs3cr3t"
CSV = """\
- {name: id, logicalType: integer, required: true}
- name: mail
  logicalType: string
  classification: restricted
  unique: true
  enum: [{value: a}]
  logicalTypeOptions: {maxLength: 3, pattern: "^[a-z]+$"}
  quality:
    - {metric: duplicateValues, mustBe: 0}
    - {metric: invalidValues, mustBe: 0, arguments: {validValues: [a]}}
    - {metric: missingValues, mustBe: 0, arguments: {missingValues: [Xs3cr3t]}}
- {name: born, logicalType: date, classification: confidential, logicalTypeOptions: {minimum: "2000-01-01"}}
- {name: open, logicalType: string, classification: public, logicalTypeOptions: {maxLength: 2}}
"""
NESTED = """\
- {name: id, logicalType: integer, required: true}
- {name: mail, logicalType: string, classification: restricted, logicalTypeOptions: {maxLength: 3}}
- name: person
  logicalType: object
  classification: restricted
  properties: [{name: name, logicalType: string, logicalTypeOptions: {maxLength: 3}}]
- name: calls
  logicalType: map
  map: {key: {logicalType: string, classification: restricted}, value: {logicalType: integer}}
- name: homes
  logicalType: map
  map:
    key: {logicalType: string, classification: restricted, logicalTypeOptions: {maxLength: 3}}
    value: {logicalType: object, properties: [{name: zip, logicalType: string, logicalTypeOptions: {maxLength: 3}}]}
- name: lists
  logicalType: array
  items:
    logicalType: map
    map: {key: {logicalType: string, classification: restricted}, value: {logicalType: string, required: true}}
- {name: open, logicalType: string, logicalTypeOptions: {maxLength: 2}}
"""
LINES = f"""\
{{"id": 1, "mail": "{SECRET}", "open": "long"}}
{{"id": 2, "person": {{"name": "{SECRET}", "{SECRET}": 1}}}}
{{"id": 3, "calls": {{"{SECRET}": "none"}}}}
{{"id": 4, "homes": {{"{SECRET}": {{"zip": "123456", "more": 1}}}}}}
{{"id": 5, "lists": [{{"{SECRET}": null}}]}}
{{"id": "x", "mail": "{SECRET}", "unknown": "{SECRET}"}}
{{"id": 7, "mail": "{SECRET}"
"""
ROWS = f"""\
id,mail,born,open
1,{SECRET},2020-01-01,long
x,{SECRET},{SECRET},b
3,"{SECRET}",1999-01-01,b
4,{SECRET},,b,{SECRET}
5,"{SECRET},,b
"""


def a_plan(properties: str, form: str, more: str = "") -> Plan:
    drop = f"files: shop/*.{form}\nproducer: shop\nformat: {form}\n{more}"
    compiled = compile_text(a_document(properties, drop=drop).encode(), "orders.v1.yaml")
    assert compiled.plan, compiled.findings
    return compiled.plan


FORMS = {
    "csv": (a_plan(CSV, "csv"), ROWS),
    "csv over lines": (a_plan(CSV, "csv", "csv: {multiLine: true}\n"), ROWS.rpartition("5,")[0]),
    "jsonl": (a_plan(CSV, "jsonl"), f'{{"id": "x", "mail": "{SECRET}", "open": "long", "more": 1}}\n{{"id": 1}}\n'),
    "jsonl that nests": (a_plan(NESTED, "jsonl"), LINES),
}  # fmt: skip


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mask", [False, True])
def test_classified_values_are_where_they_may_be(spark: SparkSession, tmp_path: Path, form: str, *, mask: bool) -> None:
    plan, text = FORMS[form]
    request = replace(a_request(tmp_path, plan, {"a": text}), mask=mask)
    (tmp_path / "request.json").write_text(request.dumps())
    run(spark, (tmp_path / "request.json").as_uri())
    judged = Judged(plan, JobResult.loads((tmp_path / "result.jsonl").read_bytes()), tmp_path)

    assert judged.drop("a").failure is None
    assert judged.drop("a").rejected >= 2 - (form == "jsonl")
    assert SECRET not in (tmp_path / "result.jsonl").read_text()
    assert SECRET.encode() in bytes_below(tmp_path / "rejected")
    assert not (tmp_path / "scratch").exists()
    rows = judged.evidence(spark)
    shown = repr([(r["cells"], r["raw"]) for r in rows])
    assert (SECRET in shown) is not mask
    if mask:
        assert {r["raw"] for r in rows} == {"***"}
        values = [(r["cells"] or {}).get("open") for r in rows]
        assert "long" in values
        assert {(r["cells"] or {}).get("mail") for r in rows} <= {None, "", "***"}


def test_evidence_that_is_masked_judges_and_tells_the_same(spark: SparkSession, tmp_path: Path) -> None:
    plan, text = FORMS["jsonl that nests"]
    outputs = []
    for mask in (False, True):
        folder = tmp_path / str(mask)
        request = replace(a_request(folder, plan, {"a": text}), mask=mask)
        (folder / "request.json").write_text(request.dumps())
        run(spark, (folder / "request.json").as_uri())
        result = JobResult.loads((folder / "result.jsonl").read_bytes())
        outputs.append([replace(one, outputs={}) for one in result.drops])
        outputs.append(bytes_below(folder / "rejected").replace(str(folder).encode(), b""))  # type: ignore[arg-type]
    assert outputs[0] == outputs[2]
    assert outputs[1] == outputs[3]


def test_plan_without_classified_values_asks_for_no_mask() -> None:
    assert FORMS["csv"][0].classified
    assert not a_plan("- {name: id, logicalType: integer, classification: public}\n", "csv").classified
