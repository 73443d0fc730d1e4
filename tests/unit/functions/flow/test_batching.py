"""Windows and batches: who is in, how many, and that one job runs for them, whatever comes twice."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest

from contracts.errors import DocumentInvalid, ServiceUnavailable, StaleWrite
from contracts.files.header import valid_file
from contracts.job import JobRequest
from contracts.plan import Columns, Limit
from functions.catalog import Published
from functions.drop import Drop, Transition
from functions.flow.batching import GROUP, MOST_BYTES, batch_due, choose, room, started
from functions.operations.replay import replay
from functions.ports.batches import Batch, Pause, Window
from functions.ports.jobs import Reach
from functions.ports.ledger import InFlight, TransactionItem
from functions.schedule.reconcile import reconcile
from tests.builders import ZONES, World, a_drop, a_plan, a_world, one_bad, valid_rows
from tests.faults import Passing, Stalled

GOOD = b"id,note\n1,a\n"


def waiting(*sizes: int) -> list[Drop]:
    return [a_drop(id=str(n), size=size) for n, size in enumerate(sizes)]


def test_batch_takes_the_oldest_that_fit() -> None:
    assert [d.id for d in choose(waiting(1, MOST_BYTES - 1, 1), 9)] == ["0", "1"]


def test_larger_drop_goes_alone() -> None:
    assert [d.id for d in choose(waiting(MOST_BYTES + 1, 1), 9)] == ["0"]
    assert [d.id for d in choose(waiting(1, MOST_BYTES + 1), 9)] == ["0"]


def test_compressed_drop_weighs_what_it_unpacks_to() -> None:
    packed = [a_drop(id=str(n), size=10, unpacked=MOST_BYTES // 2 + 1) for n in range(2)]
    assert [d.id for d in choose(packed, 9)] == ["0"]
    assert a_drop(size=10, unpacked=4).weight == 10


class Sized(Passing):
    """Jobs that note for how many bytes their workers are sized."""

    def __init__(self, world: World) -> None:
        super().__init__(world.jobs)
        self.sizes: list[int] = []

    def start(self, token: str, request: str, size: int, reach: Reach) -> Any:
        self.sizes.append(size)
        return self._port.start(token, request, size, reach)


def test_workers_are_sized_by_what_a_batch_unpacks_to() -> None:
    world = a_world([replace(a_plan(), files=("orders/*.csv.gz",), compression="gzip")])
    jobs = Sized(world)
    world.ports = replace(world.ports, jobs=jobs)
    body = b"id,note\n" + b"1,a\n" * 100_000
    for n in range(2):
        world.upload(f"orders/{n}.csv.gz", gzip.compress(body))
    world.deliver_events()
    world.deliver_windows()
    assert jobs.sizes == [2 * len(body)]


def test_batch_is_bounded_in_number() -> None:
    assert len(choose(waiting(0, 0, 0), 2)) == 2
    assert choose([], 2) == ()


def gathered(count: int = 3) -> tuple[World, list[str]]:
    world = a_world()
    ids = [world.upload(f"orders/{n}.csv", GOOD) for n in range(count)]
    world.deliver_events()
    return world, ids


def test_drop_staged_by_a_clock_ahead_joins() -> None:
    world = a_world()
    world.clock.pass_seconds(5)
    drop = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.clock.pass_seconds(-5)
    world.deliver_windows()

    assert [d.id for d in world.request().drops] == [drop]
    assert world.delays.sent == []


def test_drops_of_a_window_share_one_job() -> None:
    world, ids = gathered()
    world.deliver_windows()
    request = world.request()

    assert [d.id for d in request.drops] == ids
    assert {world.drop(i).state for i in ids} == {"validating"}
    assert len(world.jobs.runs) == 1
    assert request.drops[0].uri == f"s3://internal/stage/orders.v1/20260131T1200/{ids[0]}/1.csv"
    assert request.drops[0].rejected == f"s3://internal/jobs/{request.batch}/1/rejected/{ids[0]}/"


def test_warnings_of_the_door_travel_with_the_drop() -> None:
    world = a_world(contracts=[a_plan(columns=Columns(extra="warn"))])
    world.upload("orders/1.csv", b"id,note,more\n1,a,b\n")
    world.deliver_events()
    world.deliver_windows()

    assert [n.code for n in world.request().drops[0].notes] == ["extra-column"]


def test_request_names_the_batchs_own_folders() -> None:
    world, _ = gathered(1)
    world.deliver_windows()
    request = world.request()

    assert request.evidence_rows == (
        f"s3://internal/evidence/rows/contract=orders.v1/month=2026-01/batch={request.batch}/"
    )
    assert request.result == f"s3://internal/jobs/{request.batch}/1/result.jsonl"
    assert request.scratch == f"s3://internal/jobs/{request.batch}/1/scratch/"
    assert list(world.jobs.runs) == [f"{request.batch}-1"]


def test_repeated_message_starts_nothing() -> None:
    world, _ = gathered()
    messages = list(world.delays.sent)
    world.deliver_windows()
    world.delays.sent = messages
    world.deliver_windows()

    assert len(world.jobs.runs) == 1


def test_plans_are_never_mixed() -> None:
    world = a_world(contracts=[a_plan(), a_plan("visits.v1", files=["visits/*.csv"])])
    world.upload("orders/1.csv", GOOD)
    world.upload("visits/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()

    assert len(world.jobs.runs) == 2


def test_contract_of_very_many_checks_has_smaller_batches() -> None:
    plan = a_plan()
    wide = replace(plan, checks=plan.checks * 1000)

    assert room(plan, 500) == 500
    assert room(wide, 500) == 500_000 // len(wide.checks) < 500
    assert room(replace(wide, checks=wide.checks * 1000), 500) == 1


def test_what_is_left_over_opens_the_next_window_at_once() -> None:
    world, ids = gathered(5)
    world.ports = replace(world.ports, most_drops=3)
    world.deliver_windows()
    assert [seconds for _, seconds in world.delays.sent] == [0]
    world.deliver_windows()

    assert [d.id for d in world.request().drops] == ids[-2:]
    assert world.delays.sent == []


def test_drops_of_two_windows_are_in_one_batch_each() -> None:
    world, ids = gathered(2)
    late = Window(a_plan().sha, world.clock.stamp(), world.clock.stamp())
    batch_due(world.ports, late)
    world.deliver_windows()

    assert len(world.jobs.runs) == 1
    assert {world.drop(i).state for i in ids} == {"validating"}


def test_empty_window_starts_nothing() -> None:
    world = a_world()
    at = world.clock.stamp()

    assert batch_due(world.ports, Window(a_plan().sha, at, at)) is None
    assert world.jobs.runs == {}


@pytest.mark.parametrize(("kind", "name"), [("contract", "orders.v1"), ("producer", "shop")])
def test_what_is_held_up_starts_nothing_until_it_goes_on(kind: Literal["contract", "producer"], name: str) -> None:
    world, ids = gathered()
    pause = Pause(kind, name, world.ports.at())
    world.ledger.pause(pause)
    world.deliver_windows()

    assert world.jobs.runs == {}
    assert {world.drop(i).state for i in ids} == {"staged"}
    world.ledger.resume(pause)
    world.clock.pass_seconds(120)
    reconcile(world.ports)
    world.deliver_windows()
    assert {world.drop(i).state for i in ids} == {"validating"}


class FullIndex(Passing):
    """A ledger with so many drops that wait that none of those in the index's ends is of the plan in question."""

    def in_flight(self, before: str) -> InFlight:
        open_items: InFlight = self._port.in_flight(before)
        return replace(open_items, waiting=())


