"""Tokens of links: they open one receipt, for their time, by the key that signed them, at their own stack."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest

from functions.receipt_link import ReceiptLink, keys_of, opened, token_of

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
DROP = "a" * 32
FIRST, SECOND = (f"{name} {base64.b64encode(name.encode() * 32).decode()} 7" for name in "ab")


def a_token(text: str = FIRST, stack: str = "dropgate", now: datetime = NOW) -> str:
    token = token_of(stack, keys_of(text), DROP, 2, now)
    assert token
    return token


def test_token_opens_its_receipt_for_its_days() -> None:
    keys, token, begin = keys_of(FIRST), a_token(), int(NOW.timestamp())

    assert opened("dropgate", keys, token, NOW) == ReceiptLink(DROP, 2, begin, begin + 7 * 86_400)
    assert opened("dropgate", keys, token, NOW + timedelta(days=7, seconds=-1))
    assert opened("dropgate", keys, token, NOW + timedelta(days=7)) is None
    assert opened("dropgate", keys, token, NOW - timedelta(hours=1)) is None


def test_new_key_signs_and_the_former_one_still_opens() -> None:
    before, both = a_token(FIRST), keys_of(f"{SECOND}\n{FIRST}")

    assert a_token(f"{SECOND}\n{FIRST}").startswith("b.")
    assert opened("dropgate", both, before, NOW)
    assert opened("dropgate", keys_of(SECOND), before, NOW) is None


@pytest.mark.parametrize("part", range(6))
def test_changed_token_opens_nothing(part: int) -> None:
    """Each part is signed; the last one is the signature."""
    parts = a_token().split(".")
    changed = {0: "b", 1: "b" * 32, 2: "1", 3: str(int(parts[3]) - 1), 4: str(int(parts[4]) + 1), 5: "A" * 43}
    parts[part] = changed[part]

    assert opened("dropgate", keys_of(f"{FIRST}\n{SECOND}"), ".".join(parts), NOW) is None


@pytest.mark.parametrize("text", ["", ".", "a" * 5000, f"{'a.' * 5}a", "\u0661", "a\n", "../.."])
def test_text_that_is_no_token_opens_nothing(text: str) -> None:
    assert opened("dropgate", keys_of(FIRST), text, NOW) is None
    assert opened("dropgate", keys_of(FIRST), a_token() + text, NOW) is None or text == ""


def test_token_of_another_stack_opens_nothing() -> None:
    assert opened("dropgate", keys_of(FIRST), a_token(stack="other"), NOW) is None


@pytest.mark.parametrize("text", [None, "", "a", "a short 7", f"{FIRST} 8", FIRST[:-1] + "0", FIRST[:-1] + "91"])
def test_line_that_is_no_key_signs_nothing(text: str | None) -> None:
    assert token_of("dropgate", keys_of(text), DROP, 1, NOW) is None
