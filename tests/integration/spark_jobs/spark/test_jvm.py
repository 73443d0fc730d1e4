"""The calls of PySpark to Java, and objects that are read through it, piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_jobs.spark import storage
from spark_jobs.spark.jvm import OF_COLUMNS, java_class, remember


def test_java_is_asked_for_a_function_once(spark: SparkSession) -> None:
    remember(spark)
    for name in OF_COLUMNS:
        assert java_class(spark, name) is java_class(spark, name)
    functions = java_class(spark, "org.apache.spark.sql.functions")
    assert functions.col is functions.col
    assert spark.range(1).select(sf.lit(1) + sf.col("id")).first() == (1,)


@pytest.mark.parametrize("size", [0, 1, storage.PIECE - 1, storage.PIECE, storage.PIECE + 1, 3 * storage.PIECE])
def test_objects_come_whole_whatever_their_size(spark: SparkSession, tmp_path: Path, size: int) -> None:
    text = "é" * size
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert storage.read_text(spark, (tmp_path / "a.txt").as_uri()) == text


@pytest.mark.parametrize("length", [0, 1, storage.PIECE, storage.PIECE + 1, 2 * storage.PIECE + 7])
def test_a_start_has_as_many_bytes_as_asked_for(spark: SparkSession, tmp_path: Path, length: int) -> None:
    body = bytes(range(256)) * 100
    (tmp_path / "a.bin").write_bytes(body)
    assert storage.read_start(spark, (tmp_path / "a.bin").as_uri(), length) == body[:length]
