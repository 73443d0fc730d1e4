"""A server on loopback that plays issuer, API and S3: what each address answers in, what was asked out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

BREAK = None
"""In place of an answer: the connection breaks after the whole request was read."""


@dataclass(frozen=True)
class Asked:
    """A request as it arrived, with its first MiB; names of headers are in small letters."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))


@dataclass(frozen=True)
class Reply:
    """An answer; a body that is no bytes is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Answer = Reply | None | Callable[[Asked], Reply | None]


class Server:
    """Answers each method and path with its list of replies in their order, and with the last of them from then on."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: dict[str, list[Answer]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self)

            do_POST = do_PUT = do_GET  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def on(self, what: str, *answers: Answer) -> None:
        """Set the answers of `GET /path`."""
        self.answers[what] = list(answers)

    def requests(self, what: str) -> list[Asked]:
        """Return the requests of `GET /path` so far."""
        return [asked for asked in self.asked if f"{asked.method} {asked.path}" == what]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body, left = b"", int(headers.get("content-length", 0))
        while block := handler.rfile.read(min(left, 1 << 20)):
            left -= len(block)
            body = body or block  # the first one is enough of a large file
        asked = Asked(handler.command, parts.path, dict(parse_qsl(parts.query)), headers, body)
        self.asked.append(asked)
        answers = self.answers.get(f"{asked.method} {asked.path}", [Reply(404, {"detail": "Not here."})])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        reply = answer(asked) if callable(answer) else answer
        if reply is None:
            handler.close_connection = True
            return
        handler.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.content)), **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(reply.content)

    @contextmanager
    def running(self) -> Iterator[Server]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()
