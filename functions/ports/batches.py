"""Batches in the ledger: windows in which drops gather, batches with their slots, and pauses that hold them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from contracts import codec
from contracts.watermarks import HighMark
from functions.drop import Drop


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which drops of a plan gather; `opened_at` names it, `due_at` is when its message arrives.

    A window whose batch got no slot, or was paused, stays open, overdue since its oldest drop was staged, and names the
    producer and contract of its drops. Trials of a plan have windows of their own.
    """

    plan: str
    opened_at: str
    due_at: str
    producer: str = ""
    contract: str = field(default="", metadata=codec.SPARSE)
    trial: bool = field(default=False, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause: no new batch is made of drops of that contract, or of any contract of that producer.

    A batch that is under way goes on, its next tries included. `by` is the person who paused it.
    """

    kind: Literal["contract", "producer"]
    name: str
    at: str
    reason: str = ""
    format: Literal[1] = 1
    by: str = field(default="", metadata=codec.SPARSE)

    def holds(self, waiting: Window | Drop) -> bool:
        """Return True if a window or a drop waits for the paused contract or producer."""
        return self.name == (waiting.contract if self.kind == "contract" else waiting.producer)


@dataclass(frozen=True, slots=True)
class Batch:
    """Drops of one plan that share a job.

    `members` were requested; a drop is in the batch if its own `batch` names it. claimed: a try is to be started;
    running: `run` is its id; ended: every member is settled. `try_at` is the time when the try was set up, for the age
    of its token. `slot` is the slot that the batch holds until it has ended. `marks` are the high marks for all its
    tries. A half of a batch whose job died names that batch (`former`) and the first batch that was split (`origin`),
    which counts the splits. A batch has trials only, or none.
    """

    id: str
    plan: str
    contract: str
    members: tuple[str, ...]
    size: int
    claimed_at: str
    try_at: str
    changed_at: str
    state: Literal["claimed", "running", "ended"] = "claimed"
    try_: int = 1
    run: str | None = None
    reason: str | None = None
    slot: int | None = None
    producer: str = ""
    marks: tuple[HighMark, ...] = field(default=(), metadata=codec.SPARSE)
    former: str | None = None
    origin: str | None = None
    trial: bool = field(default=False, metadata=codec.SPARSE)
    splits: int = 0
    version: int = 1
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class VersionCheck:
    """A condition of a transaction: the batch must be as it was read; it is not written."""

    batch: Batch


class Windows(Protocol):
    """Windows of plans, and the drops that wait in them: called by batching and the schedule."""

    def open_window(self, window: Window) -> bool:
        """Open a plan's window; False if one is open."""
        ...

    def window(self, plan: str, *, trial: bool = False) -> Window | None:
        """Return a plan's open window, that of its drops or of its trials."""
        ...

    def postpone(self, window: Window, due_at: str) -> bool:
        """Make that very window due later; False if it has changed."""
        ...

    def close_window(self, window: Window) -> None:
        """Close the window that was opened then; no error if it is closed already."""
        ...

    def pending(self, plan: str, most: int = 1000, *, trial: bool = False) -> tuple[Drop, ...]:
        """Return the staged drops, or trials, of a plan in the order in which they were staged; read consistently."""
        ...


class Batches(Protocol):
    """Batches and the slots that they hold: called by batching, splitting and finalize."""

    def open_batch(self, batch: Batch) -> bool:
        """Record a batch and take its slot; False if there is one of that id, or another batch has the slot.

        HeldUp if its contract or its producer is paused.
        """
        ...

    def taken_slots(self) -> Mapping[int, str]:
        """Return the slots that batches hold, each with the producer of its drops; read consistently."""
        ...

    def batch(self, batch_id: str) -> Batch | None:
        """Return a batch as it is now."""
        ...

    def batch_of(self, run: str) -> tuple[Batch, tuple[Drop, ...]] | None:
        """Return the batch that a job run was started for, and the drops that it lists, as they are now."""
        ...

    def write_batch(self, before: Batch, after: Batch) -> None:
        """Write a batch, and with a new `run` the way from the run to it; a batch that has ended frees its slot."""
        ...


class Pauses(Protocol):
    """Pauses that people set: called by `dropgate pause` and `resume`, read by the schedule."""

    def pause(self, pause: Pause) -> bool:
        """Pause a contract or producer; False if it is paused already."""
        ...

    def resume(self, pause: Pause) -> bool:
        """Remove a pause; False if there is none."""
        ...

    def pauses(self) -> tuple[Pause, ...]:
        """Return all pauses; read consistently."""
        ...
