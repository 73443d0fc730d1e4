"""JSON documents in the job: the results of the same records in JSON Lines, places of elements, damaged documents."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.job import JobReference
from contracts.plan import Archive, Compression, Json, Plan, Reference
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge
from tests.packing import packed, zipped

PROPERTIES = (a_property("id", "integer"), a_property("note"))
CHECKS = (a_check("required", "id"), a_check("unique", "id", scope="set"), a_check("minimum", "id", value="0"))
RECORDS = [
    '{"id": 1, "note": "x"}',
    '{"note": "y", "id": -2}',
    "null",
    '{"id": 1, "note": "a}, {b\\"]"}',
    '{"id": "3", "note": null}',
    '[{"id": 4}]',
    '{"id": 5, "note": "a\nb"}',
    '{"id": NaN, "note": ""}',
    '{\n  "id": 6,\n  "note": "z"\n}',
    '{"id": 7, "note": "w"} {"id": 8}',
    '{"id": 9, "id": 10}',
    "{}",
]
LINES = "\n".join(record.replace("\n", "\t") for record in RECORDS).encode()
DOCUMENTS = {
    "": "[" + ",\n".join(RECORDS) + "]",
    "data": '{"v": [0], "data": [' + ", ".join(RECORDS) + '], "more": {}}',
    "a.b": '{"a": {"b": [\r\n' + "\r\n,".join(RECORDS) + "\r\n]}}\n",
}
LARGE = '{"data": [' + ", ".join(f'{{"id": {n}, "note": "{"x" * 40}"}}' for n in range(3_000)) + "]}"
"""A document whose end is not in the first bytes that admission reads."""


def plan_of(path: str = "", **more: Any) -> Plan:
    return a_plan(PROPERTIES, CHECKS, file_format="json", json=Json(path), **more)


def places(judged: Judged, check: str, name: str = "a.csv") -> list[str]:
    return [str(sample.place) for sample in judged.count(check, name).samples]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_document_is_judged_as_the_same_json_lines(spark: SparkSession, tmp_path: Path, path: str) -> None:
    lines = judge(spark, tmp_path / "lines", a_plan(PROPERTIES, CHECKS, file_format="jsonl"), {"a": LINES})
    judged = judge(spark, tmp_path / "json", plan_of(path), {"a": DOCUMENTS[path]})
    drop, same = judged.drop("a"), lines.drop("a")
    assert (drop.failure, drop.refusal, drop.read, drop.blank) == (None, None, len(RECORDS), 0)
    assert (drop.valid, drop.rejected, drop.masks) == (same.valid, same.rejected, same.masks)
    for one, other in zip(drop.counts, same.counts, strict=True):
        assert replace(one, samples=()) == replace(other, samples=())
        assert [(s.place.record, s.value) for s in one.samples] == [(s.place.record, s.value) for s in other.samples]
    assert places(judged, "id.minimum", "a") == [f"record 2, {path}[1]" if path else "record 2"]
    twin = judged.count("id.unique", "a").samples[0]
    assert twin.note == (f"also record 4, {path}[3]" if path else "also record 4")
    evidence = judged.evidence(spark, "a")
    assert {row.line for row in evidence} == {None}
    assert "element" in evidence[0] or not path
    assert not path or all(row.element == f"{path}[{row.record - 1}]" for row in evidence)
    assert judged.result.header.plan == judged.plan.sha


def test_rejected_records_are_judged_the_same_when_they_come_again(spark: SparkSession, tmp_path: Path) -> None:
    for path, name in (("", "rejected.jsonl"), ("a.b", "rejected.json")):
        first = judge(spark, tmp_path / f"first{path}", plan_of(path), {"a": DOCUMENTS[path]})
        text = (first.folder / "rejected" / "a" / name).read_text()
        again = judge(spark, tmp_path / f"again{path}", plan_of(path), {"a": text})
        drop = again.drop("a")
        assert (drop.failure, drop.refusal, drop.read, drop.valid) == (None, None, first.drop("a").rejected, 0)
        if path:
            rows = json.loads(text)["a"]["b"]
            assert rows[0] == {"note": "y", "id": -2, "_record": 2, "_reasons": "id.minimum (at least 0)"}


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "zstd"])
def test_packed_document_is_unpacked_first(spark: SparkSession, tmp_path: Path, compression: Compression) -> None:
    plan = plan_of("data", compression=compression)
    judged = judge(spark, tmp_path, plan, {"a": packed(plan, DOCUMENTS["data"].encode())})
    assert (judged.drop("a").failure, judged.drop("a").read) == (None, len(RECORDS))
    assert places(judged, "id.minimum", "a") == ["record 2, data[1]"]


def test_members_of_an_archive_are_documents(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of("data", archive=Archive("zip", "*"))
    body = zipped(
        {"a.json": DOCUMENTS["data"].encode(), "b.json": b'{"data": []}', "c.json": DOCUMENTS["data"].encode()}
    )
    judged = judge(spark, tmp_path, plan, {"a": body})
    assert (judged.drop("a").failure, judged.drop("a").read) == (None, 2 * len(RECORDS))
    assert places(judged, "id.minimum", "a") == ["record 2, a.json:data[1]", "record 14, c.json:data[1]"]
    evidence = {row.record: (row.member, row.element) for row in judged.evidence(spark, "a")}
    assert (evidence[2], evidence[14]) == (("a.json", "data[1]"), ("c.json", "data[1]"))


def test_damaged_document_is_refused_and_others_are_judged(spark: SparkSession, tmp_path: Path) -> None:
    whole = LARGE
    files = {"good": whole, "cut": whole[:-30], "twice": whole[:-1] + ', "data": 0}', "none": '{"data": []}'}
    judged = judge(spark, tmp_path, plan_of("data", empty="accept"), files)
    codes = {name: getattr(judged.drop(name).refusal, "code", None) for name in files}
    assert codes == {"good": None, "cut": "json-cut-short", "twice": "json-key-twice", "none": None}
    assert (judged.drop("good").read, judged.drop("none").read) == (3_000, 0)
    assert judged.decision("cut").verdict == "rejected"


def test_all_documents_may_be_damaged(spark: SparkSession, tmp_path: Path) -> None:
    judged = judge(spark, tmp_path, plan_of("data"), {"a": LARGE[:-1], "b": LARGE[:-2] + ",]}"})
    assert [getattr(judged.drop(name).refusal, "code", None) for name in "ab"] == ["json-cut-short", "json-damaged"]


def test_reference_may_be_a_document(spark: SparkSession, tmp_path: Path) -> None:
    reference = Reference("ids", path="ids.json", file_format="json", json=Json("data"))
    check = a_check("foreignKey", "id", to="ids", columns=["id"], text="ids.id")
    plan = a_plan(PROPERTIES, (check,), references=(reference,))
    place = tmp_path / "ids.json"
    place.write_text('{"data": [{"id": 1}, {"id": 2}]}')
    pinned = JobReference("ids", version="1", files=(place.as_uri(),))
    judged = judge(spark, tmp_path / "job", plan, {"a": "id,note\n1,x\n7,y\n"}, references=(pinned,))
    assert (judged.count(check.id, "a").state, judged.count(check.id, "a").failed) == ("counted", 1)
