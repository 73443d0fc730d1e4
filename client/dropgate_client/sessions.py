"""Sessions: the environment and the file with the login in, the address of an API with a current token out.

The environment comes first, and then nothing is written: DROPGATE_API with DROPGATE_TOKEN, or with DROPGATE_ISSUER,
DROPGATE_CLIENT_ID and DROPGATE_CLIENT_SECRET (and DROPGATE_SCOPE, DROPGATE_AUDIENCE).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

from dropgate_client.addresses import address
from dropgate_client.errors import NotConfigured
from dropgate_client.logins import LOGIN, Login, default_path, load, save
from dropgate_client.tokens import Application, Token, fetch
from dropgate_client.transport import Transport

EARLY = 60.0
"""Seconds before its end in which a token is not used any more."""


class Session(Protocol):
    """An API, and a token for it."""

    @property
    def api(self) -> str:
        """Return the address of the API."""

    def token(self) -> str:
        """Return a token that does not end within a minute."""

    def renew(self) -> bool:
        """Take a new token in place of one that the API refused; return False if there is no other one."""


@dataclass(frozen=True)
class FixedToken:
    """A session with a token that somebody else renews."""

    api: str
    value: str

    def token(self) -> str:
        """Return the token."""
        return self.value

    def renew(self) -> bool:
        """Return False: there is no other token."""
        return False


class ApplicationSession:
    """A session whose token is renewed; `keep` takes each login with a new token."""

    def __init__(self, transport: Transport, login: Login, secret: str | None, keep: Callable[[Login], None]) -> None:
        self._transport = transport
        self._login = login
        self._secret = secret
        self._keep = keep

    @property
    def api(self) -> str:
        """Return the address of the API."""
        return self._login.api

    def token(self) -> str:
        """Return a token; NotConfigured if it ended and the secret is not there to renew it."""
        if self._login.token.ends_at - EARLY < time.time() and not self.renew():
            ended = datetime.fromtimestamp(self._login.token.ends_at, timezone.utc)
            raise NotConfigured(
                f"The token of {self._login.application.client_id} ended at {ended:%Y-%m-%d %H:%M} UTC. {LOGIN} "
                "With DROPGATE_CLIENT_SECRET in the environment it is renewed."
            )
        return self._login.token.value

    def renew(self) -> bool:
        """Take a new token; return False without the secret."""
        if self._login.has_secret and not self._secret:
            return False
        token = fetch(self._transport, self._login.application, self._secret)
        self._login = replace(self._login, token=token)
        self._keep(self._login)
        return True


def log_in(transport: Transport, api: str, application: Application, secret: str | None) -> Login:
    """Return a login with a first token; raise ClientError."""
    return Login(api, application, fetch(transport, application, secret), bool(secret))


def open_session(transport: Transport, environment: Mapping[str, str], path: Path | None = None) -> Session:
    """Return the session of the environment, else that of the file; raise NotConfigured if there is neither."""
    api = environment.get("DROPGATE_API")
    secret = environment.get("DROPGATE_CLIENT_SECRET")
    if api:
        api = address(api, "DROPGATE_API")
        if token := environment.get("DROPGATE_TOKEN"):
            return FixedToken(api, token)
        if "DROPGATE_ISSUER" in environment and "DROPGATE_CLIENT_ID" in environment:
            return ApplicationSession(
                transport, Login(api, application_of(environment), Token("", 0), bool(secret)), secret, lambda _: None
            )
    place = path or default_path()
    login = load(place)
    if api not in (None, login.api):
        raise NotConfigured(f"You are logged in to {login.api}, and DROPGATE_API is {api}. {LOGIN}")
    return ApplicationSession(transport, login, secret, lambda renewed: save(place, renewed))


def application_of(environment: Mapping[str, str]) -> Application:
    """Return the application that the environment names."""
    return Application(
        address(environment["DROPGATE_ISSUER"], "DROPGATE_ISSUER"),
        environment["DROPGATE_CLIENT_ID"],
        environment.get("DROPGATE_SCOPE", ""),
        environment.get("DROPGATE_AUDIENCE", ""),
    )
