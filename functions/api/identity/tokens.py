"""Tokens: the header Authorization in, the caller that a listed issuer vouches for out.

RS256 and ES256 alone (RFC 7518), each with a key of its own type; issuer, audience, subject and end are required (RFC
7519). Nothing of a token is believed before its signature is verified, but for the name of its issuer and key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError

from functions.api.identity.callers import Caller, Issuer, caller_of
from functions.api.identity.keyring import ALGORITHMS, Keyring
from functions.api.problems import RequestRefused
from functions.ports.clock import Clock

BEARER = re.compile(r"[Bb]earer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *")
LARGEST = 8192
"""Characters of a token; API Gateway takes 10,240 bytes of headers."""
LEEWAY = 60
"""Seconds that clocks may differ."""
LONGEST_SUBJECT = 256


class Tokens:
    """Verifies tokens of the listed issuers."""

    def __init__(self, issuers: Sequence[Issuer], keyring: Keyring, clock: Clock) -> None:
        self._issuers: Mapping[str, Issuer] = {each.issuer: each for each in issuers}
        self._keyring = keyring
        self._clock = clock

    def caller(self, authorization: str | None) -> Caller:
        """Return the caller of a request; RequestRefused with 401, ServiceUnavailable if keys cannot be fetched."""
        if not authorization:
            raise _refused("Send a token in the header Authorization: Bearer TOKEN.", bare=True)
        match = BEARER.fullmatch(authorization) if len(authorization) <= LARGEST else None
        if match is None:
            raise _refused("The header Authorization is no bearer token.")
        try:
            named = jws.extract_compact(match[1].encode())
            header, claims = named.headers(), json.loads(named.payload)
        except (JoseError, ValueError, RecursionError) as error:
            raise _refused("The token cannot be read.") from error
        issuer = self._issuers.get(str(claims.get("iss"))) if isinstance(claims, dict) else None
        if issuer is None:
            raise _refused("The issuer of the token is not one of this stack.")
        return caller_of(issuer, self._verified(match[1], issuer, header))

    def claims(self, token: str, issuer: Issuer) -> Mapping[str, Any]:
        """Return the claims of a token of that issuer; RequestRefused with 401 if it is not valid."""
        try:
            header = jws.extract_compact(token.encode()).headers()
        except (JoseError, ValueError) as error:
            raise _refused("The token cannot be read.") from error
        return self._verified(token, issuer, header)

    def _verified(self, token: str, issuer: Issuer, header: Mapping[str, Any]) -> Mapping[str, Any]:
        if header.get("alg") not in ALGORITHMS:
            raise _refused("The token must be signed by RS256 or ES256.")
        keys = self._keyring.keys(issuer.issuer, header.get("kid"))
        registry = jwt.JWTClaimsRegistry(
            now=int(self._clock.now().timestamp()),
            leeway=LEEWAY,
            iss={"essential": True, "value": issuer.issuer},
            aud={"essential": True, "value": issuer.audience},
            sub={"essential": True},
            exp={"essential": True},
        )
        try:
            verified = jwt.decode(token, keys, algorithms=list(ALGORITHMS)).claims
            registry.validate(verified)
        except (JoseError, ValueError, TypeError) as error:
            raise _refused("The token is not valid: its signature, audience or time does not fit.") from error
        if not isinstance(verified["sub"], str) or len(verified["sub"]) > LONGEST_SUBJECT:
            raise _refused("The subject of the token is no text of at most 256 characters.")
        return verified


def _refused(detail: str, *, bare: bool = False) -> RequestRefused:
    """Return the refusal of a token (RFC 6750, section 3)."""
    challenge = "Bearer" if bare else 'Bearer error="invalid_token"'
    return RequestRefused(401, detail, headers={"WWW-Authenticate": challenge})
