"""The valid rows that the job leaves for consumers: as they came, in their order, without the rejected ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts import rules
from contracts.files.header import valid_file
from contracts.job import SIFTED_FROM, DataFiles, JobResult
from contracts.plan import Columns, Compression, Csv, FileFormat, Plan, Promoted, Property
from spark_jobs.validate import run
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request
from tests.packing import PACK, packed, unpacked

PROPERTIES = (a_property("n", "integer"), a_property("note"))


def judged(spark: SparkSession, folder: Path, plan: Plan, sift_from: int = SIFTED_FROM, **files: bytes) -> Judged:
    """A run over files that leaves their valid rows."""
    asked = a_request(folder, plan, {f"{name}{plan.suffix}": body for name, body in files.items()})
    drops = tuple(replace(d, valid=f"{folder.as_uri()}/valid/{d.id}/") for d in asked.drops)
    (folder / "request.json").write_text(replace(asked, drops=drops).dumps())
    run(spark, (folder / "request.json").as_uri(), sift_from)
    return Judged(plan, JobResult.loads((folder / "result.jsonl").read_bytes()), folder)


def left(judged: Judged, name: str) -> bytes | None:
    """The file of valid rows of a drop, if there is one."""
    path = judged.folder / "valid" / f"{name}{judged.plan.suffix}" / valid_file(judged.plan)
    return path.read_bytes() if path.exists() else None


def rows_plan(csv: Csv | None = None, properties: tuple[Property, ...] = PROPERTIES, **more: object) -> Plan:
    return a_plan(properties, csv=csv, promote="rows", **more)  # type: ignore[arg-type]


def test_lines_stay_as_they_came_in_their_order(spark: SparkSession, tmp_path: Path) -> None:
    valid = judged(
        spark,
        tmp_path,
        rows_plan(),
        a=b'n,note\n 3,x\n\n1,"a ""b"""\nx,bad\n2,\n,\n',
        b=b"n,note\n1,a\n",
        c=b"n,note\nx,a\n",
        d=b"note,n\nz,9\ny,x\nx,8\n",
    )

    assert left(valid, "a") == b'n,note\n1,"a ""b"""\n2,\n,\n'
    assert left(valid, "b") is None
    assert left(valid, "c") == b"n,note\n"
    assert left(valid, "d") == b"note,n\nz,9\nx,8\n"
    assert [d.failure for d in valid.result.drops] == [None] * 4


def test_bytes_of_another_encoding_stay(spark: SparkSession, tmp_path: Path) -> None:
    body = "n;note\n1;\u00e9t\u00e9\nx;\u00e9\n".encode("iso-8859-1")
    valid = judged(spark, tmp_path, rows_plan(Csv(delimiter=";", encoding="iso-8859-1")), a=body)

    assert left(valid, "a") == "n;note\n1;\u00e9t\u00e9\n".encode("iso-8859-1")


@pytest.mark.parametrize("compression", PACK)
@pytest.mark.parametrize(("body", "rows"), [(b"1,a\nx,b\n", b"1,a\n"), (b"x,b\n", b"")])
def test_files_without_header_and_packed_ones(
    spark: SparkSession, tmp_path: Path, body: bytes, rows: bytes, compression: Compression
) -> None:
    plan = rows_plan(Csv(header=False), compression=compression)
    valid = judged(spark, tmp_path, plan, a=packed(plan, body))

    assert unpacked(plan, left(valid, "a") or b"") == rows


def test_json_lines_stay_as_they_came(spark: SparkSession, tmp_path: Path) -> None:
    body = b'{"n": 1,  "note": "a"}\n{"n": "x"}\nno json\n{"note": null, "n": 2}\n'
    valid = judged(spark, tmp_path, rows_plan(file_format="jsonl"), a=body)

    assert left(valid, "a") == b'{"n": 1,  "note": "a"}\n{"note": null, "n": 2}\n'


def test_cells_of_several_lines_stay_whole(spark: SparkSession, tmp_path: Path) -> None:
    body = b'n,note\n1,"a\nb"\nx,"c\nd"\n2,"say ""so"""\n,\n'
    valid = judged(spark, tmp_path, rows_plan(Csv(multi_line=True)), a=body)

    assert left(valid, "a") == b'n,note\n1,"a\nb"\n2,"say ""so"""\n,\n'


