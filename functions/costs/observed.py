"""The load of a stack, estimated from its newest drops: contracts and a ledger in, drops a day and their size out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from functions.costs.cost import Load
from functions.drop import Drop
from functions.ports.clock import moment, stamp
from functions.ports.drops import DropSearch

MOST = 100
"""Drops of a contract that are read, one page of an index."""
LEAST_TIME = timedelta(hours=1)
"""The time over which drops are counted at least: a month begins without any."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The load of a stack in a month so far, and the number of drops that it was estimated from."""

    load: Load
    drops_read: int


def observed(ledger: DropSearch, contracts: Iterable[str], now: datetime) -> Observation | None:
    """Return the load of this month, from the newest drops of each contract; None if no drop came."""
    month = stamp(now)[:7]
    sampled = [drops for contract in contracts if (drops := ledger.of_month(contract, month, MOST))]
    if not sampled:
        return None
    rates = [_a_day(drops, now) for drops in sampled]
    sizes = [sum(drop.size for drop in drops) / len(drops) for drops in sampled]
    mean = sum(rate * size for rate, size in zip(rates, sizes, strict=True)) / sum(rates)
    return Observation(Load(sum(rates), max(1, round(mean)), len(sampled)), sum(map(len, sampled)))


def _a_day(drops: Sequence[Drop], now: datetime) -> float:
    """Return the drops of a day: since the oldest that was read, or since the month began if these are all."""
    begin = moment(drops[-1].received_at)
    if len(drops) < MOST:
        begin = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return len(drops) / (max(now - begin, LEAST_TIME) / timedelta(days=1))
