"""An API in memory: tokens of an issuer with keys of its own, and requests as API Gateway sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey

from contracts.catalog import Authority
from contracts.errors import ObjectGone, ServiceUnavailable, StaleWrite
from functions.api import house, producers
from functions.api.app import AddRoutes, Api
from functions.api.identity.callers import Issuer
from functions.api.identity.keyring import Keyring
from functions.api.identity.tokens import Tokens
from functions.api.limits import CallerLimit
from functions.api.publisher import Publisher
from functions.ports import ReadPorts
from functions.ports.clock import Clock
from functions.ports.messages import QueueDepth
from functions.ports.web.links import UploadLink
from tests.builders import ZONES, World
from tests.fakes import MemoryRequests, MemoryStore
from tests.hearing import MemoryNotices

ISSUER, AUDIENCE = "https://login.example.com", "dropgate"
EC_KEY = ECKey.generate_key("P-256", {"use": "sig"}, auto_kid=True)
RSA_KEY = RSAKey.generate_key(2048, {"use": "sig"}, auto_kid=True)
GROUPS = {role: role for role in ("producer", "consumer", "steward", "operator")} | {"shops": "producer:shop"}
TRUSTED = Issuer(ISSUER, AUDIENCE, "groups", GROUPS, "folders")
EVERY_ROUTE: tuple[AddRoutes, ...] = (*producers.ROUTES, *house.ROUTES)


class Documents:
    """Documents of the web by their addresses; `asked` are those that were fetched."""

    def __init__(self, keys: Sequence[Any] = (EC_KEY, RSA_KEY)) -> None:
        self.asked: list[str] = []
        self.pages: dict[str, Any] = {
            f"{ISSUER}/.well-known/openid-configuration": {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"},
            f"{ISSUER}/keys": KeySet(list(keys)).as_dict() if keys else {"keys": []},
        }

    def fetch(self, url: str, most_bytes: int) -> bytes:
        self.asked.append(url)
        if url not in self.pages:
            raise ServiceUnavailable(url)
        body = json.dumps(self.pages[url]).encode()
        assert len(body) <= most_bytes
        return body

    def submit(self, url: str, form: bytes, most_bytes: int) -> bytes:
        raise ServiceUnavailable(f"{url} takes no {len(form)} bytes for an answer of {most_bytes}")


class Links:
    """Addresses that name what they lead to."""

    def download(self, uri: str, name: str, seconds: int) -> str:
        return f"https://s3.example.com/{uri.removeprefix('s3://')}?name={name}&seconds={seconds}"


class Uploads:
    """Addresses that name what may be uploaded; `asked` are the URIs of those that were given."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.asked: list[str] = []

    def upload(self, uri: str, size: int, sha256: str, session: str) -> UploadLink | None:
        self.asked.append(uri)
        url = f"https://s3.example.com/{uri.removeprefix('s3://')}?size={size}&sha256={sha256}&session={session}"
        return UploadLink(url, {"Content-Length": str(size)}, self.clock.now() + timedelta(seconds=600))


@dataclass
class LinkKeys:
    """Parameters with the keys of links."""

    held: dict[str, str]

    def secret(self, name: str) -> str | None:
        return self.held.get(name)


class Queues:
    """One queue with three messages."""

    def depths(self) -> Sequence[QueueDepth]:
        return [QueueDepth("object-created", 2, 1, 0)]


class StoredCatalog:
    """The catalog zone of a store in memory, for publishers."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store

    def get(self, name: str) -> tuple[bytes, str] | None:
        try:
            return self.store.get_if_changed(f"{ZONES.catalog}{name}", None)
        except ObjectGone:
            return None

    def create(self, name: str, body: bytes) -> bool:
        if self.get(name):
            return False
        self.store.put(f"{ZONES.catalog}{name}", body, "application/json")
        return True

    def swap(self, name: str, body: bytes, etag: str | None) -> None:
        there = self.get(name)
        if (there and there[1]) != etag:
            raise StaleWrite("Somebody else has just published.")
        self.store.put(f"{ZONES.catalog}{name}", body, "application/json")

    def names(self, prefix: str) -> tuple[str, ...]:
        listed = self.store.listed(f"{ZONES.catalog}{prefix}", 1000)
        return tuple(sorted(uri.removeprefix(ZONES.catalog) for uri in listed))


class FunctionContext:
    """Lambda's facts about an invocation."""

    function_name = "api"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:api"
    aws_request_id = "1"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


@dataclass
class Answer:
    """The response of a request."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)


def claims(world: World, subject: str = "somebody", **changes: Any) -> dict[str, Any]:
    """Return the claims of a token that is valid now."""
    now = int(world.clock.now().timestamp())
    body = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 600, "groups": []}
    return {name: value for name, value in (body | changes).items() if value is not None}


def signed(body: Mapping[str, Any], key: Any = EC_KEY, alg: str = "ES256", **header: Any) -> str:
    """Return a token of these claims."""
    return jwt.encode({"alg": alg, "kid": key.kid, **header}, dict(body), key, algorithms=[alg])


class Asking:
    """Requests to every route over a world in memory."""

    def __init__(
        self, world: World, documents: Documents | None = None, per_minute: int = 0, authority: Authority = "api"
    ) -> None:
        self.world = world
        self.documents = documents or Documents()
        ports = world.ports
        self.uploads = Uploads(ports.clock)
        self.link_keys: dict[str, str] = {}
        self.notices = MemoryNotices()
        reads = ReadPorts(
            ports.zones,
            ports.store,
            ports.ledger,
            ports.catalog,
            ports.clock,
            self.documents,
            Links(),
            self.uploads,
            self.notices,
            Queues(),
            link_keys=LinkKeys(self.link_keys),
        )
        tokens = Tokens((TRUSTED,), Keyring(self.documents, ports.clock), ports.clock)
        self.requests = MemoryRequests()
        publisher = Publisher(StoredCatalog(world.store), authority, has_expectations=False)
        limit = CallerLimit(per_minute, self.requests, ports.clock)
        self.api = Api(reads, tokens, EVERY_ROUTE, self.requests, lambda: ports, limit, lambda: publisher)

    def ask(
        self,
        path: str,
        token: str | None = None,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request."""
        sent = {"content-type": "application/json"} if body is not None else {}
        event: dict[str, Any] = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": urlencode(query or {}),
            "headers": {**sent, **({"authorization": f"Bearer {token}"} if token else {}), **(headers or {})},
            "requestContext": {"http": {"method": method, "path": path}, "stage": "$default", "requestId": "1"},
            "isBase64Encoded": False,
        }
        if query:
            event["queryStringParameters"] = dict(query)
        if body is not None:
            event["body"] = body if isinstance(body, str) else json.dumps(body)
        context: Any = FunctionContext()
        answer = self.api.answer(event, context)
        return Answer(answer["statusCode"], answer["headers"], answer.get("body") or "")

    def token(self, *groups: str, **changes: Any) -> str:
        """Return a valid token of a caller in some groups."""
        return signed(claims(self.world, groups=list(groups), **changes))
