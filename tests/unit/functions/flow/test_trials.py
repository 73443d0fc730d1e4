"""Trials: judged as any drop, with a receipt, and without a trace where consumers and operators look for drops."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from functions import keys
from functions.drop import PROMOTED, STATES, TRIAL_TRANSITIONS, advance
from functions.operations.erase import forget
from functions.operations.override import accept, reject
from functions.operations.replay import replay
from functions.schedule.stuck import Stuck, stuck
from tests.builders import REJECTED, ZONES, Judge, World, a_drop, a_plan, a_world, all_good, one_bad

GOOD = b"id,note\n1,a\n"
AT = "2026-01-31T12:00:01.000000Z"
TRIALS = ZONES.of(trial=True)


def tried(
    judge: Judge, name: str = "orders/1.csv", body: bytes = GOOD, world: World | None = None
) -> tuple[World, str]:
    """Return a world with a trial at its end."""
    world = world or a_world()
    drop_id = world.upload(f"{keys.TRIAL}{name}", body)
    world.finish(judge)
    return world, drop_id


def receipt(world: World, drop_id: str) -> dict[str, object]:
    return dict(json.loads(world.store.get(world.drop(drop_id).receipt or "")))


@pytest.mark.parametrize(("judge", "verdict"), [(all_good, "accepted"), (one_bad, "rejected")])
def test_trial_has_its_verdict_and_receipt(judge: Judge, verdict: str) -> None:
    world, drop_id = tried(judge)
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.name, drop.trial) == ("tried", verdict, "orders/1.csv", True)
    assert world.states(drop_id) == ["received", "staged", "validating", "tried"]
    assert drop.receipt == f"{TRIALS.reports}shop/{drop_id}/1/receipt.json"
    assert (receipt(world, drop_id)["verdict"], receipt(world, drop_id)["trial"]) == (verdict, True)
    assert (receipt(world, drop_id)["key"], receipt(world, drop_id)["promoted"]) == ("orders/1.csv", None)


def test_rejected_rows_of_a_trial_are_beside_its_receipt() -> None:
    world, drop_id = tried(one_bad)

    assert world.store.get(f"{TRIALS.reports}shop/{drop_id}/1/rejected.csv") == REJECTED


def test_trial_refused_at_the_door_ends_there() -> None:
    world, drop_id = tried(all_good, body=b"wrong\n1\n")
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.batch) == ("tried", "rejected", None)
    assert world.states(drop_id) == ["received", "tried"]
    assert drop.source.uri == f"{TRIALS.held}{drop_id}"


def test_trial_of_a_key_that_nobody_claims_ends_without_verdict() -> None:
    world, drop_id = tried(all_good, name="nobody/1.csv")
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.problems[0].code) == ("tried", None, "unmatched")


def test_everything_of_a_trial_is_in_the_folders_of_trials() -> None:
    world, _ = tried(one_bad)

    kept = [uri for zone in ("stage", "held", "jobs", "evidence", "reports") for uri in _uris(world, zone)]
    assert kept
    assert all(f"/{keys.TRIAL}" in uri for uri in kept)
    assert _uris(world, "promoted") == _uris(world, "results") == []


def _uris(world: World, zone: str) -> list[str]:
    home = getattr(ZONES, zone)
    return [f"{home}{name}" for name in world.store.listing(home)]


def test_trials_and_drops_share_no_batch() -> None:
    world = a_world()
    real = world.upload("orders/1.csv", GOOD)
    trial = world.upload(f"{keys.TRIAL}orders/1.csv", GOOD)
    ends = world.finish()

    assert (ends[real].state, ends[trial].state) == ("accepted", "tried")
    assert ends[real].batch != ends[trial].batch


def in_line(world: World, *names: str) -> list[str]:
    """Upload files whose batches are asked for one after the other; return their drops."""
    ids = []
    for name in names:
        ids.append(world.upload(name, GOOD))
        world.deliver_events()
        world.deliver_windows()
    return ids


def test_trials_leave_slots_to_deliveries() -> None:
    world = a_world(contracts=[a_plan(f"{name}.v1", files=[f"{name}/*.csv"]) for name in "abcde"])
    world.ports = replace(world.ports, most_batches=8)
    trials = in_line(world, *(f"{keys.TRIAL}{name}/1.csv" for name in "abc"))
    deliveries = in_line(world, "d/1.csv", "e/1.csv")

    assert [world.drop(d).state for d in trials] == ["validating", "validating", "staged"]
    assert [world.drop(d).state for d in deliveries] == ["validating", "validating"]
    assert [one.waits_for for one in waiting(world) if one.what == "drop" and one.id == trials[2]] == [
        "one of the batches in the 2 slots of trials to end"
    ]


def test_trial_in_line_takes_its_slot_once_one_is_free() -> None:
    world = a_world(contracts=[a_plan(f"{name}.v1", files=[f"{name}/*.csv"]) for name in "abc"])
    world.ports = replace(world.ports, most_batches=4)
    trials = in_line(world, *(f"{keys.TRIAL}{name}/1.csv" for name in "abc"))
    world.reconcile()
    world.deliver_windows()
    before = [world.drop(d).state for d in trials]
    world.deliver_jobs(world.end_jobs())
    world.reconcile()
    world.deliver_windows()

    assert before == ["validating", "staged", "staged"]
    assert [world.drop(d).state for d in trials] == ["tried", "validating", "staged"]


def test_halves_of_a_trial_take_no_slot_of_deliveries() -> None:
    world = a_world()
    world.ports = replace(world.ports, most_batches=9)
    ids = [world.upload(f"{keys.TRIAL}orders/{number}.csv", GOOD) for number in range(4)]
    world.deliver_events()
    world.deliver_windows()
    world.crash_jobs()
    while not (halves := [b for b in world.ledger._batches.values() if b.former]):
        world.deliver_jobs()
        world.crash_jobs()

    assert [b.trial for b in halves] == [True, True]
    assert {b.slot for b in halves} <= {0, 1, None}
    world.finish()
    assert {world.drop(d).state for d in ids} == {"tried"}


def waiting(world: World) -> tuple[Stuck, ...]:
    world.clock.pass_seconds(7200)
    return stuck(world.ports, timedelta(hours=1))


@pytest.mark.parametrize("judge", [all_good, one_bad])
def test_trial_neither_replaces_nor_blocks_a_drop_of_its_key(judge: Judge) -> None:
    world = a_world()
    first = world.upload("orders/1.csv", GOOD)
    world.finish()
    tried(judge, world=world, body=b"id,note\n2,b\n")
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}
    second = world.upload("orders/1.csv", b"id,note\n3,c\n")
    world.finish()

    assert [world.drop(d).state for d in (first, second)] == ["accepted", "accepted"]
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": b"id,note\n3,c\n"}


def test_no_event_leads_a_trial_to_consumers() -> None:
    reached = {to for events in TRIAL_TRANSITIONS.values() for to in events.values()} | {"received"}

    assert reached.isdisjoint({*PROMOTED, "promoting", "rejecting", "rejected", "unmatched", "superseded", "noted"})
    assert reached == TRIAL_TRANSITIONS.keys()


@pytest.mark.parametrize("state", [state for state in STATES if state not in TRIAL_TRANSITIONS])
def test_trial_in_a_state_of_drops_goes_nowhere(state: str) -> None:
    drop = a_drop(state=state, trial=True)

    assert advance(drop, "promoted", AT).drop is drop


def test_people_decide_and_replay_no_trial() -> None:
    world, drop_id = tried(one_bad)
    for act in (accept, reject):
        answer = act(world.ports, world.drop(drop_id), "ana", "because")
        assert "trial" in getattr(answer, "reason", "")
    assert "trial" in getattr(replay(world.ports, drop_id), "reason", "")
    assert world.drop(drop_id).state == "tried"


def test_record_that_hides_its_trial_is_not_promoted() -> None:
    world = a_world()
    drop_id = world.upload(f"{keys.TRIAL}orders/1.csv", GOOD)
    world.deliver_events()
    ledger = world.ledger
    ledger._drops[drop_id] = advance(world.drop(drop_id), "announced", AT, trial=False).drop
    world.finish()

    assert world.drop(drop_id).state == "failed"
    assert world.store.listing(ZONES.promoted) == {}


def test_trial_can_be_erased_before_its_day_is_over() -> None:
    world, drop_id = tried(one_bad)
    forget(world.ports, world.drop(drop_id), "ana", "asked to", lambda _, __: None)

    assert world.drop(drop_id).forgotten
    assert [uri for zone in ("stage", "reports") for uri in _uris(world, zone)] == []
