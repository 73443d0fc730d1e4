"""The limit of each caller: requests in a minute, refused with the seconds until the next one."""

from __future__ import annotations

import pytest

from tests.builders import World, a_plan, a_world
from tests.unit.functions.api.asking import Asking

MOST = 3


@pytest.fixture
def world() -> World:
    return a_world(contracts=[a_plan()])


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world, per_minute=MOST)


def test_caller_over_its_limit_waits_for_the_next_minute(asking: Asking, world: World) -> None:
    token = asking.token("operator")
    statuses = [asking.ask("/contracts", token).status for _ in range(MOST)]
    refused = asking.ask("/contracts", token)

    assert statuses == [200] * MOST
    assert (refused.status, refused.body["type"]) == (429, "urn:dropgate:problem:429")
    assert refused.headers["Content-Type"] == "application/problem+json"
    seconds = int(refused.headers["Retry-After"])
    assert 1 <= seconds <= 60
    world.clock.pass_seconds(seconds)
    assert asking.ask("/contracts", token).status == 200


def test_limit_is_of_each_caller(asking: Asking) -> None:
    first, second = asking.token("operator", sub="first"), asking.token("operator", sub="second")
    for _ in range(MOST + 1):
        last = asking.ask("/contracts", first)

    assert last.status == 429
    assert asking.ask("/contracts", second).status == 200
    assert asking.ask("/openapi.json").status == 200


def test_refused_requests_write_nothing(asking: Asking) -> None:
    token = asking.token("operator")
    for _ in range(MOST * 4):
        asking.ask("/contracts", token)

    assert list(asking.requests.counts.values()) == [MOST + 1]


def test_requests_without_a_valid_token_count_for_nobody(asking: Asking) -> None:
    for _ in range(MOST * 2):
        assert asking.ask("/contracts", "a.b.c").status == 401

    assert not asking.requests.counts


def test_zero_is_no_limit(world: World) -> None:
    asking = Asking(world)
    token = asking.token("operator")

    assert {asking.ask("/contracts", token).status for _ in range(10)} == {200}
    assert not asking.requests.counts
