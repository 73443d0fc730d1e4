"""Receivers of notices on loopback: a mail server, and one of requests that answers as it is told."""

from __future__ import annotations

import email
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
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
    port: int = 0


@dataclass
class Network:
    """The way from one public address, at port 443, to a port on loopback."""

    port: int = 0


def tls_network(monkeypatch: pytest.MonkeyPatch, number: str) -> Network:
    """Return a network in which a public address is on loopback; every other connection fails."""
    network, connect = Network(), socket.create_connection

    def routed(address: tuple[str, int], *args: Any, **_: Any) -> socket.socket:
        assert address == (number, 443)
        return connect(("127.0.0.1", network.port), args[0] if args and isinstance(args[0], float) else 5)

    monkeypatch.setattr("urllib3.util.connection.create_connection", routed)
    return network


@contextmanager
def web_receiver(certificate: Path | None = None) -> Iterator[Receiver]:
    """A receiver of requests; with a certificate over TLS."""
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

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Print nothing of a client that breaks off its handshake."""

    server = Quiet(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_port
    receiver.origin = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
