"""The client against the API of a stack: files that its door takes in, and files that are refused before."""

from __future__ import annotations

import hashlib
import os
from itertools import pairwise
from pathlib import Path

import pytest

from dropgate_client import Claim, Client, Refusal, Sent
from dropgate_client.errors import RequestRefused
from dropgate_client.sessions import FixedToken
from functions import keys
from tests.integration.functions.test_uploads import GOOD, STRANGE, Site, site  # noqa: F401


@pytest.fixture
def client(site: Site) -> Client:  # noqa: F811
    """The client of the producer of orders; while it waits, the door works."""
    session = FixedToken(site.gateway.endpoint, site.issuer.token("shop", "producer"))
    return Client(session, pause=lambda _: site.take_in())


def a_file(tmp_path: Path, body: bytes = GOOD) -> Path:
    path = tmp_path / "weather.csv"
    path.write_bytes(body)
    return path


@pytest.mark.parametrize("key", ["orders/client.csv", STRANGE])
def test_file_that_is_sent_is_its_drop(client: Client, tmp_path: Path, key: str) -> None:
    sent = client.send(a_file(tmp_path), key)

    assert isinstance(sent, Sent)
    drop = client.drop(sent.drop)
    landing = os.environ["DROPGATE_LANDING"].removeprefix("s3://").partition("/")[0]
    assert (drop.state, drop.key, drop.contract) == ("staged", key, "orders.v1")
    assert drop.id == keys.drop_id(landing, key, drop.document["version_id"])
    assert next(each.id for each in client.drops(key=key)) == drop.id
    assert sent.claim == Claim(key, "orders.v1", "1.0.0", "file")


def test_file_beyond_its_head_is_streamed_whole(client: Client, tmp_path: Path) -> None:
    body = b"id,note\n" + b"1,abcdefghijklmnopqrstuvwxyz\n" * 300_000
    steps: list[int] = []

    def watch(step: str, done: int, _size: int) -> None:
        if step == "send":
            steps.append(done)

    sent = client.send(a_file(tmp_path, body), "orders/large.csv", watch)

    assert isinstance(sent, Sent)
    assert (sent.size, sent.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    assert sent.claim.checked == "head"
    assert steps[-1] == len(body)
    assert max(b - a for a, b in pairwise(steps)) <= 1 << 20
    assert client.drop(sent.drop).size == len(body)


def test_header_that_is_wrong_is_refused_before_the_transfer(client: Client, site: Site, tmp_path: Path) -> None:  # noqa: F811
    before = len(site.cloud.requests)
    path = a_file(tmp_path, b"id;note\n1;a\n")

    for outcome in (client.match(path, "orders/bad.csv"), client.send(path, "orders/bad.csv")):
        assert isinstance(outcome, Refusal)
        assert outcome.problems[0].fix
        assert not outcome.is_unmatched
    assert "PutObject" not in [request.operation for request in list(site.cloud.requests)[before:]]


def test_key_that_no_contract_claims_is_refused(client: Client, tmp_path: Path) -> None:
    outcome = client.match(a_file(tmp_path), "orders/1.txt")

    assert isinstance(outcome, Refusal)
    assert outcome.is_unmatched
    with pytest.raises(RequestRefused, match="in no folder of the caller's producers") as raised:
        client.send(a_file(tmp_path), "loans/1.csv")
    assert raised.value.exit_code == 2


def test_file_that_changes_before_the_transfer_is_refused_by_s3(client: Client, tmp_path: Path) -> None:
    path = a_file(tmp_path)

    def spoil(step: str, _done: int, _size: int) -> None:
        if step == "read":
            path.write_bytes(GOOD[::-1])

    with pytest.raises(RequestRefused, match="it changed while it was sent"):
        client.send(path, "orders/changed.csv", spoil)
    assert list(client.drops(key="orders/changed.csv")) == []
    assert isinstance(client.send(a_file(tmp_path), "orders/changed.csv"), Sent)
