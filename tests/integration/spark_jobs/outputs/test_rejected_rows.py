"""Rejected rows as a spreadsheet opens them: the job guards cells as the pattern's test has it, in every dialect."""

from __future__ import annotations

import csv as text_csv
import io
import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.files.columns import OURS
from contracts.plan import Csv
from spark_jobs.outputs import rejected_rows
from spark_jobs.outputs.rejected_rows import harmless
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge
from tests.unit.spark_jobs.outputs.test_formulas import DIALECTS, NUMBERS, PAYLOADS, read_by, would_run

CELLS = (*PAYLOADS, *NUMBERS, "\xe4=1", "x@y", "=1", "@a", "-", "a;=1", "a\t@b", "plain")
PLAN = [a_property("n", "integer"), a_property("a"), a_property("b")]
"""Its first column is never an integer, so that each row is rejected."""


def written(rows: list[list[str]], csv: Csv) -> str:
    text, form = io.StringIO(), csv.for_python
    if not form["doublequote"]:  # Python escapes quotes of cells that it leaves unquoted, too
        form |= {"quoting": text_csv.QUOTE_ALL}
    text_csv.writer(text, lineterminator="\r\n", **form).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("over_lines", [False, True])
def test_job_guards_cells_as_the_pattern_does(
    spark: SparkSession, tmp_path: Path, name: str, *, over_lines: bool
) -> None:
    form = DIALECTS[name]
    csv = Csv(form.delimiter, "utf-8", form.quote, form.escape, multi_line=over_lines)
    fit = [cell for cell in CELLS if over_lines or not set(cell) & {"\n", "\r"}]
    fit = [cell for cell in fit if not (over_lines and "\r" in cell)]  # a line end of its own there
    rows = [["x", cell, cell] for cell in fit]
    file = written([["n", "a", "b"], *rows], csv)

    judged = judge(spark, tmp_path, a_plan(PLAN, [a_check("minimum", "n", value="0")], csv), {"a.csv": file})

    (path,) = (tmp_path / "rejected").rglob("rejected.csv")
    text = path.read_bytes().decode()
    back = list(text_csv.reader(io.StringIO(text, newline=""), **csv.for_python))
    assert back[0] == ["n", "a", "b", *OURS]
    assert [row[:3] for row in back[1:]] == [["x", harmless(c, csv), harmless(c, csv)] for c in fit]
    assert [row[3:] for row in back[1:]] == [[str(n), "n.logicalType (integer)"] for n in range(1, len(fit) + 1)]
    assert [cell for sign in ",;\t" for cell in read_by(sign, text) if would_run(cell)] == []
    assert judged.drop().rejected == len(fit)


LINES = a_plan([a_property("a", "string")], (), file_format="jsonl")
OBJECTS = (
    '{"a": 1}',
    '{"a" : {} } \t',
    "{}",
    " { } ",
    '{"a": "}"}\r',
    '{"a": " } "  }',
    '{"a": [{"b": {}}]}',
    '{"a": 1,"_record":3,"_reasons":"a \\"b\\""}',
    '{"_record":3,"_reasons":""}',
    '{"a": "_record"}',
    '{"a": {"_record": 1}}',
)


def test_objects_get_two_keys_and_keep_all_others(spark: SparkSession) -> None:
    rows = [("d", n, raw, False, "why") for n, raw in enumerate(OBJECTS, 1)] + [("d", 0, "[1]}", True, "why")]
    frame = spark.createDataFrame(rows, "drop string, record long, raw string, broken boolean, reasons string")
    lines = {row["record"]: row["line"] for row in rejected_rows.lines(frame, (), LINES).collect()}

    assert json.loads(lines.pop(0)) == {"line": "[1]}", "_record": 0, "_reasons": "why"}
    for n, raw in enumerate(OBJECTS, 1):
        own = {key: value for key, value in json.loads(raw).items() if key not in OURS}
        assert json.loads(lines[n]) == {**own, "_record": n, "_reasons": "why"}
        assert not lines[n].startswith("{,")
