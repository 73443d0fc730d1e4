"""Receivers of notices on loopback: a mail server, and one of requests that answers as it is told."""

from __future__ import annotations

import email
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from typing import Any

from aiosmtpd.controller import Controller


@dataclass
class Inbox:
    """The mails that a server has taken, and what it answers at the end of each."""

    mails: list[Any] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    recipient: str = "250 OK"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: ARG002, N802
        """Answer to a recipient."""
        if self.recipient.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.recipient

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: ARG002, N802
        """Answer to a mail."""
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer.startswith("250"):
            self.mails.append(email.message_from_bytes(envelope.content, policy=default))
        return answer


class _AnyPort(Controller):
    """A server on a port that the system chooses."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        above: Any = super()
        above._trigger_server()


@contextmanager
def mail_server(inbox: Inbox) -> Iterator[str]:
    """A mail server, as `host:port`."""
    server = _AnyPort(inbox, hostname="127.0.0.1", port=0)
    server.start()
    try:
        yield f"127.0.0.1:{server.port}"
    finally:
        server.stop()


@dataclass(frozen=True)
class Reply:
    """What a receiver answers, and after how many seconds; `cut`: it takes the request and answers nothing."""

    status: int = 200
    body: str = "ok"
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0
    cut: bool = False


@dataclass
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Receiver:
    """Requests that have come, and the answers to the next ones; then each is taken."""

    received: list[Received] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    origin: str = ""


@contextmanager
def web_receiver() -> Iterator[Receiver]:
    """A receiver of requests."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            receiver.received.append(Received(self.path, dict(self.headers), body))
            reply = receiver.replies.pop(0) if receiver.replies else Reply()
            sleep(reply.seconds)
            if reply.cut:
                return
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.origin = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
