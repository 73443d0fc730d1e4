"""Announced uploads: the door's verdict on key, size and first bytes, and an address for one file of one folder."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from typing import Any

import pytest

from contracts.plan import Plan
from functions.admission.admit import SAMPLE
from functions.keys import drop_id
from functions.ports.web.links import LARGEST_UPLOAD
from tests.builders import ZONES, World, a_plan, a_world
from tests.unit.functions.api.asking import Answer, Asking

GOOD = b"id,note\n1,a\n"
LONG = b"id,note\n" + b"1,a\n" * SAMPLE
LOANS = a_plan("loans.v1", ("loans/*.csv",), producer="bank")


@pytest.fixture
def world() -> World:
    return a_world(contracts=[a_plan(), LOANS])


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def announced(asking: Asking, body: bytes = GOOD, key: str = "orders/1.csv", **changes: Any) -> Answer:
    """Announce a file with its head; a change to None leaves a field out."""
    asked = {
        "key": key,
        "size": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "head": base64.b64encode(body[:SAMPLE]).decode(),
    } | changes
    sent = {name: value for name, value in asked.items() if value is not None}
    return asking.ask("/uploads", asking.token("shops"), "POST", sent)


def kinds(answer: Answer) -> list[tuple[str, str]]:
    return [(error["place"], error["kind"]) for error in answer.body["errors"]]


def test_good_file_gets_an_address_for_itself_alone(asking: Asking) -> None:
    answer = announced(asking)

    assert answer.status == 200
    assert (answer.body["contract"], answer.body["version"], answer.body["checked"]) == ("orders.v1", "1.0.0", "file")
    upload, sha256 = answer.body["upload"], hashlib.sha256(GOOD).hexdigest()
    assert (upload["method"], upload["seconds"]) == ("PUT", 600)
    assert upload["url"].endswith(f"/orders/1.csv?size={len(GOOD)}&sha256={sha256}&session=shop")
    assert answer.body["problems"] == []


@pytest.mark.parametrize(
    ("body", "head", "checked"), [(LONG, ..., "head"), (LONG, None, "name"), (GOOD, None, "name")], ids=str
)
def test_answer_says_how_far_it_looked(asking: Asking, body: bytes, head: Any, checked: str) -> None:
    answer = announced(asking, body, **({} if head is ... else {"head": head}))

    assert (answer.status, answer.body["checked"]) == (200, checked)


@pytest.mark.parametrize(
    "body",
    [b"id;note\n1;a\n", b"note\na\n", b"PK\x03\x04" + b"\0" * 99, b"id,note\n", b"", b"\xff\xfei\0d\0\n\0"],
    ids=str,
)
def test_bad_head_is_refused_as_at_the_door(asking: Asking, world: World, body: bytes) -> None:
    """The refusal has the codes of the drop that the same file becomes."""
    answer = announced(asking, body)
    world.upload("orders/1.csv", body)
    world.deliver_events()
    (drop,) = world.ledger.newest("orders.v1", world.clock.now().strftime("%Y-%m"), "9999", 9)

    assert (answer.status, drop.state) == (422, "rejected")
    assert answer.body["type"] == "urn:dropgate:problem:file-refused"
    assert [error["kind"] for error in answer.body["errors"]] == [problem.code for problem in drop.problems]
    assert all(error["message"] and error["fix"] for error in answer.body["errors"])
    assert asking.uploads.asked == []


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("orders/../1.csv", "name-dot-parts"),
        ("orders/./1.csv", "name-dot-parts"),
        ("orders/a\x00b.csv", "name-characters"),
        ("orders/a\nb.csv", "name-characters"),
        ("orders/_hidden.csv", "name-hidden"),
        (f"orders/{'x' * 1010}.csv", "name-too-long"),
        (f"orders/{'ä' * 600}.csv", "name-too-long"),
        ("orders/1.txt", "unmatched"),
    ],
    ids=lambda text: str(text)[:20],
)
def test_faults_of_a_key_are_found_before_the_transfer(key: str, kind: str) -> None:
    asking = Asking(a_world(contracts=[a_plan(files=("orders/*.csv", "orders/*/*.csv"))]))
    answer = announced(asking, key=key)

    assert answer.status == 422
    assert ("body.key", kind) in kinds(answer)
    assert asking.uploads.asked == []


@pytest.mark.parametrize(
    "key", ["loans/1.csv", "/orders/1.csv", "../orders/1.csv", "none/1.csv", "", "Orders", "o" * 999]
)
def test_key_outside_the_callers_folder_gets_nothing(asking: Asking, key: str) -> None:
    answer = announced(asking, key=key)

    assert answer.status == (404 if key else 422)
    assert "bank" not in answer.text
    assert "loans" not in answer.text
    assert asking.uploads.asked == []


def test_double_slash_stays_a_double_slash() -> None:
    asking = Asking(a_world(contracts=[a_plan(files=("orders/*.csv", "orders//*.csv"))]))

    assert announced(asking, key="orders//1.csv").status == 200
    assert asking.uploads.asked[0].endswith("/orders//1.csv")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"size": -1}, "body.size"),
        ({"size": LARGEST_UPLOAD + 1}, "body.size"),
        ({"size": "many"}, "body.size"),
        ({"sha256": "0" * 63}, "body.sha256"),
        ({"sha256": "G" * 64}, "body.sha256"),
        ({"sha256": "0" * 64}, "body.sha256"),
        ({"head": "%%%"}, "body.head"),
        ({"head": base64.b64encode(GOOD[:5]).decode()}, "body.head"),
        ({"head": base64.b64encode(GOOD + b"x").decode()}, "body.head"),
        ({"head": "A" * 100_000}, "body.head"),
        ({"key": "orders/\ud800.csv"}, "body.key"),
        ({"bucket": "others"}, "body.bucket"),
    ],
    ids=str,
)
def test_request_that_does_not_fit_has_its_place(asking: Asking, changes: dict[str, Any], place: str) -> None:
    answer = announced(asking, **changes)

    assert answer.status == 422
    assert [error["place"] for error in answer.body["errors"]] == [place]
    assert asking.uploads.asked == []


def test_format_that_needs_more_is_checked_by_name() -> None:
    packed: Plan = a_plan(files=("orders/*.csv.gz",), compression="gzip")
    deep = Asking(a_world(contracts=[packed]))
    whole = b"\x1f\x8b\x08" + b"\0" * (2 * SAMPLE)

    assert announced(deep, whole, "orders/1.csv.gz").body["checked"] == "name"
    assert kinds(announced(deep, b"id,note\n" * SAMPLE, "orders/1.csv.gz")) == [("body.head", "not-compressed")]


def test_contract_that_observes_takes_bad_heads_and_no_bad_names() -> None:
    observing = Asking(a_world(contracts=[replace(a_plan(), mode="observe")]))
    answer = announced(observing, b"note\na\n")

    assert answer.status == 200
    assert [problem["code"] for problem in answer.body["problems"]] == ["missing-column"]
    assert announced(observing, key="orders/_1.csv").status == 422


def test_nothing_is_claimed_before_the_first_publish(asking: Asking, world: World) -> None:
    world.store.clear(ZONES.catalog)

    assert announced(asking).status == 404


def test_drop_of_an_upload_is_found_by_its_version(asking: Asking, world: World) -> None:
    token = asking.token("shops")
    drop = world.upload("orders/1.csv", GOOD)
    query = {"key": "orders/1.csv", "version_id": "none"}

    assert asking.ask("/drops", token, query=query).body == {"drops": [], "next": None}
    world.deliver_events()
    known = world.ledger.drop(drop)
    assert known is not None
    query["version_id"] = known.version_id
    assert drop == drop_id(known.bucket, known.key, known.version_id)
    assert [each["id"] for each in asking.ask("/drops", token, query=query).body["drops"]] == [drop]
    by_key = {"key": "orders/1.csv", "month": known.received_at[:7]}
    assert [each["id"] for each in asking.ask("/drops", token, query=by_key).body["drops"]] == [drop]
    assert asking.ask("/drops", token, query=by_key | {"key": "orders/2.csv"}).body["drops"] == []
    others = asking.token("producer", folders=["bank"])
    assert asking.ask("/drops", others, query=query).body["drops"] == []
    assert asking.ask("/drops", token, query={"version_id": "x"}).status == 422


def test_trial_gets_an_address_in_the_folder_of_trials(asking: Asking) -> None:
    answer = announced(asking, trial=True)

    assert (answer.status, answer.body["trial"], answer.body["key"]) == (200, True, "orders/1.csv")
    assert "/_trial/orders/1.csv?" in answer.body["upload"]["url"]
    assert announced(asking).body["trial"] is False


def test_trial_is_refused_for_the_same_reasons(asking: Asking) -> None:
    for body, key in ((b"id\n1\n", "orders/1.csv"), (GOOD, "order/1.csv"), (GOOD, "loans/1.csv")):
        delivery, trial = announced(asking, body, key), announced(asking, body, key, trial=True)
        assert (trial.status, trial.body) == (delivery.status, delivery.body)
        assert trial.status in (404, 422)


def test_nobody_delivers_into_the_folder_of_trials_by_its_key(asking: Asking) -> None:
    assert announced(asking, key="_trial/orders/1.csv").status == 404


def test_trials_are_listed_when_asked_for(asking: Asking, world: World) -> None:
    drop, trial = world.upload("orders/1.csv", GOOD), world.upload("_trial/orders/1.csv", GOOD)
    world.finish()
    version = world.drop(trial).version_id
    token = asking.token("shops")

    def listed(**query: str) -> list[tuple[str, bool]]:
        return [(one["id"], one["trial"]) for one in asking.ask("/drops", token, query=query).body["drops"]]

    assert listed() == listed(key="orders/1.csv") == [(drop, False)]
    assert listed(trial="true") == listed(key="orders/1.csv", trial="true") == [(trial, True)]
    assert listed(key="orders/1.csv", version_id=version) == []
    assert listed(key="orders/1.csv", version_id=version, trial="true") == [(trial, True)]
