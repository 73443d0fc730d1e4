"""Messages that arrive later: a window and its delay in; and how many messages wait in the queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.ports.batches import Window


class Delays(Protocol):
    """Messages to `batch_due`, sent by batching and the schedule."""

    def send(self, window: Window, seconds: int) -> None:
        """Send a window to `batch_due` after so many seconds (0 to 900)."""
        ...


class Lane(Protocol):
    """Messages of the fast lane: of small drops to the function that judges them, and of its runs to `finalize`."""

    def judge(self, drop: str) -> None:
        """Send the id of a staged drop to the function."""
        ...

    def ended(self, run: str) -> None:
        """Send a function's run that has ended, as EMR Serverless does with its own."""
        ...


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """A queue: its messages that wait, that are being handled, and that are delayed, as far as the service knows."""

    name: str
    waiting: int
    under_way: int
    delayed: int


class Queues(Protocol):
    """The queues of a stack, read by the API."""

    def depths(self) -> Sequence[QueueDepth]:
        """Return how many messages are in each queue."""
        ...
