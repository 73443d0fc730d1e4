"""Delta tables: the rows of a drop in, one commit out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from contracts.job import DataFile
from contracts.table import TableColumn
from functions.ports.store import CopyTag

REMEMBERED = timedelta(days=90)
"""The time for which a table's log remembers a change: longer than a drop may be `promoting`."""


class Tables(Protocol):
    """Delta tables by the URIs of their folders. Every change is one commit, which a reader sees whole or not at all.

    A change has the tag of its drop and attempt, and is made once, however often it is requested. `take_out` is the
    exception.
    """

    def ready(self, table: str, columns: Sequence[TableColumn], tag: CopyTag) -> int | None:
        """Make a table, or add the columns that it lacks; return its version if the change of that tag is made already.

        TableUnlike if it cannot take rows with these columns.
        """
        ...

    def schema(self, table: str) -> tuple[TableColumn, ...]:
        """Return the columns of a table; none if there is no table."""
        ...

    def append(self, table: str, files: Sequence[DataFile], tag: CopyTag) -> int:
        """Add files that are in the table's folder, under their names of `keys.data_file`.

        Return a version of the table with them.
        """
        ...

    def replace(self, table: str, folder: str, files: Sequence[DataFile], tag: CopyTag, instead: Sequence[str]) -> int:
        """Replace all rows of some drops, and of no others, by the rows of files in another folder.

        Return a version of the table with them.
        """
        ...

    def withdraw(self, table: str, tag: CopyTag, later: int | None = None) -> None:
        """Remove all rows of a drop; the tag is that of the attempt whose rows they are.

        Remove none if rows of the attempt `later`, or of one after it, were put in: they replaced all others.
        """
        ...

    def take_out(self, table: str, drop: str) -> None:
        """Remove all rows of a drop that a table has now, of whatever attempt, also after it was withdrawn."""
        ...

    def count(self, table: str) -> Mapping[str, int]:
        """Return the number of rows of each drop in a table, rows of no drop under the empty id."""
        ...

    def files(self, table: str) -> Collection[str]:
        """Return the current files of a table, by their keys below its folder; none if there is no table."""
        ...

    def made(self, table: str, tag: CopyTag) -> bool:
        """Return True if rows with that tag, or a later one, were put into a table within `REMEMBERED`."""
        ...
