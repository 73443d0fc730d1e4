"""Promises over time in the ledger: how each promise of a contract stands, and the results of its periods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from contracts import codec
from contracts.terms.promises import State


@dataclass(frozen=True, slots=True)
class Held:
    """A promise of a contract as it stands: `sha` names what is promised, in force `since` a moment.

    `promised` and `figure` say in words what is promised and what was seen. `state` has been so since `changed_at`.
    `period` is the begin of the first period without a result, `worst` the worst state that it has had, `before` the
    result of the last period that had one.
    """

    name: str
    sha: str
    since: str
    changed_at: str
    period: str
    state: State = "unknown"
    before: State = "unknown"
    worst: State | None = None
    promised: str = ""
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The promises of a contract; the schedule judges them at `look_at`, which is None where the contract has none.

    They were judged last as they were at `judged_at`. `place` is the promise at which the next look begins, if the time
    of the last one was up before it.
    """

    contract: str
    look_at: str | None
    judged_at: str = ""
    promises: tuple[Held, ...] = ()
    version: int = 0
    format: Literal[1] = 1
    place: str = field(default="", metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class PromiseStep:
    """One item of the history of a promise: another state. Steps of a contract are numbered, with gaps."""

    contract: str
    promise: str
    state: State
    was: State
    at: str
    step: int
    promised: str
    figure: str
    period: str
    until: str
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class PromisePeriod:
    """The result of a promise in a period that is over; None if there was nothing to judge by."""

    contract: str
    promise: str
    begin: str
    end: str
    state: State | None
    figure: str
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Enrolment:
    """The pattern index whose promises are held: all of its contracts up to one, by name."""

    index: str = ""
    upto: str = ""
    version: int = 0
    format: Literal[1] = 1


class Promises(Protocol):
    """Promises over time: called by `schedule.promises`, read by the command line."""

    def enrolment(self) -> Enrolment:
        """Return the enrolment; a new one has version 0."""
        ...

    def standing(self, contract: str) -> Standing | None:
        """Return how the promises of a contract stand."""
        ...

    def promises_due(self, before: str, most: int) -> tuple[Standing | str, ...]:
        """Return the promises to judge since before a moment, the oldest first; from an index, with its delay.

        An item that cannot be read is returned as its key.
        """
        ...

    def periods(self, contract: str, promise: str, most: int) -> tuple[PromisePeriod, ...]:
        """Return the results of the last periods of a promise, the newest first."""
        ...
