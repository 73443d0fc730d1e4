"""Promises over time: what they say at each boundary, and that nothing unseen is called met."""

from __future__ import annotations

from dataclasses import replace
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


def test_data_that_was_too_old_before_the_promise_is_none_of_it() -> None:
    """It makes no difference for how long it has been too old."""
    for age in (11, 30):
        old = file(-age, -age)
        assert judged(FRESH, BEGIN + 5 * HOUR, old, since=BEGIN + 4 * HOUR, has_data=False) is None
        assert judged(FRESH, BEGIN + 14.1 * HOUR, old, since=BEGIN + 4 * HOUR, has_data=False) == "missed"
    assert judged(FRESH, BEGIN + 5 * HOUR, file(-5.5, -5), since=BEGIN + 4 * HOUR, has_data=False) == "missed"


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


# ---- latency, time of availability, shares

QUICK = Promise("latency", "latency", Span(Decimal(2), "h"))
MORNING = Promise("timeOfAvailability", "timeOfAvailability", by="09:00", days=("fri", "sat"), zone="-08:00")
RATE = Promise("errorRate", "errorRate", percent=Decimal(1))
WHOLE = Promise("completeness", "completeness", percent=Decimal(99))
FILES = Promise(
    "fileCompleteness", "fileCompleteness", percent=Decimal(75), by="12:00", files=2, period=Span(Decimal(1), "w")
)


@pytest.mark.parametrize(
    ("hour", "files", "state"),
    [
        (5, [], None),
        (5, [file(1, 2)], "met"),
        (5, [file(1, 3)], "met"),
        (5, [file(1, 3.001)], "missed"),
        (2.59, [file(1, is_open=True)], None),
        (2.6, [file(1, is_open=True)], "at_risk"),
        (3, [file(1, is_open=True)], "at_risk"),
        (3.01, [file(1, is_open=True)], "missed"),
        (5, [file(1)], None),
        (5, [file(1, 2), file(2, 4.1)], "missed"),
        (5, [file(-0.1, 4)], None),
        (24, [file(1, 2)], "met"),
        (24, [file(24, 99)], None),
        (24, [file(23.9, is_open=True), file(1, 2)], "met"),
        (24, [file(1)], None),
    ],
)
def test_latency_at_its_boundaries(hour: float, files: list[File], state: State | None) -> None:
    assert judged(QUICK, BEGIN + hour * HOUR, *files) == state


def test_latency_waits_for_files_that_are_not_decided() -> None:
    files = (file(23.9, is_open=True), file(1, 2))
    judgement = judge(QUICK, QUICK.period_of(BEGIN), Seen(files, LONG_AGO), BEGIN + 24 * HOUR)

    assert judgement.waits
    assert judged(QUICK, BEGIN + 5 * HOUR, file(1, 9), since=BEGIN + 2 * HOUR) is None


def test_latency_is_kept_by_a_file_that_is_judged_again() -> None:
    again = (file(1, 2, is_open=True),)

    assert judged(QUICK, BEGIN + 2.9 * HOUR, *again) == "met"
    assert judged(QUICK, BEGIN + 48 * HOUR, *again) == "met"
    assert judged(QUICK, BEGIN + 5 * HOUR, file(1, 3.1, is_open=True)) == "missed"


def test_latency_of_a_file_that_is_not_decided_after_the_wait_is_unknown() -> None:
    slow = replace(QUICK, span=Span(Decimal(3), "d"))
    files = (file(23, is_open=True), file(1, 2))

    assert judged(slow, BEGIN + 48 * HOUR, *files) == "unknown"
    assert judged(slow, BEGIN + 48 * HOUR, *files, file(-0.1)) == "unknown"
    assert judged(slow, BEGIN + 96 * HOUR, *files) == "missed"


