"""Timestamps with offsets that are wanted, unwanted or left to a zone, in a whole run."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from contracts.authoring.properties.datetimes import parse
from contracts.plan import Property
from tests.integration.spark_jobs.columns import Column, expected, failing, judged_both_ways
from tests.integration.spark_jobs.rules.test_casting import values
from tests.integration.spark_jobs.world import a_check, a_property

TYPE, LOW, HIGH = "logicalType", "minimum", "maximum"
BERLIN = "Europe/Berlin"
COLUMNS = [
    Column(
        a_property("sure", "timestamp", offset=True),
        [],
        {"2024-01-01T00:00:00Z": "", "2024-01-01 00:00:00+01:00": "", "2024-01-01T00:00:00": TYPE},
    ),
    Column(
        a_property("local", "timestamp", offset=False),
        [],
        {"2024-01-01T00:00:00Z": TYPE, "2024-01-01 00:00:00+01:00": TYPE, "2024-01-01T00:00:00.5": ""},
    ),
    Column(
        a_property("berlin", "timestamp", zone=BERLIN),
        [
            a_check(LOW, "berlin", value="2024-01-01T00:00:00"),
            a_check(HIGH, "berlin", value="2024-12-31T22:59:59Z"),
        ],
        {
            "2024-01-01T00:00:00": "",
            "2023-12-31T23:00:00Z": "",
            "2023-12-31T22:59:59.999999Z": LOW,
            "2023-12-31T23:59:59": LOW,
            "2024-12-31T23:59:59": "",
            "2025-01-01T00:00:00": HIGH,
            "2024-03-31T02:30:00": TYPE,
            "2024-03-31T03:00:00": "",
            "2024-10-27T02:30:00": "",
        },
    ),
    Column(
        a_property("pattern", "timestamp", zone="America/Sao_Paulo", format="dd/MM/yyyy HH:mm"),
        [a_check(LOW, "pattern", value="01/01/2024 00:00")],
        {"01/01/2024 00:00": "", "31/12/2023 23:59": LOW, "04/11/2018 00:30": TYPE, "2024-01-01 00:00": TYPE},
    ),
]


def test_offset_and_zone_are_the_contracts(spark: SparkSession, tmp_path: Path) -> None:
    judged = judged_both_ways(spark, tmp_path, COLUMNS)

    assert failing(spark, judged) == expected(COLUMNS)


def test_job_and_contract_read_local_times_alike(spark: SparkSession) -> None:
    days = ("2024-03-31", "2024-10-27", "2024-07-01", "2024-01-01", "1975-06-01", "2037-08-01")
    texts = [f"{day}T{hour:02}:{minute}:00" for day in days for hour in range(5) for minute in ("00", "30", "59")]
    for zone in (BERLIN, "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe"):
        parsed = values(spark, texts, Property("p", "timestamp", zone=zone))
        python = [parse(text, "timestamp", None, zone) for text in texts]
        assert [value for _, value in parsed] == [p and p.strftime("%Y-%m-%d %H:%M:%S") for p in python]
