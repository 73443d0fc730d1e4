"""Reports of progress: what a use case passes to its caller on the way, before it returns."""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[str], object]
"""A caller's function that takes a name: of an item that was read, or of one that cannot be read."""


def ignore(_: object) -> None:
    """Drop a report: the default of a caller that needs none."""
