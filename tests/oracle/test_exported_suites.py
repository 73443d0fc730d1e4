"""Suites of Great Expectations against the job: what they make of one file, each check beside what it became.

The library runs the suite by itself over rows of one contract; for `make torture` suites of many, as checks of the same
plan, over the columns that the job has read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts import rules
from contracts.authoring.exports import dbt
from contracts.authoring.exports.exported import Contract
from contracts.authoring.exports.great_expectations import write
from contracts.authoring.exports.reading import read
from contracts.authoring.quality.expectations.core_expectations import expectations
from contracts.job import Count
from contracts.plan import HOLDS_TRUE, Check, Plan
from infra.setup.expectations import bring
from tests.integration.spark_jobs.world import Judged
from tests.oracle import cases, running
from tests.oracle.test_exported import read_back
from tests.unit.contracts.authoring.documents import FILE, a_document

PROPERTIES = """\
- {name: id, logicalType: integer, primaryKey: true, logicalTypeOptions: {minimum: 1, maximum: 100}}
- name: code
  logicalType: string
  required: true
  unique: true
  logicalTypeOptions: {minLength: 2, maxLength: 4, pattern: "^[A-Z]+$"}
- {name: country, logicalType: string, enum: [{value: AT}, {value: DE}]}
- name: x
  logicalType: number
  logicalTypeOptions: {exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.5}
  quality:
    - {metric: nullValues, mustBeLessOrEqualTo: 10, unit: percent}
    - {metric: nullValues, id: few-nulls, mustBeLessThan: 90, unit: percent, severity: warning}
    - {type: custom, engine: dropgate, implementation: {metric: mean, mustBeBetween: [0, 1]}}
    - {type: custom, engine: dropgate, implementation: {metric: stdev, mustBeGreaterThan: 0}}
    - {type: custom, engine: dropgate, implementation: {metric: min, mustBeGreaterOrEqualTo: -1}}
    - {type: custom, engine: dropgate, implementation: {metric: max, mustBeLessThan: 10}}
    - {type: custom, engine: dropgate, implementation: {metric: sum, mustBe: 21}}
- {name: price, logicalType: number, physicalType: "decimal(8,2)", logicalTypeOptions: {minimum: 0.5}}
- {name: day, logicalType: date, logicalTypeOptions: {minimum: "2026-01-02", maximum: "2026-01-04"}}
- {name: mail, logicalType: string, logicalTypeOptions: {format: email}}
- name: note
  logicalType: string
  quality:
    - {metric: missingValues, mustBe: 0, arguments: {missingValues: [N/A]}}
    - {type: custom, engine: dropgate, implementation: {metric: notBlank, mustBe: 0}}
    - {type: custom, engine: dropgate, implementation: {metric: regex, pattern: a, mustBe: 0}}
- {name: byte, logicalType: integer, logicalTypeOptions: {format: u8}}
- name: word
  logicalType: string
  quality:
    - {metric: nullValues, mustBe: 0, severity: warning}
    - {metric: invalidValues, mustBe: 0, arguments: {validValues: [a, b]}}
