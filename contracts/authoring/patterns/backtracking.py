r"""The worst-case time of a pattern on a backtracking engine, as Java's: a pattern in, a bound in steps out.

Such an engine walks every way of reading each prefix of a text. `.*-.*-.*!` has n * n / 2 ways of reading n times
`-`, and walks each to the end of the text; `(a+)+` has 2 to the power of n. The growth of the number
of ways is the ambiguity (Weber and Seidl, 1991, "On the degree of ambiguity of finite automata"), bounded like this:

- The subset construction gives the sets of states of the position automaton that one text can lead to. A pair of a
  set and a state in it stands for all texts that lead to the set; a pair has as many ways as all pairs that lead to it
  with the same character have together, and at most as many as the worst of those characters.
- Where pairs lead back to each other, the number of ways does not grow if each has one pair before it in the circle and
  none outside; otherwise it grows by the ways that enter with each character, which raises the degree by one;
  and it doubles if two pairs of the circle lead to one.
- Each way costs a step and one for each state tried next, or what looking ahead there costs.

A search tries each place of a text, as if `[\s\S]*?` stood before the pattern. All numbers are bounds from above. The
analysis itself is bounded by `MOST_LINKS`: a larger pattern counts as unbounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from contracts.authoring.patterns import automaton
from contracts.authoring.patterns.automaton import ANY, Automaton, Ranges, TooLarge

ROUNDS = (40, 4)
"""Rounds up to which counted repetitions are written out: the exact attempt, and the one that needs few states."""
MOST_LINKS = 30_000
"""Pairs and links between them in one attempt; half a second on a slow machine."""
MOST_DEGREE = 6
OF_RANGE, LATIN = 2, 255
START, PREFIX = 0, 1
"""The states before a text and, of a search, before the place that is tried; those of the pattern follow."""
Steps = tuple[float, ...]
"""A bound by the length n of a text: the factors of 1, n, n * n and so on."""


class Doubling(Exception):
    """Each character may double the number of ways."""


def steps(pattern: str) -> Steps | None:
    """Return the steps that a search takes at most, of a pattern that `re` can compile; None if no bound is found.

    Doubling if they are known to grow with a power of the text's length.
    """
    doubling: Doubling | None = None
    items = automaton.parsed(pattern)
    for rounds in ROUNDS:
        try:
            return _steps(automaton.of(items, rounds), _Budget(MOST_LINKS), searched=True)
        except Doubling as error:
            doubling = error
        except TooLarge:
            continue
    if doubling:
        raise doubling
    return None


def at(bound: Steps, length: int) -> float:
    """Return the steps of a text of a length."""
    return float(sum(factor * length**power for power, factor in enumerate(bound)))


def is_linear(bound: Steps, most: float) -> bool:
    """Return True if each character takes at most `most` steps, however long the text is."""
    return not any(bound[2:]) and sum(bound[:2]) <= most


# ---- bounds


def _sum(bounds: Iterable[Steps]) -> Steps:
    return tuple(sum(factors) for factors in zip_longest(*bounds, fillvalue=0.0))


def _greatest(*bounds: Steps) -> Steps:
    return tuple(max(factors) for factors in zip_longest(*bounds, fillvalue=0.0))


def _product(left: Steps, right: Steps) -> Steps:
    product = [0.0] * (len(left) + len(right))
    for n, a in enumerate(left):
        for m, b in enumerate(right):
            product[n + m] += a * b
    while product and not product[-1]:
        product.pop()
    return tuple(product)


def _added_up(bound: Steps) -> Steps:
    """Return the sum over the lengths 1 to n: of `i ** k` at most `n ** (k + 1) / (k + 1) + n ** k`."""
    if len(bound) > MOST_DEGREE:
        raise TooLarge
    return _sum([(0.0, *(factor / (power + 1) for power, factor in enumerate(bound))), bound])


# ---- states


@dataclass(slots=True)
class _Budget:
    """The remaining pairs and links of an attempt, look-aheads included."""

    left: int

    def take(self, number: int) -> None:
        self.left -= number
        if self.left < 0:
            raise TooLarge


@dataclass(frozen=True, slots=True)
class _Machine:
    """The states of an automaton as bits, with those before the text, and the neighbours of each."""

    before: list[dict[int, int]]
    following: list[int]
    signs: list[int]
    weights: list[Steps]

    @classmethod
    def of(cls, inner: Automaton, budget: _Budget, *, searched: bool) -> _Machine:
        """Return the machine that walks an automaton; if a text is searched, from any of its places on."""
        whole = inner.whole
        ways: list[dict[int, int]] = [{s + 2: n for s, n in (whole.first + whole.opening).items()}, {}]
        if searched and whole.first:
            ways[PREFIX] = {PREFIX: 1, **{s + 2: n for s, n in whole.first.items()}}
            ways[START][PREFIX] = 1
        ways += [{s + 2: n for s, n in own.items()} for own in inner.ways]
        ahead = {s + 2: _steps(own, budget, searched=False) for s, own in inner.ahead.items()}
        # Java has a table of the first 256 characters, and tests other ranges in turn.
        costs = [0.0, 0.0, *(1.0 + OF_RANGE * sum(high > LATIN for _, high in own[:-1]) for own in inner.ranges)]
        before: list[dict[int, int]] = [{} for _ in ways]
        for state, own in enumerate(ways):
            for target, n in own.items():
                if target not in ahead:
                    before[target][state] = n
        weights = []  # the cost of one way to a state: itself, and each state that is tried next
        for own in ways:
            plain = 1.0 + sum(n * costs[t] for t, n in own.items() if t not in ahead)
            weights.append(_sum([(plain,), *(_product((float(own[t]),), ahead[t]) for t in own.keys() & ahead.keys())]))
        return cls(
            before,
            [sum(1 << t for t in own if t not in ahead) for own in ways],
            _signs([(), ANY, *inner.ranges]),
            weights,
        )

    def pairs(self, budget: _Budget) -> _Pairs:
        """Return the pairs that any text leads to, from the start on."""
        pairs = _Pairs()
        pairs.of(1 << START)
        waiting = [1 << START]
        while waiting:
            source = waiting.pop()
            own, following = pairs.sets[source], 0
            for state in own:
                following |= self.following[state]
            budget.take(len(self.signs))
            pairs.following[source] = {following & sign for sign in self.signs} - {0}
            for target in pairs.following[source]:
                if target not in pairs.sets:
                    pairs.of(target)
                    waiting.append(target)
                for state, pair in pairs.sets[target].items():
                    before = self.before[state]
                    group = tuple((own[s], before[s]) for s in before.keys() & own.keys())
                    budget.take(1 + len(group))
                    pairs.groups[pair].append(group)
        return pairs


def _signs(ranges: Sequence[Ranges]) -> list[int]:
    """Return the distinct sets of states that some character leads to, as bits."""
    states: dict[Ranges, int] = {}
    for state, own in enumerate(ranges):
        states[own] = states.get(own, 0) | 1 << state
    ends = ((low, high, bits) for own, bits in states.items() for low, high in own)
    events = sorted(event for low, high, bits in ends for event in (((low, 1), bits), ((high + 1, -1), bits)))
    signs, active, here = set(), dict.fromkeys(states.values(), 0), 0
    for (place, change), bits in events:
        if place > here:
            signs.add(sum(bits for bits, n in active.items() if n))
            here = place
        active[bits] += change
    return sorted(signs - {0})


# ---- pairs of a set and a state in it


@dataclass(slots=True)
class _Pairs:
    """The pairs by number: those of each set by state, and the groups of pairs that lead to each with one character."""

    sets: dict[int, dict[int, int]] = field(default_factory=dict)
    groups: list[list[tuple[tuple[int, int], ...]]] = field(default_factory=list)
    following: dict[int, set[int]] = field(default_factory=dict)

    def of(self, bits: int) -> dict[int, int]:
        """Return the pairs of a set, which is new."""
        own, rest = {}, bits
        while rest:
            lowest = rest & -rest
            own[lowest.bit_length() - 1] = len(self.groups)
            self.groups.append([])
            rest ^= lowest
        self.sets[bits] = own
        return own

    def ways(self) -> list[Steps]:
        """Return the number of ways that lead to each pair, by the length of the text."""
        ways: list[Steps] = [()] * len(self.groups)
        for circle in _circles(self.groups):
            entering: Steps = (1.0,) if self.sets[1 << START][START] in circle else ()
            gained: Steps = ()
            for pair in circle:
                for group in self.groups[pair]:
                    within = sum(n for source, n in group if source in circle)
                    if within > 1:
                        raise Doubling
                    beside = _sum(_product((float(n),), ways[source]) for source, n in group if source not in circle)
                    if within:
                        gained = _greatest(gained, beside)
                    else:
                        entering = _greatest(entering, beside)
            bound = _sum([entering, _added_up(gained)]) if any(gained) else entering
            for pair in circle:
                ways[pair] = bound
        return ways


def _steps(inner: Automaton, budget: _Budget, *, searched: bool) -> Steps:
    machine = _Machine.of(inner, budget, searched=searched)
    pairs = machine.pairs(budget)
    ways = pairs.ways()
    costs = {
        bits: _sum(_product(ways[pair], machine.weights[state]) for state, pair in own.items())
        for bits, own in pairs.sets.items()
    }
    # The greatest total cost of the sets along one text, unless a set leads back to itself
    open_ways = Counter(target for targets in pairs.following.values() for target in targets)
    most = dict(costs)
    ready, done = [1 << START], 0
    while ready:
        source = ready.pop()
        done += 1
        for target in pairs.following[source]:
            most[target] = _greatest(most[target], _sum([most[source], costs[target]]))
            open_ways[target] -= 1
            if not open_ways[target]:
                ready.append(target)
    if done == len(costs):
        return _greatest(*most.values())
    return _sum([costs.pop(1 << START), _added_up(_greatest(*costs.values()))])


def _circles(groups: Sequence[Sequence[Sequence[tuple[int, int]]]]) -> Iterator[set[int]]:
    """Yield the strongly connected components, each after its predecessors (Kosaraju's algorithm)."""
    before = [list({source for group in own for source, _ in group}) for own in groups]
    after: list[list[int]] = [[] for _ in groups]
    for pair, sources in enumerate(before):
        for source in sources:
            after[source].append(pair)
    order, seen = [], set()  # the postorder of a depth-first walk
    for root in range(len(after)):
        walk = [] if root in seen else [(root, iter(after[root]))]
        seen.add(root)
        while walk:
            pair, rest = walk[-1]
            step = next((target for target in rest if target not in seen), None)
            if step is None:
                order.append(pair)
                walk.pop()
            else:
                seen.add(step)
                walk.append((step, iter(after[step])))
    taken: set[int] = set()
    for root in reversed(order):
        if root not in taken:
            circle, waiting = {root}, [root]
            while waiting:
                fresh = [s for s in before[waiting.pop()] if s not in taken and s not in circle]
                circle.update(fresh)
                waiting += fresh
            taken |= circle
            yield circle
