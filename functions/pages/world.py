"""The world of the page's entry points: the environment of a function in, the site out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from functions.api import runtime
from functions.api.identity.callers import issuers_of
from functions.api.identity.keyring import Keyring
from functions.api.identity.tokens import Tokens
from functions.aws.clients import Clients, read_ports_from, recording_ports_from, sessions_from, upload_origin
from functions.aws.requests import DynamoRequests
from functions.pages.doors import Doors
from functions.pages.site import Site, View


def site(views: Mapping[str, View]) -> Site:
    """Return the site of some views in the world that the environment names, made on first use."""
    return _site(tuple(views.items()), runtime.named())


def operators_site(views: Mapping[str, View]) -> Site:
    """Return the site of views that may record acts."""
    return _operators_site(tuple(views.items()), runtime.named())


@cache
def _operators_site(views: tuple[tuple[str, View], ...], named: tuple[tuple[str, str], ...]) -> Site:
    environment, clients = dict(named), Clients()
    requests = DynamoRequests(clients.dynamodb, environment["DROPGATE_REQUESTS_TABLE"])
    return replace(_site(views, named), requests=requests, acts=lambda: recording_ports_from(environment, clients))


@cache
def _site(views: tuple[tuple[str, View], ...], named: tuple[tuple[str, str], ...]) -> Site:
    environment, clients = dict(named), Clients()
    ports = read_ports_from(environment, clients)
    issuers = [each for each in issuers_of(environment["DROPGATE_ISSUERS"]) if each.client]
    tokens = Tokens(issuers, Keyring(ports.web, ports.clock), ports.clock)
    doors = Doors(issuers, tokens, sessions_from(environment, clients), ports.web, ports.clock)
    return Site(ports, doors, dict(views), upload_origin(environment, clients))
