"""Tables as dropgate writes them, read back by Delta's own reader in Spark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from contracts.job import DataFile
from contracts.table import TableColumn
from functions import keys
from functions.aws.delta import DeltaTables
from functions.ports.store import CopyTag
from infra.stack_admin.maintain import maintain

COLUMNS = (TableColumn("n", "long"), TableColumn("amount", "decimal(9,2)"), TableColumn("at", "timestamp"))
OURS = (TableColumn("_drop", "string"), TableColumn("_record", "long"))
A, B, C = ("a" * 32, "b" * 32, "c" * 32)


@pytest.fixture
def reader(spark: SparkSession) -> SparkSession:
    """A session that reads Delta; its extension is for SQL's statements, and would hold for all sessions of the JVM."""
    session = spark.newSession()
    session.conf.set("spark.databricks.delta.requiredSparkConfsCheck.enabled", "false")
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    return session


def lay(spark: SparkSession, folder: Path, name: str, drop: str, *rows: str) -> DataFile:
    """A file as the job lays it down."""
    values = ", ".join(f"({row}, '{drop}', {n}L)" for n, row in enumerate(rows, 1))
    every = spark.sql(f"select * from values {values} t(n, amount, at, _drop, _record)")
    every.coalesce(1).write.mode("overwrite").parquet(str(folder / "written"))
    (part,) = (folder / "written").glob("part-*.parquet")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    part.rename(folder / name)
    return DataFile(Path(name).name.removeprefix("1-"), (folder / name).stat().st_size, len(rows))


def test_delta_spark_reads_what_was_added_replaced_and_made_fewer(reader: SparkSession, tmp_path: Path) -> None:
    tables, table = DeltaTables(dict), tmp_path / "orders.v1"
    moment = "timestamp'2026-01-31 12:00:00'"

    def rows() -> list[tuple[object, ...]]:
        frame = reader.read.format("delta").load(str(table))
        selected = frame.selectExpr(
            "n", "cast(amount as string)", "date_format(at, 'yyyy-MM-dd HH:mm')", "left(_drop, 1)"
        )
        return sorted(tuple(row) for row in selected.collect())

    versions: list[int] = []
    for drop, row in ((A, f"1L, 1.50BD, {moment}"), (B, "2L, cast(null as decimal(3,2)), cast(null as timestamp)")):
        assert not tables.ready(str(table), (*COLUMNS, *OURS), CopyTag(drop, 1))
        own = row.replace("1.50BD", "cast(1.50 as decimal(9,2))").replace("decimal(3,2)", "decimal(9,2)")
        file = lay(reader, table, keys.data_file(drop, 1, "0.parquet"), drop, own)
        versions += [tables.append(str(table), (file,), CopyTag(drop, 1)) for _ in range(2)]
    assert versions == [1, 1, 2, 2]
    assert rows() == [(1, "1.50", "2026-01-31 12:00", "a"), (2, None, None, "b")]

    assert maintain(f"{table}/", {}, os.remove)
    tables.ready(str(table), (*COLUMNS, TableColumn("more", "boolean"), *OURS), CopyTag(C, 1))
    new = lay(reader, tmp_path / "laid", "0.parquet", C, f"3L, cast(3 as decimal(9,2)), {moment}")
    replaced = tables.replace(str(table), f"{tmp_path / 'laid'}/", (new,), CopyTag(C, 1), (A,))
    assert replaced == tables.ready(str(table), OURS, CopyTag(C, 1)) == DeltaTable(table).version()
    assert rows() == [(2, None, None, "b"), (3, "3.00", "2026-01-31 12:00", "c")]
    assert reader.read.format("delta").load(str(table)).columns[-1] == "more"

    tables.withdraw(str(table), CopyTag(B, 1))
    assert [row[0] for row in rows()] == [3]
