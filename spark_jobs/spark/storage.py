"""Single objects through Hadoop's file systems, s3a:// and file:// alike: URIs in, text out.

A URI is percent-encoded; Spark needs the plain path and returns either form, so both have one normal form here.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from spark_jobs.spark.jvm import java_class

PIECE = 6_000
"""Bytes in one answer of the JVM: those above 8 KiB, with Base64 of each, wait 40 ms for our system to confirm."""


def plain(uri: str) -> str:
    """Return the one spelling of a URI that we compare and pass to Spark: no percent-encoding, `file:///` in full."""
    parts = urlsplit(uri)
    path = uri.split("://", 1)[-1] if not parts.scheme else unquote(parts.path)
    return f"{parts.scheme or 'file'}://{parts.netloc}{path}"


def read_text(spark: SparkSession, uri: str) -> str:
    """Read the UTF-8 text of one object."""
    return read_start(spark, uri).decode()


def read_start(spark: SparkSession, uri: str, length: int = sys.maxsize) -> bytes:
    """Read the first bytes of one object, or all bytes."""
    return read_range(spark, uri, 0, length)


def read_range(spark: SparkSession, uri: str, start: int, length: int) -> bytes:
    """Read the bytes of one object from a place on, up to a number of them."""
    stream, content = opened(spark, uri), bytearray()
    try:
        stream.seek(start)
        while piece := stream.readNBytes(min(PIECE, length - len(content))):
            content += piece
        return bytes(content)
    finally:
        stream.close()


def size(spark: SparkSession, uri: str) -> int:
    """Return the bytes of one object."""
    files, path = _open(spark, uri)
    return int(files.getFileStatus(path).getLen())


def consume(spark: SparkSession, uri: str) -> None:
    """Fetch every byte of an object and discard it; the errors of the storage pass through."""
    stream = opened(spark, uri)
    try:
        java_class(spark, "org.apache.commons.io.IOUtils").consume(stream)
    finally:
        stream.close()


def write_text(spark: SparkSession, uri: str, text: str) -> None:
    """Write one object whole: readers see all of it or none."""
    if urlsplit(uri).scheme not in ("", "file"):
        return _write(spark, uri, text)
    _write(spark, uri + ".part", text)
    return move(spark, uri + ".part", uri)


def move(spark: SparkSession, uri: str, to: str) -> None:
    """Rename one object within a file system; an object with the new name is replaced."""
    files, path = _open(spark, uri)
    _, target = _open(spark, to)
    files.delete(target, False)
    files.mkdirs(target.getParent())
    if not files.rename(path, target):
        raise OSError(f"{uri} could not be renamed to {to}")


def delete(spark: SparkSession, uri: str) -> None:
    """Remove a folder with all that is in it; nothing happens if there is none."""
    files, path = _open(spark, uri)
    files.delete(path, True)


def local(uri: str) -> Path | None:
    """Return the path of an object that is a local file."""
    whole = plain(uri)
    return Path(whole.removeprefix("file://")) if whole.startswith("file:///") else None


def fetch(spark: SparkSession, uri: str, to: Path) -> None:
    """Copy one object to a local file; the bytes stay in the JVM."""
    _copy(spark, opened(spark, uri), java_class(spark, "java.io.FileOutputStream")(str(to)))


def put(spark: SparkSession, path: Path, to: str) -> None:
    """Copy a local file to an object, new or replaced."""
    _copy(spark, java_class(spark, "java.io.FileInputStream")(str(path)), created(spark, to))


def put_pieces(spark: SparkSession, pieces: Iterable[bytes], to: str) -> None:
    """Write bytes to an object, new or replaced, by way of a local file."""
    with tempfile.NamedTemporaryFile() as file:
        file.writelines(pieces)
        file.flush()
        put(spark, Path(file.name), to)


def _copy(spark: SparkSession, source: Any, target: Any) -> None:
    with closing(source), closing(target):
        java_class(spark, "org.apache.commons.io.IOUtils").copyLarge(source, target)


def names(spark: SparkSession, folder: str) -> list[str]:
    """List the names directly in a folder."""
    files, path = _open(spark, folder)
    return [status.getPath().getName() for status in files.listStatus(path)]


def sizes(spark: SparkSession, folder: str) -> dict[str, int]:
    """Return the bytes of each data file directly in a folder, without files that are hidden to Spark."""
    files, path = _open(spark, folder)
    by_name = {status.getPath().getName(): status.getLen() for status in files.listStatus(path)}
    return {name: size for name, size in by_name.items() if not name.startswith(("_", "."))}


def opened(spark: SparkSession, uri: str) -> Any:
    """Return a Java stream of the bytes of one object."""
    files, path = _open(spark, uri)
    return files.open(path)


def created(spark: SparkSession, uri: str) -> Any:
    """Return a Java stream into one object, new or replaced."""
    files, path = _open(spark, uri)
    files.setWriteChecksum(False)  # no `.crc` files on a local disk; object stores ignore it
    return files.create(path, True)


def _write(spark: SparkSession, uri: str, text: str) -> None:
    stream = created(spark, uri)
    stream.write(text.encode())
    stream.close()


def _open(spark: SparkSession, uri: str) -> tuple[Any, Any]:
    path = java_class(spark, "org.apache.hadoop.fs.Path")(plain(uri))
    return path.getFileSystem(spark._jsc.hadoopConfiguration()), path
