"""Secrets of channels: the text of a parameter in, an address and its keys out. Pure.

A secret never leaves this module but in a request: reasons name the parameter alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.terms.notices import Service
from functions.notices.messages.webhook import signing_key

PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
PAGERDUTY_EU = "https://events.eu.pagerduty.com/v2/enqueue"
"""Where PagerDuty takes events, for accounts of its two service regions."""
ROUTING_KEY = re.compile(r"[A-Za-z0-9]{32}")
"""The routing key of an integration (PagerDuty, "Events API v2")."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes, and the key that it is signed with, or that names the integration."""

    url: str
    routing_key: str = ""
    signing_key: bytes = b""


def address_of(service: Service, secret: str) -> Address | str:
    """Return the address of a secret, or in words what it should be."""
    parts = secret.split()
    if service in ("slack", "teams") and len(parts) == 1:
        return Address(parts[0])
    if service == "webhook" and len(parts) == 2 and (key := signing_key(parts[1])):
        return Address(parts[0], signing_key=key)
    if service == "pagerduty" and parts and ROUTING_KEY.fullmatch(parts[0]) and parts[1:] in ([], ["eu"]):
        return Address(PAGERDUTY_EU if parts[1:] else PAGERDUTY, routing_key=parts[0])
    return WANTED[service]


WANTED: dict[Service, str] = {
    "email": "a mail address",
    "slack": "the address of an incoming webhook",
    "teams": "the address of a workflow",
    "webhook": "an https address, a blank, and a signing secret `whsec_<base64 of 24 to 64 bytes>`",
    "pagerduty": "a routing key of 32 characters, and behind a blank `eu` for an account of the EU service region",
}
"""The form of each service's secret."""
