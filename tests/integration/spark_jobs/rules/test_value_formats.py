"""Formats of text and numbers in a whole run: which values fail, which are null, in plain lines and in others."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from contracts.plan import LogicalType
from tests.integration.spark_jobs.columns import Column, expected, failing, judged_both_ways
from tests.integration.spark_jobs.world import a_check, a_property

FORMAT, TYPE = "format", "logicalType"


def of_format(name: str, of: LogicalType, form: str, cells: dict[str, str]) -> Column:
    return Column(a_property(name, of), [a_check(FORMAT, name, format=form)], cells)


COLUMNS = [
    of_format("mail", "string", "email", {"a@b.org": "", "a@b": FORMAT, " a@b.org": FORMAT, "": ""}),
    of_format("id", "string", "uuid", {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6": "", "f81d4fae": FORMAT}),
    of_format("i8", "integer", "i8", {"-128": "", "127": "", "-129": FORMAT, "128": FORMAT, "x": TYPE}),
    of_format("u8", "integer", "u8", {"0": "", "-0": "", "255": "", "-1": FORMAT, "256": FORMAT}),
    of_format("i16", "integer", "i16", {"-32768": "", "32767": "", "-32769": FORMAT, "32768": FORMAT}),
    of_format("u16", "integer", "u16", {"65535": "", "65536": FORMAT, "-1": FORMAT}),
    of_format("i32", "integer", "i32", {"-2147483648": "", "2147483647": "", "2147483648": FORMAT}),
    of_format("u32", "integer", "u32", {"4294967295": "", "4294967296": FORMAT, "-1": FORMAT}),
    of_format(
        "f32",
        "number",
        "f32",
        {
            "3.4028235e38": "",  # as most programs write the greatest one
            "-3.4028235677973364e38": "",
            "3.4028235677973366e38": FORMAT,
            "-1e39": FORMAT,
            "1e-300": "",
            "1e400": TYPE,
        },
    ),
]


def test_values_outside_their_format_fail(spark: SparkSession, tmp_path: Path) -> None:
    judged = judged_both_ways(spark, tmp_path, COLUMNS)

    assert failing(spark, judged) == expected(COLUMNS)
    rows = sum(len(c.cells) for c in COLUMNS)
    for name in ("plain.csv", "quoted.csv"):
        count = judged.count("i8.format", name)
        assert (count.evaluated, count.failed, count.null) == (rows, 2, rows - 4)
