"""Parquet: typed columns in, cells and values of the contract's properties out.

Nothing is parsed, and no record needs a second pass. A record has no line of its own: the raw text of a failing record
is its cells as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from contracts.job import JobDrop
from contracts.plan import CONTAINERS, Plan, Property
from contracts.problem import Problem
from contracts.values import sql_text
from contracts.values.parquet_types import FINE, NULLS, STORED
from spark_jobs.formats import parquet_pages, parquet_values, text_lines
from spark_jobs.rules import nesting, row_checks
from spark_jobs.spark import storage

UNREADABLE = ("nested", "unknown", "within")
"""Types of columns that are not read, or are read with others; admission refuses them in columns of the contract."""
NOTHING = "_dropgate_nothing int"
"""A column that no file has; without any column Spark would read no records."""
NESTED = ("struct<", "array<", "map<")
READ_AS = {**STORED, FINE: "timestamp"}
"""Spark's types of columns that have a name of ours."""
SIDE_BY_SIDE = 4
"""Files that are inspected at the same time before the scan."""
KIND = "dropgate.kind"
"""Key in the schema of a source for the meaning of an integer of `contracts.values.parquet_types.STORED`."""


without_header = text_lines.unchanged
is_trailer = text_lines.never_trailer
may_be_plain = text_lines.always_plain
record_lines = text_lines.record_lines  # never called: Parquet has no lines


def load(spark: SparkSession, _plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Read files with the same columns and types."""
    kinds = {name: kind for name, kind in zip(drops[0].header, drops[0].types, strict=True) if kind not in UNREADABLE}
    return read(spark, text_lines.paths(drops), kinds)


def read(spark: SparkSession, paths: Sequence[str], kinds: Mapping[str, str]) -> DataFrame:
    """Read some columns of files, by admission's names for their types; `kind_of` returns these for the source."""
    empty = {name: kind.removeprefix(NULLS) for name, kind in kinds.items() if kind.startswith(NULLS)}
    columns = [f"{sql_text.quoted_name(n)} {READ_AS.get(kind, kind)}" for n, kind in kinds.items() if n not in empty]
    schema = StructType.fromDDL(", ".join(columns or [NOTHING]))
    assert isinstance(schema, StructType)
    for field in schema.fields:
        if (kind := kinds.get(field.name)) in STORED:
            field.metadata[KIND] = kind
    columns_read = spark.read.option(parquet_pages.CHECKED, "true").schema(schema).parquet(*paths)
    nulls = (sf.lit(None).cast(kind).alias(name) for name, kind in empty.items())
    return columns_read.select("*", *nulls) if empty else columns_read


def shown(spark: SparkSession, uri: str, kinds: Mapping[str, str]) -> DataFrame:
    """Read some columns of a file to sample their values: numbers, texts, and moments of Spark's own types."""
    source = read(spark, [text_lines.path(uri)], kinds)
    plain = ((parquet_values.plain(_column(f.name), kind_of(f)), f) for f in source.schema.fields)
    return source.select(
        *(parquet_values.with_floats(column, field.dataType).alias(field.name) for column, field in plain)
    )


def kind_of(field: StructField) -> str:
    """Return the name of the type of a column that was read."""
    return str(field.metadata.get(KIND, field.dataType.simpleString()))


def refusals(spark: SparkSession, _plan: Plan, drops: Sequence[JobDrop]) -> dict[str, Problem]:
    """Return the problems of files in which Spark would read records that nobody wrote, by drop."""
    kinds = {drop.id: dict(zip(drop.header, drop.types, strict=True)) for drop in drops}
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        problems = list(pool.map(lambda drop: flaw(spark, drop.uri, kinds[drop.id]), drops))
    return {drop.id: problem for drop, problem in zip(drops, problems, strict=True) if problem is not None}


def flaw(spark: SparkSession, uri: str, kinds: Mapping[str, str]) -> Problem | None:
    """Return the fault of columns that Spark would miss; the file is opened only for nested or INT96 columns."""
    nested = [name for name, kind in kinds.items() if kind.startswith(NESTED)]
    moments = [name for name, kind in kinds.items() if kind == FINE or (name in nested and "timestamp" in kind)]
    odd = parquet_pages.flaw(spark, uri, nested, moments) if nested or moments else None
    if odd is None:
        return None
    name = odd.column
    if odd.kind == "levels":
        text = f"The values of the column `{name}` of the Parquet file cannot be put together"
        fix = "Write the file again, with another version of the program that wrote it."
        return Problem("broken-parquet", f"{text}: their levels contradict each other.", fix, property=name)
    text = f"The column `{name}` is of the type INT96, and holds moments that are finer than a microsecond"
    fix = "Write it as TIMESTAMP in microseconds."
    return Problem("wrong-type", f"{text}; INT96 is read only to microseconds.", fix, property=name)


def fault(spark: SparkSession, plan: Plan, drop: JobDrop) -> Problem | None:
    """Return why a file cannot be read if its bytes can be fetched but its columns cannot be decoded."""
    try:
        load(spark, plan, [drop]).write.format("noop").mode("overwrite").save()
    except parquet_pages.UNREADABLE as error:
        storage.consume(spark, drop.uri)
        return undecoded(error)
    return None


def undecoded(error: Exception) -> Problem:
    """Return the problem of a file that Spark could not read, by Spark's error."""
    message = "The columns of the Parquet file cannot be decoded, though its footer can be read."
    if parquet_pages.UNSOUND in str(error):
        message = "A page of the Parquet file does not match its checksum: its bytes changed after it was written."
    return Problem("broken-parquet", message, "Write the file again, and send it whole.")


def first_pass(
    source: DataFrame, plan: Plan, header: tuple[str, ...], _header_texts: Sequence[str]
) -> tuple[DataFrame, Column]:
    """Read the records of files with the same columns: file, block, id, c<n> and v<n>, odd; and their raw text."""
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in header and not p.path]
    kinds = {field.name: kind_of(field) for field in source.schema.fields}
    columns = ((sf.col(f"p{n}"), p) for n, p in here)
    texts = ((c if p.type in CONTAINERS else parquet_values.text(c, kinds[p.name], p), p.name) for c, p in columns)
    cells = sf.struct(*(text.alias(name) for text, name in texts))
    judged = _numbered(source, plan, header, row_checks.compared(plan)).select("*", sf.lit(False).alias("odd"))
    return judged, sf.to_json(cells, {"ignoreNullFields": "false"})


