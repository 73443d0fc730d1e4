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
