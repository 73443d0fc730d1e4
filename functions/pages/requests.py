"""Requests: an event of API Gateway in, the parts of a request that the page reads out; and who may change something.

Pages of other sites can send a browser here, but not make it change anything: the session's cookie is SameSite=Lax, and
a POST must come from a page of this origin (fetch.spec.whatwg.org, "Origin header"; www.w3.org/TR/fetch-metadata).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qsl

LOCAL = frozenset({"127.0.0.1", "localhost"})
"""Hosts that browsers take as secure without TLS (www.w3.org/TR/secure-contexts, section 3.1)."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a browser; `origin` is that of the page, `parts` are those of the path that the route names."""

    method: str
    path: str
    origin: str
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""
    parts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Self:
        """Return the request of an event of payload format 2.0."""
        about = event["requestContext"]
        host = str(about.get("domainName", ""))
        scheme = "http" if host.partition(":")[0] in LOCAL else "https"
        pairs = (cookie.partition("=") for cookie in event.get("cookies", []))
        return cls(
            method=about["http"]["method"],
            path=event["rawPath"],
            origin=f"{scheme}://{host}",
            headers=event.get("headers") or {},
            cookies={name.strip(): value for name, _, value in pairs},
            query=event.get("queryStringParameters") or {},
            body=_body(event),
            parts=event.get("pathParameters") or {},
        )

    def is_from_page(self) -> bool:
        """Return True if a page of this origin has sent the request."""
        site = self.headers.get("sec-fetch-site", "same-origin")
        return self.headers.get("origin") == self.origin and site == "same-origin"

    def form(self) -> dict[str, str]:
        """Return the fields of an urlencoded form."""
        return dict(parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True))


def _body(event: Mapping[str, Any]) -> bytes:
    text = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(text).encode()
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""
