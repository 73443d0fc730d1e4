"""The codecs and encodings of a Parquet file: the chunks of its columns in, those that the job does not read out. Pure.

Sources: `parquet.thrift` (CompressionCodec, Encoding, PageHeader), Compression.md and Encodings.md of
apache/parquet-format; what Spark 4.1.1 reads was tried with
`tests/integration/spark_jobs/formats/test_parquet_forms.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from contracts.problem import Problem, quoted
from functions.admission.heads.parquet import parquet_footer
from functions.admission.heads.parquet.parquet_footer import Chunk, FooterInvalid

CODECS = {0: "none", 1: "Snappy", 2: "gzip", 3: "LZO", 4: "Brotli", 5: "LZ4", 6: "Zstandard", 7: "LZ4_RAW"}
KNOWN_CODECS = frozenset({0, 1, 2, 5, 6, 7})
"""The codecs that Spark reads without more libraries."""
HADOOP_LZ4 = 5
ENCODINGS = {
    0: "PLAIN", 2: "PLAIN_DICTIONARY", 3: "RLE", 4: "BIT_PACKED", 5: "DELTA_BINARY_PACKED",
    6: "DELTA_LENGTH_BYTE_ARRAY", 7: "DELTA_BYTE_ARRAY", 8: "RLE_DICTIONARY", 9: "BYTE_STREAM_SPLIT",
}  # fmt: skip
KNOWN_ENCODINGS = frozenset(ENCODINGS) - {9}
"""The encodings that Spark's reader has."""
MOST_OF_HEADER, MOST_VALUES = 64 * 1024, 2_000
"""Bytes and values that the header of a page may have; its statistics hold two values of the column."""
DATA_PAGE_V2 = 8
"""The number of the field that holds the header of a data page of version 2."""


def problems(chunks: Sequence[Chunk], read: Callable[[int, int], bytes]) -> list[Problem]:
    """Return what the job does not read: a codec or an encoding, with the columns that have it."""
    for codec in sorted({chunk.codec for chunk in chunks} - KNOWN_CODECS):
        return [_unread_codec(CODECS.get(codec, f"codec number {codec}"), (c for c in chunks if c.codec == codec))]
    for encoding in sorted({code for chunk in chunks for code in chunk.encodings} - KNOWN_ENCODINGS):
        name = ENCODINGS.get(encoding, f"encoding number {encoding}")
        own = _columns(chunk for chunk in chunks if encoding in chunk.encodings)
        text = f"The file is encoded in a way that is not read here: {name}, in {own}."
        return [Problem("unknown-encoding", text, "Write these columns as PLAIN or with a dictionary, the default.")]
    framed = next((chunk for chunk in chunks if chunk.codec == HADOOP_LZ4 and chunk.values), None)
    if framed and not _is_framed(read(framed.start, MOST_OF_HEADER)):
        return [_unread_codec("the older LZ4 without the frame that Hadoop gives it", [framed])]
    return []


def _unread_codec(name: str, chunks: Iterable[Chunk]) -> Problem:
    text = f"The file is compressed in a way that is not read here: {name}, in {_columns(chunks)}."
    return Problem("unknown-codec", text, "Compress it with Snappy, Zstandard, gzip or LZ4_RAW, or not at all.")


def _columns(chunks: Iterable[Chunk]) -> str:
    names = list(dict.fromkeys(".".join(chunk.path) for chunk in chunks))
    return f"the column{'s' if len(names) > 1 else ''} {quoted(names)}"


def _is_framed(raw: bytes) -> bool:
    """Return whether the first page of a chunk is compressed as Hadoop does it.

    Hadoop writes two sizes before each block, in 32 bits with the highest byte first; older Arrow left them out.
    """
    try:
        header, at = parquet_footer.struct(raw, MOST_VALUES)
        second = header.get(DATA_PAGE_V2)
        levels = second[5] + second[6] if second else 0
        unpacked, packed = header[2] - levels, header[3] - levels
    except (FooterInvalid, KeyError, TypeError):
        return True  # of which the job will say more
    if packed < 8:
        return True
    sizes = [int.from_bytes(raw[at + levels + n : at + levels + n + 4]) for n in (0, 4)]
    return bool(sizes[0] <= unpacked and sizes[1] <= packed - 8)
