"""Promises of a contract over time: a contract and a time in, how they stand, with their last periods, out."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Protocol

from contracts import codec
from functions.ports.clock import moment, stamp
from functions.ports.promises import PromisePeriod, Standing

PERIODS = 30
SHOWN = ("begin", "end", "state", "figure")
PUT_OFF = timedelta(minutes=1)
"""New promises are due at once; those that are due later than that from now were put off."""
LATE = timedelta(hours=1)
"""The time after which promises that nobody has judged are unknown; the schedule looks each half hour at least."""


class PromiseReader(Protocol):
    """The part of the ledger that has promises."""

    def standing(self, contract: str) -> Standing | None:
        """Return how the promises of a contract stand."""
        ...

    def periods(self, contract: str, promise: str, most: int) -> tuple[PromisePeriod, ...]:
        """Return the results of the last periods of a promise, the newest first."""
        ...


def promises_of(ledger: PromiseReader, contract: str, published_at: str | None, now: datetime) -> dict[str, Any] | None:
    """Return the promises of a contract; None if it has none, or they are too new to have been looked at.

    They are at most as old as `published_at`, the time of the last publish; None if none were published.
    """
    standing = ledger.standing(contract)
    if standing is None or standing.look_at is None:
        if published_at is None:
            return None
        standing = Standing(contract, stamp(datetime.fromisoformat(published_at)))  # without a fraction at times
    is_late = _is_late(standing, now)
    if not standing.promises and not is_late:
        return None
    return {
        "contract": contract,
        "judged_at": standing.judged_at,
        "is_late": is_late,
        "promises": [
            {
                "name": held.name,
                "state": "unknown" if is_late else held.state,
                "changed_at": held.changed_at,
                "since": held.since,
                "promised": held.promised,
                "figure": held.figure,
                "periods": [
                    {name: value for name, value in codec.encode(period).items() if name in SHOWN}
                    for period in ledger.periods(contract, held.name, PERIODS)
                ],
            }
            for held in standing.promises
        ],
    }


def _is_late(standing: Standing, now: datetime) -> bool:
    """Return True if promises are not judged for too long, or never were, and the first look at them failed."""
    if standing.judged_at:
        return moment(standing.judged_at) < now - LATE
    since_due = now - moment(standing.look_at or "")
    return since_due > LATE or since_due < -PUT_OFF
