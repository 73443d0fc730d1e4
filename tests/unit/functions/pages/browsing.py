"""Browsers without a screen, and the site over a world in memory, with an issuer on loopback, over real HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from functions.api.callers import issuers_of
from functions.api.keyring import Keyring
from functions.api.tokens import Tokens
from functions.aws.clients import SystemClock
from functions.delivery.web_documents import PublicDocuments
from functions.pages.browser import VIEWS
from functions.pages.doors import Doors
from functions.pages.site import Site
from functions.ports import ReadPorts
from infra.local.gateway import Gateway, Route
from infra.local.issuer import Issuer
from tests.builders import World
from tests.fakes import MemorySessions
from tests.unit.functions.api.asking import Links, Uploads

FIELDS = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
KEYS = ("GET /", "GET /login", "GET /callback", "GET /goodbye", "POST /logout", "GET /app/files/{file}", *VIEWS)


@dataclass(frozen=True)
class Shown:
    """An answer to a browser."""

    status: int
    headers: dict[str, str]
    cookies: list[str]
    text: str

    @property
    def leads_to(self) -> str:
        return self.headers["location"]


@dataclass
class Browser:
    """A browser that keeps cookies, and follows nothing by itself."""

    origin: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, url: str, form: dict[str, str] | None = None, **headers: str) -> Shown:
        """Send a request, with a form if there is one."""
        parts = urlsplit(url if "://" in url else f"{self.origin}{url}")
        own = f"{parts.scheme}://{parts.netloc}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if own == self.origin and self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if form is not None:
            sent = {"Origin": own, "Content-Type": "application/x-www-form-urlencoded", **sent}
        connection = HTTPConnection(parts.netloc, timeout=60)
        try:
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request("GET" if form is None else "POST", path, urlencode(form) if form else None, sent)
            answer = connection.getresponse()
            shown = Shown(
                answer.status,
                {name.lower(): value for name, value in answer.getheaders()},
                [value for name, value in answer.getheaders() if name.lower() == "set-cookie"],
                answer.read().decode(),
            )
        finally:
            connection.close()
        for cookie in shown.cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return shown

    def sign_in(self, who: str, *roles: str, to: str = "/app") -> Shown:
        """Sign in with the form of the issuer; the answer is the page's, which leads to the target."""
        question = self.ask(f"/login?{urlencode({'to': to})}").leads_to
        form = self.fields(question)
        chosen = {**form, "who": who, **dict.fromkeys(roles, "yes")}
        return self.ask(self.ask(question.partition("?")[0], chosen).leads_to)

    def fields(self, url: str) -> dict[str, str]:
        """Return the hidden fields of the form at an address."""
        return dict(FIELDS.findall(self.ask(url).text))


@dataclass
class Opened:
    """A site that answers over HTTP; `sessions` are its sessions."""

    world: World
    site: Site
    issuer: Issuer
    gateway: Gateway
    sessions: MemorySessions

    def browser(self, who: str = "", *roles: str) -> Browser:
        """Return a browser, signed in if somebody is named."""
        fresh = Browser(self.gateway.endpoint)
        if who:
            assert fresh.sign_in(who, *roles).status == 303
        return fresh


@contextmanager
def opened(world: World, port: int = 0) -> Iterator[Opened]:
    """Serve the site over a world."""
    ports, sessions = world.ports, MemorySessions()
    with Issuer() as issuer:
        web = PublicDocuments(issuer.endpoint)
        reads = ReadPorts(
            ports.zones, ports.store, ports.ledger, ports.catalog, ports.clock, web, Links(), Uploads(ports.clock)
        )
        issuers = issuers_of(issuer.parameter)
        tokens = Tokens(issuers, Keyring(web, SystemClock()), SystemClock())  # the issuer has this machine's time
        site = Site(reads, Doors(issuers, tokens, sessions, web, ports.clock), VIEWS)

        def invoke(_: str, event: Any) -> Any:
            return site.answer(event)

        with Gateway(routes(), invoke, port) as gateway:
            yield Opened(world, site, issuer, gateway, sessions)


def routes() -> list[Route]:
    """Return the routes of the site, those without parameters first."""
    target = {"uri": {"Fn::Sub": "${ApiPagesFunction.Arn}"}}
    parts = [key.partition(" ") for key in KEYS]
    made = [Route.of(method, path, target) for method, _, path in parts]
    return sorted(made, key=lambda route: (route.path.groups, route.key))
