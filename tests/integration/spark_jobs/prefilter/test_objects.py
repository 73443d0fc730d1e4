"""Objects of S3 that workers read by presigned ranges: the same results, and Spark's own reading where they cannot."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bench.deployed.storage import Storage, serving
from contracts.job import JobResult
from contracts.plan import Plan
from infra.setup.spark.session import S3A, lead_s3
from spark_jobs.prefilter import prefilter
from spark_jobs.validate import run
from tests.integration.spark_jobs.prefilter.test_prefilter import HEADER, LINES, NEVER
from tests.integration.spark_jobs.prefilter.test_sifted_columns import GOOD, a_file
from tests.integration.spark_jobs.prefilter.test_sifted_columns import PLAN as COLUMNS
from tests.integration.spark_jobs.scan.test_batch import FILES, PLAN
from tests.integration.spark_jobs.world import Judged, a_request

LONG = HEADER + "\n" + "".join(f"{n},1.5,2024-01-01,SP\r\n" for n in range(40_000))
CSV: Mapping[str, bytes | str] = {
    **{name: FILES[name] for name in ("rejected.csv", "warned.csv")},
    "odd é.csv": "\n".join([HEADER, *LINES, ""]),
    "long.csv": LONG,
}
MANY = {name: [*values] * 1_000 for name, values in GOOD.items()} | {"id": list(range(-3_000, 1_000))}
PARQUET: Mapping[str, bytes | str] = {
    "good.parquet": a_file(MANY, row_group_size=999),
    "bad.parquet": a_file(MANY | {"state": [*MANY["state"][:-1], "XX"]}),
}
WITHOUT_WAY = """\
import http.client


def refuse(*_):
    raise ConnectionRefusedError("no way to the storage")


http.client.HTTPConnection.connect = refuse
"""


@pytest.fixture(scope="module")
def storage(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """A server of ranges that Spark's session reads from."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get(f"{S3A}.endpoint".removeprefix("spark.hadoop."))
    with serving(tmp_path_factory.mktemp("bucket")) as storage:
        lead_s3(spark, storage.endpoint, "dropgate", "dropgate")
        yield storage
    lead_s3(spark, before, "dropgate", "dropgate")


def judge(
    spark: SparkSession, storage: Storage, name: str, plan: Plan, files: Mapping[str, bytes | str], least: int
) -> Judged:
    """Judge files that are read over S3A; the job writes to local files."""
    (folder := storage.folder / name).mkdir()
    request = a_request(folder, plan, files)
    drops = tuple(replace(drop, uri=storage.uri(folder / "stage" / drop.name)) for drop in request.drops)
    (folder / "request.json").write_text(replace(request, drops=drops).dumps())
    run(spark, (folder / "request.json").as_uri(), least)
    return Judged(plan, JobResult.loads((folder / "result.jsonl").read_bytes()), folder)


def test_lines_of_objects_are_judged_the_same(
    spark: SparkSession, storage: Storage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)

    judged = [judge(spark, storage, f"lines-{least}", PLAN, CSV, least) for least in (0, NEVER)]

    assert judged[0].outputs(spark) == judged[1].outputs(spark)
    assert judged[0].drop("long.csv").valid == 40_000
    assert caplog.records == []


def test_pieces_of_objects_have_addresses_that_no_text_shows(spark: SparkSession, storage: Storage) -> None:
    (storage.folder / "a b.csv").write_text("a\n")
    source = spark.read.text("s3://bench/a b.csv")

    pieces = [piece for pieces in prefilter._partitions(source, ranges=True) for piece in pieces]

    assert [(piece.path, piece.length) for piece in pieces] == [("s3://bench/a b.csv", 2)]
    assert pieces[0].source
    assert "X-Amz-Signature=" in pieces[0].source.address
    assert "X-Amz" not in repr(pieces)
    assert prefilter._partitions(source) == []


def test_columns_of_objects_are_judged_the_same(
    spark: SparkSession, storage: Storage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    judged = [judge(spark, storage, f"columns-{least}", COLUMNS, PARQUET, least) for least in (0, NEVER)]

    assert judged[0].outputs(spark) == judged[1].outputs(spark)
    assert [judged[0].drop(name).valid for name in PARQUET] == [4_000, 3_999]
    assert caplog.records == []


@pytest.mark.parametrize(("plan", "files"), [(PLAN, CSV), (COLUMNS, PARQUET)], ids=["lines", "columns"])
def test_workers_without_a_way_leave_reading_to_spark_with_one_warning(
    spark: SparkSession,
    storage: Storage,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    plan: Plan,
    files: Mapping[str, bytes | str],
) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_WAY)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}:$PYTHONPATH exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))

    judged = [judge(spark, storage, f"without-{plan.file_format}-{n}", plan, files, n) for n in (0, NEVER)]

    assert judged[0].outputs(spark) == judged[1].outputs(spark)
    assert [record.getMessage()[:31] for record in caplog.records] == ["Spark reads the files from S3, "]
    assert "X-Amz" not in caplog.text
