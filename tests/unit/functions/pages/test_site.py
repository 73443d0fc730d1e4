"""The site: who sees which page, that texts of others stay texts, and that other sites can do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from contracts.terms.arrival import Arrival
from functions import keys
from functions.api.identity.callers import ROLES
from infra.local.issuer import ASKED
from tests.builders import NOON, ZONES, a_drop, a_plan, a_world
from tests.unit.functions.pages.browsing import Opened, opened

DROP, HOSTILE_DROP = "d" * 32, "e" * 32
PAGES = ("/app", "/app/drops", "/app/contracts", "/app/contracts/orders.v1", "/app/data", "/app/operations")
HOSTILE = "orders/<img src=x onerror=alert(1)>&\"'.csv"
RECEIPT = b"<!DOCTYPE html><html><head><style>p{color:red}</style></head><body><p>Rejected</p></body></html>"


@pytest.fixture(scope="module")
def site() -> Iterator[Opened]:
    world = a_world()
    receipt = f"{keys.report_folder(ZONES, 'shop', DROP, 1)}receipt.json"
    world.store.put(receipt, b'{"rejected_rows": "rejected.csv"}', "application/json")
    world.store.put(receipt.replace(".json", ".html"), RECEIPT, "text/html")
    world.store.put(receipt.replace("receipt.json", "rejected.csv"), b"id\n", "text/csv")
    world.ledger.open(a_drop(id=DROP, state="rejected", receipt=receipt))
    world.ledger.open(a_drop(id=HOSTILE_DROP, key=HOSTILE, name=HOSTILE, sequencer="02"))
    with opened(world) as running:
        yield running


def test_nobody_sees_a_page_before_signing_in(site: Opened) -> None:
    stranger = site.browser()
    shown = stranger.ask(f"/app/drops/{DROP}")
    assert (shown.status, shown.leads_to) == (303, f"/login?to=%2Fapp%2Fdrops%2F{DROP}")
    assert stranger.sign_in("shop", "producer", to=f"/app/drops/{DROP}").leads_to == f"/app/drops/{DROP}"
    assert "orders/1.csv" in stranger.ask(f"/app/drops/{DROP}").text


def test_producer_sees_own_files_alone(site: Opened) -> None:
    own, other = site.browser("shop", "producer"), site.browser("bank", "producer")
    path = "/app/drops"
    assert "orders/1.csv" in own.ask(path).text
    assert "orders/1.csv" not in other.ask(path).text
    for name in ("", "/receipt.html", "/rejected.csv"):
        assert other.ask(f"/app/drops/{DROP}{name}").status == 404


def test_names_of_files_are_text(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    for path in ("/app/drops", f"/app/drops/{HOSTILE_DROP}"):
        shown = sender.ask(path)
        assert "<img" not in shown.text
        assert "&lt;img src=x onerror=alert(1)&gt;&amp;" in shown.text


def test_each_answer_keeps_browsers_strict(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    for path in ("/app", "/login", "/callback", "/goodbye", "/app/drops/none", f"/app/drops/{DROP}/receipt.html"):
        headers = sender.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"].startswith("nosniff")
        assert headers["cache-control"] == "private, no-store"


def test_pages_have_no_script_or_style_of_their_own(site: Opened) -> None:
    sender = site.browser("shop", "producer", "steward", "operator")
    for path in (*PAGES, f"/app/drops/{DROP}"):
        text = sender.ask(path).text
        assert not re.search(r"<style|<script(?![^>]* src=)|<[^<>]*\s(style|on\w+)=", text)
        assert len(text) < 200_000
        assert not re.search(r"(src|href|action)=\"(https?:)?//", text)


def test_cookies_are_of_this_host_and_for_no_script(site: Opened) -> None:
    began = site.browser().sign_in("shop", "producer")
    assert len(began.cookies) == 2
    for cookie in began.cookies:
        assert cookie.startswith("__Host-dropgate")
        assert {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))


def test_session_ends_with_signing_out(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    kept = dict(sender.cookies)
    sender.ask("/logout", {})
    sender.cookies = kept
    assert sender.ask("/app").status == 303


def test_page_of_another_site_ends_no_session(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    assert sender.ask("/logout", {}, Origin="https://evil.example.com").status == 403
    assert sender.ask("/logout", {}, Sec_Fetch_Site="cross-site").status == 403
    assert sender.ask("/logout", {}, Origin="null").status == 403
    assert sender.ask("/app").status == 200


def test_answer_of_another_attempt_begins_no_session(site: Opened) -> None:
    victim, attacker = site.browser(), site.browser()
    question = attacker.ask("/login").leads_to
    form = attacker.fields(question)
    assert set(form) == set(ASKED)
    back = attacker.ask(question.partition("?")[0], {**form, "who": "evil"}).leads_to
    assert victim.ask(back).status == 400  # without an attempt
    victim.ask("/login")
    assert victim.ask(back).status == 400  # with another one
    assert attacker.ask(back).status == 303
    attacker.ask("/login")
    assert attacker.ask(back).status == 400  # the code and its state are of the last attempt


def test_code_is_good_once(site: Opened) -> None:
    person = site.browser()
    question = person.ask("/login").leads_to
    form = person.fields(question)
    back = person.ask(question.partition("?")[0], {**form, "who": "shop", "producer": "yes"}).leads_to
    attempt = dict(person.cookies)
    assert person.ask(back).status == 303
    person.cookies = attempt
    assert person.ask(back).status == 403


def test_signing_in_leads_to_pages_of_this_site_alone(site: Opened) -> None:
    for target in ("https://evil.example.com", "//evil.example.com", "/app/../\\evil", "/app//evil", "/logout"):
        assert site.browser().sign_in("shop", "producer", to=target).leads_to == "/app"


@pytest.mark.parametrize("role", ROLES)
def test_each_role_has_the_pages_that_the_api_would_answer(site: Opened, role: str) -> None:
    person = site.browser("shop", role)
    has = {path for path in PAGES if person.ask(path).status == 200}
    only = {"/app/operations"} if role in ("producer", "consumer") else set()
    assert has == set(PAGES) - only
    for path in has:
        linked = set(re.findall(r'<a href="(/app[^"?]*)"', person.ask(path).text))
        assert {link: person.ask(link).status for link in linked} == dict.fromkeys(linked, 200)


def test_person_without_a_role_sees_nothing_of_files(site: Opened) -> None:
    person = site.browser("shop")
    assert person.ask("/app").status == 200
    assert "orders" not in person.ask("/app").text
    assert person.ask("/app/drops").status == 403


def test_session_ends_after_hours(site: Opened) -> None:
    person = site.browser("shop", "producer")
    before = dict(site.sessions.held)
    try:
        site.sessions.held = {name: replace(each, ends_at=NOON) for name, each in before.items()}
        assert person.ask("/app").status == 303
    finally:
        site.sessions.held = before


def test_files_that_are_to_come_today_are_shown_until_they_came() -> None:
    world = a_world(contracts=[a_plan(arrival=Arrival("18:00"))])
    with opened(world) as running:
        own, other, reader = (
            running.browser(*who) for who in (("shop", "producer"), ("bank", "producer"), ("ann", "consumer"))
        )
        before = own.ask("/app").text
        assert "To come today" in before
        assert "31 Jan 2026, 18:00" in before
        assert "To come today" not in other.ask("/app").text + reader.ask("/app").text
        world.upload("orders/1.csv", b"id,note\n1,a\n")
        world.deliver_events()

        assert "To come today" not in own.ask("/app").text
