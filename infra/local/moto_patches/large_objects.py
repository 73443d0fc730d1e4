"""Large objects of moto: their bytes stay in files, from an upload in parts to copies and answers.

moto keeps each object in a file of its own, but reads and writes it as one value in memory; to complete an upload in
parts takes three. Here a large value is a view of its file, and what is written is written piece by piece.
"""

from __future__ import annotations

import base64
import copy
import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Any

from awscrt import checksums  # type: ignore[import-untyped]
from moto.s3.models import FakeKey, FakeMultipart, MultipartChecksumBuilder

LARGE = 32 << 20
"""Bytes of a value beyond which it stays in its file; moto keeps no value of more than 16 MiB elsewhere."""
PIECE = 1 << 20
RUNNING: dict[str, tuple[Callable[[Any, int], int], int]] = {
    "CRC32": (checksums.crc32, 4),
    "CRC32C": (checksums.crc32c, 4),
    "CRC64NVME": (checksums.crc64nvme, 8),
}
"""The checksums of whole objects, which run on from part to part, and their bytes.

docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
"""
_VALUE: Any = FakeKey.value
_SET_PART: Any = FakeMultipart.set_part
_COMPLETE: Any = FakeMultipart.complete


class View(mmap.mmap):
    """The bytes of a file that are read as they are used; of a large slice likewise."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            begin, end, _ = place.indices(len(self))
            if end - begin > LARGE:
                return Slice(self, begin, end)
        return super().__getitem__(place)

    def __iter__(self) -> Iterator[bytes]:  # type: ignore[override]
        return iter(Slice(self, 0, len(self)))

    def __reduce__(self) -> Any:
        return bytes, (bytes(memoryview(self)),)


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a view."""

    view: View
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    def __iter__(self) -> Iterator[bytes]:
        for at in range(self.begin, self.end, PIECE):
            yield self.view[at : min(at + PIECE, self.end)]


@dataclass(frozen=True, slots=True)
class Joined:
    """The bytes of files one after the other, once: each is gone when it was read."""

    files: Sequence[Any]
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        for file in self.files:
            with file:
                yield from _pieces(file)


@dataclass(frozen=True, slots=True)
class _Named:
    """A part without its bytes."""

    etag: str
    contentsize: int
    value: bytes = b""


def keep_in_files() -> None:
    """Let moto read and write large values by pieces."""
    ours: tuple[tuple[Any, str, Any], ...] = (
        (FakeKey, "value", property(_read, _write)),
        (FakeMultipart, "set_part", _set_part),
        (FakeMultipart, "complete", _complete),
    )
    for owner, name, method in ours:
        setattr(owner, name, method)


def _read(key: FakeKey) -> Any:
    if key.contentsize <= LARGE:
        return _VALUE.fget(key)
    with key.lock:
        file = _file(key)
        file.flush()
        return View(file.fileno(), key.contentsize, access=mmap.ACCESS_READ)


def _write(key: FakeKey, value: Any) -> None:
    if len(value) <= LARGE:
        _VALUE.fset(key, value if isinstance(value, str | bytes) else b"".join(value))
        return
    file = _file(key)
    file.rollover()
    file.seek(0)
    file.truncate()
    if isinstance(value, bytes):
        file.write(value)
    else:
        file.writelines(value)
    key.contentsize = len(value)


def _set_part(upload: FakeMultipart, number: int, value: Any) -> FakeKey:
    part: FakeKey = _SET_PART(upload, number, value)
    _file(part).rollover()  # one is small, all of them are not
    return part


def _complete(upload: FakeMultipart, body: Iterator[tuple[int, str]]) -> Any:
    asked = list(body)
    parts = [upload.parts[number] for number, _ in asked if number in upload.parts]
    size = sum(part.contentsize for part in parts)
    if size <= LARGE:
        return _COMPLETE(upload, iter(asked))
    named = copy.copy(upload)
    named.parts = {number: _Named(part.etag, part.contentsize) for number, part in upload.parts.items()}  # type: ignore[misc]
    _, etag, _ = _COMPLETE(named, iter(asked))  # it holds the parts against what was asked
    checksum = _checksum(upload, parts)
    return Joined(list(map(_taken, parts)), size), etag, checksum


def _checksum(upload: FakeMultipart, parts: Sequence[FakeKey]) -> Any:
    asked = (upload.metadata.get(f"x-amz-checksum-{what}") for what in ("algorithm", "type"))
    builder = MultipartChecksumBuilder(*asked)
    if builder.checksum_type == "COMPOSITE":
        for part in parts:
            builder.addPart(part.value)
        return builder.build()
    run_on, size = RUNNING[builder.checksum_algorithm]
    running = 0
    for part in parts:
        for piece in _pieces(_file(part)):
            running = run_on(piece, running)
    return builder.checksum_type, base64.b64encode(running.to_bytes(size, "big")).decode(), 1


def _taken(part: FakeKey) -> Any:
    """Take the file of a part, which moto closes with the upload."""
    file = _file(part)
    part._value_buffer = SpooledTemporaryFile()  # noqa: SIM115, SLF001 (moto closes it)
    return file


def _pieces(file: Any) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(PIECE):
        yield piece


def _file(key: FakeKey) -> Any:
    return key._value_buffer  # noqa: SLF001 (moto has no public way to it)
