"""Queries from contract to verdict: what they find in each file of a batch, what is told of it, what goes wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from pyspark.sql import SparkSession

from contracts import rules
from spark_jobs.counting.results import HIDDEN_ERROR
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

PROPERTIES = """\
- name: id
  logicalType: string
- name: n
  logicalType: integer
  quality:
    - {type: sql, query: "select count(*) from ${object} where ${property} < 0", mustBe: 0}
    - {id: mean, type: sql, query: "select avg(${property}) from ${object}", mustBeLessThan: 5}
- name: day
  logicalType: date
  classification: secret
"""
QUALITY = """\
- {id: most, type: sql, query: "select max(k) from (select count(*) as k from data group by id)", mustBe: 1}
- id: latest
  type: sql
  query: "select count(*) from data where trunc(day, 'month') = date '2024-02-01'"
  mustBe: 1
- id: twice
  description: An id names one thing.
  type: custom
  engine: dropgate
  implementation: {metric: statement, statement: "select id, count(*) as times from data group by id having times > 1"}
- id: secret
  type: custom
  engine: dropgate
  implementation: {metric: statement, statement: select * from data where day is null, filter: n > 0}
- {type: text, description: Somebody looks at the map once a month., dimension: accuracy}
- {type: custom, engine: soda, implementation: "duplicate_percent(id) < 1 %", severity: warning}
"""
FILES = {
    "a.csv": 'id,n,day\nx,1,2024-02-29\ny,-1,2024-02-01\nx,7,\nz,"2",2024-03-01\nx,,\nbroken\n',
    "b.csv": "id,n,day\nx,1,2024-02-29\n",
    "c.csv": "id,n,day\nx,-3,\n",
}
FIGURES = {
    "n.sql": ("1", "0", "1"),
    "mean": ("2.25", "1", "-3"),
    "most": ("3", "1", "1"),
    "latest": ("2", "1", "0"),
    "twice": ("1", "0", "0"),
    "secret": ("1", "0", None),
}
"""The figure of each query in each file; the last file has no record left to query."""


def test_query_without_columns_is_asked_of_a_file_without_those_of_the_contract(
    spark: SparkSession, tmp_path: Path
) -> None:
    quality = '- {id: many, type: sql, query: "select count(*) from data", mustBe: 1}'
    columns = "columns: {missing: ignore, extra: ignore}\n"
    plan = documents.a_plan(documents.a_document(PROPERTIES, quality, DROP + columns))
    judged = judge(spark, tmp_path, plan, {"a.csv": "x,y\n1,2\n3,4\n", "b.csv": FILES["b.csv"]})

    assert [judged.count("many", name).observed for name in ("a.csv", "b.csv")] == ["2", "1"]


def test_query_is_asked_of_each_file_by_itself(spark: SparkSession, tmp_path: Path) -> None:
    text = documents.a_document(PROPERTIES, QUALITY, DROP + "tolerance: {rows: 1}\n")
    plan = documents.a_plan(text)
    judged = judge(spark, tmp_path, plan, FILES)

    counts = {check: [judged.count(check, name) for name in FILES] for check in FIGURES}
    assert {
        c: tuple(None if n.figure is None else f"{n.figure.normalize():f}" for n in of) for c, of in counts.items()
    } == FIGURES
    assert [n.observed for n in counts["secret"]] == ["***", "***", None]
    assert [(s.place.record, s.value) for s in counts["twice"][0].samples] == [(1, "id=x, times=3")]
    assert [(s.place.record, s.value) for s in counts["secret"][0].samples] == [(3, "***")]
    results = {o.id: (o.result, o.reason) for o in judged.decision("c.csv").checks}
    assert results["secret"] == ("not_evaluated", "no-rows")
    assert results["forPeople4"] == ("not_evaluated", "for-people")
    assert results["otherEngine5.warning"] == ("not_evaluated", "other-engine")
    assert judged.decision("b.csv").verdict == "accepted"
    messages = {p.check: f"{p.message} {p.fix}" for p in judged.decision("a.csv").problems}
    assert messages["n.sql"] == (
        "The query `select count(*) from orders where n < 0` gives `1`; the contract asks for exactly `0`. "
        "Compare `n` with earlier files: look for lost or repeated rows, and wrong values."
    )
    assert messages["twice"].startswith(
        "The statement `select id, count(*) as times from data group by id having times > 1` "
    )
    assert messages["twice"].endswith(
        "finds `1` row; the contract asks for exactly `0`. Correct `id` in the records that are listed here, "
        "and in others like them. The contract says: An id names one thing."
    )
    assert messages["secret"].endswith(
        "` is not as agreed where `n > 0`; the contract asks for exactly `0`. Correct `day`, "
        "`id`, `n` in the records that are listed here, and in others like them."
    )


def test_query_that_cannot_be_run_is_our_fault(spark: SparkSession, tmp_path: Path) -> None:
    plan = documents.a_plan(documents.a_document(PROPERTIES, QUALITY))
    broken = {
        "twice": "select nothing",
        "secret": "select nothing",
        "most": "select 1 / 0 as o0, t0.drop as drop from dropgate_rows t0",
    }
    checks = [
        replace(c, rule=replace(c.rule, sql=broken[c.id])) if isinstance(c.rule, rules.Query) and c.id in broken else c
        for c in plan.checks
    ]
    judged = judge(spark, tmp_path, replace(plan, checks=tuple(checks)), {"b.csv": FILES["b.csv"]})

    assert [judged.count(check, "b.csv").state for check in ("twice", "most", "mean")] == ["error", "error", "counted"]
    assert "DIVIDE_BY_ZERO" in str(judged.count("most", "b.csv").reason)
    assert judged.count("secret", "b.csv").reason == HIDDEN_ERROR
    decision = judged.decision("b.csv")
    assert (decision.verdict, decision.failure and decision.failure.code) == (None, "check-crashed")


MEMBERS = """\
select count(*) from data where n in (select m from data)
select count(*) from data where n not in (select m from data)
select count(*) from data where n not in (select m from data where m is not null)
select count(*) from data where n not in (select m from data where id = 'none')
select count(*) from data where m in (select a from data) or a in (select m from data where m > 1)
select count(*) from data a join data b on a.id = b.id where a.n in (select m from data) and b.m in (select n from data)
select count(*) + (select max(m) from data) from data a join data b on a.id = b.id where a.n in (select m from data)
with w as (select 3 as n from data) select count(*) from data a join w on a.m = w.n where a.m in (select n from w)
select count(*) from data a where exists (select 1 from data b where b.m = a.n)
select count(*) from data a where not exists (select * from data b where b.m = a.n and a.id = b.id and b.n > 1)
select count(*) from data a join data b on a.n = b.m where not exists (select 1 from data c where c.m = b.n)
select count(*) from data where exists (select 1 from data where m is null) and n > 1
select count(*) from (select n from data union select m from data)
select count(*) from (select n, id from data union all select m, id from data where m in (select n from data))
select count(*) from (select n from data union all select m from data union select n from data where n > 2)
select sum(case when n in (select m from data) then 1 else 0 end) - count(*) from data
select max(k) from (select n, count(*) as k from data where n in (select m from data) group by n)
with w as (select n from data union all select m from data) select count(*) from w where n in (select max(n) from w)
select count(*) from data where n not in (select m from data where n in (select n from data where m = 3)) and m > 0
"""


def _records(chance: Random, *, nulls: bool) -> list[tuple[object, ...]]:
    """A text, two integers and a number, which is whole."""
    some = chance.choice
    values = (0, 1, 2, 3, None) if nulls else (0, 1, 2, 3)
    return [(some("xyz"), some(values), some(values[1:]), some(values)) for _ in range(chance.choice((1, 4, 9)))]


def _elsewhere(query: str, records: Sequence[tuple[object, ...]]) -> str | None:
    """Return SQLite's answer to a query."""
    with sqlite3.connect(":memory:") as other:
        other.execute("create table data (id text, n integer, m integer, a real)")
        other.executemany("insert into data values (?, ?, ?, ?)", records)
        (value,) = other.execute(query).fetchone()
    return None if value is None else str(value)


def test_subqueries_and_unions_say_what_another_engine_says(spark: SparkSession, tmp_path: Path) -> None:
    queries = MEMBERS.splitlines()
    entries = "".join(f'- {{id: q{n}, type: sql, query: "{q}", mustBe: 0}}\n' for n, q in enumerate(queries))
    columns = {"id": "string", "n": "integer", "m": "integer", "a": "number"}
    properties = "".join(f"- {{name: {name}, logicalType: {kind}}}\n" for name, kind in columns.items())
    plan, chance = documents.a_plan(documents.a_document(properties, entries)), Random(7)
    files = {f"{n}.csv": _records(chance, nulls=n % 2 == 0) for n in range(24)}
    lines = {name: [",".join("" if v is None else str(v) for v in row) for row in rows] for name, rows in files.items()}
    judged = judge(spark, tmp_path, plan, {name: "\n".join(["id,n,m,a", *rows, ""]) for name, rows in lines.items()})

    for n, query in enumerate(queries):
        for name, records in files.items():
            figure = judged.count(f"q{n}", name).figure
            text = None if figure is None else f"{figure.normalize():f}"
            assert text == _elsewhere(query, records), (query, records, judged.count(f"q{n}", name))
