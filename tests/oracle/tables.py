"""Files of Parquet: records as texts in, one file for each of several lists of them and what it holds out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.plan import Plan, Property
from tests.oracle import records
from tests.oracle.values import value_of

TYPES = {"integer": "bigint", "number": "double", "boolean": "boolean", "date": "date", "timestamp": "timestamp"}
EXACT = Context(prec=60)
FIRST, LAST = -719_162, 2_932_896
"""The days that Spark's DATE is asked to hold: years 1 to 9999."""


def written(
    spark: SparkSession, folder: Path, plan: Plan, files: Mapping[str, Sequence[Mapping[str, str]]]
) -> tuple[dict[str, bytes], dict[str, records.Content]]:
    """Parquet files of these records, and the records as the oracle reads them."""
    return stored(spark, folder, plan, {name: [_values(plan, row) for row in rows] for name, rows in files.items()})


def stored(
    spark: SparkSession, folder: Path, plan: Plan, files: Mapping[str, Sequence[Sequence[Any]]]
) -> tuple[dict[str, bytes], dict[str, records.Content]]:
    """The same of records as values, in the order of the properties: days and microseconds for dates and timestamps."""
    names = [f"v{n}" for n in range(len(plan.properties))]
    lines = [(name, *(_text(v) for v in row)) for name, rows in files.items() for row in rows]
    frame = spark.createDataFrame(lines, ", ".join(f"{n} string" for n in ("file", *names)))
    columns = [sf.expr(_cast(f"v{n}", p)).alias(p.name) for n, p in enumerate(plan.properties)]
    typed, made = frame.coalesce(1).select("file", *columns), f"{folder}/made"
    typed.write.partitionBy("file").parquet(made)
    typed.limit(0).drop("file").write.parquet(f"{folder}/empty")
    data = {name: _only(Path(made, f"file={name}") if rows else folder / "empty") for name, rows in files.items()}
    contents = {
        name: records.typed(plan, [dict(zip([p.name for p in plan.properties], r, strict=True)) for r in rows])
        for name, rows in files.items()
    }
    return data, contents


def of_objects(
    spark: SparkSession, folder: Path, plan: Plan, files: Mapping[str, Sequence[str]]
) -> tuple[dict[str, bytes], dict[str, records.Content]]:
    """The same of records as objects of JSON whose values are of their types."""
    lines = [(name, line) for name, some in files.items() for line in some]
    schema = ", ".join(f"{_quoted(p.name)} {_type(plan, p)}" for p in plan.roots)
    frame = spark.createDataFrame(lines, "file string, line string").coalesce(1)
    read = frame.select("file", sf.from_json("line", schema, {"mode": "FAILFAST"}).alias("o")).select("file", "o.*")
    read.write.partitionBy("file").parquet(f"{folder}/made")
    data = {name: _only(Path(f"{folder}/made", f"file={name}")) for name in files}
    like = replace(plan, file_format="jsonl", checks=())
    contents = {name: records.content(like, (), "\n".join(some).encode()) for name, some in files.items()}
    return data, contents


def _type(plan: Plan, prop: Property) -> str:
    inner = [p for p in plan.properties if p.path and p.route[:-1] == prop.route and p.path[-1] != "~"]
    match prop.type:
        case "object":
            return f"struct<{', '.join(f'{_quoted(p.path[-1][1:])}: {_type(plan, p)}' for p in inner)}>"
        case "array":
            return f"array<{_type(plan, inner[0])}>"
        case "map":
            return f"map<string, {_type(plan, inner[0])}>"
    return f"decimal({prop.exact[0]},{prop.exact[1]})" if prop.exact else TYPES.get(prop.type, "string")


def _quoted(name: str) -> str:
    return f"`{name}`"


def _only(folder: Path) -> bytes:
    return next(folder.glob("part-*")).read_bytes()


def _values(plan: Plan, row: Mapping[str, str]) -> list[Any]:
    return [_value(row[p.name], p) for p in plan.properties]


def _value(text: str, prop: Property) -> Any:
    """A text as Parquet would hold it: null where its type has no room for it."""
    if text == "":
        return None
    if prop.type in ("string", "time"):
        return text
    if prop.type == "number" and not prop.exact:
        return _double(text)
    plain = Property(prop.name, prop.type) if prop.type == "integer" else prop
    value = value_of(text, plain)
    if prop.type == "date" and not FIRST <= (value or 0) <= LAST:  # type: ignore[operator]
        return None
    return decimal(value)


def decimal(value: Any) -> Any:
    """An exact number as a decimal, all else as it is."""
    if not isinstance(value, Fraction):
        return value
    return EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))


def _double(text: str) -> float | None:
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None
    return value if value is None or not math.isinf(value) or "n" in text else None


def _text(value: Any) -> str | None:
    return None if value is None else repr(value) if isinstance(value, float) else str(value)


def _cast(column: str, prop: Property) -> str:
    if prop.type == "date":
        return f"date_add(date'1970-01-01', cast({column} as int))"
    if prop.type == "timestamp":
        moment = f"timestamp_micros(cast({column} as bigint))"
        return f"cast({moment} as timestamp_ntz)" if prop.offset is False else moment
    if prop.exact:
        return f"cast({column} as decimal({prop.exact[0]},{prop.exact[1]}))"
    return f"cast({column} as {TYPES.get(prop.type, 'string')})"
