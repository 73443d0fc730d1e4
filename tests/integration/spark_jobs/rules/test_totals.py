"""The sums that a manifest may say, of whole files: what is no number adds nothing, rejected records add theirs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.terms.file_sets import SetRule
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

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


EXACT: dict[tuple[int, int], list[tuple[str, ...]]] = {
    (18, 2): [("1234567890123456.78",), ("100000000000000.01", "100000000000000.02"), ("-0.01", ".07", "9" * 16)],
    (20, 0): [("9007199254740993",), ("9" * 20, "1", "-" + "9" * 20)],
    (28, 28): [("0." + "9" * 28, "0.0000000000000000000000000001")],
    (38, 18): [("9" * 20 + "." + "9" * 18,) * 3, ("-" + "9" * 20 + "." + "9" * 18, "-0.5", "0.000000000000000001")],
    (30, 2): [("-" + "9" * 28 + ".99", "0.01", "-1")],
    (38, 28): [("9" * 10 + "." + "9" * 28,) * 2],
}
"""Values of exact numbers, by the digits in all and after the point."""


@pytest.fixture(scope="module")
def exact(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """One run over a file for each list of values, in which only the column of these digits has cells."""
    names = [f"x{n}" for n in range(len(EXACT))]
    properties = [a_property(name, "number", exact=digits) for name, digits in zip(names, EXACT, strict=True)]
    files = {
        f"{n}-{m}.csv": ",".join(names) + "\n" + "".join(f"{',' * n}{v}{',' * (len(names) - n - 1)}\n" for v in values)
        for n, lists in enumerate(EXACT.values())
        for m, values in enumerate(lists)
    }
    plan = a_plan(properties, set=replace(RULE, sums=tuple(names)))
    return judge(spark, tmp_path_factory.mktemp("exact"), plan, files)


@pytest.mark.parametrize("digits", EXACT, ids=str)
def test_sums_of_exact_numbers_have_all_their_digits(exact: Judged, digits: tuple[int, int]) -> None:
    n = list(EXACT).index(digits)
    names = [f"{n}-{m}.csv" for m in range(len(EXACT[digits]))]

    with localcontext(prec=60):
        assert [(exact.drop(name).sums or {})[f"x{n}"] for name in names] == [
            sum(map(Decimal, values)) for values in EXACT[digits]
        ]
    assert {exact.drop(name).rough for name in names} == {()}


def test_sums_of_doubles_are_told(spark: SparkSession, tmp_path: Path) -> None:
    files = {
        "short.csv": "1,1,0.1\n" * 3,
        "long.csv": "1,1,0.1\n" * 1000 + "1,1,0.1234567890123456\n",
        "endless.csv": FILES["endless.csv"][0],
    }
    judged = judge(spark, tmp_path, a_plan(PROPERTIES, CHECKS, set=RULE), {n: HEAD + t for n, t in files.items()})

    doubtful = {name: (judged.drop(name).rough, judged.drop(name).endless) for name in files}
    assert doubtful == {"short.csv": ((), ()), "long.csv": (("x",), ()), "endless.csv": (("x",), ("x",))}


def test_plan_without_sums_has_none(spark: SparkSession, tmp_path: Path) -> None:
    assert judge(spark, tmp_path, a_plan(PROPERTIES, CHECKS), {"a.csv": HEAD + "1,1,1\n"}).drop().sums is None