def test_what_is_held_up_goes_on_though_its_drops_are_in_no_list() -> None:
    world, ids = gathered()
    world.with_ports(lambda port: FullIndex(port) if port is world.ledger else port)
    pause = Pause("contract", "orders.v1", world.ports.at())
    world.ledger.pause(pause)
    world.deliver_windows()
    for _ in range(3):
        world.reconcile()
    asked = list(world.delays.sent)
    world.ledger.resume(pause)
    world.reconcile()
    world.deliver_windows()

    assert asked == []
    assert {world.drop(i).state for i in ids} == {"validating"}
    assert world.ledger._windows == {}


def test_message_that_comes_again_while_held_up_keeps_what_waits_in_line() -> None:
    world, _ = gathered(1)
    (again,) = world.delays.sent
    world.deliver_windows()
    late = world.upload("orders/late.csv", GOOD)
    world.deliver_events()
    world.ledger._windows.clear()
    pause = Pause("contract", "orders.v1", world.ports.at())
    world.ledger.pause(pause)
    world.delays.sent = [again]
    world.deliver_windows()
    world.with_ports(lambda port: FullIndex(port) if port is world.ledger else port)
    world.ledger.resume(pause)
    world.reconcile()
    world.deliver_windows()

    assert world.drop(late).state == "validating"


