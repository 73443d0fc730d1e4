"""Parquet files told in vectors and not: every result of the job is the same, and nothing is told that is not so."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from math import inf, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs.prefilter import arrow_tests, parquet_columns, prefilter
from tests.integration.spark_jobs.prefilter.test_prefilter import NEVER
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

PLAN = a_plan(
    [
        a_property("id", "integer"),
        a_property("wind", "number"),
        a_property("day", "date"),
        a_property("state"),
        a_property("ok", "boolean"),
    ],
    [
        a_check("required", "id"),
        a_check("unique", "id", scope="set"),
        a_check("maximum", "id", value="1000"),
        a_check("minimum", "wind", value="-1.5"),
        a_check("exclusiveMaximum", "day", value="2025-01-01"),
        a_check("enum", "state", values=["SP", "RJ", "é"]),
        a_check("maxLength", "state", value=2),
        a_check("pattern", "state", pattern="^[A-Zé]"),
    ],
    file_format="parquet",
)
TYPES = {"id": pa.int64(), "wind": pa.float64(), "day": pa.date32(), "state": pa.string(), "ok": pa.bool_()}
GOOD: dict[str, Sequence[Any]] = {
    "id": [1, 2, 3, 4],
    "wind": [0.5, -1.5, None, 360.0],
    "day": [date(2024, 2, 29), None, date(1582, 10, 15), date(2024, 12, 31)],
    "state": ["SP", None, "é", "RJ"],
    "ok": [True, None, False, True],
}
BAD: dict[str, Sequence[Any]] = {
    "id": [None, 1001],
    "wind": [nan, inf, -inf, -2.0],
    "day": [date(2025, 1, 1), date(1582, 10, 14), date(1, 1, 1)],
    "state": ["", "XX", "SPX", "sp"],
}


def a_file(
    values: Mapping[str, Sequence[Any]] = GOOD, types: Mapping[str, pa.DataType] | None = None, **more: Any
) -> bytes:
    """A file of these columns."""
    kinds = TYPES | dict(types or {})
    table = pa.table({name: pa.array(some, kinds.get(name)) for name, some in values.items()})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **more)
    return buffer.getvalue()


def hold(spark: SparkSession, folder: Path, plan: Plan, files: Mapping[str, bytes]) -> Judged:
    """Judge files, and one that is bad, with and without the prefilter, and compare the results."""
    files = {**files, "bad.parquet": a_file(GOOD | {"state": ["XX"] * 4})}
    runs = []
    for name, least in (("sifted", 0), ("plain", NEVER)):
        (folder / name).mkdir()
        runs.append(judge(spark, folder / name, plan, files, sift_from=least))
    assert runs[0].outputs(spark) == runs[1].outputs(spark)
    return runs[0]


def is_decided(spark: SparkSession, folder: Path, body: bytes, plan: Plan = PLAN) -> bool:
    """Return whether the prefilter decides a file."""
    (folder / "a.parquet").write_bytes(body)
    source = spark.read.parquet((folder / "a.parquet").as_uri())
    conditions = prefilter.column_conditions(plan, tuple(source.columns), tuple(kind for _, kind in source.dtypes))
    return conditions is not None and bool(prefilter.passing_row_groups(source, conditions))


def test_good_files_are_told_of(spark: SparkSession, tmp_path: Path) -> None:
    assert is_decided(spark, tmp_path, a_file())
    assert is_decided(spark, tmp_path, a_file(row_group_size=1))
    assert is_decided(spark, tmp_path, a_file(use_dictionary=False, compression="zstd"))
    assert is_decided(spark, tmp_path, a_file(types={"id": pa.int32(), "wind": pa.float32()}))
    assert is_decided(spark, tmp_path, a_file({name: GOOD[name] for name in ("state", "id")} | {"more": [1, 2, 3, 4]}))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, some in BAD.items() for value in some])
def test_one_value_that_fails_is_told_of_no_file(spark: SparkSession, tmp_path: Path, name: str, value: object) -> None:
    assert not is_decided(spark, tmp_path, a_file(GOOD | {name: [*GOOD[name][:-1], value]}))


@pytest.mark.parametrize(
    "body",
    [
        a_file(compression="lz4"),
        a_file(compression="brotli"),
        a_file(use_dictionary=False, column_encoding={"wind": "BYTE_STREAM_SPLIT"}),
        a_file(types={"id": pa.uint32()}),
        a_file(GOOD | {"wind": [1, 2, 3, 4]}, {"wind": pa.decimal128(9, 2)}),
        a_file(types={"state": pa.large_string()}),
        a_file(types={"state": pa.dictionary(pa.int8(), pa.string())}),
        a_file(types={"state": pa.binary()}),
        a_file(GOOD | {"day": [0, 1, 2, 3]}, {"day": pa.timestamp("us")}),
    ],
)
def test_what_arrow_reads_in_its_own_way_is_left_to_spark(spark: SparkSession, tmp_path: Path, body: bytes) -> None:
    assert not is_decided(spark, tmp_path, body)


def test_bytes_that_are_no_text_are_told_of_no_file(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("state")], file_format="parquet")
    raw = pa.array([b"SP", b"\xff"], pa.binary()).view(pa.string())
    for dictionary in (True, False):
        buffer = io.BytesIO()
        pq.write_table(pa.table({"state": raw}), buffer, use_dictionary=dictionary)
        assert not is_decided(spark, tmp_path, buffer.getvalue(), plan)


def test_value_that_is_no_word_of_its_dictionary_does_not_pass() -> None:
    """Arrow hands on what a damaged page says; Spark fails."""
    values = pa.DictionaryArray.from_arrays(pa.array([0, 195], pa.int32()), pa.array(["SP"]), safe=False)
    with pytest.raises(pa.ArrowInvalid):
        parquet_columns.passes(values, arrow_tests.TestedColumn(0, pa.string()))


def test_files_are_judged_the_same_whichever_of_them_is_told_of(spark: SparkSession, tmp_path: Path) -> None:
    files = {
        "good.parquet": a_file(),
        "other.parquet": a_file(GOOD | {"id": [7, 8, 9, 10]}, row_group_size=2),
        "twice.parquet": a_file(GOOD | {"id": [1, 2, 2, 4]}, row_group_size=2),
        "down.parquet": a_file(GOOD | {"id": [4, 3, 2, 1]}),
        "none.parquet": a_file({name: [] for name in GOOD}),
        "fewer.parquet": a_file({name: GOOD[name] for name in ("id", "state")}),
        **{
            f"{name}{n}.parquet": a_file(GOOD | {name: [*GOOD[name][:-1], value]})
            for name, some in BAD.items()
            for n, value in enumerate(some)
        },
    }
    judged = hold(spark, tmp_path, PLAN, files)
    by_name = {drop.drop: drop for drop in judged.result.drops}
    assert (by_name["good.parquet"].valid, by_name["wind0.parquet"].valid) == (4, 3)
    assert judged.count("id.unique", "twice.parquet").failed == 2


def test_records_are_numbered_the_same_in_many_row_groups(spark: SparkSession, tmp_path: Path) -> None:
    many = {name: [value for value in some[:1] for _ in range(900)] for name, some in GOOD.items()}
    files = {
        "a.parquet": a_file(many | {"id": list(range(900))}, row_group_size=100),
        "b.parquet": a_file(many | {"id": [*range(899), 5]}, row_group_size=70),
    }
    judged = hold(spark, tmp_path, PLAN, files)
    assert judged.count("id.unique", "b.parquet").failed == 2


@pytest.mark.parametrize("size", [200, 1_000, 2**20])
def test_row_groups_are_of_the_splits_that_spark_reads_them_in(spark: SparkSession, tmp_path: Path, size: int) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.files.openCostInBytes", "1")
    session.conf.set("spark.sql.files.maxPartitionBytes", str(size))
    many = {name: list(some) * 100 for name, some in GOOD.items()} | {"id": list(range(400))}
    for n, some in enumerate((7, 50, 400)):
        (tmp_path / f"{n}.parquet").write_bytes(a_file(many, row_group_size=some))
    source = session.read.parquet(tmp_path.as_uri())
    proof = prefilter.column_conditions(PLAN, tuple(source.columns), tuple(kind for _, kind in source.dtypes))
    assert proof
    passing = prefilter.of_whole_files(source, PLAN, proof, prefilter.passing_row_groups(source, proof))
    splits = {place: (split.n, split.first) for place, split in passing.splits().items()}
    ids = source.select(
        sf.input_file_name().alias("file"),
        sf.input_file_block_start().alias("block"),
        sf.monotonically_increasing_id().alias("id"),
    )
    rows = ids.groupBy("file", "block").agg(sf.count("*").alias("n"), sf.min("id").alias("first")).collect()
    assert splits == {(row["file"], row["block"]): (row["n"], row["first"]) for row in rows}
    assert list(passing.distinct().values()) == [{number for number, _ in proof.keys}] * 3


@pytest.mark.parametrize("keep", [10, 200, 0.5, 0.9])
def test_files_that_are_cut_short_or_changed_are_no_other_outcome(
    spark: SparkSession, tmp_path: Path, keep: float
) -> None:
    body = a_file(row_group_size=2)
    at = int(keep if keep >= 1 else len(body) * keep)
    changed = body[:at] + bytes([body[at] ^ 0xFF]) + body[at + 1 :]
    hold(spark, tmp_path, PLAN, {"good.parquet": a_file(), "changed.parquet": changed})


def test_plan_with_what_vectors_cannot_tell_has_no_proof() -> None:
    for prop in (
        a_property("at", "timestamp"),
        a_property("at", "time"),
        a_property("n", "number", exact=(5, 2)),
    ):
        plan = a_plan([prop], file_format="parquet")
        kind = {"timestamp": "timestamp", "time": "string", "number": "double"}[prop.type]
        assert prefilter.column_conditions(plan, (prop.name,), (kind,)) is None
    missing = a_check("missingValues", "id", values=["-9"], null=False)
    assert prefilter.column_conditions(replace(PLAN, checks=(*PLAN.checks, missing)), ("id",), ("bigint",)) is None


def test_integers_that_are_one_number_to_spark_are_told_of_in_no_file(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("n", "number")], [a_check("unique", "n", scope="set")], file_format="parquet")
    for rows, decided in (([2**53 - 1, 2**53], True), ([2**53, 2**53 + 1], False)):
        assert is_decided(spark, tmp_path, a_file({"n": rows}, {"n": pa.int64()}), plan) is decided


def test_workers_that_end_end_no_job(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow ends its process at some damaged footers."""
    path = tmp_path / "python"
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(path))
    caplog.set_level(logging.WARNING)
    judged = judge(spark, tmp_path, PLAN, {"a.csv": a_file()}, sift_from=0)
    assert [record.getMessage()[:30] for record in caplog.records] == ["Records are judged one by one,"]
    assert (judged.drop().valid, judged.drop().failure) == (4, None)
