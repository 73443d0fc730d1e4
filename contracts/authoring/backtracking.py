r"""Patterns that take exponential time: a regular expression as Python reads it in, whether it is one out.

An engine that goes back, as Java's does, takes exponential time where a loop can read one text in two ways, as `(a+)+`
and `(a|a)*` do: each round doubles what there is to try. Such a loop is a state of the position automaton (Glushkov)
that two different ways lead back to with the same text (Weber and Seidl, 1991, "exponential degree of ambiguity"). Ways
are counted: that a follows a in `(a+)+` within the inner loop and by the outer one are two.

It is strict where it cannot know: a group that is counted up to more than `FEW`, or repeats without end within itself,
counts as a loop, and what looks ahead or stands at a place as nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

FEW = 4
"""Rounds up to which a counted repetition is written out."""
MOST_STATES = 100
"""Of one loop; a longer one is not looked at."""
BRANCH = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]|\|", re.DOTALL)
"""Escapes, classes, and what parts branches: with a group behind it `re` does not make one class of `a|b`."""
LAST_CHARACTER = 0x10FFFF
DIGITS = ((48, 57),)
WORDS = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACES = ((9, 13), (32, 32))
Ranges = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Part:
    """A piece of a pattern: whether it may be empty, the states that it begins and ends in, each as often as it can."""

    empty: bool = True
    first: Counter[int] = field(default_factory=Counter)
    last: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class Automaton:
    """The characters of each state, and how many ways lead from one to another."""

    ranges: list[Ranges] = field(default_factory=list)
    ways: dict[int, Counter[int]] = field(default_factory=dict)

    def add(self, ranges: Ranges) -> Part:
        """A state of its own for some characters."""
        state = len(self.ranges)
        self.ranges.append(ranges)
        self.ways[state] = Counter()
        return Part(False, Counter([state]), Counter([state]))

    def joined(self, parts: Iterable[Part]) -> Part:
        """Parts one behind the other."""
        whole = Part()
        for part in parts:
            self._lead(whole.last, part.first)
            first = whole.first + part.first if whole.empty else whole.first
            last = whole.last + part.last if part.empty else part.last
            whole = Part(whole.empty and part.empty, first, last)
        return whole

    def looped(self, part: Part) -> Part:
        """A part that may be repeated without end."""
        self._lead(part.last, part.first)
        return part

    def _lead(self, sources: Counter[int], targets: Counter[int]) -> None:
        for source, n in sources.items():
            for target, m in targets.items():
                self.ways[source][target] += n * m


def is_exponential(pattern: str) -> bool:
    """Whether a pattern, one that `re` can compile, may take a time that doubles with each character."""
    parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001 (the one that `re` itself uses)
    automaton = Automaton()
    apart = BRANCH.sub(lambda found: "|()" if found[0] == "|" else found[0], pattern)
    _part(automaton, parser.parse(apart, re.ASCII))
    return any(_is_ambiguous(automaton, loop) for loop in _loops(automaton.ways) if len(loop) <= MOST_STATES)


def _part(automaton: Automaton, items: Iterable[Any]) -> Part:
    return automaton.joined(_piece(automaton, str(op), given) for op, given in items)


def _piece(automaton: Automaton, op: str, given: Any) -> Part:
    match op:
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _repeated(automaton, *given)
        case "SUBPATTERN":
            return _part(automaton, given[3])
        case "BRANCH":
            return _either([_part(automaton, branch) for branch in given[1]])
        case "ASSERT" | "ASSERT_NOT":
            _part(automaton, given[1])  # a loop within it is one, too
            return Part()
        case "AT":
            return Part()
    return automaton.add(_ranges(op, given))


def _either(parts: Sequence[Part]) -> Part:
    first, last = (sum((getattr(p, side) for p in parts), Counter[int]()) for side in ("first", "last"))
    return Part(any(p.empty for p in parts), first, last)


def _repeated(automaton: Automaton, least: int, most: Any, items: Sequence[Any]) -> Part:
    """So many rounds, the optional ones behind each other; many are a loop."""
    endless = not isinstance(most, int) or most > 1_000_000
    if endless or (most > FEW and not _is_single(items)) or (most > 1 and _repeats(items)):
        round_ = automaton.looped(_part(automaton, items))
        return Part(round_.empty or least == 0, round_.first, round_.last)
    whole = Part()
    for n in reversed(range(min(most, FEW))):  # each within the one before, as in `(a(a)?)?`
        whole = automaton.joined([_part(automaton, items), whole])
        whole.empty |= n >= least
    return whole


def _is_single(items: Sequence[Any]) -> bool:
    """Whether it is one character or class."""
    return len(items) == 1 and str(items[0][0]) in ("LITERAL", "NOT_LITERAL", "IN", "ANY")


def _repeats(items: Iterable[Any]) -> bool:
    """Whether anything in it is repeated without end."""
    return any("MAXREPEAT" in str(item) for item in items)


# ---- characters


def _ranges(op: str, given: Any) -> Ranges:
    match op:
        case "LITERAL":
            return ((given, given),)
        case "NOT_LITERAL":
            return _others(((given, given),))
        case "IN":
            negated = str(given[0][0]) == "NEGATE"
            ranges = tuple(r for inner, one in given[negated:] for r in _member(str(inner), one))
            return _others(ranges) if negated else ranges
    return ((0, LAST_CHARACTER),)


def _member(op: str, given: Any) -> Ranges:
    if op == "RANGE":
        return (tuple(given),)
    if op != "CATEGORY":
        return _ranges(op, given)
    name = str(given)
    known = DIGITS if "DIGIT" in name else WORDS if "WORD" in name else SPACES
    return _others(known) if "_NOT_" in name else known


def _others(ranges: Ranges) -> Ranges:
    found, at = [], 0
    for low, high in sorted(ranges):
        if low > at:
            found.append((at, low - 1))
        at = max(at, high + 1)
    return (*found, (at, LAST_CHARACTER))


def _meet(left: Ranges, right: Ranges) -> bool:
    return any(a <= d and c <= b for a, b in left for c, d in right)


# ---- loops


def _reached(start: Any, following: Callable[[Any], Iterable[Any]]) -> set[Any]:
    """What can be reached from a place, in one step or more."""
    found: set[Any] = set()
    waiting = list(following(start))
    while waiting:
        if (one := waiting.pop()) not in found:
            found.add(one)
            waiting += following(one)
    return found


def _loops(ways: dict[int, Counter[int]]) -> list[frozenset[int]]:
    """The states that lead back to themselves, those together that lead to each other."""
    after = {state: _reached(state, ways.__getitem__) for state in ways}
    return list({frozenset(b for b in after[a] if a in after[b]) for a in ways if a in after[a]})


def _is_ambiguous(automaton: Automaton, loop: frozenset[int]) -> bool:
    """Whether a state of a loop comes back to itself in two ways with the same text.

    As the states lead to each other, so do the pairs of a state with itself: one of them stands for all.
    """
    ways = {state: [t for t in automaton.ways[state] if t in loop] for state in loop}
    if any(automaton.ways[state][target] > 1 for state in loop for target in ways[state]):
        return True
    meet = {(a, b) for a in loop for b in loop if a == b or _meet(automaton.ranges[a], automaton.ranges[b])}
    before: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def following(pair: tuple[int, int]) -> list[tuple[int, int]]:
        found = [(a, b) for a in ways[pair[0]] for b in ways[pair[1]] if (a, b) in meet]
        for one in found:
            before.setdefault(one, []).append(pair)
        return found

    start = (min(loop), min(loop))
    _reached(start, following)
    return any(a != b for a, b in _reached(start, lambda pair: before.get(pair, ())))
