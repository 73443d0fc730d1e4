"""Texts that two formats of dates read differently: the formats of a property in, one such text out, or none.

Both patterns are walked side by side, a character at a time, over all texts that they share. A unit, as the month, is
compared as soon as both have read it. Days are taken from the first 28 of a month and the first 365 of a year, so that
each combination is a day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import lru_cache
from itertools import combinations, product

from contracts.values.date_formats import COUNTS, DateFormats, Piece, iso, offset, pieces, whole_year, written

DIGITS = "2013456789"
"""Digits in the order in which they are tried: the first text is one of a year like 2022."""
PART_OF = {"short year": "year", "half hour": "hour", "half": "hour"}
"""Units that are read as a part of another one, or in place of it."""
LACKED = {"year": 0, "month": 0, "day": 0, "day of year": 0, "hour": 0, "minute": 0, "second": 0, "fraction": 0,
          "offset": 10_000}  # fmt: skip
"""The units that may differ, and the number that stands for one that a pattern lacks."""
NUMBERS = {"month": range(1, 13), "day": range(1, 29), "day of year": range(1, 366), "hour": range(24),
           "half hour": range(1, 13), "minute": range(60), "second": range(60)}  # fmt: skip
EXAMPLES = tuple(datetime.fromisoformat(text) for text in ("2024-07-03T14:05:09", "2022-01-02", "2012-10-11T10:11:12"))
DIFFERENT = 1_000_000
"""In place of the number of a unit that both have read, each another one."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a piece, with their numbers if its unit is compared, and the characters after each beginning.

    If `digits` is not zero the texts are all those of so many digits, of which only the first is listed.
    """

    numbers: dict[str, int]
    following: dict[str, set[str]]
    is_compared: bool
    digits: int = 0


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in a pattern: the piece, what of it was read, how many pieces of the unit are left, its number so far."""

    piece: int
    begun: str
    left: int
    number: int


def read_differently(dates: DateFormats, kind: str) -> tuple[str, str, str] | None:
    """Return two formats of a property and a text that they read as different moments; None if there are none."""
    moments = [datetime.combine(moment, time()) if kind == "date" else moment for moment in EXAMPLES]
    for first, second in combinations(dict.fromkeys(dates.formats), 2):
        both = [replace(dates, formats=(pattern,)) for pattern in (first, second)]
        for text in (written(moment, own, dates) for moment in moments for own in (first, second)):
            if len({iso(text, own, kind) for own in both} - {None}) == 2:
                return first, second, text
        if not {first, second} & COUNTS.keys() and (common := shared(first, second, dates)) is not None:
            return first, second, common
    return None


def shared(first: str, second: str, dates: DateFormats) -> str | None:
    """Return a text that two patterns of letters read differently; None if there is none. They may be the same."""
    both = [pieces(pattern, dates.language) for pattern in (first, second)]
    units = [{_whole(part) for part in parts} for parts in both]
    if ("day of year" in units[0]) != ("day of year" in units[1]):
        return _walk(both, dates, None)  # of a day in a year and one in a month any shared text is another one
    texts = (_walk(both, dates, unit) for unit in LACKED if unit in units[0] | units[1])
    return next((text for text in texts if text is not None), None)


def _whole(part: Piece) -> str | None:
    return part.unit and PART_OF.get(part.unit, part.unit)


def _walk(both: Sequence[tuple[Piece, ...]], dates: DateFormats, unit: str | None) -> str | None:
    """Return a text of both patterns in which a unit differs; any text of both if there is no unit."""
    texts = [[_texts(part, dates.century or 0, _whole(part) == unit) for part in parts] for parts in both]
    left = [sum(part.is_compared for part in own) if unit else 0 for own in texts]
    starts = [_Place(0, "", n, 0 if n else LACKED.get(unit or "", at)) for at, n in enumerate(left)]
    waiting: list[tuple[_Place, _Place, str]] = [(starts[0], starts[1], "")]
    seen = set()
    while waiting:
        first, second, text = waiting.pop()
        if first.left == second.left == 0 and first.number != DIFFERENT:
            if first.number == second.number:
                continue
            first, second = replace(first, number=DIFFERENT), replace(second, number=DIFFERENT)
        if (first, second) in seen:
            continue
        seen.add((first, second))
        if (first.piece, second.piece) == (len(texts[0]), len(texts[1])):
            return text
        waiting += _steps(first, second, texts, text)
    return None


