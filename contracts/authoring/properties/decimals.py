"""Exact numbers: a property of a document in, the precision and scale of its decimals out."""

from __future__ import annotations

import re
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import Property

MOST_DIGITS = 20
"""Digits of integers that the job adds up exactly."""
MOST_OF_EXACT = 28
"""Digits before and after the point of exact numbers that the job adds up: a decimal holds the sum of 10^10 of them."""

WRITTEN = re.compile(r"\s*(?:decimal|numeric)\s*\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\)\s*", re.IGNORECASE | re.ASCII)
"""The `physicalType` of an exact number; all other values only describe."""
MOST = 38
"""Digits of Spark's longest decimal."""
PLAIN = (38, 18)
"""Digits of a number that is exact only because of `multipleOf`: as doubles, 0.07 is not a multiple of 0.01."""
UNSIGNED_64 = (20, 0)
"""Digits of integers of `format: u64`, which exceed signed 64 bits."""


def read(document: Document, path: Path, source: dict[str, Any], options: dict[str, Any]) -> tuple[int, int] | None:
    """Return precision and scale of a property's values; None for integers of 64 bits, doubles and other types."""
    kind = source["logicalType"]
    if kind not in {"integer", "number"}:
        return None
    if match := WRITTEN.fullmatch(source.get("physicalType", "")):
        precision, scale = int(match[1]), int(match[2] or 0)
        if not scale <= precision <= MOST or not precision:
            message = f"`{source['physicalType'].strip()}` is not a decimal: it has 1 to {MOST} digits in all."
            fix = "Write the digits in all and, not more than these, the digits after the point, as `decimal(10,2)`."
            document.error((*path, "physicalType"), "bad-decimal", message, fix)
            return None
        if kind == "number" or not scale:
            return precision, scale
    if kind == "integer":
        return UNSIGNED_64 if options.get("format") == "u64" else None
    return PLAIN if "multipleOf" in options else None


def too_long(what: str, prop: Property, *, deviation: bool = False) -> tuple[str, str] | None:
    """Return why the values of a property have too many digits for a sum, and the fix; None if a sum is possible.

    The deviation of long numbers is computed from doubles.
    """
    digits, after = prop.exact or (0, 0)
    if prop.type == "integer" and digits > MOST_DIGITS:
        message = f"{what} adds up integers of at most {MOST_DIGITS} digits; `{prop.name}` may have {digits}."
        return message, f"Leave it out, or write a `physicalType` of at most {MOST_DIGITS} digits."
    if prop.type == "number" and not deviation and max(digits - after, after) > MOST_OF_EXACT:
        most = f"at most {MOST_OF_EXACT} digits before and {MOST_OF_EXACT} after the point"
        message = f"{what} adds up exact numbers of {most}; `{prop.name}` may have {digits - after} and {after}."
        return message, f"Leave it out, or write a `physicalType` of {most}."
    return None
