"""Messages that arrive later: a window and its delay in."""

from __future__ import annotations

from typing import Protocol

from functions.ports.batches import Window


class Delays(Protocol):
    """Messages to `batch_due`, sent by batching and the schedule."""

    def send(self, window: Window, seconds: int) -> None:
        """Send a window to `batch_due` after so many seconds (0 to 900)."""
        ...
