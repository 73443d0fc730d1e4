"""Pages of drops: contracts, a month and a position in; the next drops, newest first, and the next position out."""

from __future__ import annotations

import base64
import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice

from functions.drop import Drop
from functions.keys import ID_LENGTH
from functions.ports.drops import DropSearch

END_OF_TIME = "9999"
"""Later than any stamp."""


@dataclass(frozen=True, slots=True)
class DropPosition:
    """A drop after which a page begins: the time when it was received, and its id."""

    received_at: str
    id: str

    def encode(self) -> str:
        """Return the position as an opaque text."""
        return base64.urlsafe_b64encode(f"{self.id}{self.received_at}".encode()).decode().rstrip("=")


def position_of(text: str) -> DropPosition | None:
    """Return the position of an opaque text; None if it is none of ours."""
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode("ascii")
    except ValueError:
        return None
    position = DropPosition(plain[ID_LENGTH:], plain[:ID_LENGTH])
    return position if position.received_at and position.encode() == text.rstrip("=") else None


@dataclass(frozen=True, slots=True)
class DropPage:
    """Some drops, newest first, and the position of the last one if there are more."""

    drops: tuple[Drop, ...]
    after: DropPosition | None


def page(
    ledger: DropSearch,
    contracts: Iterable[str | None],
    month: str,
    most: int,
    *,
    after: DropPosition | None = None,
    only: Mapping[str, str] | None = None,
    keep: Callable[[Drop], bool] = lambda _: True,
    trial: bool = False,
) -> DropPage:
    """Return the next drops, or trials, of contracts (None: of no contract); `only` as in the ledger's `newest`."""
    until = after.received_at if after else END_OF_TIME
    shelves = [_ordered(ledger.newest(contract, month, until, most + 1, only, trial=trial)) for contract in contracts]
    line = heapq.merge(*shelves, key=_place, reverse=True)
    rest = (drop for drop in line if (after is None or _place(drop) < (after.received_at, after.id)) and keep(drop))
    drops = tuple(islice(rest, most + 1))
    last = drops[most - 1] if len(drops) > most else None
    return DropPage(drops[:most], DropPosition(last.received_at, last.id) if last else None)


def _place(drop: Drop) -> tuple[str, str]:
    return drop.received_at, drop.id


def _ordered(drops: Iterator[Drop]) -> Iterator[Drop]:
    """Put drops of one moment in the order of their ids, as the ledger gives them in none."""
    for _, together in groupby(drops, key=lambda drop: drop.received_at):
        yield from sorted(together, key=_place, reverse=True)
