"""A drop's valid rows into the table of its contract: a drop and the list of its files in, one commit out.

A reader of the table may read all files in its folder, in a commit or not. So rows are copied there after the verdict.
They are added by a commit; if they replace rows of another upload, they are written and exchanged in one commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import ObjectGone, ObjectReplaced, TableUnlike
from contracts.job import DataFiles
from contracts.plan import Plan
from contracts.table import columns
from functions import keys
from functions.drop import Drop, Location
from functions.ports import Ports
from functions.ports.store import CopyTag, Stat
from functions.promotion.copies import Gone, Replaced, Taken, Target, Unfinished, copy_to_consumers

MOST_LIST = 16 * 1024**2
"""Bytes of a list of data files: of 100,000."""


@dataclass(frozen=True, slots=True)
class Unlike:
    """The table cannot take the rows; why, in words that follow its name."""

    why: str


def into_table(
    ports: Ports, plan: Plan, drop: Drop, rows: Location, instead: Sequence[str]
) -> Stat | Unfinished | Gone | Taken | Replaced | Unlike:
    """Add the files of the list at `rows`, in place of all rows of the drops `instead`; a repeat changes nothing."""
    tag, table = CopyTag(drop.id, drop.attempt), keys.table_folder(ports.zones, plan.contract)
    try:
        version = ports.tables.ready(table, columns(plan), tag)
        if version is not None:
            return _promoted(tag, version)
        files = DataFiles.loads(ports.store.read(rows, 0, MOST_LIST)).files
    except TableUnlike as error:
        return Unlike(str(error))
    except ObjectGone:
        return Gone()
    except ObjectReplaced:
        return Replaced()
    folder = f"{rows.uri.rpartition('/')[0]}/"
    if instead:
        return _promoted(tag, ports.tables.replace(table, folder, files, tag, instead))
    for file in files:
        target = Target(data_uri(table, tag, file.name), keys.media_type(file.name))
        copied = copy_to_consumers(ports, drop, Location(f"{folder}{file.name}"), target)
        if not isinstance(copied, Stat):
            return copied
    return _promoted(tag, ports.tables.append(table, files, tag))


def data_uri(table: str, tag: CopyTag, name: str) -> str:
    """Return the URI of a file of rows in a table."""
    return f"{table}{keys.data_file(tag.drop, tag.attempt, name)}"


def _promoted(tag: CopyTag, version: int) -> Stat:
    return Stat("", 0, None, tag.drop, tag.attempt, version)
