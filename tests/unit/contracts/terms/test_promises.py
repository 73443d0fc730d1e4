"""Promises over time: what they say at each boundary, and that nothing unseen is called met."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.terms.promises import DAY, File, Promise, Seen, State, gap_in, judge, standing, worse
from contracts.terms.spans import Period, Span

BEGIN = datetime(2026, 1, 31, tzinfo=UTC)
LONG_AGO = BEGIN - timedelta(days=99)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
DAILY = Promise("frequency", "frequency", DAY)
FRESH = Promise("loadDate", "loadDate", Span(Decimal(10), "h"))


def file(uploaded: float, readable: float | None = None, *, is_open: bool = False) -> File:
    """An upload at some hour of the period, readable at another one."""
    at = None if readable is None else BEGIN + readable * HOUR
    return File("a.csv", BEGIN + uploaded * HOUR, at, is_open)


def judged(promise: Promise, at: datetime, *files: File, **more: object) -> State | None:
    seen = Seen(files, **{"since": LONG_AGO, "has_data": True, **more})  # type: ignore[arg-type]
    return judge(promise, promise.period_of(BEGIN), seen, at).state


@pytest.mark.parametrize(
    ("hour", "files", "state"),
    [
        (1, [], None),
        (19.19, [], None),
        (19.2, [], "at_risk"),
        (23.99, [], "at_risk"),
        (24, [], "missed"),
        (24, [file(23, is_open=True)], "at_risk"),
        (47.9, [file(23, is_open=True)], "at_risk"),
        (48, [file(23, is_open=True)], "missed"),
        (24, [file(23)], "missed"),
        (1, [file(0, 1)], "met"),
        (30, [file(23.99, 29)], "met"),
        (30, [file(24, 29)], "missed"),
        (1, [file(-0.01, 0.5)], None),
    ],
)
def test_frequency_at_its_boundaries(hour: float, files: list[File], state: State | None) -> None:
    assert judged(DAILY, BEGIN + hour * HOUR, *files) == state


def test_frequency_is_not_missed_in_the_period_in_which_it_begins() -> None:
    assert judged(DAILY, BEGIN + 25 * HOUR, since=BEGIN + HOUR) is None
    assert judged(DAILY, BEGIN + 25 * HOUR, since=BEGIN) == "missed"
    assert judged(DAILY, BEGIN + 25 * HOUR, file(0, 1), since=BEGIN + 2 * HOUR) == "met"


@pytest.mark.parametrize(
    ("hour", "files", "state"),
    [
        (9, [file(1, 2)], "at_risk"),
        (8.99, [file(1, 2)], "met"),
        (11, [file(1, 2)], "at_risk"),
        (11.01, [file(1, 2)], "missed"),
        (11.01, [file(1, 2), file(2, 12)], "missed"),
        (12, [file(1, 2), file(2, 12)], "at_risk"),
        (12, [file(1)], "missed"),
        (12, [], "missed"),
    ],
)
def test_freshness_at_its_boundaries(hour: float, files: list[File], state: State | None) -> None:
    assert judged(FRESH, BEGIN + hour * HOUR, *files) == state


@pytest.mark.parametrize(
    ("files", "more", "state"),
    [
        ([file(-2, -1), file(8, 8), file(18, 18)], {}, "met"),
        ([file(-2, -1), file(8, 8.1), file(18, 18)], {}, "missed"),
        ([file(-2, -1), file(8, 8), file(13.9, 18)], {}, "missed"),
        ([file(-2, -1), file(8, 8)], {}, "missed"),
        ([file(20, 20)], {}, "missed"),
        ([file(20, 20)], {"has_data": False, "since": BEGIN + 12 * HOUR}, "met"),
        ([file(10, 10)], {"has_data": False, "since": BEGIN}, "missed"),
        ([], {"has_data": False, "since": BEGIN + 12 * HOUR}, "missed"),
        ([], {"has_data": False, "since": BEGIN + 15 * HOUR}, None),
        ([], {"whole": False}, None),
        ([], {"whole": False, "worst": "at_risk"}, "met"),
        ([], {"whole": False, "worst": "missed"}, "missed"),
    ],
)
def test_result_of_a_day_of_freshness(files: list[File], more: dict[str, object], state: State | None) -> None:
    assert judged(FRESH, BEGIN + 24 * HOUR, *files, **more) == state


def test_data_that_is_withdrawn_in_its_first_period_is_missed() -> None:
    assert judged(FRESH, BEGIN + HOUR, since=BEGIN, has_data=False, worst="met") == "missed"
    assert judged(FRESH, BEGIN + HOUR, since=BEGIN, has_data=False) is None


COVERS = st.lists(st.tuples(st.integers(-5, 25), st.integers(0, 12)), max_size=8)


@given(covers=COVERS)
def test_gap_is_what_a_walk_hour_by_hour_finds(covers: list[tuple[int, int]]) -> None:
    spans = [(BEGIN + begin * HOUR, BEGIN + (begin + length) * HOUR) for begin, length in covers]
    halves = [BEGIN + n * HOUR / 2 for n in range(48)]
    bare = [at for at in halves if not any(begin <= at <= end for begin, end in spans)]
    gap = gap_in(Period(BEGIN, BEGIN + 24 * HOUR), spans)

    assert (gap is None) == (not bare)
    assert gap is None or bare[0] - HOUR <= gap <= bare[0]


@given(hours=st.lists(st.integers(-12, 23), max_size=5), hour=st.integers(0, 48), patient=st.booleans())
def test_nothing_is_met_that_was_not_seen(hours: list[int], hour: int, patient: bool) -> None:
    at = BEGIN + hour * HOUR
    files = [file(n, n) for n in hours]
    seen = [file for file in files if file.readable and file.readable <= at]

    for promise in (DAILY, FRESH):
        state = judged(promise, at, *seen, has_data=patient, since=BEGIN - HOUR)
        assert seen or state != "met"


def test_state_is_that_of_the_period_or_the_last_result() -> None:
    assert [standing(None, before) for before in ("unknown", "met", "missed")] == ["unknown", "met", "missed"]
    assert [standing("at_risk", before) for before in ("unknown", "met", "missed")] == ["at_risk", "at_risk", "missed"]
    assert standing("met", "missed") == "met"
    assert worse(None, "met") == "met"
    assert worse("missed", "at_risk") == "missed"


def test_stricter_promise_keeps_the_former_one() -> None:
    stricter = Promise("loadDate", "loadDate", Span(Decimal(9), "h"))

    assert FRESH.is_kept_by(stricter)
    assert FRESH.is_kept_by(FRESH)
    assert not stricter.is_kept_by(FRESH)
    assert not FRESH.is_kept_by(Promise("loadDate", "loadDate", FRESH.span, zone="Europe/Berlin"))
    weekly = Promise("frequency", "frequency", Span(Decimal(1), "w"), period=Span(Decimal(1), "w"))
    assert weekly.is_kept_by(DAILY)
    assert not DAILY.is_kept_by(weekly)
