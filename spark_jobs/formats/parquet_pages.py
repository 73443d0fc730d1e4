"""Parquet files read with parquet-mr: the URI of a file in; its row groups, and flaws that a scan would miss, out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from struct import Struct
from typing import Any, Literal

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.formats import parquet_levels
from spark_jobs.spark import storage
from spark_jobs.spark.jvm import java_class

CHECKED = "parquet.page.verify-checksum.enabled"
"""The setting that verifies the checksums of pages that have one; it is off by default (parquet-hadoop)."""
UNSOUND = "CRC checksum verification failed"
"""The error text for a page that does not match its checksum."""
UNREADABLE = (Py4JJavaError, PySparkException)
"""The errors for a file that Java cannot read, from py4j or PySpark."""
SPARK = "org.apache.spark."
"""The prefix of the keys under which Spark writes its version into a file."""
WRITER = "parquet-mr"
"""The prefix of the name of the library that Spark writes with."""
INT96 = Struct("<q4x")
"""A moment in INT96: nanoseconds of a day, and the day."""
Kind = Literal["levels", "nanoseconds"]
SIZE = 4
"""Bytes of the length field before levels in data pages of version 1."""


class PageUnsound(Exception):
    """A page with a length or a number of values that it cannot have."""


IMPOSSIBLE = (PageUnsound, ValueError, OverflowError, MemoryError)
"""The errors for pages whose levels or values cannot be there."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A flaw of a column that Spark would not report: impossible levels, or nanoseconds that Spark cuts off."""

    column: str
    kind: Kind


