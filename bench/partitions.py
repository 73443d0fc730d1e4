"""Requests of functions to the ledger in, the write units of each of its partitions out, on a day of so many drops.

tests/integration/functions/costs/test_counted_calls.py meters the functions' own requests, and holds the table of
docs/explanation/cost.md to them.

A partition takes 1,000 write units a second (Amazon DynamoDB developer guide, "Best practices for designing and using
partition keys effectively"). An item costs a unit for each KiB, the larger one of before and after, twice in a
transaction, also if it is only checked or the write is refused ("DynamoDB read and write operations", "Amazon DynamoDB
Transactions: How it works"). An index writes once for an item that enters, leaves or changes in it, twice if its key
changes ("Using Global Secondary Indexes in DynamoDB").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from bench.cost_page import table
from functions.aws.items import FLIGHTS
from functions.costs.calls import CREATED, DUE, ENDED
from functions.costs.cost import DAY, Assumed
from functions.flow.batching import GROUP
from functions.ports import MOST_DROPS

MOST = 1000
"""Write units that a partition takes in a second."""
INDEXES: Mapping[str, tuple[str, str]] = {
    "inflight": ("inflight", "changed_at"),
    "by_month": ("dataset_month", "received_at"),
}
"""The keys of the table's indexes (infra/aws/state.yaml; the test holds them to it)."""
KINDS: Mapping[str, str] = {
    r"by_month .*": "index `by_month`: a contract's month",
    r"table PENDING#.*": "`PENDING`: the drops that wait for a plan's batch",
    r"table WINDOW#.*": "`WINDOW`: a plan's window",
    r"inflight inflight#\d": f"index `inflight`: one of {FLIGHTS} partitions of all open drops",
    r"inflight waiting#\d": f"index `inflight`: one of {FLIGHTS} partitions of all drops that wait",
    r"inflight inflight#batches": "index `inflight`: all batches",
    r"inflight inflight#windows": "index `inflight`: all windows",
    r"table SLOTS": "`SLOTS`: all slots",
    r"table PAUSES": "`PAUSES`: all pauses, which a batch checks",
    r"table (BATCH|RUN)#.*": "a batch, or its run",
    r"table (D|KEY|ID)#.*": "a drop, its key, or the beginning of its id",
}
"""The kinds of partitions by their names."""
SHARED = tuple(kind for name, kind in KINDS.items() if not re.match(r"table \((BATCH|D)", name))
"""Kinds that many drops share."""
SPREAD = tuple(kind for kind in SHARED if f"one of {FLIGHTS}" in kind)
"""Kinds over whose partitions drops are spread by their ids."""
OF_ALL = tuple(kind for kind in SHARED if kind not in SPREAD and "all " in kind)
"""Kinds with one partition for all contracts."""

Units = Counter[tuple[str, str]]
"""Write units by function and kind of partition."""
Item = Mapping[str, Any]


def size(attribute: Mapping[str, Any]) -> int:
    """Return the bytes of an attribute's value (Amazon DynamoDB developer guide, "DynamoDB item sizes and formats")."""
    ((kind, value),) = attribute.items()
    match kind:
        case "S":
            return len(value.encode())
        case "N":
            return len(value.strip("-0")) // 2 + 2
        case "M":
            return 3 + sum(1 + len(name.encode()) + size(each) for name, each in value.items())
        case "L":
            return 3 + sum(1 + size(each) for each in value)
        case _:
            return 1


def units(*items: Item | None) -> int:
    """Return the units of a write: of the largest of some versions of an item, one at least."""
    sizes = [sum(len(name.encode()) + size(each) for name, each in item.items()) for item in items if item]
    return max(1, ceil(max(sizes, default=0) / 1024))


