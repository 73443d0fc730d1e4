"""Job runs: a request document and the folders that its run may touch in, the run's id and its end out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

FUNCTION = "function-"
"""The beginning of the ids of runs that were a function's: they are recorded once their result is written."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The state of a job run: `working`, or how it ended; `details` is for operators.

    `began` is false of a run that ended while it waited for workers: it has read no drop.
    """

    outcome: Literal["working", "success", "failed"]
    details: str = ""
    began: bool = True


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders that a run may read, and those that it may read and write; nothing else but its own code.

    URIs that end in `/`; `*` stands for any characters. `expectations` adds Great Expectations to the run, `arrow` adds
    Arrow; `references` are folders and files that its plan names. With `brief` the JVMs compile quickly, not well.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    expectations: bool = False
    references: tuple[str, ...] = ()
    arrow: bool = False
    brief: bool = False


class Jobs(Protocol):
    """Job runs on the Spark application, called by batching, finalize and the schedule."""

    def start(self, token: str, request: str, size: int, reach: Reach) -> str:
        """Start the job for a request document of `size` bytes of files; the same token gives the same run."""
        ...

    def find(self, token: str, since: datetime) -> str | None:
        """Return the run of a token that started at `since` or later, for tokens too old to be sent again."""
        ...

    def status(self, run: str) -> RunStatus:
        """Return the state of a run; a function's run is a success, as its result was there before it."""
        ...
