"""Requests over HTTP: a method, an address and bytes in, an answer out; bounded retries, no redirects.

A request that may be sent again is, after 429 (Retry-After), 5xx and connections that broke. A request that may not is
sent again only if it surely had no effect: the connection was not made, or the server answered 429 or 503.
"""

from __future__ import annotations

import json
import random
import shutil
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import HTTPError, InvalidHeader, NewConnectionError, SSLError

from dropgate_client.addresses import is_loopback
from dropgate_client.errors import Unreachable

ATTEMPTS = 5
LONGEST_PAUSE = 60.0
"""Seconds: who is asked to wait for longer gets an error in place of a silent program."""
SECONDS = urllib3.Timeout(connect=10, read=60)
"""The API answers within 29 seconds (API Gateway, quotas of HTTP APIs), S3 when it has the whole file."""
BLOCK = 1 << 17
NOT_PROCESSED = (429, 503)
"""The statuses of a server that has not processed a request (RFC 6585, section 4; S3, "Error responses": SlowDown)."""
PARSER = urllib3.Retry()


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its headers, whose names are in small letters, and its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)

    def json(self) -> Any:
        """Return the body as JSON; None if it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Transport:
    """Sends requests; `pause` waits for some seconds, `headers` are part of every request."""

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        *,
        attempts: int = ATTEMPTS,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.pause = pause
        self._headers = dict(headers or {})
        self._attempts = attempts
        self._pools: dict[tuple[str, str | None], urllib3.PoolManager] = {}

    def send(
        self,
        method: str,
        url: str,
        body: bytes | Callable[[], BinaryIO] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        repeatable: bool = True,
    ) -> Answer:
        """Return the answer to a request; `body` may be a function that opens it for each attempt; raise Unreachable.

        The answer may be one of 5xx or 429, if it stays so.
        """
        for attempt in range(1, self._attempts + 1):
            last = attempt == self._attempts
            try:
                answer = self._once(method, url, body, {**self._headers, **(headers or {})})
            except HTTPError as error:
                unsent = isinstance(error, NewConnectionError) or _cause(error, NewConnectionError)
                if last or isinstance(error, SSLError) or not (repeatable or unsent):
                    raise Unreachable(_sentence(url, error), may_have_arrived=not unsent) from None
                self.pause(_backoff(attempt))
                continue
            again = answer.status in NOT_PROCESSED or (repeatable and answer.status >= 500)
            wait = _asked_for(answer, _backoff(attempt))
            if last or not again or wait > LONGEST_PAUSE:
                return answer
            self.pause(wait)
        raise AssertionError("the last attempt returns or raises")

    def download(self, url: str, into: BinaryIO) -> int:
        """Write what an address has into a file; return the status, with which nothing is written unless it is 200."""
        try:
            with self._pool(url).request(
                "GET", url, headers=self._headers, retries=False, redirect=False, preload_content=False, timeout=SECONDS
            ) as response:
                if response.status == 200:
                    shutil.copyfileobj(response, into, BLOCK)
                return response.status
        except HTTPError as error:
            raise Unreachable(_sentence(url, error)) from None

    def _once(
        self, method: str, url: str, body: bytes | Callable[[], BinaryIO] | None, headers: Mapping[str, str]
    ) -> Answer:
        opened = body() if callable(body) else None
        try:
            response = self._pool(url).request(
                method,
                url,
                body=opened if callable(body) else body,
                headers=dict(headers),
                retries=False,
                redirect=False,
                timeout=SECONDS,
            )
        finally:
            if opened:
                opened.close()
        return Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, response.data)

    def _pool(self, url: str) -> urllib3.PoolManager:
        """Return the connections of an address, through the proxy of the environment if it has one for it."""
        parts = urlsplit(url)
        proxy = getproxies().get(parts.scheme)
        if is_loopback(parts.hostname) or proxy_bypass(parts.hostname or ""):
            proxy = None
        place = parts.scheme, proxy
        if place not in self._pools:
            trusted = ssl.create_default_context() if parts.scheme == "https" else None
            self._pools[place] = (
                urllib3.ProxyManager(proxy, ssl_context=trusted, blocksize=BLOCK)
                if proxy
                else urllib3.PoolManager(ssl_context=trusted, blocksize=BLOCK)
            )
        return self._pools[place]


def _backoff(attempt: int) -> float:
    """Return half to all of 1, 2, 4 ... seconds."""
    return min(30.0, 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)


def _asked_for(answer: Answer, otherwise: float) -> float:
    """Return the seconds that an answer asks to wait for (RFC 9110, section 10.2.3)."""
    asked = answer.headers.get("retry-after")
    try:
        return PARSER.parse_retry_after(asked) if asked else otherwise
    except InvalidHeader:
        return otherwise


def _cause(error: BaseException, kind: type[BaseException]) -> bool:
    """Return True if an error was caused by one of a kind, as behind a proxy."""
    inner = getattr(error, "original_error", None) or getattr(error, "reason", None)
    return isinstance(inner, kind)


def _sentence(url: str, error: HTTPError) -> str:
    """Return the error of an address in words, without its query, which may be a secret."""
    parts = urlsplit(url)
    where = f"{parts.scheme}://{parts.netloc}"
    if isinstance(error, SSLError):
        return (
            f"The certificate of {where} is not trusted: {error}. If your company has its own authority, "
            "name its certificates in SSL_CERT_FILE."
        )
    reason = str(error).rpartition(": ")[2] or type(error).__name__
    return f"{where} does not answer: {reason}. Check the address and your network or proxy, and try again."
