r"""Position automata (Glushkov) of patterns: a pattern in, its states with the ways between them out.

Each way counts as often as a backtracking engine may walk it: in `(a+)+` an `a` follows an `a` within the inner loop
and by the outer one, which are two ways. A look-ahead is a state that no character leads to, with an automaton of its
own. Nothing follows `$`, and a piece after `^` can only be first.

Counted repetitions of up to `rounds` rounds are written out; longer ones count as loops, which have every way that the
rounds have. A pattern that cannot be bounded like this is `TooLarge`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

MOST_STATES = 4_000
MOST_WAYS = 30_000
MOST_PIECES = 10_000
MOST_EMPTY = 64
"""Ways in which a part may read nothing."""
BRANCH = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]|\|", re.DOTALL)
"""Escapes, classes, and what separates branches: with a group after it `re` does not merge `a|b` into one class."""
LAST_CHARACTER = 0x10FFFF
DIGITS = ((48, 57),)
WORDS = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACES = ((9, 13), (32, 32))
SINGLE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
Ranges = tuple[tuple[int, int], ...]
ANY: Ranges = ((0, LAST_CHARACTER),)


class TooLarge(Exception):
    """The pattern has more states, or more ways between them, than the limits allow."""


@dataclass(slots=True)
class Part:
    """A piece of a pattern, each number in ways.

    `empty` counts ways that read nothing, `begun` those only at the beginning of a text; `first` and `last` are the
    states that it begins and ends in, `opening` those that it begins in only at the beginning of a text.
    """

    empty: int = 1
    begun: int = 0
    first: Counter[int] = field(default_factory=Counter)
    opening: Counter[int] = field(default_factory=Counter)
    last: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class Automaton:
    """The characters of each state, the numbers of ways between states, and the look-aheads."""

    ranges: list[Ranges] = field(default_factory=list)
    ways: list[Counter[int]] = field(default_factory=list)
    ahead: dict[int, Automaton] = field(default_factory=dict)
    whole: Part = field(default_factory=Part)
    size: int = 0
    pieces: int = 0

    def add(self, ranges: Ranges) -> Part:
        """Add a state for some characters, and return it as a part."""
        state = len(self.ranges)
        if state >= MOST_STATES:
            raise TooLarge
        self.ranges.append(ranges)
        self.ways.append(Counter())
        return Part(0, 0, Counter([state]), Counter(), Counter([state]))

    def look(self, inner: Automaton) -> Part:
        """Add a place at which another automaton looks ahead, and return it."""
        part = self.add(())
        self.ahead[next(iter(part.first))] = inner
        return Part(1, 0, part.first)

    def joined(self, parts: Iterable[Part]) -> Part:
        """Return a sequence of parts as one part."""
        whole = Part()
        for part in parts:
            self.lead(whole.last, part.first)
            whole = Part(
                _few(whole.empty * part.empty),
                _few(whole.empty * part.begun + whole.begun * (part.empty + part.begun)),
                whole.first + _times(part.first, whole.empty),
                whole.opening + _times(part.opening, whole.empty) + _times(part.first + part.opening, whole.begun),
                part.last + _times(whole.last, part.empty),
            )
        return whole

    def looped(self, part: Part, *, optional: bool) -> Part:
        """Return a part that may be repeated without end; a round that reads nothing is the last."""
        self.lead(part.last, part.first)
        last = _times(part.last, 1 + part.empty)
        return Part(_few(part.empty + optional), part.begun, part.first, part.opening, last)

    def lead(self, sources: Counter[int], targets: Counter[int]) -> None:
        """Add the ways from some states to others."""
        self.size += len(sources) * len(targets)
        if self.size > MOST_WAYS:
            raise TooLarge
        for source, n in sources.items():
            ways = self.ways[source]
            for target, m in targets.items():
                ways[target] += n * m


def parsed(pattern: str) -> Any:
    """Return a pattern parsed by `re`, with its branches unmerged."""
    parser = import_module("re._parser")  # the one that `re` itself uses
    return parser.parse(BRANCH.sub(lambda match: "|()" if match[0] == "|" else match[0], pattern), re.ASCII)


def of(items: Sequence[Any], rounds: int) -> Automaton:
    """Return the automaton of a pattern that was parsed."""
    automaton = Automaton()
    automaton.whole = _Reader(automaton, rounds).part(items)
    return automaton


def _few(ways: int) -> int:
    if ways > MOST_EMPTY:
        raise TooLarge
    return ways


def _times(states: Counter[int], ways: int) -> Counter[int]:
    if ways == 1:
        return states
    return Counter({state: n * ways for state, n in states.items()} if ways else {})


@dataclass(frozen=True, slots=True)
class _Reader:
    """Adds the states of a pattern, as Python parses it, to an automaton."""

    automaton: Automaton
    rounds: int

    def part(self, items: Sequence[Any]) -> Part:
        self.automaton.pieces += 1 + len(items)
        if self.automaton.pieces > MOST_PIECES:
            raise TooLarge
        return self.automaton.joined(self._piece(str(op), given) for op, given in items)

    def _piece(self, op: str, given: Any) -> Part:
        match op:
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, repeated = given
                endless = not isinstance(most, int) or most > 1_000_000
                if (least if endless else most) > self.rounds:
                    part = self.part(repeated)
                    if part.empty and least > 1:  # each round may read nothing: a loop has fewer ways
                        raise TooLarge
                    return self.automaton.looped(part, optional=least == 0)
                whole = self.automaton.looped(self.part(repeated), optional=least == 0) if endless else Part()
                for n in reversed(range(max(least - 1, 0) if endless else most)):  # as in `(a(a)?)?`
                    whole = self.automaton.joined([self.part(repeated), whole])
                    whole.empty += not endless and n >= least
                return whole
            case "SUBPATTERN":
                return self.part(given[3])
            case "BRANCH":
                parts = [self.part(branch) for branch in given[1]]
                sides = ("first", "opening", "last")
                first, opening, last = (sum((getattr(p, side) for p in parts), Counter[int]()) for side in sides)
                return Part(_few(sum(p.empty for p in parts)), _few(sum(p.begun for p in parts)), first, opening, last)
            case "ASSERT" | "ASSERT_NOT":
                return self.automaton.look(of(given[1], self.rounds))
            case "AT" if "BEGINNING" in str(given):
                return Part(0, 1)
            case "AT":
                return Part(0) if "END" in str(given) else Part()
        return self.automaton.add(ranges_of(op, given))


def ranges_of(op: str, given: Any) -> Ranges:
    """Return the characters of a piece that `re` parses as a single character, or of a member of a class."""
    match op:
        case "LITERAL":
            return ((given, given),)
        case "NOT_LITERAL":
            return others(((given, given),))
        case "RANGE":
            return (tuple(given),)
        case "CATEGORY":
            name = str(given)
            members = DIGITS if "DIGIT" in name else WORDS if "WORD" in name else SPACES
            return others(members) if "_NOT_" in name else members
        case "IN":
            negated = str(given[0][0]) == "NEGATE"
            ranges = tuple(r for inner, argument in given[negated:] for r in ranges_of(str(inner), argument))
            return others(ranges) if negated else ranges
    return ANY


def others(ranges: Ranges) -> Ranges:
    """Return the characters that are not in some ranges, in ascending order."""
    rest, at = [], 0
    for low, high in sorted(ranges):
        if low > at:
            rest.append((at, low - 1))
        at = max(at, high + 1)
    return (*rest, (at, LAST_CHARACTER)) if at <= LAST_CHARACTER else tuple(rest)
