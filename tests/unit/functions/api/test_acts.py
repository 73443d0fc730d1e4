"""Acts of operators: replay, accept, reject and pause with reason and dry run, and requests that are repeated."""

from __future__ import annotations

from typing import Any

import pytest

from functions.drop import Drop
from tests.builders import World, a_plan, a_world, one_bad
from tests.unit.functions.api.asking import Answer, Asking

GOOD, BAD = b"id,note\n1,a\n", b"id,note\n,a\n"
WHO = "somebody (login.example.com)"


@pytest.fixture
def world() -> World:
    return a_world(contracts=[a_plan()])


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def act(asking: Asking, path: str, body: Any, key: str | None = None, method: str = "POST", **changes: Any) -> Answer:
    """Ask as an operator, under an Idempotency-Key if there is one."""
    headers = {"idempotency-key": key} if key else {}
    return asking.ask(path, asking.token("operator", **changes), method, body, headers)


def recorded(world: World, drop: str) -> Drop:
    found = world.ledger.drop(drop)
    assert found is not None
    return found


def rejected(world: World) -> str:
    drop = world.upload("orders/1.csv", BAD)
    world.finish(one_bad)
    assert recorded(world, drop).state == "rejected"
    return drop


def accepted(world: World) -> str:
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    assert recorded(world, drop).state == "accepted"
    return drop


def test_rejected_drop_is_judged_again(asking: Asking, world: World) -> None:
    drop = rejected(world)
    dry = act(asking, f"/drops/{drop}/replay", {"dry_run": True})
    assert (dry.status, dry.body["dry_run"], dry.body["drop"]["attempt"]) == (200, True, 1)
    assert recorded(world, drop).attempt == 1

    done = act(asking, f"/drops/{drop}/replay", {})
    assert (done.status, done.body["drop"]["state"], done.body["drop"]["attempt"]) == (200, "received", 2)
    assert recorded(world, drop).attempt == 2


def test_promoted_drop_is_judged_again_only_to_retract(asking: Asking, world: World) -> None:
    drop = accepted(world)
    refused = act(asking, f"/drops/{drop}/replay", {})

    assert refused.status == 409
    assert "its file is promoted" in refused.body["detail"]
    assert act(asking, f"/drops/{drop}/replay", {"retract": True}).body["drop"]["attempt"] == 2


def test_person_accepts_with_name_and_reason(asking: Asking, world: World) -> None:
    drop = rejected(world)
    assert act(asking, f"/drops/{drop}/accept", {"reason": "known gap", "dry_run": True}).status == 200
    assert recorded(world, drop).override is None
    done = act(asking, f"/drops/{drop}/accept", {"reason": "  known\n gap "})

    assert (done.status, done.body["drop"]["state"]) == (200, "promoting")
    override = recorded(world, drop).override
    assert override is not None
    assert (override.by, override.because, override.was) == (WHO, "known gap", "rejected")
    assert act(asking, f"/drops/{drop}/accept", {"reason": "again"}).status == 409


def test_person_rejects_a_promoted_drop(asking: Asking, world: World) -> None:
    drop = accepted(world)
    assert act(asking, f"/drops/{drop}/reject", {"reason": "recalled", "dry_run": True}).status == 200
    assert recorded(world, drop).state == "accepted"

    assert act(asking, f"/drops/{drop}/reject", {"reason": "recalled"}).body["drop"]["state"] == "rejecting"
    assert recorded(world, drop).retracts is not None


@pytest.mark.parametrize("reason", ["", "   ", "x" * 301, "ä" * 200], ids=lambda text: f"{len(text)} of {text[:1]}")
def test_reason_has_bounds(asking: Asking, world: World, reason: str) -> None:
    answer = act(asking, f"/drops/{rejected(world)}/accept", {"reason": reason})

    assert answer.status == 422
    assert [error["place"] for error in answer.body["errors"]] == ["body.reason"]


