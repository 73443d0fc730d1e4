"""Sessions of people who have signed in on the page: the name of a session in, who it is out, until it ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from functions.ports.clock import moment


@dataclass(frozen=True, slots=True)
class Session:
    """A person who has signed in: issuer and name there, roles and producers as of then; `ends_at` is a stamp."""

    issuer: str
    subject: str
    roles: tuple[str, ...]
    producers: tuple[str, ...]
    ends_at: str
    format: Literal[1] = 1

    def is_over(self, now: datetime) -> bool:
        """Return True if the session has ended."""
        return moment(self.ends_at) <= now


class Sessions(Protocol):
    """Sessions by names that nobody can guess; a session that has ended may still be returned for some days."""

    def session(self, name: str) -> Session | None:
        """Return a session."""
        ...

    def begin(self, name: str, session: Session) -> None:
        """Record a session."""
        ...

    def end(self, name: str) -> None:
        """Erase a session, if there is one."""
        ...
