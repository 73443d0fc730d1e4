"""A workbook of any form as what reads it: its sheets, and the rows of one of them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""The size of a sheet (specifications of Excel)."""
ZIP, COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
OLD = (b"\x09\x08", b"\x09\x04", b"\x09\x02", b"\x09\x00")
"""The first bytes of workbooks before Excel 97 that are not within a compound file."""
SIGNS = (ZIP, COMPOUND, *OLD)
"""The first bytes of workbooks."""
NAMES = {
    "xlsx": "an Excel workbook (.xlsx)",
    "xls": "an Excel 97-2003 workbook (.xls)",
    "ods": "an OpenDocument spreadsheet (.ods)",
}
"""The formats of workbooks, for people."""
Row = tuple[int, list[str]]
"""A row's number from 1, and the texts of its cells from column A on; those behind the last filled one are missing."""


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet of a workbook."""

    name: str
    hidden: bool = False


class Book(Protocol):
    """A workbook."""

    @property
    def sheets(self) -> tuple[SheetEntry, ...]:
        """Return its sheets of cells, in their order."""

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a sheet that the file has, in their order; raise Faulty where it is at fault."""