def test_contract_is_paused_and_resumed(asking: Asking, world: World) -> None:
    wish = {"kind": "contract", "name": "orders.v1", "reason": "rule 7 changes"}
    assert act(asking, "/pauses", wish | {"dry_run": True}).body["paused"] is False
    assert world.ledger.pauses() == ()

    done = act(asking, "/pauses", wish)
    assert (done.status, done.body["pause"]["by"], done.body["paused"]) == (200, WHO, True)
    assert [(p.name, p.reason, p.by) for p in world.ledger.pauses()] == [("orders.v1", "rule 7 changes", WHO)]
    assert act(asking, "/pauses", wish).status == 409
    assert act(asking, "/pauses", wish | {"dry_run": True}).status == 409
    assert act(asking, "/pauses", wish | {"name": "order.v1"}).status == 404
    assert act(asking, "/pauses/contract/orders.v1", None, method="DELETE").body["paused"] is False
    assert world.ledger.pauses() == ()
    assert act(asking, "/pauses/contract/orders.v1", None, method="DELETE").status == 404
    assert act(asking, "/pauses/team/orders.v1", None, method="DELETE").status == 422


def test_repeated_request_gets_the_first_answer_and_acts_once(asking: Asking, world: World) -> None:
    drop = rejected(world)
    first = act(asking, f"/drops/{drop}/replay", {}, "k1")
    again = act(asking, f"/drops/{drop}/replay", {"retract": False}, "k1")

    assert (first.status, again.status) == (200, 200)
    assert again.body == first.body
    assert recorded(world, drop).attempt == 2


def test_key_with_another_request_is_refused(asking: Asking, world: World) -> None:
    drop = rejected(world)
    assert act(asking, f"/drops/{drop}/accept", {"reason": "a"}, "k1").status == 200

    for path, body in (
        (f"/drops/{drop}/accept", {"reason": "b"}),
        (f"/drops/{drop}/reject", {"reason": "a"}),
        ("/pauses", {"kind": "contract", "name": "orders.v1", "reason": "a"}),
    ):
        answer = act(asking, path, body, "k1")
        assert (answer.status, answer.body["errors"][0]["kind"]) == (422, "reused")
    assert world.ledger.pauses() == ()


def test_key_is_the_callers_own(asking: Asking, world: World) -> None:
    drop = rejected(world)
    assert act(asking, f"/drops/{drop}/replay", {}, "k1").status == 200

    assert act(asking, f"/drops/{drop}/replay", {}, "k1", subject="another").status == 409


def test_refused_request_leaves_its_key_free(asking: Asking, world: World) -> None:
    wish = {"kind": "contract", "name": "orders.v1", "reason": "a"}
    assert act(asking, "/pauses", wish | {"name": "none.v1"}, "k1").status == 404

    assert act(asking, "/pauses", wish, "k1").status == 200
    assert len(world.ledger.pauses()) == 1


def test_request_under_way_is_not_begun_twice(asking: Asking, world: World) -> None:
    drop = rejected(world)
    act(asking, f"/drops/{drop}/replay", {"dry_run": True}, "k1")
    ((name, (held, until)),) = asking.requests.held.items()
    asking.requests.begin("x", held.mark, world.clock.now(), until)
    asking.requests.held[name] = asking.requests.held.pop("x")

    assert act(asking, f"/drops/{drop}/replay", {"dry_run": True}, "k1").status == 409


@pytest.mark.parametrize("key", ["x" * 256, "with space", "ümlaut"])
def test_key_has_bounds(asking: Asking, world: World, key: str) -> None:
    assert act(asking, f"/drops/{rejected(world)}/replay", {"dry_run": True}, key).status == 422


def test_answers_end_after_a_day(asking: Asking, world: World) -> None:
    wish = {"kind": "contract", "name": "orders.v1", "reason": "a"}
    assert act(asking, "/pauses", wish, "k1").status == 200
    world.clock.pass_seconds(86_401)

    assert act(asking, "/pauses", wish, "k1").status == 409


def test_repeated_announcement_gets_the_same_address(asking: Asking) -> None:
    body = {"key": "orders/1.csv", "size": 9, "sha256": "0" * 64}
    token, headers = asking.token("shops"), {"idempotency-key": "k1"}
    first, again = (asking.ask("/uploads", token, "POST", body, headers) for _ in range(2))

    assert (first.status, again.body) == (200, first.body)
    assert len(asking.uploads.asked) == 1
    assert asking.ask("/uploads", token, "POST", body | {"size": 8}, headers).status == 422
