"""Hostile requests: whatever a caller sends is answered by a status below 500, and never raises."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from tests.builders import a_world
from tests.unit.functions.api.asking import Asking, FunctionContext, claims, signed

DEEP = "[" * 5000 + "]" * 5000
BODIES = {
    "deep": DEEP,
    "deep objects": '{"text":' * 5000 + "1" + "}" * 5000,
    "a number of 5,000 digits": f'{{"text": {"9" * 5000}}}',
    "an exponent": '{"text": 1e999999}',
    "half a surrogate pair": '{"text": "\\ud800", "name": "\\ud800"}',
    "a null character": '{"text": "\\u0000", "name": "x"}',
    "no number": '{"text": NaN}',
    "cut short": '{"text": "',
    "a mark of byte order": "\ufeff{}",
    "a list": "[]",
    "nothing": "",
}
UNREADABLE = {
    "no UTF-8": base64.b64encode(b"\xff\xfe{}").decode(),
    "no base64": "!!!",
    "base64 cut short": "e30",
    "JSON in UTF-16": base64.b64encode("{}".encode("utf-16")).decode(),
}
MEDIA_TYPES = ("text/plain", "multipart/form-data", "multipart/form-data; boundary=", "application/xml", "", "\x00")
VALUES = (
    "",
    "0",
    "-1",
    "1e9",
    "9" * 400,
    "\x00",
    "2026-13",
    "0000-01",
    "2026-0\u0661",
    "2026-01\n",
    "../..",
    "%",
    "é",
    "\ud800",
)
NAMES = ("limit", "cursor", "month", "contract", "state", "producer", "search")
LISTS = ("/contracts", "/drops", "/missing", "/slos", "/pauses")
PLACES = (
    f"/contracts/{'x' * 3000}",
    "/contracts/..%2f",
    "/contracts/%00",
    "/contracts/a/b",
    "/contracts/\ud800",
    f"/drops/{'a' * 26}",
    "/drops/" + "\u0663" * 26,
    "/drops/é/receipt",
    "//",
    "/openapi.json/",
    "/OPENAPI.json",
)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE")


@pytest.fixture(scope="module")
def asking() -> Asking:
    return Asking(a_world())


@pytest.fixture(scope="module")
def everybody(asking: Asking) -> str:
    return asking.token("producer", "consumer", "steward", "operator")


def answered(asking: Asking, event: Mapping[str, Any]) -> Mapping[str, Any]:
    context: Any = FunctionContext()
    return asking.api.answer(event, context)


def event(path: str, method: str, token: str, **parts: Any) -> dict[str, Any]:
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"authorization": f"Bearer {token}", **parts.pop("headers", {})},
        "requestContext": {"http": {"method": method, "path": path}, "stage": "$default", "requestId": "1"},
        "isBase64Encoded": False,
        **parts,
    }


@pytest.mark.parametrize("name", BODIES)
def test_any_text_as_a_body_gets_an_answer(asking: Asking, everybody: str, name: str) -> None:
    assert asking.ask("/lint", everybody, "POST", BODIES[name]).status in (200, 400, 422)


@pytest.mark.parametrize("name", UNREADABLE)
def test_bytes_that_are_no_json_are_told_so(asking: Asking, everybody: str, name: str) -> None:
    sent = event("/lint", "POST", everybody, body=UNREADABLE[name], isBase64Encoded=True)

    answer = answered(asking, sent)

    assert answer["statusCode"] == 400
    assert json.loads(answer["body"])["detail"] == "The body is no JSON text in UTF-8 that can be read."


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
@pytest.mark.parametrize("body", [None, "{}", "--x\r\n", "a=1&b"])
def test_other_media_types_are_refused(asking: Asking, everybody: str, media_type: str, body: str | None) -> None:
    sent = event("/lint", "POST", everybody, body=body, headers={"content-type": media_type})

    assert answered(asking, sent)["statusCode"] == 415


def requests() -> Iterator[tuple[str, str, dict[str, str]]]:
    yield from ((path, "GET", {name: value}) for path, name, value in product(LISTS, NAMES, VALUES))
    yield from ((path, method, {}) for path, method in product(PLACES, METHODS))


def test_no_request_is_answered_by_a_fault_of_ours(asking: Asking, everybody: str) -> None:
    statuses = {
        (path, method, *query.items()): answered(
            asking, event(path, method, everybody, **({"queryStringParameters": query} if query else {}))
        )["statusCode"]
        for path, method, query in requests()
    }

    assert len(statuses) > 500
    assert {asked: status for asked, status in statuses.items() if status not in (200, 400, 404, 405, 415, 422)} == {}


@pytest.mark.parametrize("part", ["payload", "header"])
def test_token_that_is_nested_deeply_is_refused(asking: Asking, part: str) -> None:
    header, payload, signature = signed(claims(asking.world)).split(".")
    deep = base64.urlsafe_b64encode(DEEP[2500:-2500].encode()).decode().rstrip("=")
    parts = {"header": header, "payload": payload} | {part: deep}

    answer = asking.ask("/contracts", f"{parts['header']}.{parts['payload']}.{signature}")

    assert answer.status == 401
