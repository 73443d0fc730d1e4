"""Aggregates of all values of a property: the addends of each record, in SQL; from the sums, the figure of a drop.

Integers, exact numbers, and others of at most 15 digits, 14 before and 14 after the point, are added up as decimals, so
that a figure depends neither on the order of the records nor on the splits of a file. A decimal has 38 digits, so a
square is three products: of v = high * unit + low, high * high, high * low and low * low.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, assert_never
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from contracts import rules
from contracts.plan import Check, Plan, Property
from contracts.values.date_pattern import PIECE, literal
from spark_jobs.counting.spark_types import numeric

UNIT = 3_037_000_500
"""The unit that halves integers: a little more than the root of 2^63, so that each of the products fits 64 bits."""
TEN = 10**10
"""The unit that halves integers that are decimals, of at most 20 digits."""
UNITS = {"integer": UNIT, "decimal": TEN}
DECIMAL = "decimal(28,14)"
EXACT = f"if(try_cast({{v}} as {DECIMAL}) = {{v}}, try_cast({{v}} as {DECIMAL}), null)"
"""A number as a decimal; null if no decimal of 14 digits before and after the point is the same double."""
UPPER, LOWER = (f"cast({{v}} {half} {TEN} as decimal(10,0))" for half in ("div", "%"))
HIGH, LOW = "cast({x} as decimal(15,0))", "cast({x} - cast({x} as decimal(15,0)) as decimal(14,14))"
ROOM = 28
"""Digits of decimals of which 10^10 can be added up."""
NUMBER = {
    "sum": "{x}",
    "rest": "if({x} is null, cast({v} as double), null)",
    "highs": f"{HIGH} * {HIGH}",
    "mixed": f"{HIGH} * {LOW}",
    "lows": f"{LOW} * {LOW}",
    "squares": "if({x} is null, cast({v} as double) * cast({v} as double), null)",
}
ADDED = {
    "integer": {
        "sum": "cast({v} as decimal(20,0))",
        "highs": f"cast(({{v}} div {UNIT}) * ({{v}} div {UNIT}) as decimal(20,0))",
        "mixed": f"cast(({{v}} div {UNIT}) * ({{v}} % {UNIT}) as decimal(20,0))",
        "lows": f"cast(({{v}} % {UNIT}) * ({{v}} % {UNIT}) as decimal(20,0))",
    },
    "decimal": {
        "sum": "cast({v} as decimal(20,0))",
        "highs": f"{UPPER} * {UPPER}",
        "mixed": f"{UPPER} * {LOWER}",
        "lows": f"{LOWER} * {LOWER}",
    },
    "number": NUMBER,
    "exact": NUMBER | {"own": "cast({v} as {exact})"},
    "wide": NUMBER
    | {
        "own": f"cast(cast({{v}} as {{exact}}) - cast({{v}} as {{exact}}) % 1BD as decimal({ROOM},0))",
        "ends": f"cast(cast({{v}} as {{exact}}) % 1BD as decimal({ROOM},{ROOM}))",
    },
}
"""The addend of a value `v`, as decimal `x`, to each part; `rest` and `squares` are of doubles that are no decimal.

An exact number adds itself to `own`; one with more digits than `ROOM` adds its whole part to `own`, and its fraction to
`ends`. Only its deviation is of `x`.
"""
MOMENTS = {"date": "unix_date(cast({v} as date))", "timestamp": "unix_micros(cast({v} as timestamp))"}
SUMS = ("sum", "rest")
TOTAL = rules.Sum(limits=())
"""The sum that a manifest or a trailer may state."""
OWN = {"exact": ("own",), "wide": ("own", "ends")}
"""The parts of a sum or a mean of exact numbers."""
HIGH = "high"
"""The part of a high mark: the greatest value among valid records."""
VALUES = "values"
"""The part that counts values, if a record may have several."""
MERGED = {"least": "min", "greatest": "max", HIGH: "max"}
"""The functions that merge parts which are not added up."""
SCALES, DOUBLES = {"sum": 14, "mixed": 14, "lows": 28}, ("rest", "squares")
"""Digits after the point of parts of numbers, and the parts that are doubles."""
Merge = Callable[[Any, Any], Any]
MERGES: dict[str, Merge] = {"sum": operator.add, "min": min, "max": max}
"""The functions that merge parts, in Python."""
DIGITS, SHOWN = 50, 15
"""Digits with which a figure is compared, and with which it is shown if it has no end."""
NO_VALUES, TOO_FEW, TOO_LARGE = "no-values", "too-few-values", "too-large"
"""The reasons why there is no figure."""
DAY = 86_400_000_000
YEAR_1, CYCLE = -719_162, 146_097
"""The first day that Python can represent, since 1970; days of 400 years, after which the calendar repeats itself."""


def parts(plan: Plan) -> dict[str, tuple[int, str, Check | None]]:
    """Return the parts of a plan's figures, by column: the property's number, the part, and the check of its records.

    Checks of all records share their parts. The high marks of properties are parts as well, and so are the sums that a
    manifest or a trailer may state.
    """
    at = {p.name: n for n, p in enumerate(plan.properties)}
    wanted = [
        (at[c.property], part, k, c if c.filter else None)
        for k, c in enumerate(plan.checks)
        if isinstance(c.rule, rules.Aggregate) and c.property
        for part in (
            *_needed(c.rule, plan.property_named(c.property)),
            *([VALUES] if plan.property_named(c.property).repeats else []),
        )
    ]
    wanted += [(at[name], HIGH, -1, None) for name in plan.marked]
    wanted += [(at[n], part, -1, None) for n in plan.summed for part in _needed(TOTAL, plan.property_named(n))]
    return {
        f"{part}{place(n, k if check else None)}": (n, part, check)
        for n, part, k, check in wanted
        if part in MERGED or part == VALUES or part in ADDED[_held(plan.properties[n])]
    }


def place(number: int, check: int | None) -> str:
    """Return the suffix of the columns of a property's parts, with the number of a check that filters records."""
    return str(number) if check is None else f"{number}of{check}"


