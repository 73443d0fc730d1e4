"""The drop block of a document before it is read: plain values in, its mappings and the contract's own name out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

OURS = "dropgate"
"""The vendor of the block, which a document may leave out."""


def blocks(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the mappings of the `drop` block: one, or an entry for each schema object."""
    customs = data.get("customProperties") if isinstance(data, dict) else None
    for custom in customs if isinstance(customs, list) else ():
        if isinstance(custom, dict) and custom.get("property") == "drop" and custom.get("vendor", OURS) == OURS:
            value = custom.get("value")
            yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict))


def alias_of(data: Any) -> str | None:
    """Return the first alias of the `drop` block; None if it has none."""
    return next((each["alias"] for each in blocks(data) if isinstance(each.get("alias"), str)), None)
