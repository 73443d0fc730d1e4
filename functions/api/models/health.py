"""The state of a stack as the API shows it: what is open, what makes no progress, and what waits in queues."""

from __future__ import annotations

from functions.api.models.base import Model


class QueueState(Model):
    """A queue: its messages that wait, that are being handled, and that are delayed; a dead letter waits."""

    name: str
    waiting: int
    under_way: int
    delayed: int


class StuckItem(Model):
    """An open item without progress, as `dropgate drops --stuck` lists it: its cause, and what a person can do."""

    what: str
    id: str
    state: str
    since: str
    waits_for: str
    do: str
    key: str


class OpenCounts(Model):
    """The number of open items; `drops` by their states. `are_least` is True if there may be more of some."""

    drops: dict[str, int]
    batches: int
    windows: int
    sets: int
    unreadable: int
    are_least: bool


class StackHealth(Model):
    """The state of a stack now; `stuck` are the items without progress for the minutes that were asked for."""

    at: str
    open: OpenCounts
    stuck: list[StuckItem]
    batches_at_most: int
    pauses: int
    queues: list[QueueState]
