"""Columns of CSV by other texts than the contract's names: results have its names, files of rows have their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Columns, Csv, Plan
from functions.admission.admit import admit
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

ID = a_property("id", "integer", header_names=("Konto-Nr.", "Konto"))
PROPERTIES = [ID, a_property("amount", "number"), a_property("note")]
CHECKS = [a_check("minimum", "amount", value="0"), a_check("unique", "id", scope="set"), a_check("required", "note")]
ANY_CASE = a_plan(PROPERTIES, CHECKS, columns=Columns(extra="ignore", match="anyCase"))
PLACED = a_plan(
    PROPERTIES, CHECKS, columns=Columns(extra="ignore", match="byPosition"), csv=Csv(delimiter=";", multi_line=True)
)
FILES = {
    "a.csv": " KONTO ,AMOUNT,note\n1,-1,a\n2,x,b\n2,3,\n",
    "twins.csv": 'Note,,id,more,Amount,more, ,konto-nr.\na,1,2,3,-1,"4",6,1\n"b",9,9,9,x,9,9,2\n,9,9,9,3,9,9,2\n',
    "by place.csv": "Konto;;x\n1;-1;a\n2;x;b\n2;3;\n",
}


def admitted(plan: Plan, text: str) -> tuple[str, ...]:
    """The names of the columns of an admitted file."""
    data = text.encode()
    admission = admit(plan, "a.csv", len(data), lambda start, length: data[start : start + length])
    assert not admission.refused, admission.problems
    return admission.header


def failing(judged: Judged, name: str) -> dict[str, list[int]]:
    """The records that fail each check."""
    counts = zip(judged.result.header.checks, judged.drop(name).counts, strict=True)
    return {check: [s.place.record for s in count.samples if s.place] for check, count in counts if count.failed}


@pytest.mark.parametrize(("plan", "name"), [(ANY_CASE, "a.csv"), (ANY_CASE, "twins.csv"), (PLACED, "by place.csv")])
@pytest.mark.parametrize("sift_from", [0, 1 << 30])
def test_columns_are_found_by_their_texts(
    spark: SparkSession, tmp_path: Path, plan: Plan, name: str, sift_from: int
) -> None:
    header = admitted(plan, FILES[name])
    judged = judge(spark, tmp_path, plan, {name: FILES[name]}, sift_from=sift_from)

    expected = {"amount.logicalType": [2], "amount.minimum": [1], "id.unique": [2], "note.required": [3]}
    assert failing(judged, name) == expected
    assert {"id", "amount", "note"} < {*header, "?"}
    (first, *_) = judged.evidence(spark)
    assert {k: first.cells[k] for k in ("id", "amount", "note")} == {"id": "1", "amount": "-1", "note": "a"}


@pytest.mark.parametrize(("plan", "name"), [(ANY_CASE, "a.csv"), (ANY_CASE, "twins.csv"), (PLACED, "by place.csv")])
def test_rejected_rows_have_the_header_as_sent_and_come_back(
    spark: SparkSession, tmp_path: Path, plan: Plan, name: str
) -> None:
    judged = judge(spark, tmp_path / "first", plan, {name: FILES[name]})
    head, *rows = judged.rejected(name)
    sent = FILES[name].split("\n", 1)[0].split(plan.csv.delimiter)
    assert head == [*sent, "_record", "_reasons"]
    assert {len(row) for row in rows} == {len(head)}

    text = (judged.folder / "rejected" / name / "rejected.csv").read_text()
    assert admitted(plan, text)[-2:] == ("_record", "_reasons")
    again = judge(spark, tmp_path / "again", plan, {name: text})
    assert failing(again, name) == failing(judged, name)
    second = again.rejected(name)
    assert [row[:-2] for row in second] == [row[:-2] for row in judged.rejected(name)]


def test_text_that_a_spreadsheet_would_run_is_harmless_in_a_header(spark: SparkSession, tmp_path: Path) -> None:
    judged = judge(spark, tmp_path, PLACED, {"a.csv": "Konto;=1+1;\n1;-1;a\n"})
    assert judged.rejected()[0] == ["Konto", "'=1+1", "", "_record", "_reasons"]


ENDED = a_plan(
    PROPERTIES,
    [a_check("minimum", "amount", value="0")],
    csv=Csv(delimiter=";", trailing_delimiter=True, quote="'", escape="'"),
)
LINES = (
    "1;1;a",  # as wide as the header
    "2;2;b;",
    "3;3;;",
    "4;4;",
    "5;5;c;x",  # malformed from here on
    "6;6;d; ",
    "7;7;e;''",
    "8;8;f;;",
    "9;9",
    "10;-1;'g;';",  # below its minimum from here on
    "11;-1;'h;i'",
    "12;-1;",
    "13;-1;j;",
    "14;-1;'k''';",
)


@pytest.mark.parametrize("header", ["id;amount;note", "id;amount;note;"])
@pytest.mark.parametrize("multi_line", [False, True])
def test_lines_may_end_with_a_delimiter(spark: SparkSession, tmp_path: Path, header: str, multi_line: bool) -> None:
    plan = replace(ENDED, properties=(a_property("id", "integer"), *PROPERTIES[1:]))
    plan = replace(plan, csv=replace(plan.csv, multi_line=multi_line))
    text = "\n".join([header, *LINES, ""])
    assert admitted(plan, text) == ("id", "amount", "note")
    judged = judge(spark, tmp_path / "first", plan, {"a.csv": text}, sift_from=0)

    assert failing(judged, "a.csv") == {"record.fields": [5, 6, 7, 8, 9], "amount.minimum": [10, 11, 12, 13, 14]}
    assert (judged.count("record.fields").failed, judged.count("amount.minimum").failed) == (5, 5)
    notes = {row.record: row.cells["note"] for row in judged.evidence(spark) if row.cells}
    assert notes == {10: "g;", 11: "h;i", 12: "", 13: "j", 14: "k'"}

    head, *rows = judged.rejected()
    assert head == ["id", "amount", "note", "_record", "_reasons"]
    assert {len(row) for row in rows} == {5}
    assert [row[2] for row in rows[5:]] == ["g;", "h;i", "", "j", "k'"]
    again = judge(
        spark, tmp_path / "again", plan, {"a.csv": (judged.folder / "rejected/a.csv/rejected.csv").read_text()}
    )
    assert failing(again, "a.csv")["amount.minimum"] == [6, 7, 8, 9, 10]


def test_lines_without_a_header_may_end_with_a_delimiter(spark: SparkSession, tmp_path: Path) -> None:
    plan = replace(ENDED, csv=Csv(header=False, trailing_delimiter=True))
    text = "1,1,a,\n2,-1,b\n3,3,\n"
    assert admitted(plan, text) == ("id", "amount", "note")
    assert admitted(plan, "3,3,\n")
    assert failing(judge(spark, tmp_path, plan, {"a.csv": text}), "a.csv") == {"amount.minimum": [2]}


FOLDED = a_plan(
    [a_property("id", "integer", header_names=("Konto\nNr.",)), *PROPERTIES[1:]],
    [a_check("minimum", "amount", value="0")],
    csv=Csv(multi_line=True),
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_names_may_have_line_breaks(spark: SparkSession, tmp_path: Path, end: str, mark: str) -> None:
    text = f'{mark}"Konto\nNr.",amount,note\n1,-1,"a\nb"\n2,x,c\n"Konto\nNr.",1,d\n'.replace("\n", end)
    assert admitted(FOLDED, text) == ("id", "amount", "note")
    judged = judge(spark, tmp_path / "first", FOLDED, {"a.csv": text})

    assert judged.drop().read == 3
    assert failing(judged, "a.csv") == {"amount.minimum": [1], "amount.logicalType": [2], "id.logicalType": [3]}
    head, first, *_ = judged.rejected()
    assert [head[0].replace(end, "\n"), *head[1:]] == ["Konto\nNr.", "amount", "note", "_record", "_reasons"]
    assert first[2] == f"a{end}b"
    again = (judged.folder / "rejected/a.csv/rejected.csv").read_bytes().decode()
    assert admitted(FOLDED, again)[:3] == ("id", "amount", "note")
    assert failing(judge(spark, tmp_path / "again", FOLDED, {"a.csv": again}), "a.csv") == failing(judged, "a.csv")


LACKING = a_plan(
    [a_property("row", "string"), a_property("amount", "number"), a_property("rest", "string")],
    [a_check("minimum", "amount", value="0")],
    csv=Csv(delimiter=";", lacks_first=("row",), lacks_last=("rest",)),
)


@pytest.mark.parametrize("multi_line", [False, True])
@pytest.mark.parametrize("titled", [False, True])
def test_header_may_lack_names(spark: SparkSession, tmp_path: Path, multi_line: bool, titled: bool) -> None:
    plan = replace(LACKING, csv=replace(LACKING.csv, multi_line=multi_line, skip_rows=int(titled)))
    text = f'{"A title" + chr(10) if titled else ""}amount\na;1;x\nb;-1;y\n-1;2\n=c;-3;"z;"\n'
    assert admitted(plan, text) == ("row", "amount", "rest")
    judged = judge(spark, tmp_path / "first", plan, {"a.csv": text}, sift_from=0)

    assert failing(judged, "a.csv") == {"record.fields": [3], "amount.minimum": [2, 4]}
    head, *rows = judged.rejected()[titled:]
    assert head == ["amount", "_record", "_reasons"]
    assert [row[:3] for row in rows] == [["b", "-1", "y"], ["'-1;2", "", ""], ["'=c", "-3", "z;"]]
    again = (judged.folder / "rejected/a.csv/rejected.csv").read_text()
    assert admitted(plan, again)[:3] == ("row", "amount", "rest")
    second = judge(spark, tmp_path / "again", plan, {"a.csv": again})
    assert failing(second, "a.csv") == {"amount.minimum": [1, 3]}
