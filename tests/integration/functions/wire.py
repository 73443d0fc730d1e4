"""Every call that functions and people make to AWS, on its way there; some go wrong.

boto3's by botocore's own hooks: `before-call` counts the calls of each process and says for which method of a port,
`before-send` lets one of them go wrong. Those of deltalake's client of S3, which has no hooks, between it and S3.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from socket import SHUT_RDWR
from threading import local, main_thread
from typing import Any, Literal, get_args

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError
from urllib3 import HTTPHeaderDict, HTTPResponse
from werkzeug.test import EnvironBuilder, run_wsgi_app

import functions.aws
import functions.handlers.counting
from functions.aws.clients import TRIES
from functions.ports import Ports
from infra.local.cloud import Cloud
from infra.local.emr.server import EmrServerless
from infra.local.iam.calls import credential
from infra.local.loopback import Environ, StartResponse
from infra.local.moto_patches.fault_injection import FAILURES
from infra.local.s3.request import parse_request
from tests.integration.functions.by_hand import Killed, Site

Side = Literal["before", "after", "lost", "throttled", "timed out"]
SIDES: tuple[Side, ...] = get_args(Side)
"""The function dies before the call, or after it; its reply is lost, and boto3 asks again; it is refused as often as
boto3 tries; it takes effect each time boto3 tries, and no reply comes."""

AWS = Path(functions.aws.__file__).parent
COUNTING = Path(functions.handlers.counting.__file__)
"""Where methods of ports are: in adapters, and in a ledger that counts what it writes."""


@dataclass(frozen=True)
class Call:
    """The nth call of an operation by a function, the method of a port that asks for it, and what calls that."""

    function: str
    nth: int
    operation: str
    method: str
    site: str


@dataclass(frozen=True)
class Point:
    """One way in which one call goes wrong."""

    call: Call
    side: Side

    def __str__(self) -> str:
        return f"{self.call.function}, {self.call.method} {self.call.operation} {self.call.nth}: {self.side}"


class Wire:
    """The wire between the functions and AWS: every call of a run, some of which fail.

    Calls of boto3 are met by its hooks; those of deltalake's own client of S3, which has none, on their way, by `meet`.
    Once a process is killed, nothing that it asks for reaches AWS any more.
    """

    def __init__(self, cloud: Cloud) -> None:
        self.calls: list[Call] = []
        self.wrong: list[Point] = []
        self.met: list[Point] = []
        self.first: list[tuple[str, str, Side]] = []
        self._cloud = cloud
        self._names: set[str] = set()
        self._nth: Counter[tuple[str, str]] = Counter()
        self._dead: set[str] = set()
        self._silent: set[tuple[str, str, str]] = set()
        self._here = local()

    def listen(self, site: Site, name: str, world: Ports) -> None:
        """Meet all that a process asks for."""
        self._names.add(name)
        for client in clients_of(world):
            client.meta.events.register("before-call", partial(self._begin, site, name))
            client.meta.events.register("before-send", partial(self._send, site, name))

    def begin(self, *wrong: Point) -> None:
        """Begin a run in which these points are met."""
        self.calls, self.wrong, self.met, self.first = [], [*wrong], [], []
        self._nth.clear()

    @contextmanager
    def process(self, name: str) -> Iterator[None]:
        """A process of a function or a person; Killed in the end if it was killed within."""
        try:
            yield
            if name in self._dead:
                raise Killed(name)
        finally:
            self._dead.discard(name)
            self._silent.clear()

    def _begin(self, site: Site, name: str, model: Any, **_: Any) -> None:
        if name in self._dead:
            raise Killed(name)
        operation = f"{model.service_model.service_name}:{model.name}"
        self._here.side, self._here.sent = self._side(name, operation), 0
        if self._here.side == "throttled":
            self._throttle(site.emr if operation.startswith("emr-serverless:") else self._cloud, operation)

    def _send(self, site: Site, name: str, request: Any, **_: Any) -> AWSResponse:
        side, self._here.sent = self._here.side, self._here.sent + 1
        if side == "before":
            self._kill(name)
        answer = straight(site, request)
        if side == "after":
            self._kill(name)
        if side == "timed out" or (side == "lost" and self._here.sent == 1):
            raise ReadTimeoutError(endpoint_url=request.url)
        return answer

    def meet(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Pass a request to S3 on; one of deltalake's client may go wrong."""
        name, asked = credential(environ).caller, parse_request(environ, b"")
        if name not in self._names or "Boto3" in environ.get("HTTP_USER_AGENT", ""):
            return self._cloud._answer(environ, start_response)
        place = name, asked.operation, asked.key
        if name in self._dead:
            return _gone(start_response)
        side = "timed out" if place in self._silent else self._side(name, f"deltalake:{asked.operation}")
        if side == "before":
            self._dead.add(name)
            return _gone(start_response)
        if side == "throttled":
            self._throttle(self._cloud, f"s3:{asked.operation}")
        if side in ("after", "lost", "timed out"):
            self._cloud._answer(environ, lambda *_: None)
            return self._unheard(environ, start_response, side, place)
        return self._cloud._answer(environ, start_response)

    def _unheard(
        self, environ: Environ, start_response: StartResponse, side: Side, place: tuple[str, str, str]
    ) -> Iterable[bytes]:
        """Let nobody hear of what was done."""
        if side == "after":
            self._dead.add(place[0])
            return _gone(start_response)
        if side == "timed out":
            self._silent.add(place)
        environ["werkzeug.socket"].shutdown(SHUT_RDWR)
        start_response("500 Internal Server Error", [])
        return [b""]

    def _side(self, name: str, operation: str) -> Side | None:
        """Return how this call fails: by a scenario's own fault, once, or by the point of the run."""
        self._nth[name, operation] += 1
        call = Call(name, self._nth[name, operation], operation, *_asked())
        for fault in self.first:
            if fault[:2] == (call.function, call.method):
                self.first.remove(fault)
                return fault[2]  # it goes wrong in any case, so that it is no call to be met
        self.calls.append(call)
        for point in self.wrong:
            if (point.call.function, point.call.operation, point.call.nth) == (name, operation, call.nth):
                self.met.append(point)
                return point.side
        return None

    def _throttle(self, double: Cloud | EmrServerless, operation: str) -> None:
        """Let a service refuse a call as often as it is tried."""
        kinds = FAILURES[operation.partition(":")[0]]
        double.outages.begin(operation, kinds[len(self.calls) % len(kinds)], TRIES)

    def _kill(self, name: str) -> None:
        self._dead.add(name)
        raise Killed(name)


