"""The recursion depth of Java for a pattern: a pattern in, the nested calls by the length of the text out.

Java matches a node by a call that matches the next one, and a round of a repeated group by a call within the previous
round: a text of a few thousand characters overflows the stack. A repeated character or class takes one call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contracts.authoring.patterns.automaton import SINGLE, parsed

SHORT = 500
"""The length of text at which counted rounds are compared with the rounds that fit into the text."""
OF_GROUP, OF_ROUND = 2, 3
"""Calls of Java for a group, and for a round of a repeated one."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Nested calls: a fixed number for any text, and a number for each of its characters."""

    fixed: float = 0.0
    each: float = 0.0

    def at(self, length: int) -> float:
        """Return the calls for a text of a length."""
        return self.fixed + self.each * length


def calls(pattern: str) -> Calls:
    """Return the calls of a pattern that `re` can compile."""
    return _sequence(parsed(pattern), within=False)


def _sequence(items: Iterable[Any], *, within: bool) -> Calls:
    """Return the calls of a sequence of parts; `within` a loop, rounds share the characters."""
    parts = [_of(str(op), given, within=within) for op, given in items]
    return Calls(sum(p.fixed for p in parts), sum(p.each for p in parts))


def _of(op: str, given: Any, *, within: bool) -> Calls:
    """Return the calls of a part; those of rounds are of their written number, or of the number that fits a text."""
    match op:
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, items = given
            if len(items) == 1 and str(items[0][0]) in SINGLE:
                return Calls(1)
            endless = not isinstance(most, int) or most > 1_000_000
            inner, shortest = _sequence(items, within=within or endless), max(1, items.getwidth()[0])
            by_text = Calls(OF_ROUND, inner.each + (inner.fixed + OF_ROUND) / shortest)
            if endless:
                return by_text
            counted = Calls(max(most, least) * (inner.fixed + OF_ROUND), inner.each)
            length = 1 if within else SHORT
            return min(counted, by_text, key=lambda depth: depth.at(length))
        case "SUBPATTERN":
            inner = _sequence(given[3], within=within)
            if not given[3]:
                return inner
        case "BRANCH":
            branches = [_sequence(branch, within=within) for branch in given[1]]
            inner = Calls(max(b.fixed for b in branches), max(b.each for b in branches))
        case "ASSERT" | "ASSERT_NOT":
            inner = _sequence(given[1], within=within)
        case _:
            return Calls(1)
    return Calls(inner.fixed + OF_GROUP, inner.each)
