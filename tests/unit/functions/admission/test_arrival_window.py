"""Files that come early, late, on another day or not at all, and the notices of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from contracts.errors import DocumentInvalid
from contracts.plan import Plan
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from functions.operations.override import accept
from functions.ports.expected_files import Absence
from functions.schedule.missing_files import MOST_MISSING
from functions.schedule.reconcile import reconcile
from tests.builders import World, a_plan, a_world
from tests.faults import Passing, Stalled

GOOD = b"id,note\n1,a\n"
BERLIN = Arrival("02:30", "02:15", zone="Europe/Berlin")


def a_window(by: str = "11:00", **changes: object) -> Plan:
    """A contract whose files come by some time of the world's day, a Saturday at noon."""
    return a_plan(arrival=Arrival(by, **changes))  # type: ignore[arg-type]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("wanted", "moment", "how"),
    [
        (Arrival("06:00", "04:00"), "2026-01-31 03:59:59", "early"),
        (Arrival("06:00", "04:00"), "2026-01-31 04:00:00", None),
        (Arrival("06:00", "04:00"), "2026-01-31 06:00:00.9", None),
        (Arrival("06:00", "04:00"), "2026-01-31 06:00:01", "late"),
        (Arrival("06:00", days=("mon", "fri")), "2026-01-31 05:00:00", "other-day"),
        (Arrival("24:00"), "2026-01-31 23:59:59", None),
        (Arrival("06:00", "04:00", zone="America/Sao_Paulo"), "2026-01-31 06:59:59", "early"),
        (Arrival("06:00", days=("fri",), zone="America/Sao_Paulo"), "2026-01-31 02:00:00", "late"),
        (Arrival("06:00", days=("sat",), zone="America/Sao_Paulo"), "2026-01-31 02:00:00", "other-day"),
    ],
)
def test_window_is_one_of_the_local_day(wanted: Arrival, moment: str, how: str | None) -> None:
    assert wanted.outside_of(at(moment)) == how


def test_time_that_the_clocks_skip_comes_all_the_same() -> None:
    day = date(2026, 3, 29)

    assert (BERLIN.opens(day), BERLIN.closes(day)) == (at("2026-03-29 01:15"), at("2026-03-29 01:30"))
    assert BERLIN.outside_of(at("2026-03-29 01:20")) is None


def test_time_that_comes_twice_counts_from_the_first_to_the_second() -> None:
    day = date(2026, 10, 25)

    assert (BERLIN.opens(day), BERLIN.closes(day)) == (at("2026-10-25 00:15"), at("2026-10-25 01:30"))


def test_every_day_has_one_deadline_whatever_its_length() -> None:
    for first in (date(2026, 3, 28), date(2026, 10, 24)):
        begin = BERLIN.begins(first)
        deadlines = list(BERLIN.deadlines(begin, begin + timedelta(days=3)))
        assert [day for day, _ in deadlines] == [first + timedelta(days=n) for n in range(3)]
        for day, end in deadlines:
            assert list(BERLIN.deadlines(end - timedelta(seconds=1), end)) == [(day, end)]
            assert list(BERLIN.deadlines(end, end + timedelta(hours=20))) == []


def test_file_in_time_is_told_nothing() -> None:
    world = a_world([a_window("13:00")])
    drop = world.upload("orders/1.csv", GOOD)

    assert world.finish()[drop].state == "accepted"


@pytest.mark.parametrize(
    ("window", "code"),
    [
        (a_window("11:00"), "arrived-late"),
        (a_window("23:00", since="13:00"), "arrived-early"),
        (a_window("13:00", days=("mon",)), "arrived-other-day"),
    ],
)
def test_file_at_another_time_is_warned_of_from_the_door_on(window: Plan, code: str) -> None:
    world = a_world([window])
    drop = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    first = world.drop(drop)
    last = world.finish()[drop]

    assert [(first.state, [p.code for p in first.problems])] == [("staged", [code])]
    assert [(last.state, [p.code for p in last.problems])] == [("accepted_with_warnings", [code])]
    assert {step.problem for step in world.ledger.history(drop)[1:]} == {code}
    assert code.encode() in world.store.get(last.receipt or "")


def test_file_at_another_time_is_rejected_where_the_contract_says_so() -> None:
    world = a_world([a_window(outside="reject")])
    drop = world.upload("orders/1.csv", GOOD)
    ended = world.finish()[drop]

    assert (ended.state, [p.code for p in ended.problems]) == ("rejected", ["arrived-late"])
    assert "by 11:00" in ended.problems[0].message
    accept(world.ports, ended, "ann", "they called")
    assert world.finish()[drop].state == "accepted_with_warnings"


