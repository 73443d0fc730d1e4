"""Filters from contract to verdict: which records a check of each kind looks at, and what its figures are of."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

PROPERTIES = """\
- name: id
  logicalType: string
- name: land
  logicalType: string
- name: n
  logicalType: integer
  quality:
    - {metric: nullValues, mustBe: 0, arguments: {filter: land = 'BR'}}
    - {id: share, metric: nullValues, mustBeLessOrEqualTo: 34, unit: percent, arguments: {filter: land = 'BR'}}
    - {id: all, metric: nullValues, mustBeLessThan: 99}
    - {id: sum, type: custom, engine: dropgate, implementation: {metric: sum, mustBe: 7, filter: land = 'BR'}}
    - {id: least, type: custom, engine: dropgate, implementation: {metric: min, mustBe: -1}}
- name: code
  logicalType: string
  unique: true
  logicalTypeOptions: {maxLength: 2}
"""
QUALITY = """\
- {metric: rowCount, mustBe: 4, arguments: {filter: n is null or n > 0}}
- {metric: duplicateValues, mustBe: 0, arguments: {properties: [id, land], filter: n > 0}}
- id: high
  type: custom
  engine: dropgate
  implementation: {metric: expression, expression: n > 3, filter: land = 'BR'}
- id: nobody
  type: custom
  engine: dropgate
  implementation: {metric: expression, expression: n > 3, filter: "false"}
"""
CHECKS = """\
tolerance: {rows: 3}
checks:
  code.unique: {filter: land is not null}
  code.maxLength: {filter: land = 'BR', tolerance: {warning: "40%", error: "50%"}}
"""
ROWS = [
    "a,BR,7,k1",
    "a,BR,,k1",
    "a,BR,x,long",
    "a,,,k1",
    "b,AR,-1,longer",
    'b,AR,2,"k2"',
    "b,,3,",
    "b,AR,3",
]
"""The last is no record; of the first three one is null, one no integer."""
COUNTS = {
    "n.nullValues": (3, 1, 0),
    "share": (3, 1, 0),
    "all": (7, 2, 0),
    "sum": (3, 0, 2),
    "least": (7, 0, 3),
    "code.unique": (5, 2, 0),
    "code.maxLength": (3, 1, 0),
    "rowCount": (6, 6, 0),
    "duplicateValues": (3, 0, 1),
    "high": (3, 0, 2),
}
"""Of each check how many records it looked at, and how many of them fail or have no value for it."""


def test_filter_says_which_records_a_check_looks_at(spark: SparkSession, tmp_path: Path) -> None:
    plan = documents.a_plan(documents.a_document(PROPERTIES, QUALITY, DROP + CHECKS))
    judged = judge(spark, tmp_path, plan, {"a.csv": "\n".join(["id,land,n,code", *ROWS, ""])})

    assert {c: (n.evaluated, n.failed, n.null) for c in COUNTS for n in [judged.count(c)]} == COUNTS
    assert judged.count("sum").figure == 7
    assert [(s.place.record, s.value) for s in judged.count("code.unique").samples] == [(1, "k1")]
    results = {o.id: (o.result, o.reason) for o in judged.decision().checks}
    assert results["nobody"] == ("not_evaluated", "no-rows")
    assert results["share"] == ("passed", None)  # 1 of 3
    assert results["code.maxLength"] == ("passed", None)  # a third, of which the contract wants no warning
    assert results["rowCount"] == ("failed", None)
    rejected = {row.record: sorted(row.checks) for row in judged.evidence(spark)}
    assert rejected == {2: ["n.nullValues"], 3: ["code.maxLength", "n.logicalType"], 8: ["record.fields"]}
    messages = {p.check: p.message for p in judged.decision().problems}
    assert messages["n.nullValues"] == (
        "`n` has no value in 1 of 3 records (33.3 %) where `land = 'BR'`; the contract tolerates 3 rows."
    )
    assert messages["rowCount"] == "The file has 6 records where `n is null or n > 0`; the contract asks for exactly 4."
