"""Texts that are values of a type, and texts that are not: the limits on Spark's casts, alone and in a whole run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.plan import LogicalType, Property
from spark_jobs.rules.casting import typed
from spark_jobs.validate import configured
from tests.integration.spark_jobs.world import a_plan, a_property, judge

GOOD: dict[LogicalType, list[str]] = {
    "number": ["12", "-0", "+7", ".5", "5.", "1e5", "1E-3", "-12.50", "007", "1.7976931348623157e308", "4.9e-324"],
    "integer": ["7", "007", "+7", "-0", "9223372036854775807", "-9223372036854775808"],
    "boolean": ["true", "TRUE", "False"],
    "date": ["2024-02-29", "1999-12-31"],
    "timestamp": [
        "2024-02-29T10:00:00",
        "2024-02-29 10:00:00",
        "2024-02-29T10:00:00.123456",
        "2024-02-29T10:00:00Z",
        "2024-02-29T10:00:00.5+02:00",
    ],
    "time": ["00:00", "13:45", "23:59:59", "13:45:07.1", "23:59:59.999999"],
}
BAD: dict[LogicalType, list[str]] = {
    "number": [
        "1d",
        "1f",
        "1D",
        "1F",
        "0x1p3",
        "0X1P3",
        "NaN",
        "nan",
        "inf",
        "-Infinity",
        " 12",
        "12 ",
        " 12 ",
        "12\t",
        "\t12",
        "1e400",
        "1_0",
        "1,5",
        "abc",
        "-",
        "+",
        ".",
        "e5",
        "1e",
        "--1",
        "1 2",
        "\uff11\uff12",
        "12\x01",
        "9" * 400,
        "12|",
    ],
    "integer": [
        "7.0",
        "1e3",
        " 7",
        "7 ",
        "7\t",
        "9223372036854775808",
        "",
        "x",
        "-",
        "0x1F",
        "1_0",
        "\uff17",
        "7L",
        "+-7",
    ],
    "boolean": ["t", "y", "1", "0", "yes", " true", "on", "truE ", "\uff34rue"],
    "date": [
        "2024",
        "2024-1",
        "2024-1-5",
        "2024-01-05 garbage",
        "2024-01-05T10:00",
        "today",
        "epoch",
        "2023-02-29",
        "24-01-05",
        " 2024-01-05",
        "2024-01-05 ",
        "05/01/2024",
        "+2024-01-05",
        "12024-01-05",
        "+12024-01-05",
    ],
    "timestamp": [
        "2024-02-29",
        "2024-02-29T10:00",
        "10:00",
        "2024-02-29T24:00:00",
        "2024-02-29T23:59:60",
        "2024-02-30T10:00:00",
        "2024-02-29T10:00:00.1234567",
        "2024-02-29T10:00:00 Europe/Berlin",
        "2024-02-29T10:00:00+2",
        "2024-02-29T10:00:00Z\u0085",
        "now",
        " 2024-02-29T10:00:00",
    ],
    "time": [
        "24:00",
        "24:00:00",
        "23:59:60",
        "13:60",
        "13",
        "1:45",
        "13:4",
        "13:45.5",
        "13:45:07.1234567",
        "13:45:07Z",
        "13:45+02:00",
        "1:45 PM",
        "T13:45",
        " 13:45",
        "13:45 ",
        "13:45\u0085",
        "\uff11\uff13:45",
        "-3:45",
    ],
}


@pytest.mark.parametrize("of", GOOD)
def test_values_of_a_type_are_read(spark: SparkSession, of: LogicalType) -> None:
    assert [text for text, value in values(spark, GOOD[of], Property("p", of)) if value is None] == []


@pytest.mark.parametrize("of", BAD)
def test_other_texts_are_no_values(spark: SparkSession, of: LogicalType) -> None:
    assert [(text, value) for text, value in values(spark, BAD[of], Property("p", of)) if value is not None] == []


@pytest.mark.parametrize("pattern", ["dd/MM/yyyy", "yyyyMMdd"])
def test_dates_follow_the_contracts_pattern(spark: SparkSession, pattern: str) -> None:
    signed = ["29/02/+2024", "01/01/+294248", "29/02/-2024", "+20240229", "2942480229", "\uff1229/02/2024"]
    texts = [*signed, "29/02/2024", "30/02/2024", "1/2/2024", "20240229", "20240230", "29/02/2024 ", "29/02/24"]
    good = {"dd/MM/yyyy": ["29/02/2024"], "yyyyMMdd": ["20240229"]}[pattern]

    parsed = values(spark, texts, Property("p", "date", pattern))

    assert [text for text, value in parsed if value is not None] == good


@pytest.mark.parametrize(
    ("pattern", "good"),
    [("HH:mm", "13:45"), ("HHmmss", "134507"), ("HH'h'mm", "13h45"), ("HH:mm:ss.SSS", "13:45:07.125")],
)
def test_times_follow_the_contracts_pattern(spark: SparkSession, pattern: str, good: str) -> None:
    texts = [
        "13:45",
        "134507",
        "13h45",
        "13:45:07.125",
        "13:45:07",
        "24:00",
        "240000",
        "+3:45",
        "235960",
        "23:59:60.000",
    ]

    parsed = values(spark, texts, Property("p", "time", pattern))

    assert [text for text, value in parsed if value is not None] == [good]


@pytest.mark.parametrize("of", ["number", "integer", "date", "boolean", "time"])
def test_whole_run_agrees_with_the_close_look(spark: SparkSession, tmp_path: Path, of: LogicalType) -> None:
    """The scan's fast way (pattern over the line, Spark's parser) must never let pass what the casts refuse."""
    texts = [t for t in (*GOOD[of], *BAD[of]) if "," not in t and t]
    lines = "".join(f"{n},{text}\n" for n, text in enumerate(texts))

    judged = judge(spark, tmp_path, a_plan([a_property("p", of)], columns_extra="ignore"), {"a.csv": f"n,p\n{lines}"})

    refused = [r.raw.split(",", 1)[1] for r in judged.evidence(spark)]
    assert refused == [t for t in texts if t in BAD[of]]
    assert judged.count("p.logicalType").failed == len(refused)


def values(spark: SparkSession, texts: list[str], prop: Property) -> list[tuple[str, object]]:
    """Texts with what they are as values."""
    session = configured(spark)
    frame = session.createDataFrame([(text,) for text in texts], "text string")
    rows = frame.select("text", typed(sf.col("text"), prop).cast("string").alias("value")).collect()
    return [(row["text"], row["value"]) for row in rows]
