"""A drop's bytes from zone to zone: a drop and a target in, where its bytes lie now out.

A move is a copy on conditions, then the delete of the pinned version, so that a crash anywhere leaves it repeatable:
the copy finds its own tag at the target, the delete finds nothing left to do. What one copy cannot move is copied in
parts, some at each call: the upload in parts is its own checkpoint, and the ledger knows its name.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.errors import DestinationTaken, ObjectGone, ObjectReplaced, ObjectUnreadable, UploadGone
from functions import keys
from functions.drop import Drop, Location
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.store import CopyTag, Stat


@dataclass(frozen=True, slots=True)
class Carried:
    """The bytes lie at the target."""

    to: Location
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Parts are still to be copied; whoever comes next goes on."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The bytes lie neither where they were nor at the target."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Somebody else's bytes lie at the target."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Other bytes lie where the drop's were laid."""


def its_own(zones: Zones, drop: Drop) -> bool:
    """Return True if a record's id matches its upload, and its bytes are those that landed, are held or were staged."""
    same = keys.drop_id(drop.bucket, drop.key, drop.version_id) == drop.id
    named = keys.name_in(zones.landing, drop.bucket, drop.key) == drop.name
    landed = (drop.source.uri, drop.source.version) == (f"s3://{drop.bucket}/{drop.key}", drop.version_id)
    staged = drop.source.uri.startswith(zones.stage) and drop.source.uri.split("/")[-2] == drop.id
    return same and named and (landed or staged or drop.source.uri == keys.held_uri(zones, drop.id))


def carry(ports: Ports, drop: Drop, target: str) -> Carried | Unfinished | Gone | Taken | Replaced:
    """Move a drop's bytes to `target`; what left landing before stays where it was, too, until lifecycle removes it."""
    stat: Stat | Unfinished | None
    if drop.source.uri == target and drop.source.etag:
        return Carried(drop.source, drop.sha256)
    try:
        moved = drop.source.uri == target  # and then nobody wrote down what was laid there
        tag = CopyTag(drop.id, drop.attempt, keys.media_type(target))  # a name of ours
        stat = ports.store.head(drop.source) if moved else _copy(ports, drop, drop.source, target, tag)
    except (DestinationTaken, ObjectGone):
        stat = ports.store.head(Location(target))
    except ObjectReplaced:
        return Replaced()
    if isinstance(stat, Unfinished):
        return stat
    if stat is None:
        return Gone()
    if stat.drop != drop.id:
        return _taken(ports, drop, target)
    if drop.source.version:
        ports.store.delete(drop.source)
    return Carried(Location(target, etag=stat.etag), stat.sha256)


def promote(
    ports: Ports, drop: Drop, source: Location, target: str, replaces: str | None, kind: str = keys.BYTES
) -> Stat | Unfinished | Gone | Taken | Replaced:
    """Copy to consumers what was judged, or its valid rows, over nothing but the object with the ETag `replaces`.

    `kind` is the media type of the contract's format: the name is the producer's.
    """
    tag = CopyTag(drop.id, drop.attempt, kind)
    try:
        return _copy(ports, drop, source, target, tag, replaces)
    except (ObjectGone, ObjectReplaced) as error:
        found = ports.store.head(Location(target))
        if found and _is(found, tag):
            return found
        return Gone() if isinstance(error, ObjectGone) else Replaced()
    except DestinationTaken:
        found = ports.store.head(Location(target))
    if found is None:  # what it was to replace has been removed meanwhile
        return _copy(ports, drop, source, target, tag)
    return found if _is(found, tag) else _taken(ports, drop, target)


def _copy(
    ports: Ports, drop: Drop, source: Location, target: str, tag: CopyTag, replaces: str | None = None
) -> Stat | Unfinished:
    """Copy bytes of a drop at once, or in parts, on the conditions of `ObjectStore.copy`, which raises."""
    size = drop.size if source == drop.source or drop.size <= ports.largest_copy else _size(ports, source)
    if size <= ports.largest_copy:
        try:
            return ports.store.copy(source, target, tag, replaces)
        except ObjectUnreadable:  # valid rows may take more bytes than the file that they are of
            if source == drop.source or (size := _size(ports, source)) <= ports.largest_copy:
                raise
    upload = ports.ledger.upload(tag, target) or _begun(ports, tag, target, None)
    try:
        done = ports.store.go_on(upload, source, target, size, replaces)
    except UploadGone:  # somebody ended it, or lifecycle broke it off after days
        found = ports.store.head(Location(target))
        if found and _is(found, tag):
            return found
        _begun(ports, tag, target, upload)
        return Unfinished()
    except (ObjectGone, ObjectReplaced):
        ports.store.break_off(upload, target)
        raise
    return done or Unfinished()


def _size(ports: Ports, source: Location) -> int:
    found = ports.store.head(source)
    if found is None:
        raise ObjectGone(source.uri)
    return found.size


def _taken(ports: Ports, drop: Drop, target: str) -> Taken:
    """Forget what was copied in parts for a target that is somebody else's."""
    if upload := ports.ledger.upload(CopyTag(drop.id, drop.attempt), target):
        ports.store.break_off(upload, target)
    return Taken()


def _begun(ports: Ports, tag: CopyTag, target: str, instead: str | None) -> str:
    """A new copy in parts, or that of somebody faster: the ledger knows one, so that all go on with the same."""
    upload = ports.store.begin(target, tag)
    if ports.ledger.note_upload(tag, target, upload, instead):
        return upload
    ports.store.break_off(upload, target)
    return ports.ledger.upload(tag, target) or upload


def _is(stat: Stat, tag: CopyTag) -> bool:
    return (stat.drop, stat.attempt) == (tag.drop, tag.attempt)
