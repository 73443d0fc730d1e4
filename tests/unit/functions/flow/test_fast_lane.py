"""The fast lane: small staged drops are judged without Spark, once, or left to their plan's window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from contracts.job import JobRequest, JobResult
from contracts.plan import Plan
from functions import keys
from functions.costs.calls import LANE_CALLS
from functions.drop import Drop
from functions.flow import fast_lane
from functions.flow.fast_lane import judge_small, leave_to_spark
from functions.flow.finalize import job_ended
from functions.flow.windows import open_window
from functions.ports.batches import Pause
from tests.builders import World, a_drop, a_marked_plan, a_plan, all_good, answer, one_bad
from tests.fakes import MemoryLane
from tests.faults import Crash, Fuse, Watched, every_call
from tests.invariants import Watch

DROP = a_drop(size=10, header_line="id,note")
BODY = b"id,note\n1,a\n"


def a_world(size: int = 1000) -> tuple[World, MemoryLane]:
    world, lane = World((a_plan(),)), MemoryLane()
    world.ports = replace(world.ports, lane=lane, lane_bytes=size)
    return world, lane


def sure(request: JobRequest, body: bytes) -> JobResult | None:
    """Judge as the job would."""
    assert body == BODY
    result = answer(request, all_good)
    return replace(result, header=replace(result.header, engine="function"))


def unsure(_request: JobRequest, _body: bytes) -> JobResult | None:
    """Leave every file to Spark."""
    return None


def deliver(world: World, lane: MemoryLane, judge: Callable[..., Any] = sure) -> None:
    """Deliver all messages of the lane, and those of its runs."""
    sent, lane.drops[:] = list(lane.drops), []
    for drop in sent:
        judge_small(world.ports, drop, judge)
    ended, lane.runs[:] = list(lane.runs), []
    for run in ended:
        job_ended(world.ports, run, "SUCCESS")


def only_of(drops: dict[str, Drop]) -> Drop:
    """Return the only drop."""
    (drop,) = drops.values()
    return drop


def only(world: World) -> Drop:
    """Return the only drop of a world."""
    return only_of(world.drops())


def test_small_good_drop_is_accepted_without_spark() -> None:
    world, lane = a_world()
    world.upload("orders/1.csv", BODY)
    world.deliver_events()
    assert world.delays.sent == [], "no window waits"
    deliver(world, lane)
    drop = only(world)
    assert (drop.state, drop.verdict, drop.rows and drop.rows.read) == ("accepted", "accepted", 3)
    assert world.jobs.runs == {}
    assert world.ledger.taken_slots() == {}
    batch = world.ledger.batch(drop.batch or "")
    assert batch
    assert (batch.state, batch.members) == ("ended", (drop.id,))


def test_unsure_drop_gets_the_verdict_of_spark() -> None:
    world, lane = a_world()
    world.upload("orders/1.csv", BODY)
    world.deliver_events()
    deliver(world, lane, unsure)
    assert only(world).state == "staged"
    assert len(world.delays.sent) == 1, "its window is open"
    assert only_of(world.finish(one_bad)).verdict == "rejected"


def test_second_message_of_a_staged_drop_opens_its_window() -> None:
    world, lane = a_world()
    drop = world.upload("orders/1.csv", BODY)
    world.deliver_events()
    leave_to_spark(world.ports, drop)
    assert len(world.delays.sent) == 1
    world.finish()
    leave_to_spark(world.ports, drop)
    deliver(world, lane)
    assert (only(world).state, lane.runs, len(world.jobs.runs)) == ("accepted", [], 1), "Spark has judged it, once"


def test_lost_message_leaves_the_drop_to_the_schedule() -> None:
    world, lane = a_world()
    world.upload("orders/1.csv", BODY)
    world.deliver_events()
    lane.drops.clear()
    assert only_of(world.finish()).state == "accepted"
    assert len(world.jobs.runs) == 1


@pytest.mark.parametrize("after", [False, True])
def test_function_that_dies_at_any_call_leaves_one_verdict(after: bool) -> None:
    for fuse in every_call(after):
        world, _ = a_world()
        watch, drop = Watch(world), world.upload("orders/1.csv", BODY)
        world.deliver_events()
        watched: dict[str, Any] = {
            name: Watched(getattr(world.ports, name), fuse) for name in ("store", "ledger", "lane", "delays")
        }
        with suppress(Crash):
            judge_small(replace(world.ports, **watched), drop, sure)
        leave_to_spark(world.ports, drop)  # its message comes again
        world.finish()
        settled = only(world)
        assert (settled.state, settled.rows and settled.rows.read) == ("accepted", 3), fuse
        assert [step.event for step in world.ledger.history(drop)].count("found_good") == 1, fuse
        watch.look_at_the_end()


def test_batch_that_claims_first_makes_the_one_verdict() -> None:
    world, lane = a_world()
    drop = world.upload("orders/1.csv", BODY)
    world.deliver_events()

    def beaten(request: JobRequest, body: bytes) -> JobResult | None:
        open_window(world.ports, world.plans[0].sha, 0)
        world.deliver_windows()
        return sure(request, body)

    assert judge_small(world.ports, drop, beaten) is None
    assert (lane.runs, only(world).state) == ([], "validating")
    assert only_of(world.finish(one_bad)).verdict == "rejected", "Spark's"


def test_paused_contract_keeps_its_small_drops_waiting() -> None:
    world, lane = a_world()
    world.upload("orders/1.csv", BODY)
    world.ledger.pause(Pause("contract", "orders.v1", world.ports.at()))
    world.deliver_events()
    deliver(world, lane)
    assert (only(world).state, len(world.delays.sent)) == ("staged", 1)


def test_lost_result_is_made_again_by_spark() -> None:
    world, lane = a_world()
    drop = world.upload("orders/1.csv", BODY)
    world.deliver_events()
    batch = judge_small(world.ports, drop, sure)
    assert batch
    world.store.clear(keys.job_folder(world.ports.zones, batch.id, 1))
    job_ended(world.ports, batch.run or "", "SUCCESS")
    world.finish()
    assert (only(world).state, only(world).try_, len(world.jobs.runs)) == ("accepted", 2, 1)
    assert lane.runs == [batch.run]


LEFT: dict[str, tuple[Plan, int]] = {
    "too large": (a_plan(), 5),
    "packed": (a_plan(compression="gzip"), 1000),
    "rows for consumers": (a_plan(promote="rows"), 1000),
    "marks": (a_marked_plan(), 1000),
}


@pytest.mark.parametrize("name", LEFT)
def test_other_drops_wait_for_their_window(name: str) -> None:
    plan, size = LEFT[name]
    world, _ = a_world(size)
    assert fast_lane.takes(world.ports, a_plan(), replace(DROP, size=5)), "a smaller one of another contract"
    assert not fast_lane.takes(world.ports, plan, DROP)


@pytest.mark.parametrize("changes", [{"attempt": 2}, {"trial": True}, {"header_line": None}])
def test_replays_trials_and_wide_headers_wait_for_their_window(changes: dict[str, Any]) -> None:
    world, _ = a_world()
    assert not fast_lane.takes(world.ports, a_plan(), replace(DROP, **changes))


def test_without_a_lane_all_drops_wait_for_their_window() -> None:
    world = World((a_plan(),))
    assert not fast_lane.takes(world.ports, a_plan(), DROP)


def test_small_drop_needs_the_calls_of_the_cost_model() -> None:
    world, fuse = a_world()[0], Fuse()
    drop = world.upload("orders/1.csv", BODY)
    world.deliver_events()
    world.ports.catalog.plan(world.plans[0].sha)
    names = ("store", "ledger", "lane", "delays", "jobs")
    watched: dict[str, Any] = {name: Watched(getattr(world.ports, name), fuse) for name in names}
    assert judge_small(replace(world.ports, **watched), drop, sure)
    assert fuse.calls == sum(one.lone for one in LANE_CALLS)
