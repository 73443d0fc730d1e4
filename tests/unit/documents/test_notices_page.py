"""docs/how-to/notices.md: its receiver takes what we sign; docs/reference/notices.md: bad channels are named so."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from contracts.authoring.compiler.lint import lint
from functions.delivery.web import PublicWeb
from functions.notices.messages.webhook import signature, signing_key
from functions.notices.returned import returned
from infra.packaging.bundles import ROOT
from tests.hearing import HOOK, SIGNING, SLACK, Hearing, a_hearing, a_route, an_event
from tests.receivers import Reply, web_receiver
from tests.unit.documents.test_events_page import blocks
from tests.unit.documents.test_notify_page import CONTRACT, HEAD

PAGE = (ROOT / "docs" / "how-to" / "notices.md").read_text(encoding="utf-8")
SECRET = f"whsec_{base64.b64encode(b'k' * 32).decode()}"
BODY = '{"id": "ü"}'.encode()


def genuine() -> Callable[[dict[str, str], bytes, str], bool]:
    """Return the function of the page."""
    names: dict[str, Any] = {}
    exec(blocks(PAGE, "python")[0], names)  # noqa: S102 - our own page
    function: Callable[[dict[str, str], bytes, str], bool] = names["genuine"]
    return function


REFERENCE = (ROOT / "docs" / "reference" / "notices.md").read_text(encoding="utf-8")


def words_of(begin: str) -> str:
    """Return what the page says of a bad channel."""
    (row,) = (row.split(" | ") for row in REFERENCE.splitlines() if row.startswith(f"| {begin} |"))
    return row[2].strip("`")


def failed(world: Hearing) -> str:
    """Return why the message of a rejected file is given up."""
    (sent,) = world.hear(an_event())
    assert sent.given_up
    return sent.answer.text


def test_a_channel_that_the_contract_lacks_is_a_finding(tmp_path: Path) -> None:
    text = HEAD + CONTRACT.replace("producer: [orders-help", "producer: [orders-helpdesk-of-nobody")
    (tmp_path / "orders.v1.yaml").write_text(text, encoding="utf-8")
    faults = [finding for finding in lint((tmp_path,)).findings if finding.level == "error"]

    assert [words_of("of a name that the contract lacks") in fault.message for fault in faults] == [True]


def test_a_secret_that_is_not_there_is_named_as_on_the_page() -> None:
    world = a_hearing(a_route(SLACK))
    world.secrets.secrets = {}

    assert failed(world).startswith(words_of("whose secret is not there"))


def test_a_bounce_is_named_as_on_the_page() -> None:
    bounce = {"bounceType": "Permanent", "bounceSubType": "General", "bouncedRecipients": [{"emailAddress": "a@b.cc"}]}
    back = returned({"mail": {"messageId": "1"}, "bounce": bounce})

    assert back.reason.startswith(words_of("a mail address that bounces"))


def test_a_webhook_that_is_gone_or_points_inward_is_named_as_on_the_page() -> None:
    world = a_hearing(a_route(HOOK))
    inward = PublicWeb(world.clock, resolve=lambda *_: ["169.254.169.254"])
    world.ports = replace(world.ports, web=inward)
    assert failed(world) == words_of("a webhook that points inward")
    with web_receiver() as receiver:
        receiver.replies = [Reply(410, "")]
        world = a_hearing(a_route(HOOK))
        world.secrets.secrets = {HOOK.to: f"{receiver.origin}/hook {SIGNING}"}
        world.ports = replace(world.ports, web=PublicWeb(world.clock, receiver.origin))
        assert failed(world).startswith(words_of("a webhook that is gone"))


def headers(now: datetime | None = None, body: bytes = BODY) -> dict[str, str]:
    at, key = str(int((now or datetime.now(UTC)).timestamp())), signing_key(SECRET)
    assert key
    signed = signature("msg_1", at, body, key)
    return {"webhook-id": "msg_1", "webhook-timestamp": at, "webhook-signature": signed}


def test_receiver_of_the_page_takes_what_we_sign() -> None:
    sent = headers()
    rotated = {**sent, "webhook-signature": f"v1,{base64.b64encode(b'x' * 32).decode()} {sent['webhook-signature']}"}

    assert genuine()(sent, BODY, SECRET)
    assert genuine()(rotated, BODY, SECRET)


@pytest.mark.parametrize(
    ("sent", "body", "secret"),
    [
        (headers(), BODY + b" ", SECRET),
        (headers(), BODY, f"whsec_{base64.b64encode(b'o' * 32).decode()}"),
        (headers(datetime.now(UTC) - timedelta(minutes=6)), BODY, SECRET),
        ({**headers(), "webhook-id": "msg_2"}, BODY, SECRET),
        ({**headers(), "webhook-signature": "v1,"}, BODY, SECRET),
    ],
    ids=["another body", "another secret", "an old request", "another id", "no signature"],
)
def test_receiver_of_the_page_refuses_all_else(sent: dict[str, str], body: bytes, secret: str) -> None:
    assert not genuine()(sent, body, secret)
