"""Files in UTF-16: the job reads what Python reads, in each byte order, and writes files that come back."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.job import JobReference
from contracts.plan import RECODED, Csv, Plan, Reference
from contracts.terms.trailer import Trailer
from functions.admission.admit import admit
from spark_jobs.spark import recoding
from spark_jobs.validate import configured
from tests.integration.spark_jobs.outputs.test_valid_rows import judged, left
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

HEAD = "id,note\r\n"
LINES = (
    "1,Müller ☃ 😀",
    "2,一上\u0a85\u0aa8",
    "x,\u0a05\u2000",
    '4,"a,b"',
    "5,\ufeffx",
    "6,\ufffd",
    "7,\u010a\u0d0a\u0a0d",
    "8,\u0a0a\u0100",
    "9,\U00010a0a",
    "10,\uffff",
    "11,\u2028",
    "-12,\u0a00",
)
"""Records with the bytes of line ends within characters and across two of them."""


def in_bytes(text: str, encoding: str, order: str = "utf-16-le") -> bytes:
    if encoding != "utf-16":
        return text.encode({"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}[encoding], "surrogatepass")
    mark = codecs.BOM_UTF16_LE if order == "utf-16-le" else codecs.BOM_UTF16_BE
    return mark + text.encode(order, "surrogatepass")


def a_contract(encoding: str, **more: object) -> Plan:
    form = {name: more.pop(name) for name in ("header", "multi_line", "trailer") if name in more}
    properties = [a_property("id", "integer"), a_property("note")]
    checks = [a_check("minimum", "id", value="0"), a_check("maxLength", "note", value=40)]
    return a_plan(properties, checks, Csv(encoding=encoding, **form), **more)  # type: ignore[arg-type]


def rejected(run: Judged, encoding: str, name: str = "a.csv") -> list[list[str]]:
    raw = (run.folder / "rejected" / name / "rejected.csv").read_bytes()
    assert raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) is (encoding == "utf-16")
    text = raw.decode({"utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}[encoding])
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("encoding", RECODED)
@pytest.mark.parametrize("least", [0, 2**62])
def test_records_are_those_of_the_text(spark: SparkSession, tmp_path: Path, encoding: str, least: int) -> None:
    plan, ends = a_contract(encoding), ("\n", "\r\n", "\r")
    order = {"utf-16": "utf-16-be"}.get(encoding, "")
    files = {f"{n}.csv": in_bytes(HEAD + end.join([*LINES, ""]), encoding, order) for n, end in enumerate(ends)}
    files["le.csv"] = in_bytes(HEAD + "\n".join(LINES), encoding)
    run = judge(spark, tmp_path, plan, files, sift_from=least)
    for name in files:
        drop = run.drop(name)
        assert (drop.read, drop.rejected, drop.valid) == (len(LINES), 2, len(LINES) - 2), drop
        own = [row[:3] for row in rejected(run, encoding, name)]
        assert own == [["id", "note", "_record"], ["x", "\u0a05\u2000", "3"], ["-12", "\u0a00", "12"]]
        assert [row.line for row in run.evidence(spark, name)] == [4, 13]


BROKEN = ("1,a\ud800", "2,b", "3,\udc00c", "4,\0", "5,d\ud83d\ud83d\ude00", "6,e")


@pytest.mark.parametrize("encoding", RECODED)
def test_half_a_character_fails_only_its_own_record(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    files = {
        "a.csv": in_bytes(HEAD + "\n".join(BROKEN) + "\n", encoding),
        "odd.csv": in_bytes(HEAD + "1,a\n2,b", encoding) + b"x",
        "high.csv": in_bytes(HEAD + "1,a\n2,b\ud83d", encoding),
    }
    run = judge(spark, tmp_path, a_contract(encoding), files)
    failing = {(row.file, row.record): list(row.checks) for row in run.evidence(spark)}
    wrong = [("a.csv", 1), ("a.csv", 3), ("a.csv", 4), ("a.csv", 5), ("high.csv", 2), ("odd.csv", 2)]
    assert failing == {key: ["record.text"] for key in wrong}
    assert [run.drop(name).read for name in files] == [6, 2, 2]
    assert "in UTF-16" in run.decision().problems[0].message


FORMS = ({"header": False}, {"multi_line": True}, {"trailer": Trailer("T", rows=2)})


@pytest.mark.parametrize(("encoding", "form"), list(zip(RECODED, FORMS, strict=True)))
def test_other_forms_of_csv_are_read(
    spark: SparkSession, tmp_path: Path, encoding: str, form: dict[str, object]
) -> None:
    plan = a_contract(encoding, **form)
    note = '"a\r\n☃"' if plan.csv.multi_line else "☃"
    text = f"{HEAD if plan.csv.header else ''}1,{note}\r\n-2,b\r\n{'T,2' if plan.csv.trailer else ''}"
    run = judge(spark, tmp_path, plan, {"a.csv": in_bytes(text, encoding)})
    assert (run.drop().read, run.drop().rejected, run.drop().failure) == (2, 1, None)
    assert rejected(run, encoding)[-1][:3] == ["-2", "b", "2"]


@pytest.mark.parametrize("encoding", RECODED)
def test_corrected_file_comes_back_and_is_judged_the_same(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    plan = a_contract(encoding)
    first = judge(spark, tmp_path, plan, {"a.csv": in_bytes(f"{HEAD}-1,☃\n2,b\n", encoding)})
    raw = (tmp_path / "rejected/a.csv/rejected.csv").read_bytes()
    corrected = raw.replace(in_bytes("-1", encoding)[-4:], in_bytes("1", encoding)[-2:])
    assert len(raw) - len(corrected) == 2
    admission = admit(plan, "things/b.csv", len(corrected), lambda at, length: corrected[at : at + length])
    assert not admission.refused, admission.problems
    (tmp_path / "again").mkdir()
    again = judge(spark, tmp_path / "again", plan, {"b.csv": corrected})
    assert (first.drop().rejected, again.drop("b.csv").valid, again.drop("b.csv").rejected) == (1, 1, 0)


@pytest.mark.parametrize(("encoding", "packed"), [("utf-16", False), ("utf-16", True), ("utf-16be", True)])
def test_valid_rows_are_written_as_they_came(
    spark: SparkSession, tmp_path: Path, encoding: str, *, packed: bool
) -> None:
    plan = a_contract(encoding, promote="rows", compression="gzip" if packed else "none")
    body = in_bytes(HEAD + "1,☃ é\r\n-2,b\r\n3,😀\r\n", encoding)
    written = left(judged(spark, tmp_path, plan, a=gzip.compress(body) if packed else body), "a") or b""
    assert (gzip.decompress(written) if packed else written) == in_bytes("id,note\n1,☃ é\n3,😀\n", encoding)


def test_reference_in_utf_16_is_read(spark: SparkSession, tmp_path: Path) -> None:
    check = a_check("foreignKey", "note", to="notes", columns=["note"], text="notes.note")
    plan = replace(
        a_plan([a_property("id", "integer"), a_property("note")], [check]),
        references=(Reference("notes", path="notes.csv", csv=Csv(encoding="utf-16")),),
    )
    (tmp_path / "notes.csv").write_bytes(in_bytes("note\r\n☃\r\n", "utf-16"))
    pinned = JobReference("notes", "v1", ((tmp_path / "notes.csv").as_uri(),))
    run = judge(spark, tmp_path, plan, {"a.csv": "id,note\n1,☃\n2,x\n"}, references=[pinned])
    assert [row.record for row in run.evidence(spark)] == [2]


@pytest.mark.parametrize("size", range(2**20 - 3, 2**20 + 3))
def test_characters_may_lie_across_pieces(spark: SparkSession, tmp_path: Path, size: int) -> None:
    """A pair of surrogates begins at each place around the end of a piece."""
    text, session = "a" * size + "😀" * 3 + "\ud800" + "é" * 2**20, configured(spark)
    for encoding in RECODED:
        (tmp_path / "a").write_bytes(in_bytes(text, encoding))
        uris = (tmp_path / "a").as_uri(), (tmp_path / "b").as_uri()
        recoding.to_utf8(session, Csv(encoding=encoding), *uris, packed=False)
        assert (tmp_path / "b").read_bytes().decode() == text.replace("\ud800", "\0")


def test_file_that_lost_its_mark_since_admission_fails(spark: SparkSession, tmp_path: Path) -> None:
    text = HEAD + "1,a\n"
    files = {"a.csv": in_bytes(text, "utf-16le"), "b.csv": in_bytes(text, "utf-16")}
    run = judge(spark, tmp_path, a_contract("utf-16"), files)
    assert run.drop().failure is not None
    assert (run.drop().failure.code, run.drop("b.csv").valid) == ("unreadable", 1)  # type: ignore[union-attr]
