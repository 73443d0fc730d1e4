"""`mode: observe`: judged and recorded with its true verdict, and promoted all the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from contracts.terms.file_sets import SetRule
from functions.schedule.reconcile import reconcile
from tests.builders import ZONES, World, a_marked_plan, a_plan, a_world, all_good, one_bad, reaching

GOOD, REFUSED = b"id,note\n1,a\n", b"ID,note\n1,a\n"


def observed(judge: Any, name: str = "orders/1.csv", body: bytes = GOOD, **plan: Any) -> tuple[World, str]:
    """A world in which one drop of a contract that only observes has come to its end."""
    world = a_world([a_plan(mode="observe", **plan)])
    drop_id = world.upload(name, body)
    world.finish(judge)
    return world, drop_id


def receipt(world: World, drop_id: str, kind: str = "json") -> str:
    return world.store.get((world.drop(drop_id).receipt or "").replace("json", kind)).decode()


@pytest.mark.parametrize(("judge", "body"), [(one_bad, GOOD), (all_good, REFUSED)], ids=["by the job", "at the door"])
def test_what_breaks_an_observed_contract_is_promoted_as_such(judge: Any, body: bytes) -> None:
    world, drop_id = observed(judge, body=body)
    drop = world.drop(drop_id)
    last = world.ledger.history(drop_id)[-1]

    assert (drop.state, drop.verdict) == ("observed", "rejected")
    assert (last.state, last.verdict, last.event) == ("observed", "rejected", "promoted_all_the_same")
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": body}


def test_receipt_says_that_the_file_was_promoted_all_the_same() -> None:
    world, drop_id = observed(one_bad)
    document = json.loads(receipt(world, drop_id))

    assert (document["verdict"], document["contract"]["mode"]) == ("rejected", "observe")
    assert document["promoted"] == "s3://promoted/orders.v1/orders/1.csv"
    page = receipt(world, drop_id, "html")
    assert "readers have the file" in page
    assert "Readers did not get" not in page
    assert "Until then readers keep" not in page


def test_what_keeps_an_observed_contract_is_accepted() -> None:
    world, drop_id = observed(all_good)

    assert (world.drop(drop_id).state, json.loads(receipt(world, drop_id))["verdict"]) == ("accepted", "accepted")


def test_what_cannot_be_judged_is_not_promoted() -> None:
    world, drop_id = observed(lambda *_: None)

    assert (world.drop(drop_id).state, world.store.listing(ZONES.promoted)) == ("failed", {})


def test_door_leaves_what_it_refuses_to_the_schedule() -> None:
    world = a_world([a_plan(mode="observe")])
    drop_id = world.upload("orders/1.csv", REFUSED)
    world.deliver_events()

    assert (world.drop(drop_id).state, list(world.store.listing(ZONES.landing))) == ("rejecting", [])
    world.clock.pass_seconds(120)
    reconcile(world.ports)
    assert world.drop(drop_id).state == "observed"


@pytest.mark.parametrize("body", [GOOD, REFUSED], ids=["by the job", "at the door"])
def test_same_key_bars_an_observed_contract_too(body: bytes) -> None:
    world, _ = observed(one_bad, same_key="reject")
    second = world.upload("orders/1.csv", body)
    world.finish(one_bad)

    assert (world.drop(second).state, world.drop(second).problems[0].code) == ("rejected", "key-used")
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}


def test_key_too_long_to_promote_is_rejected() -> None:
    name = f"orders/{'n' * 1010}.csv"
    world, drop_id = observed(all_good, name=name)

    assert (world.drop(drop_id).state, world.store.listing(ZONES.promoted)) == ("rejected", {})


def test_manifest_that_cannot_be_read_is_no_file_to_observe() -> None:
    rule = SetRule(("day",), 3600, manifest="in/{day:%Y-%m-%d}/manifest.json")
    world = a_world([a_plan(files=("in/{day:%Y-%m-%d}/*.csv",), set=rule, mode="observe")])
    drop_id = world.upload("in/2026-01-31/manifest.json", b"no JSON")
    world.finish()

    assert (world.drop(drop_id).state, world.store.listing(ZONES.promoted)) == ("rejected", {})


def test_newer_observed_drop_replaces_the_older() -> None:
    world, first = observed(one_bad)
    second = world.upload("orders/1.csv", REFUSED)
    world.finish(one_bad)

    assert [world.drop(i).state for i in (first, second)] == ["observed"] * 2
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": REFUSED}


def test_observed_drop_moves_the_high_marks() -> None:
    world = a_world([replace(a_marked_plan(), mode="observe")])
    world.upload("orders/bad-9.csv", b"id,n\n,9\n")
    world.finish(reaching)

    assert [int(mark.value) for mark in world.ledger.watermarks("orders.v1").marks] == [9]
