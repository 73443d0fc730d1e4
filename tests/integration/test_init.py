"""A first contract held against the job itself: Parquet is profiled through Spark, and the samples are accepted."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.authoring.compiling import compile_text
from contracts.authoring.drafting.drafting import draft
from infra.judge import judge
from infra.sampling import profile

SCHEMA = (
    "id bigint, price decimal(10,2), ratio double, day date, moment timestamp, state string, ok boolean, a array<int>, "
    "raw binary"
)
WITHIN = (
    "id bigint, to struct<city: string, `zip.nr`: int, raw: binary>, lines array<struct<sku: string, "
    "price: decimal(5,2), at: date>>, words map<string, array<timestamp>>, odd map<int, string>, none struct<a: int>"
)


def _parquet(spark: SparkSession, folder: Path, rows: list[tuple[object, ...]], schema: str = SCHEMA) -> Path:
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(str(folder))
    (path,) = folder.glob("part-*.parquet")
    return path.rename(folder.with_suffix(".parquet"))


def _row(n: int) -> tuple[object, ...]:
    moment = datetime(2026, 1, 31, tzinfo=UTC) + timedelta(hours=n)
    price = Decimal(n) / 4 if n % 5 else None
    return (n, price, n / 8, date(2026, 1, 1 + n % 28), moment, "SE" if n % 2 else "NO", n % 3 == 0, [n], b"")


def test_samples_of_parquet_pass_the_job_and_a_broken_copy_does_not(spark: SparkSession, tmp_path: Path) -> None:
    rows = [_row(n) for n in range(60)]
    sample = _parquet(spark, tmp_path / "things-2026-01-31", rows)
    made = draft(profile([sample], lambda: spark))
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").plan
    assert plan, made.text
    for said in (
        "- name: price\n        logicalType: number  # proposed: 48 of 48 values are a number",
        "physicalType: decimal(12,2)",
        'enum: [{value: "NO"}, {value: SE}]',
        "primaryKey: true",
        "columns: {extra: ignore, order: exact}",
        "- name: a\n        logicalType: array",
        "`raw` is left out: it is BYTE_ARRAY without annotation.",
    ):
        assert said in made.text.replace("'", '"'), made.text
    key = "things/things-2026-01-31.parquet"
    assert judge(sample, plan, key, lambda: spark).decision.verdict == "accepted"
    broken = _parquet(spark, tmp_path / "broken", [(*row[:5], "nowhere", *row[6:]) for row in rows])
    assert judge(broken, plan, key, lambda: spark).decision.verdict == "rejected"


def _nested(n: int) -> tuple[object, ...]:
    moment = datetime(2026, 1, 31, tzinfo=UTC) + timedelta(hours=n)
    line = (f"s{n % 2}", Decimal(n) / 4 if n % 5 else None, date(2026, 1, 1 + n % 28))
    words = {"de": [moment], f"x{n}": [None]} if n % 4 else None
    return (n, ("Wien", n, b"") if n % 3 else None, [line, line] if n % 7 else [], words, {n: "a"}, None)


def test_what_lies_within_columns_of_parquet_is_proposed(spark: SparkSession, tmp_path: Path) -> None:
    rows = [_nested(n) for n in range(60)]
    sample = _parquet(spark, tmp_path / "things-2026-01-31", rows, WITHIN)
    made = draft(profile([sample], lambda: spark))
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").plan
    assert plan, made.text
    assert {p.name: p.type for p in plan.properties if p.path} == {
        "to.city": "string",
        "to['zip.nr']": "integer",
        "lines[]": "object",
        "lines[].sku": "string",
        "lines[].price": "number",
        "lines[].at": "date",
        "words.~": "string",
        "words.*": "array",
        "words.*[]": "timestamp",
        "none.a": "integer",
    }
    assert {c.id for c in plan.checks} >= {"to.city.enum", "to['zip.nr'].maximum", "lines[].at.required"}
    assert plan.property_named("lines[].price").exact == (7, 2)
    assert "`to.raw` is left out: it is BYTE_ARRAY without annotation." in made.text
    assert "`odd` is left out: its keys are int." in made.text
    key = "things/things-2026-01-31.parquet"
    assert judge(sample, plan, key, lambda: spark).decision.verdict == "accepted"
    spoilt = [(*row[:2], [("s3", Decimal(-9), None)], *row[3:]) for row in rows]
    broken = _parquet(spark, tmp_path / "broken", spoilt, WITHIN)
    failing = [o.id for o in judge(broken, plan, key, lambda: spark).decision.checks if o.result == "failed"]
    assert failing == ["lines[].sku.enum", "lines[].price.minimum", "lines[].at.required"]
