"""Records by their places in an archive or a document: scanned groups and places in, full places out. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from contracts.job import Count, JobDrop
from contracts.place import Place
from contracts.plan import Check, Plan
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.spark import storage

LAST = 2**62
"""A number above that of any record."""
Starts = Sequence[tuple[int, str | None]]
"""The first record of each file of a drop, and the name of the member that it is, in the order of records."""


def starts(drop: JobDrop, groups: Sequence[ScannedGroup]) -> Starts:
    """Return where the records of each member of a drop begin; without members those of its one file."""
    if not drop.members:
        return [(1, None)]
    names = {storage.plain(member.uri): member.name for member in drop.members}
    splits = (split for group in groups for split in group.splits if split.drop.id == drop.id)
    first: dict[str, int] = {}
    for name, record in ((names[storage.plain(split.file)], max(split.first, 1)) for split in splits):
        first[name] = min(record, first.get(name, record))
    return sorted(((record, name) for name, record in first.items()), key=itemgetter(0))


def spans(groups: Sequence[ScannedGroup]) -> list[tuple[str, int, int, str | None]]:
    """Return the members of all drops: the drop, the first and the last number that a record may have, and the name."""
    rows = []
    for drop in (drop for group in groups for drop in group.drops):
        begins = starts(drop, groups)
        lasts = [first - 1 for first, _ in begins[1:]]
        rows += [(drop.id, first, last, name) for (first, name), last in zip(begins, [*lasts, LAST], strict=True)]
    return rows


def placed(place: Place, plan: Plan, begins: Starts) -> Place:
    """Return a place with the name of its member, and with its element of a document."""
    at = bisect_right(begins, place.record, key=itemgetter(0)) - 1
    if at < 0:
        return place
    first, member = begins[at]
    return replace(place, member=member, element=plan.element(place.record - first + 1))


def in_cells(count: Count, check: Check, plan: Plan, header: Sequence[str]) -> Count:
    """Return a count whose samples say their cell of a sheet, or their row if the check is of no column."""
    sheet, own = plan.sheet, next((n for n, name in enumerate(header) if name == check.property), None)
    if sheet is None:
        return count
    places = [
        s.place if s.place.line is None else replace(s.place, line=None, element=sheet.cell(s.place.line, own))
        for s in count.samples
    ]
    return replace(count, samples=tuple(map(lambda s, at: replace(s, place=at), count.samples, places)))


def with_places(count: Count, plan: Plan, begins: Starts) -> Count:
    """Return a count whose samples have their full places."""
    return replace(count, samples=tuple(replace(s, place=placed(s.place, plan, begins)) for s in count.samples))
