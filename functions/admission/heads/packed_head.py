"""A compressed file: a way to read it in, the first bytes of its content, or its fault, out. Pure.

It is unpacked whole, in pieces, and nothing is kept. So a file that is cut short, damaged or a bomb is refused at
admission, and every file that the job unpacks is sound and of an allowed size.
"""

from __future__ import annotations

import bz2
import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from backports import zstd

from contracts.plan import Compression
from contracts.problem import Problem

PIECE, SLICE = 8 << 20, 256 << 10
"""Bytes that are fetched, and of these unpacked, at a time."""
MOST_RATIO, SMALL = 200, 64 << 20
"""The most times its size that a file may hold, once that is more than SMALL bytes."""
MOST_PACKED, LEAST_RATIO = 8 << 20, 0.5
"""Once so many bytes were unpacked, they must have given half as many: blocks of nothing take time and give none."""
LONGEST_LINE = 128 << 20
MOST_STREAMS = 100_000

Read = Callable[[int, int], bytes]


class _Stream(Protocol):
    """One compressed stream; another one may follow it in a file."""

    @property
    def eof(self) -> bool:
        """Return True if the stream has ended."""

    @property
    def unused_data(self) -> bytes:
        """Return the bytes behind its end."""

    def unpack(self, piece: bytes, most: int) -> Iterator[bytes]:
        """Yield the content of a piece, at most so many bytes at a time."""


@dataclass(slots=True)
class _Unpacking:
    """A stream that a decompressor of Python unpacks."""

    unpacking: Any

    @property
    def eof(self) -> bool:
        return bool(self.unpacking.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self.unpacking.unused_data)


class _Deflated(_Unpacking):
    """A stream of gzip."""

    def unpack(self, piece: bytes, most: int) -> Iterator[bytes]:
        while piece and not self.unpacking.eof:
            yield self.unpacking.decompress(piece, most)
            piece = self.unpacking.unconsumed_tail


class _Buffered(_Unpacking):
    """A stream whose decompressor keeps the input that is left, as those of bzip2 and Zstandard do."""

    def unpack(self, piece: bytes, most: int) -> Iterator[bytes]:
        yield self.unpacking.decompress(piece, most)
        while not self.unpacking.eof and not self.unpacking.needs_input:
            yield self.unpacking.decompress(b"", most)


