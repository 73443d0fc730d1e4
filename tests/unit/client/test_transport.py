"""Requests: bounded retries, no redirects, and nothing sent twice that must not be."""

from __future__ import annotations

import socket

import pytest

from dropgate_client.errors import Unreachable
from dropgate_client.transport import ATTEMPTS, LONGEST_PAUSE, Transport
from tests.unit.client.servers import BREAK, Reply, Server


def test_request_is_repeated_after_faults_of_the_server(server: Server, pauses: list[float]) -> None:
    server.on("GET /x", Reply(500), BREAK, Reply(502), Reply(200, {"a": 1}))

    assert Transport(pause=pauses.append).send("GET", f"{server.url}/x").json() == {"a": 1}
    assert len(pauses) == 3
    assert all(0.5 * 2**n <= pause <= 2**n for n, pause in enumerate(pauses))


def test_request_is_repeated_a_few_times_only(server: Server, pauses: list[float]) -> None:
    server.on("GET /x", Reply(503))

    assert Transport(pause=pauses.append).send("GET", f"{server.url}/x").status == 503
    assert len(server.asked) == ATTEMPTS


def test_server_that_asks_for_time_gets_it(server: Server, pauses: list[float]) -> None:
    server.on("GET /x", Reply(429, headers={"Retry-After": "7"}), Reply(200))

    assert Transport(pause=pauses.append).send("GET", f"{server.url}/x").status == 200
    assert pauses == [7]


def test_server_that_asks_for_an_hour_is_not_waited_for(server: Server, pauses: list[float]) -> None:
    server.on("GET /x", Reply(429, headers={"Retry-After": str(int(LONGEST_PAUSE) + 1)}))

    assert Transport(pause=pauses.append).send("GET", f"{server.url}/x").status == 429
    assert (len(server.asked), pauses) == (1, [])


@pytest.mark.parametrize("asked", ["soon", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_strange_or_past_time_is_no_fault(server: Server, pauses: list[float], asked: str) -> None:
    server.on("GET /x", Reply(429, headers={"Retry-After": asked}), Reply(200))

    assert Transport(pause=pauses.append).send("GET", f"{server.url}/x").status == 200
    assert len(pauses) == 1


@pytest.mark.parametrize("reply", [Reply(500), Reply(502), Reply(504)])
def test_what_must_not_be_repeated_is_sent_once(server: Server, pauses: list[float], reply: Reply) -> None:
    server.on("PUT /x", reply)

    assert Transport(pause=pauses.append).send("PUT", f"{server.url}/x", b"a", repeatable=False).status == reply.status
    assert (len(server.asked), pauses) == (1, [])


def test_connection_that_breaks_after_the_request_leaves_it_open(server: Server, pauses: list[float]) -> None:
    server.on("PUT /x", BREAK)

    with pytest.raises(Unreachable, match=r"^http://127\.0\.0\.1:\d+ does not answer: .*try again") as raised:
        Transport(pause=pauses.append).send("PUT", f"{server.url}/x?secret=1", b"a", repeatable=False)
    assert raised.value.may_have_arrived
    assert "secret" not in str(raised.value)
    assert (len(server.asked), pauses) == (1, [])


def test_server_that_processed_nothing_may_be_asked_again(server: Server, pauses: list[float]) -> None:
    server.on("PUT /x", Reply(503), Reply(200))

    assert Transport(pause=pauses.append).send("PUT", f"{server.url}/x", b"a", repeatable=False).status == 200
    assert [asked.body for asked in server.asked] == [b"a", b"a"]


def test_connection_that_is_never_made_sent_nothing(pauses: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    with pytest.raises(Unreachable, match="refused") as raised:
        Transport(pause=pauses.append).send("PUT", f"http://127.0.0.1:{port}/x", b"a", repeatable=False)
    assert not raised.value.may_have_arrived
    assert len(pauses) == ATTEMPTS - 1


def test_redirects_are_not_followed(server: Server) -> None:
    server.on("GET /x", Reply(302, headers={"Location": "/elsewhere"}))

    assert Transport().send("GET", f"{server.url}/x", headers={"Authorization": "Bearer t"}).status == 302
    assert len(server.asked) == 1


def test_proxy_of_the_environment_is_asked_but_not_for_this_machine(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", server.url)
    server.on("GET /x", Reply(200, {"by": "proxy"}))

    assert Transport().send("GET", "http://drops.example.invalid/x").json() == {"by": "proxy"}
    assert server.asked[0].headers["host"] == "drops.example.invalid"
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert Transport().send("GET", f"{server.url}/x").status == 200
