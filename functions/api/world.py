"""The world of an entry point: the environment of its function in, the application out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from contracts.catalog import Authority
from functions.api import runtime
from functions.api.app import AddRoutes, Api
from functions.api.identity.callers import issuers_of
from functions.api.identity.keyring import Keyring
from functions.api.identity.tokens import Tokens
from functions.api.limits import CallerLimit
from functions.api.publisher import Publisher
from functions.aws.catalog.s3_catalog import S3Catalog
from functions.aws.clients import Clients, read_ports_from, recording_ports_from, zones_from
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
    limit = CallerLimit(int(environment.get("DROPGATE_CALLER_RATE", "0")), requests, ports.clock)
    acts = cache(lambda: recording_ports_from(environment, clients))
    publisher = cache(lambda: _publisher(environment, clients))
    return Api(ports, tokens, routes, requests, acts, limit, publisher)


def _publisher(environment: Mapping[str, str], clients: Clients) -> Publisher:
    authority: Authority = "api" if environment.get("DROPGATE_CONTRACTS_FROM") == "api" else "repository"
    store = S3Catalog(clients.s3, zones_from(environment).catalog)
    return Publisher(store, authority, environment.get("DROPGATE_HAS_EXPECTATIONS") == "true")
