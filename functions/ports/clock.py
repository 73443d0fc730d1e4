"""The time, and the ledger's stamps of it: a moment in, text that sorts by time out, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, TypeVar

GOLDEN = (5**0.5 - 1) / 2
"""The step, as a part of a line, that comes close to each place of the line soonest when taken again and again."""

T = TypeVar("T")


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        ...


def stamp(moment: datetime) -> str:
    """Return a moment as the ledger writes it: text that sorts by time."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime:
    """Return the moment of a stamp."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


def moment_if_any(text: str) -> datetime | None:
    """Return the moment of a stamp; None if the text, edited by hand, is not a stamp."""
    try:
        return moment(text)
    except ValueError:
        return None


def months(since: str, until: str) -> tuple[str, ...]:
    """Return the months YYYY-MM from one moment to another, the newest first."""
    newest_first, month = [until[:7]], until[:7]
    while month > since[:7]:
        year, number = divmod(int(month[:4]) * 12 + int(month[5:]) - 2, 12)
        month = f"{year:04}-{number + 1:02}"
        newest_first.append(month)
    return tuple(newest_first)


def rotated(line: Sequence[T], now: datetime) -> list[T]:
    """Return a line that begins each minute far from its last beginning, so that no item keeps others from a turn."""
    begin = int(int(now.timestamp()) // 60 * GOLDEN % 1 * len(line))
    return [*line[begin:], *line[:begin]]
