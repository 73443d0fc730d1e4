"""Browsers without a screen, and the site over a world in memory, with an issuer on loopback, over real HTTP."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from functions import keys
from functions.api.identity.callers import issuers_of
from functions.api.identity.keyring import Keyring
from functions.api.identity.tokens import Tokens
from functions.aws.clients import SystemClock
from functions.delivery.web_documents import PublicDocuments
from functions.pages import browser, operators
from functions.pages.doors import Doors
from functions.pages.site import Site
from functions.ports import ReadPorts
from functions.ports.web.links import UploadLink
from infra.local.gateway import Gateway, Route
from infra.local.issuer import Issuer
from infra.local.loopback import Environ, LoopbackServer, StartResponse, read_body
from tests.builders import World
from tests.fakes import MemoryRequests, MemorySessions
from tests.hearing import MemoryNotices
from tests.unit.functions.api.asking import Links, Queues

FIELDS = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
VIEWS = browser.VIEWS | operators.VIEWS
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

    def ask(self, url: str, form: dict[str, str] | None = None, json: str | None = None, **headers: str) -> Shown:
        """Send a request, with a form or a JSON text if there is one."""
        parts = urlsplit(url if "://" in url else f"{self.origin}{url}")
        own = f"{parts.scheme}://{parts.netloc}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if own == self.origin and self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if json is not None:
            sent = {"Origin": own, "Content-Type": "application/json", **sent}
        elif form is not None:
            sent = {"Origin": own, "Content-Type": "application/x-www-form-urlencoded", **sent}
        connection = HTTPConnection(parts.netloc, timeout=60)
        try:
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            body = json or (urlencode(form) if form else None)
            connection.request("GET" if form is None and json is None else "POST", path, body, sent)
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


class Bucket(LoopbackServer):
    """A landing bucket that takes the files of addresses that it has given, and delivers their events at once."""

    def __init__(self, world: World) -> None:
        super().__init__(self._answer)
        self._world = world
        self._given: dict[str, str] = {}

    def upload(self, uri: str, size: int, sha256: str, session: str) -> UploadLink:
        key = keys.split(uri)[1]
        self._given[f"/{session}/{sha256}/{size}"] = key
        headers = {"Content-Length": str(size), "x-amz-checksum-sha256": "of the file"}
        expires = self._world.clock.now() + timedelta(seconds=600)
        return UploadLink(f"{self.endpoint}/{session}/{sha256}/{size}", headers, expires)

    def _answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer as S3 does to pages of an origin that its rule names."""
        allowed = [
            ("Access-Control-Allow-Origin", environ.get("HTTP_ORIGIN", "")),
            ("Access-Control-Allow-Methods", "PUT"),
        ]
        allowed += [("Access-Control-Allow-Headers", "x-amz-checksum-sha256, content-type")]
        allowed += [("Access-Control-Expose-Headers", "x-amz-version-id")]
        if environ["REQUEST_METHOD"] == "PUT":
            body, key = read_body(environ), self._given[environ["PATH_INFO"]]
            assert environ["PATH_INFO"].endswith(f"/{hashlib.sha256(body).hexdigest()}/{len(body)}")
            assert not environ.get("CONTENT_TYPE")
            self._world.upload(key, body)
            self._world.deliver_events()
            allowed += [("x-amz-version-id", f"v{self._world.versions}")]
        start_response("200 OK", allowed)
        return [b""]


@contextmanager
def opened(world: World, port: int = 0) -> Iterator[Opened]:
    """Serve the site over a world."""
    ports, sessions = world.ports, MemorySessions()
    with Issuer() as issuer, Bucket(world) as bucket:
        web = PublicDocuments(issuer.endpoint)
        house = MemoryNotices(), Queues()
        reads = ReadPorts(
            ports.zones, ports.store, ports.ledger, ports.catalog, ports.clock, web, Links(), bucket, *house
        )
        issuers = issuers_of(issuer.parameter)
        tokens = Tokens(issuers, Keyring(web, SystemClock()), SystemClock())  # the issuer has this machine's time
        doors = Doors(issuers, tokens, sessions, web, ports.clock)
        site = Site(reads, doors, VIEWS, bucket.endpoint, MemoryRequests(), lambda: ports)

        def invoke(_: str, event: Any) -> Any:
            return site.answer(event)

        with Gateway(routes(), invoke, port) as gateway:
            bucket.origins.add(gateway.endpoint)
            yield Opened(world, site, issuer, gateway, sessions)


def routes() -> list[Route]:
    """Return the routes of the site, those without parameters first."""
    target = {"uri": {"Fn::Sub": "${ApiPagesFunction.Arn}"}}
    parts = [key.partition(" ") for key in KEYS]
    made = [Route.of(method, path, target) for method, _, path in parts]
    return sorted(made, key=lambda route: (route.path.groups, route.key))