def _held(prop: Property) -> str:
    """Return the type that sums use for a property: its own, or a decimal type unless values are too long to sum."""
    if not prop.exact:
        return prop.type
    digits, after = prop.exact
    if prop.type == "integer":
        return "decimal"
    return "exact" if digits <= ROOM else "wide" if max(digits - after, after) <= ROOM else prop.type


def _needed(rule: rules.Aggregate, prop: Property) -> tuple[str, ...]:
    """Return the parts of an aggregate of a property."""
    match rule:
        case rules.Sum() | rules.Mean():
            return OWN.get(_held(prop), SUMS)
        case rules.Stdev():
            return (*SUMS, "highs", "mixed", "lows", "squares")
        case rules.Min():
            return ("least",)
        case rules.Max():
            return ("greatest",)
        case _:
            assert_never(rule)


def decimals(plan: Plan) -> dict[int, str]:
    """Return the numbers that are added up as decimals, in SQL by the property's number.

    If a record may have several, they are structs of each value `v` and its decimal `x`.
    """
    wanted = [n for n, part, _ in parts(plan).values() if part == "sum" and plan.properties[n].type == "number"]
    several = f"transform(e{{n}}, s -> struct(s.v as v, {EXACT.format(v='s.v')} as x))"
    return {n: several.format(n=n) if plan.properties[n].repeats else EXACT.format(v=f"v{n}") for n in wanted}


def added(part: str, number: int, prop: Property, *, present: bool, only: str | None = None) -> str:
    """Return what one record adds to a part, in SQL on its columns v<n> and x<n>; null if it has no value.

    `only` is the filter of the records that count, in SQL.
    """
    if part == VALUES:
        shape = "if({v} is null, null, 1)"
    else:
        shape = MOMENTS.get(prop.type, "{v}") if part in MERGED else ADDED[_held(prop)][part]
    exact = numeric(prop)
    if present:
        addend = (
            _of_several(part, shape, number, prop)
            if prop.repeats
            else shape.format(v=f"v{number}", x=f"x{number}", exact=exact)
        )
        return f"if({only}, {addend}, null)" if only else addend
    null = "null" if prop.type in MOMENTS else "cast(null as bigint)"
    return shape.format(v=null, x=f"cast(null as {DECIMAL})", exact=exact)


def _of_several(part: str, shape: str, number: int, prop: Property) -> str:
    """Return what all values of one record together add to a part, in SQL."""
    source = f"x{number}" if "{x}" in shape else f"e{number}"
    addend = shape.format(v="s.v", x="s.x", exact=numeric(prop))
    each = f"filter(transform({source}, s -> {addend}), y -> y is not null)"
    if part in MERGED:
        return f"array_{MERGED[part]}({each})"
    after = SCALES.get(part, 0) if "{x}" in shape else 0  # digits behind the point
    if part in OWN["wide"]:
        after = ROOM if part == "ends" else prop.exact[1] if prop.exact and _held(prop) == "exact" else 0
    kind = "double" if part in DOUBLES else f"decimal(37,{after})"
    return f"aggregate({each}, cast(0 as {kind}), (a, y) -> cast(a + y as {kind}))"


