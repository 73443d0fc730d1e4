"""Promotion in the ledger: who holds a key or a content, a contract's high marks, and copies in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.watermarks import HighMark
from functions.ports.store import CopyTag


@dataclass(frozen=True, slots=True)
class Lineage:
    """The shared state of all uploads of one key (or of one content) under one contract.

    It names the drop that is being promoted, if there is one; the drop that consumers see, with its sequencer, time and
    ETag (empty for rows in a table); and the latest sequencer of all drops that consumers have seen.
    """

    id: str
    promoting: str | None = None
    promoted: str | None = None
    sequencer: str = ""
    furthest: str = ""
    uploaded_at: str = ""
    etag: str | None = None
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Watermarks:
    """The high marks of a contract's accepted drops; a mark only goes forward."""

    contract: str
    marks: tuple[HighMark, ...] = ()
    version: int = 0
    format: Literal[1] = 1


class Lineages(Protocol):
    """Keys, contents and high marks: called by promotion and batching."""

    def lineage(self, lineage_id: str) -> Lineage:
        """Return the lineage of that id; a new one has version 0."""
        ...

    def watermarks(self, contract: str) -> Watermarks:
        """Return the high marks of a contract; new ones have version 0."""
        ...


class Uploads(Protocol):
    """Copies in parts, which every worker must find again: called by `promotion.copies`."""

    def upload(self, tag: CopyTag, target: str) -> str | None:
        """Return the name of the copy in parts of a drop's bytes to a target."""
        ...

    def note_upload(self, tag: CopyTag, target: str, upload: str, instead: str | None) -> bool:
        """Record it; False if another one than `instead` was recorded."""
        ...
