"""The world of the page's entry point: the environment of its function in, the site out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from functions.api import runtime
from functions.api.identity.callers import issuers_of
from functions.api.identity.keyring import Keyring
from functions.api.identity.tokens import Tokens
from functions.aws.clients import Clients, read_ports_from, sessions_from, upload_origin
from functions.pages.doors import Doors
from functions.pages.site import Site, View


def site(views: Mapping[str, View]) -> Site:
    """Return the site of some views in the world that the environment names, made on first use."""
    return _site(tuple(views.items()), runtime.named())


@cache
def _site(views: tuple[tuple[str, View], ...], named: tuple[tuple[str, str], ...]) -> Site:
    environment, clients = dict(named), Clients()
    ports = read_ports_from(environment, clients)
    issuers = [each for each in issuers_of(environment["DROPGATE_ISSUERS"]) if each.client]
    tokens = Tokens(issuers, Keyring(ports.web, ports.clock), ports.clock)
    doors = Doors(issuers, tokens, sessions_from(environment, clients), ports.web, ports.clock)
    return Site(ports, doors, dict(views), upload_origin(environment, clients))