@dataclass(frozen=True, slots=True)
class Packing:
    """A way to compress files: its signs, the most bytes of content, and a function that begins to unpack a stream."""

    name: Compression
    signs: tuple[bytes, ...]
    largest: int
    begin: Callable[[], _Stream]
    errors: tuple[type[Exception], ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    """What a sound file asks for in vain: words of the error, and a clause behind `The file cannot be unpacked`."""

    @property
    def fix(self) -> str:
        """Return what to do about a file that cannot be unpacked."""
        return f"Compress the file again with {self.name}, and send it whole."

    def failed(self, error: Exception, streams: int) -> Problem:
        """Return the problem of a file of which so many streams were begun when an error came."""
        if reason := next((reason for words, reason in self.reasons.items() if words in str(error)), None):
            return self.damaged(reason)
        return self.damaged("it is damaged" if streams == 1 else "other bytes follow its end")

    def damaged(self, why: str) -> Problem:
        """Return the problem of a file that cannot be unpacked."""
        return Problem(f"broken-{self.name}", f"The file cannot be unpacked: {why}.", self.fix)

    def too_much(self, seen: Seen, size: int, streams: int) -> Problem | None:
        """Return the problem of a file of `size` bytes that holds too much for them, or too many parts."""
        if streams > MOST_STREAMS:
            return Problem("unpacks-too-large", f"The file has more than {MOST_STREAMS:,} compressed parts.", self.fix)
        return too_much(seen, size, self.largest)


BZIP2 = tuple(b"BZh%d" % n + sign for n in range(1, 10) for sign in (b"1AY&SY", b"\x17rE8P\x90"))
"""A level from 1 to 9, and the sign of a block, or of the end of a file that holds nothing."""
SKIPPED = tuple(b"%c\x2a\x4d\x18" % n for n in range(0x50, 0x60))
"""The signs of frames of Zstandard that hold no content, which tools for several processors write (RFC 8878, 3.1.2)."""
WINDOW: Mapping[int, int] = {zstd.DecompressionParameter.window_log_max: 27}
"""A frame of Zstandard may ask for 128 MiB of memory: all that `zstd` writes, but for `--long=28` and more."""
UNFIT = {
    "Dictionary mismatch": "it needs a dictionary, which is not here",
    "too much memory": "it needs more than 128 MiB of memory (a window of `--long=28` or more)",
}
PACKINGS = {
    packing.name: packing
    for packing in (
        Packing("gzip", (b"\x1f\x8b",), 2 << 30, lambda: _Deflated(zlib.decompressobj(31)), (zlib.error,)),
        # A processor unpacks 25 MiB of it in a second.
        Packing("bzip2", BZIP2, 512 << 20, lambda: _Buffered(bz2.BZ2Decompressor()), (OSError, ValueError)),
        Packing(
            *("zstd", (b"\x28\xb5\x2f\xfd", *SKIPPED), 2 << 30),
            *(lambda: _Buffered(zstd.ZstdDecompressor(options=WINDOW)), (zstd.ZstdError,), UNFIT),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a compressed file: its number of bytes, the first of them, and their SHA-256 if it is wanted."""

    size: int
    sample: bytes
    sha256: str | None = None


@dataclass(slots=True)
class Seen:
    """The content so far: its number of bytes, the first of them, those of the line that has not ended, and a hash.

    A document is not `in_lines`: it may be a single one of any length.
    """

    size: int = 0
    sample: bytes = b""
    line: int = 0
    hashed: Any = None
    in_lines: bool = True

    def add(self, piece: bytes, most: int) -> None:
        """Take note of a piece of content, of which the first `most` bytes are kept."""
        if len(self.sample) < most:
            self.sample += piece[: most - len(self.sample)]
        self.size += len(piece)
        if self.hashed:
            self.hashed.update(piece)
        if not self.in_lines:
            return
        last = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self.line = self.line + len(piece) if last < 0 else len(piece) - last - 1


def unpack(
    packing: Packing, read: Read, size: int, sample: int, *, hashed: bool = False, in_lines: bool = True
) -> Content | Problem:
    """Return the content of a file of `size` bytes with its first `sample` bytes; or the problem if it is refused."""
    seen = Seen(hashed=hashlib.sha256() if hashed else None, in_lines=in_lines)
    stream, streams, taken = packing.begin(), 1, 0
    for piece in slices(read, 0, size, PIECE):
        rest, taken = piece, taken + len(piece)
        if taken > MOST_PACKED and seen.size < LEAST_RATIO * (taken - MOST_PACKED):
            return packing.damaged("it holds next to nothing for its size")
        while rest:
            if stream.eof:  # another stream begins where one ended
                stream, streams = packing.begin(), streams + 1
            try:
                for content in stream.unpack(rest, SLICE):
                    seen.add(content, sample)
                    if problem := packing.too_much(seen, size, streams):
                        return problem
            except packing.errors as error:
                return packing.failed(error, streams)
            rest = stream.unused_data if stream.eof else b""
    if not stream.eof:
        return packing.damaged("it ends too early; it was cut short")
    return Content(seen.size, seen.sample, seen.hashed.hexdigest() if hashed else None)


def begin(packing: Packing, read: Read, size: int, most: int) -> bytes:
    """The first `most` bytes, or all, that a sound file of `size` bytes holds."""
    unpacked, stream = b"", packing.begin()
    for piece in slices(read, 0, size, SLICE):
        rest = piece
        while rest and len(unpacked) < most:
            if stream.eof:
                stream = packing.begin()
            for content in stream.unpack(rest, most - len(unpacked)):
                unpacked += content[: most - len(unpacked)]
                if len(unpacked) >= most:
                    break
            rest = stream.unused_data if stream.eof else b""
        if len(unpacked) >= most:
            break
    return unpacked


def slices(read: Read, start: int, end: int, long: int) -> Iterator[bytes]:
    """Yield the bytes of a file between two places in slices, of which so many bytes are fetched at once."""
    for at in range(start, end, long):
        piece = read(at, min(long, end - at))
        yield from (piece[n : n + SLICE] for n in range(0, len(piece), SLICE))


def too_much(seen: Seen, size: int, largest: int) -> Problem | None:
    """Return the problem of a file of `size` bytes that holds too much for its size, or more than `largest` bytes."""
    if seen.size > largest:
        text = f"Unpacked, the file has more than {largest >> 20:,} MiB, which is not accepted."
        return Problem("unpacks-too-large", text, "Send it in parts that each fit, as files of their own.")
    if seen.size > max(SMALL, MOST_RATIO * size):
        text = f"The file unpacks to more than {MOST_RATIO} times its size, which is not accepted."
        return Problem("unpacks-too-large", text, "Check its content; if it is right, send the file uncompressed.")
    if seen.line > LONGEST_LINE:
        text = f"A line of the unpacked file has more than {LONGEST_LINE >> 20} MiB."
        return Problem("line-too-long", text, "Write one record on each line.")
    return None
