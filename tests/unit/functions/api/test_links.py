"""Links that open a receipt: anybody with one reads that page alone, changes nothing, until it ends or is revoked."""

from __future__ import annotations

import base64

import pytest

from functions.drop import Forgotten
from functions.keys import report_folder
from functions.receipt_link import keys_of, token_of
from tests.builders import ZONES, World, a_drop, a_world
from tests.unit.functions.api.asking import Answer, Asking

DROP = "a" * 32
PAGE = b"<html><head><style>p{}</style></head><p>first</p></html>"
KEY = f"first {base64.b64encode(b'k' * 32).decode()} 7"


@pytest.fixture
def world() -> World:
    world = a_world()
    folder = report_folder(ZONES, "shop", DROP, 1)
    world.store.put(f"{folder}receipt.html", PAGE, "text/html")
    world.store.put(f"{folder}rejected.csv", b"id\n1\n", "text/csv")
    world.ledger.open(a_drop(id=DROP, state="rejected", producer="shop", receipt=f"{folder}receipt.json"))
    return world


@pytest.fixture
def asking(world: World) -> Asking:
    asking = Asking(world)
    asking.link_keys["keys"] = KEY
    return asking


def made(asking: Asking) -> str:
    answer = asking.ask(f"/drops/{DROP}/links", asking.token("shops"), "POST")
    assert (answer.status, answer.body["days"]) == (200, 7)
    return str(answer.body["path"])


def is_ended(answer: Answer) -> bool:
    return answer.status == 404 and "link has ended" in answer.body["detail"]


def test_repeated_request_for_a_link_gets_the_same_one(asking: Asking, world: World) -> None:
    def repeated(key: str) -> Answer:
        world.clock.pass_seconds(5)
        return asking.ask(f"/drops/{DROP}/links", asking.token("shops"), "POST", headers={"idempotency-key": key})

    first, again, other = repeated("k1"), repeated("k1"), repeated("k2")
    assert (first.status, again.body) == (200, first.body)
    assert other.body != first.body


def test_link_opens_the_receipt_without_a_token(asking: Asking) -> None:
    answer = asking.ask(made(asking))

    assert (answer.status, answer.text) == (200, PAGE.decode())
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "script" not in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert (headers["x-robots-tag"].split(",")[0], headers["cache-control"]) == ("noindex", "private, no-store")


def test_opening_changes_nothing_however_often(asking: Asking, world: World) -> None:
    path = made(asking)
    before = dict(asking.requests.held), world.ledger.drop(DROP), dict(world.store.objects)

    assert [asking.ask(path).status for _ in range(3)] == [200, 200, 200]
    assert (dict(asking.requests.held), world.ledger.drop(DROP), dict(world.store.objects)) == before


def test_link_ends_after_its_days(asking: Asking, world: World) -> None:
    path = made(asking)
    world.clock.pass_seconds(7 * 86_400)

    assert is_ended(asking.ask(path))


def test_links_of_a_drop_are_revoked_and_later_ones_open(asking: Asking, world: World) -> None:
    path = made(asking)
    assert asking.ask(f"/drops/{DROP}/links", asking.token("operator"), "DELETE").status == 200
    world.clock.pass_seconds(2)

    assert is_ended(asking.ask(path))
    assert asking.ask(made(asking)).status == 200


def test_key_that_is_gone_ends_all_of_its_links(asking: Asking) -> None:
    path, other = made(asking), f"second {base64.b64encode(b'o' * 32).decode()} 7"
    asking.link_keys["keys"] = f"{other}\n{KEY}"
    assert asking.ask(path).status == 200
    asking.link_keys["keys"] = other

    assert is_ended(asking.ask(path))


def test_link_opens_nothing_else(asking: Asking) -> None:
    path = made(asking)

    for other in (f"{path}/rejected.csv", "/receipts/rejected.csv", "/receipts/", f"{path}x", f"/receipts/{DROP}"):
        assert asking.ask(other).status == 404
    assert asking.ask(path, method="POST").status == 404
    assert asking.ask(f"/drops/{DROP}", path.rpartition("/")[2]).status == 401


def test_forgotten_drop_has_no_link(asking: Asking, world: World) -> None:
    at, other = world.ports.at(), "b" * 32
    world.ledger.open(a_drop(id=other, producer="shop", forgotten=Forgotten("a person", "asked", at)))
    world.store.put(f"{report_folder(ZONES, 'shop', other, 1)}receipt.html", PAGE, "text/html")

    assert is_ended(asking.ask(f"/receipts/{token_of('dropgate', keys_of(KEY), other, 1, world.clock.now())}"))


def test_stack_without_a_key_makes_no_link(asking: Asking) -> None:
    del asking.link_keys["keys"]

    assert asking.ask(f"/drops/{DROP}/links", asking.token("shops"), "POST").status == 409
