"""Tokens: what an issuer is asked, and what it may answer."""

from __future__ import annotations

import base64
import time

import pytest

from dropgate_client.addresses import address
from dropgate_client.errors import ClientError, NotConfigured, RequestRefused, Unreachable
from dropgate_client.tokens import Application, fetch
from dropgate_client.transport import Transport
from tests.unit.client.servers import Reply, Server

DISCOVERY = "GET /.well-known/openid-configuration"


def test_secret_goes_into_the_header_unless_the_issuer_wants_it_in_the_form(server: Server) -> None:
    token = fetch(Transport(), Application(server.url, "in:met", "producer"), "s&c ret")

    (asked,) = server.requests("POST /token")
    assert base64.b64decode(asked.headers["authorization"].removeprefix("Basic ")) == b"in%3Amet:s%26c+ret"
    assert asked.form == {"grant_type": "client_credentials", "scope": "producer"}
    assert token.value == "first"
    assert 3590 < token.ends_at - time.time() <= 3600
    assert "first" not in repr(token)

    document = {"issuer": server.url, "token_endpoint": f"{server.url}/token"}
    server.on(DISCOVERY, Reply(body=document | {"token_endpoint_auth_methods_supported": ["client_secret_post"]}))
    fetch(Transport(), Application(server.url, "inmet", "", "drops"), "secret")
    asked = server.requests("POST /token")[-1]
    assert "authorization" not in asked.headers
    assert asked.form == {
        "grant_type": "client_credentials",
        "client_id": "inmet",
        "client_secret": "secret",
        "audience": "drops",
    }


def test_application_without_a_secret_names_itself(server: Server) -> None:
    fetch(Transport(), Application(server.url, "inmet"), "")

    assert server.requests("POST /token")[0].form == {"grant_type": "client_credentials", "client_id": "inmet"}


def test_issuer_that_refuses_is_quoted(server: Server) -> None:
    server.on("POST /token", Reply(401, {"error": "invalid_client", "error_description": "no such secret"}))

    with pytest.raises(RequestRefused, match=r"no token \(invalid_client: no such secret\): check DROPGATE_CLIENT_ID"):
        fetch(Transport(), Application(server.url, "inmet"), "wrong")


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        (Reply(404), NotConfigured, "is no OpenID Connect issuer"),
        (Reply(200, b"<html>"), NotConfigured, "is no OpenID Connect issuer"),
        (Reply(200, {"issuer": "https://other.example", "token_endpoint": "x"}), NotConfigured, "calls itself https"),
        (Reply(503), Unreachable, "answers with 503"),
    ],
)
def test_address_of_no_issuer_is_named(server: Server, reply: Reply, error: type[ClientError], message: str) -> None:
    server.on(DISCOVERY, reply)

    with pytest.raises(error, match=message):
        fetch(Transport(pause=lambda _: None), Application(server.url, "inmet"), "s")


def test_secret_is_sent_to_no_endpoint_without_encryption(server: Server) -> None:
    server.on(DISCOVERY, Reply(body={"issuer": server.url, "token_endpoint": "http://tokens.example.com/token"}))

    with pytest.raises(NotConfigured, match=r"token_endpoint .* has no encryption"):
        fetch(Transport(), Application(server.url, "inmet"), "s")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://drops.example.com", "https alone"),
        ("drops.example.com", "is no address"),
        ("ftp://drops.example.com", "is no address"),
        ("https://user:pass@drops.example.com", "is no address"),
        ("https://drops.example.com/?a=1", "is no address"),
        ("https://[::1", "is no address"),
        ("https://a:b", "is no address"),
    ],
)
def test_address_that_cannot_be_asked_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotConfigured, match=f"--api .*{reason}"):
        address(text, "--api")


def test_address_loses_its_slash() -> None:
    assert address("https://drops.example.com/v1/ ", "--api") == "https://drops.example.com/v1"
    assert address("http://localhost:8080/", "--api") == "http://localhost:8080"
