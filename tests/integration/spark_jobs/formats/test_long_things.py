"""Long records, cells and texts: the same answer wherever in a file they stand, and a true word at the real limit."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.place import Place
from contracts.plan import Compression, Csv, FileFormat, Plan
from contracts.values.long_lines import KEPT, LONGEST
from functions.admission.admit import admit
from tests.integration.spark_jobs.world import Judged, a_plan, a_property, judge
from tests.layouts import plan_of

MIB = 1 << 20
BARE = a_plan([a_property("id", "integer"), a_property("note")], csv=Csv(header=False))
JSONL = a_plan([a_property("id", "integer"), a_property("note")], file_format="jsonl")
LONG = {
    "over 64 KiB": b"x" * 70_000,
    "over 1 MiB": b"x" * 2 * MIB,
    "20,000 delimiters": b'"' + b"," * 20_000 + b'"',
    "40,000 delimiters and quotes": b'"' + b',""' * 40_000 + b'"',
}


def _verdicts(judged: Judged, names: list[str]) -> dict[str, str | None]:
    return {name: judged.decision(name).verdict for name in names}


def _reading(body: bytes) -> Callable[[int, int], bytes]:
    return lambda at, most: body[at : at + most]


def _packed(plan: Plan, body: bytes) -> bytes:
    return body if plan.compression == "none" else gzip.compress(body, 1)


def _placed(long: bytes, short: bytes, above: bytes = b"") -> dict[str, bytes]:
    """Files with a long record as the first, in the middle, and as the last one without a line end."""
    return {
        "first": above + long + b"\n" + short * 2,
        "middle": above + short * 20_000 + long + b"\n" + short * 20_000,
        "last": above + short * 20_000 + long,
    }


HEADED = replace(BARE, csv=Csv())
FORMS = {
    "no header": BARE,
    "header": HEADED,
    "no header, over lines": replace(BARE, csv=replace(BARE.csv, multi_line=True)),
    "header, over lines": replace(HEADED, csv=replace(HEADED.csv, multi_line=True)),
    "no header, gzip": replace(BARE, compression="gzip"),
    "header, gzip": replace(HEADED, compression="gzip"),
}


@pytest.mark.parametrize("form", FORMS)
def test_long_record_of_csv_is_one_wherever_it_stands(spark: SparkSession, tmp_path: Path, form: str) -> None:
    plan = FORMS[form]
    above = b"id,note\n" if plan.csv.header else b""
    files = {
        f"{where}-{n}{plan.suffix}": _packed(plan, body)
        for n, cell in enumerate(LONG.values())
        for where, body in _placed(b"1," + cell, b"2,b\n", above).items()
    }
    for name, body in files.items():
        assert not admit(plan, "a/b.csv", len(body), _reading(body)).refused, name
    judged = judge(spark, tmp_path, plan, files)
    assert _verdicts(judged, list(files)) == dict.fromkeys(files, "accepted")


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_long_line_of_json_is_one_wherever_it_stands(
    spark: SparkSession, tmp_path: Path, compression: Compression
) -> None:
    plan = replace(JSONL, compression=compression)
    files = {
        f"{where}-{size}{plan.suffix}": _packed(plan, body)
        for size in (70_000, 2 * MIB, 30_000_000)
        for where, body in _placed(b'{"id": 1, "note": "' + b"x" * size + b'"}', b'{"id": 2}\n').items()
    }
    for name, body in files.items():
        assert not admit(plan, "a/b.jsonl", len(body), _reading(body)).refused, name
    judged = judge(spark, tmp_path, plan, files)
    assert _verdicts(judged, list(files)) == dict.fromkeys(files, "accepted")


def test_line_of_json_beyond_the_limit_says_so(spark: SparkSession, tmp_path: Path) -> None:
    beyond = b'{"note": "' + b"x" * (LONGEST - 10) + "é\0".encode() + b'", "id": 1}\n'  # the cut is within a character
    judged = judge(spark, tmp_path, JSONL, {"a.jsonl": b'{"id": 2}\n' + beyond})
    (problem,) = judged.decision("a.jsonl").problems
    assert problem.message == (
        "1 of 2 records (50.0 %) is not exactly one JSON object (record 2, line 2: it has more than 32 MiB)."
    )


TOO_LONG = "has more than 32 MiB, the most that is read of a line."
PLANS = {
    "csv": BARE,
    "csv over lines": replace(BARE, csv=replace(BARE.csv, multi_line=True)),
    "csv in windows-1252": replace(BARE, csv=replace(BARE.csv, encoding="windows-1252")),
    "csv by gzip": replace(BARE, compression="gzip"),
}


@pytest.mark.parametrize("sift_from", [None, 0], ids=["spark", "prefiltered"])
@pytest.mark.parametrize("form", PLANS)
def test_line_beyond_the_limit_fails_one_check_alone(
    spark: SparkSession, tmp_path: Path, form: str, sift_from: int | None
) -> None:
    plan = PLANS[form]
    sign = "é".encode(plan.csv.encoding) * 2  # the cut may be within a character
    whole = b"2," + b"x" * (LONGEST - 2)
    beyond = b'3,"' + b"x" * (LONGEST - 8) + sign + b"\x00 and more"
    body = b"1,a\n" + whole + b"\n" + beyond + (b'"' if plan.csv.multi_line else b"") + b"\n4,b\n"
    name = f"a{plan.suffix}"
    judged = judge(spark, tmp_path, plan, {name: _packed(plan, body)}, sift_from=sift_from)

    facts = judged.result.drops[0]
    assert (facts.read, facts.rejected, facts.failure) == (4, 1, None)
    assert {check.id: check.failed for check in judged.decision(name).checks if check.failed} == {"record.fields": 1}
    (problem,) = judged.decision(name).problems
    assert (problem.place, problem.message) == (Place(3, 3), f"1 of 4 records (25.0 %) {TOO_LONG}")
    (row,) = spark.read.parquet(f"{tmp_path}/rows").selectExpr("record", "octet_length(raw) as size").collect()
    assert (row.record, row.size) == (3, KEPT)


@pytest.mark.parametrize("sift_from", [None, 0], ids=["spark", "prefiltered"])
def test_line_of_fixed_width_beyond_the_limit_fails_its_length_alone(
    spark: SparkSession, tmp_path: Path, sift_from: int | None
) -> None:
    body = b"D00123400001234Ada  \n" + b"x" * (LONGEST - 1) + "é".encode() + b"\x00\n"
    judged = judge(spark, tmp_path, plan_of({}), {"a.txt": body}, sift_from=sift_from)
    decision = judged.decision("a.txt")
    assert {check.kind: check.failed for check in decision.checks if check.failed} == {"lineLength": 1}
    assert decision.problems[0].message == f"1 of 2 records (50.0 %) {TOO_LONG}"


@pytest.mark.parametrize("plan", [HEADED, JSONL], ids=["csv", "jsonl"])
def test_line_of_90_mib_ends_its_file_alone(spark: SparkSession, tmp_path: Path, plan: Plan) -> None:
    top, row = (b"", b'{"id": 1}\n') if plan is JSONL else (b"id,note\n", b"1,a\n")
    long, good = f"long{plan.suffix}", f"good{plan.suffix}"
    judged = judge(spark, tmp_path, plan, {long: top + row + b"x" * 90 * MIB + b"\n" + row, good: top + row})

    assert [(d.read, d.rejected, d.failure) for d in judged.result.drops] == [(3, 1, None), (1, 0, None)]
    assert _verdicts(judged, [long, good]) == {long: "rejected", good: "accepted"}
    assert [row.record for row in judged.evidence(spark)] == [2]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_many_columns_of_numbers_are_read(spark: SparkSession, tmp_path: Path, form: FileFormat) -> None:
    names = [f"n{n}" for n in range(800)]
    plan = a_plan([a_property(name, "number") for name in names], file_format=form)
    rows = [dict.fromkeys(names, "1.5"), {**dict.fromkeys(names, "1.5"), "n799": "1e999"}]
    lines = [",".join(names), *(",".join(row.values()) for row in rows)]
    if form == "jsonl":
        lines = ["{" + ", ".join(f'"{name}": {text}' for name, text in row.items()) + "}" for row in rows]
    judged = judge(spark, tmp_path, plan, {f"a.{form}": "\n".join([*lines, ""])})

    assert judged.count("n799.logicalType", f"a.{form}").failed == 1
    assert judged.count("n0.logicalType", f"a.{form}").failed == 0
