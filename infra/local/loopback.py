"""A WSGI application in, a server for it on loopback out, for the embedded cloud and the EMR double."""

import io
import logging
import re
import socket
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from threading import Thread
from types import TracebackType
from typing import Any, Self

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import make_server

ACCOUNT = "123456789012"

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]

HOST = "127.0.0.1"

_NAMES = frozenset({HOST, "localhost"})

_POLL_SECONDS = 0.05


_LARGEST_WRITE = 2**16

_log = logging.getLogger(__name__)


class _KeptAlive(MotoRequestHandler):
    """moto's handler (it keeps underscores in S3 metadata names) for many requests of one connection, without a log.

    werkzeug's own answers one request and waits 10 ms for more of its body, which costs more than most answers do. Here
    the application gets the whole body and returns the whole answer, so nothing is left to wait for.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = _LARGEST_WRITE

    def setup(self) -> None:
        """Let the server close the connection when it stops."""
        super().setup()
        _connections(self.server).add(self.connection)

    def finish(self) -> None:
        """Forget the connection, also one whose client has gone before the end of an answer."""
        _connections(self.server).discard(self.connection)
        with suppress(OSError):
            super().finish()

    def handle_expect_100(self) -> bool:
        """Let a client send its body at once, for which it would wait a second."""
        goes_on = super().handle_expect_100()
        self.wfile.flush()
        return goes_on

    def run_wsgi(self) -> None:
        """Answer one request."""
        environ = self.make_environ()
        body = _whole(environ)
        environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))
        self._answer(environ)

    def _answer(self, environ: Environ) -> None:
        """Send the application's answer; one of an announced length by the pieces in which it comes."""
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], *_: Any) -> Callable[[bytes], object]:
            started.append((status, headers))
            return self.wfile.write

        try:
            answer = self.server.app(environ, start)
            if not (started and _lengths(started[-1][1])):
                answer = [b"".join(answer)]
            status, headers = started[-1]
        except Exception:  # noqa: BLE001 - whatever an application raises, the client hears of it
            _log.exception("%s %s", self.command, self.path)
            status, headers, answer = "500 Internal Server Error", [], [b""]
        code, _, reason = status.partition(" ")
        self.send_response(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        lengths = _lengths(headers)
        if not lengths:
            self.send_header("Content-Length", str(sum(map(len, answer))))
        self.end_headers()
        if self.command == "HEAD":
            return
        sent = 0
        for piece in answer:
            self.wfile.write(piece)
            sent += len(piece)
        if lengths not in ([], [str(sent)]):
            self.close_connection = True  # the client would wait for the rest

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


class LoopbackServer:
    """Serves one WSGI application on 127.0.0.1, one thread per connection, while the context is open."""

    def __init__(self, app: WsgiApp, port: int = 0, *, has_pages: bool = False) -> None:
        """Prepare. `has_pages` lets browsers in that show this server's own pages, which check who asks."""
        self.origins: set[str] = set()
        """Origins of other servers whose pages may ask."""
        guarded = _from_here(app, self.origins, has_pages=has_pages)
        self._server = make_server(HOST, port, guarded, threaded=True, request_handler=_KeptAlive)
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), name="loopback", daemon=True)

    @property
    def endpoint(self) -> str:
        """Return the URL that clients take as endpoint_url."""
        return f"http://{HOST}:{self._server.server_port}"

    def start(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering, also on connections that clients keep, and free the port."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        for connection in tuple(_connections(self._server)):
            with suppress(OSError):  # the client has closed it
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _lengths(headers: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lengths that an answer announces."""
    return [value for name, value in headers if name.lower() == "content-length"]


def _connections(server: Any) -> set[socket.socket]:
    """Return the open connections of a server."""
    open_: set[socket.socket] = server.__dict__.setdefault("connections", set())
    return open_


def _from_here(app: WsgiApp, origins: Collection[str], *, has_pages: bool = False) -> WsgiApp:
    """Wrap an application so that no web page can reach it through a browser on this machine.

    Callers need no key here. A page of another site could send any request to 127.0.0.1, and, with a name of its own
    that resolves to 127.0.0.1, read the answers; an uploaded page would be of our own site:
    www.w3.org/TR/fetch-metadata, fetch.spec.whatwg.org, "Origin header". No client of AWS sends these headers.
    Let in are requests without a browser, typed addresses, links between our own pages, and pages of `origins`;
    browsers keep the content types that the application declares. A server that has pages also lets in what its own
    pages send, and links and forms' redirects from other servers of this machine, as of an issuer; never what pages of
    other sites send.
    """

    def answer(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [*headers, ("X-Content-Type-Options", "nosniff")], *more)

        name = re.sub(r":\d*$", "", str(environ.get("HTTP_HOST", HOST)))
        site, mode = environ.get("HTTP_SEC_FETCH_SITE", "none"), environ.get("HTTP_SEC_FETCH_MODE")
        is_read = environ["REQUEST_METHOD"] in ("GET", "HEAD")
        is_link = site == "same-origin" and mode == "navigate" and is_read
        is_ours = "HTTP_ORIGIN" not in environ and (site == "none" or is_link)
        if has_pages:
            own = environ.get("HTTP_ORIGIN") in (None, f"http://{environ.get('HTTP_HOST')}")
            comes = site == "same-site" and mode == "navigate" and is_read
            is_ours = comes or (own and site in ("none", "same-origin"))
        if name in _NAMES and (is_ours or environ.get("HTTP_ORIGIN") in origins):
            return app(environ, start)
        start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"Pages may not ask this server; type the address.\n"]

    return answer


def read_body(environ: Environ) -> bytes:
    """Read a request's whole body."""
    return bytes(environ["wsgi.input"].read())


def _whole(environ: Environ) -> bytes:
    """Read a body with an announced length or in chunks."""
    stream = environ["wsgi.input"]
    if environ.get("wsgi.input_terminated"):
        return bytes(stream.read())
    return bytes(stream.read(int(environ.get("CONTENT_LENGTH") or 0)))
