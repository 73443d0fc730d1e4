"""Servers on loopback answer clients of this machine, and no page of another site in a browser of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from http.client import HTTPConnection, IncompleteRead, RemoteDisconnected
from socket import create_connection
from threading import Event
from urllib.parse import urlsplit

import pytest

from infra.local.loopback import Environ, LoopbackServer, StartResponse


def answered(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["REQUEST_METHOD"].encode()]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with LoopbackServer(answered) as server:
        yield urlsplit(server.endpoint).port or 0


def status(port: int, method: str, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    sent = {name.replace("_", "-"): value.format(port=port) for name, value in headers.items()}
    connection.request(method, "/", headers=sent)
    return connection.getresponse().status


METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
OURS: dict[str, dict[str, str]] = {
    "a client of AWS": {},
    "by name": {"Host": "localhost:{port}"},
    "without a port": {"Host": "127.0.0.1"},
    "an address that was typed": {"Sec_Fetch_Site": "none"},
}
THEIRS: dict[str, dict[str, str]] = {
    "a page of another site": {"Origin": "https://evil.example"},
    "a page in a sandbox": {"Origin": "null"},
    "an uploaded page": {"Sec_Fetch_Site": "same-origin", "Sec_Fetch_Mode": "cors"},
    "a form of an uploaded page": {
        "Sec_Fetch_Site": "same-origin",
        "Sec_Fetch_Mode": "navigate",
        "Origin": "http://127.0.0.1:{port}",
    },
    "a page of another port": {"Origin": "http://127.0.0.1:1", "Sec_Fetch_Site": "same-site"},
    "a picture in a page": {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    "a link in a page": {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"},
    "a name that comes to mean this machine": {"Host": "evil.example:{port}"},
    "the same, as a page of its own": {
        "Host": "evil.example:{port}",
        "Origin": "http://evil.example:{port}",
        "Sec_Fetch_Site": "same-origin",
    },
    "a name that begins like ours": {"Host": "127.0.0.1.evil.example:{port}"},
    "a name that ends like ours": {"Host": "evil.localhost:{port}"},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("headers", OURS.values(), ids=OURS)
def test_clients_of_this_machine_are_answered(port: int, method: str, headers: dict[str, str]) -> None:
    assert status(port, method, **headers) == 200


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("headers", THEIRS.values(), ids=THEIRS)
def test_pages_of_other_sites_are_not(port: int, method: str, headers: dict[str, str]) -> None:
    assert status(port, method, **headers) == 403


def test_link_from_page_to_page_is_followed(port: int) -> None:
    link = {"Sec_Fetch_Site": "same-origin", "Sec_Fetch_Mode": "navigate"}

    assert {method: status(port, method, **link) for method in METHODS} == {
        method: 200 if method in ("GET", "HEAD") else 403 for method in METHODS
    }


def test_connection_is_kept_for_further_requests(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    sockets = set()
    for method, body, encode_chunked in (
        ("PUT", b"abc", False),
        ("GET", None, False),
        ("PUT", iter([b"a", b"b"]), True),
    ):
        connection.request(method, "/", body, encode_chunked=encode_chunked)
        sockets.add(connection.sock)
        assert connection.getresponse().read() == method.encode()

    assert len(sockets) == 1


def test_refused_page_leaves_nothing_of_its_request_for_the_next(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("PUT", "/", b"GET /x HTTP/1.1\r\n\r\n", {"Origin": "https://evil.example"})
    assert connection.getresponse().read().startswith(b"Pages may not ask")
    connection.request("GET", "/")

    assert connection.getresponse().read() == b"GET"


def test_error_of_an_application_is_an_answer() -> None:
    def broken(_: Environ, __: StartResponse) -> Iterable[bytes]:
        raise RuntimeError

    with LoopbackServer(broken) as server:
        assert status(urlsplit(server.endpoint).port or 0, "GET") == 500


def test_answer_that_is_shorter_than_it_says_ends_with_its_connection() -> None:
    def cut(_: Environ, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Length", "10")])
        return [b"half"]

    with LoopbackServer(cut) as server:
        connection = HTTPConnection("127.0.0.1", urlsplit(server.endpoint).port or 0, timeout=10)
        connection.request("GET", "/")
        with pytest.raises(IncompleteRead):
            connection.getresponse().read()


def test_stopped_server_answers_nobody() -> None:
    with LoopbackServer(answered) as server:
        connection = HTTPConnection("127.0.0.1", urlsplit(server.endpoint).port or 0, timeout=10)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"GET"

    with suppress(ConnectionError):
        connection.request("GET", "/")
    with pytest.raises((RemoteDisconnected, ConnectionError)):
        connection.getresponse()


def test_client_that_waits_with_its_body_is_told_to_send_it(port: int) -> None:
    with create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"PUT / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 Continue\r\n")
        connection.sendall(b"abc")

        assert connection.recv(1000).endswith(b"\r\n\r\nPUT")


def test_answer_of_an_announced_length_is_sent_as_it_comes() -> None:
    size, goes_on = 1 << 20, Event()

    def pieces() -> Iterator[bytes]:
        yield b"a" * size
        assert goes_on.wait(10)
        yield b"b" * size

    def app(_: Environ, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Length", str(2 * size))])
        return pieces()

    with LoopbackServer(app) as server:
        connection = HTTPConnection("127.0.0.1", urlsplit(server.endpoint).port, timeout=10)
        connection.request("GET", "/")
        answer = connection.getresponse()
        begin = answer.read(size // 2)
        goes_on.set()

        assert begin + answer.read() == b"a" * size + b"b" * size
