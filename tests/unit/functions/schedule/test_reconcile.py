"""Lost messages and events, and half-done work: the schedule finishes all of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from contracts.errors import ServiceUnavailable, StaleWrite
from functions import keys
from functions.drop import Location, Transition, advance
from functions.ports.batches import Window
from functions.ports.clock import stamp
from functions.ports.ledger import TransactionItem
from functions.promotion.lineage import claims_of
from functions.schedule.reconcile import MOST_STEPS, in_turn, reconcile
from functions.schedule.unannounced import MOST_FOUND, PAGE
from tests.builders import ZONES, World, a_drop, a_plan, a_world, all_good
from tests.faults import Crash, Passing, Stalled

GOOD = b"id,note\n1,a\n"


def one(name: str = "orders/1.csv", body: bytes = GOOD) -> tuple[World, str]:
    world = a_world()
    return world, world.upload(name, body)


@pytest.mark.parametrize(
    ("line", "holders", "places", "turns"),
    [
        ("aaab", "", 2, "ab"),
        ("aaab", "", 9, "abaa"),
        ("aab", "ab", 1, "a"),
        ("aabc", "aab", 3, "cba"),
        ("ab", "", 0, ""),
        ("", "a", 3, ""),
    ],
)
def test_places_go_round_among_producers(line: str, holders: str, places: int, turns: str) -> None:
    windows = [Window(f"plan {n}", "1", f"{n}", whose) for n, whose in enumerate(line)]
    chosen = in_turn(windows, holders, places)

    assert "".join(w.producer for w in chosen) == turns
    for whose in set(turns):
        mine = [w for w in chosen if w.producer == whose]
        assert mine == [w for w in windows if w.producer == whose][: len(mine)], "the longest overdue first"


def test_no_places_are_given_where_there_are_too_many_batches() -> None:
    assert in_turn([Window("p", "1", "1", "a")], "abc", -1) == []


def test_lost_window_message_is_sent_again() -> None:
    world, drop = one()
    world.deliver_events()
    world.delays.sent.clear()
    world.reconcile()
    world.deliver_windows()

    assert world.drop(drop).state == "validating"


def test_staged_drop_without_a_window_gets_one() -> None:
    world, _ = one()
    world.deliver_events()
    world.ledger._windows.clear()
    world.delays.sent.clear()
    world.reconcile()

    assert [seconds for _, seconds in world.delays.sent] == [0]


def test_lost_job_event_is_asked_for() -> None:
    world, drop = one()
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()
    world.reconcile()

    assert world.drop(drop).state == "accepted"


def test_lost_event_of_a_crash_is_asked_for() -> None:
    world, drop = one()
    world.deliver_events()
    world.deliver_windows()
    world.crash_jobs()
    world.reconcile()

    assert (world.drop(drop).state, world.drop(drop).try_) == ("validating", 2)


def test_drop_left_at_the_door_goes_on() -> None:
    world, drop = one()
    world.deliver_events()
    received = replace(world.drop(drop), state="received", staged_at=None)
    world.ledger._drops[drop] = received
    world.reconcile()

    assert world.drop(drop).state == "staged"


def test_failed_drop_gets_the_receipt_it_lacks() -> None:
    world, drop = one()
    world.deliver_events()
    move = advance(world.drop(drop), "failed", world.clock.stamp())
    assert isinstance(move, Transition)
    world.ledger.write((move,))
    world.reconcile()

    assert (world.drop(drop).receipt or "").endswith("receipt.json")


def test_what_is_young_is_left_to_its_event() -> None:
    world, drop = one()
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()
    reconcile(world.ports)

    assert world.drop(drop).state == "validating"


def test_slots_that_cannot_be_looked_at_hold_up_windows_alone() -> None:
    world, waiting = one("orders/2.csv")
    world.deliver_events()
    late = world.upload("orders/3.csv", GOOD)
    world.deliver_events()
    world.ledger._drops[late] = replace(world.drop(late), state="received", staged_at=None)
    world.clock.pass_seconds(300)

    class Slow(Passing):
        def taken_slots(self) -> object:
            raise ServiceUnavailable("too many requests")

    troubles = reconcile(replace(world.ports, ledger=Slow(world.ledger)))  # type: ignore[arg-type]

    assert [(t.what, t.reason) for t in troubles] == [("slots", "too many requests")]
    assert (world.drop(late).state, world.drop(waiting).state) == ("staged", "staged")


def test_one_trouble_does_not_stop_the_rest() -> None:
    world, drop = one("orders/2.csv")
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()

    class Silent(Passing):
        def status(self, run: str) -> object:
            raise ServiceUnavailable(f"no answer about {run}")

    late = world.upload("orders/3.csv", GOOD)
    world.deliver_events()
    world.ledger._drops[late] = replace(world.drop(late), state="received", staged_at=None)
    world.clock.pass_seconds(300)
    troubles = reconcile(replace(world.ports, jobs=Silent(world.jobs)))  # type: ignore[arg-type]

    assert [t.reason for t in troubles] == ["no answer about run-1"]
    assert (world.drop(late).state, world.drop(drop).state) == ("staged", "validating")


def test_settled_world_stays_as_it_is() -> None:
    world, _ = one()
    world.finish()
    drops = world.drops()
    world.reconcile()

    assert (world.drops(), world.delays.sent) == (drops, [])


class Refusing(Passing):
    """Jobs of which none can be started."""

    def __init__(self, jobs: object, error: Exception) -> None:
        super().__init__(jobs)
        self._error = error

    def start(self, *_: object) -> str:
        raise self._error


def claimed(error: Exception) -> tuple[World, str]:
    world, drop = one()
    world.deliver_events()
    world.ports = replace(world.ports, jobs=Refusing(world.jobs, error))
    with pytest.raises(type(error)):
        world.deliver_windows()
    return world, drop


def test_job_refused_for_hours_fails_its_drops() -> None:
    world, drop = claimed(ServiceUnavailable("no such application"))
    world.reconcile()
    assert world.drop(drop).state == "validating"
    world.clock.pass_seconds(7 * 3600)
    world.reconcile()

    assert (world.drop(drop).state, world.drop(drop).problems[0].code) == ("failed", "job-not-started")
    assert {b.state for b in world.ledger._batches.values()} == {"ended"}


class Throttled:
    """A port one of whose calls is refused."""

    def __init__(self, port: object, call: str) -> None:
        self._port = port
        self._call = call

    def __getattr__(self, name: str) -> object:
        return self._refuse if name == self._call else getattr(self._port, name)

    def _refuse(self, *_: object) -> None:
        raise ServiceUnavailable("throttled")


def test_batch_whose_job_was_started_is_not_given_up() -> None:
    world, drop = one()
    world.deliver_events()
    plain = world.ports
    world.ports = replace(plain, ledger=Throttled(world.ledger, "write_batch"))  # type: ignore[arg-type]
    with pytest.raises(ServiceUnavailable):
        world.deliver_windows()
    world.clock.pass_seconds(7 * 3600)
    world.reconcile()
    assert (world.drop(drop).state, world.jobs.working()) == ("validating", ["run-1"])

    world.ports = plain
    world.finish()
    assert (world.drop(drop).state, list(world.jobs.requests)) == ("accepted", ["run-1"])


def test_batch_that_cannot_be_started_again_keeps_its_run() -> None:
    world, drop = one()
    world.deliver_events()
    plain = world.ports
    world.ports = replace(plain, ledger=Throttled(world.ledger, "write_batch"))  # type: ignore[arg-type]
    with pytest.raises(ServiceUnavailable):
        world.deliver_windows()
    world.clock.pass_seconds(7 * 3600)
    world.ports = replace(plain, store=Throttled(world.store, "put"))  # type: ignore[arg-type]
    world.reconcile()
    batch = world.ledger.batch(world.drop(drop).batch or "")
    assert batch

    assert (batch.state, batch.run) == ("running", "run-1")


def test_unforeseen_error_is_one_trouble_at_the_edge() -> None:
    world, _ = claimed(ZeroDivisionError("secret"))
    world.clock.pass_seconds(120)
    (trouble,) = reconcile(world.ports, caught=Exception)

    assert (trouble.reason, type(trouble.unforeseen)) == ("ZeroDivisionError", ZeroDivisionError)


def test_stuck_drops_do_not_hold_up_the_rest() -> None:
    world = a_world()
    for n in range(MOST_STEPS + 1):
        drop = world.upload(f"orders/{n}.csv", GOOD)
        world.deliver_events()
        gone = "0" * 64 if n < MOST_STEPS else world.drop(drop).plan
        world.ledger._drops[drop] = replace(world.drop(drop), state="received", staged_at=None, plan=gone)
    for _ in range(3):
        world.reconcile()

    assert world.drop(drop).state == "staged"


@pytest.mark.parametrize("older", [2000, 4000])
def test_no_number_of_stuck_drops_holds_up_another(older: int) -> None:
    world, drop = one()
    world.deliver_events()
    begin = world.clock.now()
    at = [stamp(begin + timedelta(seconds=n)) for n in range(4001)]
    world.ledger._drops[drop] = replace(world.drop(drop), state="received", staged_at=None, changed_at=at.pop(older))
    for n, changed_at in enumerate(at):
        source = Location("s3://landing/orders/1.csv", f"{n}")
        drop_id = keys.drop_id("landing", "orders/1.csv", f"{n}")
        world.ledger.open(a_drop(id=drop_id, version_id=f"{n}", source=source, plan="0" * 64, changed_at=changed_at))
    world.clock.pass_seconds(4000)
    for _ in range(60):
        if world.drop(drop).state == "received":
            world.reconcile()

    assert world.drop(drop).state == "staged"
    assert [d.state for d in world.drops().values()].count("received") == 4000


def test_what_is_taken_on_is_told() -> None:
    world, drop = one()
    world.deliver_events()
    world.ledger._drops[drop] = replace(world.drop(drop), state="received", staged_at=None)
    world.ledger._windows.clear()
    world.clock.pass_seconds(120)
    names: list[str] = []
    reconcile(world.ports, taken=names.append)

    assert names == [f"drop {drop}"]


def unheard(world: World, minutes: int = 20) -> World:
    """No event of what was uploaded ever comes; the schedule does, minute by minute."""
    world.events.clear()
    for _ in range(minutes):
        world.clock.pass_seconds(60)
        reconcile(world.ports)
    return world


def test_object_that_no_event_announced_is_found() -> None:
    world, drop_id = one()
    assert not unheard(world, minutes=14).drops()
    unheard(world, minutes=6)
    world.finish()

    assert (world.drop(drop_id).state, world.drop(drop_id).sequencer) == ("accepted", "")


def test_event_that_comes_after_all_changes_nothing() -> None:
    world, drop_id = one()
    late = list(world.events)
    unheard(world)
    world.events += late
    world.finish()

    assert [world.drop(drop_id).state, len(world.drops())] == ["accepted", 1]
    assert world.states(drop_id).count("received") == 1


def test_unannounced_upload_takes_its_turn_by_the_clock() -> None:
    world, old = one()
    world.events.clear()
    world.clock.pass_seconds(5)
    new = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()
    unheard(world)
    world.finish()

    assert [world.drop(d).state for d in (old, new)] == ["superseded", "accepted"]


def pass_a_minute(world: World, slow: list[str]) -> None:
    """Let the schedule come, and all jobs end but the slow ones."""
    world.clock.pass_seconds(60)
    reconcile(world.ports)
    world.deliver_windows()
    for run in set(world.jobs.working()) - set(slow):
        world.end_job(run, all_good)
        world.deliver_jobs([run])


def test_unannounced_upload_lets_no_older_one_back_in() -> None:
    """All three are of one second; by their sequencers the first is older than the last."""
    world, old = one()
    world.deliver_events()
    world.deliver_windows()
    slow = world.jobs.working()
    unannounced = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.events.clear()
    new = world.upload("orders/1.csv", b"id,note\n3,c\n")
    world.deliver_events()
    for _ in range(20):
        pass_a_minute(world, slow)
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": b"id,note\n2,b\n"}
    world.finish()

    assert [world.drop(d).state for d in (new, unannounced, old)] == ["accepted", "accepted", "superseded"]


def test_event_that_comes_late_still_tells_that_its_upload_is_the_newer() -> None:
    """Both uploads are of one second, and the older is judged last."""
    world, old = one()
    world.deliver_events()
    world.deliver_windows()
    slow = world.jobs.working()
    new = world.upload("orders/1.csv", b"id,note\n2,b\n")
    late = world.events.pop()
    while new not in world.drops() or world.drop(new).in_flight:
        pass_a_minute(world, slow)
    (key,) = claims_of(world.ports, world.drop(new), a_plan()).each
    world.events.append(late)

    world.ledger.write((), replace(key, promoting=new))
    with pytest.raises(ServiceUnavailable, match="is being promoted"):
        world.deliver_events()  # its sequencer would be lost: it comes again
    (key,) = claims_of(world.ports, world.drop(new), a_plan()).each
    world.ledger.write((), replace(key, promoting=None))
    world.finish()

    assert [world.drop(d).state for d in (old, new)] == ["superseded", "accepted"]


def test_landing_is_looked_through_page_by_page() -> None:
    world = a_world()
    for n in range(PAGE + 1):
        world.upload(f"nobody/{n:04}.csv", GOOD)
    world.store.upload(Location("s3://landing/folder/", "v0"), b"", world.ports.at())
    unheard(world, minutes=20 + 2 * PAGE // MOST_FOUND)

    assert len(world.drops()) == PAGE + 1
    assert {d.state for d in world.drops().values()} == {"unmatched"}


def test_landing_that_cannot_be_listed_holds_up_nothing() -> None:
    world, drop_id = one()
    world.deliver_events()
    world.delays.sent.clear()

    class Unlisted(Passing):
        def versions(self, *_: object) -> object:
            raise ServiceUnavailable("no answer")

    world.ports = replace(world.ports, store=Unlisted(world.store))  # type: ignore[arg-type]
    world.clock.pass_seconds(120)
    troubles = reconcile(world.ports)
    world.deliver_windows()

    assert [t.what for t in troubles] == ["landing"]
    assert world.drop(drop_id).state == "validating"


def test_markers_of_folders_hide_nothing() -> None:
    world, drop_id = one()
    for n in range(MOST_FOUND + 1):
        world.store.upload(Location(f"s3://landing/a/{n}/", "v0"), b"", world.ports.at())
    unheard(world)

    assert list(world.drops()) == [drop_id]


def test_event_that_comes_late_says_when_its_upload_came() -> None:
    world, first = one()
    world.clock.pass_seconds(5)
    second = world.upload("orders/1.csv", b"id,note\n2,b\n")
    events = list(world.events)
    unheard(world)
    world.events += [replace(events[0], sequencer="00FF"), events[1]]
    world.deliver_events()
    sequencers = [world.drop(d).sequencer for d in (first, second)]
    world.finish()

    assert sequencers == ["00FF", "0002"]
    assert world.store.get("s3://promoted/orders.v1/orders/1.csv") == GOOD
    assert [s.event for s in world.ledger.history(first)].count("announced") == 1


class Beaten(Passing):
    """A ledger in which somebody else is always faster than an event that came late."""

    def write(self, moves: Sequence[Transition], *beside: TransactionItem) -> None:
        if an_announcement(moves):
            raise StaleWrite("somebody else wrote first")
        self._port.write(moves, *beside)


def an_announcement(moves: Sequence[Transition], *_: object) -> bool:
    """Return True if a write records an event that came late."""
    return any(move.event == "announced" for move in moves)


def test_event_that_comes_late_beside_a_claim_is_not_lost() -> None:
    world, drop_id = one()
    late = list(world.events)
    unheard(world)
    plain = world.ports
    world.ports = replace(plain, ledger=Stalled(plain.ledger, "write", world.deliver_windows, an_announcement))
    world.events += late
    world.deliver_events()

    assert (world.drop(drop_id).state, world.drop(drop_id).sequencer) == ("validating", "0001")


def test_event_that_can_never_be_written_comes_again() -> None:
    world, drop_id = one()
    late = list(world.events)
    unheard(world)
    plain = world.ports
    world.ports = replace(plain, ledger=Beaten(world.ledger))
    world.events += late
    with pytest.raises(ServiceUnavailable, match="again and again"):
        world.deliver_events()
    world.ports = plain
    world.deliver_events()

    assert world.drop(drop_id).sequencer == "0001"


class Slow(Passing):
    """A store that takes a minute and a half to copy some files, in vain."""

    def __init__(self, world: World) -> None:
        super().__init__(world.store)
        self._world = world
        self.tried: set[str] = set()

    def copy(self, source: Location, *args: Any) -> Any:
        if "slow" in source.uri:
            self.tried.add(source.uri)
            self._world.clock.pass_seconds(90)
            raise ServiceUnavailable("slow down")
        return self._port.copy(source, *args)


def slow_things(world: World) -> Slow:
    """Twelve uploads with records, each of which takes a minute and a half without progress."""
    store = Slow(world)
    world.ports = replace(world.ports, store=store)
    for n in range(12):
        world.upload(f"orders/slow-{n}.csv", GOOD)
        with pytest.raises(ServiceUnavailable):
            world.deliver_events()
        world.events.clear()
    store.tried.clear()
    return store


def test_slow_things_do_not_hold_up_the_rest() -> None:
    world = a_world()
    store = slow_things(world)
    lost = world.upload("orders/lost.csv", GOOD)
    world.events.clear()
    world.clock.pass_seconds(1200)
    for _ in range(10):
        begun = world.clock.now()
        reconcile(world.ports)
        assert world.clock.now() - begun < timedelta(minutes=6)
        world.clock.pass_seconds(60)

    assert world.drop(lost).state == "staged"
    assert len(store.tried) == 12


@pytest.mark.parametrize("first", [0, 1])
def test_lost_upload_on_a_second_page_is_found_beside_slow_things(first: int) -> None:
    world = a_world()
    slow_things(world)
    for n in range(PAGE):
        world.store.upload(Location(f"s3://landing/a/{n:04}/", "v0"), b"", world.ports.at())
    lost = world.upload("orders/lost.csv", GOOD)
    world.events.clear()
    world.clock.pass_seconds(1200)
    begin = world.clock.now().replace(second=0, microsecond=0) + timedelta(minutes=first)
    for nth in range(20):
        world.clock.pass_seconds((begin + timedelta(minutes=7 * nth) - world.clock.now()).total_seconds())
        reconcile(world.ports)

    drop = world.ledger.drop(lost)
    assert drop
    assert drop.state == "staged"


class Deadly(Passing):
    """A store in which whoever copies some bytes ends."""

    def __init__(self, world: World, drop: str, end: BaseException) -> None:
        super().__init__(world.store)
        self._drop = drop
        self._end = end

    def copy(self, source: Location, *args: Any) -> Any:
        if self._drop in source.uri:
            raise self._end
        return self._port.copy(source, *args)


@pytest.mark.parametrize("end", [Crash(), ZeroDivisionError()])
def test_drop_that_ends_whoever_settles_it_holds_up_none_of_its_batch(end: BaseException) -> None:
    world = a_world()
    for n in range(6):
        world.upload(f"orders/{n}.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    (run,) = world.end_jobs()
    batch_and_drops = world.ledger.batch_of(run)
    assert batch_and_drops
    deadly, *others = batch_and_drops[0].members
    world.ports = replace(world.ports, store=Deadly(world, deadly, end))
    with pytest.raises(type(end)):
        world.deliver_jobs([run])
    for _ in range(40):
        world.clock.pass_seconds(60)
        with suppress(Crash):
            reconcile(world.ports, caught=Exception)

    assert {world.drop(one).state for one in others} == {"accepted"}
    assert world.drop(deadly).state == "promoting"
