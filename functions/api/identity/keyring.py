"""The keys of issuers: an issuer's address in, its public keys out, kept for a while.

The discovery document names where the keys are (OpenID Connect Discovery 1.0, section 4); the keys are a JWK set (RFC
7517). Both are fetched with bounds, and not more often than once a minute, however many unknown keys tokens name.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry, Key, KeySet, RSAKey

from contracts.errors import ServiceUnavailable
from functions.ports.clock import Clock
from functions.ports.web.web_documents import WebDocuments

DISCOVERY = "/.well-known/openid-configuration"
MOST_BYTES = 256 * 1024
MOST_KEYS = 64
FRESH = timedelta(hours=1)
"""The time after which keys are fetched again."""
AGAIN = timedelta(minutes=1)
"""The least time between two attempts to fetch the keys of an issuer."""
STALE = timedelta(hours=24)
"""The time for which keys are used while the issuer does not answer."""
LEAST_RSA_BITS = 2048
ALGORITHMS = ("RS256", "ES256")


@dataclass(slots=True)
class _Kept:
    """The keys of an issuer with the time when they were fetched, and the time of the last attempt."""

    keys: KeySet | None = None
    fetched_at: datetime | None = None
    asked_at: datetime | None = None


class Keyring:
    """The keys of issuers in this process."""

    def __init__(self, documents: WebDocuments, clock: Clock) -> None:
        self._documents = documents
        self._clock = clock
        self._kept: dict[str, _Kept] = {}

    def keys(self, issuer: str, kid: str | None) -> KeySet:
        """Return the keys of an issuer, fetched again if they are old or lack the named one; ServiceUnavailable."""
        kept, now = self._kept.setdefault(issuer, _Kept()), self._clock.now()
        lacking = kept.keys is None or (kid is not None and kid not in {key.kid for key in kept.keys.keys})
        is_old = kept.fetched_at is None or now - kept.fetched_at > FRESH
        may_ask = kept.asked_at is None or now - kept.asked_at >= AGAIN
        if (lacking or is_old) and may_ask:
            kept.asked_at = now
            try:
                kept.keys, kept.fetched_at = self._fetch(issuer), now
            except ServiceUnavailable:
                if kept.fetched_at is None or now - kept.fetched_at > STALE:
                    raise
        if kept.keys is None:
            raise ServiceUnavailable(f"the keys of {issuer} could not be fetched a moment ago")
        return kept.keys

    def _fetch(self, issuer: str) -> KeySet:
        listed = document(self._documents, discovered(self._documents, issuer, "jwks_uri")[0]).get("keys")
        keys: list[Key] = [
            key for each in (listed if isinstance(listed, list) else [])[:MOST_KEYS] if (key := usable(each))
        ]
        if not keys:
            raise ServiceUnavailable(f"{issuer} has no key for RS256 or ES256")
        return KeySet(keys)


def discovered(documents: WebDocuments, issuer: str, *names: str) -> tuple[str, ...]:
    """Return addresses by their names in the discovery document of an issuer; ServiceUnavailable if one is missing."""
    metadata = document(documents, f"{issuer.rstrip('/')}{DISCOVERY}")
    addresses = tuple(metadata.get(name) for name in names)
    if metadata.get("issuer") != issuer or not all(isinstance(address, str) for address in addresses):
        raise ServiceUnavailable(
            f"the discovery document of {issuer} is of another issuer, or lacks {', '.join(names)}"
        )
    return tuple(map(str, addresses))


def document(documents: WebDocuments, url: str) -> dict[str, Any]:
    """Return the JSON object at an address; ServiceUnavailable if there is none."""
    return json_object(documents.fetch(url, MOST_BYTES), url)


def json_object(text: bytes, url: str) -> dict[str, Any]:
    """Return the JSON object of a text that came from an address; ServiceUnavailable if it is none."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ServiceUnavailable(f"{url} is no JSON that can be read") from error
    if not isinstance(body, dict):
        raise ServiceUnavailable(f"{url} is no JSON object")
    return body


def usable(entry: Any) -> RSAKey | ECKey | None:
    """Return the public key of an entry of a JWK set; None if it is not for signatures by RS256 or ES256."""
    if not isinstance(entry, dict) or entry.get("use", "sig") != "sig" or entry.get("alg", "RS256") not in ALGORITHMS:
        return None
    if "d" in entry or not (entry.get("kty") == "RSA" or (entry.get("kty"), entry.get("crv")) == ("EC", "P-256")):
        return None
    if entry["kty"] == "RSA" and _is_short(entry.get("n")):
        return None
    try:
        key = JWKRegistry.import_key(entry)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    return key if isinstance(key, RSAKey | ECKey) else None


def _is_short(modulus: Any) -> bool:
    """Return True if the modulus of an RSA key, in base64url (RFC 7518, section 6.3.1.1), has too few bits."""
    try:
        raw = base64.urlsafe_b64decode(f"{modulus}==")
    except ValueError:
        return True
    return int.from_bytes(raw).bit_length() < LEAST_RSA_BITS