@pytest.mark.parametrize(
    ("hour", "ready", "state"),
    [
        (7, None, None),
        (7.1, None, None),
        (15.21, None, "at_risk"),
        (17, None, "at_risk"),
        (17.001, None, "missed"),
        (18, 16, "met"),
        (18, 17, "met"),
        (18, 17.0001, "met"),
        (18, 17.001, "missed"),
        (18, 7.99, "missed"),
        (33, 17.001, "missed"),
    ],
)
def test_data_is_there_by_the_time_of_day(hour: float, ready: float | None, state: State | None) -> None:
    """A Saturday in the zone of the promise begins at 8 in UTC."""
    period = MORNING.period_of(BEGIN + 12 * HOUR)
    files = () if ready is None else (file(ready - 1, ready),)

    assert period.begin == BEGIN + 8 * HOUR
    assert judge(MORNING, period, Seen(files, LONG_AGO), BEGIN + hour * HOUR).state == state


def test_data_is_not_promised_on_other_days_or_before_the_promise() -> None:
    sunday = BEGIN + 36 * HOUR
    assert judge(MORNING, MORNING.period_of(sunday), Seen((), LONG_AGO), sunday + 24 * HOUR).state is None
    period = MORNING.period_of(BEGIN + 12 * HOUR)
    assert judge(MORNING, period, Seen((), BEGIN + 18 * HOUR), BEGIN + 34 * HOUR).state is None


def rows(read: int | None, valid: int = 0, *, name: str = "a.csv", hour: float = 1, state: str = "accepted") -> File:
    readable = BEGIN + (hour + 1) * HOUR if state == "accepted" else None
    return File(name, BEGIN + hour * HOUR, readable, state == "open", read, valid)


@pytest.mark.parametrize(
    ("hour", "files", "state"),
    [
        (24, [], None),
        (24, [rows(100, 99)], "met"),
        (24, [rows(1000, 989)], "missed"),
        (24, [rows(1000, 1000), rows(1000, 980, name="b.csv")], "met"),
        (24, [rows(100, 98, state="rejected")], "missed"),
        (24, [rows(None, state="rejected")], "unknown"),
        (24, [rows(100, 100), rows(None, state="rejected", name="b.csv")], "unknown"),
        (24, [rows(100, 98), rows(None, state="rejected", name="b.csv")], "missed"),
        (12, [rows(100, 100), rows(None, state="rejected", name="b.csv")], "at_risk"),
        (24, [rows(0)], None),
        (24, [rows(100, 0, hour=24)], None),
        (24, [rows(100, 100), rows(None, state="open")], None),
        (48, [rows(100, 100), rows(None, state="open")], "unknown"),
        (48, [rows(100, 98), rows(None, state="open")], "missed"),
        (48, [rows(100, 100), rows(100, 100, state="open")], "met"),
        (12, [rows(100, 100)], None),
        (12, [rows(1000, 991)], "at_risk"),
        (12, [rows(1000, 992)], None),
        (12, [rows(1000, 0)], "at_risk"),
    ],
)
def test_share_of_rejected_rows(hour: float, files: list[File], state: State | None) -> None:
    assert judged(RATE, BEGIN + hour * HOUR, *files) == state


@pytest.mark.parametrize(
    ("hour", "files", "state"),
    [
        (24, [], None),
        (24, [rows(100, 99)], "met"),
        (24, [rows(100, 98)], "missed"),
        (24, [rows(100, 100), rows(100, 99, name="b.csv", state="rejected")], "missed"),
        (24, [rows(100, 99, state="rejected"), rows(100, 100, hour=2)], "met"),
        (24, [rows(100, 100), rows(100, 99, hour=2, state="rejected")], "missed"),
        (24, [rows(100, 100), rows(None, name="b.csv", state="rejected")], "unknown"),
        (24, [rows(100, 98), rows(None, name="b.csv", state="rejected")], "missed"),
        (12, [rows(None, name="b.csv", state="rejected")], "at_risk"),
        (12, [rows(100, 50)], "at_risk"),
        (12, [rows(100, 0, state="open")], None),
        (47.9, [rows(100, 100), rows(None, name="b.csv", state="open")], None),
        (48, [rows(100, 100), rows(None, name="b.csv", state="open")], "unknown"),
        (48, [rows(100, 100), rows(100, 100, name="b.csv", state="open")], "unknown"),
        (48, [rows(100, 98), rows(None, name="b.csv", state="open")], "missed"),
    ],
)
def test_share_of_rows_that_consumers_have(hour: float, files: list[File], state: State | None) -> None:
    assert judged(WHOLE, BEGIN + hour * HOUR, *files) == state


