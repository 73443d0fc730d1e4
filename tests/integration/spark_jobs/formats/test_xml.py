"""XML through the job: records with their places and reasons, whole files that are refused, and rows for a table."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text, load_plan
from contracts.job import JobResult
from contracts.plan import Archive, Columns, Plan
from spark_jobs.validate import run
from tests.integration.spark_jobs.world import Judged, a_request, judge
from tests.packing import zipped

CONTRACT = Path(__file__).parents[3] / "e2e" / "contracts" / "sales" / "entries.v1.yaml"
HEAD = '<?xml version="1.0"?>\n<s:statement xmlns:s="urn:example:statement:1"><s:entries>'
END = "</s:entries></s:statement>"


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Entries of a statement."""
    return load_plan(CONTRACT)


def entry(n: int, amount: str = "1.50", more: str = "", attributes: str = "") -> str:
    """An entry with a number."""
    return f'<s:entry id="{n}" {attributes}><s:amount currency="EUR">{amount}</s:amount>{more}</s:entry>\n'


def rejected(judged: Judged, name: str = "a.xml") -> list[dict[str, object]]:
    """The rejected rows of a file."""
    lines = (judged.folder / "rejected" / name / "rejected.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_records_have_places_and_reasons_of_xml(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    entries = [
        *(entry(n) for n in range(1, 5)),
        entry(5, "1,50"),
        entry(6, more="<s:vat>1</s:vat>"),
        entry(7, more="x"),
        entry(8, more="<s:tag>a</s:tag><s:tag>b</s:tag>"),
        entry(8),
        entry(10, attributes='kind="x"'),
    ]

    judged = judge(spark, tmp_path, plan, {"a.xml": HEAD + "".join(entries) + END})

    facts = judged.drop("a.xml")
    assert (facts.read, facts.valid, facts.rejected) == (10, 6, 4)
    problems = {p.check: p for p in judged.decision("a.xml").problems}
    assert {check: str(p.place) for check, p in problems.items()} == {
        "record.object": "record 7, statement/entries/entry[7]",
        "record.knownKeys": "record 6, statement/entries/entry[6]",
        "amount['#text'].logicalType": "record 5, statement/entries/entry[5]",
        "@id.unique": "record 8, statement/entries/entry[8]",
    }
    assert "it has text beside other elements" in problems["record.object"].message
    assert [sample.value for sample in judged.count("record.knownKeys", "a.xml").samples] == ["vat", "@kind"]
    rows = rejected(judged)
    assert [row["_record"] for row in rows] == [5, 6, 7, 10]
    assert rows[0]["amount"] == {"#text": "1,50", "@currency": "EUR"}
    assert "line" in rows[2]


def test_evidence_has_the_records_as_json(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    judged = judge(spark, tmp_path, plan, {"a.xml": HEAD + entry(1, "x") + END})

    (row,) = judged.evidence(spark)
    assert (row.record, row.line, row.element) == (1, None, "statement/entries/entry[1]")
    assert json.loads(row.raw)["amount"] == {"#text": "x", "@currency": "EUR"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (HEAD + entry(1) * 10 + "<s:entry>", "broken-xml"),
        (HEAD + entry(1) + END + "<x/>", "broken-xml"),
        (HEAD + entry(1) + "<s:entry>&nbsp;</s:entry>" + END, "broken-xml"),
        (HEAD.replace("?>\n", "?>\n<!DOCTYPE s>") + entry(1) + END, "xml-doctype"),
    ],
)
def test_damaged_document_is_refused_by_the_job_as_well(
    spark: SparkSession, tmp_path: Path, plan: Plan, body: str, code: str
) -> None:
    sound = HEAD + entry(1) + END
    request = a_request(tmp_path, plan, {"a.xml": sound, "b.xml": sound})
    (tmp_path / "stage" / "a.xml").write_text(body)
    (tmp_path / "request.json").write_text(request.dumps())
    run(spark, (tmp_path / "request.json").as_uri())
    judged = Judged(plan, JobResult.loads((tmp_path / "result.jsonl").read_bytes()), tmp_path)

    refusal = judged.drop("a.xml").refusal
    assert refusal is not None
    assert refusal.code == code
    assert judged.decision("b.xml").verdict == "accepted"


