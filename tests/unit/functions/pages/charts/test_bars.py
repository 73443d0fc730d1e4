"""Bars over time and calendars: heights fit their values, and weeks begin on Monday."""

from __future__ import annotations

from datetime import UTC, date, datetime

from contracts.terms.arrival import Arrival
from functions.operations.arrivals import arrival_days, awaited
from functions.pages.charts.bars import HEIGHT, LEAST, bar_chart
from functions.pages.charts.calendar import SIGNS, weeks
from functions.ports.expected_files import Absence
from tests.builders import a_drop

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_highest_bar_is_of_full_height() -> None:
    chart = bar_chart([(30, 10, "a"), (20, 0, "b")])
    assert chart.highest == 40
    assert [(bar.height, bar.above, bar.y) for bar in chart.bars] == [(75, 25, 25), (50, 0, 50)]


def test_small_values_can_be_seen_and_nothing_has_no_bar() -> None:
    chart = bar_chart([(1000, 0, "a"), (1, 0, "b"), (0, 0, "c"), (None, 0, "d")])
    assert [(bar.x, bar.height) for bar in chart.bars] == [(1, HEIGHT), (11, LEAST), (21, 0)]
    assert bar_chart([]).bars == ()


def test_bars_never_leave_the_drawing() -> None:
    (bar,) = bar_chart([(100_000, 1, "a")]).bars
    assert bar.height + bar.above == HEIGHT
    assert bar.y - bar.above == 0


def test_weeks_begin_on_monday_and_have_seven_days() -> None:
    months = (arrival_days(month, None, [], [], NOW) for month in ("2026-01", "2026-02", "2024-02"))
    for days in months:
        for week in weeks(days):
            assert len(week) == 7
            assert [day.day.weekday() for day in week if day] == [at for at, day in enumerate(week) if day]
    assert weeks([]) == []


def test_day_is_that_of_the_window() -> None:
    late = a_drop(uploaded_at="2026-01-05T23:30:00.000000Z", state="accepted")
    own = {day.day: day.files for day in arrival_days("2026-01", Arrival("09:00", zone="Asia/Tokyo"), [late], [], NOW)}
    utc = {day.day: day.files for day in arrival_days("2026-01", None, [late], [], NOW)}
    assert own[date(2026, 1, 6)] == utc[date(2026, 1, 5)] == 1


def test_each_state_of_a_day() -> None:
    at = {n: f"2026-01-{n:02}T08:00:00.000000Z" for n in range(1, 32)}
    states = {
        2: ("accepted",),
        5: ("rejected",),
        6: ("accepted", "rejected"),
        13: ("failed",),
        7: ("staged",),
        8: ("superseded",),
        9: ("accepted",),
    }
    drops = [a_drop(uploaded_at=at[day], state=state) for day, each in states.items() for state in each]
    late = Absence("orders.v1", "2026-01-09", 1, 0, at[9], at[9], at[9], "arrived")
    absences = [late, Absence("orders.v1", "2026-01-12", 1, 0, at[12], at[12], at[12])]
    days = arrival_days("2026-01", Arrival("09:00"), drops, absences, datetime(2026, 1, 30, 1, tzinfo=UTC))
    by_day = {day.day.day: day.state for day in days}

    assert {n: by_day[n] for n in (1, 2, 5, 6, 7, 8, 9, 12, 13, 30)} == {
        1: "nothing expected",
        2: "arrived",
        5: "rejected",
        6: "partly rejected",
        7: "under way",
        8: "nothing expected",
        9: "late",
        12: "missing",
        13: "failed",
        30: "to come",
    }
    assert set(by_day.values()) <= set(SIGNS)


def test_files_are_to_come_until_they_came_or_their_window_is_over() -> None:
    evening = Arrival("18:00", zone="Asia/Tokyo", files=2)  # until 09:00 UTC
    early = datetime(2026, 1, 31, 3, tzinfo=UTC)
    first, yesterday, second = (
        ("a.csv", "2026-01-30T15:00:00.000000Z"),
        ("b.csv", "2026-01-30T14:59:59.000000Z"),
        ("c.csv", "2026-01-31T02:00:00.000000Z"),
    )

    files = awaited("orders.v1", evening, [first, first, yesterday], early)
    assert files
    assert (files.day, files.came, files.files, files.due_at) == (
        date(2026, 1, 31),
        1,
        2,
        "2026-01-31T09:00:00.000000Z",
    )
    assert awaited("orders.v1", evening, [first, second], early) is None
    assert awaited("orders.v1", evening, [], datetime(2026, 1, 31, 9, 0, 1, tzinfo=UTC)) is None
    assert awaited("orders.v1", Arrival("18:00", days=("mon",)), [], early) is None
