"""The object store: objects by URI in; their bytes, copies on conditions and listings out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from functions import keys
from functions.catalog import Documents
from functions.drop import Location

LARGEST_COPY = 5 * 1024**3
"""Bytes that one CopyObject moves (Amazon S3 user guide, "Copying objects")."""

MARKER_KEPT = timedelta(days=1)
"""The time that a folder marker, an empty object whose key ends in `/`, stays in landing: SFTP clients look for it."""


@dataclass(frozen=True, slots=True)
class Stat:
    """The HEAD of an object; `drop` and `attempt` are the tags of the copy that wrote it.

    For rows in a table, which are no object, `version` is a version of the table that has them.
    """

    etag: str
    size: int
    sha256: str | None = None
    drop: str | None = None
    attempt: int | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class CopyTag:
    """The drop and attempt whose bytes an object holds: written with every copy, so that a repeat knows its own copy.

    `kind` is the media type of the bytes, from our own names and the contract's format, never from a producer's key.
    """

    drop: str
    attempt: int
    kind: str = field(default=keys.BYTES, compare=False)


ListingCursor = tuple[str, str]
"""A key and a version, after which a page of a listing begins."""


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """A version of an object in a listing, with the time of its write by the store; `current`: readers get it."""

    key: str
    version: str
    etag: str
    size: int
    written_at: str
    current: bool = True


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of an object, or a delete marker; `current`: the newest of its key, which readers get."""

    at: Location
    current: bool
    marker: bool = False


@dataclass(frozen=True, slots=True)
class ListingPage:
    """A part of a listing, and the cursor of the next part; None at the end."""

    versions: tuple[ListedVersion, ...]
    after: ListingCursor | None = None


class Objects(Documents, Protocol):
    """Single objects: read by admission, written by records and job requests, deleted once they are moved."""

    def head(self, at: Location) -> Stat | None:
        """Return the HEAD of an object; None if there is none."""
        ...

    def read(self, at: Location, start: int, length: int) -> bytes:
        """Read so many bytes from a position on, or all there are; ObjectGone, ObjectReplaced, ObjectUnreadable."""
        ...

    def put(self, uri: str, body: bytes, content_type: str, replaces: str | None = None) -> None:
        """Write a document over any other; ObjectReplaced if the other lacks the ETag `replaces` that is given."""
        ...

    def delete(self, at: Location) -> None:
        """Remove one version; no error if it is gone already."""
        ...


class Copies(Protocol):
    """Copies within the store, called by promotion and by receipts, without the producer's metadata and tags."""

    def copy(self, source: Location, target: str, tag: CopyTag, replaces: str | None = None) -> Stat:
        """Copy an object to a target that is free, or has the ETag `replaces`: else DestinationTaken.

        ObjectGone if there is no source, ObjectReplaced if it has another ETag than it names, ObjectUnreadable if it is
        archived or locked.
        """
        ...

    def begin_copy(self, target: str, tag: CopyTag) -> str:
        """Begin a copy in parts, for an object that is too large for one copy, and return its name."""
        ...

    def copy_parts(
        self, upload: str, source: Location, target: str, size: int, replaces: str | None = None
    ) -> Stat | None:
        """Copy some of the missing parts; None while others are missing, at the end the HEAD of the target.

        UploadGone if it was ended or aborted; else as `copy`, whose conditions hold for each part, and at the end.
        """
        ...

    def abort_copy(self, upload: str, target: str) -> None:
        """Abort a copy in parts; no error if it is gone already."""
        ...


class Listings(Protocol):
    """Listings of folders, called by the schedule, the doctor and `erase`."""

    def listed(self, folder: str, most: int) -> Mapping[str, str]:
        """Return the ETags of the objects below a folder by their URIs, at most so many."""
        ...

    def versions(self, folder: str, after: ListingCursor | None, most: int) -> ListingPage:
        """Return a page of the object versions below a folder, from a cursor on, whoever wrote them."""
        ...

    def remaining(self, place: str) -> Sequence[StoredVersion]:
        """Return every version and delete marker below a folder or of one key; of each key the current one last."""
        ...


class Removals(Protocol):
    """Removal of objects from their readers; the bytes stay as versions until lifecycle deletes them."""

    def clear(self, folder: str) -> None:
        """Hide all objects below a folder."""

    def withdraw(self, at: Location) -> None:
        """Hide an object if it still has the ETag of `at`; older versions of its key also stay hidden."""
        ...


class ObjectStore(Objects, Copies, Listings, Removals, Protocol):
    """Objects by URI, for all of these roles."""
