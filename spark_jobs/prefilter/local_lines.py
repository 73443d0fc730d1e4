"""Lines of files as Spark reads them, read in its Python workers: pieces of files in, batches of lines out.

Pieces, line ends and byte order marks follow Hadoop's `LineRecordReader`, and ids follow `monotonically_increasing_id`:
every later read of the file finds the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.prefilter.arrow_tests import LineBatch, PassCondition, Stretch, evaluate_lines
from spark_jobs.prefilter.ranges import RangeReader, Source

BLOCK = 4 * 2**20
"""Bytes that are read at once: they take little memory, and are many for each call into Arrow."""
MARK = b"\xef\xbb\xbf"
LF, CR = b"\n\r"
ID_BITS = 33
"""Bits of an id that count the lines of a partition; those above are its number."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its path, its name as Spark has it, where it begins and how many bytes it has.

    An object has a source, and its URI without percent-encoding is its path.
    """

    path: str
    file: str
    start: int
    length: int
    source: Source | None = None

    def opened(self) -> BinaryIO:
        """Open the whole file."""
        return (
            Path(self.path).open("rb", buffering=0)
            if self.source is None
            else cast("BinaryIO", RangeReader(self.source))
        )

    def texts(self, block: int) -> Iterator[bytes]:
        """Yield the lines of the piece, in texts of whole lines with their line ends.

        A line belongs to the piece in which it begins, or right behind which it begins. The first line of a piece is
        not its own, unless it is the first line of the file.
        """
        with self.opened() as file:
            at, end, rest = self.start, self.start + self.length, b""
            file.seek(at)
            while at <= end:
                data = file.read(max(block, len(rest)))
                text = rest + data
                # A CR at the end of a text may be half of a line end.
                whole = max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1 if data else len(text)
                if data and not whole:
                    rest = text
                    continue
                text, rest = text[:whole], text[whole:]
                skipped = _next(text, 0) if at == self.start > 0 else 0
                last = min(len(text), _next(text, end - at)) if end - at < len(text) else len(text)
                if skipped < last:
                    own = text[skipped:last]
                    own = own.removeprefix(MARK) if at == 0 else own
                    if own:
                        yield own if own[-1] in (LF, CR) else own + b"\n"
                if not data or last < len(text):
                    return
                at += len(text)


def evaluate_partitions(
    batches: Iterable[pa.RecordBatch], partitions: Sequence[Sequence[Piece]], condition: PassCondition, room: int = 0
) -> Iterator[pa.RecordBatch]:
    """Read the partitions with some numbers (one column) and test their lines; return rows of `arrow_tests.SCHEMA`.

    Each has `room` for bytes of lines that surely fail.
    """
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from evaluate_lines(lines(number, partitions[number], comment=condition.comment), condition, room)


def lines(number: int, pieces: Iterable[Piece], block: int = BLOCK, comment: str = "") -> Iterator[LineBatch]:
    """Yield the lines of a partition; empty ones and comments have no id.

    About `block` bytes are read at once, or one line.
    """
    next_id = number << ID_BITS
    texts: list[tuple[Piece, bytes]] = []
    size = 0
    for piece in pieces:
        for text in piece.texts(block):
            texts.append((piece, text))
            size += len(text)
            if 2 * size > block or text[-1] == CR:  # a CR and an LF behind it are one line end
                yield (batch := _lines(texts, next_id, comment))
                next_id += len(batch.ids) - batch.ids.null_count
                texts, size = [], 0
    if texts:
        yield _lines(texts, next_id, comment)


def _lines(texts: Sequence[tuple[Piece, bytes]], next_id: int, comment: str) -> LineBatch:
    buffer = texts[0][1] if len(texts) == 1 else b"".join(text for _, text in texts)
    starts = _starts(buffer)
    raw = pa.StringArray.from_buffers(len(starts) - 1, starts.buffers()[1], pa.py_buffer(buffer))
    blank = _blank(raw, comment)
    steps = pa.repeat(1, len(raw)) if blank is None else pc.invert(blank).cast(pa.int64())
    ids = pc.cumulative_sum(steps, start=next_id - 1)
    if blank is not None:
        ids = pc.if_else(blank, pa.scalar(None, pa.int64()), ids)
    bounds = [0, len(raw)]
    if len(texts) > 1:
        ends = pa.array(accumulate(len(text) for _, text in texts), pa.int32())
        bounds = [0, *pc.index_in(ends, value_set=starts).to_pylist()]
    stretches = [
        Stretch(piece.file, piece.start, start, end)
        for (piece, _), (start, end) in zip(texts, pairwise(bounds), strict=True)
    ]
    return LineBatch(raw, ids, stretches, ended=True)


def _blank(lines: pa.StringArray, comment: str) -> pa.BooleanArray | None:
    """Return which lines are empty or comments; None if none is."""
    raw, tests = lines.view(pa.binary()), []
    if pc.any(pc.less_equal(pc.binary_length(raw), 2)).as_py():
        tests.append(pc.is_in(raw, pa.array([b"\n", b"\r", b"\r\n"])))
    if comment:
        tests.append(pc.starts_with(raw, comment.encode()))
    blank = reduce(pc.or_, tests) if tests else None
    return blank if blank is not None and blank.true_count else None


def _starts(buffer: bytes) -> pa.Int32Array:
    """Return the starts of lines, and the end of the last: behind LF, or CR, or both together."""
    if len(buffer) >= 2**31:
        raise OverflowError("a line is longer than Arrow's and Spark's texts may be")
    if b"\r" not in buffer:
        bounds = pa.array([0, len(buffer)], pa.int32())
        whole = pa.BinaryArray.from_buffers(pa.binary(), 1, [None, bounds.buffers()[1], pa.py_buffer(buffer)])
        texts = pc.split_pattern(whole, b"\n").flatten()  # the last is empty
        before = pa.Array.from_buffers(pa.int32(), len(texts), [None, texts.buffers()[1]])
        return pc.add(before, pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int32()), len(texts)), start=-1))
    raw = pa.Array.from_buffers(pa.uint8(), len(buffer), [None, pa.py_buffer(buffer)])
    after = pa.Array.from_buffers(pa.uint8(), len(buffer), [None, pa.py_buffer(buffer[1:] + b"\r")])
    alone = pc.and_(pc.equal(raw, CR), pc.not_equal(after, LF))
    ends = pc.indices_nonzero(pc.or_(pc.equal(raw, LF), alone)).cast(pa.int32())
    return pa.concat_arrays([pa.array([0], pa.int32()), pc.add(ends, pa.scalar(1, pa.int32()))])


def _next(text: bytes, at: int) -> int:
    """Return the start of the next line after a position; the end of the text if there is none."""
    lf, cr = text.find(b"\n", at), text.find(b"\r", at)
    if cr >= 0 and (lf < 0 or cr < lf):
        return cr + 2 if lf == cr + 1 else cr + 1
    return lf + 1 if lf >= 0 else len(text)
