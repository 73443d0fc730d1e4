"""A letter as a signed request to a webhook: the CloudEvent, or one that names the events of a digest. Pure.

Signed after Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md): HMAC-SHA256
of `id.timestamp.body` with the bytes behind `whsec_`, as `v1,<base64>`; the id of a message is the same each time that
it is sent, so that a receiver can leave a repeat out.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any

from functions.notices.messages import wording
from functions.ports.notices import Post

if TYPE_CHECKING:
    from datetime import datetime

    from functions.notices.messages.wording import Letter

PREFIX = "whsec_"
LEAST_KEY, MOST_KEY = 24, 64
"""Bytes of a signing secret (Standard Webhooks, "Signature scheme")."""
DIGEST = "dropgate.notices.digest.v1"
"""The type of the event of a digest."""


def signing_key(secret: str) -> bytes | None:
    """Return the bytes of a signing secret; None if it is not one."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if secret.startswith(PREFIX) and LEAST_KEY <= len(key) <= MOST_KEY else None


def webhook(letter: Letter, url: str, key: bytes, now: datetime) -> Post:
    """Return the signed request of a letter."""
    body = json.dumps(_event(letter)).encode()
    at = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/cloudevents+json",
        "webhook-id": letter.id,
        "webhook-timestamp": at,
        "webhook-signature": signature(letter.id, at, body, key),
    }
    return Post(url, body, headers)


def signature(message: str, at: str, body: bytes, key: bytes) -> str:
    """Return the signature of a message."""
    signed = hmac.new(key, b".".join((message.encode(), at.encode(), body)), hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def _event(letter: Letter) -> dict[str, Any]:
    """Return the event as it was on the bus, with the occasion.

    `mayrepeat` marks what may have come before, `unread` counts notices that are left out.
    """
    marks = {
        **({"mayrepeat": True} if letter.may_repeat else {}),
        **({"unread": letter.unread} if letter.unread else {}),
    }
    if entry := letter.only:
        return {**json.loads(entry.notice.event), "occasion": entry.notice.occasion, **marks}
    rows, more = wording.listed(letter)
    last = letter.entries[-1]
    return {
        "specversion": "1.0",
        "id": letter.id,
        "source": last.event.source,
        "type": DIGEST,
        "subject": letter.line.scope,
        "time": last.notice.at,
        "datacontenttype": "application/json",
        **marks,
        "data": {
            "files": len(letter.entries),
            "left_out": more,
            "listed": [{"occasion": occasion, "key": key, "in_short": words} for occasion, key, words in rows],
        },
    }
