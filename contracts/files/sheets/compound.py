"""A compound file (MS-CFB), in which old workbooks are: its bytes in, its streams by name out. Pure."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial

from contracts.files.sheets.faults import broken

ENDS = 0xFFFFFFFA
"""Numbers of sectors from here on are none."""
ENTRY, OF_ENTRY, STREAM, ROOT = 128, struct.Struct("<64sHB49xII4x"), 2, 5
OF_HEADER = struct.Struct("<24xHHHHH6xIII4xIIIII")


class _Sectors:
    """The sectors of a file, and the table that chains them."""

    def __init__(self, data: bytes, size: int, table: tuple[int, ...], base: int) -> None:
        self._data, self._size, self._table, self._base = data, size, table, base

    def sector(self, number: int) -> bytes:
        """Return the bytes of a sector."""
        begin = self._base + number * self._size
        return self._data[begin : begin + self._size]

    def chain(self, first: int) -> bytes:
        """Return the bytes of a chain of sectors."""
        numbers, at = list[int](), first
        while at < ENDS:
            if at >= len(self._table) or len(numbers) > len(self._table):
                raise broken("its sectors are not chained as they must be")
            numbers.append(at)
            at = self._table[at]
        return b"".join(map(self.sector, numbers))


def streams(data: bytes) -> dict[str, Callable[[], bytes]]:
    """Return the streams at the root of a compound file, by name in small letters; each is read when it is called."""
    if len(data) < 512:
        raise broken("it was cut short")
    header = OF_HEADER.unpack_from(data)
    _, _, _, shift, mini_shift, _, count, directory, cutoff, first_mini, _, first_more, _ = header
    if shift not in (9, 12) or mini_shift != 6:
        raise broken("its head is damaged")
    size = 1 << shift
    table = _table(data, size, count, first_more)
    sectors = _Sectors(data, size, table, size)
    entries = sectors.chain(directory)
    written = [OF_ENTRY.unpack_from(entries, at) for at in range(0, len(entries) - ENTRY + 1, ENTRY)]
    root = next((entry for entry in written if entry[2] == ROOT), None)
    if root is None:
        raise broken("its directory is damaged")
    mini_table = _numbers(sectors.chain(first_mini))

    def content(first: int, length: int) -> bytes:
        small = length < cutoff
        chained = _Sectors(sectors.chain(root[3]), 1 << mini_shift, mini_table, 0) if small else sectors
        whole = chained.chain(first)
        if len(whole) < length:
            raise broken("it was cut short")
        return whole[:length]

    return {
        name[: max(0, length - 2)].decode("utf-16le", "replace").lower(): partial(content, first, extent)
        for name, length, kind, first, extent in written
        if kind == STREAM
    }


def _table(data: bytes, size: int, count: int, first_more: int) -> tuple[int, ...]:
    """Return the table of sectors; its own sectors are listed in the head, and in sectors that are chained."""
    places = list(struct.unpack_from("<109I", data, 76))
    at, seen = first_more, 0
    while at < ENDS:
        more = _numbers(data[size * (at + 1) : size * (at + 2)])
        if len(more) != size // 4 or (seen := seen + 1) > len(data) // size:
            raise broken("its table of sectors is damaged")
        places += more[:-1]
        at = more[-1]
    wanted = [place for place in places if place < ENDS][:count]
    return _numbers(b"".join(data[size * (place + 1) : size * (place + 2)] for place in wanted))


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
