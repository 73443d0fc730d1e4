"""A drop that kills its job: halving finds it in a bounded number of runs, and only it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log2

import pytest

from contracts.errors import ServiceUnavailable
from functions import keys
from functions.drop import Drop
from functions.flow.splitting import MOST_SPLITS, MOST_TRIES, split
from functions.operations.replay import Replayed, replay
from functions.ports.batches import Batch, Pause
from functions.ports.jobs import RunStatus
from tests.builders import ZONES, World, a_marked_plan, a_world, reaching
from tests.faults import Passing
from tests.invariants import Watch

GOOD = b"id,note\n1,a\n"


def sent(count: int, *deadly: int, world: World | None = None) -> tuple[World, list[str]]:
    """Drops that share a job, which some of them kill."""
    world = world or a_world()
    names = {f"orders/{n}.csv" for n in deadly}
    world.kills = lambda drop: drop.name in names
    ids = [world.upload(f"orders/{n}.csv", GOOD) for n in range(count)]
    world.deliver_events()
    world.deliver_windows()
    return world, ids


def ended(world: World) -> World:
    """The world once no job is at work any more."""
    watch = Watch(world)
    while runs := world.end_jobs():
        world.deliver_jobs(runs)
        watch.look()
    watch.look_at_the_end()
    return world


def half_dead(world: World) -> World:
    """The world when the tries of its one batch are used up, and its halves are at work."""
    for _ in range(MOST_TRIES):
        world.deliver_jobs(world.crash_jobs())
    return world


def never_begun(world: World) -> None:
    """Let all runs at work end while they wait for workers."""
    runs = world.jobs.working()
    world.jobs.ended |= {run: RunStatus("failed", "CANCELLED", began=False) for run in runs}
    world.deliver_jobs(runs)


def halves(world: World) -> list[Batch]:
    return [b for b in world.ledger._batches.values() if b.former]


@pytest.mark.parametrize("count", [2, 5, 64, 500])
def test_deadly_drop_fails_alone_in_few_runs(count: int) -> None:
    world, ids = sent(count, count // 2)
    ended(world)
    culprit = world.drop(ids[count // 2])

    assert (culprit.state, [p.code for p in culprit.problems]) == ("failed", ["job-killed"])
    assert culprit.receipt
    assert Counter(d.state for d in world.drops().values()) == {"accepted": count - 1, "failed": 1}
    assert len(world.jobs.runs) <= MOST_TRIES + 2 * ceil(log2(count)) + MOST_TRIES - 1


def test_three_deadly_drops_among_many_are_found() -> None:
    world, ids = sent(500, 7, 250, 499)
    ended(world)

    assert [i for i in ids if world.drop(i).state == "failed"] == [ids[7], ids[250], ids[499]]


def test_jobs_that_always_die_are_given_up_in_bounded_runs() -> None:
    world, ids = sent(200, *range(200))
    ended(world)

    assert {world.drop(i).state for i in ids} == {"failed"}
    assert {p.code for i in ids for p in world.drop(i).problems} == {"job-failed"}
    assert len(halves(world)) == 2 * MOST_SPLITS
    assert len(world.jobs.runs) <= MOST_TRIES + 2 * MOST_SPLITS


def test_run_that_never_began_splits_nothing() -> None:
    world, ids = sent(2)
    for _ in range(MOST_TRIES):
        never_begun(world)

    assert [world.drop(i).state for i in ids] == ["failed", "failed"]
    assert halves(world) == []


@pytest.mark.parametrize("count", [2, 4], ids=["alone", "with another"])
def test_half_whose_run_never_began_is_tried_again(count: int) -> None:
    world, ids = sent(count)
    half_dead(world)
    for _ in range(MOST_TRIES - 1):
        never_begun(world)
    assert [b.try_ for b in halves(world)] == [MOST_TRIES, MOST_TRIES]
    ended(world)

    assert {world.drop(i).state for i in ids} == {"accepted"}


def test_half_that_dies_after_it_never_began_is_split() -> None:
    world, ids = sent(4, 0)
    half_dead(world)
    never_begun(world)
    ended(world)

    assert [world.drop(i).state for i in ids] == ["failed", "accepted", "accepted", "accepted"]
    assert [p.code for p in world.drop(ids[0]).problems] == ["job-killed"]


@pytest.mark.parametrize("count", [2, 4], ids=["alone", "with another"])
def test_halves_whose_runs_never_begin_are_given_up_and_blame_no_file(count: int) -> None:
    world, ids = sent(count)
    half_dead(world)
    for _ in range(MOST_TRIES):
        never_begun(world)

    assert world.jobs.working() == []
    assert {p.message for i in ids for p in world.drop(i).problems} == {
        "The job that checks the file ended without a result 3 times."
    }


def test_split_leaves_no_evidence_of_the_dead_run() -> None:
    world, _ = sent(2, 0)
    world.deliver_jobs(world.end_jobs())
    assert list(world.store.listing(ZONES.evidence))
    ended(world)

    assert list(world.store.listing(ZONES.evidence)) == []


def test_repeated_end_of_the_last_try_splits_once() -> None:
    world = half_dead(sent(4)[0])
    batches, runs = dict(world.ledger._batches), dict(world.jobs.runs)
    world.deliver_jobs()

    assert (world.ledger._batches, world.jobs.runs) == (batches, runs)


def test_split_by_somebody_faster_stands() -> None:
    world, _ = sent(4)
    (before,) = world.ledger._batches.values()
    members = world.ledger.drops(before.members)
    first, second = (split(world.ports, before, members, "dead") for _ in range(2))

    assert first == second
    assert len(halves(world)) == 2


def test_halves_of_what_is_paused_go_on() -> None:
    world, ids = sent(2)
    world.ledger.pause(Pause("contract", "orders.v1", world.ports.at()))
    ended(half_dead(world))

    assert [world.drop(i).state for i in ids] == ["accepted", "accepted"]


def test_halves_without_a_place_go_on_and_free_none() -> None:
    world = a_world()
    world.ports = replace(world.ports, most_batches=1)
    world, ids = sent(2, world=world)
    half_dead(world)
    assert [b.slot for b in halves(world)] == [None, None]
    other = world.upload("orders/other.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()

    assert list(world.ledger.taken_slots()) == [0]
    ended(world)
    assert [world.drop(i).state for i in (*ids, other)] == ["accepted"] * 3


@pytest.mark.parametrize("most", [2, 3])
def test_halves_ask_for_other_places_than_the_whole_frees(most: int) -> None:
    for _ in range(10):
        world = a_world()
        world.ports = replace(world.ports, most_batches=most)
        half_dead(sent(2, world=world)[0])
        (whole,) = (b for b in world.ledger._batches.values() if not b.former)
        slots = [b.slot for b in halves(world)]

        assert whole.slot not in slots
        assert len({*slots, None}) == most
        ended(world)


def test_halves_are_judged_by_the_marks_of_the_whole() -> None:
    world = a_world([a_marked_plan()])
    first = world.upload("orders/1.csv", b"id,n\n1,1\n")
    world.deliver_events()
    world.deliver_windows()
    world.deliver_jobs(world.end_jobs(reaching))
    assert world.drop(first).state == "accepted"
    for n in (2, 3):
        world.upload(f"orders/{n}.csv", b"id,n\n1,%d\n" % n)
    world.deliver_events()
    world.deliver_windows()
    half_dead(world)
    marks = world.ledger.watermarks("orders.v1").marks

    assert marks
    assert [b.marks for b in halves(world)] == [marks, marks]


def test_half_has_an_id_and_folders_of_its_own() -> None:
    world, ids = sent(2)
    half_dead(world)
    batches = [world.drop(i).batch for i in ids]

    assert batches == [b.id for b in halves(world)]
    assert batches == [keys.half_id(halves(world)[0].former or "", n) for n in (0, 1)]
    assert f"batch={batches[1]}/" in world.request().evidence_rows


def test_deadly_drop_is_judged_again_by_a_replay() -> None:
    world, ids = sent(2, 0)
    ended(world)
    world.kills = lambda _: False
    assert isinstance(replay(world.ports, ids[0]), Replayed)
    world.finish()

    assert (world.drop(ids[0]).state, world.drop(ids[0]).attempt) == ("accepted", 2)


def left_behind(world: World) -> str:
    """A drop that cannot be read when the job of its half is started."""

    class Silent(Passing):
        """A ledger that returns no drops once there are halves."""

        def drops(self, ids: Sequence[str]) -> tuple[Drop, ...]:
            if halves(world):
                raise ServiceUnavailable("no answer")
            return world.ledger.drops(ids)

    plain, world.ports = world.ports, replace(world.ports, ledger=Silent(world.ledger))
    with pytest.raises(ServiceUnavailable):
        half_dead(world)
    world.ports = plain
    late = halves(world)[0].members[0]
    world.ledger.unreadable.add(late)
    world.reconcile()
    return late


@pytest.mark.parametrize("dies", [False, True])
def test_drop_that_cannot_be_read_when_its_half_starts_settles_once_it_can(dies: bool) -> None:
    world, _ = sent(4)
    late = left_behind(world)
    if dies:
        world.crash_jobs()
    world.finish()
    world.ledger.unreadable.clear()
    world.finish()

    assert {d.state for d in world.drops().values() if d.id != late} == {"accepted"}
    assert (world.drop(late).state, [p.code for p in world.drop(late).problems]) == ("failed", ["result-missing"])
    assert world.ledger.taken_slots() == {}


def test_drop_that_never_came_to_its_half_settles_with_the_half_of_that() -> None:
    world, _ = sent(8)
    left_behind(world)
    world.ledger.unreadable.clear()
    world.deliver_jobs(world.crash_jobs())
    world.finish()

    assert {d.state for d in world.drops().values()} == {"accepted"}
    assert world.ledger.taken_slots() == {}
