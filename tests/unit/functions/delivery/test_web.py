"""Requests to receivers on loopback that answer as their pages say, and addresses that no request may go to."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest

from functions.delivery.web import PublicWeb, is_public, secure
from functions.ports.notices import Answer, Post
from tests.certificates import Authority
from tests.fakes import TestClock
from tests.receivers import Network, Receiver, Reply, tls_network, web_receiver

PUBLIC = "93.184.216.34"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with web_receiver() as running:
        yield running


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    return tls_network(monkeypatch, PUBLIC)


def asked(receiver: Receiver, *replies: Reply, path: str = "/hook") -> Any:
    receiver.replies = [*replies]
    sender = PublicWeb(TestClock(), receiver.origin)
    return sender.post(Post(f"{receiver.origin}{path}", b'{"a": 1}', {"Content-Type": "application/json"}))


# Each with its source:
# Slack, "Sending messages using incoming webhooks" and "Changes to errors for incoming webhooks" (2016-05-17);
# Slack, "Rate limits": 429 with Retry-After in seconds;
# PagerDuty, "Events API v2 overview", response codes: 202, 400, 429, 5xx;
# Standard Webhooks, "Operational considerations": 410 ends an endpoint, 429 and 502, 504 are throttling;
# RFC 9110, sections 10.2.3 (Retry-After) and 15.
@pytest.mark.parametrize(
    ("reply", "result", "text", "after"),
    [
        (Reply(200, "ok"), "sent", "200 ok", None),
        (Reply(202, '{"status":"success"}'), "sent", '202 {"status":"success"}', None),
        (Reply(204, ""), "sent", "204", None),
        (Reply(429, "rate_limited", {"Retry-After": "30"}), "later", "429 rate_limited", 30),
        (Reply(429, "", {"Retry-After": "soon"}), "later", "429", None),
        (Reply(429, "", {"Retry-After": "Sat, 31 Jan 2026 12:02:00 GMT"}), "later", "429", 119),
        (Reply(503, "", {"Retry-After": "Sat, 31 Jan 2026 11:00:00 GMT"}), "later", "503", 0),
        (Reply(429, "", {"Retry-After": "9" * 40}), "later", "429", 2 * 86_400),
        (Reply(429, "", {"Retry-After": "Fri, 31 Dec 2027 23:59:59 +9999999999999999999"}), "later", "429", None),
        (Reply(503, "", {"Retry-After": "Fri, 31 Dec 9999 23:59:59 -1200"}), "later", "503", 2 * 86_400),
        (Reply(503, "", {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}), "later", "503", 2 * 86_400),
        (Reply(503, "", {"Retry-After": "Mon, 01 Jan 0001 00:00:00 +1200"}), "later", "503", 0),
        (Reply(408, ""), "later", "408", None),
        (Reply(500, "rollup_error"), "later", "500 rollup_error", None),
        (Reply(502, ""), "later", "502", None),
        (Reply(400, "invalid_payload"), "refused", "400 invalid_payload", None),
        (Reply(403, "action_prohibited"), "refused", "403 action_prohibited", None),
        (Reply(404, "channel_not_found"), "refused", "404 channel_not_found", None),
        (Reply(410, "channel_is_archived"), "refused", "410 channel_is_archived", None),
        (Reply(301, "", {"Location": "http://127.0.0.1/"}), "refused", "301: redirects are not followed", None),
        (Reply(307, "", {"Location": "/elsewhere"}), "refused", "307: redirects are not followed", None),
    ],
    ids=lambda value: (
        f"{value.status} {next(iter(value.headers.values()), '')[:60]} {value.body[:4]}"
        if isinstance(value, Reply)
        else ""
    ),
)
def test_each_answer_means_what_its_page_says(
    receiver: Receiver, reply: Reply, result: str, text: str, after: int | None
) -> None:
    answer = asked(receiver, reply)

    assert (answer.result, answer.text, answer.after, answer.unsure) == (result, text, after, False)
    assert len(receiver.received) == 1


def test_a_request_arrives_as_it_was_made(receiver: Receiver) -> None:
    asked(receiver, path="/hook?a=b%20c")
    (request,) = receiver.received

    assert (request.path, request.body) == ("/hook?a=b%20c", b'{"a": 1}')
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Host"] == receiver.origin.removeprefix("http://")


def test_an_answer_that_does_not_come_may_have_arrived(receiver: Receiver) -> None:
    answer = asked(receiver, Reply(cut=True))

    assert (answer.result, answer.unsure) == ("later", True)


def test_a_slow_answer_is_waited_for_no_longer_than_the_bound(receiver: Receiver) -> None:
    receiver.replies = [Reply(seconds=1)]
    answer = PublicWeb(TestClock(), receiver.origin, read_seconds=0.2).post(Post(f"{receiver.origin}/", b""))

    assert (answer.result, answer.unsure) == ("later", True)


SLOWLY = {
    "status": (b"HTTP/1.1 2", b"0"),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "nothing": (b"", b""),
}


def dripping(begin: bytes, again: bytes) -> Iterator[int]:
    """Listen at a port where the answer comes byte by byte, without an end; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=drip, args=(server, begin, again), daemon=True)
        thread.start()
        yield server.getsockname()[1]
        thread.join(10)


