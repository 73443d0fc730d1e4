"""Which numbers are exact: a property of a document in, digits in all and after the point of its decimals out."""

from __future__ import annotations

import re
from typing import Any

from contracts.authoring.document import Document
from contracts.authoring.finding import Path

WRITTEN = re.compile(r"\s*(?:decimal|numeric)\s*\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\)\s*", re.IGNORECASE | re.ASCII)
"""The physicalType of an exact number; all others only describe."""
MOST = 38
"""Digits of Spark's longest decimal."""
PLAIN = (38, 18)
"""Digits of a number that is exact for `multipleOf` alone: a double denies that 0.07 is a multiple of 0.01."""
UNSIGNED_64 = (20, 0)
"""Digits of the integers of `format: u64`, which reach beyond signed 64 bits."""


def read(document: Document, path: Path, source: dict[str, Any], options: dict[str, Any]) -> tuple[int, int] | None:
    """Precision and scale of a property's values; None where they are integers of 64 bits, doubles or no numbers."""
    kind = source["logicalType"]
    if kind not in {"integer", "number"}:
        return None
    if match := WRITTEN.fullmatch(source.get("physicalType", "")):
        precision, scale = int(match[1]), int(match[2] or 0)
        if not scale <= precision <= MOST or not precision:
            message = f"`{source['physicalType'].strip()}` is no decimal: it has 1 to {MOST} digits in all."
            fix = "Write the digits in all and, not more than these, the digits after the point, as `decimal(10,2)`."
            document.error((*path, "physicalType"), "bad-decimal", message, fix)
            return None
        if kind == "number" or not scale:
            return precision, scale
    if kind == "integer":
        return UNSIGNED_64 if options.get("format") == "u64" else None
    return PLAIN if "multipleOf" in options else None
