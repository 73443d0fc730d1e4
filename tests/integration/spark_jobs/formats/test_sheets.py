"""Workbooks in the job: their rows are judged as those of CSV, and places are cells."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.job import JobReference, JobResult
from contracts.plan import ROW_END, SHEETS, Csv, FileFormat, Plan, Reference, Sheet
from contracts.terms.trailer import Footer
from contracts.terms.value_form import ValueForm
from spark_jobs.validate import run
from tests import workbooks
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, judge
from tests.workbooks import Error, Rows

PROPERTIES = (a_property("id", "integer"), a_property("note"), a_property("day", "date"))
CHECKS = (
    *(a_check("required", "id"), a_check("unique", "id", scope="set"), a_check("minimum", "id", value="0")),
    a_check("maxLength", "note", value=9),
)
DAY = date(2024, 2, 29)
ROWS: Rows = [
    ["Orders"],
    [],
    [None, "id", "note", "day"],
    [None, 1, "two\nlines", DAY],
    [None, 2.0, "a, b", DAY],
    [None, None, None, None],
    [None, -1, "x", DAY],
    [None, "x", None, "2024-02-29"],
    [None, 2, "z", date(1900, 3, 1)],
    [None, 7, Error("#N/A"), DAY],
    [None, 8, "beside", DAY, "!"],
    [None, None, "long enough", "29.2.2024"],
    [],
    [None, "Total", 3],
]
AS_CSV = (
    b'id,note,day\n1,"two lines",2024-02-29\n2,"a, b",2024-02-29\n-1,x,2024-02-29\nx,,2024-02-29\n2,z,1900-03-01\n'
    b"7,\0#N/A,2024-02-29\n8,beside,2024-02-29,!\n,long enough,29.2.2024\n"
)


def plan_of(form: FileFormat = "xlsx", **more: Any) -> Plan:
    """A plan of the sheet `My orders`."""
    sheet = Sheet("My orders", first_column=1, first_row=3, footer=Footer("Total"))
    fields = {"sheet": sheet, "csv": Csv(record_delimiter=ROW_END), **more}
    return a_plan(PROPERTIES, CHECKS, file_format=form, **fields)


def book(form: str, rows: Rows = ROWS) -> bytes:
    """A workbook with two sheets."""
    return workbooks.made(form, {"Notes": [["?"]], "My orders": rows})


def places(judged: Judged, check: str, name: str = "a") -> list[str]:
    """Return the places of the samples of a check."""
    return [str(sample.place) for sample in judged.count(check, name).samples]


@pytest.mark.parametrize("form", SHEETS)
@pytest.mark.parametrize("sift_from", [0, 1 << 40])
def test_rows_of_a_sheet_are_judged_as_lines_of_csv(
    spark: SparkSession, tmp_path: Path, form: FileFormat, sift_from: int
) -> None:
    judged = judge(spark, tmp_path / "sheet", plan_of(form), {"a": book(form)}, sift_from=sift_from)
    plain = judge(spark, tmp_path / "csv", a_plan(PROPERTIES, CHECKS), {"a": AS_CSV}, sift_from=sift_from)

    drop, same = judged.drop("a"), plain.drop("a")
    assert (drop.failure, drop.refusal) == (None, None)
    assert (drop.read, drop.valid, drop.rejected) == (same.read, same.valid, same.rejected) == (8, 3, 5)
    for check in ("id.required", "id.unique", "id.minimum", "id.logicalType", "day.logicalType", "note.maxLength"):
        one, other = judged.count(check, "a"), plain.count(check, "a")
        assert replace(one, samples=(), observed=None) == replace(other, samples=(), observed=None), check


def test_column_is_found_by_a_name_of_several_lines(spark: SparkSession, tmp_path: Path) -> None:
    account = a_property("id", "integer", header_names=("Konto\nNr.",))
    sheet = Sheet("My orders", first_column=1, first_row=3, footer=Footer("Total"))
    csv = Csv(record_delimiter=ROW_END)
    plan = a_plan((account, *PROPERTIES[1:]), CHECKS, file_format="xlsx", sheet=sheet, csv=csv)
    body = book("xlsx", [*ROWS[:2], [None, "Konto\nNr.", "note", "day"], *ROWS[3:]])
    judged = judge(spark, tmp_path, plan, {"a": body})

    assert (judged.drop("a").read, judged.drop("a").valid) == (8, 3)
    assert places(judged, "id.minimum") == ["record 3, 'My orders'!B7"]


@pytest.mark.parametrize("form", SHEETS)
def test_places_are_cells_and_rows(spark: SparkSession, tmp_path: Path, form: FileFormat) -> None:
    judged = judge(spark, tmp_path, plan_of(form), {"a": book(form)})

    assert {check: places(judged, check) for check in judged.result.header.checks if places(judged, check)} == {
        "record.fields": ["record 7, 'My orders'!11:11"],
        "record.cells": ["record 6, 'My orders'!10:10"],
        "id.logicalType": ["record 4, 'My orders'!B8"],
        "day.logicalType": ["record 8, 'My orders'!D12"],
        "id.required": ["record 8, 'My orders'!B12"],
        "id.unique": ["record 2, 'My orders'!B5"],
        "id.minimum": ["record 3, 'My orders'!B7"],
        "note.maxLength": ["record 8, 'My orders'!C12"],
    }
    (twin,) = judged.count("id.unique", "a").samples
    assert twin.note == "also record 5, 'My orders'!9:9"
    assert [(row.record, row.line, row.element) for row in judged.evidence(spark)] == [
        (record, line, f"'My orders'!{line}:{line}") for record, line in ((3, 7), (4, 8), (6, 10), (7, 11), (8, 12))
    ]


def test_rejected_rows_are_usual_csv(spark: SparkSession, tmp_path: Path) -> None:
    rows: Rows = [["id", "note", "day"], ["x", 'two "\nlines', DAY], [1, Error("#N/A"), DAY], [2, "ok", DAY]]
    plan = plan_of(sheet=Sheet("My orders"))
    judged = judge(spark, tmp_path, plan, {"a": book("xlsx", rows)})

    text = (tmp_path / "rejected" / "a" / "rejected.csv").read_text()
    assert ROW_END not in text
    assert "\0" not in text
    usual = Judged(replace(plan, csv=Csv()), judged.result, tmp_path).rejected("a")
    assert [row[:4] for row in usual] == [
        ["id", "note", "day", "_record"],
        ["x", 'two "\nlines', "2024-02-29", "1"],
        ["1,#N/A,2024-02-29", "", "", "2"],
    ]


def test_workbook_that_proves_damaged_is_rejected(spark: SparkSession, tmp_path: Path) -> None:
    plan, sound = plan_of(), book("xlsx")
    asked = a_request(tmp_path, plan, {"a": sound, "b": sound, "c": sound})
    sheet = workbooks.part(sound, "xl/worksheets/sheet2.xml")
    broken = {"xl/worksheets/sheet2.xml": sheet.replace("</sheetData>", "")}
    (tmp_path / "stage" / "a").write_bytes(workbooks.with_parts(sound, broken))
    (tmp_path / "stage" / "b").write_bytes(book("xlsx", ROWS[:-1]))
    (tmp_path / "request.json").write_text(asked.dumps())
    run(spark, (tmp_path / "request.json").as_uri())

    a, b, c = JobResult.loads((tmp_path / "result.jsonl").read_bytes()).drops
    assert (a.failure, "not XML" in f"{a.refusal}") == (None, True)
    assert (b.failure, "no footer" in f"{b.refusal}") == (None, True)
    assert (c.failure, c.refusal, c.read) == (None, None, 8)


def test_sheet_without_header_and_without_name(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of(csv=Csv(record_delimiter=ROW_END, header=False), sheet=Sheet())
    judged = judge(spark, tmp_path, plan, {"a": workbooks.xlsx({"S": [[1, "x", DAY], [], ["y", None, DAY]]})})

    assert (judged.drop("a").read, places(judged, "id.logicalType")) == (2, ["record 2, A3"])


def test_promoted_workbooks_are_references(spark: SparkSession, tmp_path: Path) -> None:
    theirs = replace(plan_of(), contract="others.v1")
    path = tmp_path / "promoted.xlsx"
    path.write_bytes(book("xlsx"))
    held = a_check("foreignKey", "id", to="others", columns=["id"], text="others.id")
    plan = a_plan(PROPERTIES, [held], references=(Reference("others", contract="others.v1"),))
    pinned = JobReference("others", "v", (path.as_uri(),), theirs)
    judged = judge(spark, tmp_path / "job", plan, {"a": b"id,note,day\n1,x,\n2,y,\n3,z,\n"}, references=[pinned])

    assert places(judged, "id.foreignKey") == ["record 3, line 4"]


MARKED = Sheet("My orders")
COMMAS = ValueForm(decimal=",", group=".")
PRICED = (a_property("id", "integer"), replace(a_property("price", "number"), form=COMMAS))
PRICES: Rows = [["id", "price"], [1, 1.234], [2, "1.234"], [3, "1.234,50"], [4, 1234.5], [5, "1234.5"], [6, "7,5 €"]]


@pytest.mark.parametrize("form", SHEETS)
def test_numbers_in_text_stand_beside_numbers(spark: SparkSession, tmp_path: Path, form: FileFormat) -> None:
    plan = a_plan(
        PRICED,
        (a_check("maximum", "price", value="1000"),),
        file_format=form,
        sheet=MARKED,
        csv=Csv(record_delimiter=ROW_END),
    )
    judged = judge(spark, tmp_path, plan, {"a": book(form, PRICES)})

    assert judged.count("price.maximum", "a").failed == 3
    assert [row.record for row in judged.evidence(spark)] == [2, 3, 4, 5, 6]
    assert judged.count("price.logicalType", "a").failed == 2
