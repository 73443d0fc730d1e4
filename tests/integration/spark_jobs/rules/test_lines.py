"""The physical line of each failing record: in the evidence and in samples, whatever stands before it in the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.place import Place
from contracts.plan import Csv, FileFormat, Plan
from tests.integration.spark_jobs.world import Judged, a_plan, a_property, judge
from tests.unit.contracts.authoring import documents

PROPERTIES = [a_property("id", "integer"), a_property("note")]


def plan(file_format: FileFormat = "csv", **csv: object) -> Plan:
    return a_plan(PROPERTIES, csv=replace(Csv(), **csv), file_format=file_format)  # type: ignore[arg-type]


HEADED, BARE, FOLDED, JSONL = plan(), plan(header=False), plan(multi_line=True), plan("jsonl")
MANY = b"".join(b"%d,a\n%s" % (n, b"\n" * (n % 3 == 0)) for n in range(1, 1001))
CASES: dict[str, tuple[Plan, bytes, list[tuple[int, int]]]] = {
    "header": (HEADED, b"id,note\n1,a\nx,b\n3\n", [(2, 3), (3, 4)]),
    "no header": (BARE, b"1,a\nx,b\n", [(2, 2)]),
    "empty lines": (HEADED, b"id,note\n\n1,a\n\n\r\nx,b\n\ny,c", [(2, 6), (3, 8)]),
    "empty lines between CRs": (BARE, b"1,a\r\r\rx,b\r\n\r\ny,c\r", [(2, 4), (3, 6)]),
    "many empty lines": (HEADED, b"id,note\n" + MANY + b"x,b\n", [(1001, 1 + 1000 + 333 + 1)]),
    "over lines": (FOLDED, b'id,note\n1,"a\nb\r\nc"\n\nx,"d\n"\ny,e\n', [(2, 6), (3, 8)]),
    "json": (JSONL, b'{"id": 1}\n{"id": "x"}\n[1]\n', [(2, 2), (3, 3)]),
    "json, empty lines": (JSONL, b'\n{"id": 1}\n\n{"id": "x"}\n', [(2, 4)]),
}


@pytest.fixture(scope="module")
def judged(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    """By case, the run over all files of its plan: each file of a case beside the same without what fails."""
    runs = []
    for n, own in enumerate((HEADED, BARE, FOLDED, JSONL)):
        bodies = {name: body for name, (plan, body, _) in CASES.items() if plan is own}
        good = {f"good {name}": body.replace(b"x", b"9").replace(b"y", b"8") for name, body in bodies.items()}
        run = judge(spark, tmp_path_factory.mktemp(f"lines{n}"), own, {**bodies, **good})
        runs.append(dict.fromkeys(bodies, run))
    return {name: run for by_case in runs for name, run in by_case.items()}


@pytest.mark.parametrize("name", CASES)
def test_failing_records_have_their_lines(spark: SparkSession, judged: dict[str, Judged], name: str) -> None:
    expected = CASES[name][2]
    rows = judged[name].evidence(spark, name)
    assert [(row.record, row.line) for row in rows] == expected
    shown = {s.place for count in judged[name].drop(name).counts for s in count.samples}
    assert shown == {Place(*pair) for pair in expected}


def test_lines_are_counted_across_the_parts_of_a_file(spark: SparkSession, tmp_path: Path) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.files.maxPartitionBytes", "2000")
    own, body, expected = CASES["many empty lines"]
    judged = judge(session, tmp_path, own, {"a.txt": body})
    assert [(row.record, row.line) for row in judged.evidence(session)] == expected


def test_records_of_keys_and_queries_have_their_lines(spark: SparkSession, tmp_path: Path) -> None:
    properties = "- {name: id, logicalType: string}\n- {name: note, logicalType: string, unique: true}\n"
    query = "select id from data where id is null"
    inner = f'{{metric: statement, statement: "{query}"}}'
    quality = f"- {{id: bare, type: custom, engine: dropgate, implementation: {inner}}}"
    drop = documents.DROP + "csv: {multiLine: true}\n"
    own = documents.a_plan(documents.a_document(properties, quality, drop=drop))
    uneven = b'id,note\n\n1,"a\nb"\n,c\n\n3,"a\nb"\n'
    judged = judge(spark, tmp_path, own, {"a.txt": uneven, "b.txt": b'id,note\n1,"a"\n,c\n3,"a"\n'})

    def shown(name: str, check: str) -> list[tuple[Place, str | None]]:
        return [(sample.place, sample.note) for sample in judged.count(check, name).samples]

    assert shown("a.txt", "note.unique") == [(Place(1, 3), "also record 3, line 7")]
    assert shown("b.txt", "note.unique") == [(Place(1, 2), "also record 3, line 4")]
    assert shown("a.txt", "bare") == [(Place(2, 5), None)]
    assert shown("b.txt", "bare") == [(Place(2, 3), None)]


def test_place_is_said_in_one_way() -> None:
    assert [str(Place(0)), str(Place(3)), str(Place(1200, 1302))] == [
        "the header",
        "record 3",
        "record 1,200, line 1,302",
    ]
