"""Links that open one receipt: keys and a drop in, a token out, and back. Pure.

A token is signed by HMAC-SHA256 (RFC 2104) and names its key: a new key takes over while the former one still opens
what it signed, and a key that is gone ends all of its links at once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

SECRET = "keys"  # noqa: S105 - the name of a parameter
"""The parameter with the keys, in the folder of links."""
LEAST_BYTES = 32
"""Bytes of a key: no fewer than those of the hash (RFC 2104, section 3)."""
MOST_DAYS = 90
LEEWAY = 60
"""Seconds that clocks may differ."""
LINE = re.compile(r"([A-Za-z0-9_-]{1,32})[ \t]+([A-Za-z0-9+/=_-]{43,200})[ \t]+([0-9]{1,2})", re.ASCII)
TOKEN = re.compile(
    r"([A-Za-z0-9_-]{1,32})\.([a-z0-9]{32})\.([0-9]{1,6})\.([0-9]{9,11})\.([0-9]{9,11})\.([A-Za-z0-9_-]{43})", re.ASCII
)


@dataclass(frozen=True, slots=True)
class LinkKey:
    """A key by its name, and the days for which its links open their receipts."""

    id: str
    key: bytes
    days: int


@dataclass(frozen=True, slots=True)
class ReceiptLink:
    """The receipt that a link opens: that of one attempt; `issued` and `ends` are seconds since 1970."""

    drop: str
    attempt: int
    issued: int
    ends: int


def keys_of(text: str | None) -> tuple[LinkKey, ...]:
    """Return the keys of a parameter, a line each: name, 32 bytes or more in base64, days. The first one signs."""
    return tuple(key for line in (text or "").splitlines() if (key := _key(line.strip())))


def _key(line: str) -> LinkKey | None:
    match = LINE.fullmatch(line)
    if match is None or not 0 < int(match[3]) <= MOST_DAYS:
        return None
    try:
        key = base64.b64decode(match[2].replace("-", "+").replace("_", "/") + "==")
    except binascii.Error:
        return None
    return LinkKey(match[1], key, int(match[3])) if len(key) >= LEAST_BYTES else None


def token_of(stack: str, keys: Sequence[LinkKey], drop: str, attempt: int, now: datetime) -> str | None:
    """Return the token that opens the receipt of an attempt from now on; None without a key."""
    if not keys:
        return None
    issued = int(now.timestamp())
    link = ReceiptLink(drop, attempt, issued, issued + keys[0].days * 86_400)
    return f"{keys[0].id}.{drop}.{attempt}.{issued}.{link.ends}.{_signature(stack, keys[0], link)}"


def opened(stack: str, keys: Sequence[LinkKey], token: str, now: datetime) -> ReceiptLink | None:
    """Return the receipt that a token opens now; None if it has ended, or none of these keys has signed it."""
    match = TOKEN.fullmatch(token)
    key = next((each for each in keys if match and each.id == match[1]), None)
    if match is None or key is None:
        return None
    link = ReceiptLink(match[2], int(match[3]), int(match[4]), int(match[5]))
    if not hmac.compare_digest(_signature(stack, key, link), match[6]):
        return None
    return link if link.issued - LEEWAY <= now.timestamp() < link.ends else None


def _signature(stack: str, key: LinkKey, link: ReceiptLink) -> str:
    text = "\0".join(("receipt", stack, key.id, link.drop, str(link.attempt), str(link.issued), str(link.ends)))
    digest = hmac.new(key.key, text.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