def test_parquet_keeps_types_and_columns(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("select * from values (1L, 'a', 1.50BD), (-2L, null, 2BD), (3L, 'c', null) t(n, note, more)").coalesce(
        1
    ).write.parquet(str(tmp_path / "source"))
    (source,) = (tmp_path / "source").glob("part-*.parquet")
    plan = rows_plan(file_format="parquet", columns_extra="ignore")
    least = replace(plan.checks[0], id="n.minimum", rule=rules.Minimum("0"))
    valid = judged(spark, tmp_path, replace(plan, checks=(*plan.checks, least)), a=source.read_bytes())
    lies = spark.read.parquet(str(tmp_path / "valid" / "a.parquet" / "valid.parquet"))

    assert [tuple(row) for row in lies.selectExpr("n", "note", "cast(more as string)").collect()] == [
        (1, "a", "1.50"),
        (3, "c", None),
    ]
    assert dict(lies.dtypes)["more"] == "decimal(3,2)"
    assert valid.drop("a.parquet").failure is None


def test_parquet_may_have_columns_of_any_name(spark: SparkSession, tmp_path: Path) -> None:
    rows = "values (1L, 'a', 'f', 'b', 7L, 8L), (-2L, 'x', 'f', 'b', 7L, 8L) t(id, file, block, value, shift, last)"
    spark.sql(f"select * from {rows}").coalesce(1).write.parquet(str(tmp_path / "source"))
    (source,) = (tmp_path / "source").glob("part-*.parquet")
    plan = rows_plan(properties=(a_property("id", "integer"),), file_format="parquet", columns_extra="ignore")
    least = replace(plan.checks[0], id="id.minimum", rule=rules.Minimum("0"))
    valid = judged(spark, tmp_path, replace(plan, checks=(*plan.checks, least)), a=source.read_bytes())

    (row,) = spark.read.parquet(str(tmp_path / "valid" / "a.parquet" / "valid.parquet")).collect()
    assert row.asDict() == {"id": 1, "file": "a", "block": "f", "value": "b", "shift": 7, "last": 8}
    assert valid.drop("a.parquet").failure is None


def in_table(spark: SparkSession, valid: Judged, name: str) -> list[tuple[object, ...]]:
    """The rows that are laid down for a table, by their list."""
    folder = valid.folder / "valid" / f"{name}{valid.plan.suffix}"
    files = DataFiles.loads((folder / "files.json").read_bytes()).files
    assert [one.size for one in files] == [(folder / one.name).stat().st_size for one in files]
    rows = [spark.read.parquet(str(folder / one.name)).collect() for one in files]
    assert [len(each) for each in rows] == [one.rows for one in files]
    return sorted((tuple(row) for each in rows for row in each), key=lambda row: int(str(row[-1])))


def test_rows_of_a_table_are_typed_and_numbered(spark: SparkSession, tmp_path: Path) -> None:
    kinds = (
        a_property("n", "integer"),
        a_property("x", "number", exact=(5, 2)),
        a_property("on", "boolean"),
        a_property("day", "date", format="dd.MM.yyyy"),
        a_property("at", "timestamp"),
        a_property("time", "time"),
        a_property("note"),
    )
    plan = a_plan(kinds, promote="table")
    valid = judged(
        spark,
        tmp_path,
        plan,
        a=b"note,n,x,on,day,at,time\n,1,1.50,TRUE,31.01.2026,2026-01-31T12:00:00Z,09:30\nb,x,,,,,\nc,,,,,,\n",
        b=b"note,n,x,on,day,at,time\nb,x,,,,,\n",
    )
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC).astimezone().replace(tzinfo=None)

    assert in_table(spark, valid, "a") == [
        (1, Decimal("1.50"), True, date(2026, 1, 31), noon, "09:30:00.000000", None, "a.csv", 1),
        (None, None, None, None, None, None, "c", "a.csv", 3),
    ]
    assert in_table(spark, valid, "b") == []
    assert dict(spark.read.parquet(str(tmp_path / "valid" / "a.csv" / "0.parquet")).dtypes) == {
        "n": "bigint",
        "x": "decimal(5,2)",
        "on": "boolean",
        "day": "date",
        "at": "timestamp",
        "time": "string",
        "note": "string",
        "_drop": "string",
        "_record": "bigint",
    }


def test_files_without_any_valid_row_are_judged_for_a_table(spark: SparkSession, tmp_path: Path) -> None:
    plan = replace(rows_plan(), promote="table")
    valid = judged(spark, tmp_path, plan, a=b"n,note\nx,a\n", b=b"n,note\n", c=b"note,n\na,1\n")

    assert [(d.failure, d.read, d.valid, d.rejected) for d in valid.result.drops] == [
        (None, 1, 0, 1),
        (None, 0, 0, 0),
        (None, 1, 1, 0),
    ]
    assert [in_table(spark, valid, name) for name in "abc"] == [[], [], [(1, "a", "c.csv", 1)]]


