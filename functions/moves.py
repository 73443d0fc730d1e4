"""A drop's bytes from zone to zone: a drop and a target in, where its bytes lie now out.

A move is a copy on conditions, then the delete of the pinned version, so that a crash anywhere leaves it repeatable:
the copy finds its own mark at the target, the delete finds nothing left to do.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.errors import DestinationTaken, ObjectGone, ObjectReplaced
from functions.ports import Mark, Ports, Stat
from functions.submission import Drop, Location


@dataclass(frozen=True, slots=True)
class Carried:
    """The bytes lie at the target."""

    to: Location
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Gone:
    """The bytes lie neither where they were nor at the target."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Somebody else's bytes lie at the target."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Other bytes lie where the drop's were laid."""


def carry(ports: Ports, drop: Drop, target: str) -> Carried | Gone | Taken | Replaced:
    """Move a drop's bytes to `target`; what left landing before stays where it was, too, until lifecycle removes it."""
    stat: Stat | None
    if drop.source.uri == target and drop.source.etag:
        return Carried(drop.source, drop.sha256)
    try:
        if drop.source.uri == target:  # moved, and then nobody wrote down what was laid there
            stat = ports.store.head(drop.source)
        else:
            stat = ports.store.copy(drop.source, target, Mark(drop.id, drop.attempt))
    except (DestinationTaken, ObjectGone):
        stat = ports.store.head(Location(target))
    except ObjectReplaced:
        return Replaced()
    if stat is None:
        return Gone()
    if stat.drop != drop.id:
        return Taken()
    if drop.source.version:
        ports.store.delete(drop.source)
    return Carried(Location(target, etag=stat.etag), stat.sha256)


def promote(
    ports: Ports, drop: Drop, source: Location, target: str, replaces: str | None
) -> Stat | Gone | Taken | Replaced:
    """Copy to consumers what was judged, or its valid rows, over nothing but the object with the ETag `replaces`."""
    mark = Mark(drop.id, drop.attempt)
    try:
        return ports.store.copy(source, target, mark, replaces)
    except (ObjectGone, ObjectReplaced) as error:
        found = ports.store.head(Location(target))
        if found and _is(found, mark):
            return found
        return Gone() if isinstance(error, ObjectGone) else Replaced()
    except DestinationTaken:
        found = ports.store.head(Location(target))
    if found is None:  # what it was to replace has been removed meanwhile
        return ports.store.copy(source, target, mark)
    return found if _is(found, mark) else Taken()


def _is(stat: Stat, mark: Mark) -> bool:
    return (stat.drop, stat.attempt) == (mark.drop, mark.attempt)
