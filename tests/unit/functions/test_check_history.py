"""The history of checks: each run of a check with its share, none of a drop whose results are gone."""

from __future__ import annotations

import pytest

from contracts.errors import ServiceUnavailable
from functions.operations.check_history import check_history
from tests.builders import ZONES, a_plan, a_world, one_bad


def test_runs_come_in_the_order_of_drops() -> None:
    world = a_world(contracts=[a_plan()])
    first = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.finish()
    second = world.upload("orders/2.csv", b"id,note\n,a\n")
    world.finish(one_bad)
    drops = [world.drop(second), world.drop(first)]
    runs = check_history(world.store, ZONES.results, drops)["id.required"]

    assert [(run.drop, run.result) for run in runs] == [(second, "failed"), (first, "passed")]
    assert [run.failing_share for run in runs] == pytest.approx([1 / 3, 0])


def test_drop_without_results_has_no_runs() -> None:
    world = a_world(contracts=[a_plan()])
    drop = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    assert check_history(world.store, ZONES.results, [world.drop(drop)]) == {}


def test_store_that_does_not_answer_is_no_empty_history() -> None:
    world = a_world(contracts=[a_plan()])
    drop = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.finish()

    class Silent:
        def get(self, uri: str) -> bytes:
            raise ServiceUnavailable(uri)

    with pytest.raises(ServiceUnavailable):
        check_history(Silent(), ZONES.results, [world.drop(drop)])