def drip(server: socket.socket, begin: bytes, again: bytes) -> None:
    connection, _ = server.accept()
    with connection, suppress(OSError):
        connection.sendall(begin)
        for _ in range(100):
            connection.sendall(again)
            sleep(0.05)


@pytest.mark.parametrize(("begin", "again"), SLOWLY.values(), ids=SLOWLY)
def test_an_answer_that_comes_without_an_end_is_cut(begin: bytes, again: bytes) -> None:
    for port in dripping(begin, again):
        origin, began = f"http://127.0.0.1:{port}", monotonic()
        answer = PublicWeb(TestClock(), origin, whole_seconds=0.4).post(Post(f"{origin}/", b"{}"))

        assert monotonic() - began < 3
        assert (answer.result, answer.unsure) == ("later", True)


@pytest.mark.parametrize(
    "begin", [b"HTTP/1.1 202 Accepted\r\nX: ", b"HTTP/1.1 202 Accepted\r\nContent-Length: 500\r\n\r\n"]
)
def test_a_status_counts_though_the_rest_never_comes(begin: bytes) -> None:
    for port in dripping(begin, b"x"):
        origin, began = f"http://127.0.0.1:{port}", monotonic()
        answer = PublicWeb(TestClock(), origin, whole_seconds=0.4).post(Post(f"{origin}/", b"{}"))

        assert monotonic() - began < 3
        assert answer.result == "sent"


def test_a_handshake_without_an_end_is_cut_and_no_fault_of_the_certificate() -> None:
    for port in dripping(b"\x16\x03\x03\x40\x00", b"\x02"):
        pool = secure("127.0.0.1", "hook.example.com")
        pool.port = port
        began = monotonic()
        sender = PublicWeb(TestClock())
        url = "https://hook.example.com/"
        answer = sender._ask(pool, Post(url, b"{}"), urlsplit(url), 0.4)

        assert monotonic() - began < 3
        assert answer.result == "later"


def test_of_a_long_answer_little_is_read(receiver: Receiver) -> None:
    answer = asked(receiver, Reply(400, "x" * 10**6))

    assert len(answer.text) < 200


def test_an_answer_with_control_characters_is_not_shown(receiver: Receiver) -> None:
    assert asked(receiver, Reply(400, "\x1b[31mred")).text == "400"


def test_nobody_at_the_address_is_asked_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    origin = f"http://127.0.0.1:{port}"

    answer = PublicWeb(TestClock(), origin).post(Post(f"{origin}/", b""))

    assert (answer.result, answer.unsure) == ("later", False)


# --- addresses


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "//example.com/",
        "example.com",
        "",
        "https://user@example.com/",
        "https://user:password@example.com/",
        "https://example.com:8443/",
        "https://example.com:22/",
        "https://example.com:99999/",
        "https://[::1/",
        "https://ex\u00e4mple.com/",
        "https://example.com/\u2028",
    ],
)
def test_what_is_no_plain_https_address_is_refused(url: str) -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError((host, port))

    assert PublicWeb(TestClock(), resolve=never).post(Post(url, b"")).result == "refused"


INWARD = [
    "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",  # noqa: S104
    "169.254.169.254",  # instance metadata (Amazon EC2 user guide)
    "169.254.170.2",  # credentials of a container (Amazon ECS developer guide)
    "100.64.0.1", "192.0.0.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a9fe:a9fe::",
    "::10.0.0.1", "::8.8.8.8", "::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8", "fec0::1", "feff::1", "64:ff9b:1::a00:1",
    "64:ff9b:1:ffff::1", "64:ff9b::808:808", "100::1", "3fff::1", "5f00::1", "4000::1", "192.0.0.8", "::ffff:192.0.0.8",
    "2001:db8::1", "not an address", "",
]  # fmt: skip


def resolved(numbers: list[str], host: str, port: int) -> list[str]:
    assert (host, port) == ("hook.example.com", 443)
    return numbers


@pytest.mark.parametrize("number", INWARD)
def test_an_address_that_points_inward_is_refused(number: str) -> None:
    assert not is_public(number)
    for numbers in ([number], [PUBLIC, number], [number, PUBLIC]):
        answer = PublicWeb(TestClock(), resolve=partial(resolved, numbers)).post(Post("https://hook.example.com/", b""))
        assert (answer.result, answer.text) == ("refused", "the address points to a network that is not public")


@pytest.mark.parametrize("number", [PUBLIC, "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_a_public_address_is_one(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://127.1/",
    ],
)
def test_a_number_of_this_machine_is_refused_in_any_spelling(url: str) -> None:
    assert PublicWeb(TestClock()).post(Post(url, b"")).result in ("refused", "later")
    assert PublicWeb(TestClock()).post(Post(url, b"")).text != "nobody answered at the address"


