"""Uploads on the page: announced by its script, sent to the bucket, and followed until their verdict."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from functions.pages.views.uploads import folder_of
from tests.builders import a_world
from tests.unit.functions.pages.browsing import Browser, Opened, opened

BODY = b"id,note\n1,\n"


@pytest.fixture(scope="module")
def site() -> Iterator[Opened]:
    with opened(a_world()) as running:
        yield running


def announced(key: str, body: bytes = BODY, **changes: Any) -> str:
    return json.dumps({"key": key, "size": len(body), "sha256": hashlib.sha256(body).hexdigest()} | changes)


def put(url: str, body: bytes) -> str:
    """Send a file as the script does; the version."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=60)
    try:
        connection.request("PUT", parts.path, body)
        return str(connection.getresponse().headers["x-amz-version-id"])
    finally:
        connection.close()


def test_file_is_announced_sent_and_followed(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    answer = json.loads(sender.ask("/app/uploads", json=announced("orders/1.csv")).text)
    version = put(answer["upload"]["url"], BODY)
    drop = json.loads(sender.ask(f"/app/uploads?key=orders/1.csv&version_id={version}").text)

    assert answer["contract"] == "orders.v1"
    assert (drop["words"], drop["is_done"]) == ("Staged", False)
    assert sender.ask(f"/app/drops/{drop['id']}").status == 200
    assert json.loads(sender.ask("/app/uploads?key=orders/1.csv&version_id=v99").text) == {"id": None}


def test_reasons_come_before_the_transfer(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    shown = sender.ask("/app/uploads", json=announced("orders/wrong.txt"))
    body = json.loads(shown.text)

    assert (shown.status, shown.headers["content-type"]) == (422, "application/problem+json")
    assert body["errors"][0]["message"]
    assert body["errors"][0]["fix"]


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"key": 1}', announced("orders/1.csv", sha256="x"), "x" * 300_000])
def test_what_no_script_of_ours_sends_is_refused(site: Opened, text: str) -> None:
    assert site.browser("shop", "producer").ask("/app/uploads", json=text).status in (413, 422)


@pytest.mark.parametrize(
    ("person", "role", "status"), [("bank", "producer", 404), ("shop", "consumer", 403), ("shop", "operator", 403)]
)
def test_nobody_else_announces(site: Opened, person: str, role: str, status: int) -> None:
    assert site.browser(person, role).ask("/app/uploads", json=announced("orders/1.csv")).status == status


def test_no_other_site_announces(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    for origin in ("https://evil.example.com", "null"):
        assert sender.ask("/app/uploads", json=announced("orders/1.csv"), Origin=origin).status == 403
    assert Browser(sender.origin).ask("/app/uploads", json=announced("orders/1.csv")).status == 401


def test_script_may_ask_the_bucket_from_one_page_alone(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    bucket = re.escape(site.site.landing)
    policy = sender.ask("/app/send").headers["content-security-policy"]

    assert re.search(rf"connect-src 'self' {bucket};", policy)
    assert "connect-src 'self';" in sender.ask("/app").headers["content-security-policy"]
    assert sender.ask("/app/send").text.count("<script ") == 1


def test_keys_of_requests_are_text(site: Opened) -> None:
    sender = site.browser("shop", "producer")
    shown = sender.ask("/app/uploads", json=announced("orders/<script>alert(1)</script>"))
    assert shown.headers["content-type"] == "application/problem+json"
    assert (
        sender.ask(f"/app/uploads?key={quote('<script>')}&version_id=v1").headers["content-type"] == "application/json"
    )


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [("orders/*.csv", "orders/"), ("inmet/*/*.csv", "inmet/"), ("a/b-*/c.csv", "a/"), ("a/b/c.csv", "a/b/")],
)
def test_folder_of_a_pattern_ends_before_what_varies(pattern: str, folder: str) -> None:
    assert folder_of(pattern) == folder
