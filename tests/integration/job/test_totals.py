"""The sums that a manifest may say, of whole files: what is no number adds nothing, rejected records add theirs."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.sets import SetRule
from tests.integration.job.world import a_check, a_plan, a_property, judge

PROPERTIES = [a_property("id", "integer", required=True), a_property("n", "integer"), a_property("x", "number")]
CHECKS = [a_check("required", "id")]
RULE = SetRule(("day",), 60, manifest="in/{day}.json", sums=("n", "x"))
HEAD = "id,n,x\n"
FILES = {
    "plain.csv": ("1,1,0.1\n2,2,0.2\n3,-5,1e3\n", "-2", "1000.3"),
    "rejected.csv": (",7,1.5\nx,1,\n", "8", "1.5"),
    "misfits.csv": ("1,x,y\n1,4,1.5\n1,2\n", "4", "1.5"),
    "nulls.csv": ("1,,\n", "0", "0"),
    "empty.csv": ("", "0", "0"),
    "large.csv": ("1,9223372036854775807,\n" * 3, "27670116110564327421", "0"),
    "endless.csv": ("1,1,1e308\n1,1,1e308\n", "2", None),
}


def test_sums_of_all_records_are_exact(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan(PROPERTIES, CHECKS, set=RULE)
    judged = judge(spark, tmp_path, plan, {name: HEAD + text for name, (text, *_) in FILES.items()})

    for name, (_, n, x) in FILES.items():
        wanted = {"n": Decimal(n)} | ({"x": Decimal(x)} if x else {})
        assert judged.drop(name).sums == wanted, name


def test_plan_without_sums_has_none(spark: SparkSession, tmp_path: Path) -> None:
    assert judge(spark, tmp_path, a_plan(PROPERTIES, CHECKS), {"a.csv": HEAD + "1,1,1\n"}).drop().sums is None
