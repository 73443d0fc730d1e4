"""Numbers of 32 bits: a double in; the floats nearest to it, and the decimals that they stand for, out. Pure."""

from __future__ import annotations

import math
import struct

DIGITS = (6, 7, 8, 9)
"""Digits with which a float is written: as few as identify it. 6 digits always survive; 9 are always enough
(IEEE 754-2019, 5.12.2)."""
GREATEST = 3.4028234663852886e38


def nearest(number: float) -> float:
    """Return the float that is nearest to a double."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def around(number: float) -> tuple[float, ...]:
    """Return the nearest float of a double and its two neighbours; infinite ones are left out."""
    middle = nearest(max(-GREATEST, min(GREATEST, number)))
    bits = _ordered(middle)
    return tuple(near for n in (-1, 0, 1) if math.isfinite(near := _float(bits + n)))


def decimal(number: float) -> float:
    """Return the double of the decimal that a float stands for: as few digits, from 6 on, as identify it."""
    texts = (f"{number:.{digits - 1}e}" for digits in DIGITS)
    return next((float(text) for text in texts if nearest(float(text)) == number), number)


def _ordered(number: float) -> int:
    """Return the bits of a float as a whole number, in the order of floats."""
    bits = int(struct.unpack("<i", struct.pack("<f", number))[0])
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


def _float(ordered: int) -> float:
    bits = ordered if ordered >= 0 else -ordered | -0x80000000
    return float(struct.unpack("<f", struct.pack("<i", bits))[0])
