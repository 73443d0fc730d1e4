"""Text files in UTF-16 through Java's streams: URIs in, objects of the same text in UTF-8 out, and back.

The bytes stay in the JVM. They are decoded before anything looks for line ends: the two bytes of one also occur across
two characters.
"""

from __future__ import annotations

import codecs
from contextlib import closing
from typing import Any

from pyspark.sql import SparkSession

from contracts.files import encodings
from contracts.plan import Csv
from spark_jobs.spark import storage
from spark_jobs.spark.jvm import java_class

CHARACTERS = 2**20
"""Characters that are decoded at once."""
ORDERS = {codecs.BOM_UTF16_LE: encodings.UTF_16_LE, codecs.BOM_UTF16_BE: encodings.UTF_16_BE}
JAVA_ORDERS = {encodings.UTF_16_LE: "LITTLE_ENDIAN", encodings.UTF_16_BE: "BIG_ENDIAN"}


def to_utf8(spark: SparkSession, csv: Csv, uri: str, to: str, *, packed: bool) -> None:
    """Write the text of an object, `packed` by gzip or not, to another one; raise OSError if its mark is not there.

    Half of a character (a surrogate or a byte alone) becomes NUL: no text has it, and what is beside it stays.
    """
    stream = storage.opened(spark, uri)
    with closing(java_class(spark, "java.util.zip.GZIPInputStream")(stream) if packed else stream) as content:
        order = csv.encoding
        if order == encodings.UTF_16 and (order := ORDERS.get(bytes(content.readNBytes(2)), "")) == "":
            raise OSError("it has no byte order mark")
        with closing(storage.created(spark, to)) as target:
            _encode(spark, content, JAVA_ORDERS[order], target)


def _encode(spark: SparkSession, content: Any, order: str, target: Any) -> None:
    """Write the characters of a stream to another one in UTF-8."""
    channels = java_class(spark, "java.nio.channels.Channels")
    source, out = channels.newChannel(content), channels.newChannel(target)
    error = java_class(spark, "java.nio.charset.CodingErrorAction").REPLACE
    encoder = java_class(spark, "java.nio.charset.StandardCharsets").UTF_8.newEncoder().onMalformedInput(error)
    encoder.replaceWith(b"\0")
    buffers = java_class(spark, "java.nio.ByteBuffer")
    raw = buffers.allocate(2 * CHARACTERS).order(getattr(java_class(spark, "java.nio.ByteOrder"), order))
    chars, text = java_class(spark, "java.nio.CharBuffer").allocate(CHARACTERS + 1), buffers.allocate(4 * CHARACTERS)
    ended = False
    while not ended:
        while not ended and raw.hasRemaining():
            ended = source.read(raw) < 0
        raw.flip()
        view = raw.asCharBuffer()
        raw.position(2 * view.remaining())
        view.read(chars)
        raw.compact()
        chars.flip()
        encoder.encode(chars, text, ended)
        chars.compact()  # the first half of a character may be left
        text.flip()
        out.write(text)
        text.clear()
    encoder.flush(text)
    if raw.position():
        target.write(b"\0")


def from_utf8(spark: SparkSession, csv: Csv, uri: str, to: str, *, packed: bool) -> None:
    """Write a text in UTF-8 to another object in its own encoding, with a mark if that has one; `packed` by gzip."""
    readers, writers = java_class(spark, "java.io.InputStreamReader"), java_class(spark, "java.io.OutputStreamWriter")
    stream = storage.created(spark, to)
    with closing(java_class(spark, "java.util.zip.GZIPOutputStream")(stream) if packed else stream) as target:
        if csv.encoding == encodings.UTF_16:
            target.write(codecs.BOM_UTF16_LE)
        order = "UTF-16BE" if csv.encoding == encodings.UTF_16_BE else "UTF-16LE"
        with closing(readers(storage.opened(spark, uri), "UTF-8")) as text, closing(writers(target, order)) as content:
            java_class(spark, "org.apache.commons.io.IOUtils").copyLarge(text, content)