"""
QUALITY = """\
- {metric: rowCount, mustBeGreaterThan: 7}
- {metric: rowCount, id: many, mustBeLessThan: 7}
- {type: custom, engine: dropgate, implementation: {metric: expression, expression: "id <= byte"}}
"""
ROWS = """\
id,code,country,x,price,day,mail,note,byte,word
1,AB,AT,0.5,1.00,2026-01-02,a@b.at,a,1,a
2,ABCDE,DE,10,0.49,2026-01-01,a.b,banana,255,b
2,A,FR,0,,2026-01-05,,N/A,256,c
,AB,AT,0.7,9.99,,a@b.de,"  ",-1,
101,ab,,9.5,0.50,2026-01-04,x,,0,
0,,de,,x,soon,a@b.at,bcd,7,a
7,XY,DE,,1.5,2026-01-03,a@b.at,a,7,b
8,QR,DE,,1.5,2026-01-03,a@b.at,a,6,b
"""
COLUMNS = (
    "id bigint, code string, country string, x double, price decimal(8,2), day date, mail string, note string, "
    "byte bigint, word string"
)
KINDS = (
    *("required", "unique", "primaryKey", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minLength", "maxLength", "pattern", "regex", "notBlank", "format", "nullValues", "missingValues"),
    *("invalidValues", "rowCount", "expression", "mean", "max", "sum"),
)
"""What must be found broken here."""
NULLS = ("required", "nullValues", "primaryKey")


@pytest.fixture(scope="module")
def library(spark: SparkSession) -> Iterator[SparkSession]:
    """A Spark that finds Great Expectations."""
    bring(spark, lambda _: None)
    yield spark
    spark.sparkContext.environment.pop("PYTHONPATH", None)


def beside(contract: Contract) -> tuple[Plan, dict[str, list[str]]]:
    """The plan with a check for each expectation of its suite; their ids by the check that they came from."""
    suite, made = json.loads(write(contract).text), dict[str, list[str]]()
    several, by_id = [], {check.id: check for check in contract.plan.checks}
    for n, one in enumerate(suite["expectations"]):
        source, about = one["meta"].get("check", ""), expectations()[one["type"]].about
        names = by_id[source].properties() if source else ()
        rule = rules.Expectation(one["type"], one["kwargs"], about, names)
        own = Check(f"gx{n}", rule, "set", "warning", "", "", threshold=HOLDS_TRUE)
        several.append(own)
        made.setdefault(source, []).append(own.id)
    return replace(contract.plan, checks=(*contract.plan.checks, *several)), made


def judged(spark: SparkSession, folder: Path, plan: Plan, files: Mapping[str, bytes]) -> Judged:
    """Return the job's result for the files that admission lets in."""
    admitted = {name: running.look(plan, body) for name, body in files.items()}
    let_in = {name: body for name, body in files.items() if not admitted[name].refused}
    return running.judged_by_job(spark, folder, plan, let_in, admitted)[0]


def compared(run: Judged, theirs: Mapping[str, list[Count]], name: str) -> Iterator[tuple[Check, Any, Any]]:
    """Yield each check that was made of a file, its outcome, and the outcome of the expectations that it became."""
    results = {one.id: one.result for one in run.decision(name).checks}
    for check in run.plan.checks:
        own, count = theirs.get(check.id, []), run.count(check.id, name)
        if own and count.state == "counted" and count.evaluated and _is_comparable(run, check, name):
            assert {one.state for one in own} == {"counted"}, (check, own)
            yield check, _outcome(check, count, results[check.id]), _together(check, own)


def _is_comparable(run: Judged, check: Check, name: str) -> bool:
    """Return whether nulls of a column are cells without a value: unreadable cells are null there as well."""
    misfits = (c.id for c in run.plan.checks if c.kind == "logicalType" and c.property in check.properties())
    return check.kind not in NULLS or not any(run.count(one, name).failed for one in misfits)


def _outcome(check: Check, count: Count, result: str) -> tuple[bool, int | None]:
    """Return whether a check holds, and the number of records that fail it; None for shares and figures."""
    if len(check.properties()) > 1 and check.kind != "expression":  # a record without a key has several nulls
        return not count.failed, None
    if check.threshold or (check.tolerance and check.tolerance.value):
        return result == "passed" or (
            check.threshold is None and check.tolerance is not None and _is_within(check, count)
        ), None
    return not count.failed, count.failed


def _is_within(check: Check, count: Count) -> bool:
    return bool(check.tolerance and check.tolerance.allows(count.failed, count.evaluated))


def _together(check: Check, own: list[Count]) -> tuple[bool, int | None]:
    holds = all(one.figure == Decimal(1) for one in own)
    if check.threshold or (check.tolerance and check.tolerance.value):
        return holds, None
    if len(check.properties()) > 1 and check.kind != "expression":
        return holds, None
    by_query = [one.observed for one in own if not one.failed and one.observed]
    return holds, sum(one.failed for one in own) or sum(int(text or 0) for text in by_query)


def natively(spark: SparkSession, frame: DataFrame, suite: dict[str, Any]) -> dict[str, list[Count]]:
    """Return the library's results by check, for the suite as written; the columns have Spark's own types."""
    import great_expectations as gx  # noqa: PLC0415 (on the path from here on)

    rows = frame.count()
    context: Any = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_spark("s").add_dataframe_asset("a")
    batch = asset.add_batch_definition_whole_dataframe("b").get_batch({"dataframe": frame})
    batch.data.execution_engine.spark = spark
    loaded = gx.ExpectationSuite(**suite)
    assert {one.severity.value for one in loaded.expectations} <= {"critical", "warning"}
    by_check: dict[str, list[Count]] = {}
    for one in batch.validate(loaded).results:
        result, figure = one.result, Decimal(int(one.success))
        count = Count(rows, result.get("unexpected_count") or 0, figure=figure)
        seen = None if "element_count" in result else str(result["observed_value"])
        by_check.setdefault(one.expectation_config.meta.get("check", ""), []).append(replace(count, observed=seen))
    return by_check