# -------------------------------------------------------------------- missing


def missing(world: World) -> list[tuple[str, str, int]]:
    """Return the absences of January and February: day, state, and how many files came."""
    months = ("2026-01", "2026-02")
    return [(a.day, a.state, a.came) for m in months for a in world.ledger.absences("orders.v1", m)]


def pass_hours(world: World, hours: float) -> None:
    """Let time pass, and the schedule come at its end."""
    world.clock.pass_seconds(3600 * hours)
    world.reconcile()


def a_watched_world(*plans: Plan) -> World:
    """A world in which the schedule has run once."""
    world = a_world(plans)
    world.reconcile()
    return world


def test_what_has_not_come_is_missing_once() -> None:
    world = a_watched_world(a_window("13:00"))
    pass_hours(world, 0.5)
    assert missing(world) == []
    for _ in range(3):
        pass_hours(world, 0.5)

    assert missing(world) == [("2026-01-31", "missing", 0)]
    assert world.ledger.absences("orders.v1", "2026-01")[0].due_at == "2026-01-31T13:00:00.000000Z"


def test_what_came_is_not_missing() -> None:
    world = a_watched_world(a_window("13:00"))
    world.upload("orders/header.csv", b"ID\n")
    world.finish()
    pass_hours(world, 2)

    assert missing(world) == []


def test_several_uploads_of_a_key_are_one_file() -> None:
    world = a_watched_world(a_window("13:00", files=2))
    for name in ("a", "a", "a"):
        world.upload(f"orders/{name}.csv", GOOD)
    world.upload("order/b.csv", GOOD)
    world.finish()
    pass_hours(world, 2)

    assert missing(world) == [("2026-01-31", "missing", 1)]


@pytest.mark.parametrize(
    "rule",
    [
        SetRule(("day",), 24 * 3600, marker="orders/{day}/all.json"),
        SetRule(("day",), 24 * 3600, manifest="orders/{day}/all.json"),
    ],
    ids=["marker", "manifest"],
)
def test_what_tells_of_files_is_none_that_came(rule: SetRule) -> None:
    window = a_window("13:00", files=2)
    world = a_watched_world(a_plan(files=("orders/{day}/*",), set=rule, arrival=window.arrival))
    for name, body in (("31/all.json", b'{"files": [{"name": "a.csv"}]}'), ("31/a.csv", GOOD), ("30/all.json", b"{")):
        world.upload(f"orders/{name}", body)
    world.finish()
    pass_hours(world, 2)
    assert missing(world) == [("2026-01-31", "missing", 1)]

    world.upload("orders/31/b.csv", GOOD)
    world.finish()
    assert missing(world) == [("2026-01-31", "arrived", 2)]


def test_drop_that_cannot_be_read_stops_no_roll_call() -> None:
    world = a_watched_world(a_window("13:00"), a_plan("other.v1", ("other/*.csv",), arrival=Arrival("13:00")))
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    world.ledger.unreadable.add(drop)
    world.clock.pass_seconds(5400)
    troubles = [trouble.what for trouble in reconcile(world.ports)]
    absences = [one for contract in ("orders.v1", "other.v1") for one in world.ledger.absences(contract, "2026-01")]

    assert troubles == [f"item D#{drop}"]
    assert [(one.contract, one.state) for one in absences] == [("orders.v1", "missing"), ("other.v1", "missing")]
    world.ledger.unreadable.clear()
    world.reconcile()
    assert [one.state for one in world.ledger.absences("orders.v1", "2026-01")] == ["arrived"]


@pytest.mark.parametrize("text", ["yesterday", "0001-01-01T00:00:00.000000Z"])
def test_drop_that_came_at_no_time_stops_no_roll_call(text: str) -> None:
    sao_paulo = Arrival("10:00", zone="America/Sao_Paulo")
    world = a_watched_world(a_plan(arrival=sao_paulo), a_plan("other.v1", ("other/*.csv",), arrival=sao_paulo))
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    world.ledger._drops[drop] = replace(world.drop(drop), uploaded_at=text)
    world.clock.pass_seconds(5400)
    troubles = [trouble.what for trouble in reconcile(world.ports, caught=Exception)]
    absences = [one for contract in ("orders.v1", "other.v1") for one in world.ledger.absences(contract, "2026-01")]

    assert troubles == [f"item of drop {drop}"]
    assert [(one.contract, one.state) for one in absences] == [("orders.v1", "missing"), ("other.v1", "missing")]


