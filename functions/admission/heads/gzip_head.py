"""A file compressed by gzip: a way to read it in, the first bytes of its content, or its fault, out. Pure.

It is unpacked whole, in pieces, and nothing is kept. So a file that is cut short, damaged or a bomb is refused at
admission, and every file that the job unpacks is sound and of an allowed size.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from contracts.problem import Problem
from functions.admission.heads import foreign_forms

MAGIC = b"\x1f\x8b"
PIECE, SLICE = 8 << 20, 256 << 10
"""Bytes that are fetched, and of these given to zlib, at a time."""
LARGEST_UNPACKED = 2 << 30
MOST_RATIO, SMALL = 200, 64 << 20
"""The most times its size that a file may hold, once that is more than SMALL bytes."""
MOST_PACKED, LEAST_RATIO = 8 << 20, 0.5
"""Once so many bytes were unpacked, they must have given half as many: blocks of nothing take time and give none."""
LONGEST_LINE = 128 << 20
MOST_MEMBERS = 100_000
FIX = "Compress the file again with gzip, and send it whole."


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a compressed file: its number of bytes, and the first of them."""

    size: int
    sample: bytes


@dataclass(slots=True)
class _Seen:
    size: int = 0
    sample: bytes = b""
    line: int = 0

    def add(self, piece: bytes, most: int) -> None:
        if len(self.sample) < most:
            self.sample += piece[: most - len(self.sample)]
        self.size += len(piece)
        last = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self.line = self.line + len(piece) if last < 0 else len(piece) - last - 1


def unpack(read: Callable[[int, int], bytes], size: int, sample: int) -> Content | Problem:
    """Return the content of a file of `size` bytes with its first `sample` bytes; or the problem if it is refused."""
    if read(0, 2) != MAGIC:
        form = foreign_forms.of_bytes(read(0, foreign_forms.HEAD))
        if form is None or not form.packs:
            return Problem("not-compressed", "The file is not compressed by gzip, as agreed.", "Compress it with gzip.")
        text = f"The file is {form.name}; the contract requires a file compressed by gzip."
        return Problem("not-compressed", text, "Unpack it, and compress the file itself with gzip.")
    seen, unpacking, members, taken = _Seen(), zlib.decompressobj(31), 1, 0
    for piece in _slices(read, size, PIECE):
        rest, taken = piece, taken + len(piece)
        if taken > MOST_PACKED and seen.size < LEAST_RATIO * (taken - MOST_PACKED):
            return _damaged("it holds next to nothing for its size")
        while rest:
            if unpacking.eof:  # another member begins where one ended
                unpacking, members = zlib.decompressobj(31), members + 1
            try:
                seen.add(unpacking.decompress(rest, SLICE), sample)
            except zlib.error:
                return _damaged("it is damaged" if members == 1 else "other bytes follow its end")
            rest = unpacking.unconsumed_tail or unpacking.unused_data
            if problem := _too_much(seen, size, members):
                return problem
    return Content(seen.size, seen.sample) if unpacking.eof else _damaged("it ends too early; it was cut short")


def begin(read: Callable[[int, int], bytes], size: int, most: int) -> bytes:
    """The first `most` bytes, or all, that a sound file of `size` bytes holds."""
    unpacked, unpacking = b"", zlib.decompressobj(31)
    for piece in _slices(read, size, SLICE):
        rest = piece
        while rest and len(unpacked) < most:
            if unpacking.eof:
                unpacking = zlib.decompressobj(31)
            unpacked += unpacking.decompress(rest, most - len(unpacked))
            rest = unpacking.unconsumed_tail or unpacking.unused_data
        if len(unpacked) >= most:
            break
    return unpacked


def _slices(read: Callable[[int, int], bytes], size: int, long: int) -> Iterator[bytes]:
    for at in range(0, size, long):
        piece = read(at, long)
        yield from (piece[n : n + SLICE] for n in range(0, len(piece), SLICE))


def _too_much(seen: _Seen, size: int, members: int) -> Problem | None:
    if seen.size > LARGEST_UNPACKED:
        text = f"Unpacked, the file has more than {LARGEST_UNPACKED >> 30} GiB, which is not accepted."
        return Problem("unpacks-too-large", text, "Send it in parts that each fit, as files of their own.")
    if seen.size > max(SMALL, MOST_RATIO * size):
        text = f"The file unpacks to more than {MOST_RATIO} times its size, which is not accepted."
        return Problem("unpacks-too-large", text, "Check its content; if it is right, send the file uncompressed.")
    if members > MOST_MEMBERS:
        return Problem("unpacks-too-large", f"The file has more than {MOST_MEMBERS:,} compressed parts.", FIX)
    if seen.line > LONGEST_LINE:
        text = f"A line of the unpacked file has more than {LONGEST_LINE >> 20} MiB."
        return Problem("line-too-long", text, "Write one record on each line.")
    return None


def _damaged(why: str) -> Problem:
    return Problem("broken-gzip", f"The file cannot be unpacked: {why}.", FIX)