def _steps(
    first: _Place, second: _Place, texts: Sequence[Sequence[_Texts]], text: str
) -> Iterator[tuple[_Place, _Place, str]]:
    """Yield the next places: behind a piece that is read, or behind a character that both have."""
    own, others = (
        parts[place.piece] if place.piece < len(parts) else None
        for parts, place in zip(texts, (first, second), strict=True)
    )
    if own and others:
        signs = own.following[first.begun] & others.following[second.begun]
        for sign in sorted(signs, key=lambda sign: (DIGITS[::-1].find(sign), sign)):
            yield _behind(first, sign, own), _behind(second, sign, others), text + sign
    if others and second.begun in others.numbers:
        yield first, _after(second, others), text
    if own and first.begun in own.numbers:
        yield _after(first, own), second, text


def _behind(place: _Place, sign: str, texts: _Texts) -> _Place:
    return replace(place, begun=place.begun + (DIGITS[0] if texts.digits else sign))


def _after(place: _Place, texts: _Texts) -> _Place:
    if not texts.is_compared or place.number == DIFFERENT:
        return replace(place, piece=place.piece + 1, begun="")
    return _Place(place.piece + 1, "", place.left - 1, place.number + texts.numbers[place.begun])


@lru_cache(maxsize=256)
def _texts(part: Piece, century: int, compared: bool) -> _Texts:
    digits = len(part.written) if part.unit in ("year", "short year", "fraction") and not compared else 0
    numbers = {DIGITS[0] * digits: 0} if digits else _numbers(part, century)
    following: dict[str, set[str]] = {}
    for text in numbers:
        for at, sign in enumerate(text):
            following.setdefault(text[:at], set()).update(DIGITS if digits else sign)
        following.setdefault(text, set())
    return _Texts(numbers, following, compared, digits)


def _numbers(part: Piece, century: int) -> dict[str, int]:
    """Return the texts of a piece with their numbers; of years and long fractions those with few different digits."""
    match part.unit:
        case None:
            return {part.written: 0}
        case "month" | "weekday" if part.numbers:
            return dict(part.numbers)
        case "year":
            years = ("".join(signs) for signs in product("2019", repeat=4))
            return {text: int(text) for text in years if text != "0000"}
        case "short year":
            return {f"{year:02}": whole_year(year, century) for year in range(100)}
        case "half":
            return {text: 12 * (text.upper() == "PM") for text in part.regex.split("|")}
        case "fraction":
            ways = [DIGITS if at < 3 else DIGITS[:3] for at in range(len(part.written))]
            return {"".join(signs): int("".join(signs).ljust(6, "0")) for signs in product(*ways)}
        case "offset":
            between = ":" if part.written == "XXX" else ""
            texts = ["Z", *(f"{sign}{h:02}{between}{m:02}" for sign in "+-" for h in range(18) for m in range(60))]
            texts += [f"{sign}{h:02}" for sign in "+-" for h in range(19)] if part.written == "X" else []
            return {text: int(f"{offset(text):0<6}".replace("Z", "").replace(":", "")) for text in texts}
        case unit:
            least = 1 if len(part.written) == 1 else len(part.written)
            of_unit = {f"{n:0{width}}": n for n in NUMBERS[unit] for width in {least, max(least, 2)}}
            return {text: n % 12 for text, n in of_unit.items()} if unit == "half hour" else of_unit