@pytest.mark.parametrize("promise", [RATE, WHOLE], ids=lambda promise: promise.kind)
def test_rows_from_before_the_promise_are_in_no_share(promise: Promise) -> None:
    files = (rows(100, 50, hour=1), rows(100, 100, hour=3, name="b.csv"), rows(None, name="c.csv", state="rejected"))

    assert judged(promise, BEGIN + 24 * HOUR, *files) == "missed"
    assert judged(promise, BEGIN + 24 * HOUR, *files, since=BEGIN + 2 * HOUR) == "met"
    assert judged(promise, BEGIN + 24 * HOUR, *files, since=BEGIN + 4 * HOUR) is None


def test_share_of_a_window_is_of_its_days() -> None:
    """A day in Berlin on which clocks change is one of the window's days."""
    week = replace(RATE, window=Span(Decimal(7), "d"), zone="Europe/Berlin")
    period = week.period_of(datetime(2026, 3, 29, 12, tzinfo=UTC))
    first = datetime(2026, 3, 22, 23, tzinfo=UTC)
    bad = [replace(rows(100, 50), uploaded=at) for at in (first - SECOND, first)]
    states = [judge(week, period, Seen((each,), LONG_AGO), period.end).state for each in bad]

    assert week.reaches(period) == first
    assert states == [None, "missed"]
    assert not week.is_kept_by(RATE)
    assert week.is_kept_by(replace(week, percent=Decimal("0.5")))


def days_of(*counts: int) -> list[File]:
    """So many accepted files on each day of a week."""
    monday = -5 * 24
    return [
        rows(1, 1, name=f"{n}.csv", hour=monday + 24 * day + n) for day, many in enumerate(counts) for n in range(many)
    ]


@pytest.mark.parametrize(
    ("day", "counts", "state"),
    [
        (7, (2, 2, 2, 2, 2, 2, 2), "met"),
        (7, (2, 2, 2, 2, 2, 1), "met"),
        (7, (2, 2, 2, 2, 2), "missed"),
        (7, (9, 9, 9, 9, 9), "missed"),
        (7, (1, 1, 1, 2, 2, 2, 2), "met"),
        (7, (1, 1, 1, 1, 2, 2, 2), "missed"),
        (3, (2, 2, 2), None),
        (3, (2, 0, 2), None),
        (3, (1, 0, 2), "at_risk"),
        (3, (0, 0, 2), "at_risk"),
        (0.4, (), None),
    ],
)
def test_share_of_expected_files(day: float, counts: tuple[int, ...], state: State | None) -> None:
    period = FILES.period_of(BEGIN)
    assert judge(FILES, period, Seen(tuple(days_of(*counts)), LONG_AGO), period.begin + day * 24 * HOUR).state == state


def test_files_are_not_expected_before_the_promise() -> None:
    period = FILES.period_of(BEGIN)
    seen = Seen(tuple(days_of(0, 0, 2, 2, 2, 2, 2)), period.begin + 40 * HOUR)

    assert judge(FILES, period, seen, period.end).state == "met"
    assert judge(FILES, period, Seen((), period.end), period.end).state is None


@pytest.mark.parametrize("promise", [QUICK, MORNING, RATE, WHOLE, FILES], ids=lambda promise: promise.kind)
def test_period_that_was_not_read_whole_has_no_result(promise: Promise) -> None:
    period = promise.period_of(BEGIN)
    for at in (period.begin + HOUR, period.end + 48 * HOUR):
        assert judge(promise, period, Seen((), LONG_AGO, whole=False), at).state is None