def test_what_is_held_up_takes_no_place_of_others() -> None:
    world, ids = in_line("orders", "visits", "tests")
    world.ledger.pause(Pause("contract", "visits.v1", world.ports.at()))
    world.deliver_jobs(world.end_jobs())
    world.reconcile()
    asked = [window.plan for window, _ in world.delays.sent]
    world.deliver_windows()

    assert asked == [world.drop(ids[2]).plan]
    assert [world.drop(i).state for i in ids] == ["accepted", "staged", "validating"]


def test_pause_that_cannot_be_read_stops_no_window() -> None:
    world, ids = in_line("orders", "visits", "tests")
    world.deliver_jobs(world.end_jobs())
    unreadable = Stalled(world.ledger, "pauses", lambda: None, after=DocumentInvalid("ledger item PAUSES: format 2"))
    world.clock.pass_seconds(120)
    troubles = reconcile(replace(world.ports, ledger=unreadable))
    world.deliver_windows()

    assert ("pauses", "ledger item PAUSES: format 2") in {(one.what, one.reason) for one in troubles}
    assert world.drop(ids[1]).state == "validating"


def test_what_others_do_is_not_held_up() -> None:
    world, ids = gathered()
    world.ledger.pause(Pause("contract", "orders.v2", world.ports.at()))
    world.deliver_windows()

    assert {world.drop(i).state for i in ids} == {"validating"}


class WithCopies(Passing):
    """A ledger with copies of waiting drops whose own items were deleted or changed by hand."""

    def __init__(self, ledger: Any, *copies: Drop) -> None:
        super().__init__(ledger)
        self._copies = {one.id: one for one in copies}

    def pending(self, plan: str, most: int = 1000, *, trial: bool = False) -> tuple[Drop, ...]:
        staged: tuple[Drop, ...] = self._port.pending(plan, most, trial=trial)
        waiting = {one.id: one for one in staged} | {i: one for i, one in self._copies.items() if one.plan == plan}
        return tuple(sorted(waiting.values(), key=lambda d: (d.staged_at or "", d.id)))[:most]

    def write(self, moves: Sequence[Transition], *beside: TransactionItem) -> None:
        if any(self._port.drop(m.before.id) is None for m in moves):
            raise StaleWrite("somebody else wrote first")
        self._port.write(moves, *beside)
        for move in moves:
            self._copies.pop(move.drop.id, None)


def with_copies(world: World, drops: Iterable[str]) -> None:
    """Put those between the use cases and the ledger."""
    ledger = WithCopies(world.ledger, *(world.drop(i) for i in drops))
    world.with_ports(lambda port: ledger if port is world.ledger else port)


def test_copy_of_a_deleted_drop_asks_for_no_batch_again_and_again() -> None:
    world, (gone, other) = gathered(2)
    with_copies(world, [gone])
    del world.ledger._drops[gone]
    for _ in range(4):
        world.deliver_windows()

    assert world.drop(other).state == "validating"
    assert (world.delays.sent, world.ledger._windows) == ([], {})
    assert [b.state for b in world.ledger._batches.values()] == ["running", "ended"]


def test_copy_of_a_drop_that_went_on_asks_for_no_batch() -> None:
    world, (drop,) = gathered(1)
    with_copies(world, [drop])
    world.ledger._drops[drop] = replace(world.drop(drop), state="failed", version=9)
    world.deliver_windows()

    assert (world.delays.sent, world.ledger._windows) == ([], {})


