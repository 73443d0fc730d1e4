"""A Delta table in, the same rows in fewer files out: small files made one, what nothing names and old logs removed.

Each part is safe beside writers: to compact is one commit, which gives way to another that changes the same files; only
files that no commit of the last days names are removed, which covers every commit under way; of the log only what a
checkpoint holds and what is past its retention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contracts.errors import ServiceUnavailable

TARGET = 128 * 1024**2
"""Bytes of a file that small ones are made into."""
LEAST_DAYS = 7
"""Files younger than this are never removed: somebody may be about to name them, or still be reading."""
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Maintained:
    """What was done to a table, or would be: files before, files that were made one, into how many, files removed.

    `compacted_into` and `log_expired` are None in a dry run, which cannot know them.
    """

    table: str
    files: int
    compacted: int
    compacted_into: int | None
    removed: int
    log_expired: bool | None


def maintain(
    table: str, options: Mapping[str, str], days: int = LEAST_DAYS, *, dry_run: bool = False
) -> Maintained | None:
    """Maintain a table; None where there is none. ServiceUnavailable where writers were faster again and again."""
    from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

    for _ in range(ROUNDS):
        try:
            return _looked_at(table, options, days) if dry_run else _maintained(table, options, days)
        except TableNotFoundError:
            return None
        except CommitFailedError:
            continue  # another commit changed a file that was to be made one with others
        except (DeltaError, OSError) as error:
            raise ServiceUnavailable(f"the table {table} could not be read or written: {error}") from error
    raise ServiceUnavailable(f"others change the table {table} all the time; try it again later")


def _looked_at(table: str, options: Mapping[str, str], days: int) -> Maintained:
    found = _opened(table, options)
    sizes: list[int] = found.get_add_actions(flatten=True).column("size_bytes").to_pylist()
    small = [size for size in sizes if size < TARGET]
    gone = found.vacuum(24 * days, dry_run=True, full=True)
    return Maintained(table, len(sizes), len(small) if len(small) > 1 else 0, None, len(gone), None)


def _maintained(table: str, options: Mapping[str, str], days: int) -> Maintained:
    found = _opened(table, options)
    files = len(found.file_uris())
    made: dict[str, Any] = found.optimize.compact(target_size=TARGET)
    gone = found.vacuum(24 * days, dry_run=False, full=True)
    found.create_checkpoint()
    found.cleanup_metadata()
    return Maintained(table, files, made["numFilesRemoved"], made["numFilesAdded"], len(gone), True)


def _opened(table: str, options: Mapping[str, str]) -> Any:
    from deltalake import DeltaTable

    return DeltaTable(table, storage_options=dict(options))
