"""Objects in landing that no event has announced: a page of landing in, the objects without a record out.

S3 delivers its events to EventBridge at least once, but a rule, a queue or a deployment may lose one. An object that is
taken in leaves landing, so landing is small; a mark in the ledger has the position of the next page.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from functions import keys
from functions.drop import UNVERSIONED, Created
from functions.ports import Ports
from functions.ports.clock import stamp
from functions.ports.store import MARKER_KEPT

PAGE = 1000
"""Versions that are checked in a minute, as many as S3 lists at once (Amazon S3 API, ListObjectVersions)."""
MOST_FOUND = 500
"""Uploads of a page that one run takes in, one after the other; the next run on the page takes more.

An hour of lost events at a million uploads a day is 41,667 uploads: 84 runs take them in, within two hours. One upload
takes 0.2 to 0.4 s (8 calls); the schedule stops after its MOST_TIME, and runs of two minutes may overlap.
"""
LATE = timedelta(minutes=15)
"""The time that an event may take: longer than a message that comes again (the queue's VisibilityTimeout) twice."""


def unannounced(ports: Ports) -> Iterator[Created]:
    """Yield object versions without a record that are in landing for longer than their events should take."""
    bucket, _ = keys.split(ports.zones.landing)
    after = ports.ledger.sweep()
    page = ports.store.versions(ports.zones.landing, after, PAGE)
    if page.after != after:
        ports.ledger.put_sweep(page.after)
    late_since = stamp(ports.clock.now() - LATE)
    kept = stamp(ports.clock.now() - MARKER_KEPT)
    files = (file for file in page.versions if not keys.is_marker(file.key, file.size) or file.written_at < kept)
    late_files = {keys.drop_id(bucket, file.key, file.version): file for file in files if file.written_at < late_since}
    recorded = {drop.id for drop in ports.ledger.drops(list(late_files))}
    unrecorded = (file for drop_id, file in late_files.items() if drop_id not in recorded)
    # What has no version of its own is refused; it is not to hold up the others.
    for file in islice(sorted(unrecorded, key=lambda file: file.version in UNVERSIONED), MOST_FOUND):
        yield Created(bucket, file.key, file.version, file.etag, file.size, "", file.written_at)
