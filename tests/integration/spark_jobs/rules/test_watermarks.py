"""Watermarks from contract to verdict: which records a check of each kind looks at, and how far a file reaches."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Plan
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from contracts.watermarks import HighMark
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

PROPERTIES = """\
- name: id
  logicalType: string
  unique: true
- name: day
  logicalType: date
  logicalTypeOptions: {format: dd.MM.yyyy}
- name: n
  logicalType: integer
  quality:
    - {metric: nullValues, mustBe: 0, arguments: {watermark: day}}
    - {id: both, metric: nullValues, mustBeLessThan: 9, arguments: {watermark: day, filter: id <> 'c'}}
    - {id: sum, type: custom, engine: dropgate, implementation: {metric: sum, mustBe: 7, watermark: day}}
- {name: at, logicalType: timestamp}
- {name: price, logicalType: number, physicalType: "decimal(9,2)"}
"""
QUALITY = """\
- {metric: rowCount, mustBe: 2, arguments: {watermark: day}}
- id: rows
  type: sql
  query: SELECT count(*) FROM ${object}
  mustBe: 2
  customProperties: [{property: watermark, value: at}]
- id: found
  type: custom
  engine: dropgate
  implementation: {metric: statement, statement: select id from data where n is null, watermark: price}
- id: truth
  type: custom
  engine: dropgate
  implementation: {metric: expression, expression: n > 0, watermark: n}
"""
CHECKS = "checks: {id.unique: {watermark: n}}\ntolerance: {rows: 9}\n"
ROWS = [
    "id,day,n,at,price",
    "a,30.01.2026,1,2026-01-30T00:00:00Z,1.50",
    "a,31.01.2026,,2026-01-31T00:00:00Z,2.50",
    "b,01.02.2026,3,2026-02-01T00:00:00.000001Z,2.51",
    "b,02.02.2026,4,2026-02-01T00:00:00Z,",
    "c,,,,",
    'd,03.02.2027,x,2027-02-03T00:00:00Z,"3',
    "d,32.01.2028,9,2028-01-31T00:00:00Z,9.99",
]
"""The last but one is no record; the last is rejected for its day."""
FILES = {"a.csv": "\n".join([*ROWS, ""])}
SEEN = {
    "n.nullValues": ((6, 2), (2, 0)),
    "both": ((5, 1), (2, 0)),
    "sum": ((6, 0), (2, 0)),
    "rowCount": ((6, 6), (2, 2)),
    "rows": ((6, 0), (2, 0)),
    "found": ((6, 0), (2, 0)),
    "truth": ((6, 0), (2, 0)),
    "id.unique": ((6, 4), (2, 0)),
}
"""The records that each check evaluates, and those that fail it: without a mark, and above one."""
MARKS = (
    HighMark("day", "date", Decimal(20_484)),  # 2026-01-31
    HighMark("n", "integer", Decimal(3)),
    HighMark("at", "timestamp", Decimal(1_769_904_000_000_000)),  # 2026-02-01T00:00:00Z
    HighMark("price", "number", Decimal("2.50")),
)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return documents.a_plan(documents.a_document(PROPERTIES, QUALITY, DROP + CHECKS))


def test_check_looks_at_records_above_the_mark(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    runs = []
    for name, marks in (("without", ()), ("above", MARKS)):
        (tmp_path / name).mkdir()
        runs.append(judge(spark, tmp_path / name, plan, FILES, marks=marks))
    without, above = runs

    counts = {c: [(n.evaluated, n.failed) for one in runs for n in [one.count(c)]] for c in SEEN}
    assert counts == {c: list(pairs) for c, pairs in SEEN.items()}
    assert [one.count("sum").figure for one in runs] == [17, 7]
    results = {o.id: o.result for o in above.decision().checks}
    assert (results["rowCount"], results["rows"], results["sum"]) == ("passed", "passed", "passed")
    assert above.result.header.plan == plan.sha
    messages = {p.check: p.message for p in without.decision().problems}
    assert messages["rowCount"] == (
        "The file has 6 records where `day` is above all that was accepted before; the contract asks for exactly 2."
    )


def test_promise_of_facts_has_its_mark_without_a_watermark(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    checks = tuple(check for check in plan.checks if check.watermark is None)
    promise = Promise("factDate", "factDate", Span(Decimal(1), "d"), element="at")
    promised = replace(plan, checks=checks, promises=(promise,))
    run = judge(spark, tmp_path, promised, FILES)

    assert promised.watermarks == ()
    assert run.drop().marks == (HighMark("at", "timestamp", Decimal(1_769_904_000_000_001)),)


def test_file_reaches_as_far_as_its_valid_records(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    reached = {mark.property: mark for mark in judge(spark, tmp_path, plan, FILES, marks=MARKS).drop().marks}

    assert reached == {
        "day": HighMark("day", "date", Decimal(20_486)),
        "n": HighMark("n", "integer", Decimal(4)),
        "at": HighMark("at", "timestamp", Decimal(1_769_904_000_000_001)),
        "price": HighMark("price", "number", Decimal("2.51")),
    }
