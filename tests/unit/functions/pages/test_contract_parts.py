"""Parts of a contract's page: pictures with their numbers, versions with their changes, and lint."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from functions.pages.charts.calendar import SIGNS
from tests.unit.functions.pages.a_month import FIRST, MISSING_DAY, SECOND, a_month
from tests.unit.functions.pages.browsing import Opened, opened

HISTORY, VERSIONS = "/app/contracts/orders.v1/history", "/app/contracts/orders.v1/versions"
RULES = "/app/contracts/orders.v1/rules"


@pytest.fixture(scope="module")
def site() -> Iterator[Opened]:
    with opened(a_month()) as running:
        yield running


def test_calendar_says_each_day_in_a_sign_and_in_words(site: Opened) -> None:
    text = site.browser("ann", "steward").ask(HISTORY).text
    cell = re.search(rf'<td class="bad"><span class="day">{MISSING_DAY}</span>(.*?)</td>', text)

    assert cell is not None
    assert SIGNS["missing"][0] in cell[1]
    assert '<span class="hidden">missing</span>' in cell[1]
    assert text.count('<span class="hidden">arrived, 1 file</span>') == 18


def test_each_picture_has_its_numbers(site: Opened) -> None:
    text = site.browser("ann", "steward").ask(HISTORY).text
    tables = re.findall(r"<details>\n<summary>Numbers</summary>\n<table", text)
    pictures = text.count('<svg role="img"') + text.count('<table class="calendar">')

    assert pictures > 4
    assert len(tables) == pictures - 1  # rows and their shares have one table
    assert "9,137" in text
    assert "fails in 5 of 20 files" in text


def test_checks_that_fail_most_come_first(site: Opened) -> None:
    text = site.browser("ann", "steward").ask(HISTORY).text
    names = re.findall(r'<section class="check-chart">\n<h3><code>(.*?)</code>', text)
    assert names == ["country.minLength", "amount.maximum"]
    assert "9 checks without a failing record" in text


def test_producer_sees_own_history_and_consumer_none(site: Opened) -> None:
    assert site.browser("shop", "producer").ask(HISTORY).status == 200
    assert site.browser("bank", "producer").ask(HISTORY).status == 404
    assert site.browser("ann", "consumer").ask(HISTORY).status == 403
    assert f'href="{HISTORY}"' not in site.browser("ann", "consumer").ask("/app/contracts/orders.v1").text


@pytest.mark.parametrize(("path", "status"), [("?month=2025-12", 200), ("?month=x", 422), ("?month=2026-13", 422)])
def test_month_is_one_of_the_calendar(site: Opened, path: str, status: int) -> None:
    assert site.browser("ann", "steward").ask(f"{HISTORY}{path}").status == status


def test_versions_are_compared_with_the_verdict_of_breaking(site: Opened) -> None:
    person = site.browser("ann", "steward")
    text = person.ask(VERSIONS).text
    assert "From 1.0.0 to 1.1.0" in text
    assert "breaks consumer" in text
    assert "breaks producer" in person.ask(f"{VERSIONS}?old=1.1.0&new=1.0.0").text
    assert person.ask(f"{VERSIONS}?old=9.9.9").status == 200
    assert "No text of orders.v1 9.9.9 was published" in person.ask(f"{VERSIONS}?old=9.9.9").text
    assert site.browser("bank", "producer").ask(VERSIONS).status == 404


def test_text_is_linted_and_shown_again(site: Opened) -> None:
    person = site.browser("ann", "steward")
    assert person.ask("/app/lint").status == 200
    good = person.ask("/app/lint", {"text": SECOND})
    bad = person.ask("/app/lint", {"text": FIRST.replace("minLength", "minLenght") + "# </textarea><img src=x>"})

    assert "It can be published" in good.text
    assert "It cannot be published" in bad.text
    assert re.search(r"error, line \d+, column \d+", bad.text)
    assert "<img" not in bad.text
    assert "# &lt;/textarea&gt;" in bad.text
    assert site.browser("ann", "consumer").ask("/app/lint").status == 403
    assert person.ask("/app/lint", {"text": "x"}, Origin="https://evil.example.com").status == 403


def test_pages_with_pictures_stay_small(site: Opened) -> None:
    person = site.browser("ann", "steward", "operator")
    for path in (HISTORY, VERSIONS, "/app/lint", "/app/drops", "/app/operations"):
        assert len(person.ask(path).text.encode()) < 200_000


def test_rules_are_in_words_and_have_no_script(site: Opened) -> None:
    assert f'href="{RULES}"' in site.browser("shop", "producer").ask("/app/contracts/orders.v1").text
    shown = site.browser("shop", "producer").ask(RULES)

    assert shown.status == 200
    assert re.search(r"amount.*?100,?000", shown.text, re.DOTALL)
    assert shown.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "<script" not in shown.text
    assert site.browser("bank", "producer").ask(RULES).status == 404