def test_a_name_without_an_address_is_asked_again() -> None:
    def away(host: str, port: int) -> list[str]:
        raise socket.gaierror(host, port)

    assert PublicWeb(TestClock(), resolve=away).post(Post("https://hook.example.com/", b"")).result == "later"


def test_a_resolver_that_hangs_is_waited_for_no_longer_than_the_bound() -> None:
    answered = Event()

    def hang(host: str, port: int) -> list[str]:
        answered.wait(10)
        raise socket.gaierror(host, port)

    sender, began = PublicWeb(TestClock(), resolve=hang, look_up_seconds=0.2), monotonic()
    answer = sender.post(Post("https://hook.example.com/", b""))
    answered.set()

    assert monotonic() - began < 3
    assert (answer.result, answer.text, answer.unsure) == (
        "later",
        "the name of the host was not resolved in time",
        False,
    )


def test_a_resolver_that_hangs_keeps_no_process_from_ending() -> None:
    code = """
from threading import Event
from functions.delivery.web import PublicWeb
from functions.ports.notices import Answer, Post
from tests.certificates import Authority
sender = PublicWeb(None, resolve=lambda *_: Event().wait(), look_up_seconds=0.1)
print(sender.post(Post("https://hook.example.com/", b"")).result)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)

    assert run.stdout == "later\n"


def test_the_bound_of_a_request_holds_for_its_look_up_too(network: Network) -> None:
    def slow(host: str, port: int) -> list[str]:
        sleep(0.5)
        return resolved([PUBLIC], host, port)

    for port in dripping(b"", b""):
        network.port = port
        began = monotonic()
        answer = PublicWeb(TestClock(), resolve=slow, whole_seconds=0.7).post(Post("https://hook.example.com/", b""))

        assert monotonic() - began < 3
        assert answer.result == "later"


def test_the_connection_goes_to_the_address_that_was_looked_at() -> None:
    pool: Any = secure(PUBLIC, "hook.example.com")

    assert (pool.host, pool.port) == (PUBLIC, 443)
    assert pool.conn_kw["server_hostname"] == "hook.example.com"
    assert pool.assert_hostname == "hook.example.com"


def test_an_origin_like_the_receivers_is_no_receiver(receiver: Receiver) -> None:
    sender = PublicWeb(TestClock(), receiver.origin)
    for url in (f"{receiver.origin}0/", f"{receiver.origin}@example.com/", f"{receiver.origin}.example.com/"):
        assert sender.post(Post(url, b"")).result == "refused"
    assert receiver.received == []


# --- TLS


HOST = "hook.example.com"


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """An authority that this machine trusts, and no other."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    return made


def posted(network: Network, certificate: Path) -> tuple[Answer, Receiver]:
    """Send a request to a public address, at which a server with a certificate is."""
    with web_receiver(certificate) as server:
        network.port = server.port
        answer = PublicWeb(TestClock(), resolve=partial(resolved, [PUBLIC])).post(Post(f"https://{HOST}/a?b", b"{}"))
    return answer, server


@pytest.mark.parametrize("name", [HOST, "*.example.com"])
def test_a_server_with_a_certificate_of_its_name_gets_the_request(
    network: Network, authority: Authority, name: str
) -> None:
    answer, server = posted(network, authority.certificate(name))
    (request,) = server.received

    assert (answer.result, answer.text) == ("sent", "200 ok")
    assert (request.path, request.headers["Host"], request.body) == ("/a?b", HOST, b"{}")


@pytest.mark.parametrize(
    ("host", "how", "fault"),
    [
        ("other.example.com", {}, "it is for another host name"),
        (HOST, {"expired": True}, "certificate has expired"),
        (HOST, {"self_signed": True}, "self-signed certificate"),
    ],
    ids=["another name", "expired", "self-signed"],
)
def test_a_server_with_another_certificate_is_refused_before_the_request(
    network: Network, authority: Authority, host: str, how: dict[str, bool], fault: str
) -> None:
    answer, server = posted(network, authority.certificate(host, **how))

    assert (answer.result, answer.text) == ("refused", f"the certificate of the address is not valid: {fault}")
    assert server.received == []


def test_a_server_of_an_authority_that_nobody_trusts_is_refused(
    network: Network, authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "another").mkdir()
    monkeypatch.setenv("SSL_CERT_FILE", str(Authority(tmp_path / "another").file))
    answer, server = posted(network, authority.certificate(HOST))

    assert (answer.result, server.received) == ("refused", [])
    assert answer.text.startswith("the certificate of the address is not valid: ")


def test_a_server_without_tls_at_the_port_is_asked_again(network: Network, receiver: Receiver) -> None:
    network.port = receiver.port
    answer = PublicWeb(TestClock(), resolve=partial(resolved, [PUBLIC])).post(Post(f"https://{HOST}/", b"{}"))

    assert (answer.result, receiver.received) == ("later", [])
