"""The page in a real Chromium, where the machine has one: signing in, reading, sending a file, sizes, colours."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import a_drop, one_bad
from tests.chromium import CHROMIUM, DRIVER, ENTER, TAB, Chromium, chromium
from tests.unit.functions.pages.a_month import a_month
from tests.unit.functions.pages.browsing import Opened, opened

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver")
HOSTILE = "orders/<img src=x onerror=document.title='XSS'>.csv"
PAGES = (
    "/app",
    "/app/drops",
    "/app/send",
    "/app/contracts",
    "/app/contracts/orders.v1",
    "/app/contracts/orders.v1/history",
    "/app/contracts/orders.v1/versions",
    "/app/contracts/orders.v1/data",
    "/app/lint",
    "/app/data",
    "/app/operations",
    "/app/acts/pause?of=contract:orders.v1",
)
WAIT = 30
LARGEST = 200_000
"""Characters of a page."""


@pytest.fixture(scope="module")
def site() -> Iterator[Opened]:
    world = a_month()
    world.upload("orders/bad.csv", b"order_id,country,amount,ordered_on\n,DE,1,2026-01-31\n")
    world.finish(one_bad)
    world.ledger.open(a_drop(id="d" * 32, name=HOSTILE, key=HOSTILE, state="rejected"))
    with opened(world) as running:
        yield running


@pytest.fixture(scope="module")
def window(site: Opened) -> Iterator[Chromium]:
    with chromium() as one:
        one.show(f"{site.gateway.endpoint}/app/drops")
        one.write("input[name=who]", "shop")
        one.click("input[name=operator]")
        one.click("button")
        assert one.url == f"{site.gateway.endpoint}/app/drops"
        one.complaints()  # of icons that the issuer does not have
        yield one


def status(window: Chromium, wanted: str) -> str:
    """Return what the page says of a file, once it is what a test waits for."""
    for _ in range(WAIT * 5):
        text = str(window.run("return document.getElementById('status').textContent"))
        if wanted in text:
            return text
        time.sleep(0.2)
    raise AssertionError(text)


def test_session_is_a_cookie_that_chromium_keeps_on_loopback(window: Chromium) -> None:
    (name, cookie), *others = window.cookies().items()
    assert (name, others) == ("__Host-dropgate", [])
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Lax")


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (1200, True), (390, False), (320, True)])
def test_every_page_fits_every_screen(site: Opened, window: Chromium, width: int, dark: bool) -> None:
    window.resize(width, dark=dark)
    for path in (*PAGES, f"/app/drops/{'d' * 32}"):
        window.show(f"{site.gateway.endpoint}{path}")
        window.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        if (width, dark) in ((1200, False), (320, True)):  # both colours and both layouts
            assert (path, window.faults()) == (path, [])
        assert int(window.run("return document.documentElement.outerHTML.length")) < LARGEST
        sizes = window.run("const e = document.documentElement; return [e.scrollWidth, e.clientWidth]")
        assert (path, sizes[0]) == (path, sizes[1])
        assert window.run("return document.title") != "XSS"
        background = window.run("return getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(14, 18, 23)" if dark else "rgb(244, 246, 248)")
    assert [text for text in window.complaints() if "favicon" not in text] == []


def test_file_is_sent_and_followed(site: Opened, window: Chromium, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_bytes(b"order_id,country,amount,ordered_on\n1,DE,1,2026-01-31\n")
    window.resize(1200)
    window.show(f"{site.gateway.endpoint}/app/send")
    window.write("input[type=file]", str(tmp_path / "new.csv"))
    assert window.run("return document.getElementById('send').elements.namedItem('key').value") == "orders/new.csv"
    window.click("#send button")

    assert status(window, "Staged").startswith("Staged: ")
    assert [drop.key for drop in site.world.drops().values() if drop.state == "staged"] == ["orders/new.csv"]
    assert [text for text in window.complaints() if "favicon" not in text] == []


def test_reasons_are_shown_before_the_transfer(site: Opened, window: Chromium, tmp_path: Path) -> None:
    (tmp_path / "<b>bad.txt").write_bytes(b"x\n")
    before = len(site.world.drops())
    window.show(f"{site.gateway.endpoint}/app/send")
    window.write("input[type=file]", str(tmp_path / "<b>bad.txt"))
    window.click("#send button")

    status(window, "Nothing was sent")
    text = str(window.run("return document.getElementById('results').innerText"))
    assert "To fix: " in text
    assert "`" not in text
    assert len(site.world.drops()) == before


def test_operator_sees_what_changes_and_judges_again(site: Opened, window: Chromium) -> None:
    (drop,) = [each for each in site.world.drops().values() if each.key == "orders/bad.csv"]
    window.show(f"{site.gateway.endpoint}/app/drops/{drop.id}")
    window.click("a[href^='/app/acts/replay']")
    assert "This was tried without changing anything" in str(window.run("return document.body.innerText"))
    window.click("form.stacked button")  # not confirmed: Chromium sends nothing
    assert site.world.drop(drop.id).attempt == 1
    window.click("input[name=confirmed]")
    window.click("form.stacked button")

    assert window.url == f"{site.gateway.endpoint}/app/drops/{drop.id}?done=replay"
    assert site.world.drop(drop.id).attempt == 2
    assert window.run("return document.querySelectorAll('svg.bar').length") >= 5


def test_steward_reads_a_month_in_pictures_by_keyboard(site: Opened, window: Chromium) -> None:
    window.resize(1200)
    window.show(f"{site.gateway.endpoint}/app/contracts/orders.v1/history")
    assert window.run("return document.querySelectorAll('.chart svg .lower').length") > 40
    height = (
        "const bars = document.querySelectorAll('.chart svg .lower'); return bars[0].getBoundingClientRect().height"
    )
    assert window.run(height) > 50
    window.run("document.querySelector('summary').focus()")
    window.press(ENTER)
    assert window.run("return document.querySelector('details').open")
    assert "2026-01-15" in str(window.run("return document.querySelector('details').innerText"))


def test_file_is_tried_first(site: Opened, window: Chromium, tmp_path: Path) -> None:
    (tmp_path / "trial.csv").write_bytes(b"order_id,country,amount,ordered_on\n1,DE,1,2026-01-31\n")
    window.show(f"{site.gateway.endpoint}/app/send")
    window.write("input[type=file]", str(tmp_path / "trial.csv"))
    window.click("input[name=trial]")
    window.click("#send button")

    status(window, "Staged")
    (drop,) = [each for each in site.world.drops().values() if each.key.endswith("trial.csv")]
    assert drop.trial


def test_keyboard_reaches_all_that_can_be_used(site: Opened, window: Chromium) -> None:
    window.resize(1200)
    for path in ("/app/operations", "/app/contracts/orders.v1/history", f"/app/drops/{'d' * 32}"):
        window.show(f"{site.gateway.endpoint}{path}")
        usable = (
            "const usable = document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary');"
        )
        many = int(window.run(f"{usable} return [...usable].filter(e => e.checkVisibility()).length"))
        window.run("window.reached = new Set(); addEventListener('focusin', e => window.reached.add(e.target))")
        window.press(TAB, many + 40)  # a field for a month has parts of its own
        missed = f"{usable} return [...usable].filter(e => e.checkVisibility() && !window.reached.has(e))"
        assert (path, window.run(f"{missed}.map(e => e.outerHTML)")) == (path, [])
        outline = "return getComputedStyle(document.activeElement).outlineStyle"
        window.run("document.querySelector('nav a').focus()")
        window.press(TAB)
        assert window.run(outline) == "solid"


def test_pages_of_signing_in_and_out_have_no_fault(site: Opened, window: Chromium) -> None:
    for path in (f"/app/drops/{'0' * 32}", "/goodbye", "/login"):
        window.show(f"{site.gateway.endpoint}{path}")
        assert (path, window.faults()) == (path, [])