def opened(spark: SparkSession, place: str) -> Any:
    """Open a file by its URI without percent-encoding; it must be closed."""
    settings = java_class(spark, "org.apache.hadoop.conf.Configuration")(spark._jsc.hadoopConfiguration())
    settings.setBoolean(CHECKED, True)
    path = java_class(spark, "org.apache.hadoop.fs.Path")(place)
    file = java_class(spark, "org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(path, settings)
    return java_class(spark, "org.apache.parquet.hadoop.ParquetFileReader").open(file)


def requested(spark: SparkSession, file: Any, name: str) -> Any:
    """Restrict a file to one column; return that column as a schema."""
    fields = java_class(spark, "java.util.List").of(file.getFooter().getFileMetaData().getSchema().getType(name))
    schema = java_class(spark, "org.apache.parquet.schema.MessageType")("one", fields)
    file.setRequestedSchema(schema)
    return schema


def flaw(spark: SparkSession, uri: str, nested: Sequence[str], moments: Sequence[str]) -> Flaw | None:
    """Return a flaw that a scan would miss; None also for a file that cannot be read, which the scan will report.

    Spark builds lists from any levels, and so would return records that nobody wrote; and it cuts moments in INT96 to
    microseconds.
    """
    try:
        with closing(opened(spark, storage.plain(uri))) as file:
            odd = (_flaw("levels", _is_odd, spark, file, name) for name in nested)
            cut = (_flaw("nanoseconds", _is_finer, spark, file, name) for name in moments)
            about = file.getFooter().getFileMetaData()
            notes = any(str(key).startswith(SPARK) for key in about.getKeyValueMetaData())
            is_of_spark = notes and str(about.getCreatedBy()).startswith(WRITER)  # whose moments are never finer
            return next(filter(None, chain(odd, () if is_of_spark else cut)), None)
    except UNREADABLE:
        return None


def _flaw(kind: Kind, check: Callable[..., bool], spark: SparkSession, file: Any, name: str) -> Flaw | None:
    """Return the flaw of a column that a check is for; impossible pages are a flaw of its levels in every check."""
    try:
        return Flaw(name, kind) if check(spark, file, name) else None
    except IMPOSSIBLE:
        return Flaw(name, "levels")


def _columns(spark: SparkSession, file: Any, name: str) -> list[tuple[Any, parquet_levels.Leaf]]:
    """Return the columns of single values in a column, with their levels; restrict the file to them."""
    schema = requested(spark, file, name)
    return list(zip(schema.getColumns(), _leaves(schema.getType(0)), strict=True))


def _is_odd(spark: SparkSession, file: Any, name: str) -> bool:
    """Return True if a column has levels that are impossible, or that make other records than its row groups have."""
    columns = _columns(spark, file, name)
    for number, group in enumerate(file.getRowGroups()):
        pages = file.readRowGroup(number)
        for column, leaf in columns:
            if leaf.lists or leaf.most > 1:
                reader, seen = pages.getPageReader(column), parquet_levels.Seen()
                most = reader.getTotalValueCount()
                while seen.sound and (page := reader.readPage()) is not None:
                    seen = parquet_levels.with_page(seen, leaf, *levels(page, leaf, most))
                if not seen.sound or seen.records != group.getRowCount():
                    return True
    return False


def _is_finer(spark: SparkSession, file: Any, name: str) -> bool:
    """Return True if a column holds moments in INT96 that are finer than a microsecond."""
    columns = _columns(spark, file, name)
    own = [pair for pair in columns if pair[0].getPrimitiveType().getPrimitiveTypeName().name() == "INT96"]
    for number in range(file.getRowGroups().size() if own else 0):
        pages = file.readRowGroup(number)
        for raw in (raw for column, leaf in own for raw in _moments(pages.getPageReader(column), leaf)):
            whole = len(raw) - len(raw) % INT96.size
            # Each is the nanoseconds of a day, and the day.
            if any(nanoseconds % 1000 for (nanoseconds,) in INT96.iter_unpack(raw[:whole])):
                return True
    return False


def _moments(reader: Any, leaf: parquet_levels.Leaf) -> Iterator[bytes]:
    """Yield the values of a dictionary, and of the pages that have their own."""
    dictionary = reader.readDictionaryPage()
    if dictionary is not None:
        yield bytes(dictionary.getBytes().toByteArray())
    while (page := reader.readPage()) is not None:
        encoding = page.getDataEncoding() if _is_second(page) else page.getValueEncoding()
        if encoding.name() == "PLAIN":
            yield _parts(page, leaf)[-1]


def _leaves(field: Any, most: int = 0, lists: tuple[int, ...] = ()) -> Iterator[parquet_levels.Leaf]:
    """Yield the columns of single values in a field, in the order of the schema."""
    kind = field.getRepetition().name()
    most += kind != "REQUIRED"
    lists += (most,) if kind == "REPEATED" else ()
    if field.isPrimitive():
        yield parquet_levels.Leaf(most, lists)
    else:
        for inner in field.asGroupType().getFields():
            yield from _leaves(inner, most, lists)


def levels(page: Any, leaf: parquet_levels.Leaf, most: int) -> tuple[bytes | None, bytes | None]:
    """Return the repetition and the definition levels of a page, in a chunk of `most` values; raise PageUnsound."""
    count = page.getValueCount()
    if not 0 <= count <= most:
        raise PageUnsound
    repetitions, definitions = _parts(page, leaf, values=False)[:2]
    return (
        parquet_levels.decoded(repetitions, len(leaf.lists), count),
        parquet_levels.decoded(definitions, leaf.most, count),
    )


def _parts(page: Any, leaf: parquet_levels.Leaf, *, values: bool = True) -> list[bytes]:
    """Return the repetition levels of a page, its definition levels, and its values if wanted; raise PageUnsound."""
    if _is_second(page):
        parts = [page.getRepetitionLevels(), page.getDefinitionLevels(), *([page.getData()] if values else [])]
        return [bytes(part.toByteArray()) for part in parts]
    content = page.getBytes()
    stream, left, raw = content.toInputStream(), content.size(), []
    for most in (len(leaf.lists), leaf.most):
        size = int.from_bytes(bytes(stream.readNBytes(SIZE)), "little") if most else 0
        left -= size + (SIZE if most else 0)
        if left < 0:  # without this test Java would get a length that it has no type for
            raise PageUnsound
        raw.append(bytes(stream.readNBytes(size)))
    return [*raw, *([bytes(stream.readAllBytes())] if values else [])]


def _is_second(page: Any) -> bool:
    """Return True if a data page is one of version 2."""
    return str(page.getClass().getSimpleName()) == "DataPageV2"
