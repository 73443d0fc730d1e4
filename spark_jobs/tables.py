"""Parquet: columns with types of their own in, cells and values of the contract's properties out.

Nothing is parsed and nothing opened later. A record has no line of its own: the raw text of a failing one is its cells
as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from contracts.job import JobDrop
from contracts.plan import CONTAINERS, Plan, Property
from contracts.problem import Problem
from spark_jobs import nesting, reader, rules, storage
from spark_jobs.schema import GREATEST_DOUBLE, typed

UNREADABLE = ("nested", "unknown", "within")
"""Types of columns that are left alone, or read with others; admission refuses those that the contract wants."""
NOTHING = "_dropgate_nothing int"
"""A column that no file has, in place of none at all: Spark finds no records then."""


def is_headed(_plan: Plan) -> bool:
    """Whether the first line of a file names its columns: the footer does."""
    return False


refused = reader.none_refused
header_texts = reader.header_texts
bare = reader.bare_anyway
ends = reader.ends_nowhere
last_cells = reader.no_cells


def load(spark: SparkSession, _plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Files with the same columns and types."""
    names = zip(drops[0].header, drops[0].types, strict=True)
    columns = [f"{reader.quoted(name)} {kind}" for name, kind in names if kind not in UNREADABLE]
    return spark.read.schema(", ".join(columns or [NOTHING])).parquet(*reader.paths(drops))


def fault(spark: SparkSession, plan: Plan, drop: JobDrop) -> Problem | None:
    """Why a file cannot be read, if its bytes can be fetched but its columns not be decoded."""
    try:
        load(spark, plan, [drop]).write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError):
        storage.consume(spark, drop.uri)
        message = "The columns of the Parquet file cannot be decoded, though its footer can be read."
        return Problem("broken-parquet", message, "Write the file again, and send it whole.")
    return None


def looked(
    source: DataFrame, plan: Plan, header: tuple[str, ...], _header_texts: Sequence[str]
) -> tuple[DataFrame, Column]:
    """The records of files with the same columns: file, block, id, c<n> and v<n>, odd; their raw text."""
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in header and not p.path]
    cells = sf.struct(*(_shown(sf.col(f"p{n}"), p).alias(p.name) for n, p in here))
    looked = _numbered(source, plan, header, rules.compared(plan)).select("*", sf.lit(False).alias("odd"))
    return looked, sf.to_json(cells, {"ignoreNullFields": "false"})


def _numbered(source: DataFrame, plan: Plan, header: tuple[str, ...], texts: Mapping[str, Sequence[str]]) -> DataFrame:
    """All records with file, block, id, columns p<n>, c<n> and v<n>.

    Of the properties in `texts` c<n> is a text, of others what p<n> is: to write a number takes longer than its checks.
    As nobody wrote a number or a date, it is the one of these texts that means the same, if any does.
    """
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in header and not p.path]
    number = sf.monotonically_increasing_id().alias("id")
    every = source.select(*reader.place(), number, *(_column(p.name).alias(f"p{n}") for n, p in here))
    kinds = dict(source.dtypes)
    single = [(n, p) for n, p in here if p.type not in CONTAINERS]
    values = {n: _value(sf.col(f"p{n}"), kinds[p.name], p) for n, p in single}
    cells = {n: sf.col(f"p{n}") for n, _ in single}
    for n, p in single:
        if p.name in texts:
            words = () if kinds[p.name] == "string" else texts[p.name]
            cells[n] = rules.meant(sf.col(f"p{n}").cast("string"), values[n], p, words)
    found = every.select(
        "*",
        *(cell.alias(f"c{n}") for n, cell in cells.items()),
        *(value.alias(f"v{n}") for n, value in values.items()),
    )
    roots = {p.name: sf.col(f"p{n}") for n, p in here if p.type in CONTAINERS}
    return nesting.opened(found, plan, header, roots, Typed(source.schema, texts)) if roots else found


class Typed:
    """How a value of Parquet is taken apart: `nesting.Parts`."""

    dear = False

    def __init__(self, schema: StructType, texts: Mapping[str, Sequence[str]]) -> None:
        self._schema, self._texts = schema, texts

    def is_null(self, raw: Column) -> Column:
        return raw.isNull()

    def container(self, raw: Column, _prop: Property) -> Column:
        return raw

    def count(self, value: Column, prop: Property) -> Column:
        names = [field.name for field in _fields(self._schema, prop.route)]
        return nesting.given(value.getField(name).isNotNull() for name in names)

    def child(self, value: Column, key: str) -> Column:
        return value.getField(key)

    def key(self, key: Column) -> Column:
        return key

    def cell(self, raw: Column, prop: Property) -> Column:
        if prop.name not in self._texts:
            return raw
        words = self._texts[prop.name] if prop.type not in ("string", "time") else ()
        return rules.meant(raw.cast("string"), self.value(raw, raw, prop), prop, words)

    def value(self, raw: Column, _cell: Column, prop: Property) -> Column:
        return _value(raw, "double", prop)


def _fields(schema: DataType, route: Sequence[str]) -> list[StructField]:
    """The fields of the struct that a route leads to."""
    for n, step in enumerate(route):
        if isinstance(schema, StructType):
            schema = schema[step.removeprefix(".") if n else step].dataType
        elif isinstance(schema, ArrayType):
            schema = schema.elementType
        elif isinstance(schema, MapType):
            schema = schema.valueType if step == "*" else schema.keyType
    assert isinstance(schema, StructType), route
    return schema.fields


def _shown(column: Column, prop: Property) -> Column:
    """A column as it stands in the raw text of a record."""
    return column if prop.type in CONTAINERS else column.cast("string")


def records(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    wanted: Sequence[str],
    _aside: Sequence[int],
    _malformed: bool,
) -> DataFrame:
    """The records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties."""
    return reader.chosen(_numbered(source, plan, header, dict.fromkeys(wanted, ())), plan, wanted)


def opened(singles: DataFrame, _plan: Plan, _header: tuple[str, ...]) -> tuple[DataFrame, dict[str, Column]]:
    """No record needs a closer look."""
    return singles, {}


def whole(source: DataFrame, _plan: Plan, _header: tuple[str, ...]) -> DataFrame:
    """The records as they came: file, block, id, and `value`, a struct of the columns that could be read."""
    number = sf.monotonically_increasing_id().alias("id")
    return source.select(*reader.place(), number, sf.struct(*map(_column, source.columns)).alias("value"))


def with_cells(rows: DataFrame, _plan: Plan, _header: tuple[str, ...], _malformed: Column) -> DataFrame:
    """Records (column `raw`) and `cells`, their texts by column."""
    return rows.select("*", sf.from_json("raw", "map<string,string>").alias("cells"))


def _column(name: str) -> Column:
    return sf.col(reader.quoted(name))


def _value(column: Column, kind: str, prop: Property) -> Column:
    """A column as values of its property's type; null where a value is not of that type."""
    match prop.type:
        case "integer" | "number" | "time" if prop.exact or prop.type == "time":
            return typed(column.cast("string"), prop)
        case "integer":
            return column.try_cast("bigint")
        case "number":
            value = column.cast("double")
            return sf.when(sf.abs(value) <= GREATEST_DOUBLE, value) if kind in ("float", "double") else value
        case "string":
            return sf.when(sf.is_valid_utf8(column), column)
        case "timestamp":
            return column.cast("timestamp")
        case _:
            return column
