"""Answers to browsers: a status, a body and cookies in, an answer of API Gateway's payload format 2.0 out. Pure.

No page has a script or a style of its own text, none is shown in a frame, and none loads from elsewhere; a page that
sends files may also send them to landing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

SESSION, ATTEMPT = "__Host-dropgate", "__Host-dropgate-login"
"""Cookies of this host alone, which need Secure and the path / (RFC 6265bis, section 4.1.3.2)."""
HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'{also}; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFE = {
    "Cache-Control": "private, no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer browsers send `Origin: null` with forms (fetch.spec.whatwg.org, "Origin header").
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `connects` is an origin that scripts of the page may also send requests to.

    The body is a text, or the base64 of bytes.
    """

    status: int
    body: str = ""
    media_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Sequence[str] = ()
    connects: str | None = None
    is_base64: bool = False

    def connecting(self, origin: str) -> Answer:
        """Return the answer with an origin that its scripts may send requests to."""
        return replace(self, connects=origin)

    def event(self) -> dict[str, Any]:
        """Return the answer as API Gateway takes it."""
        policy = POLICY.format(also=f" {self.connects}" if self.connects else "")
        headers = {"Content-Type": self.media_type, "Content-Security-Policy": policy, **SAFE, **self.headers}
        answer = {"statusCode": self.status, "headers": headers, "body": self.body, "isBase64Encoded": self.is_base64}
        return answer | {"cookies": list(self.cookies)}


def redirect(target: str, *cookies: str) -> Answer:
    """Return an answer that leads a browser elsewhere by GET."""
    return Answer(303, headers={"Location": target}, cookies=cookies)


def cookie(name: str, value: str, seconds: int) -> str:
    """Return the header of a cookie that no script reads; it ends after so many seconds, at once if 0."""
    return f"{name}={value}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Lax"
