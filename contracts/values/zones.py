"""Time zones: their names in, zones out. Pure."""

from __future__ import annotations

from datetime import tzinfo


def zone_named(name: str) -> tzinfo:
    """Return a zone by its name; zoneinfo is loaded only where a contract has a zone, not when a function starts."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    return ZoneInfo(name)
