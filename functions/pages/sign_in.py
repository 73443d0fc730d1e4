"""Signing in: the secret of an attempt in, what the issuer is sent and must send back out. Pure.

Authorization code with PKCE (RFC 7636), state (RFC 6749, section 10.12) and nonce (OpenID Connect Core 1.0, section
3.1.2.1). All three are made of one secret that a cookie of the browser keeps, so nothing is recorded before somebody
has signed in.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
TARGET = re.compile(r"/app(/[A-Za-z0-9._~%-]+)*")
"""The paths of the page to which signing in may lead."""
HOME = "/app"
SCOPE = "openid profile email"


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to sign in: its secret, the number of its issuer, and the path where it leads."""

    secret: str
    issuer: int
    target: str = HOME

    @classmethod
    def begin(cls, issuer: int, target: str) -> Self:
        """Return a new attempt; a target that is no path of the page is the home page."""
        return cls(secrets.token_urlsafe(32), issuer, target if TARGET.fullmatch(target) else HOME)

    @classmethod
    def of(cls, cookie: str) -> Self | None:
        """Return the attempt of a cookie; None if it is none."""
        secret, _, rest = cookie.partition(".")
        issuer, _, target = rest.partition(".")
        if not SECRET.fullmatch(secret) or not re.fullmatch(r"[0-9]{1,2}", issuer) or not TARGET.fullmatch(target):
            return None
        return cls(secret, int(issuer), target)

    @property
    def cookie(self) -> str:
        """Return the value of the cookie that keeps the attempt."""
        return f"{self.secret}.{self.issuer}.{self.target}"

    @property
    def state(self) -> str:
        """Return the text that comes back with the code."""
        return self._derived("state")

    @property
    def nonce(self) -> str:
        """Return the text that comes back in the token."""
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        """Return the text that is sent with the code alone."""
        return self._derived("verifier")

    def question(self, client: str, redirect_uri: str) -> str:
        """Return the query of the request for a code."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        return urlencode(
            {
                "response_type": "code",
                "client_id": client,
                "redirect_uri": redirect_uri,
                "scope": SCOPE,
                "state": self.state,
                "nonce": self.nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )

    def exchange(self, client: str, redirect_uri: str, code: str) -> bytes:
        """Return the form that exchanges a code for a token."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "client_id": client,
            "code_verifier": self.verifier,
        }
        return urlencode(form).encode()

    def _derived(self, purpose: str) -> str:
        raw = hmac.digest(self.secret.encode(), purpose.encode(), "sha256")
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")
