"""Parquet files as parquet-mr has them: the URI of one in; its row groups, and columns whose levels cannot be, out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs import levels, storage
from spark_jobs.jvm import java_class

CHECKED = "parquet.page.verify-checksum.enabled"
"""The setting that holds pages against their checksums, where they have any; it is off by default (parquet-hadoop)."""
UNSOUND = "CRC checksum verification failed"
"""What is said of a page that does not match its checksum."""
UNREADABLE = (Py4JJavaError, PySparkException)
"""What Java says of a file that it cannot read, as py4j has it or PySpark."""
SIZE = 4
"""Bytes of the length that levels have before them in data pages of version 1."""


def opened(spark: SparkSession, place: str) -> Any:
    """A file by its URI without percent-encoding; it must be closed."""
    settings = java_class(spark, "org.apache.hadoop.conf.Configuration")(spark._jsc.hadoopConfiguration())
    settings.setBoolean(CHECKED, True)
    path = java_class(spark, "org.apache.hadoop.fs.Path")(place)
    file = java_class(spark, "org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(path, settings)
    return java_class(spark, "org.apache.parquet.hadoop.ParquetFileReader").open(file)


def requested(spark: SparkSession, file: Any, name: str) -> Any:
    """Let a file be read in one column alone; that column as a schema."""
    fields = java_class(spark, "java.util.List").of(file.getFooter().getFileMetaData().getSchema().getType(name))
    schema = java_class(spark, "org.apache.parquet.schema.MessageType")("one", fields)
    file.setRequestedSchema(schema)
    return schema


def unsound(spark: SparkSession, uri: str, names: Sequence[str]) -> str | None:
    """The first of some columns whose levels cannot be; None also of a file that cannot be read, as the scan will say.

    Spark puts lists together from whatever levels there are, and so would hand on records that nobody wrote.
    """
    try:
        with closing(opened(spark, storage.plain(uri))) as file:
            return next((name for name in names if not _is_sound(spark, file, name)), None)
    except UNREADABLE:
        return None


def _is_sound(spark: SparkSession, file: Any, name: str) -> bool:
    schema = requested(spark, file, name)
    leaves = list(zip(schema.getColumns(), _leaves(schema.getType(0)), strict=True))
    for number, group in enumerate(file.getRowGroups()):
        pages = file.readRowGroup(number)
        for column, leaf in leaves:
            if leaf.lists or leaf.most > 1:
                seen = _seen(pages.getPageReader(column), leaf)
                if not seen.sound or seen.records != group.getRowCount():
                    return False
    return True


def _leaves(field: Any, most: int = 0, lists: tuple[int, ...] = ()) -> Iterator[levels.Leaf]:
    """The columns of single values in a field, in the order of the schema."""
    kind = field.getRepetition().name()
    most += kind != "REQUIRED"
    lists += (most,) if kind == "REPEATED" else ()
    if field.isPrimitive():
        yield levels.Leaf(most, lists)
    else:
        for inner in field.asGroupType().getFields():
            yield from _leaves(inner, most, lists)


def _seen(reader: Any, leaf: levels.Leaf) -> levels.Seen:
    seen = levels.Seen()
    while seen.sound and (page := reader.readPage()) is not None:
        seen = levels.look(seen, leaf, *_levels(page, leaf))
    return seen


def _levels(page: Any, leaf: levels.Leaf) -> tuple[bytes | None, bytes | None]:
    """The repetition and the definition levels of a page."""
    count, most = page.getValueCount(), (len(leaf.lists), leaf.most)
    if page.getClass().getSimpleName() == "DataPageV2":
        raw = [bytes(part.toByteArray()) for part in (page.getRepetitionLevels(), page.getDefinitionLevels())]
    else:
        stream, raw = page.getBytes().toInputStream(), []
        for one in most:
            size = int.from_bytes(bytes(stream.readNBytes(SIZE)), "little") if one else 0
            raw.append(bytes(stream.readNBytes(max(0, size))))
    repetitions, definitions = (levels.decoded(*pair, count) for pair in zip(raw, most, strict=True))
    return repetitions, definitions
