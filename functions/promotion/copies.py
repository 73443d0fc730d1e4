"""Copies of a drop's bytes from zone to zone: a drop and a target in, the location of its bytes out.

A move is a conditional copy, then the delete of the pinned version, so that it can be repeated after a crash anywhere:
the copy finds its own tag at the target, the delete finds nothing left to do. An object that is too large for one copy
is copied in parts, some in each call: the upload in parts is its own checkpoint, and the ledger has its name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contracts.errors import DestinationTaken, ObjectGone, ObjectReplaced, ObjectUnreadable, UploadGone
from functions import keys
from functions.drop import Drop, Location
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.store import CopyTag, Stat


@dataclass(frozen=True, slots=True)
class Target:
    """The URI of a copy, its media type, and the ETag of the one object that it may replace (None: nothing)."""

    uri: str
    kind: str = keys.BYTES
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class InPlace:
    """The bytes are at the target."""

    to: Location
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Parts are still to be copied; the next call goes on."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The bytes are neither at the source nor at the target."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The target has somebody else's bytes."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """The source has other bytes than the drop's."""


def owns_source(zones: Zones, drop: Drop) -> bool:
    """Return True if a record's id matches its upload, and its bytes are those that landed, are held or were staged."""
    same = keys.drop_id(drop.bucket, drop.key, drop.version_id) == drop.id
    named = keys.name_in(zones.landing, drop.bucket, drop.key) == drop.name
    landed = (drop.source.uri, drop.source.version) == (f"s3://{drop.bucket}/{drop.key}", drop.version_id)
    staged = drop.source.uri.startswith(zones.stage) and drop.source.uri.split("/")[-2] == drop.id
    return same and named and (landed or staged or drop.source.uri == keys.held_uri(zones, drop.id))


def move(ports: Ports, drop: Drop, uri: str) -> InPlace | Unfinished | Gone | Taken | Replaced:
    """Move a drop's bytes; a source outside landing keeps its copy until lifecycle removes it."""
    stat: Stat | Unfinished | None
    if drop.source.uri == uri and drop.source.etag:
        return InPlace(drop.source, drop.sha256)
    try:
        moved = drop.source.uri == uri  # and then nobody recorded the ETag
        target = Target(uri, keys.media_type(uri))  # a name of ours
        stat = ports.store.head(drop.source) if moved else _copy(ports, drop, drop.source, target)
    except (DestinationTaken, ObjectGone):
        stat = ports.store.head(Location(uri))
    except ObjectReplaced:
        return Replaced()
    if isinstance(stat, Unfinished):
        return stat
    if stat is None:
        return Gone()
    if stat.drop != drop.id:
        return _taken(ports, drop, uri)
    if drop.source.version:
        ports.store.delete(drop.source)
    return InPlace(Location(uri, etag=stat.etag), stat.sha256)


def copy_to_consumers(
    ports: Ports, drop: Drop, source: Location, target: Target
) -> Stat | Unfinished | Gone | Taken | Replaced:
    """Copy what was judged, or its valid rows; the name is the producer's, the media type that of the contract."""
    try:
        return _copy(ports, drop, source, target)
    except (ObjectGone, ObjectReplaced) as error:
        stat = ports.store.head(Location(target.uri))
        if stat and _is_of(stat, drop):
            return stat
        return Gone() if isinstance(error, ObjectGone) else Replaced()
    except DestinationTaken:
        stat = ports.store.head(Location(target.uri))
    if stat is None:  # what it was to replace has been removed meanwhile
        return _copy(ports, drop, source, replace(target, replaces=None))
    return stat if _is_of(stat, drop) else _taken(ports, drop, target.uri)


def _copy(ports: Ports, drop: Drop, source: Location, target: Target) -> Stat | Unfinished:
    """Copy bytes of a drop at once, or in parts, on the conditions of `ObjectStore.copy`, which raises."""
    tag = CopyTag(drop.id, drop.attempt, target.kind)
    size = drop.size if source == drop.source or drop.size <= ports.largest_copy else _size(ports, source)
    if size <= ports.largest_copy:
        try:
            return ports.store.copy(source, target.uri, tag, target.replaces)
        except ObjectUnreadable:  # valid rows may take more bytes than the file that they are of
            if source == drop.source or (size := _size(ports, source)) <= ports.largest_copy:
                raise
    upload = ports.ledger.upload(tag, target.uri) or _begun(ports, tag, target.uri, None)
    try:
        stat = ports.store.copy_parts(upload, source, target.uri, size, target.replaces)
    except UploadGone:  # somebody ended it, or lifecycle broke it off after days
        copied = ports.store.head(Location(target.uri))
        if copied and _is_of(copied, drop):
            return copied
        _begun(ports, tag, target.uri, upload)
        return Unfinished()
    except (ObjectGone, ObjectReplaced):
        ports.store.abort_copy(upload, target.uri)
        raise
    return stat or Unfinished()


def _size(ports: Ports, source: Location) -> int:
    stat = ports.store.head(source)
    if stat is None:
        raise ObjectGone(source.uri)
    return stat.size


def _taken(ports: Ports, drop: Drop, uri: str) -> Taken:
    """Abort a copy in parts whose target is somebody else's."""
    if upload := ports.ledger.upload(CopyTag(drop.id, drop.attempt), uri):
        ports.store.abort_copy(upload, uri)
    return Taken()


def _begun(ports: Ports, tag: CopyTag, uri: str, instead: str | None) -> str:
    """Return a new copy in parts, or that of somebody faster: the ledger has one, so that all go on with the same."""
    upload = ports.store.begin_copy(uri, tag)
    if ports.ledger.note_upload(tag, uri, upload, instead):
        return upload
    ports.store.abort_copy(upload, uri)
    return ports.ledger.upload(tag, uri) or upload


def _is_of(stat: Stat, drop: Drop) -> bool:
    return (stat.drop, stat.attempt) == (drop.id, drop.attempt)
