"""The event of a step: what it tells, the same each time, and never more than its bound."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import codec
from contracts.place import Place
from contracts.plan import Limit
from contracts.problem import Problem
from contracts.terms.promises import State as PromiseState
from functions.drop import STATES, TRANSITIONS, Drop, Promotion, RowCounts, brief
from functions.events.drop_event import EventPromise, EventState
from functions.events.shape import (
    ERASING,
    READABLE,
    WORDS,
    detail_type,
    event_of_absence,
    event_of_promise,
    event_of_step,
)
from functions.operations.override import reject
from functions.ports.drops import facts_of, step_of
from functions.ports.expected_files import AbsenceStep
from functions.ports.promises import PromiseStep
from tests.builders import a_drop, a_plan, a_world, one_bad
from tests.fakes import ORIGIN, hold_event

AT = "2026-01-31T12:00:00.000000Z"
PROBLEM = Problem("missing-column", "The column `id` is missing.", "Add it.", property="id", place=Place(0))


def event_of(drop: Drop, event: str = "rejected", now: Drop | None = None) -> Any:
    """Return the event of what a drop has become, as JSON."""
    made = event_of_step(ORIGIN, step_of(drop, event), facts_of(drop), a_plan(), now)
    return json.loads(json.dumps(codec.encode(hold_event(made))))


def rejected(**changes: Any) -> Drop:
    facts = {"state": "rejected", "verdict": "rejected", "decided_at": AT, "plan": "p", "producer": "shop", **changes}
    return a_drop(contract="orders.v1", problems=(PROBLEM,), rows=RowCounts(4, 2, 2), **facts)


def test_every_state_has_a_word_and_later_ones_are_reserved() -> None:
    states = {state for part in get_args(EventState) for state in (get_args(part) or (part,))}

    assert WORDS.keys() == states
    assert states - set(STATES) == {"missing", "arrived", *get_args(PromiseState)}
    assert {event for events in TRANSITIONS.values() for event in events} >= ERASING.keys()


def test_event_says_what_a_listener_needs() -> None:
    drop = rejected(receipt="s3://internal/reports/shop/d/1/receipt.json", uploaded_at="2026-01-31T11:59:59Z")
    event = event_of(drop, now=drop)
    data = event["data"]

    assert {name: event[name] for name in ("specversion", "source", "type", "subject", "time", "datacontenttype")} == {
        "specversion": "1.0",
        "source": "/dropgate/memory",
        "type": "dropgate.drop.rejected.v1",
        "subject": drop.id,
        "time": drop.changed_at,
        "datacontenttype": "application/json",
    }
    assert data["contract"] == {"name": "orders.v1", "id": a_plan().id, "version": a_plan().version}
    assert (data["producer"], data["key"], data["state"], data["verdict"]) == ("shop", drop.key, "rejected", "rejected")
    assert (data["engine"], data["trial"], data["attempt"]) == ("admission", False, 1)
    assert data["rows"] == {"read": 4, "valid": 2, "rejected": 2}
    assert data["receipt"] == {"bucket": "internal", "key": "reports/shop/d/1/receipt.json"}
    (problem,) = data["problems"]
    assert (problem["code"], problem["message"], problem["record"]) == (PROBLEM.code, PROBLEM.message, 0)


def test_event_sent_again_is_the_same_whatever_became_of_the_drop() -> None:
    drop = rejected()
    first = event_of(drop, now=drop)
    replayed = replace(drop, attempt=2, step=1, state="received", rows=None, decided_at=None, problems=())
    again = event_of(drop, now=replayed)

    assert again["id"] == first["id"] == f"{drop.id}-0001-0001"
    texts = dict.fromkeys(("level", "message", "fix", "property", "record"))
    (problem,) = first["data"]["problems"]
    assert again == first | {"data": first["data"] | {"problems": [problem | texts]}}


@pytest.mark.parametrize("texts", [{"problems": (), "forgotten": None}, {"decided_at": "2026-02-01T12:00:00.000000Z"}])
def test_texts_that_are_no_longer_the_drops_are_left_out(texts: dict[str, Any]) -> None:
    drop = rejected()

    assert event_of(drop, now=replace(drop, **texts))["data"]["problems"][0]["message"] is None
    assert event_of(drop, now=None)["data"]["problems"][0]["code"] == PROBLEM.code


@pytest.mark.parametrize("state", [state for state, word in WORDS.items() if word == READABLE])
def test_data_is_named_when_it_is_readable_and_not_before(state: Any) -> None:
    drop = a_drop(state="promoting", promoted=Promotion("orders.v1/orders/1.csv", 1))
    end = replace(drop, state=state, step=5)

    assert event_of(drop, "found_good")["data"]["promoted"] is None
    event = event_of(end, "promoted")
    assert event["type"] == "dropgate.drop.promoted.v1"
    assert event["data"]["promoted"] == {
        "kind": "object",
        "bucket": "promoted",
        "key": "orders.v1/orders/1.csv",
        "version": None,
    }
    for erasing, word in ERASING.items():
        event = event_of(end, erasing)
        assert (event["type"], event["data"]["promoted"]) == (f"dropgate.drop.{word.lower()}.v1", None)


def test_one_event_of_each_attempt_begins_a_pipeline() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.finish()
    events = [event for event in world.ledger.events if event.subject == drop_id]

    assert [detail_type(event) for event in events if event.data.promoted] == ["Drop Promoted"]
    assert [event.id for event in events] == sorted({event.id for event in events})
    assert [event.sequence for event in events] == [f"0001-{n:04}" for n in range(1, len(events) + 1)]


@pytest.mark.parametrize(
    ("promote", "expected"),
    [
        ("object", ("object", "orders.v1/orders/1.csv", None)),
        ("rows", ("rows", "orders.v1/orders/1.csv", None)),
        ("table", ("table", "orders.v1/", 1)),
    ],
)
def test_promoted_data_has_its_kind_and_place(promote: Any, expected: tuple[Any, ...]) -> None:
    world = a_world([a_plan(promote=promote, tolerance=Limit(Decimal(1), "rows"), consumers=("risk",))])
    world.upload("orders/1.csv", b"id,note\n1,a\n,b\n")
    world.finish(one_bad)
    (promoted,) = (event.data.promoted for event in world.ledger.events if event.data.promoted)

    assert (promoted.kind, promoted.key, promoted.version) == expected


def test_teams_of_the_contract_are_named() -> None:
    made = event_of_step(ORIGIN, step_of(a_drop(), "created"), facts_of(a_drop()), a_plan(consumers=("risk",)), None)

    assert hold_event(made).data.consumers == ("risk",)


def test_withdrawal_is_told_when_it_is_done() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.finish()
    reject(world.ports, world.drop(drop_id), "ann", "recalled")
    told = [(event.data.state, event.data.withdrawn) for event in world.ledger.events if event.data.attempt == 2]

    assert told == [("rejecting", False), ("rejected", True)]


def test_missing_files_have_an_event_of_their_own() -> None:
    step = AbsenceStep("orders.v1", "2026-01-31", "missing", AT, 1, files=2, came=1, due_at=AT)
    event = hold_event(event_of_absence(ORIGIN, step, a_plan()))
    later = event_of_absence(ORIGIN, replace(step, state="arrived", version=2), None)

    assert (event.type, detail_type(event), event.subject) == (
        "dropgate.files.missing.v1",
        "Files Missing",
        "orders.v1/2026-01-31",
    )
    assert event.data.producer == "shop"
    assert (later.id.rpartition("-")[0], later.sequence) == (event.id.rpartition("-")[0], "0002")


def test_promises_have_an_event_for_each_state() -> None:
    step = PromiseStep("orders.v1", "loadDate", "at_risk", "met", AT, 7, "so old at most", "of today", AT, AT)
    event = hold_event(event_of_promise(ORIGIN, step, a_plan(consumers=("risk",))))
    later = event_of_promise(ORIGIN, replace(step, state="missed", was="at_risk", step=9), None)

    assert (event.type, detail_type(event)) == ("dropgate.promise.at-risk.v1", "Promise At Risk")
    assert (event.subject, event.sequence, event.data.consumers) == ("orders.v1/loadDate", "00000007", ("risk",))
    assert event.data.promise == EventPromise("loadDate", "met", "so old at most", "of today", AT, AT)
    assert (detail_type(later), later.id.rpartition("-")[0]) == ("Promise Missed", event.id.rpartition("-")[0])


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=1100)


@given(key=TEXTS, message=TEXTS, contract=TEXTS, most=st.integers(0, 6))
def test_event_keeps_its_bound(key: str, message: str, contract: str, most: int) -> None:
    key = key.encode()[:1024].decode("utf-8", "ignore")
    problems = brief([Problem("a-code", message, message, property=message)] * most)
    drop = replace(rejected(), key=key, problems=problems, promoted=Promotion(key, 1), state="observed")
    event = event_of_step(
        ORIGIN, step_of(drop, "promoted"), facts_of(drop), replace(a_plan(), id=contract, version=contract), drop
    )
    left = event.data.problems

    hold_event(event)
    assert [each.code for each in left] == [each.code for each in problems[: len(left)]]
    assert (event.data.left_out == ("problems",)) == (len(left) < len(problems))


@pytest.mark.parametrize("character", ["\x01", '"', "é", "€", "😀", "a"])
def test_worst_texts_keep_the_bound(character: str) -> None:
    key = (character * 1024).encode()[:1024].decode("utf-8", "ignore")
    long = character * 2000
    problems = brief([Problem(long[:30], long, long, property=long)] * 5)
    drop = replace(
        rejected(receipt=f"s3://{'b' * 63}/reports/{'p' * 100}/{'d' * 32}/9999/receipt.json"),
        key=key,
        problems=problems,
        promoted=Promotion(f"{'c' * 100}/{key}", 1),
        state="accepted",
        producer="p" * 100,
    )
    plan = replace(a_plan(), id=long, version=long, consumers=tuple(f"{n:02}{'t' * 61}" for n in range(20)))
    event = event_of_step(ORIGIN, step_of(drop, "promoted"), facts_of(drop), plan, drop)

    hold_event(event)
    assert event.data.key == key
    assert (event.data.left_out == ("problems", "consumers")) == (character == "\x01")
