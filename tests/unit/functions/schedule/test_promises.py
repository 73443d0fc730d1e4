"""Promises over time as the schedule holds them: states, results of periods, and one event for each change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import DocumentInvalid, ServiceUnavailable, StaleWrite
from contracts.plan import Property
from contracts.terms.promises import Kind, Promise, State
from contracts.terms.spans import Span
from contracts.watermarks import HighMark
from functions.drop import Location
from functions.operations.override import reject
from functions.operations.replay import replay
from functions.ports import Ports
from functions.ports.clock import moment
from functions.schedule.reconcile import Trouble, reconcile
from tests.builders import ZONES, Judge, World, a_plan, a_world, all_good, one_bad

GOOD = b"id,note\n1,a\n"


def fresh(hours: int = 24) -> Promise:
    return Promise("loadDate", "loadDate", Span(Decimal(hours), "h"))


def often(count: int = 1, unit: str = "d") -> Promise:
    span = Span(Decimal(count), unit)  # type: ignore[arg-type]
    return Promise("frequency" if count == 1 else f"frequency-{count}", "frequency", span, period=span)


def shares(kind: Kind, percent: int) -> Promise:
    return Promise(kind, kind, percent=Decimal(percent))


def a_promising_world(*promises: Promise) -> World:
    """A world whose orders have promises, after the first run of the schedule: Saturday, a bit past noon."""
    world = a_world([a_plan(promises=promises)])
    world.reconcile()
    return world


def pass_hours(world: World, hours: float) -> None:
    """Let time pass, and the schedule come each half hour."""
    end = world.clock.now() + timedelta(hours=hours)
    while (left := end - world.clock.now()) > timedelta():
        world.clock.pass_seconds(min(left.total_seconds(), 1800))
        reconcile(world.ports)
        reconcile(world.ports)


def accepted(world: World, name: str = "orders/1.csv") -> None:
    world.upload(name, GOOD)
    world.finish()


def state(world: World, promise: str) -> State:
    standing = world.ledger.standing("orders.v1")
    assert standing
    return next(held.state for held in standing.promises if held.name == promise)


def marks(world: World, promise: str) -> list[State | None]:
    """Return the results of all periods, the oldest first."""
    return [one.state for one in reversed(world.ledger.periods("orders.v1", promise, 99))]


def told(world: World) -> list[str]:
    return [f"{e.data.promise.name} {e.data.state}" for e in world.ledger.events if e.data.promise]


def test_data_grows_old_without_a_file_having_to_come() -> None:
    world = a_promising_world(fresh())
    assert state(world, "loadDate") == "unknown"

    accepted(world)
    pass_hours(world, 1)
    assert state(world, "loadDate") == "met"
    pass_hours(world, 19)
    assert state(world, "loadDate") == "at_risk"
    pass_hours(world, 5)
    assert state(world, "loadDate") == "missed"
    accepted(world, "orders/2.csv")
    pass_hours(world, 1)

    assert told(world) == ["loadDate met", "loadDate at_risk", "loadDate missed", "loadDate met"]
    assert marks(world, "loadDate") == ["met"]
    pass_hours(world, 24)
    assert marks(world, "loadDate") == ["met", "missed"]


def test_contract_that_never_had_data_is_unknown_and_then_missed() -> None:
    world = a_promising_world(fresh(hours=30))

    pass_hours(world, 29)
    assert (state(world, "loadDate"), marks(world, "loadDate")) == ("unknown", [None])
    pass_hours(world, 2)
    assert (state(world, "loadDate"), told(world)) == ("missed", ["loadDate missed"])


def test_refused_files_are_no_data() -> None:
    world = a_promising_world(fresh(hours=2), often())
    world.upload("orders/1.csv", b"order\n1\n")
    world.finish()

    pass_hours(world, 13)
    assert (state(world, "loadDate"), state(world, "frequency")) == ("missed", "unknown")
    pass_hours(world, 24)
    assert (state(world, "frequency"), marks(world, "frequency")) == ("missed", [None, "missed"])


def test_first_period_that_began_before_the_promise_is_not_missed() -> None:
    world = a_promising_world(often())

    pass_hours(world, 13)
    assert (state(world, "frequency"), marks(world, "frequency"), told(world)) == ("unknown", [None], [])
    pass_hours(world, 20)
    assert state(world, "frequency") == "at_risk"
    accepted(world)
    pass_hours(world, 6)
    assert (state(world, "frequency"), marks(world, "frequency")) == ("met", [None, "met"])


def test_file_that_is_not_decided_yet_delays_the_result() -> None:
    world = a_promising_world(often())
    pass_hours(world, 35)
    world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    pass_hours(world, 2)
    assert (state(world, "frequency"), marks(world, "frequency")) == ("at_risk", [None])

    world.finish()
    pass_hours(world, 1)
    assert (state(world, "frequency"), marks(world, "frequency")) == ("met", [None, "met"])
    assert told(world) == ["frequency at_risk", "frequency met"]


def test_outage_of_the_schedule_is_made_up_for() -> None:
    world = a_promising_world(fresh(), often())
    accepted(world)
    pass_hours(world, 1)
    world.clock.pass_seconds(3 * 86400)
    accepted(world, "orders/2.csv")
    pass_hours(world, 1)

    assert marks(world, "loadDate") == ["met", "missed", "missed"]
    assert marks(world, "frequency") == ["met", "missed", "missed"]
    assert (state(world, "loadDate"), state(world, "frequency")) == ("met", "met")


def test_very_long_outage_leaves_out_older_periods() -> None:
    world = a_promising_world(often())
    world.clock.pass_seconds(200 * 86400)
    pass_hours(world, 6)

    assert 30 <= len(marks(world, "frequency")) <= 32


def test_withdrawn_data_is_no_data_any_more() -> None:
    world = a_promising_world(fresh(hours=48))
    accepted(world)
    pass_hours(world, 1)
    assert state(world, "loadDate") == "met"
    (drop,) = world.drops().values()
    reject(world.ports, drop, "ann", "recalled")
    world.finish()
    pass_hours(world, 1)

    assert state(world, "loadDate") == "missed"


def test_replayed_file_is_as_old_as_it_was() -> None:
    world = a_promising_world(fresh())
    accepted(world)
    pass_hours(world, 20)
    (drop,) = world.drops().values()
    replay(world.ports, drop.id, retract=True)
    world.finish()
    pass_hours(world, 5)

    assert (state(world, "loadDate"), marks(world, "loadDate")) == ("missed", ["met"])


def test_changed_promise_begins_anew_and_another_version_of_the_contract_does_not() -> None:
    world = a_promising_world(fresh(hours=48), often())
    accepted(world)
    pass_hours(world, 1)
    before = world.ledger.standing("orders.v1")
    world.publish([a_plan(promises=(fresh(hours=72), often()), version="1.1.0")])
    world.reconcile()
    after = world.ledger.standing("orders.v1")

    assert before
    assert after
    assert after.promises[0].since > before.promises[0].since
    assert after.promises[1].since == before.promises[1].since
    assert told(world) == ["loadDate met", "frequency met", "loadDate met"]


def test_contract_without_promises_is_left_alone_and_begins_anew_when_it_has_some_again() -> None:
    other = a_plan("other.v1", ("other/*.csv",), promises=(often(),))
    world = a_world([a_plan(promises=(often(),)), other])
    world.reconcile()
    world.publish([a_plan(), other])
    pass_hours(world, 72)
    gone = world.ledger.standing("orders.v1")
    world.publish([a_plan(promises=(often(),)), other])
    pass_hours(world, 1)

    assert gone
    assert (gone.look_at, gone.promises) == (None, ())
    assert (state(world, "frequency"), marks(world, "frequency")) == ("unknown", [])


def test_last_contract_with_promises_is_left_alone_too_when_it_has_none_any_more() -> None:
    world = a_promising_world(often())
    accepted(world)
    pass_hours(world, 1)
    assert state(world, "frequency") == "met"
    world.publish([a_plan()])
    pass_hours(world, 1)
    gone = world.ledger.standing("orders.v1")
    world.publish([a_plan(promises=(often(),))])
    pass_hours(world, 13)

    assert gone
    assert (gone.look_at, gone.promises) == (None, ())
    assert (state(world, "frequency"), marks(world, "frequency")) == ("met", ["met"])


class Refusing:
    """A port one call of which fails for some of its first arguments."""

    def __init__(self, port: object, call: str, error: Exception, only: Callable[[object], bool]) -> None:
        self._port, self._call, self._error, self._only = port, call, error, only
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        true = getattr(self._port, name)
        if name != self._call:
            return true

        def call(first: object, *more: object) -> object:
            self.calls += 1
            if self._only(first):
                raise self._error
            return true(first, *more)

        return call


@pytest.mark.parametrize("error", [ServiceUnavailable("S3 refused"), DocumentInvalid("odd"), ValueError("odd")])
def test_contract_that_cannot_be_judged_holds_up_no_other(error: Exception) -> None:
    plans = [a_plan(f"{name}.v1", (f"{name}/*.csv",), promises=(often(),)) for name in ("bad", "orders")]
    world = a_world(plans)
    world.reconcile()
    ledger = Refusing(world.ledger, "received", error, lambda contract: contract == "bad.v1")
    ports = replace(world.ports, ledger=ledger)
    troubles: list[Trouble] = []
    for _ in range(40):
        world.clock.pass_seconds(3600)
        troubles += reconcile(ports, caught=Exception)

    assert state(world, "frequency") == "missed"
    assert {trouble.what for trouble in troubles} == {"promises of bad.v1"}
    bad = world.ledger.standing("bad.v1")
    assert bad
    assert (bad.look_at or "") > world.clock.stamp()


def test_drop_whose_history_cannot_be_read_holds_up_no_promise() -> None:
    world = a_promising_world(fresh(), often())
    accepted(world)
    (drop,) = world.drops().values()
    replay(world.ports, drop.id, retract=True)
    world.finish()
    ledger = Refusing(world.ledger, "history", DocumentInvalid("odd"), lambda _: True)
    accepted(world, "orders/2.csv")
    world.clock.pass_seconds(3600)
    troubles = reconcile(replace(world.ports, ledger=ledger))

    assert (state(world, "loadDate"), state(world, "frequency")) == ("met", "met")
    assert [trouble.what for trouble in troubles] == [f"item of drop {drop.id}"]


def test_history_of_a_drop_is_read_once_in_a_look() -> None:
    world = a_promising_world(fresh(), often(), shares("errorRate", 10), shares("completeness", 90))
    accepted(world)
    (drop,) = world.drops().values()
    replay(world.ports, drop.id, retract=True)
    world.finish()
    ledger = Refusing(world.ledger, "history", DocumentInvalid("odd"), lambda _: False)
    world.clock.pass_seconds(3600)
    reconcile(replace(world.ports, ledger=ledger))

    assert ledger.calls == 1


def test_run_without_time_left_judges_the_others_in_the_next() -> None:
    plans = [a_plan(f"c{n}.v1", (f"c{n}/*.csv",), promises=(fresh(),)) for n in range(9)]
    world = a_world(plans)

    def slow(_: object) -> bool:
        world.clock.pass_seconds(100)
        return False

    ports = replace(world.ports, ledger=Refusing(world.ledger, "received", ValueError(), slow))
    judged = []
    for _ in range(3):
        reconcile(ports)
        judged.append(
            sum(bool(one and one.judged_at) for one in map(world.ledger.standing, [p.contract for p in plans]))
        )

    assert judged == [3, 6, 9]


def test_no_call_is_made_without_promises() -> None:
    world = a_world()
    world.reconcile()

    assert world.ledger.enrolment().version == 0


def test_many_contracts_are_enrolled_and_judged_by_turns() -> None:
    plans = [a_plan(f"c{n}.v1", (f"c{n}/*.csv",), promises=(fresh(),)) for n in range(120)]
    world = a_world(plans)
    for _ in range(4):
        world.reconcile()

    standings = [world.ledger.standing(plan.contract) for plan in plans]
    assert all(standing and standing.judged_at for standing in standings)
    assert world.ledger.enrolment().upto == ""


def test_clock_that_goes_back_changes_nothing() -> None:
    world = a_promising_world(often())
    pass_hours(world, 40)
    before = (marks(world, "frequency"), state(world, "frequency"), told(world))
    world.clock.pass_seconds(-86400 * 2)
    pass_hours(world, 12)

    assert (marks(world, "frequency"), state(world, "frequency"), told(world)) == before


def test_second_of_two_runs_writes_nothing() -> None:
    world = a_promising_world(often())
    read = world.ledger.standing("orders.v1")
    assert read
    world.ledger.write((), read)
    with pytest.raises(StaleWrite):
        world.ledger.write((), read)


def test_file_that_is_not_judged_in_time_is_late_before_it_comes() -> None:
    world = a_promising_world(Promise("latency", "latency", Span(Decimal(2), "h")))
    world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    pass_hours(world, 1.8)
    assert state(world, "latency") == "at_risk"
    pass_hours(world, 1)
    assert state(world, "latency") == "missed"
    world.finish()
    pass_hours(world, 10)
    accepted(world, "orders/2.csv")
    pass_hours(world, 1)

    assert (state(world, "latency"), marks(world, "latency")) == ("met", ["missed"])
    assert told(world) == ["latency at_risk", "latency missed", "latency met"]


def test_data_that_is_not_there_by_the_time_of_day_is_missed() -> None:
    world = a_promising_world(Promise("at", "timeOfAvailability", by="09:00", zone="Europe/Berlin"))
    pass_hours(world, 11 + 8)
    assert (state(world, "at"), marks(world, "at")) == ("at_risk", [None])
    pass_hours(world, 1.5)
    assert state(world, "at") == "missed"
    accepted(world)
    pass_hours(world, 15)

    assert (state(world, "at"), marks(world, "at")) == ("missed", [None, "missed"])


def test_shares_of_rows_have_a_result_at_the_end_of_a_period() -> None:
    world = a_promising_world(shares("errorRate", 10), shares("completeness", 90))
    accepted(world)
    pass_hours(world, 13)
    assert (marks(world, "errorRate"), marks(world, "completeness")) == (["met"], ["met"])
    world.upload("orders/2.csv", b"id,note\n1,a\n,b\n")
    world.finish(one_bad)
    pass_hours(world, 24)

    assert (marks(world, "errorRate"), marks(world, "completeness")) == (["met", "missed"], ["met", "missed"])
    assert sorted(told(world)[2:]) == [
        *("completeness at_risk", "completeness missed"),
        *("errorRate at_risk", "errorRate missed"),
    ]


def test_corrected_file_takes_the_place_of_the_refused_one() -> None:
    world = a_promising_world(shares("completeness", 100))
    world.upload("orders/1.csv", b"order\n1\n")
    world.finish()
    pass_hours(world, 1)
    assert state(world, "completeness") == "at_risk"
    accepted(world)
    pass_hours(world, 12)

    assert (state(world, "completeness"), marks(world, "completeness")) == ("met", ["met"])


def test_rows_that_nobody_counted_are_not_called_complete() -> None:
    world = a_promising_world(shares("completeness", 50))
    accepted(world)
    pass_hours(world, 13)
    world.upload("orders/2.csv", b"order\n1\n")
    world.finish()
    pass_hours(world, 24)

    assert (state(world, "completeness"), marks(world, "completeness")) == ("unknown", ["met", "unknown"])


def test_expected_files_are_counted_by_day() -> None:
    promise = Promise("files", "fileCompleteness", percent=Decimal(100), by="18:00", files=2)
    world = a_promising_world(promise)
    accepted(world)
    accepted(world, "orders/2.csv")
    pass_hours(world, 13)
    accepted(world, "orders/1.csv")
    pass_hours(world, 24)

    assert marks(world, "files") == ["met", "missed"]


def test_data_of_old_facts_is_old_however_new_its_files() -> None:
    promise = Promise("factDate", "factDate", Span(Decimal(36), "h"), element="day", zone="Europe/Berlin")
    day = Property("day", "date")
    plan = a_plan(promises=(promise,))
    world = a_world([replace(plan, properties=(*plan.properties, day))])
    world.reconcile()

    def of(day: int) -> Judge:
        mark = HighMark("day", "date", Decimal((date(2026, 1, day) - date(1970, 1, 1)).days))
        return lambda plan, drop: replace(all_good(plan, drop), marks=(mark,))

    world.upload("orders/1.csv", b"id,note,day\n1,a,2026-01-30\n")
    world.finish(of(30))
    pass_hours(world, 0.5)
    assert state(world, "factDate") == "unknown"  # it was too old before anything was promised
    world.upload("orders/2.csv", b"id,note,day\n1,a,2026-01-31\n")
    world.finish(of(31))
    pass_hours(world, 1)
    assert state(world, "factDate") == "met"
    pass_hours(world, 22)

    assert (state(world, "factDate"), marks(world, "factDate")) == ("missed", ["met"])
    assert world.ledger.watermarks("orders.v1").marks == ()


def test_data_that_is_gone_too_soon_is_missed() -> None:
    world = a_promising_world(Promise("retention", "retention", Span(Decimal(2), "d")))
    accepted(world)
    (drop,) = world.drops().values()
    pass_hours(world, 1)
    assert (state(world, "retention"), marks(world, "retention")) == ("unknown", [])
    pass_hours(world, 36)
    assert (state(world, "retention"), marks(world, "retention")) == ("met", [None, "met"])
    accepted(world, "orders/2.csv")
    pass_hours(world, 30)
    assert (state(world, "retention"), marks(world, "retention")) == ("met", [None, "met", None])
    second = next(one for one in world.drops().values() if one.id != drop.id)
    assert second.promoted
    world.store.delete(Location(f"{ZONES.promoted}{second.promoted.key}"))
    pass_hours(world, 1)

    assert state(world, "retention") == "missed"


def test_newer_upload_under_the_same_key_does_not_keep_data_and_does_not_lose_it() -> None:
    world = a_promising_world(Promise("retention", "retention", Span(Decimal(4), "d")))
    for n in range(7):
        world.upload("orders/latest.csv", b"id,note\n%d,a\n" % n)
        world.finish()
        pass_hours(world, 24)

    standing = world.ledger.standing("orders.v1")
    assert standing
    assert (state(world, "retention"), set(marks(world, "retention"))) == ("unknown", {None})
    assert standing.promises[0].figure == "newer uploads took the place of what is that old"


def test_files_with_a_newer_upload_hide_no_file_that_is_gone() -> None:
    world = a_promising_world(Promise("retention", "retention", Span(Decimal(4), "d")))
    accepted(world, "orders/gone.csv")
    (drop,) = world.drops().values()
    assert drop.promoted
    for n in range(6):
        accepted(world, f"orders/{n}.csv")
    pass_hours(world, 24)
    for n in range(6):
        world.upload(f"orders/{n}.csv", b"id,note\n2,b\n")
        world.finish()
    world.store.delete(Location(f"{ZONES.promoted}{drop.promoted.key}"))
    pass_hours(world, 40)

    assert state(world, "retention") == "missed"


def test_upload_whose_item_cannot_be_read_leaves_shares_of_rows_unknown() -> None:
    world = a_promising_world(shares("errorRate", 10), shares("completeness", 90))
    accepted(world)
    (readable,) = world.drops()
    accepted(world, "orders/2.csv")
    world.ledger.unreadable |= world.drops().keys() - {readable}
    pass_hours(world, 13)

    assert (marks(world, "errorRate"), marks(world, "completeness")) == (["unknown"], ["unknown"])


def test_files_refused_before_their_rows_were_counted_leave_the_share_of_errors_unknown() -> None:
    world = a_promising_world(shares("errorRate", 10))
    accepted(world)
    world.upload("orders/2.csv", b"order\n1\n")
    world.finish()
    pass_hours(world, 13)

    assert (state(world, "errorRate"), marks(world, "errorRate")) == ("unknown", ["unknown"])


def slow(world: World, call: str, seconds: int) -> Ports:
    """Return ports one call of which takes so long."""

    def waits(_: object) -> bool:
        world.clock.pass_seconds(seconds)
        return False

    return replace(world.ports, ledger=Refusing(world.ledger, call, ValueError(), waits))


def replayed(world: World, count: int) -> None:
    """Let each of so many files be accepted and judged again: the times of such a file are in its history."""
    for n in range(count):
        world.upload(f"orders/{n}.csv", GOOD)
    world.finish()
    for drop_id in world.drops():
        replay(world.ports, drop_id, retract=True)
    world.finish()


def test_look_goes_on_in_the_next_where_its_time_was_up() -> None:
    world = a_promising_world(often(), often(2), often(7))
    world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    world.deliver_jobs(world.end_jobs())
    world.clock.pass_seconds(3600)
    ports = slow(world, "received", 40)
    seen = []
    for _ in range(3):
        reconcile(ports)
        standing = world.ledger.standing("orders.v1")
        assert standing
        seen.append((standing.place, [held.state for held in standing.promises]))
        world.clock.pass_seconds(60)

    assert seen == [
        ("frequency-2", ["met", "unknown", "unknown"]),
        ("frequency-7", ["met", "met", "unknown"]),
        ("", ["met", "met", "met"]),
    ]
    assert told(world) == ["frequency met", "frequency-2 met", "frequency-7 met"]
    standing = world.ledger.standing("orders.v1")
    assert standing
    assert moment(standing.look_at or "") - moment(standing.judged_at) < timedelta(minutes=7)


def test_promises_are_judged_once_there_is_time_for_them_all() -> None:
    world = a_promising_world(fresh(), shares("errorRate", 10), shares("completeness", 90))
    replayed(world, 3)
    world.clock.pass_seconds(3600)
    judged = []
    for _ in range(3):
        reconcile(slow(world, "history", 12))
        standing = world.ledger.standing("orders.v1")
        assert standing
        judged.append((standing.place, state(world, "loadDate")))
        world.clock.pass_seconds(60)

    assert judged == [("errorRate", "met"), ("completeness", "met"), ("", "met")]


def test_period_whose_uploads_take_too_long_to_read_has_no_result() -> None:
    world = a_promising_world(shares("errorRate", 10), fresh(48))
    replayed(world, 6)
    pass_hours(world, 11)
    world.clock.pass_seconds(7200)
    for _ in range(4):
        reconcile(slow(world, "history", 20))
        world.clock.pass_seconds(60)

    assert (marks(world, "errorRate"), marks(world, "loadDate")) == ([None], ["met"])
    assert state(world, "loadDate") == "met"


def test_slow_contract_holds_up_no_other() -> None:
    plans = [a_plan(f"{name}.v1", (f"{name}/*.csv",), promises=(often(), fresh(2))) for name in ("orders", "slow")]
    world = a_world(plans)
    world.reconcile()
    world.clock.pass_seconds(3600)
    troubles: list[Trouble] = []

    def waits(contract: object) -> bool:
        world.clock.pass_seconds(300 if contract == "slow.v1" else 0)
        return False

    ports = replace(world.ports, ledger=Refusing(world.ledger, "received", ValueError(), waits))
    for _ in range(40):
        world.clock.pass_seconds(3600)
        troubles += reconcile(ports)

    assert (state(world, "frequency"), troubles) == ("missed", [])
    standing = world.ledger.standing("slow.v1")
    assert standing
    assert [held.state for held in standing.promises] == ["missed", "missed"]


def test_result_of_a_promise_with_another_period_takes_no_results_place() -> None:
    world = a_promising_world(Promise("often", "frequency", Span(Decimal(1), "d"), period=Span(Decimal(1), "d")))
    pass_hours(world, 24 * 3)
    before = world.ledger.periods("orders.v1", "often", 99)
    longer = Promise("often", "frequency", Span(Decimal(1), "w"), period=Span(Decimal(1), "w"))
    world.publish([a_plan(promises=(longer,), version="1.1.0")])
    accepted(world)
    pass_hours(world, 24 * 9)

    after = world.ledger.periods("orders.v1", "often", 99)
    assert {one.state for one in before} == {None, "missed"}
    assert len(after) == len(before) + 1
    assert set(before) < set(after)