def merged(part: str) -> str:
    """Name the SQL function that merges several sums of a part."""
    return MERGED.get(part, "sum")


def figure(rule: rules.Aggregate, prop: Property, at: str, values: int, sums: Mapping[str, Any]) -> Decimal | str:
    """Return the figure of so many values, whose parts are the sums of a `place`; or the reason why there is none."""
    if values < 1 or (isinstance(rule, rules.Stdev) and values < 2):
        return NO_VALUES if values < 1 else TOO_FEW
    totals = {part: sums.get(f"{part}{at}") or 0 for part in _needed(rule, prop)}
    if isinstance(rule, rules.Min | rules.Max):
        (extreme,) = totals.values()
        return unsigned(Decimal(str(extreme)))
    try:
        exact = {part: Fraction(total) for part, total in totals.items()}
    except (OverflowError, ValueError):  # an infinite double, or a sum of two that is no number
        return TOO_LARGE
    total = sum((exact.get(part, Fraction(0)) for part in (*SUMS, *OWN["wide"])), Fraction(0))
    match rule:
        case rules.Sum():
            return _decimal(total)
        case rules.Mean():
            return _decimal(total / values)
        case rules.Stdev():
            unit = UNITS.get(_held(prop), 1)
            squares = exact["highs"] * unit**2 + 2 * exact["mixed"] * unit + exact["lows"] + exact["squares"]
            return _decimal(max(squares - total**2 / values, Fraction(0)) / (values - 1), root=True)
        case _:
            assert_never(rule)


def value_count(at: str, sums: Mapping[str, Any]) -> int:
    """Return how many values were added up, of a property of which a record may have several."""
    return int(sums.get(f"{VALUES}{at}") or 0)


def high_mark(number: int, sums: Mapping[str, Any]) -> Any:
    """Return the greatest value of a property among valid records; None if there is none."""
    return sums.get(f"{HIGH}{number}")


def is_rough(prop: Property, at: str, sums: Mapping[str, Any]) -> bool:
    """Return True if a sum includes doubles, so that its last digits may differ."""
    return "rest" in _needed(TOTAL, prop) and sums.get(f"rest{at}") is not None


def unsigned(value: Decimal) -> Decimal:
    """Return a value; a zero without its sign."""
    return value or Decimal(0)


def _decimal(exact: Fraction, *, root: bool = False) -> Decimal:
    with localcontext(prec=DIGITS):
        value = Decimal(exact.numerator) / Decimal(exact.denominator)
        return value.sqrt() if root else value


def text_of(value: Decimal, prop: Property, *, whole: bool) -> str:
    """Return a figure for people: a moment in the property's format, a number with 15 digits unless it is `whole`."""
    if prop.type in MOMENTS:
        days, rest = (int(value), 0) if prop.type == "date" else divmod(int(value), DAY)
        shift = CYCLE if days < YEAR_1 else 0
        at = datetime(1970, 1, 1) + timedelta(days=days + shift, microseconds=rest)  # noqa: DTZ001 (all are UTC)
        fraction = ".SSSSSS" if at.microsecond else ""
        default = "yyyy-MM-dd" if prop.type == "date" else f"yyyy-MM-dd'T'HH:mm:ss{fraction}X"
        pattern = prop.format or default
        # A format without an offset has the time of the property's zone, as its cells do.
        if prop.zone and all(piece[2] != "X" for piece in PIECE.finditer(pattern)):
            try:
                at = at.replace(tzinfo=UTC).astimezone(ZoneInfo(prop.zone))
            except (ZoneInfoNotFoundError, OverflowError):  # beyond the years or the zones of this machine's Python
                pattern = default
        return "".join(_piece(p, at, at.year - (400 if shift else 0)) for p in PIECE.finditer(pattern))
    return number(value, whole=whole)


def number(value: Decimal, *, whole: bool = False) -> str:
    """Return a number for people, with 15 digits unless it is to be `whole`."""
    ends = whole or len(value.normalize().as_tuple().digits) < SHOWN
    with localcontext(prec=DIGITS if ends else SHOWN):
        shown = (+value).normalize()
    return f"{shown:f}" if -SHOWN < shown.adjusted() < DIGITS else str(shown)


def _piece(piece: re.Match[str], at: datetime, year: int) -> str:
    if not piece[2]:
        return literal(piece)
    if piece[2] == "S":
        return f"{at.microsecond:06}"[: len(piece[0])]
    letters = {"yyyy": f"{year:04}", "X": "Z", "XXX": "Z"}
    numbers = {"MM": at.month, "dd": at.day, "HH": at.hour, "mm": at.minute, "ss": at.second}
    return letters.get(piece[0]) or f"{numbers[piece[0]]:02}"
