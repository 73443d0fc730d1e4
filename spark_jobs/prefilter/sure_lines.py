"""Lines that surely fail on their way from Python workers to the driver, and back: lines in, streams of Arrow out.

Such lines need no query if they are few enough for the driver's memory. A worker sends them beside its counts, until
its room is used up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from contracts.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

    from spark_jobs.prefilter.arrow_tests import PassCondition

MOST = 32 * 2**20
"""Bytes of such lines that the driver of a job holds."""
SHARES = 4
"""The room of a partition, in shares of one of them: bad lines are often beside each other."""
COLUMNS = ["file", "block", "id", "line", "mask"]
"""The columns of such lines, as in `arrow_tests.SCHEMA`."""


def is_for(plan: Plan) -> bool:
    """Return True if such lines of a plan's files are sent: lines of CSV in files of their own."""
    writes = find_spec("pyarrow._parquet") is not None
    return writes and plan.file_format == "csv" and not (plan.archive or plan.sheet)


def to_stream(lines: pa.RecordBatch) -> bytes:
    """Return lines, as `arrow_tests.SCHEMA`, as a stream."""
    import pyarrow as pa  # noqa: PLC0415 (Python may lack it)

    lines = lines.select(COLUMNS)
    with pa.BufferOutputStream() as sink:
        with pa.ipc.new_stream(sink, lines.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
            stream.write_batch(lines)
        return bytes(sink.getvalue())


def from_streams(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the lines of streams, of which there is one column."""
    for batch in batches:
        yield from opened(batch.column(0).to_pylist())


def opened(streams: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    """Yield the lines of streams."""
    import pyarrow as pa  # noqa: PLC0415 (Python may lack it)

    for stream in streams:
        yield from pa.ipc.open_stream(stream)


@dataclass(frozen=True, slots=True)
class SureLines:
    """All lines of files with one header that surely fail, in the encoding of the files, and their condition."""

    batches: Sequence[pa.RecordBatch]
    condition: PassCondition
