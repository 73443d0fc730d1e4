"""Requests of the API: a name in, the answer that there was out; a caller in, the number of its requests out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A request: a mark of its body, and its answer once it has one."""

    mark: str
    answer: str | None = None


class AnsweredRequests(Protocol):
    """Requests by names."""

    def begin(self, name: str, mark: str, now: datetime, until: datetime) -> AnsweredRequest | None:
        """Record a request that begins, until a moment; return the one that is there if it has not ended."""
        ...

    def find(self, name: str, now: datetime) -> AnsweredRequest | None:
        """Return a request that has not ended."""
        ...

    def answer(self, name: str, mark: str, answer: str, until: datetime) -> None:
        """Record the answer of a request, until a moment."""
        ...

    def erase(self, name: str) -> None:
        """Erase a request, so that its repeat acts."""
        ...


class RequestCounts(Protocol):
    """Numbers of requests by names, each kept until a moment."""

    def count(self, name: str, until: datetime) -> int:
        """Count one more request; return how many there are by now."""
        ...
