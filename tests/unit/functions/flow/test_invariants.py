"""Each promise can be broken, and who watches sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions.drop import RowCounts
from functions.operations.override import reject
from functions.operations.replay import replay
from functions.ports.store import CopyTag
from tests.builders import ZONES, World, a_plan, a_world
from tests.fakes import Held
from tests.invariants import INVARIANTS, Watch, promoted_is_recorded

GOOD = b"id,note\n1,a\n"
NEW = f"{ZONES.promoted}orders.v1/orders/1.csv"


def promoted_twice(world: World, drop: str) -> None:
    world.store.objects[f"{ZONES.promoted}elsewhere.csv"] = {None: Held(GOOD, CopyTag(drop, 1))}


def of_a_rejected(world: World, drop: str) -> None:
    world.ledger._drops[drop] = replace(world.drop(drop), state="rejected", verdict="rejected", promoted=None)


def bytes_lost(world: World, drop: str) -> None:
    world.store.objects = {
        uri: held
        for uri, held in world.store.objects.items()
        if all(one.tag is None or one.tag.drop != drop for one in held.values())
    }
    world.ledger._drops[drop] = replace(world.drop(drop), state="staged", promoted=None)


def rows_lost(world: World, drop: str) -> None:
    world.ledger._drops[drop] = replace(world.drop(drop), rows=RowCounts(3, 1, 1))


def rewritten(world: World, drop: str) -> None:
    world.ledger._drops[drop] = replace(world.drop(drop), header_line="another")


def untold(world: World, drop: str) -> None:
    world.ledger._steps[drop].pop()


def two_jobs(world: World, _: str) -> None:
    world.jobs.requests["run-2"] = world.jobs.requests["run-1"]
    world.jobs.ended.clear()


def judged_otherwise(world: World, _: str) -> None:
    promises = world.ledger._promises
    promises.periods = {place: replace(one, state="missed") for place, one in promises.periods.items()}


def changed_in_silence(world: World, _: str) -> None:
    standing = world.ledger._promises.standings["orders.v1"]
    (held,) = standing.promises
    world.ledger._promises.standings["orders.v1"] = replace(standing, promises=(replace(held, state="missed"),))


def of_a_trial(world: World, drop: str) -> None:
    world.ledger._drops[drop] = replace(world.drop(drop), trial=True)


BREAKS: dict[str, Callable[[World, str], None]] = {
    "promoted_once": promoted_twice,
    "promoted_is_recorded": of_a_rejected,
    "bytes_are_kept": bytes_lost,
    "rows_add_up": rows_lost,
    "settled_stays": rewritten,
    "history_tells_all": untold,
    "one_job_each": two_jobs,
    "results_stay": judged_otherwise,
    "each_change_has_a_step": changed_in_silence,
    "trials_reach_nobody": of_a_trial,
}
DAILY = Promise("frequency", "frequency", Span(Decimal(1), "d"), period=Span(Decimal(1), "d"))


@pytest.mark.parametrize("name", BREAKS)
def test_broken_promise_is_seen(name: str) -> None:
    world = a_world([a_plan(promises=(DAILY,))])
    world.reconcile()
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    world.clock.pass_seconds(86_400)
    world.reconcile()
    watch = Watch(world)
    watch.look_at_the_end()
    BREAKS[name](world, drop)
    invariant = next(one for one in INVARIANTS if one.__name__ == name)

    assert NEW in world.store.objects or name == "bytes_are_kept"
    with pytest.raises(AssertionError):
        watch.look()
    now = watch.seen()
    with pytest.raises(AssertionError):
        invariant(now, watch.before)


def without_a_plan(world: World, drop: str) -> None:
    world.ledger._drops[drop] = replace(world.drop(drop), plan=None)


def of_another_batch(world: World, drop: str) -> None:
    world.ledger._drops[drop] = replace(world.drop(drop), batch="b" * 32)


def without_a_result(world: World, _: str) -> None:
    for uri in [uri for uri in world.store.objects if uri.endswith("result.jsonl")]:
        del world.store.objects[uri]


def with_half_a_result(world: World, _: str) -> None:
    for uri in [uri for uri in world.store.objects if uri.endswith("result.jsonl")]:
        world.store.put(uri, world.store.get(uri)[:-9], "application/jsonl")


@pytest.mark.parametrize("breach", [without_a_plan, of_another_batch, without_a_result, with_half_a_result])
def test_promoted_byte_without_plan_or_evidence_is_seen(breach: Callable[[World, str], None]) -> None:
    world = a_world()
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    watch = Watch(world)
    watch.look_at_the_end()
    breach(world, drop)

    with pytest.raises(AssertionError):
        promoted_is_recorded(watch.seen(), watch.before)


def test_promoted_attempt_that_is_judged_again_keeps_its_evidence() -> None:
    world = a_world()
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    replay(world.ports, drop, retract=True)
    Watch(world).look()
    steps = world.ledger._steps[drop]
    world.ledger._steps[drop] = [replace(step, batch=None) for step in steps]

    with pytest.raises(AssertionError):
        promoted_is_recorded(Watch(world).seen(), None)


def test_every_promise_is_broken_once() -> None:
    assert set(BREAKS) == {one.__name__ for one in INVARIANTS}


def test_what_is_open_is_seen_at_the_end() -> None:
    world = a_world()
    world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    watch = Watch(world)
    watch.look()

    with pytest.raises(AssertionError):
        watch.look_at_the_end()


def test_table_is_without_what_was_exchanged_and_then_taken_back() -> None:
    world = a_world([a_plan(promote="table")])
    watch = Watch(world)
    world.upload("orders/1.csv", GOOD)
    world.finish()
    newer = world.upload("orders/1.csv", GOOD)
    world.finish()
    reject(world.ports, world.drop(newer), "ann", "recalled")
    watch.look_at_the_end()

    assert [drop.state for drop in world.drops().values()] == ["accepted", "rejected"]
    assert world.tables.rows == {f"{ZONES.promoted}orders.v1/": {}}


def test_rows_may_be_exchanged_more_than_once() -> None:
    world = a_world([a_plan(promote="table")])
    for n in range(3):
        last = world.upload("orders/1.csv", b"id,note\n%d,a\n" % n)
        world.finish()
    Watch(world).look_at_the_end()

    assert world.tables.rows == {f"{ZONES.promoted}orders.v1/": {last: (1, 3)}}


def test_of_two_uploads_of_one_second_either_may_be_the_newer() -> None:
    world = a_world()
    watch = Watch(world)
    first, second = (world.upload("orders/1.csv", b"id,note\n%d,a\n" % n) for n in range(2))
    world.events = [replace(event, sequencer="") for event in world.events]
    world.finish()
    seen = {world.drop(drop).state for drop in (first, second)}
    last = next(drop for drop in (second, first) if world.store.objects[NEW][None].tag == CopyTag(drop, 1))
    reject(world.ports, world.drop(last), "ann", "recalled")
    watch.look_at_the_end()

    assert seen == {"accepted"}
    assert NEW not in world.store.objects
