"""Tokens of forms: a session and the subject of a form in, a token that is good for one act out. Pure.

A token holds a random number and its mark under the session's cookie, which only this browser has, so that no other
site, person or form can make one. The number then is the name of the request, by which a repeat does nothing again.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


def fresh(session: str, subject: str) -> str:
    """Return a new token for a form about a subject."""
    number = secrets.token_hex(16)
    return f"{number}.{_mark(session, subject, number)}"


def number_of(token: str, session: str, subject: str) -> str | None:
    """Return the number of a token; None if the token belongs to another session or subject."""
    number, _, mark = token.partition(".")
    is_ours = hmac.compare_digest(mark.encode(), _mark(session, subject, number).encode())
    return number if is_ours else None


def _mark(session: str, subject: str, number: str) -> str:
    return hmac.new(session.encode(), f"form\0{subject}\0{number}".encode(), hashlib.sha256).hexdigest()
