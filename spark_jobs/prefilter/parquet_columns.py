"""Columns of Parquet files tested in Arrow vectors: parts of files in; passes or not, nulls and keys out.

This runs in Spark's Python workers. If a value does not surely pass, its file does not pass, and Spark judges it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.prefilter.arrow_tests import OF_NULLS, TestedColumn, runs
from spark_jobs.prefilter.cell_tests import all_pass
from spark_jobs.prefilter.ranges import RangeReader, Source

SCHEMA = pa.schema(
    [
        ("part", pa.int64()),
        ("passes", pa.bool_()),
        ("nulls", pa.list_(pa.int64())),
        ("keys", pa.list_(pa.list_(pa.string()))),
    ]
)
"""A row of output: the part, and whether all its values pass; by column the nulls, and the ends of runs of values that
ascend (`arrow_tests.runs`), if they are compared."""
ROWS = 2**16
"""Rows that are tested together."""
CODECS = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"}
ENCODINGS = {"PLAIN", "RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "BIT_PACKED"}
"""Encodings that Spark reads as Arrow does; it may reject a file with others."""


@dataclass(frozen=True, slots=True)
class ColumnConditions:
    """The condition for records to pass: the tests of each column of the contract, by name.

    `types` are the Arrow types that files must have for them. `counted` are the columns whose nulls are counted, None
    for one that files lack. `keys` are the checks, by number, whose column ascends in few runs.
    """

    tested: dict[str, TestedColumn]
    types: dict[str, tuple[pa.DataType, ...]]
    counted: tuple[str | None, ...]
    keys: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Some columns of a row group of a file; an object has a source."""

    path: str
    group: int
    rows: int
    names: tuple[str, ...]
    source: Source | None = None

    def batches(self, conditions: ColumnConditions) -> Iterator[pa.RecordBatch]:
        """Yield the values of the part; raise ValueError if Spark may not read it as Arrow does."""
        from pyarrow import parquet as pq  # noqa: PLC0415 (Python may lack it)

        texts = [name for name in self.names if pa.types.is_string(conditions.types[name][0])]
        place = self.path if self.source is None else RangeReader(self.source, ahead=False)
        # Of an object, columns beside each other are one request.
        options = {"read_dictionary": texts, "page_checksum_verification": True, "pre_buffer": self.source is not None}
        with pq.ParquetFile(place, **options) as file:
            if not _is_read_alike(file.metadata, self, conditions):
                raise ValueError
            names = list(self.names)
            yield from file.iter_batches(ROWS, row_groups=[self.group], columns=names, use_threads=False)

    def tested(self, conditions: ColumnConditions) -> dict[str, Any]:
        """Return whether all values of the part pass, with the nulls of each column and the ends of each key's runs."""
        nulls = dict.fromkeys(self.names, 0)
        spans: dict[str, list[str] | None] = {name: [] for _, name in conditions.keys if name in nulls}
        rows = 0
        try:
            for batch in self.batches(conditions):
                rows += batch.num_rows
                for name in self.names:
                    values = batch.column(name)
                    if not passes(values, conditions.tested[name]):
                        return {"passes": False}
                    nulls[name] += values.null_count
                for name, ends in spans.items():
                    spans[name] = _longer(ends, _plain(batch.column(name), conditions.tested[name]))
        except (pa.ArrowException, OSError, KeyError, OverflowError, ValueError):  # Spark will report it
            return {"passes": False}
        return {
            "passes": rows == self.rows,
            "nulls": list(nulls.values()),
            "keys": [spans.get(name) or None for name in self.names],
        }


def evaluate_parts(
    batches: Iterable[pa.RecordBatch], parts: Sequence[Sequence[Part]], conditions: ColumnConditions
) -> Iterator[pa.RecordBatch]:
    """Test the lists of parts with some numbers (one column); return rows of `SCHEMA`, numbered through all lists."""
    before = [0]
    for listed in parts:
        before.append(before[-1] + len(listed))
    for batch in batches:
        for number in batch.column(0).to_pylist():
            rows = [{"part": before[number] + n, **part.tested(conditions)} for n, part in enumerate(parts[number])]
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _is_read_alike(footer: Any, part: Part, conditions: ColumnConditions) -> bool:
    schema, paths = footer.schema.to_arrow_schema(), [column.path for column in footer.schema]
    if len(set(schema.names)) < len(schema.names):
        return False
    if any("." in name or schema.field(name).type not in conditions.types[name] for name in part.names):
        return False
    group = footer.row_group(part.group)
    chunks = [group.column(n) for n in range(group.num_columns)]
    own = [chunk for chunk in chunks if chunk.path_in_schema in part.names]
    alike = all(chunk.compression in CODECS and set(chunk.encodings) <= ENCODINGS for chunk in own)
    return alike and [chunk.path_in_schema for chunk in chunks] == paths


def passes(values: pa.Array, column: TestedColumn) -> bool:
    """Return True if all values of a column pass and have its type."""
    of_nulls = [test for test in column.tests if test.kind in OF_NULLS]
    if not all_pass(values, replace(column, tests=tuple(of_nulls))):
        return False
    if pa.types.is_dictionary(values.type):
        values.validate(full=True)  # texts are UTF-8, and every value is one of them
        others = (test for test in column.tests if test.kind not in OF_NULLS)
        if all_pass(values.dictionary, replace(column, tests=tuple(others))):
            return True
    if pa.types.is_floating(values.type) and pc.all(pc.is_finite(values)).as_py() is False:
        return False
    return all_pass(_plain(values, column), column)


def _plain(values: pa.Array, column: TestedColumn) -> pa.Array:
    """Return values in the type of their property."""
    if pa.types.is_dictionary(values.type):
        return values.dictionary_decode()
    return values if values.type == column.type else values.cast(column.type)


def _longer(ends: list[str] | None, values: pa.Array) -> list[str] | None:
    """Add the ends of the runs of more values to those of a key; None if there are too many."""
    if ends is None or not len(values):
        return ends
    more = runs(values)
    return None if more is None else ends + more
