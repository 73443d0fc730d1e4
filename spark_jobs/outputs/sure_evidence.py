"""Evidence of lines that surely fail, made in Arrow by the driver: the lines of a scanned group in, Parquet out.

The rows are those that `evidence` makes by queries, which take longer to plan and to compile than so few rows to run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contracts.files.columns import positions
from contracts.job import JobDrop, JobRequest
from contracts.plan import Check
from spark_jobs.counting import bitmask
from spark_jobs.counting.lines import FileSplit
from spark_jobs.prefilter import cell_tests, other_encodings
from spark_jobs.prefilter.arrow_tests import PassCondition
from spark_jobs.scan.line_numbers import SureGroup

MOST_CELLS, MOST_FAILURES = 8_000_000, 1_000_000
"""Cells of all lines of a group, and checks that they fail, up to which the driver has the memory for them."""
ROWS_AT_ONCE, CELLS_AT_ONCE = 20_000, 600_000
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


@dataclass(frozen=True)
class SureRows:
    """The lines of a group that surely fail, in the order of drops and records.

    `table` has the columns `split` and `drop`, numbers in the group's splits and in `drops`; `record`; `raw`; and
    `kind`, a number in `kinds`, the checks that a line fails.
    """

    group: SureGroup
    drops: Sequence[JobDrop]
    kinds: Sequence[Sequence[Check]]
    table: pa.Table

    def __len__(self) -> int:
        return len(self.table)

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the files."""
        return self.group.group.header

    @cached_property
    def are_rejected(self) -> list[bool]:
        """Return whether lines of each kind are rejected."""
        return [any(check.severity == "error" for check in kind) for kind in self.kinds]

    def pieces(self, table: pa.Table | None = None) -> Iterator[pa.Table]:
        """Yield all lines, or some of them, in tables that are small enough to become rows."""
        table = self.table if table is None else table
        at_once = max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // len(self.header)))
        for start in range(0, len(table), at_once):
            yield table.slice(start, at_once).combine_chunks()

    def parquet(self, request: JobRequest) -> pa.Buffer:
        """Return the rows of evidence of a request as a file of Parquet."""
        sink = pa.BufferOutputStream()
        with pq.ParquetWriter(sink, SCHEMA, compression="zstd", use_dictionary=FEW_VALUES) as writer:
            for piece in self.pieces():
                writer.write_table(self._rows(piece, request))
        return sink.getvalue()

    def _rows(self, lines: pa.Table, request: JobRequest) -> pa.Table:
        plan, splits, kinds = request.plan, self.group.group.splits, self.kinds
        number, kind = lines.column("split").combine_chunks(), lines.column("kind").combine_chunks()
        raw = lines.column("raw").combine_chunks()
        of_split: dict[str, list[Any]] = {
            "drop": [split.drop.id for split in splits],
            "attempt": [split.drop.attempt for split in splits],
            "file": [split.drop.name for split in splits],
            "line": [self.group.above[split.drop.id] for split in splits],
        }
        of_kind: dict[str, list[Any]] = {
            "outcome": ["rejected" if is_rejected else "flagged" for is_rejected in self.are_rejected],
            "checks": [[check.id for check in own] for own in kinds],
        }
        of_all = {"contract": plan.contract, "plan": plan.sha, "try": request.try_, "batch": request.batch}
        columns = {
            **{name: pa.array(values, SCHEMA.field(name).type).take(number) for name, values in of_split.items()},
            **{name: pa.array(values, SCHEMA.field(name).type).take(kind) for name, values in of_kind.items()},
            **{n: pa.repeat(pa.scalar(value, SCHEMA.field(n).type), len(lines)) for n, value in of_all.items()},
            "record": lines.column("record").combine_chunks(),
            "cells": _cells(raw, self.header, self.group.sure.condition),
            "raw": raw,
        }
        columns["line"] = pc.add(columns["record"], columns["line"])
        return pa.table([columns[name] for name in SCHEMA.names], SCHEMA)


def rows(group: SureGroup, failing: bitmask.Numbered) -> SureRows | None:
    """Return the surely failing lines of a group; None if the driver may have no memory for what is made of them.

    `failing` are the checks that any row fails. Lines of drops whose records have no numbers are left out.
    """
    lines, splits = pa.Table.from_batches(group.sure.batches).combine_chunks(), group.group.splits
    masks = _texts_of_masks(lines.column("mask").combine_chunks())
    numbers = (bitmask.joined([*map(int, text.split(","))]) for text in masks.dictionary.to_pylist())
    kinds = [[check for n, check in failing if mask >> n & 1] for mask in numbers]
    often = pc.value_counts(masks.indices).to_pylist()
    failures = sum(pair["counts"] * len(kinds[pair["values"]]) for pair in often)
    if len(lines) * len(group.group.header) > MOST_CELLS or failures > MOST_FAILURES:
        return None
    drops = {split.drop.id: split.drop for split in splits}
    places = {drop: n for n, drop in enumerate(drops)}
    number = _split_numbers(lines, splits)
    shift = pa.array([split.shift for split in splits], pa.int64()).take(number)
    table = pa.table(
        {
            "split": number,
            "drop": pa.array([places[split.drop.id] for split in splits], pa.int32()).take(number),
            "record": pc.add(lines.column("id").combine_chunks(), shift),
            "raw": _texts(lines.column("line").combine_chunks(), group.sure.condition.encoding),
            "kind": masks.indices,
        }
    ).filter(number.is_valid())
    order = [("drop", "ascending"), ("record", "ascending")]
    return SureRows(group, list(drops.values()), kinds, table.take(pc.sort_indices(table, order)).combine_chunks())


def _split_numbers(lines: pa.Table, splits: Sequence[FileSplit]) -> pa.Int32Array:
    """Return the number of the split of each line; null for one that is of none."""
    names = pa.array([f"{split.block} {split.file}" for split in splits], pa.string())
    own = pc.binary_join_element_wise(lines.column("block").cast(pa.string()), lines.column("file"), " ")
    return pc.index_in(own, names).combine_chunks()


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
