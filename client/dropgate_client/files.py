"""Files on this machine: read in blocks, never whole, and written whole or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dropgate_client.errors import NotConfigured

BLOCK = 1 << 20
HEAD = 1 << 16
"""Bytes of a file that the API checks before the transfer."""
Progress = Callable[[str, int, int], None]
"""Takes a step (`read` or `send`), the bytes that it has done, and the bytes of the file."""


def no_progress(_step: str, _done: int, _size: int) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class Measured:
    """A file: its size, its SHA-256 and its first bytes."""

    path: Path
    size: int
    sha256: str
    head: bytes


def measure(path: Path, progress: Progress = no_progress) -> Measured:
    """Return the size, the SHA-256 and the head of a file; raise NotConfigured if it cannot be read."""
    try:
        with path.open("rb") as file:
            size, done, head, digest = os.fstat(file.fileno()).st_size, 0, b"", hashlib.sha256()
            while block := file.read(BLOCK):
                head = head or block[:HEAD]
                digest.update(block)
                done += len(block)
                progress("read", done, max(size, done))
    except OSError as error:
        raise NotConfigured(f"The file {path} cannot be read: {error.strerror}.") from None
    return Measured(path, done, digest.hexdigest(), head)


class Watched(io.BufferedReader):
    """A file that is open for a transfer: exactly the bytes that were measured; it shows how far it was read.

    Raises NotConfigured if the file has another length by now; other changes are found by its SHA-256.
    """

    def __init__(self, measured: Measured, progress: Progress) -> None:
        super().__init__(io.FileIO(measured.path, "rb"), BLOCK)
        self._measured = measured
        self._progress = progress
        self._done = 0
        if os.fstat(self.fileno()).st_size != measured.size:
            self.close()
            raise _changed(measured.path)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        left = self._measured.size - self._done
        block = super().read(left if size is None or size < 0 else min(size, left))
        if left and not block:
            raise _changed(self._measured.path)
        self._done += len(block)
        self._progress("send", self._done, self._measured.size)
        return block


def _changed(path: Path) -> NotConfigured:
    return NotConfigured(f"{path} changed while it was sent: wait until nothing writes it, and send it again.")


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path`, or of a link there, once all is written; raise NotConfigured."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise NotConfigured(f"{path} cannot be written: {error.strerror}.") from None
