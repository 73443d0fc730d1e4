"""CloudDQ's `dq_summary` as the view of the table of results: every column, and a query for what failed."""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import Row, SparkSession

from contracts.decision import File
from contracts.verdict import document
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

COLUMNS = [
    "execution_ts", "rule_binding_id", "rule_id", "dimension", "table_id", "column_id", "last_modified",
    "metadata_json_string", "configs_hashsum", "dataplex_lake", "dataplex_zone", "dataplex_asset_id", "dq_run_id",
    "invocation_id", "progress_watermark", "rows_validated", "complex_rule_validation_errors_count",
    "complex_rule_validation_success_flag", "success_count", "success_percentage", "failed_count",
    "failed_percentage", "null_count", "null_percentage", "failed_records_query",
]  # fmt: skip
"""The columns of CloudDQ's table, in its order."""
PROPERTIES = """\
- name: id
  logicalType: string
- name: mail
  logicalType: string
  classification: secret
- name: n
  logicalType: integer
  quality:
    - id: there
      metric: nullValues
      mustBe: 0
      arguments: {referenceColumns: [id, mail]}
      businessImpact: none of ours
    - {id: mean, type: custom, engine: dropgate, implementation: {metric: mean, mustBe: 3}}
    - {id: half, type: custom, engine: dropgate, implementation: {metric: quantile, quantile: 0.5, mustBe: 1}}
"""
QUALITY = """\
- name: it's small
  type: custom
  engine: dropgate
  tags: [one, two]
  schedule: daily
  customProperties: [{property: brand, value: one}]
  implementation: {metric: expression, expression: "n < ${most}", parameters: {most: 5}}
- id: pairs
  type: custom
  engine: dropgate
  implementation:
    metric: statement
    statement: "select id from data where id in ${ids} group by id having count(*) > ${times}"
    parameters: {ids: [a, b], times: 1}
- {id: rows, type: sql, query: "select count(*) from ${object}", mustBe: 4}
- {type: text, description: Looked at by hand.}
"""
FILE = "id,mail,n\na,x@y,1\na,x@y,\nb,x@y,7\nb,x@y,1\n"
COUNTS = {
    # validated, errors, flag, success, failed, null
    "there": (4, None, None, 3, 1, None),
    "it's small": (4, None, None, 2, 1, 1),
    "mean": (4, 0.0, True, None, None, None),
    "half": (4, 0.0, True, None, None, None),
    "pairs": (4, 2.0, False, None, None, None),
    "rows": (4, 0.0, True, None, None, None),
    "forPeople3": (None, None, None, None, None, None),
}


def counts_of(row: Row) -> tuple[object, ...]:
    return (
        row.rows_validated, row.complex_rule_validation_errors_count, row.complex_rule_validation_success_flag,
        row.success_count, row.failed_count, row.null_count,
    )  # fmt: skip


def test_summary_has_every_column_and_finds_what_failed(spark: SparkSession, tmp_path: Path) -> None:
    plan = documents.a_plan(documents.a_document(PROPERTIES, QUALITY, DROP))
    judged = judge(spark, tmp_path, plan, {"a.csv": FILE})

    table = dq_summary(spark, stored(tmp_path, plan))
    assert table.columns[: len(COLUMNS)] == COLUMNS
    rows = {row.rule_id: row for row in table.collect()}
    assert {name: counts_of(rows[name]) for name in COUNTS} == COUNTS
    small, there = rows["it's small"], rows["there"]
    assert str(small.last_modified) == "2026-11-21 11:59:58.250000"
    assert json.loads(small.metadata_json_string) == {"brand": "one", "schedule": "daily", "tags": ["one", "two"]}
    assert json.loads(there.metadata_json_string) == {"businessImpact": "none of ours"}
    assert (rows["pairs"].metadata_json_string, small.progress_watermark, small.dataplex_lake) == ("{}", True, None)
    people = spark.newSession()  # whoever looks at evidence has a Spark of their own: the job's reads no files by name
    people.conf.set("spark.sql.runSQLOnFiles", "true")
    assert [row.asDict() for row in people.sql(there.failed_records_query).collect()] == [
        {"record": 2, "id": "a", "mail": "x@y", "n": ""}
    ]
    assert [tuple(row) for row in people.sql(small.failed_records_query).collect()] == [(3, "7")]
    assert rows["pairs"].failed_records_query is None
    results = document(judged.decision(), plan, File("a.csv", len(FILE)))["checks"]
    of_there = next(check for check in results if check["id"] == "there")
    assert [(s["record"], s["note"]) for s in of_there["samples"]] == [(2, "id=a, mail=***")]
    assert [check["id"] for check in results if "about" in check] == ["there", "it's small"]
    assert of_there["about"] == {"businessImpact": "none of ours"}
