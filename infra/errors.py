"""The exceptions of the set-up and of what is built for deployment."""

from __future__ import annotations

from contracts.errors import DropgateError


class SetupMissing(DropgateError):
    """Something that dropgate needs is not on this machine; the text says how to get it."""


class WheelUnfit(DropgateError):
    """A wheel would not load where it is to run; the text names it and its tags."""