def _numbered(source: DataFrame, plan: Plan, header: tuple[str, ...], texts: Mapping[str, Sequence[str]]) -> DataFrame:
    """Read all records with file, block, id, columns p<n>, c<n> and v<n>.

    c<n> is a text for the properties in `texts`, and p<n> for others: writing a number takes longer than its checks.
    The text of a number or a date is the one of these texts that means the same, if there is one.
    """
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in header and not p.path]
    number = sf.monotonically_increasing_id().alias("id")
    every = source.select(*text_lines.place(), number, *(_column(p.name).alias(f"p{n}") for n, p in here))
    kinds = {field.name: kind_of(field) for field in source.schema.fields}
    single = [(n, p) for n, p in here if p.type not in CONTAINERS]
    values = {n: parquet_values.value(sf.col(f"p{n}"), kinds[p.name], p) for n, p in single}
    cells = {n: sf.col(f"p{n}") for n, _ in single}
    for n, p in single:
        if p.name in texts:
            words = () if kinds[p.name] == "string" else texts[p.name]
            cells[n] = row_checks.meant(parquet_values.text(sf.col(f"p{n}"), kinds[p.name], p), values[n], p, words)
    typed_rows = every.select(
        "*",
        *(cell.alias(f"c{n}") for n, cell in cells.items()),
        *(value.alias(f"v{n}") for n, value in values.items()),
    )
    roots = {p.name: sf.col(f"p{n}") for n, p in here if p.type in CONTAINERS}
    if not roots:
        return typed_rows
    return nesting.opened(typed_rows, plan, header, roots, Typed(source.schema, texts))


class Typed:
    """The parser of Parquet values: `nesting.Parts`."""

    costly = False

    def __init__(self, schema: StructType, texts: Mapping[str, Sequence[str]]) -> None:
        self._schema, self._texts = schema, texts

    def is_null(self, raw: Column) -> Column:
        return raw.isNull()

    def container(self, raw: Column, prop: Property) -> Column:
        if prop.type != "map":
            return raw
        # As a JSON object, a map must not have a key twice or a null key.
        keys = sf.map_keys(raw)
        is_odd = (sf.size(sf.array_distinct(keys)) < sf.size(keys)) | sf.exists(keys, lambda key: key.isNull())
        return sf.when(~is_odd, raw)

    def count(self, value: Column, prop: Property) -> Column:
        struct = _type_at(self._schema, prop.route)
        assert isinstance(struct, StructType), prop.route
        return nesting.given(value.getField(name).isNotNull() for name in struct.names)

    def child(self, value: Column, key: str) -> Column:
        return value.getField(key)

    def key(self, key: Column) -> Column:
        return key

    def cell(self, raw: Column, prop: Property) -> Column:
        if prop.name not in self._texts:
            return raw
        kind = _type_at(self._schema, prop.route).simpleString()
        words = self._texts[prop.name] if kind != "string" else ()
        return row_checks.meant(
            parquet_values.text(raw, kind, prop), parquet_values.value(raw, kind, prop), prop, words
        )

    def value(self, raw: Column, _cell: Column, prop: Property) -> Column:
        return parquet_values.value(raw, _type_at(self._schema, prop.route).simpleString(), prop)


def _type_at(schema: DataType, route: Sequence[str]) -> DataType:
    """Return the type at the end of a route."""
    for n, step in enumerate(route):
        if isinstance(schema, StructType):
            schema = schema[step.removeprefix(".") if n else step].dataType
        elif isinstance(schema, ArrayType):
            schema = schema.elementType
        elif isinstance(schema, MapType):
            schema = schema.valueType if step == "*" else schema.keyType
    return schema


def records(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    wanted: Sequence[str],
    _aside: Sequence[int],
    _malformed: bool,
) -> DataFrame:
    """Read the records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties."""
    return text_lines.chosen(_numbered(source, plan, header, dict.fromkeys(wanted, ())), plan, wanted)


def second_pass(singles: DataFrame, _plan: Plan, _header: tuple[str, ...]) -> tuple[DataFrame, row_checks.RecordTests]:
    """Return the records as they are: none needs a second pass."""
    return singles, {}


def as_written(source: DataFrame, _plan: Plan, _header: tuple[str, ...]) -> DataFrame:
    """Return the records as they were written: file, block, id, and `value`, a struct of the readable columns."""
    number = sf.monotonically_increasing_id().alias("id")
    columns = (parquet_values.plain(_column(f.name), kind_of(f)).alias(f.name) for f in source.schema.fields)
    return source.select(*text_lines.place(), number, sf.struct(*columns).alias("value"))


def with_cells(rows: DataFrame, _plan: Plan, _header: tuple[str, ...], _malformed: Column) -> DataFrame:
    """Add `cells`, the texts by column, to records (column `raw`)."""
    return rows.select("*", sf.from_json("raw", "map<string,string>").alias("cells"))


def _column(name: str) -> Column:
    return sf.col(sql_text.quoted_name(name))
