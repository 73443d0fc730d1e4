"""Columns of local Parquet files, told in vectors: parts of files in; whether all values pass, nulls and keys out.

Runs in Spark's Python workers. Where a value does not pass beyond doubt the part says no more than that: the file is
then judged as all files would be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.prefilter.arrow_tests import OF_NULLS, Tested, masks, span

SCHEMA = pa.schema(
    [
        ("part", pa.int64()),
        ("passes", pa.bool_()),
        ("nulls", pa.list_(pa.int64())),
        ("keys", pa.list_(pa.list_(pa.string()))),
    ]
)
"""What comes out: which part, whether all its values pass; by column the nulls, and the first and last value if all
ascend."""
ROWS = 2**16
"""Rows that are looked at together."""
CODECS = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"}
ENCODINGS = {"PLAIN", "RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "BIT_PACKED"}
"""What Spark reads as Arrow does; of others it may say that the file is broken."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The condition for records to pass: the tests of each column of the contract, by name.

    `types` are those that files must have for it, in Arrow; `counted` are the columns whose nulls are counted, None for
    one that files lack, and `keys` the checks by number whose column's values are held against each other.
    """

    tested: dict[str, Tested]
    types: dict[str, tuple[pa.DataType, ...]]
    counted: tuple[str | None, ...]
    keys: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Some columns of a row group of a file."""

    path: str
    group: int
    rows: int
    names: tuple[str, ...]


def sift(
    batches: Iterable[pa.RecordBatch], parts: Sequence[Sequence[Part]], known: Columns
) -> Iterator[pa.RecordBatch]:
    """Numbers of lists of parts, in one column, as `SCHEMA`; parts are numbered through all lists."""
    before = [0]
    for some in parts:
        before.append(before[-1] + len(some))
    for batch in batches:
        for number in batch.column(0).to_pylist():
            rows = [{"part": before[number] + n, **_told(part, known)} for n, part in enumerate(parts[number])]
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _told(part: Part, known: Columns) -> dict[str, Any]:
    nulls = dict.fromkeys(part.names, 0)
    spans: dict[str, list[Any] | None] = {name: [] for _, name in known.keys if name in nulls}
    rows = 0
    try:
        for batch in _batches(part, known):
            rows += batch.num_rows
            for name in part.names:
                values = batch.column(name)
                if not passes(values, known.tested[name]):
                    return {"passes": False}
                nulls[name] += values.null_count
            for name, ends in spans.items():
                spans[name] = _longer(ends, _plain(batch.column(name), known.tested[name]))
    except (pa.ArrowException, OSError, KeyError, OverflowError, ValueError):  # of which Spark will say more
        return {"passes": False}
    keys = [spans.get(name) for name in part.names]
    return {
        "passes": rows == part.rows,
        "nulls": list(nulls.values()),
        "keys": [[str(end) for end in ends] if ends else None for ends in keys],
    }


def _batches(part: Part, known: Columns) -> Iterator[pa.RecordBatch]:
    """The values of a part; a ValueError where Spark may read it in another way than Arrow."""
    from pyarrow import parquet as pq  # noqa: PLC0415 (the archive for EMR lacks it)

    texts = [name for name in part.names if pa.types.is_string(known.types[name][0])]
    with pq.ParquetFile(part.path, read_dictionary=texts, page_checksum_verification=True) as file:
        if not _is_read_alike(file.metadata, part, known):
            raise ValueError
        names = list(part.names)
        yield from file.iter_batches(ROWS, row_groups=[part.group], columns=names, use_threads=False)


def _is_read_alike(footer: Any, part: Part, known: Columns) -> bool:
    schema, paths = footer.schema.to_arrow_schema(), [column.path for column in footer.schema]
    if len(set(schema.names)) < len(schema.names):
        return False
    if any("." in name or schema.field(name).type not in known.types[name] for name in part.names):
        return False
    group = footer.row_group(part.group)
    chunks = [group.column(n) for n in range(group.num_columns)]
    own = [chunk for chunk in chunks if chunk.path_in_schema in part.names]
    told = all(chunk.compression in CODECS and set(chunk.encodings) <= ENCODINGS for chunk in own)
    return told and [chunk.path_in_schema for chunk in chunks] == paths


def passes(values: pa.Array, column: Tested) -> bool:
    """Return True if all values of a column pass and have its type."""
    of_nulls = [test for test in column.trials if test.kind in OF_NULLS]
    if not _pass(values, replace(column, trials=tuple(of_nulls))):
        return False
    if pa.types.is_dictionary(values.type):
        values.validate(full=True)  # that words are UTF-8, and every value is one of them
        others = (test for test in column.trials if test.kind not in OF_NULLS)
        if _pass(values.dictionary, replace(column, trials=tuple(others))):
            return True
    if pa.types.is_floating(values.type) and pc.all(pc.is_finite(values)).as_py() is False:
        return False
    return _pass(_plain(values, column), column)


def _pass(values: pa.Array, column: Tested) -> bool:
    return all(pc.all(mask).as_py() is not False for _, mask in masks(values, column))


def _plain(values: pa.Array, column: Tested) -> pa.Array:
    """Values as those of their property."""
    if pa.types.is_dictionary(values.type):
        return values.dictionary_decode()
    return values if values.type == column.type else values.cast(column.type)


def _longer(ends: list[Any] | None, values: pa.Array) -> list[Any] | None:
    """The first and the last value of a key with more values, empty of none; None where they do not ascend."""
    if ends is None or not len(values):
        return ends
    if span(values) is None:
        return None
    first, last = values[0].as_py(), values[-1].as_py()
    if not ends:
        return [first, last]
    return [ends[0], last] if ends[1] < first else None
