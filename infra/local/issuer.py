"""An OIDC issuer on loopback: a name and a role in, a token of an hour out; for the embedded stack's API alone.

It has the two documents that a verifier reads (OpenID Connect Discovery 1.0; RFC 7517), a token endpoint for client
credentials (RFC 6749, section 4.4), and a form on which people choose who they are, with a code for the page (section
4.1, RFC 7636). It asks for no secret: whoever can send requests to this machine may have any role, as they may have any
right of the embedded cloud. Its key is made at each start.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlencode

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from functions.api.identity.callers import ROLES
from infra.local.loopback import Environ, LoopbackServer, StartResponse, read_body

AUDIENCE, CLIENT = "dropgate", "dropgate-page"
SECONDS = 3600
CODE_SECONDS = 60
REDIRECT = re.compile(r"http://(127\.0\.0\.1|localhost):[0-9]{1,5}/callback")
"""The addresses to which codes go: the page of a stack on this machine."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The person that a code stands for, and the question that the code answers."""

    subject: str
    roles: tuple[str, ...]
    question: Mapping[str, str]
    ends: float


class Issuer(LoopbackServer):
    """Answers with tokens while it runs."""

    def __init__(self) -> None:
        super().__init__(self._answer, has_pages=True)
        self._grants: dict[str, Grant] = {}
        self._key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256"}, auto_kid=True)

    @property
    def parameter(self) -> str:
        """Return the template's parameter ApiIssuers with this issuer alone."""
        roles = {role: role for role in ROLES}
        entry = {"issuer": self.endpoint, "audience": AUDIENCE, "claim": "roles", "roles": roles, "producers": "sub"}
        entry["client"] = CLIENT
        return json.dumps([entry], separators=(",", ":"))

    def token(self, subject: str, *roles: str, **claims: Any) -> str:
        """Return a token; `claims` are added, or take the place of those that it has."""
        now = int(time.time())
        body: dict[str, Any] = {
            "iss": self.endpoint,
            "sub": subject,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + SECONDS,
            "jti": str(uuid.uuid4()),
            "roles": list(roles),
        }
        return jwt.encode({"alg": "ES256", "kid": self._key.kid}, body | claims, self._key)

    def _answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        match environ["REQUEST_METHOD"], environ["PATH_INFO"]:
            case "GET", "/.well-known/openid-configuration":
                return _json(start_response, self._discovery())
            case "GET", "/jwks.json":
                return _json(start_response, dict(KeySet([self._key]).as_dict()))
            case "POST", "/token":
                return _json(start_response, *self._granted(_form(read_body(environ))))
            case "GET", "/authorize":
                question = dict(parse_qsl(environ.get("QUERY_STRING", "")))
                return _page(start_response, sign_in_page(question) if _fits(question) else UNFIT)
            case "POST", "/authorize":
                return self._chosen(start_response, _form(read_body(environ)))
        return _json(start_response, {"error": "not_found"}, "404 Not Found")

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.endpoint,
            "jwks_uri": f"{self.endpoint}/jwks.json",
            "authorization_endpoint": f"{self.endpoint}/authorize",
            "token_endpoint": f"{self.endpoint}/token",
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }

    def _granted(self, form: dict[str, str]) -> tuple[dict[str, Any], str]:
        if form.get("grant_type") == "authorization_code":
            return self._exchanged(form)
        roles = form.get("scope", "").split()
        if form.get("grant_type") != "client_credentials" or not form.get("client_id"):
            return {"error": "invalid_request"}, "400 Bad Request"
        if not roles or not set(roles) <= set(ROLES):
            return {"error": "invalid_scope", "error_description": f"scope is of {', '.join(ROLES)}"}, "400 Bad Request"
        token = self.token(form["client_id"], *roles)
        return {"access_token": token, "token_type": "Bearer", "expires_in": SECONDS}, "200 OK"

    def _chosen(self, start_response: StartResponse, form: Mapping[str, str]) -> Iterable[bytes]:
        """Lead back to the page with a code for the person of the form."""
        roles = tuple(role for role in ROLES if form.get(role))
        subject = form.get("who", "").strip() or "somebody"
        if not _fits(form):
            return _page(start_response, UNFIT)
        code = secrets.token_urlsafe(32)
        self._grants[code] = Grant(subject, roles, dict(form), time.monotonic() + CODE_SECONDS)
        back = urlencode({"code": code, "state": form["state"], "iss": self.endpoint})
        start_response("303 See Other", [("Location", f"{form['redirect_uri']}?{back}"), ("Cache-Control", "no-store")])
        return [b""]

    def _exchanged(self, form: Mapping[str, str]) -> tuple[dict[str, Any], str]:
        """Return the tokens for a code, which is good once."""
        grant = self._grants.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        asked = grant.question if grant else {}
        same = all(form.get(name) == asked.get(name) for name in ("client_id", "redirect_uri"))
        if grant is None or grant.ends < time.monotonic() or not same or challenge != asked["code_challenge"]:
            return {"error": "invalid_grant"}, "400 Bad Request"
        claims = {"nonce": asked.get("nonce", ""), "aud": CLIENT}
        body = {"id_token": self.token(grant.subject, *grant.roles, **claims), "token_type": "Bearer"}
        return body | {"access_token": self.token(grant.subject, *grant.roles), "expires_in": SECONDS}, "200 OK"


ASKED = ("client_id", "redirect_uri", "state", "nonce", "code_challenge")
UNFIT = "<h1>This is no request of the page</h1>"
STYLE = (
    "body{font:1rem/1.6 system-ui,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
)
STYLE += "input,button{font:inherit}fieldset{margin:1rem 0}label{display:block}"


def _fits(asked: Mapping[str, str]) -> bool:
    """Return True if a request for a code has all that it needs."""
    to = asked.get("redirect_uri", "")
    return asked.get("client_id") == CLIENT and bool(REDIRECT.fullmatch(to)) and all(map(asked.get, ASKED))


def sign_in_page(question: Mapping[str, str]) -> str:
    """Return the form on which anybody chooses a role and a producer."""
    kept = "".join(f'<input type="hidden" name="{name}" value="{escape(question[name])}">' for name in ASKED)
    boxes = "".join(
        f'<label><input type="checkbox" name="{role}" value="yes"{" checked" * (role == "producer")}> {role}</label>'
        for role in ROLES
    )
    return (
        "<main><h1>Who are you on this machine?</h1><p>This issuer believes everybody.</p>"
        f'<form method="post" action="/authorize">{kept}<label>Producer, or your name '
        f'<input name="who" required pattern="[A-Za-z0-9._\\-]+" autofocus></label>'
        f"<fieldset><legend>Roles</legend>{boxes}</fieldset><button>Sign in</button></form></main>"
    )


def _form(body: bytes) -> dict[str, str]:
    return dict(parse_qsl(body.decode("utf-8", "replace")))


def _page(start_response: StartResponse, body: str) -> Iterable[bytes]:
    page = (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Sign in</title><style>{STYLE}</style>{body}"
    )
    headers = [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
    headers += [("Referrer-Policy", "same-origin"), ("Content-Security-Policy", POLICY)]
    start_response("200 OK", headers)
    return [page.encode()]


POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"


def _json(start_response: StartResponse, body: dict[str, Any], status: str = "200 OK") -> Iterable[bytes]:
    start_response(status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")])
    return [json.dumps(body).encode()]
