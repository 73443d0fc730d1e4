"""A request on its way: the ports, the caller and its reach, for the routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.depends import Depends

from contracts.catalog import Entry
from contracts.errors import ServiceUnavailable
from functions.api.identity.access import Operation, Reach, reach
from functions.api.identity.callers import Caller
from functions.api.problems import RequestRefused
from functions.api.publisher import Publisher
from functions.ports import Ports, ReadPorts
from functions.ports.web.requests import AnsweredRequest, AnsweredRequests


class NoRequests:
    """No answered requests, for applications whose routes have no idempotency keys."""

    def begin(self, name: str, mark: str, now: datetime, until: datetime) -> AnsweredRequest | None:
        """Return nothing: each request acts."""

    def find(self, name: str, now: datetime) -> AnsweredRequest | None:
        """Return nothing."""

    def answer(self, name: str, mark: str, answer: str, until: datetime) -> None:
        """Keep nothing."""

    def erase(self, name: str) -> None:
        """Erase nothing."""


NO_REQUESTS = NoRequests()


def no_acts() -> Ports:
    """Refuse to act, in a function that only reads."""
    raise ServiceUnavailable("this function only reads")


def no_publisher() -> Publisher:
    """Refuse to publish, in a function that has no catalog to write."""
    raise ServiceUnavailable("this function publishes nothing")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request whose token was verified; `if_none_match` is its header of that name.

    `requests` are those that were answered before, `acts` gives the ports of acts, to routes that have any.
    """

    ports: ReadPorts
    caller: Caller
    if_none_match: str | None = None
    requests: AnsweredRequests = NO_REQUESTS
    acts: Callable[[], Ports] = no_acts
    publisher: Callable[[], Publisher] = no_publisher

    def reach(self, operation: Operation) -> Reach:
        """Return what the caller reaches by an operation; RequestRefused with 403 if it reaches nothing."""
        own = reach(self.caller, operation)
        if own is None:
            have = ", ".join(sorted(self.caller.roles)) or "no role"
            raise RequestRefused(403, f"The operation {operation} is not for this caller, who has {have}.")
        return own

    def entries(self) -> tuple[Entry, ...]:
        """Return the contracts in force, by name; none before the first publish."""
        index = self.ports.catalog.index_if_any()
        return index.entries if index else ()


def _asked(request: Request) -> Asked:
    asked: Asked = request.context["asked"]
    return asked


Here = Annotated[Asked, Depends(_asked)]
"""A parameter of a route: the request on its way."""
