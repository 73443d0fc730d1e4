"""The progress of the set-up: numbered steps in, short lines with their seconds out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

WIDTH = 72  # what a line of progress takes of a terminal
HEARTBEAT = 10.0  # seconds between two lines where the output is no terminal

Tell = Callable[[str], None]
"""The function that a long step calls with its current work."""


@dataclass(slots=True)
class Progress:
    """One numbered step of the set-up, with its clock."""

    number: int
    total: int
    title: str
    out: TextIO = field(default_factory=lambda: sys.stdout)
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def begin(self) -> None:
        """Print the step that begins."""
        self._write(f"{self.title} ...", end="\n")

    def tell(self, detail: str) -> None:
        """Print the current work: at once on a terminal, else every ten seconds."""
        terminal, now = self.out.isatty(), time.monotonic()
        if now - self.shown >= (0.1 if terminal else HEARTBEAT):
            line = f"{self._seconds():>4} s  {detail}"[:WIDTH]
            self._write(line.ljust(WIDTH) if terminal else line, end="\r" if terminal else "\n")
            self.shown = now

    def end(self, result: str) -> None:
        """Print the result of the step and its time."""
        line = f"{self.title}: {result} ({self._seconds()} s)"
        self._write(line.ljust(WIDTH) if self.out.isatty() else line, end="\n")

    def _seconds(self) -> int:
        return round(time.monotonic() - self.started)

    def _write(self, text: str, end: str) -> None:
        self.out.write(f"[{self.number}/{self.total}] {text}{end}")
        self.out.flush()
