"""Files whose records end at an agreed delimiter alone: cut as Python cuts them, however Spark splits the file."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Csv
from spark_jobs.formats import text_lines
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge

ENDS = ("\n", "\r\n", "\r", "\x1e", "|\r\n", "|#", "~|#\n", "<;>\r\n")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("size", [7, 64, 1 << 20])
def test_records_are_cut_as_python_cuts_them(spark: SparkSession, tmp_path: Path, end: str, size: int) -> None:
    chance = Random(f"{end} {size}")
    pieces = ["a", "é", end, end, *end, "\r", "\n", "bcdefgh"]
    text = "".join(chance.choices(pieces, k=400))
    (tmp_path / "a.csv").write_bytes(text.encode())
    plan = a_plan([a_property("id")], csv=Csv(record_delimiter=end))
    before = str(spark.conf.get("spark.sql.files.maxPartitionBytes"))
    spark.conf.set("spark.sql.files.maxPartitionBytes", size)
    try:
        read = spark.read.options(**text_lines.line_ends(plan)).text(str(tmp_path / "a.csv"))
        lines = [row["value"] for row in read.collect()]
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)
    expected = text.split(end)
    assert lines == (expected if expected[-1] else expected[:-1])


@pytest.mark.parametrize("end", ENDS[3:6])
def test_other_line_ends_are_characters_of_cells(spark: SparkSession, tmp_path: Path, end: str) -> None:
    csv = Csv(delimiter=";", record_delimiter=end)
    plan = a_plan([a_property("id", "integer"), a_property("note")], [a_check("minimum", "id", value="2")], csv)
    rows = ["id;note", "1;a\nb", '2;"c\r\nd;"', "", "3;e\rf", "1;g"]
    judged = judge(spark, tmp_path, plan, {"a.csv": end.join(rows)})
    assert judged.drop().rejected == 2
    assert judged.rejected() == [
        ["id", "note", "_record", "_reasons"],
        ["1", "a\nb", "1", "id.minimum (at least 2)"],
        ["1", "g", "4", "id.minimum (at least 2)"],
    ]
    (tmp_path / "again").mkdir()
    sent = (tmp_path / "rejected" / "a.csv" / "rejected.csv").read_bytes().decode()
    again = judge(spark, tmp_path / "again", plan, {"a.csv": sent.replace(f"{end}1;", f"{end}2;")})
    assert again.decision().verdict == "accepted"
