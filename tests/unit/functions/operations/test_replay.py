"""Rejected, failed and unmatched drops are judged again from the kept bytes, under today's contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.errors import ServiceUnavailable
from functions.drop import State
from functions.operations.replay import NotReplayed, Replayed, replay
from tests.builders import World, a_plan, a_world, one_bad
from tests.faults import Passing

GOOD = b"id,note\n1,a\n"


class NoCopies(Passing):
    """A store that copies nothing at the moment."""

    def copy(self, *_: object) -> object:
        raise ServiceUnavailable("no answer")


def test_unmatched_drop_finds_its_new_contract() -> None:
    world = a_world()
    drop_id = world.upload("visits/1.csv", GOOD)
    world.deliver_events()
    world.publish([a_plan("visits.v1", files=["visits/*.csv"])])
    assert isinstance(replay(world.ports, drop_id), Replayed)
    world.finish()
    drop = world.drop(drop_id)

    assert (drop.state, drop.attempt, drop.contract) == ("accepted", 2, "visits.v1")
    assert world.store.get(f"s3://internal/stage/visits.v1/20260131T1200/{drop_id}/2.csv") == GOOD


def test_refused_drop_is_judged_by_the_new_contract() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", b"id\n1\n")
    world.deliver_events()
    world.publish([a_plan(names=["id"])])
    replay(world.ports, drop_id)
    world.finish()

    assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("accepted", 2)
    receipts = world.store.listing(f"s3://internal/reports/shop/{drop_id}/")
    assert sorted(receipts) == ["1/receipt.html", "1/receipt.json", "2/receipt.html", "2/receipt.json"]


def test_rejected_rows_can_be_judged_again() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish(one_bad)
    replay(world.ports, drop_id)
    world.finish()

    assert world.drop(drop_id).state == "accepted"
    assert world.store.listing("s3://promoted/") == {"orders.v1/orders/1.csv": GOOD}


def test_failed_drop_can_be_judged_again() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish(lambda _, __: None)
    assert world.drop(drop_id).state == "failed"
    replay(world.ports, drop_id)
    world.finish()

    assert (world.drop(drop_id).state, world.drop(drop_id).problems) == ("accepted", ())


def test_same_contract_refuses_again() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", b"id\n1\n")
    world.deliver_events()
    replay(world.ports, drop_id)

    assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("rejected", 2)


def test_promoted_data_is_not_judged_again() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish()
    before = world.drops()
    answer = replay(world.ports, drop_id)

    assert isinstance(answer, NotReplayed)
    assert "--retract" in answer.reason
    assert world.drops() == before


def a_drop_that_is(state: State) -> tuple[World, str]:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    if state == "superseded":
        world.upload("orders/1.csv", GOOD)
        world.events.reverse()
    if state == "vanished":
        world.store.objects.pop("s3://landing/orders/1.csv")
    world.deliver_events()
    if state == "superseded":
        world.finish()
    assert world.drop(drop_id).state == state
    return world, drop_id


@pytest.mark.parametrize(
    ("state", "why"),
    [("staged", "not over"), ("superseded", "newer upload"), ("vanished", "upload the file again")],
)
def test_other_drops_say_why_not(state: State, why: str) -> None:
    world, drop_id = a_drop_that_is(state)
    answer = replay(world.ports, drop_id)

    assert isinstance(answer, NotReplayed)
    assert why in answer.reason


def test_bytes_that_were_replaced_are_not_judged() -> None:
    world = a_world()
    drop_id = world.upload("order/1.csv", GOOD)
    world.deliver_events()
    world.store.put(world.drop(drop_id).source.uri, b"other", "text/csv")
    answer = replay(world.ports, drop_id)

    assert isinstance(answer, NotReplayed)
    assert "uploaded again" in answer.reason


@pytest.mark.parametrize("other", [b"id,note\n9,z\n", b"no header of theirs\n"])
def test_bytes_replaced_during_a_replay_are_not_judged(other: bytes) -> None:
    world = a_world()
    drop_id = world.upload("order/1.csv", GOOD)
    world.deliver_events()
    world.publish([a_plan(files=["order/*.csv"])])
    world.ports = replace(world.ports, store=NoCopies(world.store))  # type: ignore[arg-type]
    replay(world.ports, drop_id)
    world.ports = replace(world.ports, store=world.store)
    world.store.put(world.drop(drop_id).source.uri, other, "text/csv")
    world.reconcile()
    drop = world.drop(drop_id)

    assert (drop.state, drop.problems[0].code) == ("failed", "staged-replaced")
    assert world.store.listing("s3://internal/stage/") == {}


def test_bytes_no_longer_kept_are_not_judged() -> None:
    world = a_world()
    drop_id = world.upload("order/1.csv", GOOD)
    world.deliver_events()
    world.store.delete(world.drop(drop_id).source)
    answer = replay(world.ports, drop_id)

    assert isinstance(answer, NotReplayed)
    assert "no longer kept" in answer.reason


def test_unknown_id_says_where_ids_are() -> None:
    answer = replay(a_world().ports, "x" * 32)

    assert answer == NotReplayed("no drop has this id; `dropgate drops` lists those there are")


def test_older_drop_does_not_come_back_over_a_newer() -> None:
    world = a_world()
    old = world.upload("orders/1.csv", GOOD)
    world.finish(one_bad)
    world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()
    replay(world.ports, old)
    world.finish()

    assert world.drop(old).state == "superseded"
    assert world.store.listing("s3://promoted/") == {"orders.v1/orders/1.csv": b"id,note\n2,b\n"}
