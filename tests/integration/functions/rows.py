"""Rows of drops for Delta tables as a job lays them down, and whose rows a table holds by its own log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import arro3.core as arrow
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import TableNotFoundError

from contracts.table import DROP, TableColumn

TYPES = {"string": arrow.DataType.utf8(), "long": arrow.DataType.int64()}


def of(drop: str | None, rows: int, columns: Sequence[TableColumn]) -> arrow.Table:
    """Rows of a drop, or of none."""
    cells: dict[str, list[Any]] = {"string": ["a"] * rows, "long": list(range(1, rows + 1))}
    arrays = [arrow.Array([drop] * rows if c.name == DROP else cells[c.type], type=TYPES[c.type]) for c in columns]
    return arrow.Table.from_arrays(arrays, names=[c.name for c in columns])


def parquet(drop: str, rows: int, columns: Sequence[TableColumn]) -> bytes:
    """A file of rows of a drop."""
    with TemporaryDirectory() as folder:
        write_deltalake(folder, of(drop, rows, columns))
        return next(Path(folder).glob("*.parquet")).read_bytes()


def held_by(table: str, options: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return attempt and number of rows of each drop in a table; each file is of one drop."""
    try:
        delta = DeltaTable(table, storage_options=dict(options))
    except TableNotFoundError:
        return {}
    held: dict[str, tuple[int, int]] = {}
    for one in delta.get_add_actions(flatten=True).to_struct_array().to_pylist():
        drop = one[f"min.{DROP}"]
        assert drop == one[f"max.{DROP}"], one
        attempt = delta.transaction_version(f"dropgate:{drop}") or 0
        held[drop] = attempt, held.get(drop, (0, 0))[1] + one["num_records"]
    return held
