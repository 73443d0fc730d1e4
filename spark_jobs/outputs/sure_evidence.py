"""Evidence of lines that surely fail, made in Arrow by the driver: lines of scanned groups in, a file of Parquet out.

The rows are those that `evidence` makes by queries, which take longer to plan and to compile than so few rows to run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from contracts.files.columns import positions
from contracts.job import JobRequest
from spark_jobs.counting import bitmask
from spark_jobs.counting.lines import FileSplit
from spark_jobs.prefilter import cell_tests, other_encodings
from spark_jobs.prefilter.arrow_tests import PassCondition
from spark_jobs.scan.line_numbers import SureGroup
from spark_jobs.spark import storage

MOST_ROWS, MOST_CELLS = 20_000, 600_000
"""Lines that become rows at once, and the cells that these may have."""
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("drop", "contract", "plan")),
        *((name, pa.int32()) for name in ("attempt", "try")),
        *((name, pa.string()) for name in ("batch", "file")),
        *((name, pa.int64()) for name in ("record", "line")),
        ("outcome", pa.string()),
        ("cells", pa.map_(pa.string(), pa.string())),
        ("raw", pa.string()),
        ("checks", pa.list_(pa.string())),
    ]
)
"""The same columns as `evidence.ROWS`."""
FEW_VALUES = [
    *("drop", "contract", "plan", "attempt", "try", "batch", "file", "outcome"),
    *("cells.key_value.key", "checks.list.element"),
]
"""The columns of Parquet for which a dictionary pays."""


@dataclass(frozen=True, slots=True)
class SureRows:
    """Lines of a group that surely fail, as rows of evidence; the columns that follow from others are not made yet."""

    group: SureGroup
    pieces: Sequence[pa.Table]

    def __len__(self) -> int:
        return sum(map(len, self.pieces))

    def whole(self, request: JobRequest) -> Iterator[pa.Table]:
        """Yield the rows with all columns, as `SCHEMA`."""
        plan, group = request.plan, self.group
        of_all = {"contract": plan.contract, "plan": plan.sha, "try": request.try_, "batch": request.batch}
        for rows in self.pieces:
            columns: dict[str, Any] = {name: rows.column(name) for name in rows.column_names}
            for name, value in of_all.items():
                columns[name] = pa.repeat(pa.scalar(value, SCHEMA.field(name).type), len(rows))
            raw = rows.column("raw").combine_chunks()
            columns["cells"] = _cells(raw, group.group.header, group.sure.condition)
            yield pa.table([columns[name] for name in SCHEMA.names], SCHEMA)


def rows(group: SureGroup, failing: bitmask.Numbered) -> SureRows:
    """Return the surely failing lines of a group as rows; `failing` are the checks that any row fails.

    Lines of drops whose records have no numbers are left out.
    """
    lines, pieces = pa.Table.from_batches(group.sure.batches()), []
    at_once = max(1, min(MOST_ROWS, MOST_CELLS // len(group.group.header)))
    for start in range(0, len(lines), at_once):
        piece = lines.slice(start, at_once).combine_chunks()
        number = _split_numbers(piece, group.group.splits)
        pieces.append(_rows(piece.filter(number.is_valid()), number.drop_null(), group, failing))
    return SureRows(group, pieces)


def write(spark: SparkSession, request: JobRequest, every: Sequence[SureRows], uri: str) -> None:
    """Write rows of evidence as one file of Parquet."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        with pq.ParquetWriter(file.name, SCHEMA, compression="zstd", use_dictionary=FEW_VALUES) as writer:
            for some in every:
                for table in some.whole(request):
                    writer.write_table(table)
        storage.put(spark, Path(file.name), uri)


def _split_numbers(lines: pa.Table, splits: Sequence[FileSplit]) -> pa.Int32Array:
    """Return the number of the split of each line; null for one that is of none."""
    names = pa.array([f"{split.block} {split.file}" for split in splits], pa.string())
    own = pc.binary_join_element_wise(lines.column("block").cast(pa.string()), lines.column("file"), " ")
    return pc.index_in(own, names).combine_chunks()


def _rows(lines: pa.Table, number: pa.Int32Array, group: SureGroup, failing: bitmask.Numbered) -> pa.Table:
    splits = group.group.splits

    def of_split(name: str, values: Sequence[object]) -> pa.Array:
        return pa.array(values, SCHEMA.field(name).type).take(number)

    masks = _texts_of_masks(lines.column("mask").combine_chunks())
    numbers = (bitmask.joined([*map(int, text.split(","))]) for text in masks.dictionary.to_pylist())
    checks = [[c for n, c in failing if mask >> n & 1] for mask in numbers]
    outcomes = ["rejected" if any(c.severity == "error" for c in own) else "flagged" for own in checks]
    ids = pa.array([[c.id for c in own] for own in checks], SCHEMA.field("checks").type)
    record = pc.add(lines.column("id").combine_chunks(), of_split("record", [s.shift for s in splits]))
    return pa.table(
        {
            "drop": of_split("drop", [s.drop.id for s in splits]),
            "attempt": of_split("attempt", [s.drop.attempt for s in splits]),
            "file": of_split("file", [s.drop.name for s in splits]),
            "record": record,
            "line": pc.add(record, of_split("line", [group.above[s.drop.id] for s in splits])),
            "outcome": pa.array(outcomes, pa.string()).take(masks.indices),
            "raw": _texts(lines.column("line").combine_chunks(), group.sure.condition.encoding),
            "checks": ids.take(masks.indices),
        }
    )


def _texts_of_masks(masks: pa.ListArray) -> pa.DictionaryArray:
    """Return masks as texts of their columns; few of them differ."""
    width = len(masks[0]) if len(masks) else 1
    columns = (pc.list_element(masks, n).cast(pa.string()) for n in range(width))
    return pc.binary_join_element_wise(*columns, ",").dictionary_encode()


def _texts(lines: pa.StringArray, encoding: str) -> pa.StringArray:
    """Decode lines, which a worker could decode."""
    decoded = other_encodings.decoded(lines, encoding, ended=False)
    assert decoded is not None, "a line that surely fails is text"
    texts, ended = decoded
    return pc.utf8_rtrim(texts, "\n") if ended else texts


def _cells(raw: pa.StringArray, header: tuple[str, ...], condition: PassCondition) -> pa.MapArray:
    """Return the texts of the cells of records by column, as `Format.with_cells`."""
    at, n = positions(header), len(raw)
    names, places = list(at), list(at.values())
    if condition.quote and pc.any(pc.match_substring(raw, condition.quote)).as_py():
        table = cell_tests.texts(raw, places, condition, ended=False)
        by_column = pa.concat_arrays([chunk for place in places for chunk in table.column(str(place)).chunks])
        order = [column * n + row for row in range(n) for column in range(len(places))]
        texts = by_column.take(pa.array(order, pa.int64()))
    else:
        texts = pc.split_pattern(raw, condition.delimiter).flatten()
        if len(places) < len(header):
            order = [row * len(header) + place for row in range(n) for place in places]
            texts = texts.take(pa.array(order, pa.int64()))
    keys = pa.array(names, pa.string()).take(pa.array(list(range(len(names))) * n, pa.int32()))
    return pa.MapArray.from_arrays(pa.array(range(0, n * len(names) + 1, len(names)), pa.int32()), keys, texts)