@given(
    read=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=6),
    percent=st.integers(0, 1000).map(lambda tenths: Decimal(tenths) / 10),
)
def test_share_is_compared_exactly(read: list[tuple[int, int]], percent: Decimal) -> None:
    files = [rows(good + bad, good, name=f"{n}.csv") for n, (good, bad) in enumerate(read)]
    bad, every = sum(bad for _, bad in read), sum(good + bad for good, bad in read)
    rate = judged(Promise("r", "errorRate", percent=percent), BEGIN + 24 * HOUR, *files)
    whole = judged(Promise("c", "completeness", percent=percent), BEGIN + 24 * HOUR, *files)

    assert rate == (None if not every else "met" if 100 * bad <= percent * every else "missed")
    assert whole == (None if not every else "met" if 100 * (every - bad) >= percent * every else "missed")


def test_stricter_shares_and_times_of_day() -> None:
    assert RATE.is_kept_by(Promise("errorRate", "errorRate", percent=Decimal("0.5")))
    assert not RATE.is_kept_by(Promise("errorRate", "errorRate", percent=Decimal(2)))
    assert WHOLE.is_kept_by(Promise("completeness", "completeness", percent=Decimal(100)))
    assert not WHOLE.is_kept_by(Promise("completeness", "completeness", percent=Decimal(98)))
    assert not WHOLE.is_kept_by(Promise("completeness", "completeness", percent=Decimal(99), period=FILES.period))
    earlier = Promise("timeOfAvailability", "timeOfAvailability", by="08:59", days=("fri", "sat"), zone="-08:00")
    assert MORNING.is_kept_by(earlier)
    assert not earlier.is_kept_by(MORNING)


# ---- the age of what data says

FACTS = Promise("factDate", "factDate", Span(Decimal(10), "h"), element="day")


def fact(at: float | None, uploaded: float, readable: float | None = None) -> File:
    """An upload whose data reaches to some hour of the period."""
    reaches = None if at is None else BEGIN + at * HOUR
    return File("a.csv", BEGIN + uploaded * HOUR, None if readable is None else BEGIN + readable * HOUR, fact=reaches)


@pytest.mark.parametrize(
    ("hour", "files", "state"),
    [
        (9, [fact(0, 8, 8)], "at_risk"),
        (7.9, [fact(0, 7, 7)], "met"),
        (10, [fact(0, 8, 8)], "at_risk"),
        (10.01, [fact(0, 8, 8)], "missed"),
        (10.01, [fact(0, 8, 8), fact(1, 9, 11)], "missed"),
        (10.5, [fact(0, 8, 8), fact(1, 9, 9)], "at_risk"),
        (5, [fact(None, 4, 4)], "missed"),
        (5, [fact(3, 4)], "missed"),
        (13, [fact(99, 2, 2)], "missed"),
        (9, [fact(99, 2, 2)], "met"),
    ],
)
def test_age_of_facts_at_its_boundaries(hour: float, files: list[File], state: State | None) -> None:
    assert judged(FACTS, BEGIN + hour * HOUR, *files) == state


def test_classified_facts_are_not_shown() -> None:
    hidden = replace(FACTS, hides=True)
    figures = [
        judge(promise, promise.period_of(BEGIN), Seen((fact(1, 2, 2),), LONG_AGO), BEGIN + 3 * HOUR).figure
        for promise in (FACTS, hidden)
    ]
    assert ["2026-01-31" in figure for figure in figures] == [True, False]


@given(reaches=st.lists(st.floats(-20, 24), max_size=4), hour=st.floats(0, 60))
def test_no_figure_about_classified_facts_has_a_time(reaches: list[float], hour: float) -> None:
    hidden = replace(FACTS, hides=True)
    files = tuple(fact(at, at, at) for at in reaches)
    figure = judge(hidden, hidden.period_of(BEGIN), Seen(files, LONG_AGO, has_data=True), BEGIN + hour * HOUR).figure

    assert "20" not in figure
