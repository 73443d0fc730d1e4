"""Channels of notices: the text of an address in, a channel or the finding of why it is none out. Pure.

An address is `mailto:` with a mail address, or a service with the name of a secret below `/<stack>/notify/` in
Parameter Store. A secret itself is refused: a contract is published, and never changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from contracts.problem import nearest
from contracts.terms.notices import Channel, Service

SCHEMES: dict[str, Service] = {
    "mailto": "email",
    "slack": "slack",
    "teams": "teams",
    "pagerduty": "pagerduty",
    "webhook": "webhook",
}
OTHER_WORDS = {"email": "mailto", "mail": "mailto", "e-mail": "mailto", "smtp": "mailto", "pager": "pagerduty"}
WORD = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
MAIL = re.compile(rf"(?=.{{3,254}}\Z)(?=[^@]{{1,64}}@){WORD}(?:\.{WORD})*@(?:{LABEL}\.)+(?=[A-Za-z]){LABEL}")
"""Mail addresses that each mail service takes: RFC 5321, section 4.1.2, without quotes and address literals."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
"""Names of secrets: parts of the name of a parameter (Systems Manager user guide, "Parameter name requirements")."""
SECRET = re.compile(
    r"(?i:https?://)\S*|(?i:whsec_)\S*|(?i:xox[a-z]-)\S*|(?=[A-Za-z_+/=-]*[0-9])[A-Za-z0-9+/=]{32,}|(?i:bearer)\s\S*"
)
"""Texts that are secrets, not names of them: addresses of webhooks, signing secrets, tokens, routing keys."""
OF_WEBHOOKS = re.compile(
    r"(?i:https?://)[^/]*(?i:hooks?\.slack\.com|webhook\.office\.com|discord(?:app)?\.com/api/webhooks|"
    r"logic\.azure\.com|powerplatform\.com|chat\.googleapis\.com|events\.pagerduty\.com)|(?i:https?://)[^/\s]*@"
)
"""Addresses that whoever has them can send to, or that have a password: no place for people to go to."""
OF_TEAMS = ("webhook.office.com", "logic.azure.com", "powerplatform.com")
"""Hosts of workflows of Teams, and of its former connectors."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The finding for a text that is no channel."""

    code: str
    message: str
    fix: str


def keep_secret(service: str = "webhook") -> str:
    """Return the fix for a secret in a document."""
    return (
        "Put it into Parameter Store as `/<stack>/notify/NAME`, a SecureString, and write "
        f"`{service}:NAME`; then replace it, as whoever could read this file has it."
    )


def scheme_of(text: str) -> str | None:
    """Return what stands before the first colon of an address; None if the text is none."""
    match = re.match(r"([A-Za-z][A-Za-z-]{1,20}):", text)
    return match[1] if match else None


def is_address(text: str) -> bool:
    """Return True if a text is meant for an address or a secret, not for a name."""
    return scheme_of(text) is not None or any(SECRET.fullmatch(part) for part in text.split())


def read(text: str) -> Channel | Refused:
    """Return the channel of an address, or the finding of why it is none."""
    scheme = scheme_of(text) or ""
    rest = text[len(scheme) + 1 :]
    if any(SECRET.fullmatch(part) for part in (text, rest, *text.split())):
        service = scheme if scheme in SCHEMES and scheme != "mailto" else _service(text)
        return Refused("secret-in-contract", "This is a secret, and must not be written here.", keep_secret(service))
    if scheme not in SCHEMES:
        word = OTHER_WORDS.get(scheme.casefold()) or nearest(scheme, SCHEMES)
        fix = (
            f"Write `{word}:{rest}`."
            if word
            else "Write `mailto:`, `slack:`, `teams:`, `pagerduty:` or `webhook:` before it."
        )
        return Refused("unknown-value", f"`{text:.60}` names no service that notices go by.", fix)
    if scheme == "mailto":
        address = unquote(rest)
        if not MAIL.fullmatch(address):
            fix = "Write one address and no more, as `mailto:orders@example.org`."
            return Refused("bad-value", f"`{rest:.60}` is not a mail address.", fix)
        return Channel("email", address)
    if not NAME.fullmatch(rest):
        fix = f"Write letters, digits, `.`, `_` and `-`, at most 63, as `{scheme}:orders-team`."
        return Refused("bad-value", f"`{rest:.70}` is not the name of a secret.", fix)
    return Channel(SCHEMES[scheme], rest)


def _service(secret: str) -> str:
    text = secret.casefold()
    if any(host in text for host in OF_TEAMS):
        return "teams"
    return "slack" if "slack" in text or text[:3] == "xox" else "webhook"
