"""A Delta table in, the same rows in fewer files out: small files compacted, unused files and old logs removed.

A table's folder may also hold files that were promoted as objects, before their contract was promoted into the table or
after. deltalake would remove these as well, because no commit names them. So it only lists files, and the table's own
files are removed by name.

Each part is safe while others write. A compaction is one commit, which gives way to another commit that changes the
same files. Only files that no commit of the last days names are removed; this covers every commit under way. Of the log
only the part that a checkpoint holds, and that is past its retention, is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from contracts.errors import ServiceUnavailable
from functions.keys import is_of_table

TARGET = 128 * 1024**2
"""Bytes of a file that small ones are made into."""
LEAST_DAYS = 7
"""Files younger than this are never removed: somebody may be about to name them, or still be reading."""
ROUNDS = 5
AT_ONCE = 8
"""How many files are removed at the same time."""


@dataclass(frozen=True, slots=True)
class Maintained:
    """The changes of a table, done or planned: files before, files compacted, into how many, files removed.

    `others` are files in its folder that are none of the table, as old as those: they stay.
    `compacted_into` and `log_expired` are None in a dry run, which cannot know them.
    """

    table: str
    files: int
    compacted: int
    compacted_into: int | None
    removed: int
    others: int
    log_expired: bool | None


def maintain(
    table: str,
    options: Mapping[str, str],
    remove: Callable[[str], object],
    days: int = LEAST_DAYS,
    *,
    dry_run: bool = False,
) -> Maintained | None:
    """Maintain a table; return None if there is none. Raises ServiceUnavailable if concurrent writers won every time.

    `table` ends in `/`; `remove` removes a file of it by its URI, and is called from several threads at once.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

    for _ in range(ROUNDS):
        try:
            opened = DeltaTable(table, storage_options=dict(options))
            return _maintained(table, opened, None if dry_run else remove, days)
        except TableNotFoundError:
            return None
        except CommitFailedError:
            continue  # another commit changed a file that was to be made one with others
        except (DeltaError, OSError) as error:
            raise ServiceUnavailable(f"the table {table} could not be read or written: {error}") from error
    raise ServiceUnavailable(f"others change the table {table} all the time; try it again later")


def _maintained(table: str, opened: Any, remove: Callable[[str], object] | None, days: int) -> Maintained:
    """Maintain a table, or without `remove` only look at it."""
    if remove is None:
        sizes: list[int] = opened.get_add_actions(flatten=True).column("size_bytes").to_pylist()
        small = [size for size in sizes if size < TARGET]
        own, others = _unnamed(opened, days)
        return Maintained(table, len(sizes), len(small) if len(small) > 1 else 0, None, len(own), others, None)
    files = len(opened.file_uris())
    made: dict[str, Any] = opened.optimize.compact(target_size=TARGET)
    own, others = _unnamed(opened, days)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda name: remove(f"{table}{name}"), own))
    opened.create_checkpoint()
    opened.cleanup_metadata()
    return Maintained(table, files, made["numFilesRemoved"], made["numFilesAdded"], len(own), others, True)


def _unnamed(opened: Any, days: int) -> tuple[list[str], int]:
    """Return the table's own files that no commit of so many days names, and the number of other files there."""
    every: list[str] = opened.vacuum(24 * days, dry_run=True, full=True)
    own = [name for name in every if is_of_table(name)]
    return own, len(every) - len(own)
