"""The one exception of the set-up."""

from __future__ import annotations

from contracts.errors import DropgateError


class SetupMissing(DropgateError):
    """Something that dropgate needs is not on this machine; the text says how to get it."""
