"""Overlaps of key patterns: patterns in, a key that two match or the answer if some cover one, out, by construction.

Each pattern is an automaton over characters; a walk over pairs of their states, shortest first, finds a key that both
accept if there is one. A date is an automaton of its own with months, leap years and the ranges of its parts, so
that the keys shown hold real dates.
"""

from __future__ import annotations

import calendar
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from contracts.terms.key_pattern import WIDTHS, Token, literal_folder, tokens

Chars = str | None
"""The characters of a step: one character, None for any but `/`, or ANY for any at all."""
ANY = ""
FILLER = "x"
OTHER = "\0"
"""Any character but `/` and those that patterns name."""
MOST_STATES = 20_000
LAST_CENTURY = 69
"""Last two digits of a year from which strptime reads %y as 19..; below it is 20.."""


@dataclass(frozen=True, slots=True)
class Day:
    """The parts of a date read so far: digits of the current part, and the facts that set a month's length."""

    at: int = 0
    digits: str = ""
    leap: bool | None = None
    month: int | None = None
    day: int | None = None
    ordinal: int | None = None

    def after(self, part: str, value: int, *, finished: bool) -> Day | None:
        """Return the representative of equivalent dates after a part, so that the walk visits few states.

        None if the parts read so far can be of no one date; without a year, strptime takes 1900.
        """
        day = self
        if part in "Yy":
            year = value if part == "Y" else value + (1900 if value >= LAST_CENTURY else 2000)
            day = replace(day, leap=calendar.isleap(year))
        elif part in "mdj":
            day = replace(day, **{{"m": "month", "d": "day", "j": "ordinal"}[part]: value})  # type: ignore[arg-type]
        leap = day.leap if day.leap is not None or not finished else False
        if day.ordinal is not None and day.ordinal > (365 if leap is False else 366):
            return None
        if day.ordinal is None and day.day is not None:
            month = day.month if day.month is not None or not finished else 1
            longest = 31 if month is None else calendar.monthrange(2023 if leap is False else 2024, month)[1]
            if day.day > longest:
                return None
        if day.month and day.day and (day.leap is not None or (day.month, day.day) != (2, 29)):
            return Day(day.at)
        month = day.month and (2 if day.month == 2 else 4 if day.month in (4, 6, 9, 11) else 1)
        return replace(
            day, month=month, day=day.day and max(28, day.day), ordinal=day.ordinal and max(365, day.ordinal)
        )


@dataclass(frozen=True, slots=True)
class State:
    """A position in a pattern: the token, whether it has taken a character, and the offset in a literal or a date."""

    token: int = 0
    taken: bool = False
    offset: int = 0
    date: Day = Day()


def shared_key(first: str, second: str) -> str | None:
    """Return a shortest key that both patterns match; None if there is none."""
    folders = literal_folder(first), literal_folder(second)
    if not max(folders, key=len).startswith(min(folders, key=len)):
        return None
    toks = (tokens(first), tokens(second))
    start = (State(), State())
    queue = deque([(start, "")])
    seen: set[tuple[State, State]] = set()
    while queue:
        (a, b), key = queue.popleft()
        if a.token == len(toks[0]) and b.token == len(toks[1]):
            return key
        if (a, b) in seen:
            continue
        seen.add((a, b))  # only now: a path without a character may have overtaken one with it
        # The pairs that follow, each with the character that leads to it: none where a wildcard ends.
        moves = [("", (skipped, b)) for skipped in _ends(toks[0], a)]
        moves += [("", (a, skipped)) for skipped in _ends(toks[1], b)]
        for (left, after_a), (right, after_b) in product(_steps(toks[0], a), _steps(toks[1], b)):
            char = left or right or FILLER
            is_outside = char == "/" and None in (left, right)
            if (not left or not right or left == right) and not is_outside:
                moves.append((char, (after_a, after_b)))
        for char, pair in moves:
            if pair not in seen:
                queue.append((pair, key + char)) if char else queue.appendleft((pair, key))
    return None


def _ends(toks: tuple[Token, ...], state: State) -> Iterator[State]:
    """Yield the state after a token that may end here without another character."""
    if state.token < len(toks):
        token = toks[state.token]
        if token.kind in ("many", "across") or (token.kind == "part" and state.taken):
            yield State(state.token + 1)


