"""Long records, cells and texts: the same answer wherever in a file they stand, and a true word at the real limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.flaws import LONGEST
from contracts.plan import Csv
from functions.admission import admit
from tests.integration.job.world import Judged, a_plan, a_property, judge

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


@pytest.mark.parametrize("over_lines", [False, True])
def test_long_record_of_csv_is_one_wherever_it_stands(spark: SparkSession, tmp_path: Path, over_lines: bool) -> None:
    plan = replace(BARE, csv=replace(BARE.csv, multi_line=over_lines))
    files = {}
    for n, cell in enumerate(LONG.values()):
        files[f"first-{n}.csv"] = b"1," + cell + b"\n2,b\n"
        files[f"last-{n}.csv"] = b"1,a\n" * 30_000 + b"2," + cell + b"\n"
    for body in files.values():
        assert not admit(plan, "a/b.csv", len(body), lambda at, most, body=body: body[at : at + most]).refused  # type: ignore[misc]
    judged = judge(spark, tmp_path, plan, files)
    assert _verdicts(judged, list(files)) == dict.fromkeys(files, "accepted")


def test_long_line_of_json_is_one_wherever_it_stands(spark: SparkSession, tmp_path: Path) -> None:
    sizes = {"kib": 70_000, "mib": 2 * MIB, "thirty": 30_000_000}
    files = {}
    for name, size in sizes.items():
        line = b'{"id": 1, "note": "' + b"x" * size + b'"}\n'
        files[f"first-{name}.jsonl"] = line + b'{"id": 2}\n'
        files[f"last-{name}.jsonl"] = b'{"id": 2}\n' * 3 + line
    for body in files.values():
        assert not admit(JSONL, "a/b.jsonl", len(body), lambda at, most, body=body: body[at : at + most]).refused  # type: ignore[misc]
    judged = judge(spark, tmp_path, JSONL, files)
    assert _verdicts(judged, list(files)) == dict.fromkeys(files, "accepted")


def test_line_of_json_beyond_the_limit_says_so(spark: SparkSession, tmp_path: Path) -> None:
    body = b'{"id": 2}\n{"id": 1, "note": "' + b"x" * LONGEST + b'"}\n'
    judged = judge(spark, tmp_path, JSONL, {"a.jsonl": body})
    (problem,) = judged.decision("a.jsonl").problems
    assert problem.message == (
        "1 of 2 records (50.0 %) is no JSON object, or more than one (record 2, line 2: it has more than 32 MiB)."
    )
