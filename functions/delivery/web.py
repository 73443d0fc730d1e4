"""Requests to web addresses of others: the Web port on urllib3, which botocore brings.

An address comes from a parameter, so it may be wrong or hostile: https alone, on port 443, to public addresses alone.
The name is resolved once, each of its addresses is looked at, and the connection goes to one of them by number, so
that a name cannot answer otherwise the second time. No redirect is followed, little of an answer is read, and after
some seconds the request ends, however slowly the resolver or the other side goes on.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from threading import Thread, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from functions.ports.notices import Answer

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from urllib3 import BaseHTTPResponse, HTTPConnectionPool

    from functions.ports.clock import Clock
    from functions.ports.notices import Post

LOOK_UP, CONNECT, READ, WHOLE = 10.0, 5.0, 10.0, 15.0
"""Seconds for the addresses of a name, for a connection, for each byte of an answer, and for all of a request."""
LONGEST_AFTER = 2 * 24 * 3600
"""Seconds of a Retry-After at most: twice as long as a message is tried."""
MOST_READ = 1_000
"""Bytes of an answer that are read."""
AGAIN = frozenset({408, 425, 429})
"""Refusals of now (RFC 9110, RFC 8470, RFC 6585), as are all answers from 500 on."""

Resolve = Callable[[str, int], list[str]]


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name; OSError if there are none."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True, slots=True)
class NotReached:
    """The reason why an address is not asked; `for_now` if another try may reach it."""

    reason: str
    for_now: bool = False


def public_number(parts: SplitResult, port: int | None, resolve: Resolve, seconds: float) -> str | NotReached:
    """Return the number by which a public https address is asked: each address of its name must be public."""
    if reason := _unfit(parts, port):
        return NotReached(reason)
    numbers = _within(seconds, lambda: resolve(parts.hostname or "", 443))
    if numbers is None:
        return NotReached("the name of the host was not resolved in time", for_now=True)
    if isinstance(numbers, Exception):
        return NotReached("the name of the host has no address", for_now=True)
    if not numbers or not all(map(is_public, numbers)):
        return NotReached("the address points to a network that is not public")
    return min(numbers, key=lambda number: ":" in number)  # a function reaches no IPv6 without a VPC for it


class PublicWeb:
    """Requests to public https addresses, and to `receivers`, an origin on this machine that tests and laptops name."""

    def __init__(
        self,
        clock: Clock,
        receivers: str | None = None,
        resolve: Resolve = resolve,
        read_seconds: float = READ,
        whole_seconds: float = WHOLE,
        look_up_seconds: float = LOOK_UP,
    ) -> None:
        self._clock = clock
        self._receivers = receivers
        self._resolve = resolve
        self._look_up_seconds = look_up_seconds
        self._read_seconds = read_seconds
        self._whole_seconds = whole_seconds

    def post(self, post: Post) -> Answer:
        """Send a request; what is no public https address is refused."""
        try:
            parts = urlsplit(post.url)
            port = parts.port
        except ValueError:
            return Answer("refused", "the address is no web address")
        if not post.url.isascii():
            return Answer("refused", "the address has characters beyond ASCII: write the name of its host as `xn--...`")
        if self._receivers and f"{parts.scheme}://{parts.netloc}" == self._receivers:
            return self._ask(plain(parts), post, parts, self._whole_seconds)
        began = monotonic()
        number = public_number(parts, port, self._resolve, self._look_up_seconds)
        if isinstance(number, NotReached):
            return Answer("later" if number.for_now else "refused", number.reason)
        left = max(self._whole_seconds - (monotonic() - began), 0)
        return self._ask(secure(number, parts.hostname or ""), post, parts, left)

    def _ask(self, pool: HTTPConnectionPool, post: Post, parts: SplitResult, seconds: float) -> Answer:
        import urllib3  # noqa: PLC0415 - what sends no request starts without it

        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        headers = {"Host": parts.netloc, "User-Agent": "dropgate", **post.headers}
        with Deadline(seconds) as deadline:
            try:
                answer = deadline.over(pool).urlopen(
                    "POST",
                    path,
                    body=post.body,
                    headers=headers,
                    retries=False,
                    redirect=False,
                    timeout=urllib3.Timeout(connect=CONNECT, read=self._read_seconds),
                    preload_content=False,
                )
                text = _beginning(answer)
            except (urllib3.exceptions.ConnectTimeoutError, urllib3.exceptions.NewConnectionError):
                return Answer("later", "nobody answered at the address")
            except (urllib3.exceptions.HTTPError, OSError) as error:
                if not deadline.is_over and (fault := _fault_of_certificate(error)):
                    return Answer("refused", f"the certificate of the address is not valid: {fault}")
                return Answer("later", f"the answer did not come: {type(error).__name__}", unsure=True)
            finally:
                pool.close()
        return self._meaning(answer, text)

    def _meaning(self, answer: BaseHTTPResponse, text: str) -> Answer:
        """Return what an answer means; its text is shown only to operators."""
        status = f"{answer.status}{f' {line:.100}' if (line := ' '.join(text.split())) and line.isprintable() else ''}"
        if 200 <= answer.status < 300:
            return Answer("sent", status)
        if answer.status in AGAIN or answer.status >= 500:
            return Answer("later", status, self._after(answer.headers.get("Retry-After")))
        if 300 <= answer.status < 400:
            return Answer("refused", f"{answer.status}: redirects are not followed")
        return Answer("refused", status)

    def _after(self, header: str | None) -> int | None:
        """Return the seconds of a Retry-After: a number of them, or a date (RFC 9110, section 10.2.3)."""
        if not header:
            return None
        if header.strip().isdecimal():
            return min(int(header.strip()[:9]), LONGEST_AFTER)
        try:
            seconds = (parsedate_to_datetime(header) - self._clock.now()).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
        return min(max(0, int(seconds)), LONGEST_AFTER)


class Deadline:
    """A bound over all of a request: at its end the connection is shut, in the midst of whatever it does.

    The bounds of urllib3 are between two bytes, so that a receiver that sends one now and then would never end.
    """

    def __init__(self, seconds: float) -> None:
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True
        self._sockets: list[socket.socket] = []
        self.is_over = False

    def over(self, pool: HTTPConnectionPool) -> HTTPConnectionPool:
        """Return a pool whose connections are shut at the end, that are still in their handshake among them."""
        hold, plain = self._hold, pool.ConnectionCls

        class Held(plain):  # type: ignore[misc, valid-type]
            def _new_conn(self) -> socket.socket:
                return hold(super()._new_conn())

        of_pool: Any = pool
        of_pool.ConnectionCls = Held
        return pool

    def _hold(self, made: socket.socket) -> socket.socket:
        self._sockets.append(made.dup())
        if self.is_over:
            self._end()
        return made

    def _end(self) -> None:
        self.is_over = True
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        for each in self._sockets:
            each.close()


def _within(seconds: float, look_up: Callable[[], list[str]]) -> list[str] | Exception | None:
    """Return the result or the error of a look-up; None if it takes longer.

    A system's resolver cannot be stopped: its thread is left behind, and keeps no process from ending.
    """
    result: SimpleQueue[list[str] | Exception] = SimpleQueue()

    def work() -> None:
        try:
            result.put(look_up())
        except (OSError, UnicodeError) as error:
            result.put(error)

    Thread(target=work, daemon=True).start()
    try:
        return result.get(timeout=seconds)
    except Empty:
        return None


def _fault_of_certificate(error: Exception) -> str | None:
    """Return in words why a certificate is refused; None for any other error, as of a handshake that breaks off."""
    from urllib3.exceptions import SSLError  # noqa: PLC0415
    from urllib3.util.ssl_match_hostname import CertificateError  # noqa: PLC0415

    cause = error.args[0] if isinstance(error, SSLError) and error.args else None
    if isinstance(cause, CertificateError):
        return "it is for another host name"
    return cause.verify_message if isinstance(cause, ssl.SSLCertVerificationError) else None


def _beginning(answer: BaseHTTPResponse) -> str:
    """Return the beginning of an answer's text; its status says enough if that does not come."""
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    try:
        return answer.read(MOST_READ).decode("utf-8", "replace")
    except (HTTPError, OSError):
        return ""
    finally:
        answer.close()


