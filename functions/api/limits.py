"""The limit of each caller: a caller in, a refusal out once it has sent too many requests in a minute.

Each request is one write to the API's own table. A process that has seen a caller over its limit refuses it without
another write until the minute is over, so that too many requests cost no more than the allowed ones.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from functions.api.identity.callers import Caller
from functions.api.problems import RequestRefused
from functions.ports.clock import Clock
from functions.ports.web.requests import RequestCounts

MINUTE = timedelta(minutes=1)
MOST_REMEMBERED = 10_000
"""Callers over their limit that a process remembers."""


class CallerLimit:
    """Requests that a caller may send in a minute of the clock; 0 is no limit."""

    def __init__(self, per_minute: int, counts: RequestCounts, clock: Clock) -> None:
        self._per_minute = per_minute
        self._counts = counts
        self._clock = clock
        self._over: set[str] = set()

    def check(self, caller: Caller) -> None:
        """Count a request; RequestRefused with 429 if the caller has sent too many in this minute."""
        if not self._per_minute:
            return
        now = self._clock.now()
        begin = now.replace(second=0, microsecond=0)
        who = f"{caller.issuer}\0{caller.subject}\0{begin.isoformat()}"
        name = f"rate-{hashlib.sha256(who.encode('utf-8', 'surrogatepass')).hexdigest()}"
        if name not in self._over:
            if self._counts.count(name, begin + 2 * MINUTE) <= self._per_minute:
                return
            if len(self._over) >= MOST_REMEMBERED:
                self._over.clear()
            self._over.add(name)
        seconds = max(1, round((begin + MINUTE - now).total_seconds()))
        raise RequestRefused(
            429,
            f"A caller may send {self._per_minute:,} requests a minute: try again in {seconds} seconds.",
            headers={"Retry-After": str(seconds)},
        )
