"""Tokens for programs: an application's id and secret in, a token with its end out, by an OIDC issuer.

Sources: OpenID Connect Discovery 1.0, section 4; RFC 6749, sections 2.3.1 and 4.4.
"""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, urlencode

from dropgate_client.addresses import address
from dropgate_client.errors import NotConfigured, RequestRefused, Unreachable
from dropgate_client.transport import Answer, Transport

SECONDS = 300
"""The life of a token whose issuer does not name it."""


@dataclass(frozen=True)
class Application:
    """A program as its issuer has it; `scope` and `audience` are asked for if the issuer needs them."""

    issuer: str
    client_id: str
    scope: str = ""
    audience: str = ""


@dataclass(frozen=True)
class Token:
    """A token, and its end in seconds since 1970."""

    value: str = field(repr=False)
    ends_at: float


def fetch(transport: Transport, application: Application, secret: str | None) -> Token:
    """Return a new token of an issuer; raise NotConfigured, RequestRefused or Unreachable."""
    document = _discovery(transport, application.issuer)
    form = {"grant_type": "client_credentials", "scope": application.scope, "audience": application.audience}
    methods = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    if secret and "client_secret_basic" in methods:
        both = f"{quote_plus(application.client_id)}:{quote_plus(secret)}"
        headers["Authorization"] = f"Basic {base64.b64encode(both.encode()).decode()}"
    else:
        form |= {"client_id": application.client_id, "client_secret": secret or ""}
    body = urlencode({name: value for name, value in form.items() if value}).encode()
    endpoint = address(str(document.get("token_endpoint", "")), "The issuer's token_endpoint")
    return _token(transport.send("POST", endpoint, body, headers), application)


def _discovery(transport: Transport, issuer: str) -> dict[str, Any]:
    """Return what an issuer states of itself; a document that names another issuer is none of it (section 4.3)."""
    answer = transport.send("GET", f"{issuer}/.well-known/openid-configuration")
    if answer.status >= 500 or answer.status == 429:
        raise Unreachable(f"The issuer {issuer} answers with {answer.status}: try again later.")
    document = answer.json()
    if answer.status != 200 or not isinstance(document, dict) or "token_endpoint" not in document:
        raise NotConfigured(f"{issuer} is no OpenID Connect issuer (it answers with {answer.status}): check --issuer.")
    if str(document.get("issuer", "")).rstrip("/") != issuer:
        raise NotConfigured(f"{issuer} calls itself {document.get('issuer')}: give that address as --issuer.")
    return document


def _token(answer: Answer, application: Application) -> Token:
    document = answer.json()
    named = document if isinstance(document, dict) else {}
    if answer.status == 200 and isinstance(named.get("access_token"), str):
        seconds = named.get("expires_in")
        lasts = float(seconds) if isinstance(seconds, (int, float)) else float(SECONDS)
        return Token(named["access_token"], time.time() + lasts)
    if answer.status >= 500 or answer.status == 429:
        raise Unreachable(f"The issuer {application.issuer} answers with {answer.status}: try again later.")
    reason = ": ".join(str(named[k]) for k in ("error", "error_description") if named.get(k)) or str(answer.status)
    raise RequestRefused(
        401,
        f"The issuer {application.issuer} gives {application.client_id} no token ({reason}): check "
        "DROPGATE_CLIENT_ID, DROPGATE_CLIENT_SECRET and --scope.",
    )
