"""A mail server on loopback: mails of any client in, each as a file's name, its subject and its bytes out.

The part of SMTP that a client needs to hand over a mail (RFC 5321, section 4.5.1), without encryption or users: it is
reached from this machine alone, and passes nothing on.
"""

from __future__ import annotations

import re
import socketserver
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from infra.local.loopback import HOST

MOST_BYTES = 10 * 1024**2
"""Of a mail (Amazon SES takes 40 MB; a notice has some kilobytes)."""
_POLL_SECONDS = 0.05
_MOST_LINE = 2048


@dataclass(frozen=True, slots=True)
class Received:
    """A mail, and the name of a file for it that mail programs open: its time, its number and its subject."""

    name: str
    subject: str
    body: bytes


class Mailbox:
    """Takes mails while the context is open; `keep` is given each, before its sender hears that it was taken."""

    def __init__(self, keep: Callable[[Received], object]) -> None:
        self._keep = keep
        self._turn, self._taken = Lock(), 0
        mailbox = self

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with suppress(ConnectionError):  # who leaves in the middle leaves no mail
                    mailbox._talk(self)

        self._server = socketserver.ThreadingTCPServer((HOST, 0), Session)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), name="mailbox", daemon=True)

    @property
    def address(self) -> str:
        """Return host and port."""
        return f"{HOST}:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _talk(self, session: socketserver.StreamRequestHandler) -> None:
        """Answer the commands of one client until it leaves."""

        def answer(text: str) -> None:
            session.wfile.write(f"{text}\r\n".encode("ascii"))

        answer(f"220 {HOST} dropgate")
        while line := session.rfile.readline(_MOST_LINE):
            match line[:4].upper().strip():
                case b"EHLO":
                    answer(f"250-{HOST}\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE {MOST_BYTES}")
                case b"HELO" | b"MAIL" | b"RCPT" | b"RSET" | b"NOOP":
                    answer("250 OK")
                case b"DATA":
                    answer("354 End with a line that is a point")
                    body = _body(session)
                    if body is None:
                        answer("552 This mail is too large")
                    else:
                        self._take(body)
                        answer("250 OK")
                case b"QUIT":
                    answer("221 Bye")
                    return
                case _:
                    answer("502 This command is not known here")

    def _take(self, body: bytes) -> None:
        subject = str(message_from_bytes(body, policy=policy.default)["Subject"] or "")
        with self._turn:
            self._taken += 1
            words = re.sub(r"[^A-Za-z0-9.-]+", "-", subject).strip("-.")[:80]
            name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{self._taken:03}-{words}.eml"
            self._keep(Received(name, subject, body))


def _body(session: socketserver.StreamRequestHandler) -> bytes | None:
    """Return the lines up to the one that is a point, or None if they are too many."""
    taken, size = [], 0
    while (line := session.rfile.readline(MOST_BYTES)) not in (b".\r\n", b".\n"):
        if not line:
            raise ConnectionAbortedError
        size += len(line)
        if size <= MOST_BYTES:
            taken.append(line.removeprefix(b".") if line.startswith(b"..") else line)
    return b"".join(taken) if size <= MOST_BYTES else None
