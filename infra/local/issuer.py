"""An OIDC issuer on loopback: a name and a role in, a token of an hour out; for the embedded stack's API alone.

It has the two documents that a verifier reads (OpenID Connect Discovery 1.0; RFC 7517) and a token endpoint for client
credentials (RFC 6749, section 4.4), which asks for no secret: whoever can send requests to this machine may have any
role, as they may have any right of the embedded cloud. Its key is made at each start.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from functions.api.callers import ROLES
from infra.local.loopback import Environ, LoopbackServer, StartResponse, read_body

AUDIENCE = "dropgate"
SECONDS = 3600


class Issuer(LoopbackServer):
    """Answers with tokens while it runs."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self._key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256"}, auto_kid=True)

    @property
    def parameter(self) -> str:
        """Return the template's parameter ApiIssuers with this issuer alone."""
        roles = {role: role for role in ROLES}
        entry = {"issuer": self.endpoint, "audience": AUDIENCE, "claim": "roles", "roles": roles, "producers": "sub"}
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
                form = parse_qs(read_body(environ).decode("utf-8", "replace"))
                return _json(start_response, *self._granted({name: values[-1] for name, values in form.items()}))
        return _json(start_response, {"error": "not_found"}, "404 Not Found")

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.endpoint,
            "jwks_uri": f"{self.endpoint}/jwks.json",
            "token_endpoint": f"{self.endpoint}/token",
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }

    def _granted(self, form: dict[str, str]) -> tuple[dict[str, Any], str]:
        roles = form.get("scope", "").split()
        if form.get("grant_type") != "client_credentials" or not form.get("client_id"):
            return {"error": "invalid_request"}, "400 Bad Request"
        if not roles or not set(roles) <= set(ROLES):
            return {"error": "invalid_scope", "error_description": f"scope is of {', '.join(ROLES)}"}, "400 Bad Request"
        token = self.token(form["client_id"], *roles)
        return {"access_token": token, "token_type": "Bearer", "expires_in": SECONDS}, "200 OK"


def _json(start_response: StartResponse, body: dict[str, Any], status: str = "200 OK") -> Iterable[bytes]:
    start_response(status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")])
    return [json.dumps(body).encode()]
