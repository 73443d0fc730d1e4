"""Lifecycle of former versions in the embedded buckets: rules, versions and a time in, expired versions out.

docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html: a version expires so many days after a newer
one replaced it, a delete marker once no version is left. Current versions do not expire on this machine.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

FIRST_SECONDS, EVERY_SECONDS = 300, 3600


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an object, or a delete marker; `current` marks the newest of its key."""

    key: str
    id: str
    written: datetime
    current: bool
    marker: bool = False


class Lifecycle:
    """Deletes the expired former versions of a stack's buckets, once an hour; `rules` are by bucket."""

    def __init__(self, rules: Mapping[str, Iterable[Mapping[str, Any]]], s3: Any) -> None:
        self._days = {bucket: days_of(bucket_rules) for bucket, bucket_rules in rules.items()}
        self._s3 = s3
        self._due = time.monotonic() + FIRST_SECONDS

    def poll(self) -> bool:
        """Check all buckets if it is due."""
        if time.monotonic() < self._due:
            return False
        self._due = time.monotonic() + EVERY_SECONDS
        for bucket, days in self._days.items():
            self.end(bucket, days, datetime.now(UTC))
        return False  # nothing that others would have to look at

    def end(self, bucket: str, days: Mapping[str, int], now: datetime) -> None:
        """Delete the expired versions of a bucket."""
        pages = self._s3.get_paginator("list_object_versions").paginate(Bucket=bucket)
        versions = [
            Version(one["Key"], one["VersionId"], one["LastModified"], one["IsLatest"], marker=kind == "DeleteMarkers")
            for page in pages
            for kind in ("Versions", "DeleteMarkers")
            for one in page.get(kind, [])
        ]
        for one in over(versions, days, now):
            self._s3.delete_object(Bucket=bucket, Key=one.key, VersionId=one.id)


def days_of(rules: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the days that former versions are kept, by key prefix."""
    ending = (rule for rule in rules if "NoncurrentVersionExpiration" in rule)
    return {rule.get("Prefix", ""): int(rule["NoncurrentVersionExpiration"]["NoncurrentDays"]) for rule in ending}


def over(versions: Iterable[Version], days: Mapping[str, int], now: datetime) -> Iterator[Version]:
    """Yield the expired versions, older ones first; then markers that have no version left."""
    newest_first = sorted(versions, key=lambda one: (one.key, not one.current, -one.written.timestamp()))
    for key, each in groupby(newest_first, key=lambda one: one.key):
        current, *former = each
        kept = min((n for prefix, n in days.items() if key.startswith(prefix)), default=None)
        since = [current, *former]
        gone = [
            one
            for newer, one in zip(since, former, strict=False)
            if kept is not None and now - newer.written >= timedelta(days=kept)
        ]
        yield from reversed(gone)
        if current.marker and len(gone) == len(former):
            yield current