def is_public(number: str) -> bool:
    """Return True if an address is of a public host: no private, local, shared, reserved or multicast one."""
    try:
        address = ipaddress.ip_address(number.partition("%")[0])
    except ValueError:
        return False
    inner = [getattr(address, name, None) for name in ("ipv4_mapped", "sixtofour")]
    teredo = getattr(address, "teredo", None)
    every = [address, *(each for each in inner if each), *(teredo or ())]
    return all(each.is_global and not each.is_multicast for each in every) and _is_of_hosts(address)


def _is_of_hosts(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return True for IPv4, by itself or mapped, and for what IANA gives to hosts of IPv6.

    Outside of it are addresses of sites, and those that a gateway or a system makes an inward IPv4 address of
    (RFC 3879, RFC 4291, RFC 6052, RFC 7915, RFC 8215).
    """
    plain = address if address.version == 4 else address.ipv4_mapped
    if plain:
        return plain not in ipaddress.ip_network("192.0.0.0/24")
    return address in ipaddress.ip_network("2000::/3") and address not in ipaddress.ip_network("3fff::/20")


def _unfit(parts: SplitResult, port: int | None) -> str | None:
    """Return why an address may not be asked; None if it may."""
    if parts.scheme != "https" or not parts.hostname:
        return "the address is no https address"
    if parts.username is not None or parts.password is not None:
        return "the address has a user name in it"
    return "the address has a port that is not 443" if port not in (None, 443) else None


def plain(parts: SplitResult) -> HTTPConnectionPool:
    """Return a pool without TLS, for an origin on this machine."""
    from urllib3 import HTTPConnectionPool  # noqa: PLC0415

    return HTTPConnectionPool(parts.hostname or "", parts.port)


def secure(number: str, host: str) -> HTTPConnectionPool:
    """Return a pool that connects to an address by number, and holds its certificate against the name."""
    from urllib3 import HTTPSConnectionPool  # noqa: PLC0415

    context = ssl.create_default_context()
    return HTTPSConnectionPool(number, 443, ssl_context=context, server_hostname=host, assert_hostname=host)