@dataclass
class Meter:
    """Counts the units that requests write, each on what the former ones have left."""

    units: Units = field(default_factory=Counter)
    _items: dict[tuple[str, str], Item] = field(default_factory=dict)

    def count(self, function: str, operation: str, request: Mapping[str, Any], *, refused: bool) -> None:
        """Count one request of a function."""
        if operation == "TransactWriteItems":
            for kind, write in (pair for each in request["TransactItems"] for pair in each.items()):
                self._count(function, kind, write, 2, refused=refused)
        elif operation in ("PutItem", "DeleteItem"):
            self._count(function, operation.removesuffix("Item"), request, 1, refused=refused)

    def _count(self, function: str, kind: str, write: Mapping[str, Any], times: int, *, refused: bool) -> None:
        key = write.get("Key") or write["Item"]
        place = key["pk"]["S"], key["sk"]["S"]
        before = self._items.get(place)
        after = write.get("Item") if kind == "Put" else None if kind == "Delete" else before
        self._add(function, f"table {place[0]}", times * units(before, write.get("Item")))
        if refused or kind == "ConditionCheck":
            return
        for index in INDEXES:
            for partition, written in _indexed(index, before, after):
                self._add(function, f"{index} {partition}", written)
        if after:
            self._items[place] = after
        else:
            self._items.pop(place, None)

    def _add(self, function: str, partition: str, written: int) -> None:
        kind = next((kind for name, kind in KINDS.items() if re.fullmatch(name, partition)), partition)
        self.units[function, kind] += written


def _indexed(index: str, before: Item | None, after: Item | None) -> Iterator[tuple[str, int]]:
    """Yield what an index writes in each partition for a change of an item."""
    old, new = (item if item and all(name in item for name in INDEXES[index]) else None for item in (before, after))
    places = [tuple(item[name]["S"] for name in INDEXES[index]) if item else None for item in (old, new)]
    if places[0] == places[1]:
        if new and old != new:
            yield places[1][0], units(old, new)  # type: ignore[index]
        return
    for item, place in zip((old, new), places, strict=True):
        if place:
            yield place[0], units(item)


@dataclass(frozen=True, slots=True)
class Partition:
    """A row of the table: units by function for a drop, and for a batch beside its drops, and the busiest second."""

    kind: str
    drop: float
    batch: float
    steady: tuple[float, ...]
    busiest: tuple[float, ...]

    @property
    def most(self) -> float:
        """Drops a second at which the partition is full, in full batches."""
        return MOST * (FLIGHTS if self.kind in SPREAD else 1) / (self.drop + self.batch / MOST_DROPS)

    def cells(self) -> tuple[str, ...]:
        """Return the row of the page; what is above the bound is bold."""
        seconds = [rate for pair in zip(self.steady, self.busiest, strict=True) for rate in pair]
        written = [f"**{rate:,.0f}**" if rate > MOST else f"{rate:,.1f}" for rate in seconds]
        return (self.kind, f"{self.drop:.1f}", f"{self.batch:.0f}", f"{self.most:,.0f}", *written)


def rows(one: Units, many: Units, drops: int, contracts: Sequence[int], day: int) -> list[Partition]:
    """Return the shared partitions, busiest first, of `day` drops a day that are spread over some contracts.

    `one` are the units of a batch of a lone drop, `many` those of a batch of `drops`.
    """
    made = []
    for kind in SHARED:
        each = {f: (many[f, kind] - one[f, kind]) / (drops - 1) for f in (CREATED, DUE, ENDED)}
        drop = sum(each.values())
        batch = max(0.0, sum(one[f, kind] for f in each) - drop)
        if drop or batch:
            rates = [day / DAY / (1 if kind in (*SPREAD, *OF_ALL) else n) for n in contracts]
            parts = FLIGHTS if kind in SPREAD else 1
            steady = tuple(rate * (drop + batch / MOST_DROPS) / parts for rate in rates)
            made.append(Partition(kind, drop, batch, steady, tuple(_busiest(each, batch, r) / parts for r in rates)))
    return sorted(made, key=lambda row: -max(row.busiest))


def partitions_table(one: Units, many: Units, drops: int, contracts: Sequence[int], day: int) -> str:
    """Return the table of the page."""
    by_load = (
        f"{n} contract{'s' * (n > 1)}: {when}" for n in contracts for when in ("units a second", "in the busiest")
    )
    head = ("partition", "units a drop", "a batch more", "full at drops a second", *by_load)
    return table(head, [row.cells() for row in rows(one, many, drops, contracts, day)])


def _busiest(each: Mapping[str, float], batch: float, rate: float) -> float:
    """Return the units of the busiest second: drops that come and are settled all the time, and a batch is claimed.

    A batch is claimed by groups, one call after the other.
    """
    claimed = min(GROUP / Assumed().call_seconds, MOST_DROPS, rate * 60)
    return rate * (each[CREATED] + each[ENDED]) + claimed * each[DUE] + batch