def test_drop_whose_version_a_hand_changed_joins_its_batch() -> None:
    world, (drop,) = gathered(1)
    with_copies(world, [drop])
    world.ledger._drops[drop] = replace(world.drop(drop), version=9)
    world.deliver_windows()

    assert (world.drop(drop).state, world.delays.sent) == ("validating", [])


def test_drops_behind_a_copy_of_a_deleted_one_wait_for_the_schedule() -> None:
    world, (gone, other) = gathered(2)
    world.ports = replace(world.ports, most_drops=1)
    with_copies(world, [gone])
    del world.ledger._drops[gone]
    world.deliver_windows()
    at_once = list(world.delays.sent)
    world.reconcile()

    assert at_once == []
    assert [window.plan for window, _ in world.delays.sent] == [world.drop(other).plan]


class Busy(Passing):
    """EMR Serverless, refusing for now."""

    def start(self, *_: object) -> str:
        raise ServiceUnavailable("ThrottlingException")


def test_refused_start_is_made_up_for() -> None:
    world, ids = gathered(1)
    ports = world.ports
    world.ports = replace(ports, jobs=Busy(world.jobs))
    with pytest.raises(ServiceUnavailable):
        world.deliver_windows()
    world.ports = ports
    world.reconcile()

    assert list(world.jobs.runs) == [f"{world.drop(ids[0]).batch}-1"]


def stalled_beginning(meanwhile: Callable[[World, Window], None], *, ahead: int = 0, **plan: Any) -> tuple[World, str]:
    """A batch that could not be started at first, and a worker that then stalls before it reads the drops of it.

    Staged was its one drop by a clock that was so many seconds ahead.
    """
    world = a_world([a_plan(**plan)])
    world.clock.pass_seconds(ahead)
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.clock.pass_seconds(-ahead)
    ((window, _),) = world.delays.sent
    plain = world.ports
    with pytest.raises(ServiceUnavailable):
        batch_due(replace(plain, jobs=Busy(world.jobs)), window)
    slow = Stalled(plain.ledger, "drops", lambda: meanwhile(world, window))
    batch_due(replace(plain, ledger=slow), window)
    return world, drop_id


def test_worker_that_stalls_takes_no_drop_back_to_an_earlier_try() -> None:
    def meanwhile(world: World, _: Window) -> None:
        world.reconcile()
        first = world.request()
        dead = f"{first.drops[0].valid}{valid_file(first.plan)}"
        world.store.put(dead, b"id,note\nof a dead run\n", "text/csv")
        world.deliver_jobs(world.crash_jobs())

    world, drop_id = stalled_beginning(meanwhile, promote="rows", tolerance=Limit(Decimal(2), "rows"))
    assert world.drop(drop_id).try_ == 2
    world.finish(one_bad)

    assert world.drop(drop_id).state == "accepted_with_warnings"
    assert list(world.store.listing(ZONES.promoted).values()) == [valid_rows(drop_id)]


def test_worker_that_stalls_takes_no_later_attempt_into_a_batch_that_has_ended() -> None:
    def meanwhile(world: World, window: Window) -> None:
        batch_due(world.ports, window)
        world.deliver_jobs(world.end_jobs(one_bad))
        (drop_id,) = world.drops()
        replay(world.ports, drop_id)

    world, drop_id = stalled_beginning(meanwhile, ahead=600)
    world.finish()

    assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("accepted", 2)


def test_worker_that_stalls_after_it_made_a_large_batch_leaves_it_to_who_went_on() -> None:
    world, ids = gathered(GROUP + 1)
    plain = world.ports
    slow, refused = Stalled(plain.ledger, "write", world.reconcile), Busy(world.jobs)
    ((window, _),) = world.delays.sent
    answer = batch_due(replace(plain, ledger=slow, jobs=refused), window)

    assert answer == world.ledger.batch(world.drop(ids[0]).batch or "")
    assert (answer and answer.state, len(world.jobs.runs)) == ("running", 1)


