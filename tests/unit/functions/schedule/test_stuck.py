"""Each item without progress has its cause, and a person's next step."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import pytest

from contracts.errors import DocumentInvalid, ServiceUnavailable
from contracts.terms.file_sets import SetRule
from functions.catalog import Published
from functions.operations.override import reject
from functions.ports.batches import Pause
from functions.ports.ledger import InFlight
from functions.schedule.stuck import EMBEDDED, Stuck, age, stuck
from tests.builders import ZONES, World, a_plan, a_world
from tests.faults import Passing, Stalled

GOOD = b"id,note\n1,a\n"
HOUR = timedelta(hours=1)


def waiting(world: World, bound: timedelta = HOUR) -> dict[str, Stuck]:
    """Return the items without progress after two hours, by kind."""
    world.clock.pass_seconds(7200)
    return {one.what: one for one in stuck(world.ports, bound)}


def on_its_way(*steps: str) -> World:
    """A drop that has come so far."""
    world = a_world()
    world.upload("orders/1.csv", GOOD)
    for step in steps:
        getattr(world, step)()
    return world


def test_what_moves_or_has_ended_is_not_stuck() -> None:
    world = on_its_way("deliver_events")
    assert stuck(world.ports, HOUR) == ()
    world.finish()

    assert waiting(world) == {}


def test_nothing_of_aws_is_named_on_a_laptop() -> None:
    world = on_its_way("deliver_events", "deliver_windows")
    world.clock.pass_seconds(7200)
    texts = [one.do for one in stuck(world.ports, HOUR, EMBEDDED)] + [*asdict(EMBEDDED).values()]

    assert len(texts) > len(asdict(EMBEDDED))
    assert not [t for t in texts if re.search(r"aws|deploy|function|account|MaximumConcurrent", t, re.IGNORECASE)]


def test_staged_drop_waits_for_a_batch() -> None:
    answers = waiting(on_its_way("deliver_events"))

    assert (answers["drop"].state, answers["drop"].waits_for, answers["drop"].key) == (
        "staged",
        "a batch",
        "orders/1.csv",
    )
    assert (answers["window"].waits_for, "sends it again" in answers["window"].do) == ("its message", True)


@pytest.mark.parametrize(
    ("kind", "name", "do"), [("contract", "orders.v1", "orders.v1"), ("producer", "shop", "--producer shop")]
)
def test_held_up_drop_waits_for_the_end_of_a_pause(kind: Any, name: str, do: str) -> None:
    world = on_its_way("deliver_events")
    world.ledger.pause(Pause(kind, name, world.ports.at(), "rule 7"))
    answer = waiting(world)["drop"]

    assert (answer.waits_for, answer.do) == (
        f"the end of a pause of {kind} {name} (rule 7)",
        f"`dropgate resume {do}`.",
    )
    world.deliver_windows()
    window = waiting(world)["window"]
    assert (window.waits_for, window.do) == (answer.waits_for, answer.do)


def test_pause_that_cannot_be_read_is_told_and_hides_nothing() -> None:
    world = on_its_way("deliver_events")
    unreadable = Stalled(world.ledger, "pauses", lambda: None, after=DocumentInvalid("ledger item PAUSES: format 2"))
    world.ports = replace(world.ports, ledger=unreadable)
    answers = waiting(world)

    assert (answers["drop"].waits_for, answers["window"].waits_for) == ("a batch", "its message")
    assert (answers["item"].id, answers["item"].state) == ("PAUSES", "unreadable")


@pytest.mark.parametrize("steps", [("deliver_events",), ("deliver_events", "deliver_windows", "end_jobs")])
def test_plan_that_is_gone_is_what_its_drop_waits_for(steps: tuple[str, ...]) -> None:
    world = on_its_way(*steps)
    world.publish([a_plan("visits.v1", ("visits/*.csv",))])
    where = f"{ZONES.catalog}plans/{a_plan().sha}.json"
    del world.store.objects[where]
    world.ports = replace(world.ports, catalog=Published(world.store, ZONES.catalog))
    world.upload("visits/1.csv", GOOD)
    world.deliver_events()
    world.clock.pass_seconds(7200)
    orders, visits = (one for one in stuck(world.ports, HOUR) if one.what == "drop")

    assert (orders.waits_for, visits.waits_for) == ("a document that cannot be read", "a batch")
    assert orders.do.startswith(f"{where} is named and not there.")


def test_drop_in_a_job_waits_for_the_run() -> None:
    answers = waiting(on_its_way("deliver_events", "deliver_windows"))

    assert answers["drop"].waits_for == "the job run run-1"
    assert "--job-run-id run-1" in answers["drop"].do
    assert answers["batch"].waits_for == "the job run run-1"


def test_job_that_does_not_start_is_told() -> None:
    world = on_its_way("deliver_events")

    def start(*_: Any) -> str:
        raise ServiceUnavailable("quota")

    world.jobs.start = start  # type: ignore[assignment, method-assign]
    with pytest.raises(ServiceUnavailable):
        world.deliver_windows()
    answers = waiting(world)

    assert "could not be started" in answers["drop"].waits_for
    assert answers["batch"].waits_for == "the start of try 1"


def test_withdrawal_waits_for_another_upload_of_the_key() -> None:
    world = on_its_way()
    (first,) = world.finish()
    world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()
    plain, world.store.copy = world.store.copy, lambda *_: (_ for _ in ()).throw(KeyError())  # type: ignore[method-assign]
    with pytest.raises(KeyError):
        world.deliver_jobs()
    world.store.copy = plain  # type: ignore[method-assign]
    reject(world.ports, world.drop(first), "ann", "recalled")
    world.clock.pass_seconds(7200)
    by_id = {one.id: one for one in stuck(world.ports, HOUR)}

    assert by_id[first].waits_for.startswith("another upload of its key")
    (other,) = set(world.drops()) - {first}
    assert by_id[other].waits_for == "its promotion and its receipt"


def a_set(*steps: str) -> World:
    """A file that waits for the marker of its set."""
    rule = SetRule(("day",), 6 * 3600, marker="orders/{day}/_SUCCESS")
    world = a_world([a_plan(files=("orders/{day}/*.csv",), set=rule)])
    world.upload("orders/31/a.csv", GOOD)
    for step in steps:
        getattr(world, step)()
    return world


def test_set_that_nobody_looks_at_is_told() -> None:
    answers = waiting(a_set("deliver_events"))
    assert answers.keys() == {"set"}
    one = answers["set"]

    assert (one.state, one.key) == ("open", "orders.v1, day 31")
    assert one.waits_for == "its decision; 1 file waits for it"


def test_file_of_a_set_that_is_looked_at_is_not_stuck() -> None:
    world = a_set("deliver_events")
    world.clock.pass_seconds(7200)
    world.reconcile()

    assert stuck(world.ports, HOUR) == ()


def test_drop_that_has_begun_to_gather_is_told() -> None:
    world = a_set()
    world.with_ports(lambda port: BehindIndex(port) if port is world.ledger else port)
    world.deliver_events()
    answers = waiting(world)

    assert (answers["drop"].state, answers["drop"].waits_for) == ("gathering", "the rest of its set of files")


class BehindIndex(Passing):
    """A ledger whose index still lists drops that have joined their set."""

    def in_flight(self, before: str, most: int = 1000) -> InFlight:
        open_items: InFlight = self._port.in_flight(before, most)
        return replace(open_items, drops=tuple(self._port._drops.values()))


def test_the_oldest_comes_first_with_its_age() -> None:
    world = on_its_way("deliver_events")
    world.clock.pass_seconds(600)
    world.upload("orders/2.csv", GOOD)
    world.deliver_events()
    world.clock.pass_seconds(7200)
    drops = [one for one in stuck(world.ports, HOUR) if one.what == "drop"]

    assert [one.key for one in drops] == ["orders/1.csv", "orders/2.csv"]
    assert (age(world.ports, drops[0]) or HOUR) > timedelta(hours=2)
