"""Who hears of what: the routes of contracts as published; a contract or a producer in, the routes out. Pure.

No plan has them: an address must not change what a drop is judged by. Addresses are mail addresses, or names of
secrets below `/<stack>/notify/` in Parameter Store; a secret itself is in no document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from contracts import codec

Audience = Literal["producer", "consumer", "operator"]
"""The people that a route is for: who sends the files, who reads them, who runs the stack."""
Occasion = Literal[
    "rejected", "failed", "warning", "missing", "late", "stale", "unmatched", "accepted", "recovered"
]  # fmt: skip
"""An event that people may hear of."""
Service = Literal["email", "slack", "teams", "pagerduty", "webhook"]
AUDIENCES: tuple[Audience, ...] = get_args(Audience)
OCCASIONS: tuple[Occasion, ...] = get_args(Occasion)
SERVICES: tuple[Service, ...] = get_args(Service)
NAMES: Mapping[Service, str] = {"slack": "Slack", "teams": "Teams", "pagerduty": "PagerDuty", "webhook": "webhook"}
"""The services for people; a mail address needs no name beside it."""
DEFAULTS: Mapping[Audience, tuple[Occasion, ...]] = {
    "producer": ("rejected", "missing", "unmatched", "recovered"),
    "consumer": ("missing", "late", "stale", "recovered"),
    "operator": ("failed", "unmatched"),
}
"""The occasions of routes that name none."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A place that notices are sent to: a mail address, or for other services the name of a secret."""

    service: Service
    to: str

    @property
    def words(self) -> str:
        """The channel for people; of a secret only its name."""
        return f"{NAMES[self.service]} ({self.to})" if self.service in NAMES else self.to


@dataclass(frozen=True, slots=True)
class Route:
    """A channel, the people whom it reaches, and the occasions on which they hear."""

    audience: Audience
    channel: Channel
    on: tuple[Occasion, ...]


@dataclass(frozen=True, slots=True)
class Contact:
    """A person or a team to ask about a contract; `url` is a `mailto:` or `https:` address."""

    name: str
    url: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class ContractRoutes:
    """The routes of one contract, and whom its receipts and notices name."""

    contract: str
    producer: str
    routes: tuple[Route, ...]
    contact: Contact | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True)
class Routes:
    """The routes of all contracts in force, and of the operators, who hear of each; immutable, named by its hash."""

    contracts: tuple[ContractRoutes, ...] = ()
    operators: tuple[Route, ...] = ()
    format: Literal[1] = 1

    @cached_property
    def by_name(self) -> Mapping[str, ContractRoutes]:
        """The routes by the names of contracts."""
        return {each.contract: each for each in self.contracts}

    def of_contract(self, name: str) -> ContractRoutes | None:
        """Return the routes of a contract; None if nobody hears of it and no contact is named."""
        return self.by_name.get(name)

    def of_producer(self, producer: str) -> tuple[Route, ...]:
        """Return the routes on which a producer hears of unmatched uploads, over all its contracts, each once."""
        own = (route for each in self.contracts if each.producer == producer for route in each.routes)
        return tuple(dict.fromkeys(r for r in own if r.audience == "producer" and "unmatched" in r.on))

    def hearing(self, contract: str | None, occasion: Occasion) -> tuple[Route, ...]:
        """Return the routes on which an occasion of a contract is heard of, the operators' behind its own."""
        own = self.of_contract(contract) if contract else None
        every = (*(own.routes if own else ()), *self.operators)
        return tuple(dict.fromkeys(route for route in every if occasion in route.on))

    def hearing_of_unmatched(self, producer: str | None) -> tuple[Route, ...]:
        """Return the routes for an unmatched upload: those of its producer, or the operators' if there are none.

        `producer` is the one whose folder the key is in, None outside of any folder.
        """
        own = self.of_producer(producer) if producer else ()
        return own or tuple(route for route in self.operators if "unmatched" in route.on)

    def contact_of(self, producer: str) -> Contact | None:
        """Return the contact of a producer's contracts, if one of them names one."""
        own = (each.contact for each in self.contracts if each.producer == producer)
        return next((contact for contact in own if contact), None)
