"""Values in the form of a file: cells that are not written as the contract writes values, in every path of the job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Csv, Plan, Property
from contracts.terms.value_form import ValueForm
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge

TRIM = ValueForm(trim=True)


def formed(prop: Property, form: ValueForm) -> Property:
    return replace(prop, form=form)


@pytest.mark.parametrize("multi_line", [False, True])
def test_cells_without_their_blanks_are_judged_and_kept_as_they_came(
    spark: SparkSession, tmp_path: Path, *, multi_line: bool
) -> None:
    properties = [formed(a_property("id", "integer"), TRIM), formed(a_property("name"), TRIM)]
    checks = [a_check("required", "id"), a_check("maxLength", "name", value=2), a_check("unique", "id", scope="set")]
    plan = a_plan(properties, checks, Csv(delimiter=";", multi_line=multi_line))
    text = 'id;name\n 1 ;ab \n2;" a ""b "\n  ;x\n"1\t";\u00a0\n'
    judged = judge(spark, tmp_path, plan, {"a.csv": text})

    assert (judged.drop().read, judged.drop().rejected) == (4, 2)
    assert (judged.count("id.unique").failed, judged.count("name.maxLength").null) == (2, 1)
    assert [(r.record, r.checks) for r in judged.evidence(spark)] == [(2, ["name.maxLength"]), (3, ["id.required"])]
    assert judged.evidence(spark)[0].cells == {"id": "2", "name": ' a "b '}
    assert judged.rejected()[1:] == [
        ["2", ' a "b ', "2", "name.maxLength (maxLength)"],
        ["  ", "x", "3", "id.required (a value in every record)"],
    ]


def test_worst_value_is_found_behind_blanks(spark: SparkSession, tmp_path: Path) -> None:
    plan: Plan = a_plan([formed(a_property("n", "integer"), TRIM)], [a_check("maximum", "n", value="5")])
    judged = judge(spark, tmp_path, plan, {"a.csv": "n\n 7\n  30 \n9\n"})
    assert judged.count("n.maximum").observed == "  30 "


DATED = ValueForm(formats=("d.M.yyyy", "dd-MMM-yy"), century=1950)


@pytest.mark.parametrize("multi_line", [False, True])
def test_dates_of_files_are_compared_as_days(spark: SparkSession, tmp_path: Path, *, multi_line: bool) -> None:
    day = formed(a_property("day", "date", format="yyyyMMdd"), DATED)
    checks = [
        a_check("minimum", "day", value="20240101"),
        a_check("unique", "day", scope="set"),
    ]
    plan = a_plan([a_property("id", "integer"), day], checks, Csv(delimiter=";", multi_line=multi_line))
    text = 'id;day\n1;3.7.2024\n2;"03.07.2024"\n3;03-JUL-24\n4;31.12.2023\n5;31.2.2024\n6;20240703\n7;\n8;4.7.2024\n'
    judged = judge(spark, tmp_path, plan, {"a.csv": text})

    assert (judged.count("day.unique").failed, judged.count("day.unique").null) == (3, 3)
    assert judged.count("day.minimum").observed == "31.12.2023"
    assert [(r.record, r.checks) for r in judged.evidence(spark)] == [
        (4, ["day.minimum"]),
        (5, ["day.logicalType"]),
        (6, ["day.logicalType"]),
    ]
    assert [row[:2] for row in judged.rejected()[1:]] == [["4", "31.12.2023"], ["5", "31.2.2024"], ["6", "20240703"]]


def test_moments_of_files_are_those_of_their_zone(spark: SparkSession, tmp_path: Path) -> None:
    form = ValueForm(formats=("M/d/yyyy h:mm a", "yyyy-MM-dd HH:mmXXX"))
    at = replace(formed(a_property("at", "timestamp"), form), zone="Europe/Berlin")
    checks = [a_check("unique", "at", scope="set")]
    text = "at\n7/3/2024 2:05 PM\n2024-07-03 12:05Z\n2024-07-03 14:05+02:00\n3/31/2024 2:30 AM\n7/3/2024 2:05 AM\n"
    judged = judge(spark, tmp_path, a_plan([at], checks), {"a.csv": text})
    assert (judged.count("at.logicalType").failed, judged.count("at.unique").failed) == (1, 3)
