"""A WSGI application in, a server for it on loopback out, for the embedded cloud and the EMR double."""

import re
from collections.abc import Callable, Iterable
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


class _QuietHandler(MotoRequestHandler):
    """moto's handler (it keeps underscores in S3 metadata names) without a log line for each request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


class LoopbackServer:
    """Serves one WSGI application on 127.0.0.1, one thread per connection, while the context is open."""

    def __init__(self, app: WsgiApp, port: int = 0) -> None:
        self._server = make_server(HOST, port, _from_here(app), threaded=True, request_handler=_QuietHandler)
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
        """Stop answering, and free the port."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _from_here(app: WsgiApp) -> WsgiApp:
    """Wrap an application so that no web page can reach it through a browser on this machine.

    Callers need no key here. A page of another site could send any request to 127.0.0.1, and, with a name of its own
    that resolves to 127.0.0.1, read the answers; an uploaded page would be of our own site:
    www.w3.org/TR/fetch-metadata, fetch.spec.whatwg.org, "Origin header". No client of AWS sends these headers.
    Let in are requests without a browser, typed addresses, and links between our own pages; browsers keep the content
    types that the application declares.
    """

    def answer(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [*headers, ("X-Content-Type-Options", "nosniff")], *more)

        name = re.sub(r":\d*$", "", str(environ.get("HTTP_HOST", HOST)))
        site, mode = environ.get("HTTP_SEC_FETCH_SITE", "none"), environ.get("HTTP_SEC_FETCH_MODE")
        is_link = site == "same-origin" and mode == "navigate" and environ["REQUEST_METHOD"] in ("GET", "HEAD")
        if name in _NAMES and "HTTP_ORIGIN" not in environ and (site == "none" or is_link):
            return app(environ, start)
        start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"Pages may not ask this server; type the address.\n"]

    return answer


def read_body(environ: Environ) -> bytes:
    """Read a request's whole body, with an announced length or in chunks."""
    if environ.get("wsgi.input_terminated"):
        return bytes(environ["wsgi.input"].read())
    return bytes(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
