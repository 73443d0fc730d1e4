"""`python -m infra.setup.spark.training FILE`: a small job like dropgate's in, the start-up archive of its JVM out."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pyspark import SparkConf
from pyspark.sql import SparkSession

from infra.setup.spark import session
from infra.setup.spark.archive import QUIET


def main(place: Path) -> None:
    """Run the job, and wait until the JVM has written the archive at its end."""
    settings = session.local_settings("training", "1g", 2)
    settings["spark.driver.extraJavaOptions"] = f"{session.JAVA_OPTIONS} -XX:ArchiveClassesAtExit={place} {QUIET}"
    context = session.start(SparkConf(loadDefaults=False).setAll(list(settings.items())))
    gateway = context._gateway  # noqa: SLF001 - pyspark has no other way to see its JVM end
    assert gateway is not None
    with tempfile.TemporaryDirectory(prefix="dropgate-") as scratch:
        exercise(SparkSession(context), Path(scratch))
    context.stop()
    gateway.proc.stdin.close()
    gateway.proc.wait(timeout=900)


def exercise(spark: SparkSession, folder: Path) -> None:
    """Read text, parse, cast, check, group, write and read again: the archive holds the classes of this work."""
    (folder / "in.csv").write_text("1,2.5,2026-01-31,a\n2,,x,b\n", encoding="utf-8")
    parsed = spark.read.text(str(folder / "in.csv")).selectExpr(
        "_metadata.file_path AS file",
        "monotonically_increasing_id() AS id",
        "value",
        "from_csv(value, 'a STRING, b STRING, c STRING, d STRING') AS row",
    )
    checked = parsed.selectExpr(
        "file",
        "id",
        "value",
        "try_cast(row.a AS BIGINT) > 1 AS high",
        "try_cast(row.b AS DOUBLE) IS NULL AS empty",
        "try_to_timestamp(row.c, 'yyyy-MM-dd') IS NULL AS undated",
        "row.d RLIKE '^a$' AS fits",
    )
    grouped = checked.groupBy("file", "high", "empty", "undated", "fits").agg({"id": "min", "value": "count"})
    grouped.write.parquet(str(folder / "parquet"))
    spark.read.parquet(str(folder / "parquet")).orderBy("file").collect()
    checked.write.json(str(folder / "json"))
    spark.read.csv(str(folder / "in.csv"), inferSchema=True).dropDuplicates().count()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
