"""The world of an entry point: the environment of its function in, the application out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from functions.api import runtime
from functions.api.app import AddRoutes, Api
from functions.api.identity.callers import issuers_of
from functions.api.identity.keyring import Keyring
from functions.api.identity.tokens import Tokens
from functions.aws.clients import Clients, read_ports_from, recording_ports_from
from functions.aws.requests import DynamoRequests


def api(routes: Sequence[AddRoutes]) -> Api:
    """Return the application of some routes in the world that the environment names, made on first use."""
    return _api(tuple(routes), runtime.named())


@cache
def _api(routes: tuple[AddRoutes, ...], named: tuple[tuple[str, str], ...]) -> Api:
    environment = dict(named)
    clients = Clients()
    ports = read_ports_from(environment, clients)
    tokens = Tokens(issuers_of(environment["DROPGATE_ISSUERS"]), Keyring(ports.web, ports.clock), ports.clock)
    requests = DynamoRequests(clients.dynamodb, environment["DROPGATE_REQUESTS_TABLE"])
    return Api(ports, tokens, routes, requests, cache(lambda: recording_ports_from(environment, clients)))