def test_suite_finds_what_the_checks_find(library: SparkSession, tmp_path: Path) -> None:
    reading = read(a_document(PROPERTIES, QUALITY).encode(), FILE)
    assert reading.contract, reading.findings
    written = write(reading.contract)
    run = judged(library, tmp_path, reading.contract.plan, {"a.csv": ROWS.encode()})
    lines = library.createDataFrame([(line,) for line in ROWS.splitlines()[1:]], "value string")
    frame = lines.select(sf.from_csv("value", COLUMNS, {"mode": "PERMISSIVE"}).alias("r")).select("r.*")
    theirs = natively(library, frame, json.loads(written.text))

    each = list(compared(run, theirs, "a.csv"))
    assert {check.id: ours for check, ours, _ in each} == {check.id: theirs for check, _, theirs in each}
    assert {check.id for check, *_ in each} == written.carried
    assert set(KINDS) - {check.kind for check, (holds, _), _ in each if not holds} == set()
    assert [one.figure for one in theirs[""]] == [Decimal(1)]  # the columns are as agreed


NESTED = """\
- {name: id, logicalType: integer, required: true}
- name: to
  logicalType: object
  properties:
    - {name: city, logicalType: string, required: true}
    - {name: zip.code, logicalType: integer, logicalTypeOptions: {minimum: 5}}
    - {name: geo, logicalType: object, properties: [{name: lat, logicalType: number}]}
- name: lines
  logicalType: array
  logicalTypeOptions: {minItems: 1}
  items: {logicalType: object, properties: [{name: sku, logicalType: string, enum: [{value: a}]}]}
"""
NESTED_ROWS = """\
{"id": 1, "to": {"city": "x", "zip.code": 7, "geo": {"lat": 1}}, "lines": [{"sku": "a"}]}
{"id": 2, "to": {"zip.code": 4}, "lines": []}
{"id": null, "to": null, "lines": [{"sku": "a"}, {"sku": "b"}, null]}
"""


def test_suite_of_a_nested_contract_finds_what_the_checks_find(library: SparkSession, tmp_path: Path) -> None:
    drop = "files: shop/*.jsonl\nproducer: shop\nformat: jsonl\n"
    reading = read(a_document(NESTED, drop=drop).encode(), FILE)
    assert reading.contract, reading.findings
    written, model = write(reading.contract), yaml.safe_load(dbt.write(reading.contract).text)["models"][0]
    run = judged(library, tmp_path, reading.contract.plan, {"a.jsonl": NESTED_ROWS.encode()})
    columns = ", ".join(f"`{column['name']}` {column['data_type']}" for column in model["columns"])
    lines = library.createDataFrame([(line,) for line in NESTED_ROWS.splitlines()], "value string")
    frame = lines.select(sf.from_json("value", columns).alias("r")).select("r.*")
    theirs = natively(library, frame, json.loads(written.text))

    each = {check.id: (ours, others) for check, ours, others in compared(run, theirs, "a.jsonl")}
    assert {ours == others for ours, others in each.values()} == {True}, each
    assert {i for i, (ours, _) in each.items() if ours == (False, 1)} == {
        *("id.required", "to.city.required", "to['zip.code'].minimum", "lines.minItems", "lines[].sku.enum"),
    }
    assert [one.figure for one in theirs[""]] == [Decimal(1)]


@pytest.mark.torture
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_suites_find_what_the_checks_find_in_any_file(library: SparkSession, tmp_path: Path, form: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(10):
        generated = cases.without_spark(cases.FORMS[form], f"suite {seed}", 3)
        plan, made = beside(read_back(generated.contract.document))
        run = judged(library, tmp_path / str(seed), plan, generated.files)
        for drop in run.result.drops:
            if not drop.counts or b"0000" in generated.files[drop.drop]:  # days that the library has no values for
                continue
            by_check = {check: [run.count(one, drop.drop) for one in several] for check, several in made.items()}
            for check, ours, theirs in compared(run, by_check, drop.drop):
                assert ours == theirs, (seed, drop.drop, check)
                seen[f"{check.kind} {ours[0]}"] += 1
    assert len(seen) > 15
