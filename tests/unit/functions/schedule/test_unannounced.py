"""Uploads that no event announced: how fast they are taken in, by counted calls and a clock that each call moves on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from functions.drop import Location
from functions.ports.store import MARKER_KEPT
from functions.schedule.reconcile import MOST_TIME, reconcile
from functions.schedule.unannounced import LATE, MOST_FOUND
from tests.builders import World, a_plan, a_world

GOOD = b"id,note\n1,a\n2,\n"
CALL = timedelta(milliseconds=40)
"""The time of a call to AWS here: twice that of docs/explanation/cost.md."""
RATE = 350
"""Uploads a minute by which an hour lost at a million a day is made good within two hours."""


class Slow:
    """A port each call of which takes time and is counted."""

    def __init__(self, port: Any, world: World, calls: Counter[str]) -> None:
        self._port, self._world, self._calls = port, world, calls

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._calls[name] += 1
            self._world.clock.pass_seconds(CALL.total_seconds())
            return method(*args, **kwargs)

        return call


def lost(count: int) -> World:
    """A world in which the events of so many uploads never came."""
    world = a_world()
    for n in range(count):
        world.upload(f"orders/{n:05}.csv", GOOD)
    world.events.clear()
    world.clock.pass_seconds(LATE.total_seconds() + 1)
    return world


def test_lost_uploads_come_back_fast_enough_within_the_functions_time(record_property: Any) -> None:
    world = lost(3 * MOST_FOUND)
    calls = Counter[str]()
    world.with_ports(lambda port: Slow(port, world, calls))
    begun, rates = world.clock.now(), []
    for minute in range(3):
        world.clock.pass_seconds(max(0.0, (begun + timedelta(minutes=minute) - world.clock.now()).total_seconds()))
        before, count, made = world.clock.now(), len(world.drops()), calls.total()
        assert reconcile(world.ports) == ()
        taken = len(world.drops()) - count
        took = world.clock.now() - before
        assert took < MOST_TIME
        assert (calls.total() - made) / taken < 10  # what ObjectCreated asks for, and a share of the look
        # Looks begin each minute, also while the one before is at work: one a minute takes its fill.
        rates.append(taken)
    record_property("lost uploads taken in by a look", min(rates))
    assert min(rates) >= RATE
    assert 41_667 / min(rates) + LATE.total_seconds() / 60 < 120
    assert len(world.drops()) == 3 * MOST_FOUND


def test_look_at_an_empty_landing_asks_no_more_than_before() -> None:
    world = a_world()
    calls = Counter[str]()
    world.with_ports(lambda port: Slow(port, world, calls))
    world.clock.pass_seconds(60)
    reconcile(world.ports)
    asked = Counter(dict(calls))
    world.clock.pass_seconds(60)
    reconcile(world.ports)
    assert (calls - asked).total() <= asked.total()
    assert calls["versions"] == 2


@pytest.mark.parametrize("name", ["orders/", "orders/a/", "nobody/a/b/"])
def test_folder_marker_leaves_landing_after_a_day_with_a_name(name: str) -> None:
    world = a_world([replace(a_plan(), files=("orders/**",))])
    marker = world.upload(name, b"")
    file = world.upload("orders/1.csv", GOOD)
    world.finish()
    assert list(world.drops()) == [file]
    world.clock.pass_seconds(MARKER_KEPT.total_seconds())
    world.reconcile()
    world.finish()

    assert (world.drop(marker).state, [p.code for p in world.drop(marker).problems]) == ("unmatched", ["folder-marker"])
    assert world.store.listing("s3://landing/") == {}
    assert world.store.head(Location(world.drop(marker).source.uri))
    assert world.drop(file).state == "accepted"


def test_object_of_bytes_whose_key_ends_in_a_slash_is_a_file() -> None:
    world = a_world([replace(a_plan(), files=("orders/**",))])
    file = world.upload("orders/a/", GOOD)
    world.finish()
    assert world.drop(file).state == "accepted"
