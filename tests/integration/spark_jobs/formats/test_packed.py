"""Archives in the job: their members are one drop, with the records, lines and rows that these files have."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.files.header import valid_file
from contracts.job import JobReference, JobResult
from contracts.plan import Archive, Compression, Csv, Plan, Reference
from contracts.rules import ForeignKey
from spark_jobs.validate import run
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, judge
from tests.packing import packed, unpacked, zipped

PROPERTIES = (a_property("id", "integer"), a_property("note"))
CHECKS = (a_check("required", "id"), a_check("unique", "id", scope="set"), a_check("minimum", "id", value="0"))
ARCHIVE = Archive("zip", "*")
MEMBERS = {
    "a.csv": b"id,note\r\n1,x\r\n2,y\r\n",
    "b.csv": b'\xef\xbb\xbfid,note\n\n3,"z"\n-1,w\n,v\n',
    "c.csv": b'"id","note"',
    "d.csv": b"id,note\n1,again\nid,note\nx,",
}
PLAIN = b'id,note\n1,x\n2,y\n\n3,"z"\n-1,w\n,v\n1,again\nid,note\nx,\n'


def plan_of(**more: Any) -> Plan:
    return a_plan(PROPERTIES, CHECKS, **more)


def places(judged: Judged, check: str, name: str) -> list[str]:
    return [str(sample.place) for sample in judged.count(check, name).samples]


@pytest.mark.parametrize("sift_from", [0, 1 << 40])
@pytest.mark.parametrize("csv", [Csv(), Csv(multi_line=True)])
def test_members_are_one_drop(spark: SparkSession, tmp_path: Path, csv: Csv, sift_from: int) -> None:
    plan = plan_of(csv=csv, archive=ARCHIVE)
    both = {"a.zip": zipped(MEMBERS), "b.zip": zipped({"e.csv": PLAIN})}
    archived = judge(spark, tmp_path / "zip", plan, both, sift_from=sift_from)
    plain = judge(spark, tmp_path / "plain", plan_of(csv=csv), {"b": PLAIN}, sift_from=sift_from)

    drop, same = archived.drop("a.zip"), plain.drop("b")
    assert (drop.failure, drop.read, drop.valid, drop.rejected) == (None, same.read, same.valid, same.rejected)
    assert drop.blank == archived.drop("b.zip").blank == same.blank
    assert drop.masks == archived.drop("b.zip").masks == same.masks
    for one, other in zip(drop.counts, same.counts, strict=True):
        assert replace(one, samples=(), observed=None) == replace(other, samples=(), observed=None)
    rows = [(r.record, r.member, r.line) for r in archived.evidence(spark, "a.zip")]
    assert rows == [(4, "b.csv", 4), (5, "b.csv", 5), (7, "d.csv", 3), (8, "d.csv", 4)]
    assert "member" not in plain.evidence(spark)[0]
    assert places(archived, "id.minimum", "a.zip") == ["record 4, b.csv:4"]
    assert places(archived, "id.required", "a.zip") == ["record 5, b.csv:5"]
    assert places(archived, "id.logicalType", "a.zip") == ["record 7, d.csv:3", "record 8, d.csv:4"]
    (twin,) = archived.count("id.unique", "a.zip").samples[:1]
    assert (str(twin.place), twin.note) == ("record 1, a.csv:2", "also record 6, d.csv:2")


@pytest.mark.parametrize("sift_from", [0, 1 << 40])
def test_members_without_header_and_of_json_lines(spark: SparkSession, tmp_path: Path, sift_from: int) -> None:
    bare = plan_of(csv=Csv(header=False), archive=ARCHIVE)
    raw = zipped({"a": b"1,x\n2,y", "b": b"", "c": b"x,y\n"})
    judged = judge(spark, tmp_path / "csv", bare, {"a.zip": raw}, sift_from=sift_from)
    assert (judged.drop("a.zip").read, places(judged, "id.logicalType", "a.zip")) == (3, ["record 3, c:1"])

    lines = plan_of(file_format="jsonl", archive=ARCHIVE)
    raw = zipped({"a": b'{"id": 1, "note": "x"}\n', "b": b'{"note": "y", "id": 2}\n\n{"id": "x", "note": null}'})
    judged = judge(spark, tmp_path / "jsonl", lines, {"a.zip": raw}, sift_from=sift_from)
    assert (judged.drop("a.zip").read, places(judged, "id.logicalType", "a.zip")) == (3, ["record 3, b:3"])


def with_valid(spark: SparkSession, folder: Path, plan: Plan, body: bytes) -> bytes:
    """The packed file of valid rows that a run leaves."""
    asked = a_request(folder, plan, {"a": body})
    drops = tuple(replace(d, valid=f"{folder.as_uri()}/valid/{d.id}/") for d in asked.drops)
    (folder / "request.json").write_text(replace(asked, drops=drops).dumps())
    run(spark, (folder / "request.json").as_uri())
    judged = Judged(plan, JobResult.loads((folder / "result.jsonl").read_bytes()), folder)
    assert judged.drop("a").failure is None
    return (folder / "valid" / "a" / valid_file(plan)).read_bytes()


def test_valid_rows_of_an_archive_are_one_member(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of(archive=ARCHIVE, promote="rows")
    with zipfile.ZipFile(io.BytesIO(with_valid(spark, tmp_path, plan, zipped(MEMBERS)))) as archive:
        assert archive.namelist() == ["a.csv"]
        assert archive.read("a.csv") == b'id,note\n1,x\n2,y\n3,"z"\n1,again\n'


@pytest.mark.parametrize("compression", ["bzip2", "zstd"])
def test_file_that_changed_since_admission_fails(spark: SparkSession, tmp_path: Path, compression: Compression) -> None:
    plan = plan_of(compression=compression)
    asked = a_request(tmp_path, plan, {"a": packed(plan, PLAIN), "b": packed(plan, PLAIN), "c": packed(plan, PLAIN)})
    (tmp_path / "stage" / "a").write_bytes(packed(plan, PLAIN[:-2]))
    (tmp_path / "stage" / "b").write_bytes(packed(plan, PLAIN)[:-9])
    run(spark, _written(tmp_path, asked.dumps()))
    a, b, c = JobResult.loads((tmp_path / "result.jsonl").read_bytes()).drops
    assert "other than the" in f"{a.failure}"
    assert "could not be unpacked" in f"{b.failure}"
    assert (c.failure, c.read) == (None, 8)


def _written(folder: Path, text: str) -> str:
    (folder / "request.json").write_text(text)
    return (folder / "request.json").as_uri()


def test_archive_that_changed_since_admission_fails(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of(archive=ARCHIVE)
    asked = a_request(tmp_path, plan, {"a": zipped(MEMBERS), "b": zipped(MEMBERS)})
    (tmp_path / "stage" / "a").write_bytes(zipped({"../a.csv": PLAIN}))
    run(spark, _written(tmp_path, asked.dumps()))
    a, b = JobResult.loads((tmp_path / "result.jsonl").read_bytes()).drops
    assert "no plain path" in f"{a.failure}"
    assert (b.failure, b.read) == (None, 8)


def test_promoted_archives_are_references(spark: SparkSession, tmp_path: Path) -> None:
    theirs = replace(plan_of(archive=ARCHIVE), contract="others.v1")
    path = tmp_path / "promoted.zip"
    path.write_bytes(zipped({"a.csv": b"id,note\n1,x\n", "b.csv": b"id,note\n2,y\n"}))
    held = a_check("foreignKey", "id", to="others", columns=["id"], text="others.id")
    assert isinstance(held.rule, ForeignKey)
    plan = a_plan(PROPERTIES, [held], references=(Reference("others", contract="others.v1"),))
    pinned = JobReference("others", "v", (path.as_uri(),), theirs)
    judged = judge(spark, tmp_path / "job", plan, {"a": b"id,note\n1,x\n2,y\n3,z\n"}, references=[pinned])
    assert [str(sample.place) for sample in judged.count("id.foreignKey", "a").samples] == ["record 3, line 4"]


UTF_16: dict[str, dict[str, Any]] = {
    "zip": {"archive": ARCHIVE},
    "gzip": {"compression": "gzip"},
    "bzip2": {"compression": "bzip2"},
    "zstd": {"compression": "zstd"},
}


@pytest.mark.parametrize("form", UTF_16)
def test_packed_text_in_utf_16_is_recoded_behind_unpacking(spark: SparkSession, tmp_path: Path, form: str) -> None:
    text = "id,note\r\n1,\u0a0a\r\n\r\nx,\u0d0d\r\n3,z\r\n"
    plan = plan_of(csv=Csv(encoding="utf-16"), promote="rows", **UTF_16[form])
    judged = judge(spark, tmp_path / "job", plan, {"a": packed(plan, text.encode("utf-16"))})

    where = "record 2, part_1:4" if plan.archive else "record 2, line 4"
    assert (judged.drop("a").read, places(judged, "id.logicalType", "a")) == (3, [where])
    valid = with_valid(spark, tmp_path / "valid", plan, packed(plan, text.encode("utf-16")))
    assert unpacked(plan, valid).decode("utf-16").split() == ["id,note", "1,\u0a0a", "3,z"]
