"""Lengths of time and periods of the calendar, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.terms.spans import Period, Span, Unit, zone_of

BERLIN, CAIRO, APIA = "Europe/Berlin", "Africa/Cairo", "Pacific/Apia"
ZONES = st.sampled_from(["UTC", BERLIN, CAIRO, APIA, "America/Sao_Paulo", "America/Havana", "-08:00", "+05:45"])
FIRST, LAST = datetime.fromisoformat("1975-01-01"), datetime.fromisoformat("2099-01-01")
MOMENTS = st.datetimes(FIRST, LAST, timezones=st.just(UTC))
SPANS = st.builds(Span, st.integers(1, 40).map(Decimal), st.sampled_from(get_args(Unit)))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@given(moment=MOMENTS, span=SPANS, zone=ZONES)
def test_each_moment_has_one_period_and_the_next_begins_at_its_end(moment: datetime, span: Span, zone: str) -> None:
    period = Period.of(moment, span, zone_of(zone))
    following = Period.of(period.end, span, zone_of(zone))

    assert period.holds(moment)
    assert not period.holds(period.end)
    assert Period.of(period.begin, span, zone_of(zone)) == period
    assert following.begin == period.end
    assert period.begin < period.last_fifth < period.end


@pytest.mark.parametrize(
    ("unit", "zone", "moment", "begin", "end"),
    [
        ("d", BERLIN, "2026-03-29 12:00", "2026-03-28 23:00", "2026-03-29 22:00"),
        ("d", BERLIN, "2026-10-25 12:00", "2026-10-24 22:00", "2026-10-25 23:00"),
        ("d", CAIRO, "2026-04-24 12:00", "2026-04-23 22:00", "2026-04-24 21:00"),
        ("d", "-08:00", "2026-01-01 07:59", "2025-12-31 08:00", "2026-01-01 08:00"),
        ("w", "UTC", "2026-02-01 12:00", "2026-01-26 00:00", "2026-02-02 00:00"),
        ("mo", BERLIN, "2026-02-28 23:30", "2026-02-28 23:00", "2026-03-31 22:00"),
        ("y", "UTC", "2026-07-01 00:00", "2026-01-01 00:00", "2027-01-01 00:00"),
        ("h", BERLIN, "2026-10-25 00:59", "2026-10-25 00:00", "2026-10-25 01:00"),
    ],
)
def test_period_is_one_of_the_local_calendar(unit: Unit, zone: str, moment: str, begin: str, end: str) -> None:
    assert Period.of(at(moment), Span(Decimal(1), unit), zone_of(zone)) == Period(at(begin), at(end))


@pytest.mark.parametrize(
    ("count", "unit", "moment", "after"),
    [
        ("1", "mo", "2026-01-31 12:00", "2026-02-28 12:00"),
        ("1", "mo", "2024-01-31 12:00", "2024-02-29 12:00"),
        ("1", "y", "2024-02-29 12:00", "2025-02-28 12:00"),
        ("1.5", "h", "2026-03-29 00:00", "2026-03-29 01:30"),
        ("1", "d", "2026-03-28 12:00", "2026-03-29 12:00"),
        ("0.5", "s", "2026-01-01 00:00:00", "2026-01-01 00:00:00.5"),
    ],
)
def test_length_of_time_after_a_moment(count: str, unit: Unit, moment: str, after: str) -> None:
    assert Span(Decimal(count), unit).after(at(moment), zone_of(BERLIN)) == at(after)


@given(moment=MOMENTS, span=SPANS, zone=ZONES)
def test_later_moments_are_never_earlier_after_the_same_time(moment: datetime, span: Span, zone: str) -> None:
    zoned = zone_of(zone)

    assert span.before(moment, zoned) < moment < span.after(moment, zoned)
    if span.unit not in ("mo", "y"):
        assert span.before(span.after(moment, zoned), zoned) == moment
        assert span.after(moment, zoned) - moment == timedelta(seconds=int(span.about))