def test_documents_are_read_packed_and_in_archives(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    first, second = (HEAD + entry(n) + entry(n + 1, "x") + END for n in (1, 3))
    packed = judge(spark, tmp_path, replace(plan, compression="gzip"), {"a.xml": gzip.compress(first.encode())})
    assert (packed.drop("a.xml").valid, packed.drop("a.xml").rejected) == (1, 1)

    archived = replace(plan, archive=Archive("zip", "*.xml"))
    body = zipped({"a.xml": first.encode(), "b.xml": second.encode()})
    (tmp_path / "zip").mkdir()
    judged = judge(spark, tmp_path / "zip", archived, {"a.zip": body})

    problem = next(p for p in judged.decision("a.zip").problems if p.check == "amount['#text'].logicalType")
    assert str(problem.place) == "record 2, a.xml:statement/entries/entry[2]"
    samples = judged.count("amount['#text'].logicalType", "a.zip").samples
    assert [str(s.place) for s in samples][1] == "record 4, b.xml:statement/entries/entry[2]"


def test_what_is_ignored_is_not_read(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    ignoring = replace(
        plan,
        columns=Columns(extra="ignore"),
        checks=tuple(c for c in plan.checks if c.id != "record.knownKeys"),
    )

    body = HEAD + entry(1, more="<s:note>a<s:b/></s:note>", attributes='kind="x"') + END
    judged = judge(spark, tmp_path, ignoring, {"a.xml": body})

    assert judged.decision("a.xml").verdict == "accepted"


FORMED = """\
apiVersion: v3.2.0
kind: DataContract
id: formed
version: 1.0.0
status: active
schema:
  - name: formed
    properties:
      - {name: id, logicalType: integer, required: true}
      - {name: total, logicalType: number, physicalType: "decimal(12,2)", logicalTypeOptions: {maximum: 1234.5}}
      - {name: day, logicalType: date, logicalTypeOptions: {minimum: "2024-01-01"}}
      - {name: at, logicalType: timestamp}
      - {name: paid, logicalType: boolean}
customProperties:
  - property: drop
    vendor: dropgate
    value:
      files: partner/*.xml
      producer: partner
      format: xml
      xml: {record: all/one}
      values:
        {decimalChar: ",", groupChar: ".", trueValues: [J], falseValues: [N], formats: [d.M.yyyy, "d.M.yyyy H:mm"]}
"""


def test_values_are_those_of_their_form(spark: SparkSession, tmp_path: Path) -> None:
    compiled = compile_text(FORMED.encode(), "formed.v1.yaml")
    assert compiled.plan, compiled.findings
    rows = [
        ("1.000", "1.234,50", "1.1.2024", "1.1.2024 9:05", "J"),
        ("2", "1234.5", "2024-01-01", "2024-01-01T09:05:00Z", "true"),
        ("3", "1.234,51", "31.12.2023", "x", "N"),
    ]
    names = ("id", "total", "day", "at", "paid")
    body = "".join(f"<one>{''.join(f'<{n}>{v}</{n}>' for n, v in zip(names, row, strict=True))}</one>" for row in rows)
    judged = judge(spark, tmp_path, compiled.plan, {"a.xml": f"<all>{body}</all>"})

    facts = judged.drop("a.xml")
    failed = {check: judged.count(check, "a.xml").failed for check in judged.result.header.checks}
    assert (facts.failure, facts.refusal, facts.read, facts.valid) == (None, None, 3, 1)
    assert {check: count for check, count in failed.items() if count} == {
        "total.logicalType": 1,
        "total.maximum": 1,
        "day.logicalType": 1,
        "day.minimum": 1,
        "at.logicalType": 2,
        "paid.logicalType": 1,
    }
    samples = judged.count("total.logicalType", "a.xml").samples
    assert [(str(s.place), s.value) for s in samples] == [("record 2, all/one[2]", "1234.5")]