def _steps(toks: tuple[Token, ...], state: State) -> Iterator[tuple[Chars, State]]:
    """Yield the characters that a state takes, one or a set at a time, each with the next state."""
    if state.token == len(toks):
        return
    token = toks[state.token]
    onward = State(state.token + 1)
    if token.kind == "literal":
        done = state.offset + 1 == len(token.text)
        yield token.text[state.offset], onward if done else replace(state, offset=state.offset + 1)
    elif token.kind == "one":
        yield None, onward
    elif token.kind in ("many", "part"):
        yield None, replace(state, taken=token.kind == "part")
    elif token.kind == "across":
        yield ANY, state
    else:
        parts = re.findall(r"%.|.", token.text)
        for char, day in _date_steps(parts, state.date):
            yield char, onward if day.at == len(parts) else replace(state, date=day)


def _date_steps(parts: list[str], day: Day) -> Iterator[tuple[str, Day]]:
    part = parts[day.at]
    if not part.startswith("%"):
        yield part, replace(day, at=day.at + 1)
        return
    width = WIDTHS[part[1]]
    for char in "0123456789":
        digits = day.digits + char
        if len(digits) < width:
            if any(_in_range(part[1], int(digits + rest)) for rest in (n * (width - len(digits)) for n in "019")):
                yield char, replace(day, digits=_year_class(digits) if part[1] == "Y" else digits)
        elif _in_range(part[1], int(digits)):
            is_last = not any(p.startswith("%") for p in parts[day.at + 1 :])
            after = replace(day, at=day.at + 1, digits="").after(part[1], int(digits), finished=is_last)
            if after is not None:
                yield char, after


def _year_class(digits: str) -> str:
    """Return the representative of equivalent beginnings of a year: only leap years and other years differ."""
    first = "2" if int(digits[0]) % 2 == 0 else "1"
    if len(digits) == 1:
        return first
    century = "12" if int(digits[:2]) % 4 == 0 else "10"
    third = digits[2:] if digits[2:] in ("", "0") else "2" if int(digits[2]) % 2 == 0 else "1"
    return century + third


def _in_range(part: str, value: int) -> bool:
    low, high = {
        "Y": (1000, 9999),
        "y": (0, 99),
        "m": (1, 12),
        "d": (1, 31),
        "j": (1, 366),
        "H": (0, 23),
        "M": (0, 59),
        "S": (0, 59),
    }[part]
    return low <= value <= high


def covers(patterns: Sequence[str], pattern: str) -> bool:
    """Return True if some of the patterns match each key of a pattern; False also if that would take too long.

    The walk follows one state of the pattern and all states that the others may be in after the same characters.
    """
    toks = [tokens(each) for each in patterns]
    own = tokens(pattern)
    queue = deque([(State(), _closed(toks, frozenset((n, State()) for n in range(len(toks)))))])
    seen: set[tuple[State, frozenset[tuple[int, State]]]] = set()
    while queue:
        here = queue.popleft()
        if here in seen:
            continue
        seen.add(here)
        state, others = here
        is_end = state.token == len(own)
        if len(seen) > MOST_STATES or (is_end and not any(at.token == len(toks[n]) for n, at in others)):
            return False
        queue.extend((after, others) for after in _ends(own, state))
        steps = [(n, *step) for n, at in others for step in _steps(toks[n], at)]
        signs = {"/", OTHER, *(chars for _, chars, _ in steps if chars)}
        for chars, after in _steps(own, state):
            for sign in {chars} if chars else signs - ({"/"} if chars is None else set()):
                reached = frozenset((n, at) for n, wanted, at in steps if _takes(wanted, sign))
                queue.append((after, _closed(toks, reached)))
    return True


def _closed(toks: Sequence[tuple[Token, ...]], states: frozenset[tuple[int, State]]) -> frozenset[tuple[int, State]]:
    """Return states with those that follow without a character."""
    every, new = set(states), list(states)
    while new:
        n, state = new.pop()
        ends = [(n, after) for after in _ends(toks[n], state) if (n, after) not in every]
        every.update(ends)
        new += ends
    return frozenset(every)


def _takes(chars: Chars, sign: str) -> bool:
    """Return True if a step takes a character; OTHER is one that no pattern names."""
    return sign != "/" if chars is None else not chars or chars == sign
