"""Lines of local files as Spark reads them, read in its Python workers: pieces of files in, batches of lines out.

Pieces, line ends and byte order marks follow Hadoop's `LineRecordReader`, and ids follow `monotonically_increasing_id`:
every later read of the file finds the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from spark_jobs.prefilter.arrow_tests import LineBatch, PassCondition, Stretch, evaluate_lines

BLOCK = 4 * 2**20
"""Bytes that are read at once: they take little memory, and are many for each call into Arrow."""
MARK = b"\xef\xbb\xbf"
LF, CR = b"\n\r"
ID_BITS = 33
"""Bits of an id that count the lines of a partition; those above are its number."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its path, its name as Spark has it, where it begins and how many bytes it has."""

    path: str
    file: str
    start: int
    length: int

    def texts(self, block: int) -> Iterator[bytes]:
        """Yield the lines of the piece, in texts of whole lines with their line ends.

        A line belongs to the piece in which it begins, or right behind which it begins. The first line of a piece is
        not its own, unless it is the first line of the file.
        """
        with Path(self.path).open("rb", buffering=0) as file:
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
    batches: Iterable[pa.RecordBatch], partitions: Sequence[Sequence[Piece]], condition: PassCondition
) -> Iterator[pa.RecordBatch]:
    """Read the partitions with some numbers (one column) and test their lines; return rows of `arrow_tests.SCHEMA`."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from evaluate_lines(lines(number, partitions[number], comment=condition.comment), condition)


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
    raw = np.frombuffer(buffer, np.uint8)
    ends = _ends(raw, b"\r" in buffer)
    starts = np.zeros(len(ends) + 1, np.int32)
    starts[1:] = ends
    lengths, first = np.diff(starts), raw[starts[:-1]]
    blank = ((lengths == 1) & ((first == LF) | (first == CR))) | ((lengths == 2) & (first == CR))
    if comment:
        blank |= first == ord(comment)
    ids = pa.array(next_id - 1 + np.cumsum(~blank), mask=blank if blank.any() else None)
    bounds = np.searchsorted(starts, np.cumsum([0, *(len(text) for _, text in texts)])).tolist()
    stretches = [
        Stretch(piece.file, piece.start, start, end)
        for (piece, _), start, end in zip(texts, bounds[:-1], bounds[1:], strict=True)
    ]
    raw_lines = pa.StringArray.from_buffers(len(lengths), pa.py_buffer(starts), pa.py_buffer(buffer))
    return LineBatch(raw_lines, ids, stretches, ended=True)


def _ends(raw: np.ndarray[Any, np.dtype[np.uint8]], returns: bool) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return the ends of lines: behind LF or, with `returns`, behind CR or both."""
    if len(raw) >= 2**31:
        raise OverflowError("a line is longer than Arrow's and Spark's texts may be")
    ends = np.flatnonzero(raw == LF) + 1
    if not returns:
        return ends
    after = np.flatnonzero(raw == CR) + 1
    without_lf = after[np.append(raw, CR)[after] != LF]
    return np.sort(np.concatenate([ends, without_lf])) if len(without_lf) else ends


def _next(text: bytes, at: int) -> int:
    """Return the start of the next line after a position; the end of the text if there is none."""
    lf, cr = text.find(b"\n", at), text.find(b"\r", at)
    if cr >= 0 and (lf < 0 or cr < lf):
        return cr + 2 if lf == cr + 1 else cr + 1
    return lf + 1 if lf >= 0 else len(text)
