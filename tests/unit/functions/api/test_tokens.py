"""Tokens: each way to forge, confuse or reuse one is refused with 401, and keys are fetched with bounds."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey

from functions.api.identity.callers import SettingsInvalid, issuers_of
from functions.api.identity.keyring import AGAIN, FRESH, STALE
from tests.builders import a_world
from tests.unit.functions.api.asking import EC_KEY, ISSUER, RSA_KEY, Asking, Documents, claims, signed

NO_TOKENS = ("", "x", "a.b", "a.b.c", "a.b.c.d", "....", "ä.b.c", "a" * 9000, "e30.e30.", "bnVsbA.bnVsbA.AA")
STRANGER = ECKey.generate_key("P-256", auto_kid=True)
ENTRY = '{"issuer": "a", "audience": "a", "claim": "c", "roles": {}}'


def encoded(part: Any) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@pytest.fixture
def asking() -> Asking:
    return Asking(a_world())


def status(asking: Asking, token: str | None) -> int:
    return asking.ask("/contracts", token).status


@pytest.mark.parametrize(("key", "alg"), [(EC_KEY, "ES256"), (RSA_KEY, "RS256")], ids=["ES256", "RS256"])
def test_token_of_the_issuer_is_taken(asking: Asking, key: Any, alg: str) -> None:
    assert status(asking, signed(claims(asking.world, groups=["steward"]), key, alg)) == 200


def test_request_without_token_is_challenged(asking: Asking) -> None:
    answer = asking.ask("/contracts")

    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.body["status"] == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": 0},
        {"exp": None},
        {"exp": "soon"},
        {"nbf": 9_999_999_999},
        {"iat": 9_999_999_999},
        {"aud": "another"},
        {"aud": ["another", "third"]},
        {"aud": None},
        {"iss": "https://login.example.org"},
        {"iss": f"{ISSUER}/"},
        {"iss": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 300},
    ],
    ids=str,
)
def test_claims_that_do_not_fit_are_refused(asking: Asking, changes: dict[str, Any]) -> None:
    assert status(asking, signed(claims(asking.world, groups=["steward"], **changes))) == 401


def test_audience_may_be_one_of_several(asking: Asking) -> None:
    assert status(asking, asking.token("steward", aud=["another", "dropgate"])) == 200


def test_clocks_may_differ_by_a_minute(asking: Asking) -> None:
    token = asking.token("steward")

    asking.world.clock.pass_seconds(650)
    assert status(asking, token) == 200
    asking.world.clock.pass_seconds(20)
    assert status(asking, token) == 401


def test_unsigned_tokens_are_refused(asking: Asking) -> None:
    body = encoded(claims(asking.world, groups=["operator"]))

    for alg in ("none", "None", "NONE", ""):
        header = encoded({"alg": alg, "kid": EC_KEY.kid})
        assert status(asking, f"{header}.{body}.") == 401
        assert status(asking, f"{header}.{body}.AAAA") == 401


def test_public_key_is_no_secret_of_hmac(asking: Asking) -> None:
    body = encoded(claims(asking.world, groups=["operator"]))
    for secret in (RSA_KEY.as_pem(private=False), json.dumps(RSA_KEY.as_dict(private=False)).encode()):
        signing = f"{encoded({'alg': 'HS256', 'kid': RSA_KEY.kid})}.{body}"
        mac = hmac.new(secret, signing.encode(), hashlib.sha256).digest()
        assert status(asking, f"{signing}.{encoded(mac)}") == 401


def test_algorithm_must_be_that_of_the_key(asking: Asking) -> None:
    token = signed(claims(asking.world, groups=["operator"]))
    _, body, signature = token.split(".")

    assert status(asking, f"{encoded({'alg': 'RS256', 'kid': EC_KEY.kid})}.{body}.{signature}") == 401
    assert status(asking, f"{encoded({'alg': 'ES256', 'kid': RSA_KEY.kid})}.{body}.{signature}") == 401


def test_other_algorithms_are_refused(asking: Asking) -> None:
    body = claims(asking.world, groups=["operator"])

    assert status(asking, signed(body, RSA_KEY, "PS256")) == 401
    assert status(asking, signed(body, RSA_KEY, "RS512")) == 401
    assert status(asking, signed(body, OctKey.generate_key(256, auto_kid=True), "HS256")) == 401


def test_key_in_the_token_itself_is_not_believed(asking: Asking) -> None:
    body = claims(asking.world, groups=["operator"])

    assert status(asking, signed(body, STRANGER)) == 401
    assert status(asking, signed(body, STRANGER, kid=EC_KEY.kid)) == 401
    assert status(asking, signed(body, STRANGER, kid=EC_KEY.kid, jwk=STRANGER.as_dict(private=False))) == 401
    assert status(asking, signed(body, STRANGER, kid=EC_KEY.kid, jku="https://evil.example.com/keys")) == 401
    assert not [url for url in asking.documents.asked if "evil" in url]


def test_changed_token_is_refused(asking: Asking) -> None:
    header, _, signature = asking.token("producer").split(".")

    assert status(asking, f"{header}.{encoded(claims(asking.world, groups=['operator']))}.{signature}") == 401


@pytest.mark.parametrize("token", NO_TOKENS)
def test_text_that_is_no_token_is_refused(asking: Asking, token: str) -> None:
    assert status(asking, token) == 401


@pytest.mark.parametrize("scheme", ["Basic dXNlcjpwYXNz", "Bearer", "Bearer ", "Negotiate abc"])
def test_other_schemes_are_refused(asking: Asking, scheme: str) -> None:
    assert asking.ask("/contracts", headers={"authorization": scheme}).status == 401


def test_keys_are_fetched_once_and_again_after_an_hour(asking: Asking) -> None:
    for _ in range(3):
        assert status(asking, asking.token("steward")) == 200
    assert len(asking.documents.asked) == 2

    asking.world.clock.pass_seconds(FRESH.total_seconds() + 1)
    assert status(asking, asking.token("steward")) == 200
    assert len(asking.documents.asked) == 4


def test_unknown_keys_are_asked_for_once_a_minute(asking: Asking) -> None:
    body = claims(asking.world, groups=["steward"])
    assert status(asking, signed(body)) == 200
    for n in range(20):
        assert status(asking, signed(body, STRANGER, kid=f"unknown-{n}")) == 401
    assert len(asking.documents.asked) == 2

    asking.world.clock.pass_seconds(AGAIN.total_seconds() + 1)
    for n in range(20):
        assert status(asking, signed(body, STRANGER, kid=f"unknown-{n}")) == 401
    assert len(asking.documents.asked) == 4


def test_new_key_of_the_issuer_is_found(asking: Asking) -> None:
    body = claims(asking.world, groups=["steward"])
    assert status(asking, signed(body)) == 200
    asking.documents.pages |= Documents((STRANGER,)).pages
    asking.world.clock.pass_seconds(AGAIN.total_seconds() + 1)

    assert status(asking, signed(body, STRANGER)) == 200
    assert status(asking, signed(body)) == 401


def test_issuer_that_is_down_is_bridged_for_a_day(asking: Asking) -> None:
    assert status(asking, asking.token("steward")) == 200
    asking.documents.pages.clear()

    asking.world.clock.pass_seconds(timedelta(hours=23).total_seconds())
    assert status(asking, asking.token("steward")) == 200
    asking.world.clock.pass_seconds((STALE - timedelta(hours=22)).total_seconds())
    assert status(asking, asking.token("steward")) == 503


def test_issuer_that_was_never_reached_is_a_failure_of_ours() -> None:
    documents = Documents()
    documents.pages.clear()
    answer = (asking := Asking(a_world(), documents)).ask("/contracts", asking.token("steward"))

    assert answer.status == 503
    assert answer.headers["Retry-After"] == "5"


def test_discovery_of_another_issuer_is_not_believed() -> None:
    documents = Documents()
    documents.pages[f"{ISSUER}/.well-known/openid-configuration"]["issuer"] = "https://login.example.org"
    asking = Asking(a_world(), documents)

    assert status(asking, asking.token("steward")) == 503


@pytest.mark.parametrize(
    "changes", [{"use": "enc"}, {"alg": "RS512"}, {"crv": "P-384"}, {"kty": "oct", "k": "AAAA"}], ids=str
)
def test_keys_for_other_purposes_are_left_out(changes: dict[str, str]) -> None:
    documents = Documents((EC_KEY,))
    documents.pages[f"{ISSUER}/keys"]["keys"][0] |= changes
    asking = Asking(a_world(), documents)

    assert status(asking, asking.token("steward")) == 503


def test_short_rsa_keys_are_left_out() -> None:
    documents = Documents((RSA_KEY,))
    documents.pages[f"{ISSUER}/keys"]["keys"][0]["n"] = encoded(b"\x80" + bytes(126) + b"\x01")
    asking = Asking(a_world(), documents)

    assert status(asking, signed(claims(asking.world, groups=["steward"]), EC_KEY)) == 503


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        "[1]",
        '[{"issuer": "https://a.example"}]',
        '[{"issuer": "", "audience": "a", "claim": "c", "roles": {}}]',
        '[{"issuer": "https://a.example", "audience": "a", "claim": "c", "roles": {"x": "king"}}]',
        '[{"issuer": "https://a.example", "audience": "a", "claim": "c", "roles": {"x": "steward:shop"}}]',
        '[{"issuer": "https://a.example", "audience": "a", "claim": "c", "roles": {"x": "producer:../y"}}]',
        '[{"issuer": "https://a.example", "audience": "a", "claim": "c", "roles": {}, "more": 1}]',
        f"[{ENTRY}, {ENTRY}]",
    ],
)
def test_settings_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(SettingsInvalid, match="ApiIssuers"):
        issuers_of(text)


def test_without_issuers_nobody_is_let_in() -> None:
    assert issuers_of("") == ()
