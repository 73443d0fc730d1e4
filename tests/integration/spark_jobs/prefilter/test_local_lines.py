"""The lines of pieces of files as Python workers read them, against those that Spark's own reader finds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

from contracts.plan import Csv
from spark_jobs.formats import text_lines
from spark_jobs.prefilter import arrow_tests, local_lines, prefilter

PARTS = (b"a", b"bc", b"\n", b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b"\xff\0", "é".encode(), b"x" * 40)
ODD = {
    "nothing": b"",
    "a mark alone": b"\xef\xbb\xbf",
    "a mark and an end": b"\xef\xbb\xbf\n\xef\xbb\xbfa",
    "half a mark": b"\xef\xbb",
    "LF": b"\n",
    "CR": b"\r",
    "CR and CR": b"\r\r",
    "CR at the end": b"a\r",
    "LF first": b"\n\nb",
    "a long line": b"a\n" + b"b" * 5_000 + b"\r\nc",
    "no end": b"a,b",
}


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    """A session that cuts files into pieces of a few bytes."""
    made = spark.newSession()
    made.conf.set("spark.sql.files.openCostInBytes", "1")
    made.conf.set("spark.sql.files.minPartitionNum", "2")
    return made


def made(seed: int) -> bytes:
    """A file of a few lines of any kind."""
    chance = random.Random(seed)
    return b"".join(chance.choices(PARTS, k=chance.randrange(60)))


def of_spark(session: SparkSession, folder: Path) -> list[tuple[Any, ...]]:
    """The lines as Spark has them, with their bytes."""
    rows = text_lines.lines(session.read.text(folder.as_uri()), Csv())
    collected: list[Row] = rows.selectExpr("file", "block", "id", "cast(line as binary) as line").collect()
    return sorted(((r["file"], r["block"], r["id"], bytes(r["line"])) for r in collected), key=place)


def of_workers(session: SparkSession, folder: Path, block: int = local_lines.BLOCK) -> list[tuple[Any, ...]]:
    """The same as read by the functions of a worker."""
    partitions = prefilter._partitions(session.read.text(folder.as_uri()))
    lines = [row for n, pieces in enumerate(partitions) for row in read(n, pieces, block)]
    return sorted(lines, key=place)


def read(number: int, pieces: list[local_lines.Piece], block: int) -> Iterator[tuple[Any, ...]]:
    """The lines of a partition, one by one."""
    return (row for lines in local_lines.lines(number, pieces, block) for row in rows(lines))


def rows(lines: arrow_tests.LineBatch) -> Iterator[tuple[Any, ...]]:
    """A batch of lines, one by one."""
    raw = lines.raw.view(pa.binary()).to_pylist()
    assert all(text[-1:] in (b"\r", b"\n") for text in raw)
    for stretch in lines.stretches:
        for at in range(stretch.start, stretch.end):
            yield stretch.file, stretch.block, lines.ids[at].as_py(), raw[at].rstrip(b"\r\n")


def place(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the place of a row, for sorting."""
    return row[0], row[1], -1 if row[2] is None else row[2]


@pytest.mark.parametrize("piece", [1, 3, 16, 2**20])
@pytest.mark.parametrize("block", [1, 7, 2**22])
def test_lines_of_pieces_are_those_that_spark_reads(
    session: SparkSession, tmp_path: Path, piece: int, block: int
) -> None:
    session.conf.set("spark.sql.files.maxPartitionBytes", str(piece))
    bodies = [made(seed) for seed in range(12)] if piece < 16 else [*ODD.values(), *(made(seed) for seed in range(200))]
    for n, body in enumerate(bodies):
        (tmp_path / f"a file of {n}%20#?.csv").write_bytes(body)
    assert of_workers(session, tmp_path, block) == of_spark(session, tmp_path)


@pytest.mark.parametrize("name", ODD)
def test_odd_files_have_the_same_lines(session: SparkSession, tmp_path: Path, name: str) -> None:
    session.conf.set("spark.sql.files.maxPartitionBytes", "2" if len(ODD[name]) < 100 else "1000")
    (tmp_path / "a.csv").write_bytes(ODD[name])
    assert of_workers(session, tmp_path) == of_spark(session, tmp_path)


def test_what_workers_do_not_find_is_left_to_spark(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(b"")
    (tmp_path / "b.csv").write_bytes(b"a\n")
    assert prefilter._partitions(session.read.text((tmp_path / "b.csv").as_uri()))
    (tmp_path / "c.csv.gz").write_bytes(b"no pack")
    assert prefilter._partitions(session.read.text(tmp_path.as_uri())) == []


def test_file_with_checksums_beside_it_is_left_to_spark(session: SparkSession, tmp_path: Path) -> None:
    """Hadoop refuses a file that its checksums deny; workers would not see it."""
    for name in ("a.csv", "b.csv", ".b.csv.crc"):
        (tmp_path / name).write_bytes(b"a\n")
    assert prefilter._partitions(session.read.text((tmp_path / "a.csv").as_uri()))
    assert prefilter._partitions(session.read.text((tmp_path / "b.csv").as_uri())) == []
