"""A workbook that is a zip archive: its bytes in, its parts by name out, bounded in number, size and ratio. Pure.

Only the parts that are asked for are unpacked, in pieces. Workbooks of large exports are often written as zip64, which
Python's own reader knows.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from contracts.files.sheets.faults import Faulty, broken, too_large
from contracts.problem import Problem

MOST_ENTRIES = 10_000
LARGEST = 2 << 30
"""Bytes of content of a part."""
MOST_RATIO, SMALL = 200, 64 << 20
"""The most times its packed size that a part may hold, once that is more than SMALL bytes."""
PIECE = 256 << 10
ENCRYPTED = 0x0001 | 0x0040 | 0x2000


class Parts:
    """The parts of a workbook; names are compared without the case of letters (ECMA-376, part 2, 6.2.2.3)."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
            raise broken("it is not a whole zip archive; it was cut short or damaged") from None
        entries = self._archive.infolist()
        if len(entries) > MOST_ENTRIES:
            raise too_large(f"it has more than {MOST_ENTRIES:,} parts")
        self._entries = {entry.filename.lower().lstrip("/"): entry for entry in entries}
        if len(self._entries) < len(entries):
            raise broken("it has a part twice")

    def __contains__(self, name: str) -> bool:
        return name.lower().lstrip("/") in self._entries

    def names(self) -> list[str]:
        """Return the names of all parts, in small letters."""
        return list(self._entries)

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield the content of a part; raise Faulty where it is damaged or beyond the bounds."""
        entry = self._entries.get(name.lower().lstrip("/"))
        if entry is None:
            raise broken(f"its part `{name}` is not there")
        if entry.flag_bits & ENCRYPTED:
            raise Faulty(password())
        most = min(LARGEST, max(SMALL, MOST_RATIO * entry.compress_size))
        if entry.file_size > most:
            raise too_large(f"`{name}` unpacks to {entry.file_size:,} bytes")
        try:
            with self._archive.open(entry) as content:
                while piece := content.read(PIECE):
                    yield piece
        except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, EOFError, RuntimeError, ValueError):
            raise broken(f"its part `{name}` is damaged") from None

    def whole(self, name: str, most: int) -> bytes:
        """Return the content of a small part, of at most so many bytes."""
        content = bytearray()
        for piece in self.pieces(name):
            content += piece
            if len(content) > most:
                raise too_large(f"`{name}` has more than {most:,} bytes")
        return bytes(content)


def password() -> Problem:
    """Return the problem of a workbook that needs a password."""
    fix = "Save the workbook without a password (File, Info, Protect workbook), and send it again."
    return Problem("workbook-password", "The workbook needs a password.", fix)
