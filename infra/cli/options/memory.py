"""The option for the memory of the local Spark."""

from __future__ import annotations

import re

import click

JAVAS = re.compile("[1-9][0-9]*[kmgt]?b?", re.IGNORECASE)
"""How Java and Spark write a size."""


class Memory(click.ParamType):
    """A size in Spark's form, like 512m or 4g."""

    name = "size"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the size as it was written."""
        if not JAVAS.fullmatch(value):
            self.fail(f"{value!r} is not a size, such as 512m or 4g", param, ctx)
        return value
