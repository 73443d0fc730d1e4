"""Packed objects through Java's streams: URIs and a form of packing in, objects of the same bytes out.

The bytes stay in the JVM, and are read and written once. Hadoop's own codecs are left aside: they know no archives.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any

from pyspark.sql import SparkSession

from contracts.files.zip_archive import DEFLATED, Member
from contracts.plan import Plan
from spark_jobs.spark import storage
from spark_jobs.spark.jvm import java_class

READERS = {
    "gzip": "java.util.zip.GZIPInputStream",
    "bzip2": "org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream",
    "zstd": "com.github.luben.zstd.ZstdInputStream",
}
WRITERS = {
    "bzip2": "org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream",
    "zstd": "com.github.luben.zstd.ZstdOutputStream",
    "zip": "java.util.zip.ZipOutputStream",
}
STREAMS = "org.apache.commons.io.IOUtils"
HEADER = 4_096
"""Bytes that are read at once to find the end of a first line."""


def unpack(spark: SparkSession, packing: str, uri: str, to: str, most: int) -> int:
    """Write the content of an object to another one; return its number of bytes, `most` + 1 if there are more."""
    reader, packed = java_class(spark, READERS[packing]), storage.opened(spark, uri)
    # Streams one after another are one file: of bzip2 this must be asked for.
    with closing(reader(packed, True) if packing == "bzip2" else reader(packed)) as content:
        return _written(spark, content, to, b"", most + 1)


def unpack_member(spark: SparkSession, uri: str, member: Member, to: str, *, headless: bool) -> tuple[int, int]:
    """Write a member of a zip archive to an object; return the bytes that are left out, and those that are written.

    If it is to be `headless`, its first line becomes an empty one, so that all others keep their number.
    """
    packed = storage.opened(spark, uri)
    packed.seek(member.start)
    bounded = java_class(spark, "org.apache.commons.io.input.BoundedInputStream")(packed, member.packed)
    with ExitStack() as opened:
        content = opened.enter_context(closing(bounded))
        if member.method == DEFLATED:
            inflater = java_class(spark, "java.util.zip.Inflater")(True)
            opened.callback(inflater.end)
            content = java_class(spark, "java.util.zip.InflaterInputStream")(bounded, inflater)
        skipped, rest = _first_line(content) if headless else (0, b"")
        return skipped, _written(spark, content, to, rest, member.size + 1 - skipped)


def pack(spark: SparkSession, plan: Plan, uri: str, to: str, name: str) -> None:
    """Write an object packed as its plan says; in an archive it is a member of a name."""
    writer = java_class(spark, WRITERS[plan.packing])
    with closing(storage.opened(spark, uri)) as plain, closing(writer(storage.created(spark, to))) as content:
        if plan.archive:
            content.putNextEntry(java_class(spark, "java.util.zip.ZipEntry")(name))
        java_class(spark, STREAMS).copyLarge(plain, content)


def _first_line(content: Any) -> tuple[int, bytes]:
    """Read the first line of a stream; return its number of bytes, and those that are read behind it."""
    begin = b""
    while piece := bytes(content.readNBytes(HEADER)):
        begin += piece
        if ends := [at for at in (begin.find(b"\n"), begin.find(b"\r")) if at >= 0]:
            return min(ends), begin[min(ends) :]
    return len(begin), b""


def _written(spark: SparkSession, content: Any, to: str, begin: bytes, most: int) -> int:
    """Write some bytes, and at most so many in all of a stream behind them, to an object; return how many there are."""
    with closing(storage.created(spark, to)) as target:
        target.write(begin)
        return len(begin) + int(java_class(spark, STREAMS).copyLarge(content, target, 0, most - len(begin)))