def test_rest_of_a_window_is_taken_up_by_its_message_come_again() -> None:
    world, ids = gathered(3)
    world.ports = replace(world.ports, most_drops=2)
    ((window, _),) = world.delays.sent

    def die() -> None:
        raise ServiceUnavailable("no answer")

    slow = Stalled(world.ledger, "open_window", die)
    with pytest.raises(ServiceUnavailable):
        batch_due(replace(world.ports, ledger=slow), window)
    batch_due(world.ports, window)

    assert [world.drop(i).state for i in ids] == ["validating", "validating", "staged"]
    assert world.ledger.window(window.plan)


class Forgetful(Passing):
    """EMR Serverless, which has forgotten old tokens."""

    def __init__(self, world: World) -> None:
        super().__init__(world.jobs)
        self.started: list[str] = []

    def start(self, token: str, request: str, size: int, reach: Reach) -> Any:
        self.started.append(token)
        return self._port.start(token, request, size, reach)


def test_old_token_is_looked_up_before_it_is_sent() -> None:
    world, ids = gathered(1)
    world.deliver_windows()
    batch = world.ledger.batch(world.drop(ids[0]).batch or "")
    assert batch
    world.ledger._batches[batch.id] = replace(batch, state="claimed", run=None)
    world.clock.pass_seconds(timedelta(minutes=11).total_seconds())
    jobs = Forgetful(world)
    world.ports = replace(world.ports, jobs=jobs)
    world.reconcile()

    assert jobs.started == []
    assert (now := world.ledger.batch(batch.id))
    assert (now.state, now.run) == ("running", "run-1")


class ByItsClock(Passing):
    """EMR Serverless, whose clock is behind, and which finds no run that was started before it was asked for."""

    def __init__(self, world: World, behind: timedelta) -> None:
        super().__init__(world.jobs)
        self._world = world
        self._behind = behind
        self._began: dict[str, datetime] = {}

    def start(self, token: str, request: str, size: int, reach: Reach) -> Any:
        self._began[token] = self._world.clock.now() - self._behind
        return self._port.start(token, request, size, reach)

    def find(self, token: str, since: datetime) -> str | None:
        return self._port.find(token, since) if self._began[token] >= since else None


def test_run_is_found_though_its_try_was_set_up_by_a_clock_ahead() -> None:
    world, ids = gathered(1)
    world.ports = replace(world.ports, jobs=ByItsClock(world, timedelta(minutes=5)))
    world.deliver_windows()
    batch = world.ledger.batch(world.drop(ids[0]).batch or "")
    assert batch

    assert started(world.ports, batch) == "run-1"


