"""The job over small files: what is counted, what lies in evidence, what the verdict makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from spark_jobs.validate import compiles_huge_methods
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

PLAN = a_plan(
    [a_property("id", "integer", required=True), a_property("wind", "number"), a_property("state")],
    [
        a_check("required", "id"),
        a_check("maximum", "wind", value="360"),
        a_check("enum", "state", values=["SP", "RJ"]),
        a_check("primaryKey", "id", scope="set"),
    ],
)


HEAD = "id,wind,state\n"
FILES = {
    "clean.csv": f"{HEAD}1,12.5,SP\n2,,RJ\n3,360,\n",
    "equal.csv": f"{HEAD}1,399,SP\n2,400.0,SP\n3,400,SP\n4,4e2,SP\n",
    "failing.csv": f"{HEAD}1,400,XX\n,12,SP\n\n3,361.5,RJ\nx,1,SP\n1,,\n",
}


@pytest.fixture(scope="module")
def judged(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """One run over all files of the plan."""
    return judge(spark, tmp_path_factory.mktemp("validate"), PLAN, FILES)


def test_clean_file_has_no_rejected_rows(spark: SparkSession, judged: Judged) -> None:
    drop = judged.drop("clean.csv")
    assert (drop.read, drop.valid, drop.rejected, drop.flagged, drop.blank) == (3, 3, 0, 0, 0)
    assert judged.count("wind.maximum", "clean.csv").null == 1
    assert judged.decision("clean.csv").verdict == "accepted"
    assert judged.evidence(spark, "clean.csv") == []
    assert not (judged.folder / "rejected" / "clean.csv").exists()


def test_run_without_failing_rows_leaves_no_evidence(spark: SparkSession, tmp_path: Path) -> None:
    judge(spark, tmp_path, PLAN, {"a.csv": FILES["clean.csv"]})
    assert not (tmp_path / "rows").exists()


def test_of_equally_bad_values_the_first_is_observed(judged: Judged) -> None:
    assert judged.count("wind.maximum", "equal.csv").observed == "400.0"


def test_failing_rows_are_rejected_with_reasons(spark: SparkSession, judged: Judged) -> None:
    name = "failing.csv"
    drop = judged.drop(name)
    assert (drop.read, drop.valid, drop.rejected, drop.blank) == (5, 1, 4, 1)
    assert [(r.record, r.outcome, r.checks) for r in judged.evidence(spark, name)] == [
        (1, "rejected", ["wind.maximum", "state.enum"]),
        (2, "rejected", ["id.required"]),
        (3, "rejected", ["wind.maximum"]),
        (4, "rejected", ["id.logicalType"]),
    ]
    assert judged.count("wind.maximum", name).observed == "400"
    assert judged.count("id.primaryKey", name).failed == 3
    assert judged.count("id.primaryKey", name).samples[0].note == "also record 5, line 7"
    assert judged.decision(name).verdict == "rejected"
    assert judged.rejected(name) == [
        ["id", "wind", "state", "_record", "_reasons"],
        ["1", "400", "XX", "1", "wind.maximum (at most 360); state.enum (enum)"],
        ["", "12", "SP", "2", "id.required (a value in every record)"],
        ["3", "361.5", "RJ", "3", "wind.maximum (at most 360)"],
        ["x", "1", "SP", "4", "id.logicalType (integer)"],
    ]


@pytest.mark.parametrize("sift_from", [0, 2**62])
def test_result_waits_for_the_files_of_rejected_rows(spark: SparkSession, tmp_path: Path, sift_from: int) -> None:
    (tmp_path / "rejected").write_text("no folder")
    with pytest.raises(Py4JJavaError, match="rejected"):
        judge(spark, tmp_path, PLAN, {"a.csv": f"{HEAD}1,400,SP\n2,1,SP\n3,,\n"}, sift_from=sift_from)
    assert not (tmp_path / "result.jsonl").exists()


def test_local_spark_compiles_huge_methods(spark: SparkSession) -> None:
    assert compiles_huge_methods(spark)


def test_rejected_rows_of_each_file_stand_in_order(spark: SparkSession, tmp_path: Path) -> None:
    """Though some are judged later than others, and the files' names are the partitions that Spark writes."""
    plan = a_plan([a_property("id", "integer"), a_property("note")], [a_check("minimum", "id", value="0")])
    kinds = ["-1,a", '-1,"a"', "x,", "1,a", "-1", '"-1",'] * 200
    files = {name: "id,note\n" + "\n".join(kinds) for name in ("b.csv", "a.csv", "a=1 %.csv")}
    judged = judge(spark, tmp_path, plan, files)
    for name in files:
        header, *rows = judged.rejected(name)
        assert header[-2:] == ["_record", "_reasons"]
        assert [int(row[-2]) for row in rows] == [n + 1 for n, line in enumerate(kinds) if line != "1,a"]
