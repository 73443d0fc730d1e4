"""The exceptions of the set-up and of the built bundles."""

from __future__ import annotations

from contracts.errors import DropgateError


class SetupMissing(DropgateError):
    """A part that dropgate needs is not on this machine; the text names the way to get it."""


class WheelUnfit(DropgateError):
    """A wheel would not load on its target; the text names it and its tags."""
