"""Figures of all values of a property: cells in, a decimal out, or why there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from tests.oracle.records import Cell

FIFTY = Context(prec=50)
MOST_DIGITS, MOST_BEFORE = 15, 14
SMALL = re.compile(r"[+-]?0*([0-9]*)(?:\.([0-9]*))?")


def counted(cell: Cell) -> Any:
    """A value as figures count it: a number as it is written if it is short, else as the double that it is."""
    if not isinstance(cell.value, float):
        return cell.value
    text = cell.number or cell.text or "0"
    parts = SMALL.fullmatch(f"{Decimal(text):f}")
    return Fraction(text) if parts and _is_short(parts[1], (parts[2] or "").rstrip("0")) else cell.value


def _is_short(before: str, after: str) -> bool:
    digits = (before + after).lstrip("0")
    return max(len(before), len(after)) <= MOST_BEFORE and len(digits) <= MOST_DIGITS


def is_rough(values: Sequence[Any]) -> bool:
    """Return whether the last digits of a figure of these values may differ."""
    return any(isinstance(v, float) for v in values)


def figure(kind: str, values: Sequence[Any]) -> Decimal | str:
    """The figure, with 50 digits, or the reason why there is none."""
    if not values:
        return "no-values"
    if kind == "stdev" and len(values) == 1:
        return "too-few-values"
    exact = [Fraction(v) for v in values]
    total, count = sum(exact, Fraction(0)), len(exact)
    if kind in ("sum", "mean") and is_rough(values) and not math.isfinite(_as_double(total)):
        return "too-large"
    match kind:
        case "min" | "max":
            return decimal(min(exact) if kind == "min" else max(exact))
        case "sum":
            return decimal(total)
        case "mean":
            return decimal(total / count)
    mean = total / count
    return decimal(sum(((v - mean) ** 2 for v in exact), Fraction(0)) / (count - 1)).sqrt(FIFTY)


def _as_double(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def decimal(value: Fraction) -> Decimal:
    """A fraction with 50 digits."""
    return FIFTY.divide(Decimal(value.numerator), Decimal(value.denominator))
