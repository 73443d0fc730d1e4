"""A first contract held against the job itself: Parquet is profiled through Spark, and the samples are accepted."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from infra.offline.judge import judge
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
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
    assert plan, made.text
    for words in (
        "- name: price\n        logicalType: number  # proposed: 48 of 48 values are a number",
        "physicalType: decimal(12,2)",
        'enum: [{value: "NO"}, {value: SE}]',
        "primaryKey: true",
        "columns: {extra: ignore, order: exact}",
        "- name: a\n        logicalType: array",
        "`raw` is left out: it is BYTE_ARRAY without annotation.",
    ):
        assert words in made.text.replace("'", '"'), made.text
    key = "things/things-2026-01-31.parquet"
    assert judge(sample, plan, key, lambda: spark).decision.verdict == "accepted"
    broken = _parquet(spark, tmp_path / "broken", [(*row[:5], "nowhere", *row[6:]) for row in rows])
    assert judge(broken, plan, key, lambda: spark).decision.verdict == "accepted_with_warnings"


def _nested(n: int) -> tuple[object, ...]:
    moment = datetime(2026, 1, 31, tzinfo=UTC) + timedelta(hours=n)
    line = (f"s{n % 2}", Decimal(n) / 4 if n % 5 else None, date(2026, 1, 1 + n % 28))
    words = {"de": [moment], f"x{n}": [None]} if n % 4 else None
    return (n, ("Wien", n, b"") if n % 3 else None, [line, line] if n % 7 else [], words, {n: "a"}, None)


def test_what_lies_within_columns_of_parquet_is_proposed(spark: SparkSession, tmp_path: Path) -> None:
    rows = [_nested(n) for n in range(60)]
    sample = _parquet(spark, tmp_path / "things-2026-01-31", rows, WITHIN)
    made = draft(profile([sample], lambda: spark))
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
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
    assert {c.id for c in plan.checks} >= {"to.city.enum", "lines[].price.maximum", "lines[].at.required"}
    assert not [c.id for c in plan.checks if c.id.startswith("to['zip.nr'].m")]  # a name, which counts nothing
    assert plan.property_named("lines[].price").exact == (7, 2)
    assert "`to.raw` is left out: it is BYTE_ARRAY without annotation." in made.text
    assert "`odd` is left out: its keys are int." in made.text
    key = "things/things-2026-01-31.parquet"
    assert judge(sample, plan, key, lambda: spark).decision.verdict == "accepted"
    spoilt = [(*row[:2], [("s3", Decimal(-9), None)], *row[3:]) for row in rows]
    broken = _parquet(spark, tmp_path / "broken", spoilt, WITHIN)
    failing = [o.id for o in judge(broken, plan, key, lambda: spark).decision.checks if o.result == "warning"]
    assert failing == ["lines[].sku.enum", "lines[].price.minimum", "lines[].at.required"]


SOME = (1.1, 0.1, 0.3, 16_777_217.0, 8.9999995e9, 9e9, 1e-30, 1.17549435e-38, 3.4028235e38)
"""Floats, of some of which Java's text is that of another number."""


def _drawn(count: int) -> list[float]:
    """Floats by chance, as many of few digits as of all."""
    chance = random.Random(34)
    bits = [struct.unpack("<f", chance.randbytes(4))[0] for _ in range(2 * count)]
    every = [value for value in bits if math.isfinite(value)][: count // 2]
    short = [float(f"{chance.randrange(1, 10**7)}e{chance.randrange(-20, 20)}") for _ in range(count // 2)]
    return [*every, *short]


@pytest.mark.parametrize("values", [SOME[:6], [*SOME, *(-value for value in SOME), *_drawn(30)]], ids=["few", "many"])
def test_bounds_of_floats_accept_their_own_sample(spark: SparkSession, tmp_path: Path, values: Sequence[float]) -> None:
    """Two floats are the ends of each column: some stand alone, some in a group, a list or a map."""
    columns: dict[str, pa.Array] = {}
    for n, (low, high) in enumerate(zip(*[iter(values)] * 2, strict=True)):
        few = [low, high, None, low / 2 + high / 2, high] * 8
        columns[f"alone{n}"] = pa.array(few, pa.float32())
        match n % 3:
            case 0:
                columns[f"group{n}"] = pa.array([{"a": value} for value in few], pa.struct({"a": pa.float32()}))
            case 1:
                columns[f"list{n}"] = pa.array([[value, None] for value in few], pa.list_(pa.float32()))
            case 2:
                columns[f"map{n}"] = pa.array([[("k", value)] for value in few], pa.map_(pa.string(), pa.float32()))
    sample = tmp_path / "things-2026-01-31.parquet"
    pq.write_table(pa.table(columns), sample)
    made = draft(profile([sample], lambda: spark))
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
    assert plan, made.text
    bounds = {c.property for c in plan.checks if c.kind == "maximum"}
    assert len(bounds) > len(columns) // 2, bounds
    decision = judge(sample, plan, "things/things-2026-01-31.parquet", lambda: spark).decision
    assert [o.id for o in decision.checks if o.result == "failed"] == []
    assert decision.verdict == "accepted"