@pytest.mark.parametrize("form", ["jsonl", "parquet", "csv"])
def test_file_without_any_record_has_a_list_for_its_table(
    spark: SparkSession, tmp_path: Path, form: FileFormat
) -> None:
    body = b"\n\n"
    if form == "parquet":
        spark.sql("select 1L as n where false").coalesce(1).write.parquet(str(tmp_path / "source"))
        body = next((tmp_path / "source").glob("part-*.parquet")).read_bytes()
    columns = Columns(missing="ignore")
    plan = a_plan(PROPERTIES, promote="table", file_format=form, columns=columns, empty="accept", csv=Csv(header=False))
    valid = judged(spark, tmp_path, plan, a=body)

    assert (valid.drop(f"a{plan.suffix}").read, valid.drop(f"a{plan.suffix}").failure) == (0, None)
    assert in_table(spark, valid, "a") == []


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_columns_that_a_file_lacks_are_null_in_a_table(spark: SparkSession, tmp_path: Path, form: FileFormat) -> None:
    body = b'{"n": 1}\n{"n": "x"}\n'
    if form == "parquet":
        spark.sql("select 1L as n").coalesce(1).write.parquet(str(tmp_path / "source"))
        body = next((tmp_path / "source").glob("part-*.parquet")).read_bytes()
    plan = a_plan(PROPERTIES, promote="table", file_format=form, columns=Columns(missing="ignore"))
    valid = judged(spark, tmp_path, plan, a=body)

    assert in_table(spark, valid, "a") == [(1, None, f"a.{form}", 1)]


def test_file_without_any_column_of_the_contract_is_a_record_without_values(
    spark: SparkSession, tmp_path: Path
) -> None:
    plan = a_plan(PROPERTIES, promote="table", columns=Columns(extra="ignore", missing="ignore"))
    valid = judged(spark, tmp_path, plan, a=b'x,y\n1,2\n,""\n', b=b"n,note\n1,a\n")

    assert [in_table(spark, valid, name) for name in "ab"] == [
        [(None, None, "a.csv", 1), (None, None, "a.csv", 2)],
        [(1, "a", "b.csv", 1)],
    ]
    assert [d.failure for d in valid.result.drops] == [None] * 2


def test_records_without_any_column_that_is_read_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("select array(n) as other from values (1), (2) t(n)").coalesce(1).write.parquet(str(tmp_path / "source"))
    (source,) = (tmp_path / "source").glob("part-*.parquet")
    columns = Columns(extra="ignore", missing="ignore")
    plan = a_plan(PROPERTIES, promote="table", file_format="parquet", columns=columns)
    valid = judged(spark, tmp_path, plan, a=source.read_bytes())

    assert in_table(spark, valid, "a") == [(None, None, "a.parquet", 1), (None, None, "a.parquet", 2)]
    assert (valid.drop("a.parquet").read, valid.drop("a.parquet").failure) == (2, None)


@pytest.mark.parametrize("promote", ["rows", "table"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_consumers_get_the_same_whether_files_are_prefiltered_or_not(
    spark: SparkSession, tmp_path: Path, promote: Promoted, form: FileFormat
) -> None:
    plan = replace(a_plan(PROPERTIES, [a_check("minimum", "n", value="0")], file_format=form), promote=promote)
    files = {"good": [(1, "a"), (2, None), (3, "b")], "bad": [(4, "c"), (-1, "d"), (6, None)]}
    bodies = {name: _body(spark, tmp_path / name, form, rows) for name, rows in files.items()}
    laid = []
    for name, least in (("sifted", 0), ("plain", 2**62)):
        (tmp_path / name).mkdir()
        runs = judged(spark, tmp_path / name, plan, least, **bodies)
        assert {drop.drop: (drop.valid, drop.failure) for drop in runs.result.drops} == {
            f"good.{form}": (3, None),
            f"bad.{form}": (2, None),
        }
        laid.append({of: _laid(spark, runs, of) for of in files})
    assert laid[0] == laid[1]
    assert laid[0]["bad"]


def _body(spark: SparkSession, folder: Path, form: FileFormat, rows: list[tuple[int, str | None]]) -> bytes:
    if form == "csv":
        return "".join(f"{line}\n" for line in ("n,note", *(f"{n},{note or ''}" for n, note in rows))).encode()
    spark.createDataFrame(rows, "n long, note string").coalesce(1).write.parquet(str(folder))
    return next(folder.glob("*.parquet")).read_bytes()


def _laid(spark: SparkSession, runs: Judged, name: str) -> object:
    if runs.plan.promote == "table":
        return in_table(spark, runs, name)
    body = left(runs, name)
    if body is None or runs.plan.file_format == "csv":
        return body
    path = runs.folder / "valid" / f"{name}{runs.plan.suffix}" / valid_file(runs.plan)
    return [tuple(row) for row in spark.read.parquet(str(path)).collect()]
