"""Records of an archive by its members: scanned groups and places in, places with the names of members out. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from contracts.job import Count, JobDrop
from contracts.place import Place
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.spark import storage

Starts = Sequence[tuple[int, str]]
"""The first record of each stretch of records, and the name of the member that it is in, in the order of records."""


def starts(drop: JobDrop, groups: Sequence[ScannedGroup]) -> Starts:
    """Return where the records of each member of a drop begin."""
    names = {storage.plain(member.uri): member.name for member in drop.members}
    splits = (split for group in groups for split in group.splits if split.drop.id == drop.id)
    return sorted((max(split.first, 1), names[storage.plain(split.file)]) for split in splits)


def placed(place: Place, begins: Starts) -> Place:
    """Return a place with the name of its member."""
    at = bisect_right(begins, place.record, key=itemgetter(0)) - 1
    return replace(place, member=begins[at][1]) if at >= 0 else place


def with_members(count: Count, begins: Starts) -> Count:
    """Return a count whose samples name their member."""
    return replace(count, samples=tuple(replace(s, place=placed(s.place, begins)) for s in count.samples))
