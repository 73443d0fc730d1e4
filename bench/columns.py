"""Measure what the checks of Parquet cost beyond a scan: a made file in, a line of figures for each check out.

    python -m bench.columns          seconds of each query of a million records, against a scan of the same column

The figures are in docs/explanation/experiments.md.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 1_000_000
TIMES = 3
START = datetime(2026, 1, 1, tzinfo=UTC)


def made(folder: Path) -> str:
    """Write a file of a million records with checksums; return its URI."""
    chance = random.Random(34)
    lists = [[n % 100] * (n % 6) for n in range(ROWS)]
    columns = {
        "list": pa.array(lists, pa.list_(pa.int32())),
        "group": pa.array([{"a": n % 100} if n % 7 else None for n in range(ROWS)], pa.struct({"a": pa.int32()})),
        "cents": pa.array([round(chance.uniform(0, 1000), 2) for _ in range(ROWS)], pa.float32()),
        "digits": pa.array([chance.uniform(0, 1000) for _ in range(ROWS)], pa.float32()),
        "at": pa.array([START + timedelta(microseconds=chance.randrange(10**13)) for _ in range(ROWS)]),
    }
    path = folder / "made.parquet"
    pq.write_table(pa.table(columns), path, write_page_checksum=True, use_deprecated_int96_timestamps=True)
    return path.as_uri()


def looks(spark: SparkSession, uri: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each measurement: its name and its query."""
    from pyspark.sql import functions as sf  # noqa: PLC0415 (Spark is there for the command alone)

    from spark_jobs.formats import parquet_pages, parquet_values  # noqa: PLC0415

    def scan(name: str, checked: str = "true", of: Callable[[DataFrame], DataFrame] = lambda frame: frame) -> None:
        frame = spark.read.option(parquet_pages.CHECKED, checked).parquet(uri).select(name)
        of(frame).write.format("noop").mode("overwrite").save()

    for name in ("list", "group"):
        yield f"scan of `{name}`", lambda name=name: scan(name)  # type: ignore[misc]
        yield f"levels of `{name}`", lambda name=name: parquet_pages.flaw(spark, uri, [name], [])  # type: ignore[misc]
    yield "scan of `at`", lambda: scan("at")
    yield "nanoseconds of `at`", lambda: parquet_pages.flaw(spark, uri, [], ["at"])
    for checked in ("false", "true"):
        yield f"scan of all, checksums {checked}", lambda checked=checked: scan("*", checked)  # type: ignore[misc]
    for name in ("cents", "digits"):
        yield (
            f"`{name}` as doubles",
            lambda name=name: scan(  # type: ignore[misc]
                name, of=lambda frame: frame.select(sf.sum(frame[name].cast("double")))
            ),
        )
        yield (
            f"`{name}` as decimals",
            lambda name=name: scan(  # type: ignore[misc]
                name, of=lambda frame: frame.select(sf.sum(parquet_values.decimal_of_float(frame[name])))
            ),
        )


def seconds(look: Callable[[], object]) -> float:
    """Return the shortest time of a query, without the first run."""
    look()
    taken = []
    for _ in range(TIMES):
        start = time.perf_counter()
        look()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> int:
    """Measure every query, and print its time."""
    from infra.setup.spark.session import local_session  # noqa: PLC0415

    spark = local_session("columns", memory="2g", brief=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, look in looks(spark, made(Path(folder))):
            sys.stdout.write(f"{name:34} {seconds(look):6.2f} s\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
