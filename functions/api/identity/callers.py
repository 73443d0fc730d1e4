"""Callers: an issuer's settings and the claims of a verified token in, who asks and in which roles out. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from contracts.errors import DropgateError
from contracts.problem import visible
from functions.catalog import FOLDER

Role = Literal["producer", "consumer", "steward", "operator"]
ROLES: tuple[Role, ...] = get_args(Role)
SETTINGS = frozenset({"issuer", "audience", "claim", "roles", "producers", "client"})


class SettingsInvalid(DropgateError):
    """The parameter ApiIssuers cannot be read; the text says what to write."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """An OIDC issuer whose tokens are taken.

    `claim` names the claim with roles or groups, `roles` maps its values to our roles: `steward`, or `producer:inmet`
    for the folder of one producer. `producers` names a claim with producers' names, for the bare role `producer`.
    `client` is the page's name there, if people sign in on the page with this issuer.
    """

    issuer: str
    audience: str
    claim: str
    roles: Mapping[str, str]
    producers: str | None = None
    client: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: `issuer` and `subject` name it in the audit, `producers` are those whose folders are its own."""

    issuer: str
    subject: str
    roles: frozenset[Role]
    producers: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The caller's name on records that people read: its subject, and the host of its issuer."""
        return f"{visible(self.subject, 200)} ({urlsplit(self.issuer).netloc})"


def issuers_of(text: str) -> tuple[Issuer, ...]:
    """Return the issuers of the parameter ApiIssuers, a JSON array; raise SettingsInvalid."""
    try:
        listed = json.loads(text or "[]")
    except ValueError as error:
        raise SettingsInvalid(f"ApiIssuers is no JSON: {error}.") from error
    if not isinstance(listed, list):
        raise SettingsInvalid("ApiIssuers must be a JSON array of objects.")
    issuers = tuple(map(_issuer, listed))
    if len({each.issuer for each in issuers}) < len(issuers):
        raise SettingsInvalid("ApiIssuers lists an issuer twice: keep one entry for each.")
    return issuers


def _issuer(entry: Any) -> Issuer:
    needed = {"issuer", "audience", "claim", "roles"}
    if not isinstance(entry, dict) or not needed <= entry.keys() <= SETTINGS:
        raise SettingsInvalid(
            f"Each entry of ApiIssuers has {', '.join(sorted(needed))}, and may have producers and client."
        )
    texts = [entry[name] for name in ("issuer", "audience", "claim")]
    texts += [entry.get(name) or "-" for name in ("producers", "client")]
    if not all(isinstance(text, str) and text for text in texts):
        raise SettingsInvalid(
            "issuer, audience, claim, producers and client of ApiIssuers are texts that are not empty."
        )
    roles = entry["roles"]
    if not isinstance(roles, dict) or not all(isinstance(role, str) and _is_role(role) for role in roles.values()):
        allowed = f"{', '.join(ROLES)} or producer:NAME"
        raise SettingsInvalid(f"roles of {entry['issuer']} in ApiIssuers maps values of a claim to {allowed}.")
    more = entry.get("producers"), entry.get("client")
    return Issuer(entry["issuer"], entry["audience"], entry["claim"], roles, *more)


def _is_role(text: str) -> bool:
    role, colon, folder = text.partition(":")
    return (role == "producer" and FOLDER.fullmatch(folder) is not None) if colon else role in ROLES


def caller_of(issuer: Issuer, claims: Mapping[str, Any]) -> Caller:
    """Return the caller that verified claims describe; a value that nothing maps gives no role."""
    granted = [role for value in _values(claims.get(issuer.claim)) if (role := issuer.roles.get(value))]
    roles = frozenset(role for role in ROLES for each in granted if each.partition(":")[0] == role)
    folders = {folder for each in granted if (folder := each.partition(":")[2])}
    if issuer.producers and "producer" in granted:
        folders |= {name for name in _values(claims.get(issuer.producers)) if FOLDER.fullmatch(name)}
    return Caller(issuer.issuer, str(claims["sub"]), roles, frozenset(folders))


def _values(claim: Any) -> Iterator[str]:
    """Yield the values of a claim: a list of texts, or texts with spaces between them (RFC 6749, section 3.3)."""
    if isinstance(claim, str):
        yield from re.split(r"\s+", claim.strip())
    elif isinstance(claim, list):
        yield from (value for value in claim if isinstance(value, str))