def test_batch_waits_while_too_many_are_under_way() -> None:
    world = a_world(contracts=[a_plan(), a_plan("visits.v1", files=["visits/*.csv"])])
    world.ports = replace(world.ports, most_batches=1)
    world.upload("orders/1.csv", GOOD)
    first = world.upload("visits/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    second = world.upload("visits/2.csv", GOOD)
    world.deliver_events()
    waiting = [d.state for d in (world.drop(first), world.drop(second))]
    runs = len(world.jobs.runs)
    world.deliver_jobs(world.end_jobs())
    world.reconcile()
    world.deliver_windows()

    assert (waiting, runs) == (["staged", "staged"], 1)
    assert [d.id for d in world.request().drops] == [first, second]


def in_line(*names: str, most_batches: int = 1) -> tuple[World, list[str]]:
    """Drops of as many contracts, one after the other; the first have all slots, the others are in line."""
    world = a_world(contracts=[a_plan(f"{name}.v1", files=[f"{name}/*.csv"]) for name in names])
    world.ports = replace(world.ports, most_batches=most_batches)
    ids = []
    for name in names:
        ids.append(world.upload(f"{name}/1.csv", GOOD))
        world.deliver_events()
        world.deliver_windows()
    return world, ids


def test_who_has_waited_longest_is_next() -> None:
    world, ids = in_line("orders", "visits", "tests")
    turns = []
    for _ in range(2):
        world.deliver_jobs(world.end_jobs())
        world.reconcile()
        world.deliver_windows()
        turns.append([d.id for d in world.request().drops])

    assert turns == [[ids[1]], [ids[2]]]


def test_who_has_no_batch_is_before_who_has_many() -> None:
    theirs = [a_plan(f"{name}.v1", files=[f"{name}/*.csv"], producer="big") for name in ("a", "b", "c", "d")]
    world = a_world(contracts=[*theirs, a_plan("small.v1", files=["small/*.csv"], producer="small")])
    world.ports = replace(world.ports, most_batches=2)
    for name in ("a", "b", "c", "d", "small"):  # a and b have the slots, c and d stand in line before small
        world.upload(f"{name}/1.csv", GOOD)
        world.deliver_events()
        world.deliver_windows()
    turns = []
    for _ in range(2):
        before = set(world.jobs.requests)
        world.deliver_jobs(world.end_jobs())
        world.reconcile()
        world.deliver_windows()
        asked = [JobRequest.loads(world.store.get(world.jobs.requests[r])) for r in world.jobs.requests.keys() - before]
        turns.append(sorted(request.plan.contract for request in asked))

    assert turns == [["c.v1", "small.v1"], ["d.v1"]]


def test_place_in_line_outlives_newer_drops() -> None:
    world, ids = in_line("orders", "visits", "tests")
    newer = world.upload("visits/2.csv", GOOD)
    world.deliver_events()
    lines = [w.plan for w in world.ledger.in_flight("9").windows]

    assert lines == [world.drop(i).plan for i in ids[1:]]
    assert world.drop(newer).state == "staged"


def test_line_moves_no_further_than_there_are_slots() -> None:
    world, _ = in_line("orders", "visits", "tests", "calls", most_batches=2)
    world.reconcile()
    full = len(world.delays.sent)
    world.deliver_jobs(world.end_jobs()[:1])
    world.reconcile()

    assert (full, len(world.delays.sent)) == (0, 1)


def test_plan_that_cannot_be_read_does_not_keep_the_head_of_the_line() -> None:
    world, ids = in_line("orders", "visits", "tests")
    lost = f"{ZONES.catalog}plans/{world.drop(ids[1]).plan}.json"
    world.ports = replace(world.ports, catalog=Published(world.store, ZONES.catalog))
    body = world.store.get(lost)
    world.store.put(lost, b"{", "application/json")
    world.deliver_jobs(world.end_jobs())
    for _ in range(3):
        world.clock.pass_seconds(120)
        world.reconcile()
        with suppress(DocumentInvalid):
            world.deliver_windows()
    healthy = world.drop(ids[2]).state
    world.store.put(lost, body, "application/json")
    world.deliver_jobs(world.end_jobs())
    world.clock.pass_seconds(600)
    world.reconcile()
    world.deliver_windows()

    assert (healthy, world.drop(ids[1]).state) == ("validating", "validating")


def test_no_batch_more_starts_where_there_are_too_many() -> None:
    world, _ = gathered(30)
    world.ports = replace(world.ports, most_batches=4)
    for slot in range(4, 8):
        assert world.ledger.open_batch(Batch(f"b{slot}", "p", "orders.v1", (), 0, "1", "1", "1", slot=slot))
    world.deliver_windows()

    assert world.jobs.runs == {}


def test_large_batch_asks_only_for_slots_that_are_free() -> None:
    world, _ = gathered(30)
    world.ports = replace(world.ports, most_batches=16)
    for slot in (*range(7), *range(8, 16)):
        assert world.ledger.open_batch(Batch(f"b{slot}", "p", "orders.v1", (), 0, "1", "1", "1", slot=slot))
    world.deliver_windows()
    batch = world.ledger.batch(next(iter(world.drops().values())).batch or "")

    assert batch
    assert batch.slot == 7


def test_large_batch_takes_a_slot_and_frees_it() -> None:
    world, _ = gathered(30)
    world.ports = replace(world.ports, most_batches=1)
    world.deliver_windows()
    (batch,) = world.ledger._batches.values()
    late = world.upload("orders/late.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    held = world.drop(late).state
    drops = world.finish()

    assert (batch.slot, held) == (0, "staged")
    assert {d.state for d in drops.values()} == {"accepted"}
