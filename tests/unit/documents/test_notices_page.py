"""docs/how-to/notices.md: its receiver of webhooks takes what we sign, and nothing else."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions.notices.messages.webhook import signature, signing_key
from infra.packaging.bundles import ROOT
from tests.unit.documents.test_events_page import blocks

PAGE = (ROOT / "docs" / "how-to" / "notices.md").read_text(encoding="utf-8")
SECRET = f"whsec_{base64.b64encode(b'k' * 32).decode()}"
BODY = '{"id": "ü"}'.encode()


def genuine() -> Callable[[dict[str, str], bytes, str], bool]:
    """Return the function of the page."""
    names: dict[str, Any] = {}
    exec(blocks(PAGE, "python")[0], names)  # noqa: S102 - our own page
    function: Callable[[dict[str, str], bytes, str], bool] = names["genuine"]
    return function


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
