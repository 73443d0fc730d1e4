"""Former versions end as the template's rules say; what is current stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.s3.lifecycle import Version, days_of, over

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
DAYS = {"jobs/": 1, "stage/": 7}


def version(key: str, hours: float, *, current: bool = False, marker: bool = False) -> Version:
    return Version(key, f"{key}@{hours}", NOW - timedelta(hours=hours), current, marker)


OLD, HIDDEN = version("jobs/a", 400), version("jobs/a", 25, current=True, marker=True)
CASES: dict[str, tuple[list[Version], list[Version]]] = {
    "current, however old": ([version("jobs/a", 9999, current=True)], []),
    "former for a day": ([OLD, version("jobs/a", 24, current=True)], [OLD]),
    "former for less, however old": ([OLD, version("jobs/a", 23, current=True)], []),
    "hidden for a day, with its marker": ([HIDDEN, OLD], [OLD, HIDDEN]),
    "hidden for less": ([version("jobs/a", 23, current=True, marker=True), OLD], []),
    "a marker with nothing below": ([HIDDEN], [HIDDEN]),
    "by its own prefix": ([version("stage/a", 400), version("stage/a", 160, current=True)], []),
    "without a rule": ([version("code/a", 9999), version("code/a", 9000, current=True)], []),
    "the older first": (
        [version("jobs/a", 300, marker=True), version("jobs/a", 200), OLD, version("jobs/a", 100, current=True)],
        [OLD, version("jobs/a", 300, marker=True), version("jobs/a", 200)],
    ),
    "each key for itself": (
        [OLD, version("jobs/b", 1, current=True), version("jobs/a", 99, current=True), version("jobs/b", 500)],
        [OLD],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_former_versions_end_after_their_days(case: tuple[list[Version], list[Version]]) -> None:
    versions, expected = case
    assert list(over(versions, DAYS, NOW)) == expected


def test_days_come_from_the_rules() -> None:
    rules: list[dict[str, Any]] = [
        {"Prefix": "jobs/", "ExpirationInDays": "30", "NoncurrentVersionExpiration": {"NoncurrentDays": 1}},
        {"Prefix": "stage/", "NoncurrentVersionExpiration": {"NoncurrentDays": "7"}},
        {"ExpiredObjectDeleteMarker": True},
    ]
    assert days_of(rules) == DAYS
    assert days_of([{"NoncurrentVersionExpiration": {"NoncurrentDays": "30"}}]) == {"": 30}
