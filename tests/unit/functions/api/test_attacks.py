"""Attacks on answers and tokens: pages in frames, scripts in texts of others, tokens for other uses, huge bodies."""

from __future__ import annotations

import base64
import json

import pytest

from functions.api.models.lint import LARGEST_TEXT
from functions.keys import report_folder
from functions.receipt_link import keys_of, token_of
from tests.builders import ZONES, World, a_drop, a_world
from tests.unit.functions.api.asking import Answer, Asking, claims, signed

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
DROP = "a" * 32
KEY = f"first {base64.b64encode(b'k' * 32).decode()} 7"


@pytest.fixture
def world() -> World:
    world = a_world()
    folder = report_folder(ZONES, "shop", DROP, 1)
    page = b"<html><head><style>p{}</style></head><p>a</p></html>"
    world.store.put(f"{folder}receipt.html", page, "text/html")
    receipt = {"format": 1, "problems": [], "checks": [], "file": {"name": EVIL, "size": 1}, "rejected_rows": EVIL}
    world.store.put(f"{folder}receipt.json", json.dumps(receipt).encode(), "application/json")
    drop = a_drop(id=DROP, state="rejected", producer="shop", key=f"orders/{EVIL}", receipt=f"{folder}receipt.json")
    world.ledger.open(drop)
    return world


@pytest.fixture
def asking(world: World) -> Asking:
    asking = Asking(world)
    asking.link_keys["keys"] = KEY
    return asking


def pages(asking: Asking, world: World) -> list[Answer]:
    """Return each kind of answer that a browser shows as a page."""
    link = token_of("dropgate", keys_of(KEY), DROP, 1, world.clock.now())
    return [asking.ask(f"/drops/{DROP}/receipt.html", asking.token("shops")), asking.ask(f"/receipts/{link}")]


def test_pages_are_shown_in_no_frame_and_run_no_script(asking: Asking, world: World) -> None:
    for answer in pages(asking, world):
        policy = answer.headers["Content-Security-Policy"]
        assert answer.status == 200
        assert "frame-ancestors 'none'" in policy
        assert "sandbox" in policy
        assert "allow-scripts" not in policy
        assert "form-action 'none'" in policy


@pytest.mark.parametrize(
    "path",
    ["/contracts", "/drops?", f"/drops/{DROP}", f"/drops/{DROP}/receipt", "/nothing", "/openapi.json", "/receipts/x"],
)
def test_no_answer_is_read_as_anything_else(asking: Asking, path: str) -> None:
    """Texts of others are in JSON, which no browser takes for a page."""
    for token in (asking.token("shops"), None):
        answer = asking.ask(path, token)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Content-Type"] in ("application/json", "application/problem+json")


def test_name_of_rejected_rows_leads_nowhere_else(asking: Asking) -> None:
    """A receipt that names another file gives no address to it."""
    assert asking.ask(f"/drops/{DROP}/rejected-rows", asking.token("shops")).status == 404


def test_tokens_for_something_else_are_refused(asking: Asking, world: World) -> None:
    page = signed(claims(world, groups=["operator"], aud="the-page"))
    both = signed(claims(world, groups=["operator"], aud=None, client_id="dropgate"))
    link = token_of("dropgate", keys_of(KEY), DROP, 1, world.clock.now())

    assert [asking.ask(f"/drops/{DROP}", token).status for token in (page, both, link)] == [401, 401, 401]
    assert asking.ask(f"/receipts/{asking.token('operator')}").status == 404


def test_roles_of_another_claim_give_nothing(asking: Asking) -> None:
    token = asking.token(roles=["operator"], scope="operator", folders=["shop"])

    assert asking.ask("/drops", token).status == 403


@pytest.mark.parametrize("path", ["/lint", "/uploads", "/api/v1/workload", "/v1/validation/start"])
def test_body_that_is_too_large_is_refused(asking: Asking, path: str) -> None:
    body = {"text": "x" * (LARGEST_TEXT + 1), "key": "x" * 100_000, "workloadId": "x" * 100_000}

    assert asking.ask(path, asking.token("shops"), "POST", body).status in (400, 422)
