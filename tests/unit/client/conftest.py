"""An API, its issuer and its S3 on loopback, with a client of it that never waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dropgate_client.client import Client
from dropgate_client.sessions import FixedToken
from dropgate_client.transport import Transport
from tests.unit.client.servers import Reply, Server

DROP = "abcdefgh" * 4
KEY = "inmet/SP/2026-01-31.csv"


def a_drop(state: str = "accepted", **changes: Any) -> dict[str, Any]:
    """Return a drop as the API has it."""
    return {
        "id": DROP,
        "state": state,
        "verdict": state if state in ("accepted", "accepted_with_warnings", "rejected") else None,
        "contract": "inmet-weather.v1",
        "producer": "inmet",
        "key": KEY,
        "size": 5,
        "attempt": 1,
        "received_at": "2026-01-31T08:00:00.000Z",
        "changed_at": "2026-01-31T08:01:00.000Z",
        "decided_at": "2026-01-31T08:01:00.000Z",
        "rows": {"read": 2, "valid": 1, "rejected": 1},
        "problems": [],
        "history": [],
        "has_receipt": state in ("accepted", "accepted_with_warnings", "rejected"),
    } | changes


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        running.on(
            "GET /.well-known/openid-configuration",
            Reply(body={"issuer": running.url, "token_endpoint": f"{running.url}/token"}),
        )
        running.on("POST /token", Reply(body={"access_token": "first", "token_type": "Bearer", "expires_in": 3600}))
        yield running


@pytest.fixture
def pauses() -> list[float]:
    """The seconds that the client waited for."""
    return []


@pytest.fixture
def client(server: Server, pauses: list[float]) -> Client:
    return Client(FixedToken(server.url, "secret-token"), Transport(pause=pauses.append), pause=pauses.append)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a login, and an environment without settings."""
    for name in ("API", "ISSUER", "CLIENT_ID", "CLIENT_SECRET", "SCOPE", "AUDIENCE", "TOKEN"):
        monkeypatch.delenv(f"DROPGATE_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
