"""The bench's jobs on small files: the same rows in each format are judged alike, and the heap can be looked at."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bench import memory, plans, running
from bench.deployed.rows import beside
from bench.files import Files
from bench.own import Bench
from contracts.plan import FileFormat
from infra.demo import inmet

ROWS = 200


def a_dirty_file(folder: Path) -> tuple[Files, int]:
    """Files whose clean one has bad rows, and how many."""
    files = Files(folder, 1)
    bad = inmet.write(folder / "few.csv", 1, ROWS, bad=0.06)
    files.__dict__["clean"] = folder / "few.csv"
    return files, bad


@pytest.mark.parametrize("file_format", ["parquet", "jsonl"])
def test_other_formats_of_the_file_are_judged_alike(
    spark: SparkSession, tmp_path: Path, file_format: FileFormat
) -> None:
    files, bad = a_dirty_file(tmp_path)
    plan = plans.plain(plans.in_format(file_format))
    file = {"parquet": files.parquet, "jsonl": files.json_lines}[file_format](spark, plan)

    judged = running.job(spark, plan, [file], tmp_path)
    judged.run()
    (drop,) = judged.result().drops

    assert bad
    assert (drop.read, drop.rejected) == (ROWS, bad)


def test_heap_in_use_is_looked_at_during_a_run(spark: SparkSession) -> None:
    ran: list[int] = []

    seen = memory.in_use(spark, lambda: ran.append(1), seconds=1)

    assert ran == [1]
    assert 10 < seen < 10_000


def test_job_as_on_emr_reads_over_s3a(tmp_path: Path) -> None:
    files, bad = a_dirty_file(tmp_path)

    with ExitStack() as started:
        bench = Bench(files, started=started)
        row = beside(bench, "some rows", files.clean, plans.without_shares(bench.plain), 99, rounds=(0, 1))
        uri = bench.storage.uri(files.clean)
    (folder,) = tmp_path.glob("job-*")
    (drop,) = running.result(folder).drops

    assert (uri, drop.read, drop.rejected) == ("s3://bench/few.csv", ROWS, bad)
    assert str(row).count("|") == 10
    assert row.used_ratio > 0
