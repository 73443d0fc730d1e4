"""Servers on loopback answer clients of this machine, and no page of another site in a browser of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from http.client import HTTPConnection
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
