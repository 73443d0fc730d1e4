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
    bits = int(struct.unpack("<i", struct.pack("<f", middle))[0])
    ordered = bits if bits >= 0 else -(bits & 0x7FFFFFFF)  # in the order of floats
    each = (n if n >= 0 else -n | -0x80000000 for n in range(ordered - 1, ordered + 2))
    floats = (float(struct.unpack("<f", struct.pack("<i", n))[0]) for n in each)
    return tuple(near for near in floats if math.isfinite(near))


def decimal(number: float) -> float:
    """Return the double of the decimal that a float stands for: as few digits, from 6 on, as identify it."""
    texts = (f"{number:.{digits - 1}e}" for digits in DIGITS)
    return next((float(text) for text in texts if nearest(float(text)) == number), number)
