"""Documents of public addresses: the WebDocuments port on urllib3, with the bounds of `web`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from contracts.errors import ServiceUnavailable
from functions.delivery.web import CONNECT, READ, Deadline, NotReached, Resolve, plain, public_number, resolve, secure
from functions.ports.web.web_documents import FormRefused

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from urllib3 import HTTPConnectionPool

LOOK_UP, WHOLE = 3.0, 8.0
"""Seconds for the address of a host, and for all of a document: the caller of the API waits for it."""


class PublicDocuments:
    """Documents at public https addresses, and at `local`, an origin on this machine that tests and laptops name."""

    def __init__(self, local: str | None = None, resolve: Resolve = resolve, whole_seconds: float = WHOLE) -> None:
        self._local = local
        self._resolve = resolve
        self._whole_seconds = whole_seconds

    def fetch(self, url: str, most_bytes: int) -> bytes:
        """Return a whole document; redirects are not followed."""
        return self._document(url, None, most_bytes)

    def submit(self, url: str, form: bytes, most_bytes: int) -> bytes:
        """Return the answer to a form; redirects are not followed."""
        return self._document(url, form, most_bytes)

    def _document(self, url: str, form: bytes | None, most_bytes: int) -> bytes:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise ServiceUnavailable(f"{url} is no web address") from error
        if self._local and f"{parts.scheme}://{parts.netloc}" == self._local:
            return self._ask(plain(parts), parts, form, most_bytes)
        number = public_number(parts, port, self._resolve, LOOK_UP)
        if isinstance(number, NotReached):
            raise ServiceUnavailable(f"{url}: {number.reason}")
        return self._ask(secure(number, parts.hostname or ""), parts, form, most_bytes)

    def _ask(self, pool: HTTPConnectionPool, parts: SplitResult, form: bytes | None, most_bytes: int) -> bytes:
        import urllib3  # noqa: PLC0415 - what fetches nothing starts without it

        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        headers = {"Host": parts.netloc, "User-Agent": "dropgate", "Accept": "application/json"}
        headers |= {} if form is None else {"Content-Type": "application/x-www-form-urlencoded"}
        with Deadline(self._whole_seconds) as deadline:
            try:
                answer = deadline.over(pool).urlopen(
                    "GET" if form is None else "POST",
                    path,
                    body=form,
                    headers=headers,
                    retries=False,
                    redirect=False,
                    timeout=urllib3.Timeout(connect=CONNECT, read=READ),
                    preload_content=False,
                )
                body = answer.read(most_bytes + 1, decode_content=False)
            except (urllib3.exceptions.HTTPError, OSError) as error:
                raise ServiceUnavailable(f"{parts.netloc} did not answer: {type(error).__name__}") from error
            finally:
                pool.close()
        if form is not None and 400 <= answer.status < 500:
            raise FormRefused(f"{parts.netloc} answered {answer.status}")
        if answer.status != 200 or len(body) > most_bytes:
            raise ServiceUnavailable(f"{parts.netloc} answered {answer.status} with {len(body):,} bytes or more")
        return body