def test_later_file_of_the_day_ends_it() -> None:
    world = a_watched_world(a_window("13:00"))
    pass_hours(world, 2)
    drop = world.upload("orders/a.csv", GOOD)
    world.finish()

    assert missing(world) == [("2026-01-31", "arrived", 1)]
    assert [p.code for p in world.drop(drop).problems] == ["arrived-late"]
    assert world.ledger.roll_call().missing == ()


def test_file_of_the_next_day_ends_nothing() -> None:
    world = a_watched_world(a_window("13:00"))
    pass_hours(world, 13)
    world.upload("orders/a.csv", GOOD)
    world.finish()
    pass_hours(world, 14)

    assert missing(world) == [("2026-01-31", "missing", 0)]
    assert world.ledger.roll_call().missing == ()


def test_days_without_files_and_windows_of_before_are_nobodys_fault() -> None:
    world = a_watched_world(a_window("11:00", days=("sat", "mon")))
    pass_hours(world, 72)

    assert missing(world) == [("2026-02-02", "missing", 0)]


def test_contract_that_is_new_owes_nothing_for_the_past() -> None:
    world = a_watched_world(a_window("11:00", days=("mon",)))
    pass_hours(world, 1)
    world.publish([a_window("12:30")])
    pass_hours(world, 1)

    assert missing(world) == []


def test_days_on_which_nobody_looked_are_told_later() -> None:
    world = a_watched_world(a_window("13:00"))
    pass_hours(world, 24 * 20)

    assert [day for day, *_ in missing(world)] == [f"2026-02-{n:02}" for n in range(13, 20)]


def test_hundreds_of_windows_end_at_once() -> None:
    plans = [a_plan(f"c{n:03}.v1", (f"c{n}/*.csv",), arrival=Arrival("13:00")) for n in range(130)]
    world = a_watched_world(*plans)
    world.upload("c7/a.csv", GOOD)
    world.finish()
    pass_hours(world, 2)
    contracts = [c.contract for c in plans if world.ledger.absences(c.contract, "2026-01")]

    assert contracts == [c.contract for c in plans if c.contract != "c007.v1"]
    assert len(world.ledger.roll_call().missing) == 129 < MOST_MISSING


def test_two_schedules_at_once_tell_it_once() -> None:
    world = a_watched_world(a_window("13:00"))
    absences: list[Absence] = []
    write = world.ledger.write

    class Racing(Passing):
        """A ledger before whose every write somebody else comes."""

        def write(self, moves: object, *beside: object) -> None:
            if not absences:
                absences.extend(one for one in beside if isinstance(one, Absence))
                write(moves, *beside)  # type: ignore[arg-type]
            write(moves, *beside)  # type: ignore[arg-type]

    world.with_ports(lambda port: Racing(world.ledger) if port is world.ledger else port)
    pass_hours(world, 2)

    assert missing(world) == [("2026-01-31", "missing", 0)]
    assert world.ledger.absences("orders.v1", "2026-01")[0].version == 1


@pytest.mark.parametrize("came", [False, True])
@pytest.mark.parametrize("by", ["14:30", "24:00"])
def test_deadline_that_moves_is_told_once_and_holds_up_no_other(by: str, came: bool) -> None:
    other = a_plan("other.v1", ("other/*.csv",), arrival=Arrival("15:00"))
    world = a_watched_world(a_window("13:00"), other)
    pass_hours(world, 1.5)
    if came:
        world.upload("orders/a.csv", GOOD)
        world.finish()
    world.publish([a_window(by, files=2), other])
    pass_hours(world, 12)
    state = ("2026-01-31", "arrived", 1) if came else ("2026-01-31", "missing", 0)

    assert missing(world) == [state]
    assert [a.day for a in world.ledger.absences("other.v1", "2026-01")] == ["2026-01-31"]
    pass_hours(world, 24)
    assert missing(world) == [state, ("2026-02-01", "missing", 0)]


def test_absence_that_cannot_be_read_stops_no_roll_call() -> None:
    world = a_watched_world(a_window("13:00"), a_plan("other.v1", ("other/*.csv",), arrival=Arrival("13:30")))
    world.clock.pass_seconds(7200)
    unreadable = Stalled(world.ledger, "absences", lambda: None, after=DocumentInvalid("ledger item: format 2"))
    troubles = [trouble.what for trouble in reconcile(replace(world.ports, ledger=unreadable))]

    assert troubles == ["item of the absences of orders.v1 in 2026-01"]
    assert [one.state for one in world.ledger.absences("other.v1", "2026-01")] == ["missing"]


def test_no_look_where_no_contract_has_a_window() -> None:
    world = a_watched_world(a_plan())

    assert world.ledger.roll_call().version == 0
