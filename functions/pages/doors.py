"""The doors of the page: signing in and out.

A session is recorded under the hash of its cookie, so whoever reads the table cannot use it. It has the roles that the
issuer gave at its beginning, and ends after some hours, also if it is used.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from contracts.errors import ServiceUnavailable
from functions.api.identity.callers import ROLES, Caller, Issuer, caller_of
from functions.api.identity.keyring import MOST_BYTES, discovered, json_object
from functions.api.identity.tokens import Tokens
from functions.api.problems import RequestRefused
from functions.pages.answers import ATTEMPT, SESSION, Answer, cookie, redirect
from functions.pages.rendering import page
from functions.pages.requests import Request
from functions.pages.sign_in import Attempt
from functions.ports.clock import Clock, stamp
from functions.ports.web.sessions import Session, Sessions
from functions.ports.web.web_documents import FormRefused, WebDocuments

LASTS = timedelta(hours=8)
"""The time after which a person signs in again."""
ATTEMPT_SECONDS = 600
LONGEST_COOKIE = 100


@dataclass(frozen=True, slots=True)
class Doors:
    """Signing in and out; `issuers` are those that have a client for the page."""

    issuers: Sequence[Issuer]
    tokens: Tokens
    sessions: Sessions
    web: WebDocuments
    clock: Clock

    def caller(self, request: Request) -> Caller | None:
        """Return who sends a request; None if the browser has no session, or an ended one."""
        value = request.cookies.get(SESSION, "")
        session = self.sessions.session(_name(value)) if 0 < len(value) <= LONGEST_COOKIE else None
        if session is None or session.is_over(self.clock.now()):
            return None
        roles = frozenset(role for role in ROLES if role in session.roles)
        return Caller(session.issuer, session.subject, roles, frozenset(session.producers))

    def sign_in(self, request: Request) -> Answer:
        """Lead to the issuer, or let the person choose one."""
        if not self.issuers:
            raise RequestRefused(404, "No issuer of ApiIssuers has a client for the page.")
        number = request.query.get("issuer", "0" if len(self.issuers) == 1 else "")
        target = request.query.get("to", "")
        if not (number.isascii() and number.isdigit() and int(number) < len(self.issuers)):
            return Answer(200, page("issuers", issuers=[each.issuer for each in self.issuers], target=target))
        issuer, attempt = self.issuers[int(number)], Attempt.begin(int(number), target)
        (address,) = discovered(self.web, issuer.issuer, "authorization_endpoint")
        if not address.startswith(("https://", f"{issuer.issuer.rstrip('/')}/")):
            raise ServiceUnavailable(f"{issuer.issuer} names no https address to sign in")
        question = attempt.question(issuer.client or "", _back(request))
        kept = cookie(ATTEMPT, attempt.cookie, ATTEMPT_SECONDS)
        return redirect(f"{address}{'&' if '?' in address else '?'}{question}", kept)

    def come_back(self, request: Request) -> Answer:
        """Begin a session with the code that the issuer has given."""
        attempt = Attempt.of(request.cookies.get(ATTEMPT, ""))
        if attempt is None or attempt.issuer >= len(self.issuers):
            raise RequestRefused(400, "This attempt to sign in has ended, or began in another browser.")
        if not hmac.compare_digest(request.query.get("state", "").encode(), attempt.state.encode()):
            raise RequestRefused(400, "This answer belongs to another attempt to sign in.")
        issuer = self.issuers[attempt.issuer]
        if request.query.get("iss", issuer.issuer) != issuer.issuer:  # RFC 9207
            raise RequestRefused(400, "This answer comes from another issuer.")
        if "code" not in request.query:
            raise RequestRefused(403, "The issuer did not sign you in.")
        caller = self._signed_in(issuer, attempt, _back(request), request.query["code"])
        value = secrets.token_urlsafe(32)
        ends = self.clock.now() + LASTS
        session = Session(
            caller.issuer, caller.subject, tuple(sorted(caller.roles)), tuple(sorted(caller.producers)), stamp(ends)
        )
        self.sessions.begin(_name(value), session)
        begun = cookie(SESSION, value, int(LASTS.total_seconds()))
        return redirect(attempt.target, begun, cookie(ATTEMPT, "", 0))

    def sign_out(self, request: Request) -> Answer:
        """End the session of a browser."""
        if value := request.cookies.get(SESSION):
            self.sessions.end(_name(value))
        return redirect("/goodbye", cookie(SESSION, "", 0))

    def _signed_in(self, issuer: Issuer, attempt: Attempt, back: str, code: str) -> Caller:
        client = issuer.client or ""
        (address,) = discovered(self.web, issuer.issuer, "token_endpoint")
        try:
            answer = json_object(self.web.submit(address, attempt.exchange(client, back, code), MOST_BYTES), address)
        except FormRefused as error:
            raise RequestRefused(403, "The issuer did not take back its code: sign in again.") from error
        claims = self.tokens.claims(str(answer.get("id_token")), replace(issuer, audience=client))
        if not hmac.compare_digest(str(claims.get("nonce")).encode(), attempt.nonce.encode()):
            raise RequestRefused(403, "The token of the issuer belongs to another attempt to sign in.")
        return caller_of(issuer, claims)


def _name(value: str) -> str:
    """Return the name under which the session of a cookie is recorded."""
    return hashlib.sha256(value.encode()).hexdigest()


def _back(request: Request) -> str:
    """Return the address where the issuer leads back to."""
    return f"{request.origin}/callback"
