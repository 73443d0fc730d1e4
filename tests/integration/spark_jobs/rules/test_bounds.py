"""Exclusive bounds of every type that has an order: at the bound and next to it, in plain lines and in others."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from contracts.plan import LogicalType
from tests.integration.spark_jobs.columns import Column, expected, failing, judged_both_ways
from tests.integration.spark_jobs.world import a_check, a_property

LOW, HIGH, TYPE = "exclusiveMinimum", "exclusiveMaximum", "logicalType"


def bounded(name: str, of: LogicalType, low: str, high: str, cells: dict[str, str]) -> Column:
    checks = [a_check(LOW, name, value=low), a_check(HIGH, name, value=high)]
    return Column(a_property(name, of), checks, cells)


COLUMNS = [
    bounded("whole", "integer", "1", "3", {"1": LOW, "2": "", "3": HIGH, "-5": LOW, "4": HIGH, "": "", "x": TYPE}),
    bounded(
        "longest",
        "integer",
        "-9223372036854775808",
        "9223372036854775807",
        {"-9223372036854775808": LOW, "-9223372036854775807": "", "9223372036854775807": HIGH},
    ),
    bounded("fractions", "integer", "0.5", "2.5", {"0": LOW, "1": "", "2": "", "3": HIGH}),
    bounded("number", "number", "0", "0.3", {"0": LOW, "-0": LOW, "1e-300": "", "0.29": "", "0.3": HIGH, "3e-1": HIGH}),
    bounded(
        "day",
        "date",
        "2024-02-28",
        "2024-03-01",
        {"2024-02-28": LOW, "2024-02-29": "", "2024-03-01": HIGH, "2024-02-30": TYPE},
    ),
    bounded(
        "at",
        "timestamp",
        "2024-01-01T00:00:00Z",
        "2024-01-01T02:00:00+01:00",
        {
            "2024-01-01T00:00:00": LOW,
            "2024-01-01T00:00:00.000001": "",
            "2024-01-01 00:59:59.999999Z": "",
            "2024-01-01T01:00:00Z": HIGH,
            "2024-01-01T00:00:00-01:00": HIGH,
        },
    ),
    bounded(
        "open",
        "time",
        "08:00",
        "16:30:00.5",
        {"08:00:00.000": LOW, "08:00:00.000001": "", "16:30": "", "16:30:00.5": HIGH},
    ),
]


def test_exclusive_bound_itself_fails(spark: SparkSession, tmp_path: Path) -> None:
    judged = judged_both_ways(spark, tmp_path, COLUMNS)

    assert failing(spark, judged) == expected(COLUMNS)
    rows = sum(len(c.cells) for c in COLUMNS)
    for name in ("plain.csv", "quoted.csv"):
        low = judged.count(f"whole.{LOW}", name)
        assert (low.evaluated, low.failed, low.null, low.observed) == (rows, 2, rows - 5, "-5")
        assert judged.count(f"longest.{HIGH}", name).observed == "9223372036854775807"
        assert judged.count(f"at.{HIGH}", name).observed == "2024-01-01T01:00:00Z"
