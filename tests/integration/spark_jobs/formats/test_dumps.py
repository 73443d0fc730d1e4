"""Dumps of databases: escapes outside quotes as the job reads them, and rejected rows that can be sent again."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.files import csv_cells, record_ends
from contracts.plan import Csv
from spark_jobs.outputs.rejected_rows import harmless
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge

DUMP = Csv(delimiter="\t", quote="", unquoted_escape="\\", record_delimiter="\n", null_values=("\\N",))
BARS = Csv(delimiter="||", escape="\\", unquoted_escape="\\", null_values=("\\N",))
NOTES = ("a\tb", "\\", "\n", "\r\n", "\\n", "=1", "||", "x|", "", "a\\tb", '"', "\\Nx")


@pytest.mark.parametrize("csv", [DUMP, BARS])
def test_rejected_rows_keep_their_cells(spark: SparkSession, tmp_path: Path, csv: Csv) -> None:
    plan = a_plan([a_property("id", "integer"), a_property("note")], [a_check("minimum", "id", value="0")], csv)
    end = csv.record_delimiter or "\n"
    notes = NOTES if csv.record_delimiter else [note for note in NOTES if not {*note} & {"\n", "\r"}]
    lines = [csv_cells.joined(cells, csv) for cells in (("id", "note"), *(("-1", note) for note in notes))]
    null, broken = f"-2{csv.delimiter}\\N", f"3{csv.delimiter}a\\q"
    body = "".join(f"{line}{end}" for line in (*lines, null, broken))

    judged = judge(spark, tmp_path, plan, {"a.csv": body})

    assert judged.drop().rejected == len(notes) + 2
    sent = (tmp_path / "rejected" / "a.csv" / "rejected.csv").read_bytes().decode()
    records = [csv_cells.split(record_ends.first(r, csv), csv) for r in record_ends.records(sent, csv)]
    cells = [record[1] if record else None for record in records[1:]]
    assert cells[: len(notes)] == [harmless(note, csv) for note in notes]
    assert cells[len(notes)] == "\\N"
    assert records[-1] is not None
    assert records[-1][0] == harmless(broken, csv)


def test_null_word_is_null_and_its_text_is_none(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("id", "integer", required=True), a_property("note")], [a_check("required", "note")], DUMP)
    body = "id\tnote\n1\t\\N\n2\tN\n3\t\\\\\\\\N\n4\t\\\\N\n"
    problems = {p.code for p in judge(spark, tmp_path, plan, {"a.csv": body}).decision().problems}
    assert problems == {"check-required", "check-quotes"}
