"""Reads of those who run a stack: what is open and stuck, queue depths, and notices with what came of them."""

from __future__ import annotations

import pytest

from contracts.terms.arrival import Arrival
from contracts.terms.notices import Channel
from functions.costs.cost import Load, bill
from functions.ports.batches import Pause
from functions.ports.expected_files import Absence
from functions.ports.notices import Line, Message, Notice
from functions.schedule.stuck import stuck
from tests.builders import World, a_drop, a_plan, a_world
from tests.unit.functions.api.asking import Asking

AT = "2026-01-31T12:00:00.000000Z"
MAIL = Line("l1", "orders.v1", Channel("email", "reader@example.org"), last=2, settled=1)


@pytest.fixture
def world() -> World:
    return a_world(contracts=[a_plan(arrival=Arrival("06:00"))])


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def test_health_counts_what_is_open_by_state(asking: Asking, world: World) -> None:
    world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    world.clock.pass_seconds(60)
    body = asking.ask("/health", asking.token("operator")).body

    assert body["open"] == {
        "drops": {"staged": 1},
        "batches": 0,
        "windows": 1,
        "sets": 0,
        "unreadable": 0,
        "are_least": False,
    }
    assert body["stuck"] == []
    assert body["queues"] == [{"name": "object-created", "waiting": 2, "under_way": 1, "delayed": 0}]


def test_health_has_the_causes_of_the_command_line(asking: Asking, world: World) -> None:
    world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    world.ledger.pause(Pause("contract", "orders.v1", AT, "a test", by="ops"))
    world.clock.pass_seconds(3600)
    body = asking.ask("/health", asking.token("operator")).body
    wanted = stuck(world.ports, world.clock.now() - world.clock.now().replace(minute=45))

    assert [(each["what"], each["waits_for"]) for each in body["stuck"]] == [(w.what, w.waits_for) for w in wanted]
    assert "the end of a pause of contract orders.v1 (a test)" in {each["waits_for"] for each in body["stuck"]}
    assert body["pauses"] == 1
    query = {"minutes": "120"}
    assert asking.ask("/health", asking.token("operator"), query=query).body["stuck"] == []


def test_costs_are_those_of_the_model_for_the_load_of_the_month(asking: Asking, world: World) -> None:
    empty = asking.ask("/costs", asking.token("operator")).body
    assert (empty["drops_read"], empty["dollars_a_month"]) == (0, empty["dollars_without_drops"])
    world.ledger.open(a_drop(size=1_000_000, received_at=world.ports.at()))
    body = asking.ask("/costs", asking.token("operator")).body
    wanted = bill(Load(body["drops_a_day"], 1_000_000))

    assert (body["drops_read"], body["contracts"], body["mean_bytes"]) == (1, 1, 1_000_000)
    assert body["dollars_a_month"] == pytest.approx(wanted.dollars, rel=0.05)
    assert sum(body["services"].values()) == pytest.approx(body["dollars_a_month"], abs=0.1)
    assert body["dollars_a_month"] > body["dollars_without_drops"] == empty["dollars_without_drops"] > 0


@pytest.mark.parametrize("minutes", ["-1", "43201", "x"])
def test_minutes_have_bounds(asking: Asking, minutes: str) -> None:
    answer = asking.ask("/health", asking.token("operator"), query={"minutes": minutes})

    assert (answer.status, answer.body["errors"][0]["place"]) == (422, "query.minutes")


def test_notices_of_a_drop_have_what_came_of_them(asking: Asking, world: World) -> None:
    drop = a_drop(state="rejected")
    world.ledger.open(drop)
    asking.notices.lines["l1"] = MAIL
    asking.notices.notices["l1"] = [
        Notice("l1", 1, drop.id, "1", "rejected", drop.key, AT, "{}"),
        Notice("l1", 2, drop.id, "2", "recovered", drop.key, AT, "{}"),
    ]
    asking.notices.messages["l1"] = [Message("l1", 0, 1, AT, "sent", "250 OK", tries=2, may_repeat=True)]
    body = asking.ask(f"/drops/{drop.id}/notices", asking.token("operator")).body

    assert [(n["occasion"], n["result"], n["answer"]) for n in body["notices"]] == [
        ("rejected", "sent", "250 OK"),
        ("recovered", "waiting", None),
    ]
    assert body["notices"][0] == {
        "about": drop.id,
        "occasion": "rejected",
        "service": "email",
        "to": "reader@example.org",
        "at": AT,
        "result": "sent",
        "sent_at": AT,
        "answer": "250 OK",
        "tries": 2,
        "may_repeat": True,
        "returned": None,
    }


def test_notices_of_a_contract_are_of_its_missing_days(asking: Asking, world: World) -> None:
    due = "2026-01-30T06:00:00.000000Z"
    world.ledger.write((), Absence("orders.v1", "2026-01-30", 1, 0, due, AT, due))
    asking.notices.lines["l1"] = MAIL
    asking.notices.notices["l1"] = [Notice("l1", 1, "orders.v1/2026-01-30", "1", "missing", "2026-01-30", AT, "{}")]
    ask = "/contracts/orders.v1/notices"

    (told,) = asking.ask(ask, asking.token("steward"), query={"month": "2026-01"}).body["notices"]
    assert (told["about"], told["occasion"], told["result"]) == ("2026-01-30", "missing", "waiting")
    assert asking.ask(ask, asking.token("steward"), query={"month": "2025-12"}).body == {"notices": []}