def clients_of(world: Ports) -> tuple[Any, ...]:
    """The clients of boto3 that a process has."""
    ports: Any = world
    return ports.store._s3, ports.ledger._db, ports.jobs._emr, ports.delays._sqs


def straight(site: Site, request: Any, **_: Any) -> AWSResponse:
    """Ask the embedded AWS in this process, without a socket between, which would take most of the time."""
    double: Any = site.emr if request.url.startswith(site.emr.endpoint) else site.cloud
    path, _, query = request.url.removeprefix(double.endpoint).partition("?")
    body = request.body.read() if hasattr(request.body, "read") else request.body or b""
    headers = {name: value.decode() if isinstance(value, bytes) else value for name, value in request.headers.items()}
    asked = EnvironBuilder(path, double.endpoint, query, request.method, BytesIO(body), headers=headers)
    environ = {**asked.get_environ(), "RAW_URI": f"{path}?{query}" if query else path, "wsgi.input_terminated": True}
    parts, status, named = run_wsgi_app(double._server.app, environ, buffered=True)
    response_headers: Any = HTTPHeaderDict(named.to_wsgi_list())
    raw = HTTPResponse(
        BytesIO(b"".join(parts)),
        response_headers,
        int(status[:3]),
        preload_content=False,
        decode_content=False,
        enforce_content_length=False,
        request_method=request.method,
    )
    return AWSResponse(request.url, raw.status, response_headers, raw)


def _gone(start_response: StartResponse) -> Iterable[bytes]:
    """The error in a process that is dead; nobody handles it."""
    start_response("403 Forbidden", [("Content-Length", "0")])
    return [b""]


def _asked() -> tuple[str, str]:
    """The method of a port that the call under way is made for, and what calls it; functions run in the main thread."""
    method = site = ""
    frame = sys._current_frames().get(main_thread().ident or 0)
    while frame:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname.partition(".<locals>")[0]
        if path.parent == AWS:
            method, site = name, ""
        elif path == COUNTING:
            site = ""
        elif AWS.parent in path.parents and path.parent.name != "handlers":
            site = site or f"{path.stem}.{name}"
        frame = frame.f_back
    return method, site
